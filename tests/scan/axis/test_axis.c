/* Scans and reductions along any axis: each line is what the oracle, a plain loop, makes of it, whatever the
   strides; no byte beside the output is written. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/parscan.h"
#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/lines.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

typedef struct axis_case {
    scan_kind kind;
    parscan_type type, out_type;
    parscan_op op;
    extents shape;
    memory_layout in, out;
    bool reverse, has_init, in_place, reproducible;
    size_t offset; /* bytes past an aligned address */
} axis_case;

static void expect_lines(parscan_context *context, const axis_case *c, const placed *in,
                         const placed *out, const void *init)
{
    const size_t in_size = parscan_type_size(c->type), out_size = parscan_type_size(c->out_type);
    const size_t results = c->kind == SCAN_REDUCE ? 1 : c->shape.n;
    char *const x = malloc(c->shape.n * in_size + 1), *const y = malloc(results * out_size + 1);
    char *const alone = malloc(results * out_size + 1);
    char words[ORACLE_WORDS];
    for (size_t o = 0; o < c->shape.outer; o++)
        for (size_t i = 0; i < c->shape.inner; i++) {
            copy_line(x, in, o, i, c->shape.n, in_size);
            copy_line(y, out, o, i, results, out_size);
            const oracle_scan scan = {c->kind,    c->type, c->out_type, c->op,
                                      c->reverse, init,    x,           c->shape.n};
            const size_t wrong = oracle_disagrees_at(&scan, y, words);
            cr_assert_eq(
                wrong, ORACLE_AGREES,
                "%s of %s to %s, kind %d, %zu x %zu x %zu, layouts %d, %d, reverse %d: line "
                "%zu, %zu: %s",
                parscan_op_name(c->op), parscan_type_name(c->type), parscan_type_name(c->out_type),
                (int)c->kind, c->shape.outer, c->shape.n, c->shape.inner, (int)c->in, (int)c->out,
                c->reverse, o, i, words);
            if (!c->reproducible || results == 0)
                continue;
            const parscan_scan_options options =
                PARSCAN_SCAN_OPTIONS(.op = c->op, .out_type = c->out_type, .init = init,
                                     .reverse = c->reverse, .reproducible = 1);
            cr_assert_eq(call_scan(context, c->kind, c->type, x, alone, c->shape.n, &options),
                         PARSCAN_OK);
            cr_assert_arr_eq(y, alone, results * out_size, "reproducible, line %zu, %zu", o, i);
        }
    free(x);
    free(y);
    free(alone);
}

static void expect(parscan_context *context, const axis_case *c)
{
    const size_t in_size = parscan_type_size(c->type), out_size = parscan_type_size(c->out_type);
    const extents results = {c->shape.outer, c->kind == SCAN_REDUCE ? 1 : c->shape.n,
                             c->shape.inner};
    axis_arrays a = {.in = place(c->shape, in_size, c->in, c->offset * in_size),
                     .out = place(results, out_size, c->out, c->offset * out_size)};
    uint64_t init;
    random_fill(c->type, c->op, a.in.memory, a.in.bytes / in_size);
    for (size_t o = 0; o < c->shape.outer; o++) /* elements need not be aligned to the memory */
        for (size_t i = 0; i < c->shape.n; i++)
            for (size_t k = 0; k < c->shape.inner; k++)
                random_fill(c->type, c->op, element(&a.in, o, i, k), 1);
    random_fill(c->out_type, c->op, &init, 1);
    axis_begin(&a, c->shape, c->in, c->out, c->in_place);
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.op = c->op, .out_type = c->out_type,
                             .init = c->has_init ? &init : NULL, .reverse = c->reverse,
                             .reproducible = c->reproducible, .shape = &a.shape);
    cr_assert_eq(call_scan(context, c->kind, c->type, a.in.first, a.to.first, c->shape.n, &options),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    expect_lines(context, c, &a.was, &a.to, options.init);
    axis_end(&a, results, out_size);
}

