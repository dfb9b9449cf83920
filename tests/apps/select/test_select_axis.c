/* Selections along any axis: each line has the results that it has alone, on the CPU. */
#include "parscan/parscan.h"
#include "tests/support/every_simd.h"
#include "tests/support/key_patterns.h"
#include "tests/support/lines.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

typedef struct select_axis_case {
    parscan_type type, index_type;
    extents shape;
    memory_layout in, values_out, indices_out;
    bool top, smallest, values; /* top: top-k, else an extreme with its index */
    size_t k;
} select_axis_case;

static parscan_status select_from(parscan_context *context, const select_axis_case *c,
                                  const void *in, void *values, void *indices,
                                  const parscan_shape *shape, const int64_t *strides)
{
    values = c->values ? values : NULL;
    if (c->top)
        return parscan_top_k(context, c->type, in, c->shape.n, c->k, values, c->index_type, indices,
                             &PARSCAN_TOP_K_OPTIONS(.smallest = c->smallest, .shape = shape,
                                                    .indices_out_strides = strides));
    return parscan_arg_reduce(
        context, c->type, in, c->shape.n, c->smallest ? PARSCAN_MIN : PARSCAN_MAX, values,
        c->index_type, indices,
        &PARSCAN_ARG_REDUCE_OPTIONS(.shape = shape, .indices_out_strides = strides));
}

/* alone_on: a context of the CPU. */
static void expect_line(parscan_context *alone_on, const select_axis_case *c, const placed *in,
                        size_t o, size_t i, const placed *values, const placed *indices)
{
    const size_t size = parscan_type_size(c->type), wide = parscan_type_size(c->index_type);
    char *const x = malloc(c->shape.n * size + 1);
    char *const alone = malloc((c->k + 1) * 16), *const where = alone + (c->k + 1) * 8;
    copy_line(x, in, o, i, c->shape.n, size);
    cr_assert_eq(select_from(alone_on, c, x, alone, where, NULL, NULL), PARSCAN_OK);
    for (size_t j = 0; j < c->k; j++) {
        cr_assert(!c->values || memcmp(alone + j * size, element(values, o, j, i), size) == 0,
                  "%s, %zu x %zu x %zu, k = %zu: value %zu of line %zu, %zu",
                  parscan_type_name(c->type), c->shape.outer, c->shape.n, c->shape.inner, c->k, j,
                  o, i);
        cr_assert_arr_eq(where + j * wide, element(indices, o, j, i), wide,
                         "%s, %zu x %zu x %zu, k = %zu: index %zu of line %zu, %zu",
                         parscan_type_name(c->type), c->shape.outer, c->shape.n, c->shape.inner,
                         c->k, j, o, i);
    }
    free(alone);
    free(x);
}

/* A copy of the memory of an output that is filled. */
static char *filled(const placed *out)
{
    char *const before = malloc(out->bytes);
    memset(out->memory, 0x5a, out->bytes);
    memcpy(before, out->memory, out->bytes);
    return before;
}

static void expect(parscan_context *context, const select_axis_case *c)
{
    const extents s = c->shape, found = {s.outer, c->k, s.inner};
    const size_t size = parscan_type_size(c->type), wide = parscan_type_size(c->index_type);
    const size_t all = s.outer * s.n * s.inner;
    const placed in = place(s, size, c->in, 0), values = place(found, size, c->values_out, 0),
                 indices = place(found, wide, c->indices_out, 0);
    char *const keys = patterned_keys(c->type, (key_pattern)(all % KEY_PATTERNS), all + 1);
    char *const values_before = filled(&values), *const indices_before = filled(&indices);
    size_t k = 0;
    for (size_t o = 0; o < s.outer; o++)
        for (size_t j = 0; j < s.n; j++)
            for (size_t i = 0; i < s.inner; i++)
                memcpy(element(&in, o, j, i), keys + k++ * size, size);
    const parscan_shape shape =
        PARSCAN_SHAPE(.outer = s.outer, .inner = s.inner,
                      .in_strides = c->in == PACKED ? NULL : in.strides,
                      .out_strides = c->values_out == PACKED ? NULL : values.strides);
    cr_assert_eq(select_from(context, c, in.first, values.first, indices.first, &shape,
                             c->indices_out == PACKED ? NULL : indices.strides),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    parscan_context *alone_on;
    const parscan_context_options cpu = {
        .struct_size = sizeof cpu, .backend = PARSCAN_BACKEND_CPU, .threads = 1};
    cr_assert_eq(parscan_context_create(&alone_on, &cpu), PARSCAN_OK);
    for (size_t o = 0; o < s.outer; o++)
        for (size_t i = 0; i < s.inner; i++)
            expect_line(alone_on, c, &in, o, i, &values, &indices);
    parscan_context_destroy(alone_on);
    cr_assert(is_untouched(&values, values_before, found, size) &&
              is_untouched(&indices, indices_before, found, wide));
    free(values_before);
    free(indices_before);
    free(values.memory);
    free(indices.memory);
    free(keys);
    free(in.memory);
}

SimdTest(select_axis, of_any_place_is_right_for_every_type)
{
    static const extents shapes[] = {{1, 9, 1},   {3, 7, 1},   {1, 40, 2}, {2, 33, 5},
                                     {1, 1, 8},   {1, 3, 700}, {70, 2, 3}, {0, 4, 4},
                                     {2, 300, 9}, {90, 64, 1}, {4, 0, 3}};
    static const parscan_type indices[] = {PARSCAN_U32, PARSCAN_I64};
    parscan_context *const context = test_context();
    size_t k = 0;
    for (size_t t = 0; t < TYPES; t++)
        for (size_t s = 0; s < COUNT_OF(shapes); s++, k++) {
            select_axis_case c = {.type = all_types[t],
                                  .index_type = indices[k / 2 % 2],
                                  .shape = shapes[s],
                                  .in = (memory_layout)(k / 3 % LAYOUTS),
                                  .values_out = (memory_layout)(k / 2 % LAYOUTS),
                                  .indices_out = (memory_layout)(k / 7 % LAYOUTS),
                                  .top = k % 2 == 1 && shapes[s].n > 0,
                                  .smallest = k % 3 == 0,
                                  .values = k % 5 != 0,
                                  .k = 1};
            if (c.top)
                c.k = k % 7 < shapes[s].n ? k % 7 : shapes[s].n;
            expect(context, &c);
        }
    parscan_context_destroy(context);
}

Test(select_axis, of_large_arrays_is_right)
{
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 3});
    for (int top = 0; top < 2; top++) {
        const extents large[] = {{1, 70000, 20}, {1, 100, 20000}, {30000, 31, 1}};
        for (size_t s = 0; s < COUNT_OF(large); s++) {
            const select_axis_case c = {.type = PARSCAN_F32,
                                        .index_type = PARSCAN_U32,
                                        .shape = large[s],
                                        .top = top,
                                        .values = true,
                                        .k = top ? 5 : 1};
            expect(context, &c);
        }
    }
    parscan_context_destroy(context);
}

