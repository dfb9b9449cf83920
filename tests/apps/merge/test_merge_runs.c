/* The merge of runs in memory against the oracle's stable sort of all elements. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "apps/merge/merge_runs.h"
#include "tests/support/allocated.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/key_patterns.h"
#include "tests/support/oracle_sort.h"
#include "tests/support/random.h"
#include "tests/support/sanitizer.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define GUARD 64u
#define GUARD_BYTE 0xa5

/* How n elements are cut into runs. */
typedef enum run_lengths {
    RUNS_RANDOM, /* some are empty */
    RUNS_EVEN,
    RUNS_ONE_LONG, /* the others have one element or none */
    RUN_LENGTHS,
    RUNS_FEW_FIRST =
        RUN_LENGTHS, /* two runs, of which one has a part of the elements that is merged singly */
    RUNS_FEW_LAST
} run_lengths;

#define FEW_PART 150

typedef struct merge_case {
    parscan_type type;
    key_pattern pattern;
    run_lengths lengths;
    size_t n, count, value_size;
    bool descending, no_keys;
    unsigned threads;
    const void *keys; /* NULL: keys of the pattern */
} merge_case;

/* Runs, one after another in two arrays, and what their merge must be. */
typedef struct merge_input {
    char *keys, *values;
    size_t *bounds, *order;
    merge_run *runs;
} merge_input;

