/* Compaction by a predicate of the caller's, beside a plain loop. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/compact.h"
#include "parscan/lengths.h"
#include "parscan/operator.h"
#include "tests/support/counting.h"
#include "tests/support/every_simd.h"
#include "tests/support/random.h"
#include "tests/support/sanitizer.h"
#include "tests/support/test_engine.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* What the caller's function is told: an element is kept if the sum of its bytes, times 64, leaves less than
   `below` modulo 1009. */
typedef struct rule {
    uint32_t size, below;
} rule;

static bool is_kept(const rule *r, const uint8_t *element)
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k < r->size; k++)
        sum += element[k];
    return sum * 64 % 1009 < r->below;
}

/* A flag is any number but 0. */
static void test_bytes(const void *x, uint8_t *flags, size_t n, const void *state)
{
    const rule *const r = state;
    const size_t power = r->size & (~r->size + 1), alignment = power < 16 ? power : 16;
    if (n == 0 || (uintptr_t)x % alignment != 0)
        abort();
    for (size_t k = 0; k < n; k++)
        flags[k] = is_kept(r, (const uint8_t *)x + k * r->size) ? (uint8_t)(k % 255 + 1) : 0;
}

static parscan_operator *predicate(const rule *r)
{
    parscan_operator *op;
    const parscan_operator_options options =
        PARSCAN_OPERATOR_OPTIONS(.kind = PARSCAN_OPERATOR_PREDICATE, .element_size = r->size,
                                 .test = test_bytes, .state = r, .state_size = sizeof *r);
    cr_assert_eq(parscan_operator_create(&op, &options), PARSCAN_OK);
    return op;
}

/* One array, and what a plain loop makes of it. */
typedef struct custom_case {
    rule r;
    size_t n;
    unsigned in_offset, out_offset; /* how far arrays are from an aligned address */
    uint8_t *memory, *in;
    uint8_t *kept, *others; /* elements */
    uint64_t *indices;
    uint8_t *flags;
    size_t count;
} custom_case;

static void fill_in(const custom_case *c)
{
    for (size_t i = 0; i < c->n * c->r.size; i++)
        c->in[i] = (uint8_t)(i * 37 + (i >> 8) * 11 + c->r.below);
}

static custom_case case_of(rule r, size_t n, unsigned in_offset, unsigned out_offset)
{
    custom_case c = {.r = r, .n = n, .in_offset = in_offset, .out_offset = out_offset};
    const size_t bytes = n * r.size;
    c.memory = malloc(bytes + 64);
    c.in = c.memory + in_offset;
    c.kept = malloc(bytes + 1);
    c.others = malloc(bytes + 1);
    c.indices = malloc((n + 1) * sizeof *c.indices);
    c.flags = malloc(n + 1);
    fill_in(&c);
    for (size_t i = 0; i < n; i++) {
        const uint8_t *const element = c.in + i * r.size;
        c.flags[i] = is_kept(&r, element);
        if (c.flags[i])
            c.indices[c.count] = i;
        memcpy(c.flags[i] ? c.kept + c.count * r.size : c.others + (i - c.count) * r.size, element,
               r.size);
        c.count += c.flags[i];
    }
    return c;
}

static void free_case(custom_case *c)
{
    free(c->memory);
    free(c->kept);
    free(c->others);
    free(c->indices);
    free(c->flags);
}

/* Outputs of at most `bytes`, with a byte behind that stays as it is. */
static uint8_t *output(const custom_case *c, uint8_t *memory, size_t bytes)
{
    memset(memory, 0xa5, c->out_offset + bytes + 1);
    return memory + c->out_offset;
}

static void expect_kept(const custom_case *c, const uint8_t *out, uint64_t count, const char *what)
{
    const size_t bytes = c->count * c->r.size;
    cr_assert(count == c->count && memcmp(out, c->kept, bytes) == 0 &&
                  (out == c->in || out[bytes] == 0xa5),
              "%s: %zu elements of %u bytes, below %u, offsets %u, %u: %zu of %zu", what, c->n,
              c->r.size, c->r.below, c->in_offset, c->out_offset, (size_t)count, c->count);
}

