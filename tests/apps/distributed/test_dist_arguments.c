/* Wrong arguments on one rank, and arguments that differ: the same status and message on all ranks,
   and the next call succeeds. */
#include <criterion/criterion.h>
#include <string.h>

#include "parscan/distributed.h"
#include "tests/support/rank_pieces.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"
#include "tests/support/thread_comm.h"

#define INVALID PARSCAN_ERROR_INVALID_ARGUMENT
#define UNSUPPORTED PARSCAN_ERROR_UNSUPPORTED

enum { N = 10, RANKS = 3 };

/* Fails unless a call returns this status with these words; then a good call must succeed. */
#define expect(call, expected, words)                                                           \
    do {                                                                                        \
        const parscan_status status_ = (call);                                                  \
        rank_expect(status_ == (expected) && strstr(parscan_comm_error(comm), (words)),         \
                    "%d, \"%s\", not \"%s\"", (int)status_, parscan_comm_error(comm), words);   \
        rank_expect(strcmp(parscan_context_error(parscan_comm_context(comm)),                   \
                           parscan_comm_error(comm)) == 0,                                      \
                    "the context says: %s", parscan_context_error(parscan_comm_context(comm))); \
        const parscan_status good_ = parscan_dist_reduce(comm, PARSCAN_U32, in, out, N, NULL);  \
        rank_expect(good_ == PARSCAN_OK, "a good call: %s", parscan_comm_error(comm));          \
    } while (0)

static void refuse_scans(parscan_comm *comm, void *data)
{
    const bool wrong = parscan_comm_rank(comm) == 1; /* this rank's arguments are */
    static const uint32_t in[N];
    uint64_t out[N];
    uint64_t count;
    const uint64_t init = wrong ? 7 : 8;
    const parscan_scan_options op =
        PARSCAN_SCAN_OPTIONS(.op = wrong ? (parscan_op)77 : PARSCAN_MAX);
    const parscan_scan_options ops = PARSCAN_SCAN_OPTIONS(.op = wrong ? PARSCAN_MIN : PARSCAN_MAX);
    const parscan_scan_options inits = PARSCAN_SCAN_OPTIONS(.init = &init);
    const parscan_segments keys =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_KEYS, .type = wrong ? PARSCAN_U16 : PARSCAN_U32,
                         .data = in);
    const uint32_t starts[] = {wrong ? 3 : 0, N}, late[] = {1, N}, far[] = {0, N + (wrong ? 1 : 0)};
    const parscan_segments offsets =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U32, .data = late,
                         .count = 1);
    const parscan_segments beyond = PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS,
                                                     .type = PARSCAN_U32, .data = far, .count = 1);
    const parscan_segments good = PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS,
                                                   .type = PARSCAN_U32, .data = starts, .count = 1);
    (void)data;
    expect(parscan_dist_inclusive_scan(comm, PARSCAN_U32, wrong ? NULL : in, out, N, NULL), INVALID,
           "rank 1: in is NULL, n = 10");
    expect(
        parscan_dist_inclusive_scan(comm, wrong ? (parscan_type)99 : PARSCAN_U32, in, out, N, NULL),
        INVALID, "rank 1: type = 99");
    expect(parscan_dist_exclusive_scan(comm, PARSCAN_U32, in, out, N, &op), INVALID,
           "rank 1: op = 77");
    expect(parscan_dist_exclusive_scan(comm, PARSCAN_U32, in, out, N, &ops), INVALID,
           "rank 1: another argument or option of parscan_dist_exclusive_scan on ");
    expect(parscan_dist_reduce(comm, PARSCAN_U64, (uint64_t[N]){0}, out, N, &inits), INVALID,
           "rank 1: another argument or option of parscan_dist_reduce on ");
    expect(wrong ? parscan_dist_reduce(comm, PARSCAN_U32, in, out, N, NULL)
                 : parscan_dist_inclusive_scan(comm, PARSCAN_U32, in, out, N, NULL),
           INVALID, "rank 1: another function or engine than on rank 0: parscan_dist_reduce on ");
    expect(parscan_dist_segmented_inclusive_scan(comm, PARSCAN_U32, in, out, N, &keys, NULL),
           INVALID, "rank 1: another argument");
    expect(parscan_dist_segmented_inclusive_scan(comm, PARSCAN_U32, in, out, N, NULL, NULL),
           INVALID, "rank 0: segments is NULL");
    expect(parscan_dist_segmented_exclusive_scan(comm, PARSCAN_U32, in, out, N, &offsets, NULL),
           INVALID, "the first element, on rank 0, belongs to no segment");
    expect(parscan_dist_segmented_exclusive_scan(comm, PARSCAN_U32, in, out, N, &beyond, NULL),
           INVALID, "rank 1: offsets[1] = 11: the last offset must be n = 10");
    expect(parscan_dist_segmented_reduce(comm, PARSCAN_U32, in, out, N, &good,
                                         wrong ? NULL : &count, NULL, NULL, NULL),
           INVALID, "rank 1: count is NULL");
    expect(parscan_dist_segmented_inclusive_scan(comm, PARSCAN_F32, in, out, N, &good,
                                                 &PARSCAN_SCAN_OPTIONS(.reproducible = 1)),
           UNSUPPORTED, "rank 0: reproducible = 1");
}

