/* What a sort over ranks refuses, and every exchange and every allocation failing. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "apps/distributed/comm_state.h"
#include "parscan/memory.h"
#include "tests/support/dist_sort_case.h"
#include "tests/support/key_patterns.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

#define N 3001u

typedef struct refusal {
    parscan_status status;
    const char *words;
    unsigned kind;
} refusal;

static parscan_status wrong_call(parscan_comm *comm, unsigned kind)
{
    static const uint32_t in[4] = {4, 3, 2, 1};
    uint32_t out[8], values[8];
    uint64_t indices[8];
    const unsigned rank = parscan_comm_rank(comm);
    const bool second = rank == 1;
    const parscan_sort_options bits = PARSCAN_SORT_OPTIONS(.begin_bit = second ? 40 : 0);
    const parscan_sort_options down = PARSCAN_SORT_OPTIONS(.descending = second);
    switch (kind) {
    case 0:
        return parscan_dist_sort_keys(comm, second ? PARSCAN_I32 : PARSCAN_U32, in, 4, out, 4,
                                      NULL);
    case 1:
        return parscan_dist_sort_keys(comm, PARSCAN_U32, in, 4, out, second ? 5 : 4, NULL);
    case 2:
        return parscan_dist_sort_keys(comm, PARSCAN_U32, second ? NULL : in, 4, out, 4, NULL);
    case 3:
        return parscan_dist_sort_keys(comm, PARSCAN_U32, in, 4, second ? NULL : out, 4, NULL);
    case 4:
        return parscan_dist_sort_keys(comm, PARSCAN_U32, in, 4, out, 4, &bits);
    case 5:
        return parscan_dist_sort_keys(comm, PARSCAN_U32, in, 4, out, 4, &down);
    case 6:
        return parscan_dist_sort_pairs(comm, PARSCAN_U32, in, out, second ? 0 : 4, in, values, 4, 4,
                                       NULL);
    case 7:
        return parscan_dist_sort_pairs(comm, PARSCAN_U32, in, out, 4, in, second ? NULL : values, 4,
                                       4, NULL);
    case 8:
        return parscan_dist_argsort(comm, PARSCAN_U32, in, 4, second ? NULL : indices, 4, NULL);
    case 9:
        return second ? parscan_dist_argsort(comm, PARSCAN_U32, in, 4, indices, 4, NULL)
                      : parscan_dist_sort_keys(comm, PARSCAN_U32, in, 4, out, 4, NULL);
    case 10:
        return parscan_dist_sort_keys(comm, (parscan_type)(second ? 99 : PARSCAN_U32), in, 4, out,
                                      4, NULL);
    default:
        return parscan_dist_sort_keys(comm, PARSCAN_F32, in, 4, out, 4, &bits);
    }
}

static void refused(parscan_comm *comm, void *state)
{
    const refusal *const r = state;
    const parscan_status status = wrong_call(comm, r->kind);
    rank_expect(status == r->status, "kind %u: %s", r->kind, parscan_status_string(status));
    rank_expect(strstr(parscan_comm_error(comm), r->words) != NULL, "kind %u: %s", r->kind,
                parscan_comm_error(comm));
}

Test(dist_sort, refuses_wrong_arguments_on_all_ranks)
{
    static const char *const words[] = {"rank 1: another",
                                        "n_out = 13",
                                        "keys_in is NULL, n_in = ",
                                        "keys_out is NULL, n_out = ",
                                        "begin_bit = 40",
                                        "rank 1: another",
                                        "value_size = 0",
                                        "values_out is NULL",
                                        "indices_out is NULL, n_out = ",
                                        "rank 1: another",
                                        "key_type",
                                        "key_type = f32"};
    for (unsigned kind = 0; kind < COUNT_OF(words); kind++) {
        refusal r = {PARSCAN_ERROR_INVALID_ARGUMENT, words[kind], kind};
        if (kind == 11)
            r.status = PARSCAN_ERROR_UNSUPPORTED;
        thread_comm_run(&(thread_comm_options){.ranks = 3}, refused, &r);
    }
}

/* Rank 1 gives device memory that is not aligned to the elements. *state: which array. */
static void misaligned(parscan_comm *comm, void *state)
{
    const unsigned kind = *(const unsigned *)state;
    const size_t off = parscan_comm_rank(comm) == 1;
    char *const in = piece_create(comm, NULL, 64), *const out = piece_create(comm, NULL, 64);
    const void *const keys = kind == 0 ? in + off : in;
    const parscan_status status =
        kind == 2
            ? parscan_dist_argsort(comm, PARSCAN_U32, keys, 4, (void *)(out + 4 * off), 4, NULL)
            : parscan_dist_sort_keys(comm, PARSCAN_U32, keys, 4, kind == 1 ? out + off : out, 4,
                                     NULL);
    piece_destroy(comm, in);
    piece_destroy(comm, out);
    rank_expect(status == PARSCAN_ERROR_INVALID_ARGUMENT &&
                    strstr(parscan_comm_error(comm), "must be aligned") != NULL,
                "array %u: %s", kind, parscan_comm_error(comm));
}