static int compare_sizes(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static void cut(const merge_case *c, size_t *bounds)
{
    bounds[0] = 0;
    for (size_t run = 1; run < c->count; run++)
        bounds[run] = c->lengths == RUNS_RANDOM      ? random_below(c->n + 1)
                      : c->lengths == RUNS_EVEN      ? c->n * run / c->count
                      : c->lengths == RUNS_FEW_FIRST ? c->n / FEW_PART
                      : c->lengths == RUNS_FEW_LAST  ? c->n - c->n / FEW_PART
                      : run <= c->count / 2          ? (run < c->n ? run : c->n)
                                                     : c->n;
    bounds[c->count] = c->n;
    qsort(bounds, c->count, sizeof *bounds, compare_sizes);
}

/* Keys at an odd address, each run in order; values that tell where they stand. */
static merge_input input_of(const merge_case *c)
{
    const size_t key_size = parscan_type_size(c->type);
    merge_input in = {.keys = (char *)allocated(c->n * key_size + 1) + 1,
                      .values = allocated(c->n * c->value_size),
                      .bounds = allocated((c->count + 1) * sizeof(size_t)),
                      .order = allocated(c->n * sizeof(size_t)),
                      .runs = allocated(c->count * sizeof(merge_run))};
    void *const own = c->keys == NULL ? patterned_keys(c->type, c->pattern, c->n) : NULL;
    const void *const keys = own != NULL ? own : c->keys;
    cut(c, in.bounds);
    const oracle_sort each = {
        .type = c->type, .descending = c->descending, .keys = keys, .n = c->n, .bounds = in.bounds};
    oracle_sort_order(&each, in.order);
    oracle_gather(keys, key_size, in.order, c->n, in.keys);
    const oracle_sort all = {
        .type = c->type, .descending = c->descending, .keys = in.keys, .n = c->n};
    oracle_sort_order(&all, in.order);
    for (size_t i = 0; i < c->n * c->value_size; i++)
        in.values[i] = (char)((uint64_t)(i / c->value_size) * 0x9e3779b97f4a7c15u >>
                              8 * (i % c->value_size % 8));
    for (size_t run = 0; run < c->count; run++)
        in.runs[run] = (merge_run){
            .keys = in.keys + in.bounds[run] * key_size,
            .values = c->value_size > 0 ? in.values + in.bounds[run] * c->value_size : NULL,
            .n = in.bounds[run + 1] - in.bounds[run]};
    free(own);
    return in;
}

static void free_input(merge_input in)
{
    free(in.keys - 1);
    free(in.values);
    free(in.bounds);
    free(in.order);
    free(in.runs);
}

/* The first n elements of the merge: an array and guards around it. */
static char *output_of(size_t bytes)
{
    char *const memory = allocated(bytes + 2 * GUARD);
    memset(memory, GUARD_BYTE, bytes + 2 * GUARD);
    return memory + GUARD;
}

static void expect_output(const char *what, const merge_case *c, char *out, const void *from,
                          size_t size, const size_t *order, size_t n)
{
    char *const expected = allocated(n * size);
    oracle_gather(from, size, order, n, expected);
    for (size_t i = 0; i < n; i++)
        cr_assert(memcmp(out + i * size, expected + i * size, size) == 0,
                  "%s %zu of %zu is not that of element %zu: %zu runs of %s, %s, value size %zu, "
                  "descending %d, %u threads",
                  what, i, n, order[i], c->count, parscan_type_name(c->type),
                  key_pattern_name(c->pattern), c->value_size, c->descending, c->threads);
    for (size_t i = 0; i < GUARD; i++)
        cr_assert((unsigned char)out[n * size + i] == GUARD_BYTE &&
                      (unsigned char)out[-1 - (ptrdiff_t)i] == GUARD_BYTE,
                  "%s: memory beside the output was written", what);
    free(expected);
    free(out - GUARD);
}

/* How many of the first n elements are of each run. */
static void expect_taken(const merge_case *c, const merge_input *in, size_t n, const size_t *taken)
{
    size_t *const expected = calloc(c->count + 1, sizeof *expected);
    for (size_t i = 0; i < n; i++) {
        size_t run = 0;
        while (in->order[i] >= in->bounds[run + 1])
            run++;
        expected[run]++;
    }
    for (size_t run = 0; run < c->count; run++)
        cr_assert_eq(taken[run], expected[run], "run %zu of %zu: %zu elements are taken, not %zu",
                     run, c->count, taken[run], expected[run]);
    free(expected);
}

static merge_call call_of(const merge_case *c, parscan_context *context, const merge_input *in)
{
    const parscan_type_traits key = parscan_type_traits_of(c->type);
    return (merge_call){.context = context,
                        .threads = c->threads,
                        .kernels = parscan_merge_kernels(key.key),
                        .order =
                            parscan_key_order(c->type, c->descending, 0, 8 * (unsigned)key.size),
                        .key_size = key.size,
                        .value_size = c->value_size,
                        .runs = in->runs,
                        .count = c->count};
}

static void expect_merge(const merge_case *c, parscan_context *context, const merge_input *in,
                         size_t n)
{
    merge_call call = call_of(c, context, in);
    call.n = n;
    call.keys_out = c->no_keys ? NULL : output_of(n * call.key_size);
    call.values_out = c->value_size > 0 ? output_of(n * c->value_size) : NULL;
    call.taken = allocated(c->count * sizeof *call.taken);
    char *const memory = allocated(parscan_merge_memory(c->threads, c->count) + 64);
    call.memory = memory + (64 - (uintptr_t)memory % 64);
    parscan_merge_runs(&call);
    if (!c->no_keys)
        expect_output("key", c, call.keys_out, in->keys, call.key_size, in->order, n);
    if (c->value_size > 0)
        expect_output("value", c, call.values_out, in->values, c->value_size, in->order, n);
    expect_taken(c, in, n, call.taken);
    free(memory);
    free(call.taken);
}

/* All elements, none, and a part of them, with each set of SIMD instructions up to the machine's. */
static void expect_merges(const merge_case *c, const merge_input *in)
{
    parscan_context *context;
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU, .threads = c->threads);
    cr_assert_eq(parscan_context_create(&context, &options), PARSCAN_OK);
    for (int best = (int)context->isa, isa = 0; isa <= best; isa++) {
        context->isa = (parscan_isa)isa;
        expect_merge(c, context, in, c->n);
        expect_merge(c, context, in, 0);
        expect_merge(c, context, in, random_below(c->n + 1));
    }
    parscan_context_destroy(context);
}

static void expect_case(merge_case c)
{
    const merge_input in = input_of(&c);
    expect_merges(&c, &in);
    free_input(in);
}

