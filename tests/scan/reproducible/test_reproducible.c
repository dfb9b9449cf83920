/* The reproducible scan against the tree oracle, to the bit, however it is run. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scan/cpu/tiles.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/number.h"
#include "tests/support/random.h"
#include "tests/support/sanitizer.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"
#include "tests/support/tree_oracle.h"

/* Around a row (16), a SIMD vector, a tile (2048), two and three tiles, some tiles. */
static const size_t sizes[] = {0,    1,    2,    3,    7,    8,    15,   16,   17,    31,   32,
                               33,   63,   64,   65,   255,  1000, 2031, 2032, 2047,  2048, 2049,
                               2063, 2064, 2065, 4095, 4096, 4097, 6143, 6144, 10243, 40009};
#define LARGEST 40009u
#define LARGE                  \
    LESS_IN_EMULATOR(1048573u, \
                     393209u) /* primes; also in floats of 16 bits more than one thread's */

static const unsigned thread_counts[] = {1, 2, 3, 7};

/* Floats, doubles, floats summed in double; floats of 16 bits, rounded from sums in f32, or widened. */
typedef struct float_pair {
    parscan_type type, out_type;
} float_pair;
static const float_pair pairs[] = {{PARSCAN_F32, PARSCAN_F32},   {PARSCAN_F64, PARSCAN_F64},
                                   {PARSCAN_F32, PARSCAN_F64},   {PARSCAN_F16, PARSCAN_F16},
                                   {PARSCAN_F16, PARSCAN_F32},   {PARSCAN_F16, PARSCAN_F64},
                                   {PARSCAN_BF16, PARSCAN_BF16}, {PARSCAN_BF16, PARSCAN_F32}};

static const void *init_of_type(parscan_type type)
{
    static double inits[PARSCAN_BF16 + 1];
    number_write_real(type, &inits[type], 0, 0.1);
    return &inits[type];
}

/* One of the 12 ways to call: kinds, directions, with and without an init. */
#define MODES 12
static oracle_scan question_of(float_pair pair, unsigned mode, const void *in, size_t n)
{
    return (oracle_scan){
        .kind = (scan_kind)(mode % 3),
        .type = pair.type,
        .out_type = pair.out_type,
        .reverse = mode / 3 % 2,
        .init = mode / 6 ? init_of_type(pair.out_type) : NULL,
        .in = in,
        .n = n,
    };
}

static size_t results_of(const oracle_scan *question)
{
    return question->kind == SCAN_REDUCE ? 1 : question->n;
}

/* The tree's answer, for free(). */
static void *answer_of(const oracle_scan *question)
{
    void *const answer = malloc(results_of(question) * sizeof(double) + 1);
    if (answer == NULL)
        abort();
    tree_oracle(question, answer);
    return answer;
}

/* Calls into out, which may be the input. */
static void expect_answer(parscan_context *context, const oracle_scan *question, void *out,
                          const void *answer)
{
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.op = question->op, .out_type = question->out_type,
                             .init = question->init, .reverse = question->reverse,
                             .reproducible = 1);
    const size_t results = results_of(question);
    cr_assert_eq(call_scan(context, question->kind, question->type, question->in, out, question->n,
                           &options),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    const size_t at = bits_differ_at(question->out_type, out, answer, results);
    cr_assert_eq(at, results,
                 "kind %d of %s to %s, op %s, reverse %d, init %d, n = %zu, %u threads, %s: "
                 "result %zu has other bits",
                 (int)question->kind, parscan_type_name(question->type),
                 parscan_type_name(question->out_type), parscan_op_name(question->op),
                 question->reverse, question->init != NULL, question->n,
                 parscan_context_threads(context), parscan_context_simd(context), at);
}

/* Every size and mode of a pair of types on one context. */
static void expect_every_size(parscan_context *context, float_pair pair, parscan_op op)
{
    void *const in = random_array(pair.type, op, LARGEST);
    void *const out = malloc(LARGEST * sizeof(double));
    for (size_t s = 0; s < COUNT_OF(sizes); s++)
        for (unsigned mode = 0; mode < MODES; mode++) {
            if (!takes_larger_case())
                continue;
            oracle_scan question = question_of(pair, mode, in, sizes[s]);
            question.op = op;
            void *const answer = answer_of(&question);
            expect_answer(context, &question, out, answer);
            free(answer);
        }
    free(in);
    free(out);
}

