/* The k first of all elements and of segments, beside a plain sort of (element, index). */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "parscan/lengths.h"
#include "parscan/select.h"
#include "tests/apps/select/placed.h"
#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/key_patterns.h"
#include "tests/support/number.h"
#include "tests/support/oracle_sort.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/segment_shapes.h"
#include "tests/support/test_engine.h"

typedef struct top_case {
    parscan_type type;
    size_t n, k;
    bool smallest;
    const cut_array *cut; /* NULL: all elements are one segment */
    enum { BOTH, VALUES, INDICES } wanted;
} top_case;

typedef struct top_outputs {
    char *values, *indices;
    size_t shift, index_shift, slots;
    parscan_type index_type;
    uint64_t *counts, count;
} top_outputs;

static parscan_status run_case(parscan_context *context, const top_case *c, const char *in,
                               top_outputs *o)
{
    const parscan_top_k_options options =
        PARSCAN_TOP_K_OPTIONS(.segments = c->cut == NULL ? NULL : &c->cut->segments,
                              .count = &o->count, .counts = o->counts, .smallest = c->smallest);
    return parscan_top_k(context, c->type, in, c->n, c->k,
                         c->wanted == INDICES ? NULL : o->values + o->shift,
                         c->wanted == VALUES ? (parscan_type)0 : o->index_type,
                         c->wanted == VALUES ? NULL : o->indices + o->index_shift, &options);
}

/* Slot by slot: the element that the oracle has there, or what was there before. */
static void expect_segment(const top_case *c, const char *in, const top_outputs *o, size_t s,
                           const size_t *order, size_t begin, size_t length)
{
    static const unsigned char untouched[] = {0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5};
    const size_t size = parscan_type_size(c->type), index_size = parscan_type_size(o->index_type);
    const size_t count = length < c->k ? length : c->k;
    cr_assert_eq(o->counts[s], count);
    for (size_t j = 0; j < c->k; j++) {
        const size_t slot = s * c->k + j;
        const char *const value = o->values + o->shift + slot * size;
        const char *const index = o->indices + o->index_shift + slot * index_size;
        const bool has_value = c->wanted != INDICES && j < count;
        const bool has_index = c->wanted != VALUES && j < count;
        const bool right_index = has_index ? index_at(o->index_type, o->indices + o->index_shift,
                                                      slot) == order[begin + j] - begin
                                           : memcmp(index, untouched, index_size) == 0;
        /* Not an assertion each: Criterion counts those that hold. */
        if (!right_index ||
            memcmp(value, has_value ? in + order[begin + j] * size : (const char *)untouched,
                   size) != 0)
            cr_assert_fail("top %zu of %zu %s, smallest %d, segment %zu of %zu: %s %zu", c->k, c->n,
                           parscan_type_name(c->type), c->smallest, s, length,
                           right_index ? "value" : "index", j);
    }
}

static void expect_case(parscan_context *context, const top_case *c, const void *elements)
{
    const size_t size = parscan_type_size(c->type), whole[] = {0, c->n};
    const size_t *const bounds = c->cut == NULL ? whole : c->cut->bounds;
    const size_t segments = c->cut == NULL ? 1 : c->cut->count, shift = random_below(2) * size;
    const oracle_sort sort = {.type = c->type,
                              .descending = !c->smallest,
                              .keys = elements,
                              .n = c->n,
                              .bounds = c->cut == NULL ? NULL : bounds};
    size_t *const order = malloc((c->n + 1) * sizeof *order);
    top_outputs o = {.shift = random_below(2) * 3,
                     .index_shift = random_below(2) * 5,
                     .slots = segments * c->k,
                     .index_type = index_types[random_below(4)],
                     .count = 12345};
    const size_t index_bytes = o.slots * parscan_type_size(o.index_type);
    char *const in = placed(elements, c->n * size, shift);
    o.values = placed(NULL, o.slots * size, o.shift);
    o.indices = placed(NULL, index_bytes, o.index_shift);
    o.counts = malloc((segments + 1) * sizeof *o.counts);
    cr_assert(order != NULL && o.counts != NULL);
    oracle_sort_order(&sort, order);
    cr_assert_eq(run_case(context, c, in + shift, &o), PARSCAN_OK, "%s",
                 parscan_context_error(context));
    cr_assert_eq(o.count, segments);
    for (size_t s = 0; s < segments; s++)
        expect_segment(c, in + shift, &o, s, order, bounds[s], bounds[s + 1] - bounds[s]);
    expect_untouched(o.values, o.slots * size, o.shift);
    expect_untouched(o.indices, index_bytes, o.index_shift);
    free(order);
    free(in);
    free(o.values);
    free(o.indices);
    free(o.counts);
}

