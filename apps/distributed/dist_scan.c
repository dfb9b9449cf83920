/*
 * Scans and reductions of a distributed array. Each rank reduces its piece; all ranks gather the
 * sums; each combines those before its own and scans its piece from there.
 */
#include "parscan/distributed.h"

#include <string.h>

#include "apps/distributed/dist_scan.h"
#include "parscan/memory.h"
#include "scan/context/check.h"

/* What a rank tells the others. */
typedef struct piece_sum {
    uint64_t n;
    dist_element sum; /* if n > 0 */
} piece_sum;

void parscan_note_scan(parscan_comm *comm, const parscan_scan_call *call)
{
    const int numbers[] = {
        (int)call->kind, (int)call->op,      (int)call->in_type,         (int)call->out_type,
        call->reverse,   call->reproducible, (int)call->shape.algorithm, call->init != NULL};
    parscan_comm_note(comm, numbers, sizeof numbers);
    if (call->init != NULL)
        parscan_comm_note(comm, call->init, parscan_type_size(call->out_type));
}

/* An init of 16 bits as a float: the reduction of this one element. */
static void widen_init(const parscan_scan_call *call, const void *init, dist_element *wide)
{
    const parscan_scan_call one = {
        .context = call->context,
        .kind = PARSCAN_KIND_REDUCE,
        .in_type = call->out_type,
        .out_type = parscan_sum_type(call),
        .in = init,
        .out = wide->bytes,
        .n = 1,
        .shape = {.algorithm = PARSCAN_SEQUENTIAL},
    };
    parscan_scan_cpu.run(&one);
}

void parscan_fold(const parscan_scan_call *call, const void *init, const void *values, size_t n,
                  void *result)
{
    const parscan_type type = parscan_sum_type(call);
    dist_element wide;
    if (init != NULL && type != call->out_type) {
        widen_init(call, init, &wide);
        init = wide.bytes;
    }
    const parscan_scan_call fold = {
        .context = call->context,
        .kind = PARSCAN_KIND_REDUCE,
        .op = call->op,
        .in_type = type,
        .out_type = type,
        .in = values,
        .out = result,
        .n = n,
        .init = init,
        .reproducible = call->reproducible,
        .shape = {.algorithm = PARSCAN_SEQUENTIAL},
    };
    parscan_scan_cpu.run(&fold);
}

/* The sum of this rank's piece, without init, not rounded. */
static parscan_status sum_piece(const parscan_scan_call *call, dist_element *sum)
{
    parscan_scan_call reduction = *call;
    if (call->n == 0 || parscan_scan_has_tree(call))
        return PARSCAN_OK;
    reduction.kind = PARSCAN_KIND_REDUCE;
    reduction.out_type = parscan_sum_type(call);
    reduction.out = sum->bytes;
    reduction.init = NULL;
    return parscan_run_scan(&reduction);
}

/* Takes the sums of the first `pieces` pieces that are not empty, in the order of combination. */
static size_t take_sums(const parscan_comm *comm, const parscan_scan_call *call,
                        const piece_sum *all, unsigned pieces, unsigned char *sums)
{
    const size_t size = parscan_type_size(parscan_sum_type(call));
    size_t n = 0;
    for (unsigned k = 0; k < pieces; k++) {
        const piece_sum *const piece = &all[parscan_rank_at(comm, call->reverse, k)];
        if (piece->n > 0)
            memcpy(sums + n++ * size, piece->sum.bytes, size);
    }
    return n;
}

static parscan_status finish_dist_scan(parscan_comm *comm, const parscan_scan_call *call,
                                       const piece_sum *all, unsigned char *sums)
{
    const bool reduces = call->kind == PARSCAN_KIND_REDUCE;
    const unsigned before = reduces         ? comm->size
                            : call->reverse ? comm->size - 1 - comm->rank
                                            : comm->rank;
    const size_t n = take_sums(comm, call, all, before, sums);
    parscan_scan_call scan = *call;
    dist_element value;
    if (n > 0 || reduces)
        parscan_fold(call, call->init, sums, n, value.bytes);
    if (reduces) {
        dist_element result;
        parscan_round_carry(comm->context, call->out_type, value.bytes, result.bytes);
        return parscan_copy(comm->context, call->out, result.bytes,
                            parscan_type_size(call->out_type));
    }
    if (n > 0) {
        scan.init = value.bytes;
        scan.carried = true;
    }
    return call->n > 0 ? parscan_run_scan(&scan) : PARSCAN_OK;
}

static parscan_status run_checked(parscan_comm *comm, parscan_status status,
                                  const parscan_scan_call *call)
{
    void *all = NULL, *sums = NULL;
    piece_sum mine = {.n = call->n};
    if (status == PARSCAN_OK)
        parscan_note_scan(comm, call);
    if (status == PARSCAN_OK)
        status = parscan_comm_allocate(comm, COMM_ON_HOST, comm->size * sizeof mine, &all);
    if (status == PARSCAN_OK)
        status = parscan_comm_allocate(comm, COMM_ON_HOST, comm->size * sizeof mine.sum, &sums);
    if (status == PARSCAN_OK)
        status = sum_piece(call, &mine.sum);
    status = parscan_comm_gather(comm, status, &mine, sizeof mine, all);
    if (status != PARSCAN_OK)
        return status;
    if (parscan_scan_has_tree(call))
        return parscan_dist_tree(comm, call, all, sizeof mine);
    return parscan_comm_finish(comm, finish_dist_scan(comm, call, all, sums));
}

static parscan_status run_dist_scan(parscan_comm *comm, const char *name, parscan_scan_kind kind,
                                    parscan_type type, const void *in, void *out, size_t n,
                                    const parscan_scan_options *options)
{
    parscan_status status = parscan_comm_begin(comm, name);
    if (status != PARSCAN_OK)
        return status;
    parscan_scan_call call = {.kind = kind, .in = in, .out = out, .n = n};
    status = parscan_check_scan_options(comm->context, type, options, &call, NULL);
    if (status == PARSCAN_OK)
        status = parscan_check_scan_arrays(comm->context, &call);
    status = run_checked(comm, status, &call);
    parscan_comm_end(comm);
    return status;
}

parscan_status parscan_dist_inclusive_scan(parscan_comm *comm, parscan_type type, const void *in,
                                           void *out, size_t n, const parscan_scan_options *options)
{
    return run_dist_scan(comm, "parscan_dist_inclusive_scan", PARSCAN_KIND_INCLUSIVE, type, in, out,
                         n, options);
}

parscan_status parscan_dist_exclusive_scan(parscan_comm *comm, parscan_type type, const void *in,
                                           void *out, size_t n, const parscan_scan_options *options)
{
    return run_dist_scan(comm, "parscan_dist_exclusive_scan", PARSCAN_KIND_EXCLUSIVE, type, in, out,
                         n, options);
}

parscan_status parscan_dist_reduce(parscan_comm *comm, parscan_type type, const void *in, void *out,
                                   size_t n, const parscan_scan_options *options)
{
    return run_dist_scan(comm, "parscan_dist_reduce", PARSCAN_KIND_REDUCE, type, in, out, n,
                         options);
}
