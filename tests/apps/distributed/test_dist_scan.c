/* Scans and reductions of arrays that are cut into pieces, against one process on the whole array. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/distributed.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/half_number.h"
#include "tests/support/random.h"
#include "tests/support/rank_pieces.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"
#include "tests/support/thread_comm.h"

/* A call, and what one process makes of it. */
typedef struct scan_call {
    scan_kind kind;
    parscan_type type;
    parscan_scan_options options;
    const char *in;
    char *expected;
    bool in_place;
} scan_call;

typedef struct scan_calls {
    size_t n, count;
    scan_call *calls;
    pieces cut;
} scan_calls;

static size_t out_size(const scan_call *call)
{
    return parscan_type_size(call->options.out_type != 0 ? call->options.out_type : call->type);
}

static parscan_status call_dist(parscan_comm *comm, const scan_call *call, const void *in,
                                void *out, size_t n)
{
    switch (call->kind) {
    case SCAN_INCLUSIVE:
        return parscan_dist_inclusive_scan(comm, call->type, in, out, n, &call->options);
    case SCAN_EXCLUSIVE:
        return parscan_dist_exclusive_scan(comm, call->type, in, out, n, &call->options);
    default:
        return parscan_dist_reduce(comm, call->type, in, out, n, &call->options);
    }
}

static void run_call(parscan_comm *comm, const scan_calls *calls, const scan_call *call)
{
    const unsigned rank = parscan_comm_rank(comm);
    const size_t n = piece_length(&calls->cut, rank), first = calls->cut.begin[rank];
    const size_t size = parscan_type_size(call->type), to = out_size(call);
    const bool reduces = call->kind == SCAN_REDUCE;
    const size_t bytes = (reduces ? 1 : n) * to;
    void *const in = piece_create(comm, call->in + first * size, n * size);
    void *const out = call->in_place ? in : piece_create(comm, NULL, bytes);
    const parscan_status status = call_dist(comm, call, in, out, n);
    const bool right = status == PARSCAN_OK &&
                       piece_is(comm, out, call->expected + (reduces ? 0 : first * to), bytes);
    if (!call->in_place)
        piece_destroy(comm, out);
    piece_destroy(comm, in);
    rank_expect(right, "kind %d, %s, %s to %zu bytes, reverse %d, n = %zu: %s", (int)call->kind,
                parscan_type_name(call->type), parscan_op_name(call->options.op), to,
                call->options.reverse, n,
                status == PARSCAN_OK ? "wrong" : parscan_comm_error(comm));
}

static void run_calls(parscan_comm *comm, void *data)
{
    const scan_calls *const calls = data;
    for (size_t k = 0; k < calls->count; k++)
        run_call(comm, calls, &calls->calls[k]);
}

static void add_call(scan_calls *calls, parscan_context *context, scan_call call)
{
    call.options.struct_size = sizeof call.options;
    call.expected = malloc((calls->n + 1) * out_size(&call));
    calls->calls = realloc(calls->calls, (calls->count + 1) * sizeof call);
    cr_assert(call.expected != NULL && calls->calls != NULL);
    cr_assert_eq(
        call_scan(context, call.kind, call.type, call.in, call.expected, calls->n, &call.options),
        PARSCAN_OK, "%s", parscan_context_error(context));
    calls->calls[calls->count++] = call;
}

/* Every step-th of the patterns of pieces with each number of ranks. */
static void run_with_pieces(scan_calls *calls, unsigned threads, int step)
{
    static const unsigned ranks[] = RANK_COUNTS;
    for (size_t r = 0; r < COUNT_OF(ranks); r++)
        for (int pattern = (int)r % step; pattern < PIECE_PATTERNS; pattern += step) {
            if (!takes_case())
                continue;
            calls->cut = cut_pieces((piece_pattern)pattern, ranks[r], calls->n);
            thread_comm_run(&(thread_comm_options){.ranks = ranks[r], .threads = threads},
                            run_calls, calls);
        }
}

static void free_calls(scan_calls *calls)
{
    for (size_t k = 0; k < calls->count; k++)
        free(calls->calls[k].expected);
    free(calls->calls);
}

/* Sums and products of floats are compared to the bit: reproducible. */
static void add_calls_of(scan_calls *calls, parscan_context *context, parscan_type type,
                         parscan_op op, const void *in, const void *init)
{
    for (int kind = 0; kind < 3; kind++)
        for (int reverse = 0; reverse < 2; reverse++) {
            const scan_call call = {
                .kind = (scan_kind)kind,
                .type = type,
                .in = in,
                .in_place = kind == 1,
                .options = {.op = op,
                            .reverse = reverse,
                            .init = reverse == (kind == 0) ? init : NULL,
                            .reproducible = oracle_is_float(type) && op_rounds(op)},
            };
            add_call(calls, context, call);
        }
}

