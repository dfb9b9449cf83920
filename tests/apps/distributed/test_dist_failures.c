/*
 * What goes wrong on one rank is an error on all, and nothing hangs or leaks: an exchange that fails
 * or is late, at every exchange of every function on every rank; an allocation that fails, at every
 * one of them.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "parscan/distributed.h"
#include "tests/support/rank_pieces.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"
#include "tests/support/thread_comm.h"

enum { N = 3000, RANKS = 3, BINS = 200 };

typedef struct call_data {
    uint32_t in[N];
    float floats[N];
    uint8_t flags[N];
    size_t number; /* of the call */
    parscan_status status[RANKS], again[RANKS];
} call_data;

/* Arrays that live longer than an exchange that fails. */
typedef struct call_outputs {
    uint64_t out[2 * N], more[N], counts[3];
} call_outputs;
static call_outputs outputs[RANKS];

typedef parscan_status one_call(parscan_comm *comm, const call_data *data, call_outputs *to);

static parscan_status scan(parscan_comm *comm, const call_data *data, call_outputs *to)
{
    return parscan_dist_inclusive_scan(comm, PARSCAN_U32, data->in, to->out, N, NULL);
}

static parscan_status reduce_tree(parscan_comm *comm, const call_data *data, call_outputs *to)
{
    return parscan_dist_reduce(comm, PARSCAN_F32, data->floats, to->out, N,
                               &PARSCAN_SCAN_OPTIONS(.reproducible = 1));
}

static parscan_status scan_tree(parscan_comm *comm, const call_data *data, call_outputs *to)
{
    return parscan_dist_exclusive_scan(comm, PARSCAN_F32, data->floats, to->out, N,
                                       &PARSCAN_SCAN_OPTIONS(.reproducible = 1));
}

static parscan_status scan_segments(parscan_comm *comm, const call_data *data, call_outputs *to)
{
    return parscan_dist_segmented_inclusive_scan(comm, PARSCAN_U32, data->in, to->out, N,
                                                 &PARSCAN_SEGMENTS(.data = data->flags), NULL);
}

static parscan_status reduce_segments(parscan_comm *comm, const call_data *data, call_outputs *to)
{
    return parscan_dist_segmented_reduce(
        comm, PARSCAN_U32, data->in, to->out, N,
        &PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_KEYS, .type = PARSCAN_U32, .data = data->in),
        &to->counts[0], &to->counts[1], NULL, NULL);
}

static parscan_status compact(parscan_comm *comm, const call_data *data, call_outputs *to)
{
    return parscan_dist_compact_if(comm, PARSCAN_U32, data->in, NULL, to->out, N, &to->counts[0],
                                   NULL, NULL);
}

static parscan_status unique(parscan_comm *comm, const call_data *data, call_outputs *to)
{
    return parscan_dist_unique(comm, PARSCAN_U32, data->in, to->out, N, &to->counts[0], NULL, NULL);
}

static parscan_status run_lengths(parscan_comm *comm, const call_data *data, call_outputs *to)
{
    return parscan_dist_run_length_encode(comm, PARSCAN_U32, data->in, to->out, PARSCAN_U64,
                                          to->more, N, &to->counts[0], NULL, NULL);
}

static parscan_status histogram(parscan_comm *comm, const call_data *data, call_outputs *to)
{
    return parscan_dist_histogram(comm, PARSCAN_U32, data->in, N, BINS, PARSCAN_U64, to->out, NULL);
}

static parscan_status allocate(parscan_comm *comm, const call_data *data, call_outputs *to)
{
    return parscan_dist_allocate(comm, PARSCAN_U32, data->in, N, PARSCAN_U64, to->out,
                                 &to->counts[0], NULL);
}

static parscan_status bin(parscan_comm *comm, const call_data *data, call_outputs *to)
{
    return parscan_dist_bin(comm, PARSCAN_U32, data->in, 4, NULL, N, BINS, PARSCAN_U32, to->more,
                            to->out, 4 * N, &to->counts[0]);
}

static parscan_status rebalance(parscan_comm *comm, const call_data *data, call_outputs *to)
{
    const size_t n_out = parscan_comm_rank(comm) == 0 ? N / 2 : N + N / 4;
    return parscan_dist_rebalance(comm, sizeof *data->in, data->in, N, to->out, n_out);
}

static one_call *const calls[] = {scan,    reduce_tree, scan_tree,   scan_segments, reduce_segments,
                                  compact, unique,      run_lengths, histogram,     allocate,
                                  bin,     rebalance};

