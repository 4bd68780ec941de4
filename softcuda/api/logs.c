/* logs.c - what was told to a person, kept for programs (cuLogs*): the last lines, of which the oldest give way. Callbacks are not
 * supported. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "softcuda/api/report.h"

enum { LINES = 24, LINE_SIZE = 1025 }; /* in all not more than CUDA's manual says: 25600 bytes */

static struct {
    pthread_mutex_t lock;
    unsigned next; /* lines so far: the iterator of the end */
    char lines[LINES][LINE_SIZE];
} logs = { .lock = PTHREAD_MUTEX_INITIALIZER };

static const char cut[] = "softcuda: older lines are left out\n";

void sc_log(const char *line)
{
    pthread_mutex_lock(&logs.lock);
    snprintf(logs.lines[logs.next++ % LINES], LINE_SIZE, "%s", line);
    pthread_mutex_unlock(&logs.lock);
}

CUresult cuLogsCurrent(CUlogIterator *end, unsigned int flags)
{
    if (!end || flags)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&logs.lock);
    *end = logs.next;
    pthread_mutex_unlock(&logs.lock);
    return CUDA_SUCCESS;
}

/* The lines from *first to the end that fit into size bytes, the newest of them; *first: the oldest of those. */
static size_t fitting(unsigned *first, size_t size)
{
    unsigned wanted = *first, oldest = logs.next > LINES ? logs.next - LINES : 0;
    size_t used = 0, n;

    for (*first = logs.next; *first > wanted && *first > oldest; --*first) {
        n = strlen(logs.lines[(*first - 1) % LINES]) + 1;
        if (used + n > size)
            break;
        used += n;
    }
    return used;
}

/* Into a buffer of size bytes without its NUL. Returns how many; under the lock. */
static size_t dump(unsigned first, char *buffer, size_t size)
{
    unsigned wanted = first;
    size_t at = 0;

    fitting(&first, size);
    if (first != wanted && size >= sizeof(cut)) {
        first = wanted;
        if (fitting(&first, size - (sizeof(cut) - 1))) {
            memcpy(buffer, cut, sizeof(cut) - 1);
            at = sizeof(cut) - 1;
        }
    }
    for (; first != logs.next; first++)
        at += (size_t)sprintf(buffer + at, "%s\n", logs.lines[first % LINES]);
    return at;
}

CUresult cuLogsDumpToMemory(CUlogIterator *from, char *buffer, size_t *size, unsigned int flags)
{
    unsigned first;
    size_t room;
    bool empty;

    if (!buffer || !size || flags)
        return CUDA_ERROR_INVALID_VALUE;
    room = *size;
    *size = 0;
    if (!room)
        return CUDA_ERROR_INVALID_VALUE;
    buffer[0] = '\0';
    pthread_mutex_lock(&logs.lock);
    first = from && *from < logs.next ? *from : from ? logs.next : 0;
    empty = first == logs.next;
    *size = dump(first, buffer, room - 1);
    if (from && (*size || empty))
        *from = logs.next;
    pthread_mutex_unlock(&logs.lock);
    return *size || empty ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuLogsDumpToFile(CUlogIterator *from, const char *path, unsigned int flags)
{
    static const size_t most = (size_t)LINES * LINE_SIZE + sizeof(cut);
    char buffer[LINES * LINE_SIZE + sizeof(cut)];
    size_t size = most;
    CUresult r;
    FILE *f;

    if (!path || flags)
        return CUDA_ERROR_INVALID_VALUE;
    f = fopen(path, "w");
    if (!f)
        return CUDA_ERROR_INVALID_VALUE;
    r = cuLogsDumpToMemory(from, buffer, &size, 0);
    fwrite(buffer, 1, size, f);
    if (fclose(f))
        return CUDA_ERROR_OPERATING_SYSTEM;
    return r;
}
