/* What the parts of the fake share. */
#ifndef PARSCAN_TESTS_FAKE_CUDA_H
#define PARSCAN_TESTS_FAKE_CUDA_H

#include <cuda_runtime_api.h>
#include <pthread.h>

#include "tests/apps/nccl/fake_nccl.h"

enum {
    FAKE_ALLOCATIONS = 256,
    FAKE_EVENTS = 4096,
    FAKE_BOX = 32 * 1024,
    FAKE_PAGE = 4096,
    FAKE_DEVICE = 1 << 30 /* bytes of its memory */
};

/* Memory of the device, in a file that every process has mapped twice: as its own memory, and as what it has opened
   of other processes. */
typedef struct fake_allocation {
    size_t at, size; /* size 0: none */
    unsigned serial;
    int owner;
    int opens; /* in all processes */
} fake_allocation;

typedef struct fake_event {
    bool there, shared;
    unsigned serial;
    int owner, opens;
    size_t recorded, completed;
} fake_event;

/* A part of a message on its way. */
typedef struct fake_box {
    size_t size, left; /* of the message; left: from this part on. 0: empty */
    char data[FAKE_BOX];
} fake_box;

typedef struct fake_world {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned serials;
    fake_allocation allocations[FAKE_ALLOCATIONS];
    fake_event events[FAKE_EVENTS];
    fake_box boxes[FAKE_COMMS][FAKE_RANKS][FAKE_RANKS]; /* from, to */
} fake_world;

extern fake_world *fake;

/* The memory of the device: as the processes have it, and as they have opened it. */
extern char *fake_own, *fake_opened;

void fake_lock(void);
void fake_unlock(void);

/* Keeps an error as the last one, and returns it. */
cudaError_t fake_error(cudaError_t error);

#define FAKE_REFUSE_OR_GO_ON(function)           \
    do {                                         \
        if (fake_refused(function))              \
            return fake_error(cudaErrorUnknown); \
    } while (0)

/* What a stream is to do. */
typedef struct fake_operation {
    enum { FAKE_COPY, FAKE_RECORD, FAKE_WAIT } what;
    char *to;
    const char *from;
    size_t size, event, value;
} fake_operation;

/* Puts it on a stream; what is on none is done at once. With the lock. */
void fake_put(cudaStream_t stream, fake_operation next);

/* Whether a stream of this process is yet to use memory. With the lock. */
bool fake_is_awaited(const char *memory, size_t size);

/* What a handle for other processes has. */
typedef struct fake_handle {
    size_t number;
    unsigned serial;
} fake_handle;

/* Ends the program with a message. */
_Noreturn void fake_stop(const char *words);

/* Waits until a stream has nothing to do. */
void fake_drain(cudaStream_t stream);

#endif
