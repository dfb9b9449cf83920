/* A checked call of a histogram: what histogram.c passes to an engine. The caller owns all
   arrays. */
#ifndef PARSCAN_APPS_HISTOGRAM_HISTOGRAM_CALL_H
#define PARSCAN_APPS_HISTOGRAM_HISTOGRAM_CALL_H

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "apps/histogram/bin_map.h"
#include "scan/context/context_state.h"

typedef struct histogram_call {
    parscan_context *context;
    parscan_type type;
    bin_map map; /* only its bins are known, if a bound is in device memory */
    bool lower_on_device, upper_on_device;
    parscan_histogram_options options; /* if one of them is there; the pointers are the caller's */
    bin_map_kernel *kernel;
    const char *in;
    size_t n, element_size, bins;
    const uint64_t *n_at; /* CUDA: the length in device memory, at most n; NULL: it is n */
    char *counts;
    size_t count_size;
    bool adds;       /* to the counts that there are, of 64 bits, as for a chunk of an array */
    bool overflowed; /* some count does not fit count_size */
    pthread_mutex_t *turn; /* guards what several threads add to */
} histogram_call;

/* Adds to the count of a bin, which may have any alignment. Threads that may add to the same
   count hold the lock. */
static inline void histogram_add(histogram_call *call, size_t bin, uint64_t amount)
{
    char *const count = call->counts + bin * call->count_size;
    if (call->count_size == sizeof(uint64_t)) {
        uint64_t sum;
        memcpy(&sum, count, sizeof sum);
        sum += amount;
        memcpy(count, &sum, sizeof sum);
    } else {
        uint32_t old;
        memcpy(&old, count, sizeof old);
        const uint32_t sum = (uint32_t)(old + amount);
        if (sum < old || amount > UINT32_MAX)
            call->overflowed = true;
        memcpy(count, &sum, sizeof sum);
    }
}

/* How many threads may have so much scratch each. A call may take 2 MiB and the size of the counts
   for each thread, and beyond that 1% of the input's size. */
static inline unsigned histogram_threads(const histogram_call *call, unsigned threads,
                                         size_t scratch_each)
{
    const size_t each = ((size_t)2 << 20) + call->bins * call->count_size;
    if (scratch_each <= each)
        return threads;
    const size_t most = call->n / 100 * call->element_size / (scratch_each - each);
    return most >= threads ? threads : most > 1 ? (unsigned)most : 1;
}

/* Checks type, bins, count_type and the caller's options, reads these into *options, and fills
   *call. Errors: INVALID_ARGUMENT, UNSUPPORTED. */
parscan_status parscan_check_histogram(parscan_context *context, parscan_type type, size_t bins,
                                       parscan_type count_type,
                                       const parscan_histogram_options *given,
                                       parscan_histogram_options *options, histogram_call *call);

static inline bool histogram_has_bounds_on_device(const histogram_call *call)
{
    return call->lower_on_device || call->upper_on_device;
}

/* Fetches the bounds of a call from device memory, and makes its map. Errors: INVALID_ARGUMENT, UNSUPPORTED,
   DEVICE. */
parscan_status parscan_fetch_histogram_bounds(histogram_call *call);

/* Runs a checked call on the engine of its context. */
parscan_status parscan_run_histogram(histogram_call *call);

/* The engines. Errors: OVERFLOW, OUT_OF_MEMORY; on CUDA also DEVICE. After OUT_OF_MEMORY the counts
   are as before. */
parscan_status parscan_histogram_cpu(histogram_call *call);
parscan_status parscan_histogram_cuda(histogram_call *call);

/* The CPU engine for large arrays of bytes: it counts bytes instead of bins. The scratch has
   parscan_byte_histogram_need() bytes. */
void parscan_byte_histogram_cpu(histogram_call *call, unsigned threads, char *scratch);
size_t parscan_byte_histogram_need(const histogram_call *call, unsigned threads);

#endif
