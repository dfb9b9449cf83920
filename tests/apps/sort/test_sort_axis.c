/* Sorts along any axis: each line is in the order of the oracle, whatever the strides; no byte beside the output is
   written. */
#include "parscan/parscan.h"
#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/key_patterns.h"
#include "tests/support/lines.h"
#include "tests/support/oracle_sort.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

typedef struct sort_axis_case {
    parscan_type type, index_type; /* index_type: 0 sorts keys, else it is an argsort */
    extents shape;
    memory_layout in, out;
    bool descending, in_place;
} sort_axis_case;

static void expect_lines(const sort_axis_case *c, const placed *was, const placed *out)
{
    const size_t n = c->shape.n, size = parscan_type_size(c->type);
    const size_t out_size = c->index_type == 0 ? size : parscan_type_size(c->index_type);
    char *const x = malloc(n * 8 + 1), *const y = malloc(n * 8 + 1),
                *const sorted = malloc(n * 8 + 1);
    size_t *const order = malloc((n + 1) * sizeof *order);
    for (size_t o = 0; o < c->shape.outer; o++)
        for (size_t i = 0; i < c->shape.inner; i++) {
            const oracle_sort sort = {
                .type = c->type, .descending = c->descending, .keys = x, .n = n};
            copy_line(x, was, o, i, n, size);
            copy_line(y, out, o, i, n, out_size);
            oracle_sort_order(&sort, order);
            oracle_gather(x, size, order, n, sorted);
            for (size_t k = 0; k < n && c->index_type != 0; k++) {
                const uint64_t wide = order[k];
                const uint32_t narrow = (uint32_t)wide;
                memcpy(sorted + k * out_size, out_size == 8 ? (const void *)&wide : &narrow,
                       out_size);
            }
            cr_assert_arr_eq(y, sorted, n * out_size,
                             "%s, indices %d, %zu x %zu x %zu, layouts %d, %d: line %zu, %zu",
                             parscan_type_name(c->type), (int)c->index_type, c->shape.outer, n,
                             c->shape.inner, (int)c->in, (int)c->out, o, i);
        }
    free(x);
    free(y);
    free(sorted);
    free(order);
}

static void fill(const placed *in, extents s, parscan_type type)
{
    const size_t all = s.outer * s.n * s.inner, size = parscan_type_size(type);
    char *const keys = patterned_keys(type, (key_pattern)(rand() % KEY_PATTERNS), all + 1);
    size_t k = 0;
    memset(in->memory, 0x3c, in->bytes);
    for (size_t o = 0; o < s.outer; o++)
        for (size_t i = 0; i < s.n; i++)
            for (size_t c = 0; c < s.inner; c++)
                memcpy(element(in, o, i, c), keys + k++ * size, size);
    free(keys);
}

static void expect(parscan_context *context, const sort_axis_case *c)
{
    const size_t size = parscan_type_size(c->type);
    const size_t out_size = c->index_type == 0 ? size : parscan_type_size(c->index_type);
    axis_arrays a = {.in = place(c->shape, size, c->in, 0),
                     .out = place(c->shape, out_size, c->out, 0)};
    fill(&a.in, c->shape, c->type);
    axis_begin(&a, c->shape, c->in, c->out, c->in_place);
    const parscan_sort_options options =
        PARSCAN_SORT_OPTIONS(.descending = c->descending, .shape = &a.shape);
    const parscan_status status =
        c->index_type == 0
            ? parscan_sort_keys(context, c->type, a.in.first, a.to.first, c->shape.n, &options)
            : parscan_argsort(context, c->type, a.in.first, c->index_type, a.to.first, c->shape.n,
                              &options);
    cr_assert_eq(status, PARSCAN_OK, "%s", parscan_context_error(context));
    expect_lines(c, &a.was, &a.to);
    axis_end(&a, c->shape, out_size);
}

static sort_axis_case case_of(size_t k, parscan_type type, extents s)
{
    static const parscan_type indices[] = {0, PARSCAN_U32, 0, PARSCAN_I64};
    sort_axis_case c = {.type = type,
                        .index_type = indices[k % 4],
                        .shape = s,
                        .in = (memory_layout)(k / 3 % LAYOUTS),
                        .out = (memory_layout)((k / 2 + k / 12) % LAYOUTS),
                        .descending = k / 5 % 2};
    c.in_place = c.index_type == 0 && k % 3 == 0;
    return c;
}

/* ---- pairs ---- */

typedef struct pairs_case {
    parscan_type type;
    size_t value_size;
    extents shape;
    memory_layout in, out, values_in, values_out;
    bool descending, in_place, values_in_place;
} pairs_case;