/* A case of that number: the layouts and options take turns. */
static axis_case case_of(size_t k, parscan_type type, parscan_type out_type, parscan_op op,
                         extents s)
{
    axis_case c = {.kind = (scan_kind)(k % 3),
                   .type = type,
                   .out_type = out_type,
                   .op = op,
                   .shape = s,
                   .in = (memory_layout)(k / 3 % LAYOUTS),
                   .out = (memory_layout)((k / 3 + k / 12) % LAYOUTS),
                   .reverse = k / 5 % 2,
                   .has_init = k / 7 % 2,
                   .reproducible = k % 4 == 3,
                   .offset = k % 3};
    c.in_place = c.kind != SCAN_REDUCE && k % 5 == 0 &&
                 parscan_type_size(type) == parscan_type_size(out_type);
    return c;
}

static const extents shapes[] = {
    {1, 9, 1},  {3, 7, 1},     {1, 40, 2},  {1, 30, 3},  {2, 33, 4},  {2, 17, 5},
    {1, 9, 37}, {2, 6, 150},   {1, 1, 8},   {4, 0, 3},   {5, 1, 1},   {1, 3, 4100},
    {70, 2, 3}, {2, 300, 9},   {0, 4, 4},   {3, 4, 0},   {1, 2, 260}, {9, 64, 1},
    {2, 5, 64}, {1, 130, 130}, {1, 600, 1}, {9, 511, 1}, {9, 512, 1},
};

SimdTest(axis, of_any_place_is_right_for_every_type_and_operator)
{
    parscan_context *const context = test_context();
    size_t k = 0;
    for (size_t t = 0; t < TYPES; t++)
        for (size_t o = 0; o < OPS; o++)
            for (size_t s = 0; s < COUNT_OF(shapes) && type_has(all_types[t], all_ops[o]);
                 s++, k++) {
                const axis_case c = case_of(k, all_types[t], all_types[t], all_ops[o], shapes[s]);
                if (takes_larger_case())
                    expect(context, &c);
            }
    parscan_context_destroy(context);
}

SimdTest(axis, of_sums_in_wider_types_is_right)
{
    static const struct {
        parscan_type from, to;
    } widenings[] = {
#define X(ctx, FROM, TO) {PARSCAN_##FROM, PARSCAN_##TO},
        PARSCAN_WIDENINGS(X, )
#undef X
    };
    parscan_context *const context = test_context();
    size_t k = 0;
    for (size_t w = 0; w < COUNT_OF(widenings); w++)
        for (size_t s = 0; s < COUNT_OF(shapes); s++, k++) {
            const axis_case c =
                case_of(k, widenings[w].from, widenings[w].to, PARSCAN_SUM, shapes[s]);
            if (takes_larger_case())
                expect(context, &c);
        }
    parscan_context_destroy(context);
}

/* Arrays for several threads: sets of columns, tiles of rows, lines; past the caches. */
SimdTest(axis, of_large_arrays_is_right_by_several_threads)
{
    static const extents large[] = {{1, 70000, 3},  {1, 9000, 40},  {1, 400, 1500}, {1, 3, 200000},
                                    {700, 30, 30},  {2, 150, 2000}, {3, 90000, 1},  {50000, 9, 1},
                                    {1, 200000, 2}, {6, 40000, 1}};
    static const parscan_type types[] = {PARSCAN_U8, PARSCAN_F32, PARSCAN_I64, PARSCAN_BF16};
    for (unsigned threads = 1; threads <= 5; threads += 2) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = threads});
        for (size_t s = 0; s < COUNT_OF(large); s++) {
            axis_case c =
                case_of(s * 5 + threads, types[(s + threads) % 4], types[(s + threads) % 4],
                        s % 2 == 0 ? PARSCAN_SUM : PARSCAN_MAX, large[s]);
            if (s % 3 != 0)
                c.in = c.out = PACKED;
            expect(context, &c);
        }
        parscan_context_destroy(context);
    }
}