static void expect_scans(size_t n)
{
    parscan_context *const context = test_context();
    scan_calls calls = {.n = n};
    void *arrays[TYPES * OPS];
    size_t count = 0;
    for (size_t t = 0; t < TYPES; t++)
        for (size_t o = 0; o < OPS; o++) {
            if (!type_has(all_types[t], all_ops[o]))
                continue;
            void *const in = random_array(all_types[t], all_ops[o], n + 1);
            arrays[count++] = in;
            add_calls_of(&calls, context, all_types[t], all_ops[o], in,
                         (char *)in + n * parscan_type_size(all_types[t]));
        }
    run_with_pieces(&calls, 1, n < 100 ? 4 : 3);
    free_calls(&calls);
    for (size_t k = 0; k < count; k++)
        free(arrays[k]);
    parscan_context_destroy(context);
}

Test(dist_scan, is_that_of_one_process_of_every_type_and_operator)
{
    expect_scans(2500);
}

Test(dist_scan, of_few_elements_is_that_of_one_process)
{
    for (size_t n = 0; n < 4; n++)
        expect_scans(n);
}

Test(dist_scan, with_a_wider_output_is_that_of_one_process)
{
    static const parscan_type wide[][2] = {{PARSCAN_U8, PARSCAN_U64},
                                           {PARSCAN_I16, PARSCAN_I32},
                                           {PARSCAN_F32, PARSCAN_F64},
                                           {PARSCAN_F16, PARSCAN_F32},
                                           {PARSCAN_BF16, PARSCAN_F64}};
    enum { N = 9001 };
    parscan_context *const context = test_context();
    scan_calls calls = {.n = N};
    void *arrays[COUNT_OF(wide)];
    for (size_t k = 0; k < COUNT_OF(wide); k++) {
        arrays[k] = random_array(wide[k][0], PARSCAN_SUM, N);
        for (int kind = 0; kind < 6; kind++)
            add_call(&calls, context,
                     (scan_call){.kind = (scan_kind)(kind / 2),
                                 .type = wide[k][0],
                                 .in = arrays[k],
                                 .options = {.out_type = wide[k][1],
                                             .reverse = kind % 2,
                                             .reproducible = oracle_is_float(wide[k][0])}});
    }
    run_with_pieces(&calls, 1, 1);
    free_calls(&calls);
    for (size_t k = 0; k < COUNT_OF(wide); k++)
        free(arrays[k]);
    parscan_context_destroy(context);
}

/* Tiles of 2048 elements: some whole in a piece, some cut once, some cut by pieces that are smaller. */
Test(dist_scan, of_floats_has_the_bits_of_one_process_wherever_pieces_are_cut)
{
    static const size_t lengths[] = {2047, 4096, 30 * 2048 + 77};
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(lengths); k++) {
        scan_calls calls = {.n = lengths[k]};
        float *const single = random_array(PARSCAN_F32, PARSCAN_SUM, lengths[k] + 1);
        double *const wide = random_array(PARSCAN_F64, PARSCAN_PRODUCT, lengths[k] + 1);
        add_calls_of(&calls, context, PARSCAN_F32, PARSCAN_SUM, single, single + lengths[k]);
        add_calls_of(&calls, context, PARSCAN_F64, PARSCAN_PRODUCT, wide, wide + lengths[k]);
        uint16_t *halves[TYPES - ARITHMETIC_TYPES] = {NULL};
        for (size_t t = ARITHMETIC_TYPES; t < TYPES; t++) {
            uint16_t *const of = random_array(all_types[t], PARSCAN_SUM, lengths[k] + 1);
            halves[t - ARITHMETIC_TYPES] = of;
            add_calls_of(&calls, context, all_types[t], PARSCAN_SUM, of, of + lengths[k]);
        }
        run_with_pieces(&calls, 2, 2);
        free_calls(&calls);
        for (size_t t = ARITHMETIC_TYPES; t < TYPES; t++)
            free(halves[t - ARITHMETIC_TYPES]);
        free(single);
        free(wide);
    }
    parscan_context_destroy(context);
}

/* What ranks exchange is not rounded: in 16 bits a sum of ones would stay at 2048, or 256. Sums of ones are
   exact in float, so they have the bits of one process without `reproducible` too. */
Test(dist_scan, of_5000_ones_in_16_bits_is_rounded_once)
{
    enum { N = 5000 };
    static uint16_t ones[N];
    parscan_context *const context = test_context();
    for (size_t t = ARITHMETIC_TYPES; t < TYPES; t++) {
        scan_calls calls = {.n = N};
        for (size_t i = 0; i < N; i++)
            ones[i] = half_from_number(all_types[t], 1);
        for (int kind = 0; kind < 6; kind++)
            add_call(&calls, context,
                     (scan_call){.kind = (scan_kind)(kind / 2),
                                 .type = all_types[t],
                                 .in = (char *)ones,
                                 .options = {.reverse = kind % 2, .init = kind < 3 ? ones : NULL}});
        const uint16_t sum = half_from_number(all_types[t], N);
        cr_assert_eq(memcmp(calls.calls[5].expected, &sum, sizeof sum), 0);
        run_with_pieces(&calls, 1, 1);
        free_calls(&calls);
    }
    parscan_context_destroy(context);
}