/* Values that tell where they were. */
static void fill_values(const placed *in, extents s, size_t size)
{
    memset(in->memory, 0x3c, in->bytes);
    unsigned k = 0;
    for (size_t o = 0; o < s.outer; o++)
        for (size_t i = 0; i < s.n; i++)
            for (size_t c = 0; c < s.inner; c++, k++)
                for (size_t b = 0; b < size; b++)
                    element(in, o, i, c)[b] = (char)(k * 2654435761u >> (b * 5 % 24));
}

/* A copy of an array, for free(was.memory). */
static placed copy_of(const placed *a)
{
    placed was = *a;
    was.memory = malloc(a->bytes);
    memcpy(was.memory, a->memory, a->bytes);
    was.first = was.memory + (a->first - a->memory);
    return was;
}

static void expect_pair_lines(const pairs_case *c, const placed was[2], const placed out[2])
{
    const size_t n = c->shape.n, sizes[2] = {parscan_type_size(c->type), c->value_size};
    size_t *const order = malloc((n + 1) * sizeof *order);
    char *const keys = malloc(n * 8 + 1);
    for (size_t o = 0; o < c->shape.outer; o++)
        for (size_t i = 0; i < c->shape.inner; i++) {
            copy_line(keys, &was[0], o, i, n, sizes[0]);
            oracle_sort_order(
                &(oracle_sort){.type = c->type, .descending = c->descending, .keys = keys, .n = n},
                order);
            for (size_t k = 0; k < n; k++)
                for (int a = 0; a < 2; a++)
                    cr_assert_arr_eq(element(&out[a], o, k, i), element(&was[a], o, order[k], i),
                                     sizes[a],
                                     "%s, values of %zu, %zu x %zu x %zu, array %d: line %zu, %zu",
                                     parscan_type_name(c->type), c->value_size, c->shape.outer, n,
                                     c->shape.inner, a, o, i);
        }
    free(order);
    free(keys);
}

static void expect_pairs(parscan_context *context, const pairs_case *c)
{
    const size_t size = parscan_type_size(c->type);
    const placed in[2] = {place(c->shape, size, c->in, 0),
                          place(c->shape, c->value_size, c->values_in, 3)};
    const placed apart[2] = {place(c->shape, size, c->out, 0),
                             place(c->shape, c->value_size, c->values_out, 1)};
    const placed out[2] = {c->in_place ? in[0] : apart[0], c->values_in_place ? in[1] : apart[1]};
    fill(&in[0], c->shape, c->type);
    fill_values(&in[1], c->shape, c->value_size);
    for (int a = 0; a < 2; a++)
        memset(apart[a].memory, 0x5a, apart[a].bytes);
    const placed was[2] = {copy_of(&in[0]), copy_of(&in[1])};
    const placed before[2] = {copy_of(&out[0]), copy_of(&out[1])};
    const parscan_shape shape =
        PARSCAN_SHAPE(.outer = c->shape.outer, .inner = c->shape.inner, .in_strides = in[0].strides,
                      .out_strides = out[0].strides);
    const parscan_sort_options options =
        PARSCAN_SORT_OPTIONS(.descending = c->descending, .shape = &shape,
                             .values_in_strides = c->values_in == PACKED ? NULL : in[1].strides,
                             .values_out_strides = c->values_in_place || c->values_out != PACKED
                                                       ? out[1].strides
                                                       : NULL);
    cr_assert_eq(parscan_sort_pairs(context, c->type, in[0].first, out[0].first, c->value_size,
                                    in[1].first, out[1].first, c->shape.n, &options),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    expect_pair_lines(c, was, out);
    for (int a = 0; a < 2; a++) {
        cr_assert(is_untouched(&out[a], before[a].memory, c->shape, a == 0 ? size : c->value_size),
                  "bytes beside output %d", a);
        free(in[a].memory);
        free(apart[a].memory);
        free(was[a].memory);
        free(before[a].memory);
    }
}

SimdTest(sort_axis, of_pairs_is_right_for_values_of_any_size)
{
    static const extents shapes[] = {{1, 9, 1}, {3, 7, 1},  {1, 40, 2},  {2, 33, 5}, {1, 1, 8},
                                     {4, 0, 3}, {1, 5, 70}, {0, 4, 4},   {3, 4, 0},  {2, 200, 9},
                                     {1, 1, 1}, {20, 4, 3}, {1, 1500, 3}};
    static const size_t sizes[] = {4, 8, 1, 12, 2, 16, 3, 64};
    parscan_context *const context = test_context();
    for (size_t k = 0; k < 3 * TYPES; k++) {
        pairs_case c = {.type = all_types[k % TYPES],
                        .value_size = sizes[k % COUNT_OF(sizes)],
                        .shape = shapes[k % COUNT_OF(shapes)],
                        .in = (memory_layout)(k % LAYOUTS),
                        .out = (memory_layout)(k / 2 % LAYOUTS),
                        .values_in = (memory_layout)(k / 3 % LAYOUTS),
                        .values_out = (memory_layout)(k / 5 % LAYOUTS),
                        .descending = k / 4 % 2,
                        .in_place = k % 3 == 0,
                        .values_in_place = k % 5 == 0};
        expect_pairs(context, &c);
    }
    parscan_context_destroy(context);
}

SimdTest(sort_axis, of_any_place_is_right_for_every_type)
{
    static const extents shapes[] = {{1, 9, 1},   {3, 7, 1},   {1, 40, 2},  {2, 33, 5}, {1, 1, 8},
                                     {4, 0, 3},   {1, 3, 700}, {70, 2, 3},  {0, 4, 4},  {3, 4, 0},
                                     {2, 300, 9}, {90, 64, 1}, {1, 2000, 3}};
    parscan_context *const context = test_context();
    size_t k = 0;
    for (size_t t = 0; t < TYPES; t++)
        for (size_t s = 0; s < COUNT_OF(shapes); s++, k++) {
            const sort_axis_case c = case_of(k, all_types[t], shapes[s]);
            if (takes_larger_case())
                expect(context, &c);
        }
    parscan_context_destroy(context);
}

/* Several batches of lines, by several threads. */
Test(sort_axis, of_large_arrays_is_right)
{
    static const extents large[] = {{1, 70000, 20}, {1, 20, 70000}, {3000, 30, 9}, {40000, 31, 1}};
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = threads});
        for (size_t s = 0; s < COUNT_OF(large); s++) {
            if (!takes_larger_case())
                continue;
            const sort_axis_case c =
                case_of(s + threads / 2, s % 2 == 0 ? PARSCAN_U32 : PARSCAN_F64, large[s]);
            expect(context, &c);
        }
        parscan_context_destroy(context);
    }
}