/* Short lines side by side, and rows of few elements or of whole vectors of 16 bytes, without gaps or beside such. */
SimdTest(axis, of_lines_in_vectors_is_right)
{
    static const extents lines[] = {
        {1, 1, 640},   {1, 2, 4096},  {3, 3, 512},   {1, 4, 1024},   {2, 7, 256},    {1, 8, 512},
        {1, 9, 512},   {2, 2, 130},   {4200, 1, 1},  {4100, 2, 1},   {3001, 4, 1},   {2900, 8, 1},
        {2500, 16, 1}, {2200, 48, 1}, {2200, 64, 1}, {2113, 100, 1}, {2112, 256, 1}, {2000, 1, 5},
        {700, 2, 4},   {300, 8, 8},   {90, 4, 16}};
    static const struct {
        parscan_type from, to;
    } types[] = {{PARSCAN_U8, PARSCAN_U8},   {PARSCAN_F32, PARSCAN_F32},
                 {PARSCAN_I64, PARSCAN_I64}, {PARSCAN_F16, PARSCAN_F16},
                 {PARSCAN_U8, PARSCAN_U64},  {PARSCAN_U16, PARSCAN_U16}};
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(lines) * COUNT_OF(types) * 2; k++) {
        const size_t t = k / COUNT_OF(lines) % COUNT_OF(types);
        axis_case c =
            case_of(k, types[t].from, types[t].to, t != 4 && k % 4 == 1 ? PARSCAN_MAX : PARSCAN_SUM,
                    lines[k % COUNT_OF(lines)]);
        if (k % 5 != 0)
            c.in = c.out = PACKED;
        if (k % 7 != 0)
            c.offset = 0;
        c.kind = k < COUNT_OF(lines) * COUNT_OF(types) ? SCAN_REDUCE : c.kind;
        c.in_place = c.in_place && c.kind != SCAN_REDUCE;
        c.reproducible = false;
        if (takes_larger_case())
            expect(context, &c);
    }
    parscan_context_destroy(context);
}

/* Columns of millions of elements, which CUDA gives to warps with roles; fewer of them on the CPU. */
Test(axis, of_long_columns_is_right)
{
    static const extents shapes_of_tiles[] = {{1, 1500001, 2}, {1, 950003, 3}, {1, 100003, 30},
                                              {1, 91000, 32},  {2, 30000, 64}, {1, 29000, 101},
                                              {7, 400003, 1},  {60, 23001, 3}};
    static const parscan_type types[] = {PARSCAN_U32, PARSCAN_F64, PARSCAN_I32, PARSCAN_U64};
    const size_t divisor = test_backend() == PARSCAN_BACKEND_CUDA ? 1 : 60;
    parscan_context *const context = test_context();
    for (size_t k = 0; k < 2 * COUNT_OF(shapes_of_tiles); k++) {
        const parscan_type type = types[k % 4];
        extents s = shapes_of_tiles[k / 2];
        s.n /= divisor;
        axis_case c = case_of(k, type, type, k % 3 == 0 ? PARSCAN_MAX : PARSCAN_SUM, s);
        c.kind = k % 2 == 0 ? SCAN_INCLUSIVE : SCAN_EXCLUSIVE;
        c.reproducible = false;
        c.in_place = k % 5 == 4;
        c.in = c.out = s.inner == 101 || s.inner == 64 ? GAPS : PACKED;
        if (c.in == GAPS && k % 2 == 0)
            c.in = c.out = PACKED;
        expect(context, &c);
    }
    parscan_context_destroy(context);
}

/* Rows and columns of narrow types, which CUDA gives to warps with roles, several rows a word where they fill one; fewer
   of them on the CPU. */
Test(axis, of_long_narrow_lines_is_right)
{
    static const extents shapes_of_tiles[] = {{7, 1600004, 1}, {3, 3000002, 2}, {1, 5000003, 3},
                                              {5, 2600001, 1}, {40, 99000, 2},  {2500, 64000, 1}};
    static const parscan_type types[] = {PARSCAN_U8, PARSCAN_I8, PARSCAN_U16, PARSCAN_I16};
    const size_t divisor = test_backend() == PARSCAN_BACKEND_CUDA ? 1 : 100;
    parscan_context *const context = test_context();
    for (size_t k = 0; k < 3 * COUNT_OF(shapes_of_tiles); k++) {
        extents s = shapes_of_tiles[k / 3];
        const parscan_type type = types[s.outer == 2500 ? 0 : k % 4];
        s.n = s.n / divisor / 4 * 4 + s.n % 4;
        axis_case c = case_of(k, type, type, k % 5 == 0 ? PARSCAN_MAX : PARSCAN_SUM, s);
        c.reproducible = c.in_place = false;
        c.in = c.out = PACKED;
        c.reverse = k % 2;
        c.offset = k == 4 ? 1 : 0;
        expect(context, &c);
    }
    parscan_context_destroy(context);
}