Test(reproducible, is_the_tree_at_every_size_and_with_every_simd_set)
{
    for (size_t s = 0; s < SIMD_SETS; s++) {
        parscan_context *const context = test_context_simd(all_simd_sets[s], 2);
        if (context == NULL)
            continue;
        for (size_t k = 0; k < COUNT_OF(pairs) * OPS; k++) {
            const parscan_op op = all_ops[k % OPS];
            const float_pair pair = pairs[k / OPS];
            if (op_rounds(op) && (op == PARSCAN_SUM || pair.type == pair.out_type))
                expect_every_size(context, pair, op);
        }
        parscan_context_destroy(context);
    }
}

/* A question of many tiles to every set on 1, 2, 3 and 7 threads. */
static void expect_everywhere(const oracle_scan *question)
{
    void *const answer = answer_of(question);
    void *const out = malloc(results_of(question) * sizeof(double));
    const size_t first = LESS_IN_EMULATOR(FIRST_OF_1_2_3_7_THREADS, (size_t)2);
    for (size_t k = SIMD_SETS * first; k < SIMD_SETS * COUNT_OF(thread_counts); k++) {
        parscan_context *const context =
            test_context_simd(all_simd_sets[k % SIMD_SETS], thread_counts[k / SIMD_SETS]);
        if (context != NULL)
            expect_answer(context, question, out, answer);
        parscan_context_destroy(context);
    }
    free(answer);
    free(out);
}

static void expect_many_tiles_everywhere(float_pair pair)
{
    const size_t joining = THREADS_FROM_BYTES / parscan_type_size(pair.out_type);
    const size_t lengths[] = {joining - 1, joining, joining + 2049};
    void *const in = random_array(pair.type, PARSCAN_SUM, LARGE);
    for (unsigned mode = 0; mode < MODES; mode++) {
        oracle_scan question = question_of(pair, mode, in, lengths[mode % COUNT_OF(lengths)]);
        if (takes_larger_case())
            expect_everywhere(&question);
        question.n = LARGE;
        if (mode % 2 == 0 && takes_larger_case())
            expect_everywhere(&question);
    }
    free(in);
}

Test(reproducible, f32_has_the_same_bits_on_1_2_3_and_7_threads_and_every_simd_set)
{
    expect_many_tiles_everywhere(pairs[0]);
}

Test(reproducible, f64_has_the_same_bits_on_1_2_3_and_7_threads_and_every_simd_set)
{
    expect_many_tiles_everywhere(pairs[1]);
}

Test(reproducible, f32_in_f64_has_the_same_bits_on_1_2_3_and_7_threads_and_every_simd_set)
{
    expect_many_tiles_everywhere(pairs[2]);
}

Test(reproducible, f16_has_the_same_bits_on_1_2_3_and_7_threads_and_every_simd_set)
{
    expect_many_tiles_everywhere(pairs[3]);
}

Test(reproducible, bf16_has_the_same_bits_on_1_2_3_and_7_threads_and_every_simd_set)
{
    expect_many_tiles_everywhere(pairs[6]);
}

/* Those in place. */
static const float_pair same_types[] = {{PARSCAN_F32, PARSCAN_F32},
                                        {PARSCAN_F64, PARSCAN_F64},
                                        {PARSCAN_F16, PARSCAN_F16},
                                        {PARSCAN_BF16, PARSCAN_BF16}};

/* The last is streamed past the caches, in any alignment of floats. */
enum { PLACED = 5 };
static size_t placed_length(size_t k, parscan_type out_type)
{
    static const size_t lengths[PLACED] = {1, 17, 2049, 5003};
    return k < PLACED - 1 ? lengths[k] : STREAM_FROM_BYTES / parscan_type_size(out_type) + 777;
}

