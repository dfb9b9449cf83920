/* A checked call of a histogram, as histogram.c hands it to an engine. */
#ifndef PARSCAN_APPS_HISTOGRAM_HISTOGRAM_CALL_H
#define PARSCAN_APPS_HISTOGRAM_HISTOGRAM_CALL_H

#include <omp.h>
#include <stdbool.h>
#include <string.h>

#include "apps/histogram/bin_map.h"
#include "scan/context/context_state.h"

typedef struct histogram_call {
    parscan_context *context;
    parscan_type type;
    bin_map map;
    bin_map_kernel *kernel;
    const char *in;
    size_t n, element_size, bins;
    char *counts;
    size_t count_size;
    bool overflowed;  /* a count does not fit */
    omp_lock_t *turn; /* of the threads that add to what all share */
} histogram_call;

/* Adds to the count of a bin, whatever its alignment. What two threads may call at once they guard. */
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

/* How many threads may have so much scratch each: 1 MiB in all, 1% of the input and the counts of
   each thread are what a call may take. */
static inline unsigned histogram_threads(const histogram_call *call, unsigned threads,
                                         size_t scratch_each)
{
    const size_t shared = ((size_t)1 << 20) + call->n / 100 * call->element_size;
    const size_t counts = call->bins * call->count_size;
    if (scratch_each <= counts)
        return threads;
    const size_t most = shared / (scratch_each - counts);
    return most >= threads ? threads : most > 1 ? (unsigned)most : 1;
}

/* The engines. Errors: OVERFLOW, OUT_OF_MEMORY; of CUDA, DEVICE too. */
parscan_status parscan_histogram_cpu(histogram_call *call);
parscan_status parscan_histogram_cuda(histogram_call *call);

/* Its way for elements of a byte, in large numbers: counts not of bins, but of bytes. */
parscan_status parscan_byte_histogram_cpu(histogram_call *call, unsigned threads);

#endif
