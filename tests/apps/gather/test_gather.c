/*
 * parscan_gather() and parscan_scatter(): elements of every size, all types of indices, arrays of any
 * alignment that end where memory ends, and what wrong indices do.
 */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/gather.h"
#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/guarded.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const parscan_type index_types[] = {PARSCAN_U32, PARSCAN_U64, PARSCAN_I32, PARSCAN_I64};
static const size_t value_sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 31, 32, 33, 64, 65, 1000};

/* n indices, and the array that they point into, with their elements. */
typedef struct scene {
    size_t value_size, n, count;
    parscan_type type;
    int64_t *at; /* the indices, for the oracle */
    guarded memory[3];
    unsigned char *in, *out;
    char *indices;
} scene;

static void put_index(const scene *s, size_t i, int64_t index)
{
    s->at[i] = index;
    if (parscan_type_size(s->type) == 8) {
        memcpy(s->indices + i * 8, &index, 8);
    } else {
        const uint32_t narrow = (uint32_t)index;
        memcpy(s->indices + i * 4, &narrow, 4);
    }
}

/* An array that ends at a guard, or lies a byte before it. */
static void *end_of(guarded *memory, size_t bytes, size_t off)
{
    *memory = guarded_create(bytes + off);
    return (char *)guarded_array(*memory, bytes + off, true);
}

/* Bytes of element i: all its own, so that bytes of two elements are seen. */
static unsigned char byte_of(size_t i, size_t k)
{
    return (unsigned char)((i * 2654435761u >> 7) + k * 37);
}

/* in has `in` elements, out has `out`; one of the two is what indices point into. off: bytes by which
   arrays are not aligned. */
static scene create(size_t value_size, parscan_type type, size_t n, size_t in, size_t out,
                    size_t off)
{
    scene s = {.value_size = value_size, .n = n, .type = type};
    s.at = malloc((n + 1) * sizeof *s.at);
    s.in = end_of(&s.memory[0], in * value_size, off);
    s.out = end_of(&s.memory[1], out * value_size, off);
    s.indices = end_of(&s.memory[2], n * parscan_type_size(type), off);
    cr_assert_not_null(s.at);
    for (size_t i = 0; i < in; i++)
        for (size_t k = 0; k < value_size; k++)
            s.in[i * value_size + k] = byte_of(i, k);
    memset(s.out, 0xee, out * value_size);
    return s;
}

static void destroy(scene *s)
{
    for (size_t k = 0; k < COUNT_OF(s->memory); k++)
        guarded_destroy(s->memory[k]);
    free(s->at);
}

static bool is_element(const scene *s, const unsigned char *value, size_t i)
{
    for (size_t k = 0; k < s->value_size; k++)
        if (value[k] != byte_of(i, k))
            return false;
    return true;
}

static bool is_filled(const scene *s, const unsigned char *value, unsigned char fill)
{
    for (size_t k = 0; k < s->value_size; k++)
        if (value[k] != fill)
            return false;
    return true;
}

/* ---- gather ---- */

static void expect_gathered(parscan_context *context, const scene *s)
{
    guarded_watch("gather");
    cr_assert_eq(
        parscan_gather(context, s->value_size, s->in, s->count, s->type, s->indices, s->out, s->n),
        PARSCAN_OK, "%s", parscan_context_error(context));
    for (size_t i = 0; i < s->n; i++)
        cr_assert(is_element(s, s->out + i * s->value_size, (size_t)s->at[i]),
                  "%zu bytes, %s, %zu of %zu: element %zu", s->value_size,
                  parscan_type_name(s->type), s->n, s->count, i);
}

static void gather_random(parscan_context *context, size_t value_size, parscan_type type, size_t n,
                          size_t count, size_t off)
{
    scene s = create(value_size, type, n, count, n, off);
    s.count = count;
    for (size_t i = 0; i < n; i++)
        put_index(&s, i, i % 7 == 0 ? (int64_t)count - 1 : (int64_t)random_below(count));
    expect_gathered(context, &s);
    destroy(&s);
}