/* Rows that are calls of their own on CUDA, and rows of narrow types; fewer elements on the CPU. */
Test(axis, of_long_rows_is_right)
{
    static const struct {
        parscan_type type;
        extents shape;
    } rows[] = {{PARSCAN_U8, {3, 1100003, 1}},  {PARSCAN_I16, {2, 530001, 1}},
                {PARSCAN_F32, {2, 2200001, 1}}, {PARSCAN_U64, {2, 4300001, 1}},
                {PARSCAN_U8, {600, 2001, 1}},   {PARSCAN_F16, {2, 530001, 1}}};
    const size_t divisor = test_backend() == PARSCAN_BACKEND_CUDA ? 1 : 60;
    parscan_context *const context = test_context();
    for (size_t k = 0; k < 3 * COUNT_OF(rows); k++) {
        extents s = rows[k / 3].shape;
        s.n /= s.outer == 600 ? 1 : divisor;
        const parscan_type type = rows[k / 3].type;
        axis_case c = case_of(k, type, type, k % 4 == 0 ? PARSCAN_MAX : PARSCAN_SUM, s);
        c.in = c.out = k % 3 == 2 ? TURNED : PACKED;
        c.reproducible = false;
        c.reverse = k % 2;
        expect(context, &c);
    }
    parscan_context_destroy(context);
}

/* Neighbours along inner that are one element for kernels on CUDA: words of narrow types, pairs that are rows; beside
   gaps and at addresses that do not allow it. */
SimdTest(axis, of_neighbours_in_words_is_right)
{
    static const extents lines[] = {{2300, 3, 2},  {40, 50, 2},   {3, 700, 4},  {1, 900, 6},
                                    {2, 90, 8},    {5, 33, 12},   {1, 40, 64},  {2, 17, 1028},
                                    {300, 1, 4},   {70, 9, 2},    {2200, 6, 2}, {2120, 40, 2},
                                    {2120, 9, 16}, {2115, 5, 32}, {2113, 3, 64}};
    static const parscan_type types[] = {PARSCAN_U8,  PARSCAN_I8,  PARSCAN_U16,
                                         PARSCAN_I16, PARSCAN_U32, PARSCAN_F32};
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(lines) * COUNT_OF(types) * 3; k++) {
        const parscan_type type = types[k / COUNT_OF(lines) % COUNT_OF(types)];
        static const parscan_op ops[] = {PARSCAN_SUM, PARSCAN_MIN, PARSCAN_MAX, PARSCAN_SUM,
                                         PARSCAN_PRODUCT};
        axis_case c = case_of(k, type, type, ops[k % 5], lines[k % COUNT_OF(lines)]);
        if (k % 4 != 0)
            c.in = c.out = PACKED;
        if (k % 3 != 0)
            c.offset = 0;
        c.reproducible = false;
        if (takes_larger_case())
            expect(context, &c);
    }
    parscan_context_destroy(context);
}

/* On CUDA kernels of a few operators on unsigned elements serve all of these. */
SimdTest(axis, of_every_operator_on_integers_is_right)
{
    static const extents lines[] = {{300, 1, 4},  {40, 50, 2}, {3, 700, 4},   {2, 17, 1028},
                                    {70, 9, 8},   {5, 20, 7},  {2120, 9, 16}, {5000, 12, 1},
                                    {7, 4100, 1}, {2200, 6, 2}};
    static const parscan_type types[] = {PARSCAN_U8,  PARSCAN_I8,  PARSCAN_U16, PARSCAN_I16,
                                         PARSCAN_U32, PARSCAN_I32, PARSCAN_U64, PARSCAN_I64};
    static const parscan_op ops[] = {PARSCAN_AND, PARSCAN_MAX, PARSCAN_XOR,    PARSCAN_MIN,
                                     PARSCAN_OR,  PARSCAN_SUM, PARSCAN_PRODUCT};
    parscan_context *const context = test_context();
    size_t k = 0;
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (size_t o = 0; o < COUNT_OF(ops); o++)
            for (size_t s = 0; s < COUNT_OF(lines); s++, k++) {
                axis_case c = case_of(k + o, types[t], types[t], ops[o], lines[s]);
                c.reproducible = false;
                if (k % 3 != 0)
                    c.in = c.out = PACKED;
                if (k % 3 != 0)
                    c.offset = 0;
                if (takes_larger_case())
                    expect(context, &c);
            }
    parscan_context_destroy(context);
}