Test(select_axis, of_lines_shorter_than_k_leaves_the_other_slots)
{
    const uint32_t in[18] = {5, 1, 9, 4, 2, 7};
    uint32_t values[12], indices[12];
    const uint32_t expected[12] = {5, 2, 9, 4, 1, 7, 99, 99, 99, 99, 99, 99};
    const uint64_t n = 2;
    const parscan_shape shape = PARSCAN_SHAPE(.outer = 1, .inner = 3);
    parscan_context *const context = test_context();
    for (size_t j = 0; j < 12; j++)
        values[j] = indices[j] = 99;
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = &n)), PARSCAN_OK);
    cr_assert_eq(parscan_top_k(context, PARSCAN_U32, in, 6, 4, values, PARSCAN_U32, indices,
                               &PARSCAN_TOP_K_OPTIONS(.shape = &shape)),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    cr_assert_arr_eq(values, expected, sizeof values);
    const uint32_t where[12] = {0, 1, 0, 1, 0, 1, 99, 99, 99, 99, 99, 99};
    cr_assert_arr_eq(indices, where, sizeof indices);
    parscan_context_destroy(context);
}

Test(select_axis, is_refused_in_words)
{
    uint32_t in[64] = {0}, values[64], indices[64];
    uint64_t count;
    const int64_t strides[3] = {8, 8, 4}, sharing[3] = {16, 8, 2};
    parscan_context *const context = test_context();
    parscan_shape shape = PARSCAN_SHAPE(.outer = 2, .inner = 2);
    select_axis_case c = {.type = PARSCAN_U32,
                          .index_type = PARSCAN_U32,
                          .shape = {2, 4, 2},
                          .top = true,
                          .values = true,
                          .k = 5};
    cr_assert_eq(select_from(context, &c, in, values, indices, &shape, NULL),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    c.k = 2;
    cr_assert_eq(select_from(context, &c, in, in + 8, indices, &shape, NULL),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_not_null(strstr(parscan_context_error(context), "overlap"));
    cr_assert_eq(select_from(context, &c, in, values, values + 4, &shape, NULL),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(select_from(context, &c, NULL, values, indices, &shape, NULL),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(parscan_arg_reduce(context, PARSCAN_U32, in, 4, PARSCAN_MIN, values, PARSCAN_U32,
                                    indices,
                                    &PARSCAN_ARG_REDUCE_OPTIONS(.shape = &shape, .count = &count)),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    shape.out_strides = strides;
    cr_assert_eq(select_from(context, &c, in, values, indices, &shape, NULL),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_not_null(strstr(parscan_context_error(context), "values_out share bytes"));
    shape.out_strides = NULL;
    cr_assert_eq(select_from(context, &c, in, values, indices, &shape, sharing),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_str_eq(parscan_context_error(context),
                     "indices_out_strides = 16, 8, 2: elements of indices_out share bytes");
    cr_assert_eq(
        parscan_top_k(context, PARSCAN_CUSTOM, in, 4, 1, values, PARSCAN_U32, indices, NULL),
        PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_str_eq(parscan_context_error(context),
                     "type = custom: it must be a type of the library's here");
    cr_assert_eq(select_from(context, &c, in, values, indices, NULL, strides),
                 PARSCAN_ERROR_UNSUPPORTED);
    parscan_context_destroy(context);
}
