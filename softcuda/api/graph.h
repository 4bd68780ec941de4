/* graph.h - graphs, and the executables that are made of them. Private to api/.
 *
 * A graph is a list of nodes in the order in which they were added; each node has a list of those that it waits for. A graph is not
 * locked: CUDA leaves that to the caller, and captures (capture.h) add nodes under their own lock. An executable has a copy of
 * its graph, whose nodes are what its parameters are set on, and a plan: the nodes' work in an order that respects the edges. A plan
 * is shared with the launches that are under way, so it is copied before it is changed. */
#ifndef SOFTCUDA_API_GRAPH_H
#define SOFTCUDA_API_GRAPH_H

#include "softcuda/api/graphmemory.h"
#include "softcuda/api/launch.h"

enum { SC_GRAPH = 0x67726168, SC_NODE = 0x6e6f6465, SC_EXEC = 0x65786563, SC_USER_OBJECT = 0x75736572 };

extern struct sc_handles sc_graphs, sc_nodes, sc_execs, sc_user_objects;

/* What a node does. Owns what it points at, but for events and a kernel's code: that lives only as long as its library. */
struct node_params {
    int type;                           /* CU_GRAPH_NODE_TYPE_ */
    union {
        struct {
            struct sc_launch launch;
            struct CUkern_st *kernel;   /* that the function is of; NULL in a plain module */
            CUcontext context;
            struct sc_life *life;       /* the module's, a reference: while it lives, launch.f does */
            unsigned char *bytes;       /* of the parameters */
            size_t nbytes;
            void **pointers;            /* to each parameter in bytes */
            size_t npointers;
            int priority;
        } kernel;
        struct { struct sc_abi_memcpy3d p; CUcontext context; } copy;
        struct { struct sc_abi_memset_node p; CUcontext context; } set;
        struct sc_abi_host_node host;
        CUgraph child;                  /* the node's own */
        CUevent event;
        struct graph_memory *memory;    /* of a node that allocates or frees, a reference */
    } u;
};

/* The nodes that one waits for, or the next captured one will: data[i] is the edge's. */
struct node_list { CUgraphNode *nodes; struct sc_abi_edge_data *data; size_t n; };

struct CUgraphNode_st {
    uint32_t magic;
    CUgraph graph;
    uint64_t id;                        /* rising along the graph's list */
    uint64_t origin;                    /* id of the node that this one was copied of, or 0 */
    size_t index;                       /* in the graph's list */
    struct node_list before;
    struct node_params params;
};

struct user_reference { CUuserObject object; unsigned count; };

struct CUgraph_st {
    uint32_t magic;
    uint64_t serial;                    /* no other graph ever has this one */
    CUgraphNode *nodes;
    size_t n, room;
    CUgraphNode owner;                  /* whose child graph it is, or NULL */
    bool capturing;
    bool memory;                        /* it has nodes that allocate or free: what is there stays, and is not copied */
    struct user_reference *users;
    size_t nusers;
};

/* graph.c */
CUresult sc_graph_check(CUgraph);
CUresult sc_node_check(CUgraphNode);
CUresult sc_graph_create(CUgraph *);
void sc_graph_free(CUgraph);                            /* accepts NULL */
/* Takes the params over, whether it succeeds or not. data: NULL for plain edges. */
CUresult sc_graph_add(CUgraph, struct node_params *, const CUgraphNode *after, const struct sc_abi_edge_data *data, size_t n,
                      CUgraphNode *out);
CUresult sc_graph_clone(const struct CUgraph_st *, CUgraph *);
/* The nodes, each behind those it waits for; n of them, to be freed. CUDA_ERROR_INVALID_VALUE: they wait in a circle. */
CUresult sc_graph_order(const struct CUgraph_st *, CUgraphNode **);
/* Adds to the list, but for those that it has. */
CUresult sc_nodes_add(struct node_list *, const CUgraphNode *, const struct sc_abi_edge_data *, size_t n);
void sc_nodes_clear(struct node_list *);

/* graphparams.c: from what callers say to params of our own, checked. */
CUresult sc_params_kernel(struct node_params *, const struct sc_launch *, void **params, void **extra);
CUresult sc_params_copy(struct node_params *, const struct sc_abi_memcpy3d *, CUcontext);
CUresult sc_params_set(struct node_params *, const struct sc_abi_memset_node *, CUcontext);
CUresult sc_params_host(struct node_params *, CUhostFn, void *data);
CUresult sc_params_event(struct node_params *, int type, CUevent);
CUresult sc_params_child(struct node_params *, const struct CUgraph_st *);
CUresult sc_params_mem_alloc(struct node_params *, const struct sc_abi_alloc_node *);
CUresult sc_params_mem_free(struct node_params *, uint64_t address);
CUresult sc_params_clone(struct node_params *, const struct node_params *);
void sc_params_free(struct node_params *);

/* graphwork.c: a node's work, which may be run again and again, by one thread at a time. */
struct graph_work;
CUresult sc_graph_work_create(const struct node_params *, struct graph_work **);
void sc_graph_work_ref(struct graph_work *);
void sc_graph_work_unref(struct graph_work *);          /* accepts NULL */
void sc_graph_work_run(struct graph_work *, CUcontext stream, struct sc_worker *);

/* graphexec.c */
CUresult sc_exec_check(CUgraphExec);
/* graphupdate.c: takes the params over. */
CUresult sc_exec_set(CUgraphExec, CUgraphNode, struct node_params *);

/* graphuser.c */
CUresult sc_users_copy(struct user_reference **, size_t *, const struct user_reference *, size_t n);
void sc_users_free(struct user_reference *, size_t n);

#endif
