/* Recurrences along any axis: each line has the bits that it has alone. */
#include "parscan/parscan.h"
#include "tests/support/every_simd.h"
#include "tests/support/lines.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

typedef struct recurrence_axis_case {
    parscan_type type;
    extents shape;
    memory_layout in, out;
    bool constant_a, in_place; /* in_place: out is b */
} recurrence_axis_case;

static void fill(const placed *array, extents s, parscan_type type)
{
    memset(array->memory, 0x3c, array->bytes);
    for (size_t o = 0; o < s.outer; o++)
        for (size_t i = 0; i < s.n; i++)
            for (size_t c = 0; c < s.inner; c++)
                random_fill(type, PARSCAN_SUM, element(array, o, i, c), 1);
}

static void expect(parscan_context *context, const recurrence_axis_case *c)
{
    const extents s = c->shape;
    const size_t size = parscan_type_size(c->type);
    const placed a = place(s, size, c->in, 0), b = place(s, size, c->in, 0);
    const placed out = place(s, size, c->out, 0), *const to = c->in_place ? &b : &out;
    uint64_t one, x0;
    placed was = b;
    fill(&a, s, c->type);
    fill(&b, s, c->type);
    random_fill(c->type, PARSCAN_SUM, &one, 1);
    random_fill(c->type, PARSCAN_SUM, &x0, 1);
    was.memory = malloc(b.bytes);
    memcpy(was.memory, b.memory, b.bytes);
    was.first = was.memory + (b.first - b.memory);
    memset(out.memory, 0x5a, out.bytes);
    char *const before = malloc(to->bytes);
    memcpy(before, to->memory, to->bytes);
    const parscan_shape shape = PARSCAN_SHAPE(.outer = s.outer, .inner = s.inner,
                                              .in_strides = c->in == PACKED ? NULL : b.strides,
                                              .out_strides = c->in_place        ? b.strides
                                                             : c->out == PACKED ? NULL
                                                                                : out.strides);
    cr_assert_eq(parscan_recurrence_with(
                     context, c->type, c->constant_a ? (void *)&one : a.first, b.first, &x0,
                     to->first, s.n,
                     &PARSCAN_RECURRENCE_OPTIONS(.constant_a = c->constant_a, .shape = &shape)),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    char *const x = malloc(s.n * size + 1), *const f = malloc(s.n * size + 1),
                *const y = malloc(s.n * size + 1);
    for (size_t o = 0; o < s.outer; o++)
        for (size_t i = 0; i < s.inner; i++) {
            copy_line(f, &a, o, i, s.n, size);
            copy_line(x, &was, o, i, s.n, size);
            copy_line(y, to, o, i, s.n, size);
            cr_assert_eq(parscan_recurrence_with(
                             context, c->type, c->constant_a ? (void *)&one : f, x, &x0, x, s.n,
                             &PARSCAN_RECURRENCE_OPTIONS(.constant_a = c->constant_a)),
                         PARSCAN_OK);
            cr_assert_arr_eq(x, y, s.n * size, "%s, %zu x %zu x %zu: line %zu, %zu",
                             parscan_type_name(c->type), s.outer, s.n, s.inner, o, i);
        }
    cr_assert(is_untouched(to, before, s, size), "bytes beside the output");
    free(x);
    free(f);
    free(y);
    free(before);
    free(was.memory);
    free(a.memory);
    free(b.memory);
    free(out.memory);
}

SimdTest(recurrence_axis, of_any_place_has_the_bits_of_its_lines)
{
    static const extents shapes[] = {{1, 9, 1}, {3, 7, 1},   {1, 40, 2},   {2, 33, 5},
                                     {1, 1, 8}, {1, 3, 700}, {70, 2, 3},   {0, 4, 4},
                                     {4, 0, 3}, {2, 300, 9}, {1, 30000, 3}};
    static const parscan_type types[] = {PARSCAN_F32, PARSCAN_F64, PARSCAN_F16};
    parscan_context *const context = test_context();
    for (size_t k = 0; k < 3 * COUNT_OF(shapes) * LAYOUTS; k++) {
        const recurrence_axis_case c = {.type = types[k % 3],
                                        .shape = shapes[k / 3 % COUNT_OF(shapes)],
                                        .in = (memory_layout)(k / 5 % LAYOUTS),
                                        .out = (memory_layout)(k / 2 % LAYOUTS),
                                        .constant_a = k % 2,
                                        .in_place = k % 7 == 3};
        expect(context, &c);
    }
    parscan_context_destroy(context);
}

Test(recurrence_axis, is_refused_in_words)
{
    float a[16] = {0}, b[16] = {0}, out[16];
    parscan_context *const context = test_context();
    const parscan_shape shape = PARSCAN_SHAPE(.outer = 2, .inner = 2);
    const parscan_recurrence_options options = PARSCAN_RECURRENCE_OPTIONS(.shape = &shape);
    cr_assert_eq(parscan_recurrence_with(context, PARSCAN_F32, NULL, b, NULL, out, 4, &options),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(parscan_recurrence_with(context, PARSCAN_F32, a, b, NULL, a + 1, 3, &options),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_not_null(strstr(parscan_context_error(context), "overlap"));
    parscan_context_destroy(context);
}
