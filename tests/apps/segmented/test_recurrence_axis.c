/* Recurrences along any axis: each line is a loop's answer, and on the CPU has the bits that it has alone. */
#include "parscan/parscan.h"
#include "tests/support/every_simd.h"
#include "tests/support/lines.h"
#include "tests/support/number.h"
#include "tests/support/oracle_segmented.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

typedef struct recurrence_axis_case {
    parscan_type type;
    extents shape;
    memory_layout in, out;
    bool constant_a, in_place; /* in_place: out is b */
    bool exact;                /* factors are -1, 0, 1, the rest is small integers */
} recurrence_axis_case;

static void draw(const recurrence_axis_case *c, void *to, bool factor)
{
    const size_t choice = random_below(100);
    if (!c->exact)
        random_fill(c->type, PARSCAN_SUM, to, 1);
    else if (factor)
        number_write_real(c->type, to, 0, choice == 0 ? 0 : choice % 2 == 0 ? 1 : -1);
    else
        number_write_real(c->type, to, 0, (double)(choice % 11) - 5);
}

static void fill(const recurrence_axis_case *c, const placed *array, bool factors)
{
    const extents s = c->shape;
    memset(array->memory, 0x3c, array->bytes);
    for (size_t o = 0; o < s.outer; o++)
        for (size_t i = 0; i < s.n; i++)
            for (size_t k = 0; k < s.inner; k++)
                draw(c, element(array, o, i, k), factors);
}

/* f: the factors, or the one of all. */
static void expect_line(parscan_context *context, const recurrence_axis_case *c, char *f, char *x,
                        const char *y, const void *x0)
{
    const size_t n = c->shape.n, size = parscan_type_size(c->type);
    char words[ORACLE_WORDS];
    if (test_backend() != PARSCAN_BACKEND_CUDA) {
        char *const alone = malloc(n * size + 1);
        cr_assert_eq(
            parscan_recurrence_with(context, c->type, f, x, x0, alone, n,
                                    &PARSCAN_RECURRENCE_OPTIONS(.constant_a = c->constant_a)),
            PARSCAN_OK);
        cr_assert(n == 0 || memcmp(alone, y, n * size) == 0, "not the bits of the line alone");
        free(alone);
    }
    for (size_t i = 1; i < n && c->constant_a; i++)
        memcpy(f + i * size, f, size);
    const oracle_recurrence question = {c->type, f, x, x0, n, true};
    cr_assert(!c->exact || oracle_recurrence_disagrees_at(&question, y, words) == ORACLE_AGREES,
              "%s, %zu x %zu x %zu: %s", parscan_type_name(c->type), c->shape.outer, n,
              c->shape.inner, words);
}

static void expect(parscan_context *context, const recurrence_axis_case *c)
{
    const extents s = c->shape;
    const size_t size = parscan_type_size(c->type);
    const placed factors = place(s, size, c->in, 0);
    axis_arrays a = {.in = place(s, size, c->in, 0), .out = place(s, size, c->out, 0)};
    uint64_t one, x0;
    fill(c, &factors, true);
    fill(c, &a.in, false);
    draw(c, &one, true);
    draw(c, &x0, false);
    axis_begin(&a, s, c->in, c->out, c->in_place);
    cr_assert_eq(parscan_recurrence_with(
                     context, c->type, c->constant_a ? (void *)&one : factors.first, a.in.first,
                     &x0, a.to.first, s.n,
                     &PARSCAN_RECURRENCE_OPTIONS(.constant_a = c->constant_a, .shape = &a.shape)),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    char *const x = malloc(s.n * size + 1), *const f = malloc(s.n * size + 1),
                *const y = malloc(s.n * size + 1);
    for (size_t o = 0; o < s.outer; o++)
        for (size_t i = 0; i < s.inner; i++) {
            copy_line(f, &factors, o, i, s.n, size);
            if (c->constant_a && s.n > 0)
                memcpy(f, &one, size);
            copy_line(x, &a.was, o, i, s.n, size);
            copy_line(y, &a.to, o, i, s.n, size);
            expect_line(context, c, f, x, y, &x0);
        }
    free(x);
    free(f);
    free(y);
    free(factors.memory);
    axis_end(&a, s, size);
}

SimdTest(recurrence_axis, of_any_place_is_right)
{
    static const extents shapes[] = {{1, 9, 1},      {3, 7, 1},    {1, 40, 2},    {2, 33, 5},
                                     {1, 1, 8},      {1, 3, 700},  {70, 2, 3},    {0, 4, 4},
                                     {4, 0, 3},      {2, 300, 9},  {1, 30000, 3}, {30, 700, 1},
                                     {1, 4000, 100}, {3, 9000, 1}, {1, 9, 40000}};
    static const parscan_type types[] = {PARSCAN_F32, PARSCAN_F64, PARSCAN_F16, PARSCAN_BF16};
    parscan_context *const context = test_context();
    for (size_t k = 0; k < 4 * COUNT_OF(shapes) * LAYOUTS; k++) {
        const extents s = shapes[k / 4 % COUNT_OF(shapes)];
        if (s.n * s.inner > 10000 && k / 4 / COUNT_OF(shapes) != k % LAYOUTS)
            continue; /* one layout of each type */
        const recurrence_axis_case c = {.type = types[k % 4],
                                        .shape = s,
                                        .exact =
                                            k % 3 > 0 || test_backend() == PARSCAN_BACKEND_CUDA,
                                        .in = (memory_layout)(k / 5 % LAYOUTS),
                                        .out = (memory_layout)(k / 2 % LAYOUTS),
                                        .constant_a = (k + k / 4) % 2,
                                        .in_place = k % 7 == 3};
        expect(context, &c);
    }
    parscan_context_destroy(context);
}

/* Arrays, x0 and a in the engine's memory; in place. */
Test(recurrence_axis, takes_its_scalars_from_the_engines_memory)
{
    enum { N = 700, INNER = 5 };
    parscan_context *const context = test_context();
    const parscan_shape shape = PARSCAN_SHAPE(.outer = 1, .inner = INNER);
    float b[N * INNER], scalars[2] = {-1, 3};
    void *array = NULL, *there = NULL;
    for (size_t i = 0; i < N * INNER; i++)
        b[i] = (float)(i % 7);
    cr_assert_eq(parscan_malloc(context, &array, sizeof b), PARSCAN_OK);
    cr_assert_eq(parscan_malloc(context, &there, sizeof scalars), PARSCAN_OK);
    cr_assert_eq(parscan_copy(context, array, b, sizeof b), PARSCAN_OK);
    cr_assert_eq(parscan_copy(context, there, scalars, sizeof scalars), PARSCAN_OK);
    cr_assert_eq(parscan_recurrence_with(
                     context, PARSCAN_F32, there, array, (char *)there + sizeof(float), array, N,
                     &PARSCAN_RECURRENCE_OPTIONS(.constant_a = 1, .shape = &shape)),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    cr_assert_eq(parscan_copy(context, b, array, sizeof b), PARSCAN_OK);
    for (size_t c = 0; c < INNER; c++) {
        float x = 3;
        for (size_t i = 0; i < N; i++) {
            x = -x + (float)((i * INNER + c) % 7);
            cr_assert_eq(b[i * INNER + c], x, "element %zu of column %zu", i, c);
        }
    }
    parscan_free(context, array);
    parscan_free(context, there);
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