/* Rows that CUDA sorts in registers: lengths around those of a warp's and a block's places. Fewer on the CPU. */
Test(sort_axis, of_many_short_rows_is_right)
{
    static const size_t lengths[] = {33,  63,   64,   65,   128,  200,  256,  511,  512,
                                     513, 1024, 1025, 2047, 4096, 5000, 8192, 9000, 16384};
    static const parscan_type types[] = {PARSCAN_U32, PARSCAN_I32, PARSCAN_U64, PARSCAN_F32,
                                         PARSCAN_I64};
    const size_t rows = test_backend() == PARSCAN_BACKEND_CUDA ? 133 : 3;
    parscan_context *const context = test_context();
    for (size_t k = 0; k < 3 * COUNT_OF(lengths); k++) {
        const extents s = {rows, lengths[k % COUNT_OF(lengths)], 1};
        sort_axis_case c = case_of(k / 3 + k, types[k % COUNT_OF(types)], s);
        c.in = c.out = k % 4 == 3 ? GAPS : PACKED;
        if (takes_larger_case())
            expect(context, &c);
    }
    parscan_context_destroy(context);
}

/* Only some bits of the keys are compared: the others keep the order of the elements. */
Test(sort_axis, of_some_bits_keeps_the_order)
{
    enum { ROWS = 140, N = 300 };
    static uint32_t keys[ROWS * N], indices[ROWS * N];
    parscan_context *const context = test_context();
    const parscan_shape shape = PARSCAN_SHAPE(.outer = ROWS, .inner = 1);
    for (unsigned descending = 0; descending < 2; descending++) {
        const parscan_sort_options options =
            PARSCAN_SORT_OPTIONS(.begin_bit = 8, .end_bit = 12, .descending = (int)descending,
                                 .shape = &shape);
        for (size_t i = 0; i < ROWS * N; i++)
            keys[i] = (uint32_t)random_bits();
        cr_assert_eq(parscan_argsort(context, PARSCAN_U32, keys, PARSCAN_U32, indices, N, &options),
                     PARSCAN_OK, "%s", parscan_context_error(context));
        for (size_t r = 0; r < ROWS; r++)
            for (size_t i = 1; i < N; i++) {
                const uint32_t a = indices[r * N + i - 1], b = indices[r * N + i];
                const uint32_t first = keys[r * N + a] >> 8 & 15,
                               second = keys[r * N + b] >> 8 & 15;
                cr_assert(descending ? first > second || (first == second && a < b)
                                     : first < second || (first == second && a < b),
                          "row %zu, place %zu", r, i);
            }
        cr_assert_eq(parscan_sort_keys(context, PARSCAN_U32, keys, indices, N, &options),
                     PARSCAN_OK, "%s", parscan_context_error(context));
        for (size_t r = 0; r < ROWS; r++)
            for (size_t i = 1; i < N; i++)
                cr_assert((indices[r * N + i - 1] >> 8 & 15) == (indices[r * N + i] >> 8 & 15) ||
                          ((indices[r * N + i - 1] >> 8 & 15) < (indices[r * N + i] >> 8 & 15)) !=
                              (descending != 0));
    }
    parscan_context_destroy(context);
}