SimdTest(gather, moves_elements_of_every_size_by_every_type_of_index)
{
    static const size_t lengths[] = {0, 1, 2, 15, 33, 64, 513, 1025};
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 1});
    for (size_t v = 0; v < COUNT_OF(value_sizes); v++)
        for (size_t t = 0; t < COUNT_OF(index_types); t++)
            for (size_t l = 0; l < COUNT_OF(lengths); l++)
                if (takes_larger_case())
                    gather_random(context, value_sizes[v], index_types[t], lengths[l],
                                  l % 2 == 0 ? 300 : 1, v % 2 * (l % 4));
    parscan_context_destroy(context);
}

/* Indices in no order in an array beyond the caches: lines are fetched ahead. Several threads. */
SimdTest(gather, moves_elements_of_large_arrays)
{
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 3});
    gather_random(context, 4, PARSCAN_U32, 300007, 5000000, 0);
    gather_random(context, 8, PARSCAN_I64, 200003, 1000003, 1);
    gather_random(context, 12, PARSCAN_I32, 100003, 1000003, 0);
    gather_random(context, 1000, PARSCAN_U64, 3001, 20011, 0);
    parscan_context_destroy(context);
}

Test(gather, writes_over_its_indices)
{
    parscan_context *const context = test_context();
    enum { N = 100003, COUNT = 1000 };
    int32_t *const indices = malloc(N * sizeof *indices), *const in = malloc(COUNT * sizeof *in);
    cr_assert(indices != NULL && in != NULL);
    for (int i = 0; i < COUNT; i++)
        in[i] = i * 3 + 1;
    for (int i = 0; i < N; i++)
        indices[i] = i * 7 % COUNT;
    cr_assert_eq(parscan_gather(context, 4, in, COUNT, PARSCAN_I32, indices, indices, N),
                 PARSCAN_OK);
    for (int i = 0; i < N; i++)
        cr_assert_eq(indices[i], i * 7 % COUNT * 3 + 1);
    free(indices);
    free(in);
    parscan_context_destroy(context);
}

/* Indices may be the elements as well: two steps along a list. */
Test(gather, follows_a_list_by_its_own_elements)
{
    parscan_context *const context = test_context();
    const uint32_t next[5] = {3, 0, 4, 2, 1};
    uint32_t out[5];
    cr_assert_eq(parscan_gather(context, 4, next, 5, PARSCAN_U32, next, out, 5), PARSCAN_OK);
    cr_assert_eq(parscan_synchronize(context), PARSCAN_OK);
    cr_assert(out[0] == 2 && out[1] == 3 && out[2] == 1 && out[3] == 4 && out[4] == 0);
    parscan_context_destroy(context);
}

/* ---- scatter ---- */

static parscan_status run_scatter(parscan_context *context, const scene *s, bool last_wins)
{
    const parscan_scatter_options options = PARSCAN_SCATTER_OPTIONS(.last_wins = last_wins);
    guarded_watch("scatter");
    return parscan_scatter(context, s->value_size, s->in, s->n, s->type, s->indices, s->out,
                           s->count, last_wins ? &options : NULL);
}

/* last[k]: the last element with the index k; n: none. */
static size_t *last_elements(const scene *s)
{
    size_t *const last = malloc((s->count + 1) * sizeof *last);
    cr_assert_not_null(last);
    for (size_t k = 0; k < s->count; k++)
        last[k] = s->n;
    for (size_t i = 0; i < s->n; i++)
        if (s->at[i] >= 0 && (uint64_t)s->at[i] < s->count)
            last[s->at[i]] = i;
    return last;
}

/* Compares: what has no index is as it was, all else has an element with this index, the last one if that
   wins. */
static void expect_scattered(const scene *s, bool last_wins)
{
    size_t *const last = last_elements(s);
    bool *const right = calloc(s->count + 1, sizeof *right);
    cr_assert_not_null(right);
    for (size_t i = 0; i < s->n && !last_wins; i++)
        if (s->at[i] >= 0 && (uint64_t)s->at[i] < s->count)
            right[s->at[i]] |= is_element(s, s->out + (size_t)s->at[i] * s->value_size, i);
    for (size_t k = 0; k < s->count; k++) {
        const unsigned char *const value = s->out + k * s->value_size;
        cr_assert(last[k] == s->n ? is_filled(s, value, 0xee)
                  : last_wins     ? is_element(s, value, last[k])
                                  : right[k],
                  "%zu bytes, %s, %zu in %zu: element %zu", s->value_size,
                  parscan_type_name(s->type), s->n, s->count, k);
    }
    free(last);
    free(right);
}