static void refuse_others(parscan_comm *comm, void *data)
{
    const bool wrong = parscan_comm_rank(comm) == 2;
    uint32_t in[N] = {0}, out[N];
    uint64_t count, wide[N + 1];
    uint64_t *const none = wrong ? NULL : &count;
    const uint32_t value = wrong;
    const parscan_predicate values = PARSCAN_PREDICATE(.comparison = PARSCAN_LESS, .value = &value);
    (void)data;
    expect(parscan_dist_compact_if(comm, PARSCAN_U32, in, &values, out, N, &count, NULL, NULL),
           INVALID, "rank 2: another argument");
    expect(parscan_dist_compact_if(comm, PARSCAN_U32, in, NULL, wrong ? NULL : out, N, &count, NULL,
                                   NULL),
           INVALID, "rank 2: out is NULL");
    expect(parscan_dist_unique(comm, PARSCAN_U32, in, out, N, none, NULL, NULL), INVALID,
           "rank 2: count is NULL");
    expect(parscan_dist_run_length_encode(comm, PARSCAN_U32, in, wrong ? in : out, PARSCAN_U64,
                                          wide, N, &count, NULL, NULL),
           INVALID, "rank 2: values = ");
    expect(parscan_dist_run_length_encode(comm, PARSCAN_U32, in, out, PARSCAN_I8, wide, N, &count,
                                          NULL, NULL),
           INVALID, "rank 0: count_type = i8");
    expect(parscan_dist_histogram(comm, PARSCAN_U32, in, N, wrong ? 5 : 6, PARSCAN_U64, wide, NULL),
           INVALID, "rank 2: another argument");
    expect(parscan_dist_histogram(comm, PARSCAN_U32, in, N, 0, PARSCAN_U64, wide, NULL), INVALID,
           "rank 0: bins = 0");
    expect(parscan_dist_allocate(comm, PARSCAN_U32, in, N, PARSCAN_U64, wide, none, NULL), INVALID,
           "rank 2: total is NULL");
    expect(parscan_dist_allocate(comm, PARSCAN_U32, in, N, PARSCAN_U64, wide, &count,
                                 &PARSCAN_ALLOCATE_OPTIONS(.alignment = wrong ? 3 : 4)),
           INVALID, "rank 2: alignment = 3");
    expect(parscan_dist_bin(comm, PARSCAN_U32, in, 4, NULL, N, 2, PARSCAN_U32, wrong ? NULL : wide,
                            out, N, &count),
           INVALID, "rank 2: offsets is NULL, bins + 1 = 3");
    expect(parscan_dist_bin(comm, PARSCAN_U32, in, 65, in, N, 2, PARSCAN_U32, wide, out, N, &count),
           INVALID, "rank 0: value_size = 65");
    expect(parscan_dist_rebalance(comm, 4, in, N, out, wrong ? N - 1 : N), INVALID,
           "the sum of all n_in = 30, that of all n_out = 29");
    expect(parscan_dist_rebalance(comm, 4, in, N, wrong ? NULL : out, N), INVALID,
           "rank 2: out is NULL, n_out = 10");
    expect(
        parscan_dist_histogram(comm, PARSCAN_U32, in, N, 4, PARSCAN_U32, wrong ? NULL : out, NULL),
        INVALID, "rank 2: counts is NULL, bins = 4");
    expect(parscan_dist_rebalance(comm, 4, in, N, wrong ? in : out, N), INVALID, "rank 2: out = ");
    expect(parscan_dist_rebalance(comm, 0, in, N, out, N), INVALID, "rank 0: element_size = 0");
}

Test(dist_arguments, of_scans_that_are_wrong_on_one_rank_are_refused_on_all)
{
    if (test_backend() == PARSCAN_BACKEND_CPU)
        thread_comm_run(&(thread_comm_options){.ranks = RANKS}, refuse_scans, NULL);
}

Test(dist_arguments, of_others_that_are_wrong_on_one_rank_are_refused_on_all)
{
    if (test_backend() == PARSCAN_BACKEND_CPU)
        thread_comm_run(&(thread_comm_options){.ranks = RANKS}, refuse_others, NULL);
}

Test(dist_arguments, without_a_comm_are_refused)
{
    uint64_t n;
    cr_assert_eq(parscan_dist_reduce(NULL, PARSCAN_U8, NULL, &n, 0, NULL), INVALID);
    cr_assert_eq(parscan_dist_rebalance(NULL, 1, NULL, 0, NULL, 0), INVALID);
    cr_assert_str_eq(parscan_comm_error(NULL), "comm is NULL");
}