Test(dist_sort, refuses_device_memory_that_is_not_aligned)
{
    if (test_backend() == PARSCAN_BACKEND_CPU)
        return;
    for (unsigned kind = 0; kind < 3; kind++)
        thread_comm_run(&(thread_comm_options){.ranks = 2}, misaligned, &kind);
}

static size_t kept_bytes(const parscan_comm *comm)
{
    size_t bytes = 0;
    for (unsigned k = 0; k < COMM_KEPT; k++)
        bytes += comm->kept[k].size;
    return bytes;
}

/* What a comm keeps of an argsort of a third of the elements leaves no room for a sort. What this sort needs is
   asked with a limit, too: without one, GPUs merge what they sorted. */
static void has_a_limit(parscan_comm *comm, void *keys)
{
    const size_t n = 300000, third = n / 3;
    parscan_context *const context = parscan_comm_context(comm);
    char *const in = piece_create(comm, keys, n * 8), *const out = piece_create(comm, NULL, n * 8);
    context->scratch_limit = SIZE_MAX;
    parscan_status status = parscan_dist_sort_keys(comm, PARSCAN_U64, in, n, out, n, NULL);
    const size_t needed = kept_bytes(comm);
    context->scratch_limit = 0;
    for (unsigned k = 0; k < COMM_KEPT; k++)
        parscan_free(context, comm->kept[k].data);
    memset(comm->kept, 0, sizeof comm->kept);
    if (status == PARSCAN_OK)
        status = parscan_dist_argsort(comm, PARSCAN_U64, in, third, (void *)out, third, NULL);
    context->scratch_limit = needed;
    if (status == PARSCAN_OK)
        status = parscan_dist_sort_keys(comm, PARSCAN_U64, in, n, out, n, NULL);
    piece_destroy(comm, in);
    piece_destroy(comm, out);
    rank_expect(status == PARSCAN_OK, "%s", parscan_comm_error(comm));
    rank_expect(kept_bytes(comm) == needed, "%zu bytes are kept", kept_bytes(comm));
}

Test(dist_sort, frees_what_it_does_not_need_before_it_exceeds_the_limit)
{
    uint64_t *const keys = patterned_keys(PARSCAN_U64, KEYS_RANDOM, 300000);
    thread_comm_run(&(thread_comm_options){.ranks = 2}, has_a_limit, keys);
    free(keys);
}

/* A sort, and what the comm of each rank keeps after the same sort by one thread. */
typedef struct limited_sort {
    dist_sort_data data;
    size_t needed[2];
    bool alone;
} limited_sort;

static void sorts_within_what_one_thread_needs(parscan_comm *comm, void *state)
{
    limited_sort *const s = state;
    size_t *const needed = &s->needed[parscan_comm_rank(comm)];
    if (!s->alone)
        parscan_comm_context(comm)->scratch_limit = *needed;
    const parscan_status status = dist_sort_call(comm, &s->data);
    rank_expect(status == PARSCAN_OK, "%s", parscan_comm_error(comm));
    if (s->alone)
        *needed = kept_bytes(comm);
}

/* Rounds of more threads are larger: one round here, where one thread has several. */
Test(dist_sort, of_many_threads_fits_the_limit_of_one)
{
    static const key_pattern patterns[] = {KEYS_RANDOM, KEYS_CLUSTERED};
    static const unsigned threads[] = {1, 2, 8};
    const size_t n = 1u << 21;
    if (test_backend() != PARSCAN_BACKEND_CPU)
        return;
    for (size_t p = 0; p < COUNT_OF(patterns); p++) {
        void *const keys = patterned_keys(PARSCAN_U64, patterns[p], n);
        void *const expected = malloc(n * sizeof(uint64_t));
        const dist_sort_case sort = {.sort = {.type = PARSCAN_U64, .n = n}, .ranks = 2};
        limited_sort s = {.data = dist_sort_data_of(&sort, keys, NULL)};
        cr_assert_not_null(expected);
        for (size_t t = 0; t < COUNT_OF(threads); t++) {
            s.alone = threads[t] == 1;
            thread_comm_run(&(thread_comm_options){.ranks = 2, .threads = threads[t]},
                            sorts_within_what_one_thread_needs, &s);
            if (s.alone)
                memcpy(expected, s.data.keys_out, n * sizeof(uint64_t));
            cr_assert_eq(memcmp(expected, s.data.keys_out, n * sizeof(uint64_t)), 0);
        }
        dist_sort_release(&s.data);
        free(expected);
        free(keys);
    }
}