static void expect_compaction(parscan_context *context, const parscan_predicate *keep,
                              custom_case *c, uint8_t *memory)
{
    uint64_t count = 77;
    uint8_t *out = output(c, memory, c->count * c->r.size);
    cr_assert_eq(parscan_compact_if(context, PARSCAN_CUSTOM, c->in, keep, out, c->n, &count),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    expect_kept(c, out, count, "compact_if");
    cr_assert_eq(parscan_compact_if(context, PARSCAN_CUSTOM, c->in, keep, NULL, c->n, &count),
                 PARSCAN_OK);
    cr_assert_eq(count, c->count);
    cr_assert_eq(parscan_compact_if(context, PARSCAN_CUSTOM, c->in, keep, c->in, c->n, &count),
                 PARSCAN_OK);
    expect_kept(c, c->in, count, "compact_if in place");
    fill_in(c);
}

static void expect_partition(parscan_context *context, const parscan_predicate *keep,
                             const custom_case *c, uint8_t *memory)
{
    uint64_t count = 77;
    const size_t size = c->r.size, bytes = c->n * size;
    uint8_t *const out = output(c, memory, bytes);
    cr_assert_eq(parscan_partition(context, PARSCAN_CUSTOM, c->in, keep, out, c->n, &count),
                 PARSCAN_OK);
    cr_assert_eq(count, c->count);
    cr_assert_eq(memcmp(out, c->kept, c->count * size), 0, "%zu of %zu bytes", c->n, size);
    cr_assert_eq(memcmp(out + c->count * size, c->others, (c->n - c->count) * size), 0);
    cr_assert_eq(out[bytes], 0xa5);
}

static void expect_flags_and_indices(parscan_context *context, const parscan_predicate *keep,
                                     const custom_case *c, uint8_t *memory)
{
    uint64_t count = 77;
    uint64_t *const indices = malloc((c->n + 1) * sizeof *indices);
    uint8_t *out = output(c, memory, c->n);
    cr_assert_eq(parscan_flags_if(context, PARSCAN_CUSTOM, c->in, keep, out, c->n), PARSCAN_OK);
    cr_assert(memcmp(out, c->flags, c->n) == 0 && out[c->n] == 0xa5);
    out = output(c, memory, c->count * c->r.size);
    cr_assert_eq(parscan_compact_with_indices(context, PARSCAN_CUSTOM, c->in, keep, out,
                                              PARSCAN_U64, indices, c->n, &count),
                 PARSCAN_OK);
    expect_kept(c, out, count, "compact_with_indices");
    cr_assert_eq(memcmp(indices, c->indices, c->count * sizeof *indices), 0);
    memset(indices, 0, c->count * sizeof *indices);
    cr_assert_eq(parscan_compact_indices(context, PARSCAN_CUSTOM, c->in, keep, PARSCAN_U64, indices,
                                         c->n, &count),
                 PARSCAN_OK);
    cr_assert_eq(count, c->count);
    cr_assert_eq(memcmp(indices, c->indices, c->count * sizeof *indices), 0);
    free(indices);
}

/* Numbers of 12 bytes, kept by what the elements are. */
static void expect_by(parscan_context *context, const parscan_predicate *keep, const custom_case *c)
{
    enum { WORDS = 3 };
    uint64_t count = 77;
    uint32_t *const records = calloc(c->n + 1, WORDS * sizeof *records);
    for (size_t i = 0; i < c->n; i++)
        records[WORDS * i] = (uint32_t)i;
    cr_assert_eq(parscan_compact_by(context, WORDS * sizeof *records, records, PARSCAN_CUSTOM,
                                    c->in, keep, records, c->n, &count),
                 PARSCAN_OK);
    cr_assert_eq(count, c->count);
    for (size_t k = 0; k < c->count; k++)
        cr_assert_eq(records[WORDS * k], c->indices[k], "record %zu of %zu", k, c->count);
    free(records);
}

static void expect_all(parscan_context *context, rule r, size_t n, unsigned in_offset,
                       unsigned out_offset)
{
    custom_case c = case_of(r, n, in_offset, out_offset);
    parscan_operator *const op = predicate(&r);
    const parscan_predicate keep = PARSCAN_PREDICATE(.custom = op);
    uint8_t *const memory = malloc(n * r.size + n + 64);
    expect_compaction(context, &keep, &c, memory);
    expect_partition(context, &keep, &c, memory);
    expect_flags_and_indices(context, &keep, &c, memory);
    expect_by(context, &keep, &c);
    parscan_operator_destroy(op);
    free(memory);
    free_case(&c);
}

SimdTest(compact_custom, is_right_for_every_size)
{
    static const size_t lengths[] = {0, 1, 63, 64, 65, 127, 130, 1000, 4096, 9001};
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 1});
    for (uint32_t size = 1; size <= 64; size += size < 17 ? 1 : LESS_UNDER_SANITIZER(5, 16))
        for (size_t k = 0; k < COUNT_OF(lengths); k++)
            expect_all(context, (rule){size, (uint32_t)(k % 3 * 400 + size)}, lengths[k],
                       (unsigned)(k % 2 * 3), (unsigned)(k % 3));
    parscan_context_destroy(context);
}