/* ---- all elements ---- */

static void expect_whole(parscan_context *context, parscan_type type, size_t n, size_t k,
                         const void *in)
{
    const top_case c = {
        .type = type, .n = n, .k = k, .smallest = random_below(2) == 0, .wanted = random_below(3)};
    expect_case(context, &c, in);
}

/* k near its edges: none, one, all; where another way is taken. */
static void expect_every_k(parscan_context *context, parscan_type type, size_t n, const void *in)
{
    const size_t some[] = {
        0, 1, 2, 3, 24, 25, n / 16, n / 16 + 1, n / 2, n - n / 7, n > 0 ? n - 1 : 0, n, 4096, 4097};
    for (size_t j = 0; j < COUNT_OF(some); j++)
        if (some[j] <= n && takes_larger_case())
            expect_whole(context, type, n, some[j], in);
}

static void expect_every_length(parscan_type type)
{
    static const size_t lengths[] = {0,    1,    2,    31,   63,   64,   65,
                                     1000, 1024, 1025, 2047, 2048, 2049, 4500};
    parscan_context *const context = test_context();
    for (size_t l = 0; l < COUNT_OF(lengths); l++) {
        const key_pattern pattern = random_below(KEY_PATTERNS);
        void *const in = patterned_keys(type, pattern, lengths[l]);
        expect_every_k(context, type, lengths[l], in);
        free(in);
    }
    parscan_context_destroy(context);
}

#define X(ctx, NAME, number, name, ...)             \
    SimdTest(top_k, is_that_of_a_plain_sort_##name) \
    {                                               \
        expect_every_length(PARSCAN_##NAME);        \
    }
PARSCAN_TYPES(X, )
#undef X

SimdTest(top_k, takes_every_pattern_of_elements)
{
    parscan_context *const context = test_context();
    for (key_pattern pattern = 0; pattern < KEY_PATTERNS; pattern++)
        for (size_t t = pattern % 2; t < TYPES; t += 2) {
            if (pattern > 0 && !takes_larger_case())
                continue;
            const size_t n = 20000 + random_below(3000);
            void *const in = patterned_keys(all_types[t], pattern, n);
            static const size_t some[] = {1, 10, 500, 5000, 12000};
            for (size_t j = 0; j < COUNT_OF(some); j++)
                expect_whole(context, all_types[t], n, some[j], in);
            free(in);
        }
    parscan_context_destroy(context);
}

SimdTest(top_k, is_right_on_1_2_3_7_and_64_threads)
{
    static const unsigned threads[] = {1, 2, 3, 7, 64};
    enum { N = 400009 };
    const parscan_type type = all_types[random_below(TYPES)];
    void *const in = patterned_keys(type, random_below(2) == 0 ? KEYS_RANDOM : KEYS_FEW, N);
    for (size_t k = 0; k < COUNT_OF(threads); k++) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = threads[k]});
        static const size_t some[] = {1, 1000, 6000, 300000};
        for (size_t j = 0; j < COUNT_OF(some); j++)
            expect_whole(context, type, N, some[j], in);
        parscan_context_destroy(context);
    }
    free(in);
}

/* The k-th element is half of the array. */
SimdTest(top_k, counts_equal_elements_from_the_front)
{
    enum { N = 300000, K = 1000 };
    parscan_context *const context = test_context();
    uint32_t *const in = malloc(N * sizeof *in);
    cr_assert_not_null(in);
    for (size_t i = 0; i < N; i++)
        in[i] = i % 2 == 0 ? 1000000 : i % 601 == 0 ? 2000000 + (uint32_t)i : (uint32_t)i;
    const top_case c = {.type = PARSCAN_U32, .n = N, .k = K};
    expect_case(context, &c, in);
    free(in);
    parscan_context_destroy(context);
}

/* Inputs whose sample misleads: the elements at the sampled places are the best, or all others are. The
   places are those of apps/select/top_search.c and top_k_choose.cuh; if they move, these are inputs as any
   other. */
enum { MISLED = 1 << 18 };