/* Trees of many lines at once: columns of whole cache lines and others, one and several tiles of the tree, parts for
   several threads, short rows. expect() compares each with the line alone. */
SimdTest(axis, of_many_reproducible_lines_has_the_bits_of_a_line_alone)
{
    static const extents many[] = {{1, 3, 16},   {2, 16, 33},    {1, 17, 1100},  {1, 2047, 19},
                                   {1, 4100, 9}, {1, 10300, 17}, {1, 20000, 16}, {50, 3, 1},
                                   {77, 20, 1},  {33, 200, 1},   {2, 12, 1},     {40, 201, 1},
                                   {60, 33, 1},  {9, 65, 1},     {30, 128, 1},   {8, 129, 1},
                                   {7, 257, 1},  {5, 1009, 1},   {3, 2048, 1},   {3, 2049, 1}};
    size_t k = 0;
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = threads});
        for (size_t s = 0; s < COUNT_OF(many); s++)
            for (int kind = 0; kind < 3; kind++, k++) {
                static const parscan_type types[] = {PARSCAN_F32, PARSCAN_F64, PARSCAN_F16};
                const parscan_type type = types[(k + s) % 3];
                axis_case c =
                    case_of(k, type, type, k % 5 == 0 ? PARSCAN_PRODUCT : PARSCAN_SUM, many[s]);
                c.kind = (scan_kind)kind;
                c.in_place = kind != SCAN_REDUCE && k % 4 < 2;
                c.reproducible = true;
                c.in = c.out = PACKED;
                expect(context, &c);
            }
        parscan_context_destroy(context);
    }
}

/* One line of random elements, as each of five lines of a shape and alone: scans of the type. */
typedef struct alone_case {
    parscan_type type;
    parscan_op op;
    bool reproducible;
} alone_case;

static void expect_as_alone(parscan_context *context, const alone_case *c, size_t n, bool columns)
{
    enum { LINES = 5 };
    const size_t size = parscan_type_size(c->type), step = columns ? LINES : 1;
    const parscan_shape shape =
        PARSCAN_SHAPE(.outer = columns ? 1 : LINES, .inner = columns ? LINES : 1);
    parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.op = c->op, .reproducible = c->reproducible, .shape = &shape);
    char *const line = malloc(n * size), *const alone = malloc(n * size);
    char *const in = malloc(LINES * n * size), *const out = malloc(LINES * n * size);
    random_fill(c->type, c->op, line, n);
    for (size_t k = 0; k < LINES * n; k++)
        memcpy(in + k * size, line + (columns ? k / LINES : k % n) * size, size);
    for (int kind = 0; kind < 3; kind++) {
        const size_t results = kind == SCAN_REDUCE ? 1 : n;
        options.shape = NULL;
        cr_assert_eq(call_scan(context, (scan_kind)kind, c->type, line, alone, n, &options),
                     PARSCAN_OK);
        options.shape = &shape;
        cr_assert_eq(call_scan(context, (scan_kind)kind, c->type, in, out, n, &options),
                     PARSCAN_OK);
        for (size_t k = 0; k < LINES * results; k++)
            cr_assert_arr_eq(out + (k % LINES * (columns ? 1 : results) + k / LINES * step) * size,
                             alone + k / LINES * size, size, "%s of %s, kind %d, n = %zu",
                             parscan_op_name(c->op), parscan_type_name(c->type), kind, n);
    }
    free(line);
    free(alone);
    free(in);
    free(out);
}

/* shape.h: to the bit, but for sums and products of floats that are not reproducible. */
SimdTest(axis, has_the_bits_of_a_line_alone)
{
    static const alone_case cases[] = {
        {PARSCAN_F32, PARSCAN_SUM, true},     {PARSCAN_F64, PARSCAN_PRODUCT, true},
        {PARSCAN_F16, PARSCAN_SUM, true},     {PARSCAN_F32, PARSCAN_MAX, false},
        {PARSCAN_BF16, PARSCAN_MIN, false},   {PARSCAN_U8, PARSCAN_SUM, false},
        {PARSCAN_I64, PARSCAN_PRODUCT, false}};
    static const size_t lengths[] = {1, 2, 47, 48, 500, 2048, 2049, 16385};
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(cases); k++)
        for (size_t l = 0; l < COUNT_OF(lengths); l++)
            for (int columns = 0; columns < 2; columns++)
                expect_as_alone(context, &cases[k], lengths[l], columns != 0);
    parscan_context_destroy(context);
}