SimdTest(compact_custom, is_right_with_several_threads)
{
    static const uint32_t sizes[] = {1, 3, 4, 12, 16, 64};
    for (unsigned threads = 2; threads <= 3; threads++) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = threads});
        for (size_t k = 0; k < COUNT_OF(sizes); k++)
            expect_all(context, (rule){sizes[k], k % 2 ? 900 : 300}, 600000 / sizes[k] + k,
                       (unsigned)(k % 2 * 5), (unsigned)(k % 3));
        parscan_context_destroy(context);
    }
}

Test(compact_custom, of_random_lengths_and_rules_is_a_plain_loop)
{
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 2});
    for (int k = 0; k < LESS_UNDER_SANITIZER(300, 60); k++) {
        const rule r = {(uint32_t)(random_bits() % 64 + 1), (uint32_t)(random_bits() % 1010)};
        expect_all(context, r, random_bits() % 3000, (unsigned)(random_bits() % 17),
                   (unsigned)(random_bits() % 17));
    }
    parscan_context_destroy(context);
}

/* Its macro: a struct, and the number that it is compared with as the state. */
PARSCAN_DEFINE_PREDICATE(heavier, weighed, (typedef struct weighed {
                             uint32_t name;
                             float weight;
                         } weighed;),
                         { return x.weight > *(const float *)state; })

Test(compact_custom, takes_what_the_macro_makes)
{
    parscan_context *const context = test_context();
    const float limit = 1.5f;
    const weighed in[] = {{1, 2}, {2, 1}, {3, 1.5f}, {4, 9}, {5, -3}};
    weighed out[5] = {{0, 0}};
    uint64_t count = 0;
    parscan_operator *op;
    const parscan_operator_options options = PARSCAN_OPERATOR_OPTIONS(
        PARSCAN_DEFINED_PREDICATE(heavier, weighed), .state = &limit, .state_size = sizeof limit);
    cr_assert_eq(parscan_operator_create(&op, &options), PARSCAN_OK);
    cr_assert_eq(parscan_partition(context, PARSCAN_CUSTOM, in, &PARSCAN_PREDICATE(.custom = op),
                                   out, 5, &count),
                 PARSCAN_OK);
    cr_assert_eq(count, 2);
    cr_assert(out[0].name == 1 && out[1].name == 4 && out[2].name == 2 && out[3].name == 3 &&
              out[4].name == 5);
    parscan_operator_destroy(op);
    parscan_context_destroy(context);
}