static void make_call(parscan_comm *comm, void *user)
{
    call_data *const data = user;
    const unsigned rank = parscan_comm_rank(comm);
    data->status[rank] = calls[data->number](comm, data, &outputs[rank]);
    data->again[rank] = calls[data->number](comm, data, &outputs[rank]);
    rank_expect(data->status[rank] == PARSCAN_OK || parscan_comm_error(comm)[0] != 0, "no words");
}

static call_data inputs(void)
{
    call_data data = {.number = 0};
    for (size_t i = 0; i < N; i++) {
        data.in[i] = (uint32_t)(i / 700);
        data.floats[i] = (float)i / 3;
        data.flags[i] = i % 700 == 13;
    }
    return data;
}

/* An error on all ranks of the call in which it happens, or, where that was over on some ranks, of
   the next one. */
static void expect_failure(const call_data *data, const thread_comm_options *options)
{
    for (unsigned rank = 0; rank < RANKS; rank++) {
        const bool late = data->status[rank] == PARSCAN_OK;
        cr_assert_eq(data->again[rank], PARSCAN_ERROR_DEVICE,
                     "call %zu, fault %d in exchange %zu on rank %u: rank %u: %s", data->number,
                     (int)options->fault, options->fault_exchange, options->fault_rank, rank,
                     parscan_status_string(data->again[rank]));
        cr_assert(!late ||
                      (rank != options->fault_rank && options->fault == THREAD_COMM_WAIT_FAILS),
                  "call %zu, fault %d in exchange %zu on rank %u: rank %u succeeds", data->number,
                  (int)options->fault, options->fault_exchange, options->fault_rank, rank);
        cr_assert(late || data->status[rank] == PARSCAN_ERROR_DEVICE);
    }
}

static void expect_faults(thread_comm_fault fault, unsigned ranks)
{
    call_data data = inputs();
    for (data.number = 0; data.number < COUNT_OF(calls); data.number++) {
        const thread_comm_options none = {.ranks = RANKS};
        const size_t exchanges = thread_comm_run(&none, make_call, &data).exchanges / 2;
        for (unsigned rank = 0; rank < ranks; rank++)
            for (size_t k = 0; k < exchanges; k++) {
                const thread_comm_options options = {
                    .ranks = RANKS,
                    .timeout = fault == THREAD_COMM_RANK_IS_LATE ? 0.01 : 0,
                    .fault = fault,
                    .fault_rank = rank,
                    .fault_exchange = k};
                thread_comm_run(&options, make_call, &data);
                expect_failure(&data, &options);
            }
    }
}

Test(dist_failures, of_an_exchange_is_an_error_on_all_ranks)
{
    if (test_backend() == PARSCAN_BACKEND_CPU)
        expect_faults(THREAD_COMM_BEGIN_FAILS, RANKS);
}

Test(dist_failures, of_a_wait_is_an_error_on_all_ranks)
{
    if (test_backend() == PARSCAN_BACKEND_CPU)
        expect_faults(THREAD_COMM_WAIT_FAILS, RANKS);
}

Test(dist_failures, of_a_late_rank_is_an_error_on_all_ranks)
{
    if (test_backend() == PARSCAN_BACKEND_CPU)
        expect_faults(THREAD_COMM_RANK_IS_LATE, 1);
}

/* A context may do without some memory; otherwise all ranks return OUT_OF_MEMORY, and the next call
   succeeds. */
Test(dist_failures, of_every_allocation_is_the_same_on_all_ranks)
{
    call_data data = inputs();
    if (test_backend() != PARSCAN_BACKEND_CPU)
        return;
    for (data.number = 0; data.number < COUNT_OF(calls); data.number++) {
        thread_comm_options options = {.ranks = RANKS, .allocation_rank = 1};
        const size_t allocations = thread_comm_run(&options, make_call, &data).allocations;
        size_t failed = 0;
        for (size_t k = 1; k <= allocations; k++) {
            options.allocation_fails = k;
            thread_comm_run(&options, make_call, &data);
            for (unsigned rank = 0; rank < RANKS; rank++) {
                cr_assert_eq(data.status[rank], data.status[0], "call %zu", data.number);
                cr_assert_eq(data.again[rank], data.again[0], "call %zu", data.number);
            }
            cr_assert(data.status[0] == PARSCAN_OK ||
                      data.status[0] == PARSCAN_ERROR_OUT_OF_MEMORY);
            cr_assert(data.status[0] == PARSCAN_OK || data.again[0] == PARSCAN_OK);
            failed += data.status[0] != PARSCAN_OK;
        }
        cr_assert(failed > 0 || allocations == 0, "call %zu takes no memory", data.number);
    }
}