static void scatter_random(parscan_context *context, size_t value_size, parscan_type type, size_t n,
                           size_t count, size_t off)
{
    for (int last_wins = 0; last_wins < 2; last_wins++) {
        scene s = create(value_size, type, n, n, count, off);
        s.count = count;
        for (size_t i = 0; i < n; i++)
            put_index(&s, i, i % 5 == 0 ? (int64_t)count - 1 : (int64_t)random_below(count));
        cr_assert_eq(run_scatter(context, &s, last_wins), PARSCAN_OK, "%s",
                     parscan_context_error(context));
        expect_scattered(&s, last_wins);
        destroy(&s);
    }
}

SimdTest(scatter, moves_elements_of_every_size_by_every_type_of_index)
{
    static const size_t lengths[] = {0, 1, 2, 15, 33, 64, 513, 1025};
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 1});
    for (size_t v = 0; v < COUNT_OF(value_sizes); v++)
        for (size_t t = 0; t < COUNT_OF(index_types); t++)
            for (size_t l = 0; l < COUNT_OF(lengths); l++)
                if (takes_larger_case())
                    scatter_random(context, value_sizes[v], index_types[t], lengths[l],
                                   l % 2 == 0 ? 300 : 1, v % 2 * (l % 4));
    parscan_context_destroy(context);
}

/* Few places, so that threads store to one at once. */
SimdTest(scatter, of_several_threads_stores_whole_elements)
{
    static const size_t sizes[] = {1, 2, 3, 4, 8, 12, 16, 64, 100};
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 4});
    for (size_t v = 0; v < COUNT_OF(sizes); v++)
        for (size_t off = 0; off < 2; off++)
            scatter_random(context, sizes[v], index_types[v % 4], 800003 / (sizes[v] / 4 + 1),
                           off == 0 ? 2 : 100003, off);
    parscan_context_destroy(context);
}

SimdTest(scatter, is_the_inverse_of_a_gather)
{
    enum { N = 200003 };
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 2});
    uint32_t *const order = malloc(N * sizeof *order), *const in = malloc(N * sizeof *in),
                    *const there = malloc(N * sizeof *there),
                    *const back = malloc(N * sizeof *back);
    cr_assert(order != NULL && in != NULL && there != NULL && back != NULL);
    for (size_t i = 0; i < N; i++) {
        order[i] = (uint32_t)i;
        in[i] = (uint32_t)random_bits();
    }
    for (size_t i = N - 1; i > 0; i--) {
        const size_t j = random_below(i + 1);
        const uint32_t held = order[i];
        order[i] = order[j];
        order[j] = held;
    }
    cr_assert_eq(parscan_gather(context, 4, in, N, PARSCAN_U32, order, there, N), PARSCAN_OK);
    cr_assert_eq(parscan_scatter(context, 4, there, N, PARSCAN_U32, order, back, N, NULL),
                 PARSCAN_OK);
    cr_assert_eq(memcmp(back, in, N * sizeof *in), 0);
    free(order);
    free(in);
    free(there);
    free(back);
    parscan_context_destroy(context);
}

/* ---- wrong indices ---- */

/* The status of a call with host arrays, or of the wait for it. */
static parscan_status status_of(parscan_context *context, parscan_status status)
{
    return status == PARSCAN_OK ? parscan_synchronize(context) : status;
}