Test(compact_custom, writes_no_more_than_there_is_room_for)
{
    parscan_context *const context = test_context();
    const rule r = {24, 500};
    custom_case c = case_of(r, 5000, 0, 0);
    parscan_operator *const op = predicate(&r);
    const parscan_predicate keep = PARSCAN_PREDICATE(.custom = op);
    uint8_t *const out = malloc(c.count * r.size + 1);
    uint64_t count = 0;
    const size_t room = c.count / 2;
    memset(out, 0xa5, c.count * r.size + 1);
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.out_capacity = room)), PARSCAN_OK);
    cr_assert_eq(parscan_compact_if(context, PARSCAN_CUSTOM, c.in, &keep, out, c.n, &count),
                 PARSCAN_ERROR_CAPACITY);
    cr_assert_eq(count, c.count);
    cr_assert(memcmp(out, c.kept, room * r.size) == 0 && out[room * r.size] == 0xa5);
    parscan_operator_destroy(op);
    parscan_context_destroy(context);
    free(out);
    free_case(&c);
}

static void relate_nothing(const void *a, const void *b, uint8_t *flags, size_t n,
                           const void *state)
{
    (void)a, (void)b, (void)flags, (void)n, (void)state;
}

Test(compact_custom, that_is_wrong_is_refused)
{
    parscan_context *const context = test_context();
    const rule r = {4, 500};
    parscan_operator *const op = predicate(&r), *relation;
    const parscan_operator_options options =
        PARSCAN_OPERATOR_OPTIONS(.kind = PARSCAN_OPERATOR_RELATION, .element_size = 4,
                                 .relate = relate_nothing);
    cr_assert_eq(parscan_operator_create(&relation, &options), PARSCAN_OK);
    const parscan_predicate keep = PARSCAN_PREDICATE(.custom = op),
                            wrong = PARSCAN_PREDICATE(.custom = relation),
                            none = PARSCAN_PREDICATE(.comparison = PARSCAN_NONZERO);
    uint32_t in[8] = {1, 2, 3}, out[8] = {9};
    uint8_t flags[8] = {9};
    uint64_t count = 77;
#define COMPACT(type, in, keep, out, count) \
    parscan_compact_if(context, type, in, keep, out, 8, count)
    expect_invalid(context, COMPACT(PARSCAN_CUSTOM, in, NULL, out, &count), "keep->custom is NULL");
    expect_invalid(context, COMPACT(PARSCAN_CUSTOM, in, &none, out, &count),
                   "keep->custom is NULL");
    expect_invalid(context, COMPACT(PARSCAN_CUSTOM, in, &wrong, out, &count), "kind 1");
    expect_invalid(context, COMPACT(PARSCAN_U32, in, &keep, out, &count), "type = u32");
    expect_invalid(context, COMPACT(PARSCAN_CUSTOM, NULL, &keep, out, &count), "in is NULL");
    expect_invalid(context, COMPACT(PARSCAN_CUSTOM, in, &keep, out, NULL), "count is NULL");
    expect_invalid(context, COMPACT(PARSCAN_CUSTOM, in, &keep, in + 1, &count), "overlap");
#undef COMPACT
    expect_invalid(context, parscan_partition(context, PARSCAN_CUSTOM, in, &keep, in, 8, &count),
                   "overlap");
    expect_invalid(context, parscan_partition(context, PARSCAN_I32, in, &keep, out, 8, &count),
                   "type = i32");
    expect_invalid(context, parscan_flags_if(context, PARSCAN_U32, in, &keep, flags, 8),
                   "type = u32");
    expect_invalid(context, parscan_flags_if(context, PARSCAN_CUSTOM, in, &none, flags, 8),
                   "keep->custom is NULL");
    expect_invalid(context, parscan_flags_if(context, PARSCAN_CUSTOM, in, &keep, NULL, 8),
                   "flags_out is NULL");
    expect_invalid(context,
                   parscan_compact_by(context, 4, in, PARSCAN_CUSTOM, NULL, &keep, out, 8, &count),
                   "by is NULL");
    expect_invalid(context, parscan_unique(context, PARSCAN_CUSTOM, in, out, 8, &count),
                   "type = custom: it must be a type");
    expect_invalid(
        context,
        parscan_reduce(context, PARSCAN_CUSTOM, in, out, 8, &PARSCAN_SCAN_OPTIONS(.custom = op)),
        "kind 2");
    cr_assert(out[0] == 9 && flags[0] == 9 && count == 77);
    parscan_operator_destroy(op);
    parscan_operator_destroy(relation);
    parscan_context_destroy(context);
}