/* Each run in two pieces, of which the second one goes on with the first one's sequence. */
static void expect_pieces(merge_case c)
{
    merge_input in = input_of(&c);
    const size_t count = c.count;
    merge_run *const runs = allocated(2 * count * sizeof *runs);
    size_t *const bounds = allocated((2 * count + 1) * sizeof *bounds);
    const size_t key_size = parscan_type_size(c.type);
    for (size_t k = 0; k < count; k++) {
        const merge_run whole = in.runs[k];
        const size_t cut = random_below(whole.n + 1);
        runs[2 * k] = (merge_run){.keys = whole.keys, .values = whole.values, .n = cut};
        runs[2 * k + 1] =
            (merge_run){.keys = whole.keys + cut * key_size,
                        .values = whole.values != NULL ? whole.values + cut * c.value_size : NULL,
                        .n = whole.n - cut,
                        .goes_on = true};
        bounds[2 * k] = in.bounds[k];
        bounds[2 * k + 1] = in.bounds[k] + cut;
    }
    bounds[2 * count] = in.bounds[count];
    free(in.runs);
    free(in.bounds);
    in.runs = runs;
    in.bounds = bounds;
    c.count = 2 * count;
    expect_merges(&c, &in);
    free_input(in);
}

static const parscan_type types[] = {
#define X(ctx, NAME, ...) PARSCAN_##NAME,
    PARSCAN_TYPES(X, )
#undef X
};

Test(merge, of_every_type_and_pattern_is_the_stable_sort_of_all_elements)
{
    static const size_t value_sizes[] = {0, 4, 8, 1, 24};
    size_t k = 0;
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (int pattern = 0; pattern < KEY_PATTERNS;
             pattern += LESS_UNDER_THREAD_SANITIZER(1, 3), k++)
            expect_case((merge_case){.type = types[t],
                                     .pattern = (key_pattern)pattern,
                                     .lengths = (run_lengths)(k % RUN_LENGTHS),
                                     .n = 20011,
                                     .count = 1 + k % 11,
                                     .value_size = value_sizes[k % COUNT_OF(value_sizes)],
                                     .descending = k % 4 == 1,
                                     .threads = 1 + k % 3});
}

/* NaNs of both signs with every payload, zeros and denormals: of equal ones the values tell which is
   which. */
Test(merge, of_every_float_of_16_bits_is_stable)
{
    static const size_t value_sizes[] = {0, 4, 8, 13};
    uint16_t *const codes = every_code(2);
    for (size_t k = 0; k < 2 * COUNT_OF(value_sizes); k++)
        expect_case((merge_case){.type = k % 2 == 0 ? PARSCAN_F16 : PARSCAN_BF16,
                                 .keys = codes,
                                 .lengths = (run_lengths)(k % RUN_LENGTHS),
                                 .n = 2 * (size_t)CODES,
                                 .count = 2 + 2 * k,
                                 .value_size = value_sizes[k / 2],
                                 .descending = (k + k / 2) % 2,
                                 .threads = 2});
    free(codes);
}

Test(merge, of_1_to_500_runs_of_any_length_is_right)
{
    static const size_t counts[] = {1, 2, 3, 4, 5, 8, 13, 64, 100, 257, 500};
    static const parscan_type some[] = {PARSCAN_U32, PARSCAN_F64, PARSCAN_I8, PARSCAN_F16};
    static const key_pattern patterns[] = {KEYS_RANDOM, KEYS_EQUAL, KEYS_SORTED, KEYS_ZIPF};
    for (size_t k = 0; k < COUNT_OF(counts) * COUNT_OF(patterns); k++)
        for (int lengths = 0; lengths < RUN_LENGTHS; lengths++) {
            if (!takes_larger_case())
                continue;
            expect_case((merge_case){
                .type = some[k % COUNT_OF(some)],
                .pattern = patterns[k / COUNT_OF(counts)],
                .lengths = (run_lengths)lengths,
                .n = LESS_IN_EMULATOR(LESS_UNDER_THREAD_SANITIZER(50021, 20011), 20011),
                .count = counts[k % COUNT_OF(counts)],
                .value_size = k % 2 * 8,
                .descending = k % 5 == 0,
                .threads = k % 2 == 0 ? 2 : 7});
        }
}