static size_t place_on_cpu(uint64_t i)
{
    enum { PART = MISLED >> 10 };
    uint64_t x = (i ^ i >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return i < 1 << 10 ? i * PART + (x ^ x >> 31) % PART : 0;
}

static size_t place_on_cuda(uint64_t i)
{
    enum { PART = MISLED >> 12 };
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    return i < 1 << 12 ? i * PART + ((x >> 32) * PART >> 32) : 0;
}

static void expect_misled(size_t (*place)(uint64_t i), float more)
{
    static const size_t some[] = {1, 100, 2000, 5000};
    parscan_context *const context = test_context();
    float *const in = malloc(MISLED * sizeof *in);
    cr_assert_not_null(in);
    for (size_t i = 0; i < MISLED; i++)
        in[i] = (float)random_below(1 << 20);
    for (uint64_t i = 0; place(i) > 0 || i == 0; i++)
        in[place(i)] += more;
    for (size_t j = 0; j < COUNT_OF(some); j++) {
        const top_case c = {.type = PARSCAN_F32, .n = MISLED, .k = some[j]};
        expect_case(context, &c, in);
    }
    free(in);
    parscan_context_destroy(context);
}

SimdTest(top_k, is_right_where_the_sample_misleads)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        if (takes_larger_case() || test_backend() == PARSCAN_BACKEND_CPU)
            expect_misled(place_on_cpu, (float)sign * 1e7f);
        if (takes_larger_case() || test_backend() != PARSCAN_BACKEND_CPU)
            expect_misled(place_on_cuda, (float)sign * 1e7f);
    }
}

Test(top_k, takes_nan_for_the_largest)
{
    parscan_context *const context = test_context();
    const float in[] = {3, -NAN, -0.0f, 0, INFINITY, NAN, -INFINITY};
    float largest[7], smallest[2];
    uint32_t of_largest[7], of_smallest[2];
    const uint32_t expected[7] = {1, 5, 4, 0, 3, 2, 6}, least[2] = {6, 2};
    cr_assert_eq(
        parscan_top_k(context, PARSCAN_F32, in, 7, 7, largest, PARSCAN_U32, of_largest, NULL),
        PARSCAN_OK);
    cr_assert_eq(memcmp(of_largest, expected, sizeof expected), 0);
    for (size_t j = 0; j < 7; j++)
        cr_assert_eq(memcmp(&largest[j], &in[expected[j]], sizeof *in), 0);
    cr_assert_eq(parscan_top_k(context, PARSCAN_F32, in, 7, 2, smallest, PARSCAN_U32, of_smallest,
                               &PARSCAN_TOP_K_OPTIONS(.smallest = 1)),
                 PARSCAN_OK);
    cr_assert_eq(memcmp(of_smallest, least, sizeof least), 0);
    parscan_context_destroy(context);
}

/* ---- segments ---- */

static void expect_cut(parscan_context *context, parscan_type type, size_t n, segment_shape shape,
                       segment_form form, size_t k)
{
    cut_array cut = cut_create(n, shape, form);
    void *const in = patterned_keys(type, random_below(2) == 0 ? KEYS_SPECIAL : KEYS_RANDOM, n);
    const top_case c = {.type = type,
                        .n = n,
                        .k = k,
                        .smallest = random_below(2) == 0,
                        .cut = &cut,
                        .wanted = random_below(3)};
    expect_case(context, &c, in);
    free(in);
    cut_destroy(&cut);
}

static void expect_every_shape(parscan_type type)
{
    static const size_t lengths[] = {0, 1, 2, 17, 100, 1025, 7001};
    static const size_t some[] = {0, 1, 3, 8, 24, 25, 100, 300};
    parscan_context *const context = test_context();
    for (segment_shape shape = 0; shape < SEGMENT_SHAPES; shape++)
        for (size_t l = 0; l < COUNT_OF(lengths); l++)
            for (size_t form = random_below(4); form < SEGMENT_FORMS; form += 4)
                if (takes_larger_case())
                    expect_cut(context, type, lengths[l], shape, all_segment_forms[form],
                               some[random_below(COUNT_OF(some))]);
    parscan_context_destroy(context);
}