static void expect_words(parscan_context *context, size_t place, int64_t index, parscan_type type,
                         const char *count)
{
    char words[80];
    if (type == PARSCAN_U32 || type == PARSCAN_U64)
        snprintf(words, sizeof words, "indices[%zu] = %llu: ", place,
                 type == PARSCAN_U32 ? (unsigned long long)(uint32_t)index
                                     : (unsigned long long)index);
    else
        snprintf(words, sizeof words, "indices[%zu] = %lld: ", place, (long long)index);
    cr_assert(test_backend() != PARSCAN_BACKEND_CPU ||
                  (strstr(parscan_context_error(context), words) &&
                   strstr(parscan_context_error(context), count)),
              "%s, not %s", parscan_context_error(context), words);
}

/* Two indices are wrong; the first one is told. */
static void gather_wrong(parscan_context *context, size_t value_size, parscan_type type, size_t n,
                         int64_t wrong)
{
    const size_t places[] = {n / 3, n - 1};
    scene s = create(value_size, type, n, 50, n, 0);
    s.count = 50;
    for (size_t i = 0; i < n; i++)
        put_index(&s, i, (int64_t)random_below(50));
    for (size_t k = 0; k < 2; k++)
        put_index(&s, places[k], k == 0 ? wrong : 50);
    cr_assert_eq(status_of(context, parscan_gather(context, value_size, s.in, s.count, type,
                                                   s.indices, s.out, n)),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    expect_words(context, places[0], s.at[places[0]], type, "in_count = 50");
    for (size_t i = 0; i < n; i++)
        cr_assert(i == places[0] || i == places[1]
                      ? is_filled(&s, s.out + i * value_size, 0)
                      : is_element(&s, s.out + i * value_size, (size_t)s.at[i]),
                  "element %zu", i);
    destroy(&s);
}

static void scatter_wrong(parscan_context *context, size_t value_size, parscan_type type, size_t n,
                          int64_t wrong, bool last_wins)
{
    scene s = create(value_size, type, n, n, 50, 0);
    s.count = 50;
    for (size_t i = 0; i < n; i++)
        put_index(&s, i, (int64_t)random_below(50));
    put_index(&s, n - 1, 50);
    put_index(&s, n / 3, wrong);
    cr_assert_eq(status_of(context, run_scatter(context, &s, last_wins)),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    expect_words(context, n / 3, wrong, type, "out_count = 50");
    expect_scattered(&s, last_wins);
    destroy(&s);
}

static void expect_wrong(unsigned threads, size_t n)
{
    static const int64_t wrong[] = {50, 51, INT32_MAX, -1, INT32_MIN};
    parscan_context *const context =
        test_context_with((parscan_context_options){.threads = threads});
    for (size_t w = 0; w < COUNT_OF(wrong); w++)
        for (size_t t = 0; t < COUNT_OF(index_types); t++)
            for (size_t v = 0; v < 6; v++) {
                if (!takes_larger_case())
                    continue;
                static const size_t sizes[] = {1, 3, 4, 8, 16, 100};
                gather_wrong(context, sizes[v], index_types[t], n, wrong[w]);
                scatter_wrong(context, sizes[v], index_types[t], n, wrong[w], false);
                scatter_wrong(context, sizes[v], index_types[t], n, wrong[w], true);
            }
    parscan_context_destroy(context);
}

SimdTest(wrong_indices, are_told_and_left_out)
{
    expect_wrong(1, 1000);
}

SimdTest(wrong_indices, are_told_by_several_threads)
{
    expect_wrong(3, 30011);
}

/* Every index into nothing is wrong. */
Test(wrong_indices, of_no_elements)
{
    parscan_context *const context = test_context();
    const uint64_t index = 0;
    uint16_t value = 7;
    cr_assert_eq(
        status_of(context, parscan_gather(context, 2, NULL, 0, PARSCAN_U64, &index, &value, 1)),
        PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(value, 0);
    cr_assert_eq(status_of(context, parscan_scatter(context, 2, &value, 1, PARSCAN_U64, &index,
                                                    NULL, 0, NULL)),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(parscan_gather(context, 2, NULL, 0, PARSCAN_U64, NULL, NULL, 0), PARSCAN_OK);
    cr_assert_eq(parscan_scatter(context, 2, NULL, 0, PARSCAN_U64, NULL, &value, 1, NULL),
                 PARSCAN_OK);
    cr_assert_eq(value, 0);
    parscan_context_destroy(context);
}