/* Rows of one and two floats have one grouping, whatever takes them: every pair of special ones, as alone. */
SimdTest(axis, of_two_reproducible_floats_has_the_bits_of_a_line_alone)
{
    static const float special[] = {0.0f,  -0.0f, 1.0f,   -1.0f,    1e-45f, -1e-45f,
                                    1e38f, 3e38f, -3e38f, INFINITY, 0.1f,   1e-30f};
    enum { N = COUNT_OF(special) };
    parscan_context *const context = test_context();
    static const parscan_op ops[] = {PARSCAN_SUM, PARSCAN_PRODUCT, PARSCAN_MIN};
    float in[N * N * 2], out[N * N * 2], alone[2];
    for (size_t k = 0; k < N * N; k++) {
        in[2 * k] = special[k / N];
        in[2 * k + 1] = special[k % N];
    }
    for (size_t k = 0; k < 3 * 3 * 2 * 2; k++) {
        const size_t n = 1 + k % 2, rows = N * N * 2 / n, results = k / 4 % 3 == 0 ? 1 : n;
        const scan_kind kind = k / 4 % 3 == 0   ? SCAN_REDUCE
                               : k / 4 % 3 == 1 ? SCAN_INCLUSIVE
                                                : SCAN_EXCLUSIVE;
        const parscan_shape shape = PARSCAN_SHAPE(.outer = rows, .inner = 1);
        parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.op = ops[k / 12], .reproducible = 1,
                                                            .reverse = k / 2 % 2, .shape = &shape);
        cr_assert_eq(call_scan(context, kind, PARSCAN_F32, in, out, n, &options), PARSCAN_OK);
        options.shape = NULL;
        for (size_t row = 0; row < rows; row++) {
            cr_assert_eq(call_scan(context, kind, PARSCAN_F32, in + row * n, alone, n, &options),
                         PARSCAN_OK);
            for (size_t i = 0; i < results; i++)
                cr_assert(memcmp(out + row * results + i, alone + i, sizeof *alone) == 0 ||
                              (isnan(alone[i]) && isnan(out[row * results + i])),
                          "case %zu, row %zu: %a, not %a", k, row, out[row * results + i],
                          alone[i]);
        }
    }
    parscan_context_destroy(context);
}

static void expect_refused(parscan_context *context, scan_kind kind, const void *in, void *out,
                           size_t n, parscan_scan_options options, parscan_shape shape,
                           parscan_status status, const char *words)
{
    options.shape = &shape;
    cr_assert_eq(call_scan(context, kind, PARSCAN_U32, in, out, n, &options), status, "%s", words);
    cr_assert_not_null(strstr(parscan_context_error(context), words), "\"%s\" lacks \"%s\"",
                       parscan_context_error(context), words);
}

