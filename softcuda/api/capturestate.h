/* capturestate.h - what capture.c and captureevent.c know of the captures there are. */
#ifndef SOFTCUDA_API_CAPTURESTATE_H
#define SOFTCUDA_API_CAPTURESTATE_H

#include "softcuda/api/capture.h"

struct capture {
    struct capture *next;
    uint64_t id;
    CUgraph graph;
    bool lent;                          /* the graph is the caller's: BeginCaptureToGraph */
    bool invalid;
    int mode;                           /* CU_STREAM_CAPTURE_MODE_ */
    uint64_t thread;                    /* that began it */
    struct CUstream_st *origin;
    struct capture_member *members;
};

/* A stream in a capture. */
struct capture_member {
    struct capture_member *next;
    struct capture *capture;
    struct CUstream_st *stream;
    struct node_list before;            /* what its next node waits for */
};

extern pthread_mutex_t sc_capture_lock;                 /* all of this */

bool sc_captures_any(void);                             /* without the lock, too */
struct capture *sc_capture_find(uint64_t id);           /* or NULL: it is over */
CUresult sc_capture_join(struct capture *, struct CUstream_st *, struct capture_member **);
/* Would work in this legacy stream wait for one that captures? */
bool sc_capture_implicit(const struct CUstream_st *, bool invalidate);

#endif
