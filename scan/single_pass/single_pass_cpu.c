/*
 * The fast path of the CPU engine, and the sequential scan, which is the same on one thread.
 * Compiled once an element type (see scan/element.h).
 *
 * Reduce, then scan: each core reduces a range of the array; the sums of the ranges are scanned;
 * each core scans its range from there, tile by tile in cache.
 *
 * Source: G. Blelloch, Prefix Sums and Their Applications, 1990.
 */
#include "scan/call_element.h"
#include "scan/scan_cpu.h"

#include "scan/block/block_scan.h"

/* Elements that a core scans at a time, in cache. */
#define TILE 1024u

/* Below this many elements a second thread costs more than it saves. */
#define MIN_ELEMENTS_PER_THREAD 16384u

/* A sum so far; none before the first element, unless there is an init. */
typedef struct carry {
    bool any;
    T value;
} carry;

typedef struct scan_job {
    const parscan_scan_call *call;
    VIEW in, out;
    bool exclusive;
} scan_job;

BLOCK_FUNCTION void take_in(const OPERATOR op, carry *before, T value)
{
    before->value = before->any ? combine(op, before->value, value) : value;
    before->any = true;
}

BLOCK_FUNCTION void reduce_range(const scan_job *job, const OPERATOR op, size_t begin, size_t end,
                                 carry *sum)
{
    carry all = *sum;
    for (size_t i = begin; i < end; i++)
        take_in(op, &all, load(&job->in, i));
    *sum = all;
}

BLOCK_FUNCTION void scan_range(const scan_job *job, const OPERATOR op, size_t begin, size_t end,
                               carry before)
{
    T tile[PADDED(TILE)];
    for (; begin < end; begin += TILE) {
        const unsigned n = (unsigned)(end - begin < TILE ? end - begin : TILE);
        /* An exclusive scan lacks the last element, which the store may overwrite. */
        const T last = load(&job->in, begin + n - 1);
        block_load(1, &job->in, begin, n, job->exclusive, before.any ? before.value : identity(op),
                   tile);
        if (before.any && !job->exclusive)
            tile[AT(0)] = combine(op, before.value, tile[AT(0)]);
        sequential(op, 1, tile, n);
        before.any = true;
        before.value = job->exclusive ? combine(op, tile[AT(n - 1)], last) : tile[AT(n - 1)];
        block_store(1, &job->out, begin, n, tile);
    }
}

static void reduce_range_specialised(const scan_job *job, size_t begin, size_t end, carry *sum)
{
    SPECIALISE(job->call->op, reduce_range(job, OP, begin, end, sum))
}

static void scan_range_specialised(const scan_job *job, size_t begin, size_t end, carry before)
{
    SPECIALISE(job->call->op, scan_range(job, OP, begin, end, before))
}

static size_t range_begin(size_t n, size_t range, size_t ranges)
{
    return n / ranges * range + (range < n % ranges ? range : n % ranges);
}

parscan_status NAMED(parscan_single_pass_cpu)(const parscan_scan_call *call)
{
    const scan_job job = {call, input_of(call), output_of(call),
                          call->kind == PARSCAN_KIND_EXCLUSIVE};
    const size_t n = call->n, most = n / MIN_ELEMENTS_PER_THREAD + 1;
    const size_t ranges = most < call->threads ? most : call->threads;
    T init = 0;
    const T *const start = init_of(call, &init);
    void *scratch;
    const parscan_status status = parscan_scratch(call->context, ranges * sizeof(carry), &scratch);
    if (status != PARSCAN_OK)
        return status;
    carry *const sums = scratch;
    for (size_t range = 0; range < ranges; range++)
        sums[range].any = false;
    const bool reduce = call->kind == PARSCAN_KIND_REDUCE;
    if (reduce || ranges > 1) {
#pragma omp parallel for num_threads(ranges) if (ranges > 1)
        for (size_t range = 0; range < ranges; range++)
            reduce_range_specialised(&job, range_begin(n, range, ranges),
                                     range_begin(n, range + 1, ranges), &sums[range]);
    }
    carry before = {start != NULL, init};
    for (size_t range = 0; range < ranges; range++) {
        const carry sum = sums[range];
        sums[range] = before;
        if (sum.any)
            take_in(call->op, &before, sum.value);
    }
    if (reduce) {
        store_result(call, before.any ? before.value : start_value(call->op, NULL));
        return PARSCAN_OK;
    }
#pragma omp parallel for num_threads(ranges) if (ranges > 1)
    for (size_t range = 0; range < ranges; range++)
        scan_range_specialised(&job, range_begin(n, range, ranges),
                               range_begin(n, range + 1, ranges), sums[range]);
    if (job.exclusive)
        store(&job.out, 0, start_value(call->op, start));
    return PARSCAN_OK;
}