Test(axis, of_wrong_arguments_is_refused_in_words)
{
    enum { N = 64 };
    uint32_t in[N] = {0}, out[N] = {0};
    parscan_context *const context = test_context();
    const parscan_scan_options none = PARSCAN_SCAN_OPTIONS(.op = PARSCAN_SUM);
    const parscan_status wrong = PARSCAN_ERROR_INVALID_ARGUMENT;
    const int64_t sharing[3] = {16, 8, 2}, repeated[3] = {16, 0, 4},
                  huge[3] = {INT64_MAX / 2, 8, 4};
    const int64_t wide[3] = {32, 8, 4};
    const parscan_shape two = PARSCAN_SHAPE(.outer = 2, .inner = 2);
    parscan_shape shape = two;
    shape.struct_size = 8;
    expect_refused(context, SCAN_INCLUSIVE, in, out, 4, none, shape, wrong,
                   "shape->struct_size = 8");
    shape = two;
    shape.out_strides = sharing;
    expect_refused(context, SCAN_INCLUSIVE, in, out, 4, none, shape, wrong,
                   "out_strides = 16, 8, 2");
    shape.out_strides = repeated;
    expect_refused(context, SCAN_INCLUSIVE, in, out, 4, none, shape, wrong, "share bytes");
    shape = two;
    shape.in_strides = huge;
    shape.outer = 4;
    expect_refused(
        context, SCAN_INCLUSIVE, in, out, 4, none, shape, wrong,
        "in_strides = 4611686018427387903, 8, 4: elements of in exceed the address space");
    shape = PARSCAN_SHAPE(.outer = SIZE_MAX / 4, .inner = 2);
    expect_refused(context, SCAN_REDUCE, in, out, 4, none, shape, wrong, "address space");
    expect_refused(context, SCAN_INCLUSIVE, NULL, out, 4, none, two, wrong,
                   "in is NULL, outer = 2, inner = 2, 4 elements a line");
    expect_refused(context, SCAN_INCLUSIVE, in, NULL, 4, none, two, wrong, "out is NULL");
    expect_refused(context, SCAN_REDUCE, in, NULL, 0, none, two, wrong, "out is NULL");
    expect_refused(context, SCAN_INCLUSIVE, in, in + 1, 4, none, two, wrong, "overlap");
    expect_refused(context, SCAN_REDUCE, in, in, 4, none, two, wrong, "overlap");
    shape = two;
    shape.in_strides = wide;
    expect_refused(context, SCAN_INCLUSIVE, in, in, 3, none, shape, wrong, "out = in");
    parscan_scan_options options = none;
    options.algorithm = PARSCAN_BRENT_KUNG;
    expect_refused(context, SCAN_INCLUSIVE, in, out, 4, options, two, wrong,
                   "algorithm = brent-kung");
    options = none;
    options.shape = &two;
    const parscan_segments rows = PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_ROWS, .count = 4);
    cr_assert_eq(
        parscan_segmented_inclusive_scan(context, PARSCAN_U32, in, out, 16, &rows, &options),
        PARSCAN_ERROR_UNSUPPORTED);
    parscan_context_destroy(context);
}

/* n bounds the lines, which stay where they are. */
Test(axis, takes_a_length)
{
    const uint32_t in[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    uint32_t out[12] = {0}, sums[4];
    const uint64_t rows = 2;
    parscan_context *const context = test_context();
    const parscan_shape shape = PARSCAN_SHAPE(.outer = 2, .inner = 2);
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.shape = &shape);
    parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = &rows));
    cr_assert_eq(parscan_inclusive_scan(context, PARSCAN_U32, in, out, 3, &options), PARSCAN_OK);
    cr_assert_arr_eq(out, ((uint32_t[]){1, 2, 4, 6, 0, 0, 7, 8, 16, 18, 0, 0}), sizeof out);
    parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = &rows));
    cr_assert_eq(parscan_reduce(context, PARSCAN_U32, in, sums, 3, &options), PARSCAN_OK);
    cr_assert_arr_eq(sums, ((uint32_t[]){4, 6, 16, 18}), sizeof sums);
    parscan_context_destroy(context);
}

/* A context that measures tells what a real one takes. */
Test(axis, is_measured)
{
    enum { N = 3000, LINES = 40 };
    parscan_context *const context = test_context();
    const bool on_cpu = test_backend() != PARSCAN_BACKEND_CUDA;
    void *in, *out;
    cr_assert_eq(parscan_malloc(context, &in, N * LINES * sizeof(float)), PARSCAN_OK);
    cr_assert_eq(parscan_malloc(context, &out, N * LINES * sizeof(float)), PARSCAN_OK);
    parscan_context *const measuring = test_context_with((parscan_context_options){.measure = 1});
    const parscan_shape shape = PARSCAN_SHAPE(.outer = 1, .inner = LINES);
    for (int reproducible = 0; reproducible < 2; reproducible++) {
        const parscan_scan_options options =
            PARSCAN_SCAN_OPTIONS(.reproducible = reproducible, .shape = &shape);
        parscan_inclusive_scan(measuring, PARSCAN_F32, in, out, N, &options);
        parscan_inclusive_scan(context, PARSCAN_F32, in, out, N, &options);
        cr_assert_eq(parscan_context_scratch(measuring), parscan_context_scratch(context));
        cr_assert_eq(parscan_context_scratch(context) > 0, !on_cpu || reproducible);
    }
    parscan_free(context, in);
    parscan_free(context, out);
    parscan_context_destroy(measuring);
    parscan_context_destroy(context);
}