/* A case whose exchanges or allocations fail. */
typedef struct failing {
    dist_sort_data data;
    const thread_comm_options *options;
    bool last; /* the fault is in the last exchange: other ranks may be done */
} failing;

static void breaks(parscan_comm *comm, void *state)
{
    const failing *const f = state;
    const parscan_status status = dist_sort_call(comm, &f->data);
    const bool own = parscan_comm_rank(comm) == f->options->fault_rank;
    rank_expect(status == PARSCAN_ERROR_DEVICE || (f->last && !own), "fault %d in exchange %zu: %s",
                (int)f->options->fault, f->options->fault_exchange, parscan_status_string(status));
    if (status == PARSCAN_OK)
        return;
    rank_expect(strlen(parscan_comm_error(comm)) > 0, "no words");
    rank_expect(dist_sort_call(comm, &f->data) == PARSCAN_ERROR_DEVICE, "the comm is not broken");
}

static dist_sort_case failing_case(size_t k)
{
    dist_sort_case sort = {.sort = {.type = PARSCAN_U32, .n = N}, .ranks = 2 + (unsigned)k % 2};
    sort.sort.value_size = k == 1 ? 4 : 0;
    sort.sort.index_type = k == 2 ? PARSCAN_U64 : 0;
    return sort;
}

Test(dist_sort, says_on_all_ranks_that_an_exchange_has_failed)
{
    for (size_t k = 0; k < 3; k++) {
        const dist_sort_case sort = failing_case(k);
        void *const keys = patterned_keys(PARSCAN_U32, k == 1 ? KEYS_FEW : KEYS_RANDOM, N);
        void *const values = sort_values(sort.sort.value_size, N);
        const size_t exchanges = expect_dist_sort(sort, keys, NULL).exchanges;
        for (size_t e = 0; e < exchanges; e++)
            for (int fault = THREAD_COMM_BEGIN_FAILS; fault <= THREAD_COMM_RANK_IS_LATE; fault++) {
                if (fault == THREAD_COMM_RANK_IS_LATE && e % 8 != k)
                    continue; /* they take their time */
                const thread_comm_options options = {.ranks = sort.ranks,
                                                     .timeout = 0.05,
                                                     .fault = (thread_comm_fault)fault,
                                                     .fault_rank = (unsigned)e % sort.ranks,
                                                     .fault_exchange = e};
                failing f = {dist_sort_data_of(&sort, keys, values), &options, e + 1 == exchanges};
                thread_comm_run(&options, breaks, &f);
                dist_sort_release(&f.data);
            }
        free(keys);
        free(values);
    }
}

static void runs_out_of_memory(parscan_comm *comm, void *state)
{
    const failing *const f = state;
    const parscan_status status = dist_sort_call(comm, &f->data);
    rank_expect(status == PARSCAN_ERROR_OUT_OF_MEMORY, "allocation %zu: %s",
                f->options->allocation_fails, parscan_status_string(status));
    rank_expect(strlen(parscan_comm_error(comm)) > 0, "no words");
    rank_expect(dist_sort_call(comm, &f->data) == PARSCAN_OK, "%s", parscan_comm_error(comm));
}

Test(dist_sort, survives_every_allocation_that_fails)
{
    for (size_t k = 0; k < 3; k++) {
        const dist_sort_case sort = failing_case(k);
        void *const keys = patterned_keys(PARSCAN_U32, k == 1 ? KEYS_FEW : KEYS_RANDOM, N);
        void *const values = sort_values(sort.sort.value_size, N);
        const size_t allocations = expect_dist_sort(sort, keys, NULL).allocations;
        cr_assert_gt(allocations, 5);
        for (size_t a = 1; a <= allocations; a++) {
            const thread_comm_options options = {
                .ranks = sort.ranks, .allocation_rank = 0, .allocation_fails = a};
            failing f = {dist_sort_data_of(&sort, keys, values), &options, false};
            thread_comm_run(&options, runs_out_of_memory, &f);
            dist_sort_release(&f.data);
        }
        free(keys);
        free(values);
    }
}