/* Tiles with a few elements of one run, with as many as are still few, and with more. */
Test(merge, of_a_long_run_and_a_short_one_is_stable)
{
    static const key_pattern patterns[] = {KEYS_RANDOM, KEYS_FEW, KEYS_EQUAL, KEYS_ZIPF,
                                           KEYS_SORTED};
    static const size_t value_sizes[] = {0, 4, 8, 24};
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (size_t k = 0; k < 2 * COUNT_OF(value_sizes); k++)
            expect_case((merge_case){.type = types[t],
                                     .pattern = patterns[(t + k / 2) % COUNT_OF(patterns)],
                                     .lengths = k % 2 ? RUNS_FEW_LAST : RUNS_FEW_FIRST,
                                     .n = 10007,
                                     .count = 2,
                                     .value_size = value_sizes[k / 2],
                                     .descending = (t + k) % 3 == 0,
                                     .no_keys = k == 5,
                                     .threads = 1 + k % 2});
}

Test(merge, of_few_elements_is_right)
{
    for (size_t n = 0; n < 40; n++)
        for (size_t count = 1; count < 8; count++)
            expect_case((merge_case){.type = PARSCAN_I16,
                                     .pattern = n % 2 == 0 ? KEYS_FEW : KEYS_RANDOM,
                                     .lengths = RUNS_RANDOM,
                                     .n = n,
                                     .count = count,
                                     .value_size = n % 5,
                                     .threads = 2});
}

Test(merge, of_runs_in_pieces_is_that_of_the_runs)
{
    static const parscan_type some[] = {PARSCAN_U32, PARSCAN_U64, PARSCAN_F32, PARSCAN_BF16};
    for (int pattern = 0; pattern < KEY_PATTERNS; pattern++)
        for (size_t k = 0; k < COUNT_OF(some); k++) {
            if (!takes_larger_case())
                continue;
            expect_pieces((merge_case){
                .type = some[k],
                .pattern = (key_pattern)pattern,
                .lengths = (run_lengths)((size_t)pattern % RUN_LENGTHS),
                .n = LESS_IN_EMULATOR(
                    LESS_UNDER_SANITIZER(150001, LESS_UNDER_THREAD_SANITIZER(50021, 20011)), 20011),
                .count = 1 + 3 * k,
                .value_size = (k + (size_t)pattern) % 2 * 4,
                .threads = 2});
        }
}

Test(merge, moves_values_of_every_size_with_and_without_keys)
{
    for (size_t size = 1; size <= 64; size += LESS_UNDER_THREAD_SANITIZER(1, 5))
        expect_case((merge_case){.type = size % 2 == 0 ? PARSCAN_U64 : PARSCAN_F32,
                                 .pattern = KEYS_FEW,
                                 .lengths = RUNS_EVEN,
                                 .n = 9001,
                                 .count = 2 + size % 6,
                                 .value_size = size,
                                 .no_keys = size % 3 == 0,
                                 .threads = 2});
}

/* Where a merge that ends with a given element ends in the other runs. */
Test(merge, below_an_element_has_the_equal_ones_of_earlier_runs_only)
{
    const merge_case c = {.type = PARSCAN_U8,
                          .pattern = KEYS_FEW,
                          .lengths = RUNS_EVEN,
                          .n = 600,
                          .count = 6,
                          .threads = 1};
    const merge_input in = input_of(&c);
    const merge_call call = call_of(&c, NULL, &in);
    for (size_t place = 0; place < c.n; place++) {
        const size_t element = in.order[place], other = element / 100;
        size_t sum = 0;
        for (size_t run = 0; run < c.count; run++)
            if (run != other)
                sum += parscan_merge_below(&call, run, other, element % 100);
        cr_assert_eq(sum + element % 100, place, "element %zu of run %zu", element % 100, other);
    }
    free_input(in);
}