Test(reproducible, is_the_tree_in_place)
{
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 3});
    for (size_t k = 0; k < PLACED * MODES; k++) {
        if (!takes_larger_case())
            continue;
        const float_pair pair = same_types[(k + k / MODES) % COUNT_OF(same_types)];
        oracle_scan question =
            question_of(pair, (unsigned)(k % MODES), NULL, placed_length(k / MODES, pair.out_type));
        if (question.kind == SCAN_REDUCE)
            question.kind = SCAN_EXCLUSIVE;
        void *const array = random_array(pair.type, PARSCAN_SUM, question.n);
        question.in = array;
        void *const answer = answer_of(&question);
        expect_answer(context, &question, array, answer);
        free(array);
        free(answer);
    }
    parscan_context_destroy(context);
}

Test(reproducible, is_the_tree_at_any_alignment)
{
    enum { SLACK = 64 };
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 3});
    for (size_t k = 0; k < PLACED * MODES * COUNT_OF(pairs); k++) {
        /* Of the longest arrays, which take nearly all of the time, one in three. */
        const bool longest = k / MODES / COUNT_OF(pairs) == PLACED - 1;
        if (!takes_larger_case() || (longest && random_below(3) != 0))
            continue;
        const float_pair pair = pairs[k / MODES % COUNT_OF(pairs)];
        const size_t n = placed_length(k / MODES / COUNT_OF(pairs), pair.out_type);
        const size_t bytes = n * parscan_type_size(pair.type);
        /* Half of them at whole elements, to which streams go. */
        const size_t unit = k % 2 == 0 ? 1 : parscan_type_size(pair.out_type);
        void *const elements = random_array(pair.type, PARSCAN_SUM, n);
        char *const in = malloc(bytes + SLACK), *const out = malloc(n * sizeof(double) + SLACK);
        char *const moved_in = in + random_below(SLACK / unit) * unit;
        memcpy(moved_in, elements, bytes);
        const oracle_scan question = question_of(pair, (unsigned)(k % MODES), moved_in, n);
        void *const answer = answer_of(&question);
        expect_answer(context, &question, out + random_below(SLACK / unit) * unit, answer);
        free(elements);
        free(in);
        free(out);
        free(answer);
    }
    parscan_context_destroy(context);
}

Test(reproducible, minima_maxima_and_integers_are_those_of_the_plain_scan)
{
    static const size_t lengths[] = {1, 17, 2049, 70001, THREADS_FROM_BYTES / 4 + 7};
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 3});
    for (size_t k = 0; k < TYPES * OPS * COUNT_OF(lengths); k++) {
        scan_case scan = {.type = all_types[k % TYPES], .kind = (scan_kind)(k % 3)};
        scan.n = lengths[k / TYPES / OPS];
        scan.options.op = all_ops[k / TYPES % OPS];
        scan.options.reverse = k / 3 % 2;
        scan.options.reproducible = 1;
        if (!type_has(scan.type, scan.options.op) || !takes_larger_case())
            continue;
        if (oracle_is_float(scan.type) && op_rounds(scan.options.op))
            continue;
        void *const in = random_array(scan.type, scan.options.op, scan.n);
        expect_scan(context, scan, in);
        free(in);
    }
    parscan_context_destroy(context);
}

/* One special value among random ones, at a row's and a tile's edges, in every mode. */
static void expect_tree_with(double special)
{
    static const size_t at[] = {0, 1, 15, 16, 2047, 2048, 4096, 5000};
    parscan_context *const context = test_context();
    for (size_t p = 0; p < COUNT_OF(pairs); p++)
        for (size_t k = 0; k < COUNT_OF(at) * MODES; k++) {
            if (!takes_larger_case())
                continue;
            double out[5003];
            void *const in = random_array(pairs[p].type, PARSCAN_SUM, COUNT_OF(out));
            const bool beyond = pairs[p].type == PARSCAN_F16 && fabs(special) == 3e38;
            number_write_real(pairs[p].type, in, at[k / MODES], beyond ? 65504 : special);
            const oracle_scan question =
                question_of(pairs[p], (unsigned)(k % MODES), in, COUNT_OF(out));
            void *const answer = answer_of(&question);
            expect_answer(context, &question, out, answer);
            free(in);
            free(answer);
        }
    parscan_context_destroy(context);
}

Test(reproducible, sums_nan_and_infinities_as_the_tree_does)
{
    expect_tree_with(NAN);
    expect_tree_with(INFINITY);
    expect_tree_with(-INFINITY);
    expect_tree_with(3e38); /* no infinity until it is added up to one */
}