/* A text for CUDA alone. */
Test(compact_custom, without_a_function_for_the_cpu_is_unsupported)
{
    parscan_context *const context = test_context();
    parscan_operator *op;
    uint32_t in[2] = {1, 2}, out[2] = {9};
    uint64_t count;
    const parscan_operator_options options = PARSCAN_OPERATOR_OPTIONS(
            .kind = PARSCAN_OPERATOR_PREDICATE, .element_size = 4,
            .cuda_source = "__device__ bool odd(unsigned x, const void *) { return x % 2; }",
            .cuda_type = "unsigned", .cuda_function = "odd");
    cr_assert_eq(parscan_operator_create(&op, &options), PARSCAN_OK);
    cr_assert_eq(parscan_compact_if(context, PARSCAN_CUSTOM, in, &PARSCAN_PREDICATE(.custom = op),
                                    out, 2, &count),
                 PARSCAN_ERROR_UNSUPPORTED);
    cr_assert(strstr(parscan_context_error(context), "no test") != NULL, "%s",
              parscan_context_error(context));
    cr_assert_eq(out[0], 9);
    cr_assert_eq(parscan_operator_prepare(context, op, PARSCAN_USE_PREDICATE, NULL), PARSCAN_OK);
    expect_invalid(context, parscan_operator_prepare(context, op, PARSCAN_USE_REDUCE, NULL),
                   "uses = 0x4");
    parscan_operator_destroy(op);
    parscan_context_destroy(context);
}

enum { FAILING_N = 50000 };
static const rule failing_rule = {16, 500};

static parscan_status compact_failing(parscan_context *context, void *state)
{
    parscan_operator *const op = predicate(&failing_rule);
    custom_case wanted = case_of(failing_rule, FAILING_N, 0, 0);
    uint8_t *const out = malloc(FAILING_N * failing_rule.size);
    uint64_t count;
    (void)state;
    const parscan_status status =
        parscan_compact_if(context, PARSCAN_CUSTOM, wanted.in, &PARSCAN_PREDICATE(.custom = op),
                           out, FAILING_N, &count);
    free(out);
    free_case(&wanted);
    parscan_operator_destroy(op);
    return status;
}

static void expect_failing(parscan_context *context, void *state)
{
    (void)state;
    expect_all(context, failing_rule, FAILING_N, 0, 0);
}

Test(compact_custom, survives_every_allocation_that_fails)
{
    cr_assert_geq(fail_every_allocation(&(failing_test){compact_failing, expect_failing, NULL}), 1);
}

Test(compact_custom, is_measured_without_running)
{
    enum { N = 50000 };
    const rule r = {16, 500};
    parscan_operator *const op = predicate(&r);
    const parscan_predicate keep = PARSCAN_PREDICATE(.custom = op);
    custom_case c = case_of(r, N, 0, 0);
    uint8_t *const out = calloc(N, r.size);
    parscan_context *const real = test_context_with((parscan_context_options){.threads = 2});
    parscan_context *const measuring =
        test_context_with((parscan_context_options){.threads = 2, .measure = 1});
    uint64_t count = 0;
    for (int way = 0; way < 2; way++) {
        parscan_context *const context = way == 0 ? measuring : real;
        cr_assert_eq(parscan_compact_if(context, PARSCAN_CUSTOM, c.in, &keep, out, N, &count),
                     PARSCAN_OK);
        cr_assert_eq(count, way == 0 ? N : c.count);
        cr_assert(way == 1 || (out[0] == 0 && out[1] == 0));
        cr_assert_eq(parscan_flags_if(context, PARSCAN_CUSTOM, c.in, &keep, out, N), PARSCAN_OK);
    }
    cr_assert_eq(parscan_context_scratch(measuring), parscan_context_scratch(real));
    parscan_context_destroy(real);
    parscan_context_destroy(measuring);
    parscan_operator_destroy(op);
    free(out);
    free_case(&c);
}