Test(sort_axis, is_refused_in_words)
{
    uint32_t keys[64] = {0}, out[64];
    uint64_t values[64] = {0};
    const int64_t sharing[3] = {16, 8, 2};
    parscan_context *const context = test_context();
    const parscan_shape two = PARSCAN_SHAPE(.outer = 2, .inner = 2);
    parscan_shape shape = two;
    const parscan_sort_options options = PARSCAN_SORT_OPTIONS(.shape = &shape);
    const parscan_segments rows = PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_ROWS, .count = 4);
    shape.out_strides = sharing;
    cr_assert_eq(parscan_sort_keys(context, PARSCAN_U32, keys, out, 4, &options),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_not_null(strstr(parscan_context_error(context),
                              "out_strides = 16, 8, 2: elements of keys_out share bytes"));
    shape = two;
    cr_assert_eq(
        parscan_sort_pairs(context, PARSCAN_U32, keys, out, 8, values, values + 32, 4,
                           &PARSCAN_SORT_OPTIONS(.shape = &two, .values_out_strides = sharing)),
        PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_str_eq(parscan_context_error(context),
                     "values_out_strides = 16, 8, 2: elements of values_out share bytes");
    cr_assert_eq(parscan_argsort(context, PARSCAN_U32, keys, PARSCAN_U32, keys, 4, &options),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(parscan_sort_keys(context, PARSCAN_U32, NULL, out, 4, &options),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(parscan_sort_pairs(context, PARSCAN_U32, keys, out, 8, keys, values, 4, &options),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    cr_assert_eq(parscan_sort_pairs(context, PARSCAN_U32, keys, out, 4, values, out, 4, &options),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_not_null(strstr(parscan_context_error(context), "values_out"));
    cr_assert_eq(
        parscan_sort_pairs(context, PARSCAN_U32, keys, out, 0, values, values, 4, &options),
        PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(
        parscan_sort_keys(context, PARSCAN_U32, keys, out, 4,
                          &PARSCAN_SORT_OPTIONS(.shape = &two, .values_in_strides = sharing)),
        PARSCAN_ERROR_UNSUPPORTED);
    cr_assert_eq(parscan_sort_pairs(context, PARSCAN_U32, keys, out, 8, values, values, 4,
                                    &PARSCAN_SORT_OPTIONS(.values_out_strides = sharing)),
                 PARSCAN_ERROR_UNSUPPORTED);
    cr_assert_eq(
        parscan_sort_segments(context, PARSCAN_U32, keys, out, 0, NULL, NULL, 16, &rows, &options),
        PARSCAN_ERROR_UNSUPPORTED);
    parscan_context_destroy(context);
}

/* A context that measures tells what a real one takes. */
Test(sort_axis, is_measured)
{
    enum { N = 3000, LINES = 400 };
    float *const keys = calloc(N * LINES, sizeof *keys);
    uint32_t *const indices = calloc(N * LINES, sizeof *indices);
    parscan_context *const context = test_context();
    parscan_context *const measuring =
        test_context_with((parscan_context_options){.measure = 1, .measure_host = 1});
    const parscan_shape shape = PARSCAN_SHAPE(.outer = 1, .inner = LINES);
    const parscan_sort_options options = PARSCAN_SORT_OPTIONS(.shape = &shape);
    for (int k = 0; k < 2; k++) {
        parscan_argsort(measuring, PARSCAN_F32, keys, PARSCAN_U32, indices, N, &options);
        parscan_argsort(context, PARSCAN_F32, keys, PARSCAN_U32, indices, N, &options);
        cr_assert_geq(parscan_context_scratch(measuring), parscan_context_scratch(context));
        cr_assert_gt(parscan_context_scratch(context), 0);
    }
    parscan_context_destroy(measuring);
    parscan_context_destroy(context);
    free(keys);
    free(indices);
}
