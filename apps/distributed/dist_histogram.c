/* Histogram of a distributed array: the local one in 64 bits, and the sum of all ranks' counts. */
#include <string.h>

#include "apps/distributed/comm_state.h"
#include "apps/histogram/histogram_call.h"
#include "parscan/distributed.h"
#include "parscan/memory.h"
#include "scan/context/check.h"

static void note(parscan_comm *comm, const histogram_call *call, parscan_type count_type,
                 const parscan_histogram_options *options)
{
    const uint64_t numbers[] = {(uint64_t)call->type, call->bins, (uint64_t)count_type,
                                options->lower != NULL, options->upper != NULL};
    parscan_comm_note(comm, numbers, sizeof numbers);
    if (options->lower != NULL)
        parscan_comm_note(comm, options->lower, call->element_size);
    if (options->upper != NULL)
        parscan_comm_note(comm, options->upper, call->element_size);
}

/* Writes the counts in the caller's type. Errors, the same on all ranks: OVERFLOW. */
static parscan_status give_counts(parscan_comm *comm, const uint64_t *sums, size_t bins,
                                  void *counts, parscan_type count_type)
{
    uint32_t *const narrow = (uint32_t *)(void *)(uintptr_t)sums;
    if (parscan_type_size(count_type) == sizeof *sums)
        return parscan_copy(comm->context, counts, sums, bins * sizeof *sums);
    for (size_t bin = 0; bin < bins; bin++) {
        const uint64_t sum = sums[bin];
        if (sum > parscan_most_index(count_type))
            return parscan_fail(comm->context, PARSCAN_ERROR_OVERFLOW,
                                "bin %zu: a count of %llu elements does not fit count_type = %s",
                                bin, (unsigned long long)sum, parscan_type_name(count_type));
        narrow[bin] = (uint32_t)sum;
    }
    return parscan_copy(comm->context, counts, narrow, bins * sizeof *narrow);
}

static parscan_status check_dist_histogram(parscan_comm *comm, histogram_call *call,
                                           parscan_type type, const void *in, size_t n, size_t bins,
                                           parscan_type count_type, const void *counts,
                                           const parscan_histogram_options *given)
{
    parscan_histogram_options options;
    parscan_status status =
        parscan_check_histogram(comm->context, type, bins, count_type, given, &options, call);
    if (status == PARSCAN_OK)
        status = parscan_check_array(comm->context, "in", in, n, parscan_type_size(type));
    if (status == PARSCAN_OK)
        status = parscan_check_counted_array(comm->context, "counts", counts, "bins", bins,
                                             parscan_type_size(count_type));
    if (status == PARSCAN_OK)
        status = parscan_check_apart(
            comm->context, (parscan_extent){"counts", counts, bins * parscan_type_size(count_type)},
            (parscan_extent){"in", in, n * parscan_type_size(type)});
    if (status == PARSCAN_OK)
        note(comm, call, count_type, &options);
    return status;
}

static parscan_status run_dist_histogram(parscan_comm *comm, parscan_status status,
                                         histogram_call *call, void *counts,
                                         parscan_type count_type)
{
    void *sums = NULL;
    if (status == PARSCAN_OK)
        status = parscan_comm_allocate(comm, COMM_ON_HOST, call->bins * sizeof(uint64_t), &sums);
    if (status == PARSCAN_OK) {
        call->counts = sums;
        call->count_size = sizeof(uint64_t);
        status = parscan_run_histogram(call);
    }
    status = parscan_agree(comm, status);
    if (status == PARSCAN_OK)
        status = parscan_sum_counts(comm, sums, call->bins);
    if (status != PARSCAN_OK)
        return status;
    return parscan_comm_finish(comm, give_counts(comm, sums, call->bins, counts, count_type));
}

parscan_status parscan_dist_histogram(parscan_comm *comm, parscan_type type, const void *in,
                                      size_t n, size_t bins, parscan_type count_type, void *counts,
                                      const parscan_histogram_options *options)
{
    histogram_call call;
    parscan_status status = parscan_comm_begin(comm, "parscan_dist_histogram");
    if (status != PARSCAN_OK)
        return status;
    status = check_dist_histogram(comm, &call, type, in, n, bins, count_type, counts, options);
    call.in = in;
    call.n = n;
    status = run_dist_histogram(comm, status, &call, counts, count_type);
    parscan_comm_end(comm);
    return status;
}