#define X(ctx, NAME, number, name, ...)                   \
    SimdTest(top_k, takes_segments_of_every_shape_##name) \
    {                                                     \
        expect_every_shape(PARSCAN_##NAME);               \
    }
PARSCAN_TYPES(X, )
#undef X

static void expect_rows(parscan_context *context, parscan_type type, size_t row, size_t count,
                        size_t k)
{
    const size_t n = count * row;
    size_t *const bounds = malloc((count + 1) * sizeof *bounds);
    cr_assert_not_null(bounds);
    for (size_t r = 0; r <= count; r++)
        bounds[r] = r * row;
    const cut_array cut = {.n = n,
                           .count = count,
                           .bounds = bounds,
                           .segments =
                               PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_ROWS, .count = row)};
    void *const in = patterned_keys(type, KEYS_RANDOM, n);
    const top_case c = {
        .type = type, .n = n, .k = k, .smallest = random_below(2) == 0, .cut = &cut};
    expect_case(context, &c, in);
    free(in);
    free(bounds);
}

SimdTest(top_k, takes_rows)
{
    static const size_t rows[] = {1, 2, 7, 64, 65, 1000, 1025, 20000};
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 3});
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        static const size_t some[] = {1, 8, 24, 25, 64, 2000, 5000};
        for (size_t j = 0; j < COUNT_OF(some); j++)
            if (some[j] < 2 * rows[r] + 10)
                expect_rows(context, all_types[random_below(TYPES)], rows[r], 60000 / rows[r] + 1,
                            some[j]);
    }
    parscan_context_destroy(context);
}

/* On CUDA one after another. */
SimdTest(top_k, takes_few_long_rows)
{
    parscan_context *const context = test_context();
    expect_rows(context, PARSCAN_U16, 524288, 1, 40);
    expect_rows(context, PARSCAN_F32, 1048577, 2, 3000);
    expect_rows(context, PARSCAN_I8, 524288, 1, 300000);
    parscan_context_destroy(context);
}

/* Segments that all threads search together, one after another. */
SimdTest(top_k, takes_long_segments)
{
    enum { N = (1 << 20) + 70001 };
    const size_t heads[] = {3, N - 50000};
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 2});
    void *const in = patterned_keys(PARSCAN_I32, KEYS_RANDOM, N);
    for (size_t form = 0; form < 5; form += 2) {
        cut_array cut = cut_create_at(N, heads, COUNT_OF(heads), all_segment_forms[form]);
        static const size_t some[] = {5, 5000, 200000};
        const top_case c = {
            .type = PARSCAN_I32, .n = N, .k = some[form / 2], .cut = &cut, .wanted = form / 2};
        expect_case(context, &c, in);
        cut_destroy(&cut);
    }
    free(in);
    parscan_context_destroy(context);
}

/* A context that measures tells what a call takes, whatever the elements. */
Test(top_k, tells_its_scratch_before)
{
    static const size_t some[] = {1, 1000, 5000, 30000};
    enum { N = 60000 };
    for (size_t j = 0; j < 2 * COUNT_OF(some); j++) {
        parscan_context *const told = test_context_with(
            (parscan_context_options){.threads = 2, .measure = 1, .measure_host = 1});
        parscan_context *const context = test_context_with((parscan_context_options){.threads = 2});
        float *const in = patterned_keys(PARSCAN_F32, KEYS_RANDOM, N);
        uint32_t *const indices = malloc(N * sizeof *indices);
        cr_assert_not_null(indices);
        const parscan_segments rows = PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_ROWS, .count = N);
        const parscan_top_k_options options =
            PARSCAN_TOP_K_OPTIONS(.segments = j % 2 == 0 ? NULL : &rows);
        const size_t k = some[j / 2];
        cr_assert_eq(
            parscan_top_k(told, PARSCAN_F32, in, N, k, NULL, PARSCAN_U32, indices, &options),
            PARSCAN_OK);
        cr_assert_eq(
            parscan_top_k(context, PARSCAN_F32, in, N, k, NULL, PARSCAN_U32, indices, &options),
            PARSCAN_OK);
        cr_assert_eq(parscan_context_scratch(told), parscan_context_scratch(context), "top %zu", k);
        free(in);
        free(indices);
        parscan_context_destroy(told);
        parscan_context_destroy(context);
    }
}

Test(top_k, ends_where_the_lengths_end)
{
    parscan_context *const context = test_context();
    const int32_t in[] = {3, 1, 7, 0, 4, 1, 6, 9};
    const uint64_t n = 2;
    uint64_t counts = 99;
    uint32_t index[3] = {99, 99, 99};
    parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = &n));
    cr_assert_eq(parscan_top_k(context, PARSCAN_I32, in, 8, 3, NULL, PARSCAN_U32, index,
                               &PARSCAN_TOP_K_OPTIONS(.counts = &counts)),
                 PARSCAN_OK);
    cr_assert(counts == 2 && index[0] == 0 && index[1] == 1 && index[2] == 99);
    parscan_context_destroy(context);
}
