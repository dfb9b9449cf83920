/* Every bad argument of segmented scans and reductions: the status, the message, nothing written, the
   context as good as before. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/memory.h"
#include "tests/support/bad_offsets.h"
#include "tests/support/scan_case.h"
#include "tests/support/segmented_case.h"
#include "tests/support/test_engine.h"

#define N ((size_t)BAD_LENGTH)

enum { SCANS = 1, REDUCE = 2, ALL = 3 };

static unsigned char in[8 * N], out[8 * N];
static const uint8_t flags[N] = {0, 0, 1};

/* A call that is right until a test changes something. */
typedef struct call {
    parscan_type type;
    const void *in;
    void *out;
    size_t n;
    parscan_segments cut;
    bool segments_missing, count_missing;
    parscan_scan_options options;
} call;

static call good_call(void)
{
    return (call){.type = PARSCAN_I32,
                  .in = in,
                  .out = out,
                  .n = N,
                  .cut = PARSCAN_SEGMENTS(.data = flags),
                  .options = PARSCAN_SCAN_OPTIONS(.reverse = 0)};
}

static parscan_status make(parscan_context *context, scan_kind kind, const call *c, uint64_t *count)
{
    return call_segmented(context, kind, c->type, c->in, c->out, c->n,
                          c->segments_missing ? NULL : &c->cut, c->count_missing ? NULL : count,
                          &c->options);
}

static void fill_arrays(void)
{
    memset(in, 3, sizeof in);
    memset(out, 0xa5, sizeof out);
}

static void expect_usable(parscan_context *context)
{
    cut_array cut = cut_create(N, SHORT_SEGMENTS, all_segment_forms[0]);
    expect_segmented(context, (segmented_case){.type = PARSCAN_I32, .cut = &cut}, in);
    cut_destroy(&cut);
}

/* status: one, or two of which either will do. With bad offsets, out may have been written. */
static void expect_failure(parscan_context *context, unsigned kinds, parscan_status status,
                           parscan_status or_status, const char *name, const char *value,
                           bool out_is_kept, const call *c)
{
    for (scan_kind kind = SCAN_INCLUSIVE; kind <= SCAN_REDUCE; kind++) {
        if ((kinds & (kind == SCAN_REDUCE ? REDUCE : SCANS)) == 0)
            continue;
        uint64_t count = 12345;
        fill_arrays();
        const parscan_status found = make(context, kind, c, &count);
        const char *const words = parscan_context_error(context);
        cr_assert(found == status || found == or_status, "kind %d, %s = %s: %s: %s", (int)kind,
                  name, value, parscan_status_string(found), words);
        cr_assert(strstr(words, name) != NULL && strstr(words, value) != NULL,
                  "kind %d: \"%s\" does not name %s = %s", (int)kind, words, name, value);
        for (size_t i = 0; i < sizeof in; i++)
            cr_assert(in[i] == 3 && (!out_is_kept || out[i] == 0xa5));
        cr_assert(!out_is_kept || count == 12345);
        expect_usable(context);
    }
}

#define EXPECT(kinds, status, or_status, name, value, kept, ...)                                \
    do {                                                                                        \
        call c = good_call();                                                                   \
        __VA_ARGS__;                                                                            \
        expect_failure(context, kinds, PARSCAN_ERROR_##status, PARSCAN_ERROR_##or_status, name, \
                       value, kept, &c);                                                        \
    } while (0)
#define INVALID(kinds, name, value, ...) \
    EXPECT(kinds, INVALID_ARGUMENT, INVALID_ARGUMENT, name, value, true, __VA_ARGS__)
#define UNSUPPORTED(kinds, name, value, ...) \
    EXPECT(kinds, UNSUPPORTED, UNSUPPORTED, name, value, true, __VA_ARGS__)
#define EITHER(kinds, name, value, ...) \
    EXPECT(kinds, INVALID_ARGUMENT, UNSUPPORTED, name, value, true, __VA_ARGS__)

Test(bad_arguments, are_tested_with_calls_that_are_right_otherwise)
{
    parscan_context *const context = test_context();
    const call c = good_call();
    for (scan_kind kind = SCAN_INCLUSIVE; kind <= SCAN_REDUCE; kind++) {
        uint64_t count;
        fill_arrays();
        cr_assert_eq(make(context, kind, &c, &count), PARSCAN_OK, "%s",
                     parscan_context_error(context));
        cr_assert_eq(make(NULL, kind, &c, &count), PARSCAN_ERROR_INVALID_ARGUMENT);
    }
    parscan_context_destroy(context);
}

Test(bad_arguments, enums_and_struct_sizes_that_are_unknown_are_named)
{
    parscan_context *const context = test_context();
    INVALID(ALL, "type", "0", c.type = (parscan_type)0);
    INVALID(ALL, "type", "99", c.type = (parscan_type)99, c.n = 0);
    INVALID(ALL, "struct_size", "0", c.options.struct_size = 0);
    INVALID(ALL, "struct_size", "8", c.options.struct_size = 8);
    INVALID(ALL, "struct_size", "4097", c.options.struct_size = 4097, c.n = 0);
    INVALID(ALL, "op", "77", c.options.op = (parscan_op)77);
    INVALID(ALL, "algorithm", "99", c.options.algorithm = (parscan_algorithm)99);
    INVALID(ALL, "out_type", "44", c.options.out_type = (parscan_type)44);
    parscan_context_destroy(context);
}

Test(bad_arguments, what_segments_do_not_have_is_unsupported)
{
    static const parscan_algorithm block_algorithms[] = {
#define X(ctx, NAME, ...) PARSCAN_##NAME,
        PARSCAN_BLOCK_ALGORITHMS(X, )
#undef X
    };
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(block_algorithms); k++)
        UNSUPPORTED(ALL, "algorithm", parscan_algorithm_name(block_algorithms[k]),
                    c.options.algorithm = block_algorithms[k]);
    UNSUPPORTED(ALL, "reproducible", "", c.type = PARSCAN_F32, c.options.reproducible = 1);
    UNSUPPORTED(ALL, "reproducible", "", c.type = PARSCAN_F64, c.options.reproducible = 1, c.n = 0);
    UNSUPPORTED(ALL, "op", "and", c.type = PARSCAN_F32, c.options.op = PARSCAN_AND);
    UNSUPPORTED(ALL, "op", "xor", c.type = PARSCAN_F64, c.options.op = PARSCAN_XOR);
    UNSUPPORTED(ALL, "out_type", "i64", c.options.op = PARSCAN_MAX,
                c.options.out_type = PARSCAN_I64);
    UNSUPPORTED(ALL, "out_type", "u64", c.options.out_type = PARSCAN_U64);
    parscan_context_destroy(context);
}

Test(bad_arguments, shapes_of_blocks_are_named)
{
    parscan_context *const context = test_context();
    INVALID(ALL, "block_threads", "32", c.options.block_threads = 32);
    INVALID(ALL, "items_per_thread", "2", c.options.items_per_thread = 2);
    INVALID(ALL, "block_threads", "1", c.options.algorithm = PARSCAN_SEQUENTIAL,
            c.options.block_threads = 1);
    parscan_context_destroy(context);
}

/* Of integers, too, which are reproducible by every algorithm. */
Test(bad_arguments, reproducible_with_a_named_algorithm_or_a_shape_is_refused)
{
    parscan_context *const context = test_context();
    INVALID(ALL, "reproducible = 1", "sequential", c.options.reproducible = 1,
            c.options.algorithm = PARSCAN_SEQUENTIAL);
    INVALID(ALL, "reproducible = 1", "single-pass", c.options.reproducible = 1,
            c.options.algorithm = PARSCAN_SINGLE_PASS);
    INVALID(ALL, "reproducible = 1", "warp", c.options.reproducible = 1,
            c.options.algorithm = PARSCAN_WARP);
    INVALID(ALL, "block_threads", "32", c.options.reproducible = 1, c.options.block_threads = 32);
    INVALID(ALL, "items_per_thread", "2", c.options.reproducible = 1,
            c.options.items_per_thread = 2);
    parscan_context_destroy(context);
}

Test(bad_arguments, arrays_that_are_missing_or_too_long_are_named)
{
    parscan_context *const context = test_context();
    INVALID(ALL, "in", "NULL", c.in = NULL);
    INVALID(ALL, "out", "NULL", c.out = NULL);
    INVALID(REDUCE, "out is NULL", "n = 10", c.out = NULL, c.cut.kind = PARSCAN_SEGMENTS_KEYS,
            c.cut.type = PARSCAN_U8);
    INVALID(REDUCE, "count", "NULL", c.count_missing = true);
    INVALID(REDUCE, "count", "NULL", c.count_missing = true, c.n = 0);
    INVALID(REDUCE, "count", "NULL", c.count_missing = true, c.cut.kind = PARSCAN_SEGMENTS_KEYS,
            c.cut.type = PARSCAN_U8);
    INVALID(ALL, "n", "18446744073709551615", c.n = SIZE_MAX);
    INVALID(ALL, "n", "18446744073709551615", c.n = SIZE_MAX, c.type = PARSCAN_U8,
            c.options.out_type = PARSCAN_U64);
    INVALID(SCANS, "n", "2305843009213693953", c.n = SIZE_MAX / 8 + 2, c.type = PARSCAN_U8,
            c.options.out_type = PARSCAN_U64);
    INVALID(SCANS, "n", "2305843009213693953", c.n = SIZE_MAX / 8 + 2, c.type = PARSCAN_U8,
            c.cut.kind = PARSCAN_SEGMENTS_KEYS, c.cut.type = PARSCAN_U64);
    parscan_context_destroy(context);
}

Test(bad_arguments, a_widening_scan_in_place_is_refused)
{
    parscan_context *const context = test_context();
    INVALID(SCANS, "out", "i64", c.options.out_type = PARSCAN_I64, c.out = in);
    parscan_context_destroy(context);
}

Test(bad_arguments, segments_of_an_unknown_kind_type_or_size_are_named)
{
    parscan_context *const context = test_context();
    INVALID(ALL, "segments", "NULL", c.segments_missing = true);
    INVALID(ALL, "segments", "NULL", c.segments_missing = true, c.n = 0);
    INVALID(ALL, "struct_size", "0", c.cut.struct_size = 0);
    INVALID(ALL, "struct_size", "5000", c.cut.struct_size = 5000);
    INVALID(ALL, "kind", "4", c.cut.kind = (parscan_segment_kind)4);
    INVALID(ALL, "kind", "", c.cut.kind = (parscan_segment_kind)UINT32_MAX);
    INVALID(ALL, "data", "NULL", c.cut.data = NULL);
    INVALID(ALL, "type", "99", c.cut.type = (parscan_type)99);
    INVALID(ALL, "type", "0", c.cut.kind = PARSCAN_SEGMENTS_KEYS);
    INVALID(ALL, "type", "0", c.cut.kind = PARSCAN_SEGMENTS_OFFSETS);
    INVALID(ALL, "data", "NULL", c.cut.kind = PARSCAN_SEGMENTS_OFFSETS, c.cut.type = PARSCAN_U64,
            c.cut.data = NULL);
    EITHER(ALL, "type", "u32", c.cut.type = PARSCAN_U32);
    EITHER(ALL, "type", "i16", c.cut.type = PARSCAN_I16, c.cut.kind = PARSCAN_SEGMENTS_OFFSETS);
    EITHER(ALL, "type", "f64", c.cut.type = PARSCAN_F64, c.cut.kind = PARSCAN_SEGMENTS_OFFSETS);
    parscan_context_destroy(context);
}

/* Offsets; the value that is wrong is named. */
#define BAD_OFFSETS(ctype, TYPE, length, value, ...)                                              \
    do {                                                                                          \
        const ctype offsets[] = {__VA_ARGS__};                                                    \
        EXPECT(ALL, INVALID_ARGUMENT, INVALID_ARGUMENT, "offsets", value, false,                  \
               c.cut = PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_##TYPE, \
                                        .data = offsets, .count = COUNT_OF(offsets) - 1),         \
               c.n = length);                                                                     \
    } while (0)

Test(bad_arguments, offsets_that_do_not_begin_with_0_end_with_n_or_that_decrease_are_named)
{
    parscan_context *const context = test_context();
    EACH_BAD_OFFSETS(BAD_OFFSETS);
    parscan_context_destroy(context);
}

Test(bad_arguments, counts_of_offsets_beyond_memory_are_named)
{
    const uint64_t offsets[] = {0, N};
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(bad_offset_counts); k++)
        for (size_t n = 0; n <= N; n += N)
            INVALID(ALL, "count", "",
                    c.cut = PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS,
                                             .type = k % 2 == 0 ? PARSCAN_U64 : PARSCAN_U32,
                                             .data = offsets, .count = bad_offset_counts[k]),
                    c.n = n);
    parscan_context_destroy(context);
}

/* Offsets that are wrong at some place of many; memory next to out is kept, as the sanitizers and the
   guards after it tell. */
static void expect_refused(parscan_context *context, scan_kind kind, const uint32_t *offsets,
                           size_t segments, size_t n)
{
    const size_t results = kind == SCAN_REDUCE ? segments : n;
    int32_t *const elements = calloc(n, sizeof *elements);
    int32_t *const results_at = calloc(results + 2, sizeof *results_at);
    const parscan_segments cut =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U32, .data = offsets,
                         .count = segments);
    results_at[0] = results_at[results + 1] = 4711;
    cr_assert_eq(
        call_segmented(context, kind, PARSCAN_I32, elements, results_at + 1, n, &cut, NULL, NULL),
        PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert(results_at[0] == 4711 && results_at[results + 1] == 4711);
    for (size_t i = 0; i < n; i++)
        cr_assert_eq(elements[i], 0, "the input was written");
    free(elements);
    free(results_at);
}

Test(bad_arguments, offsets_that_are_wrong_at_any_place_of_many_are_refused)
{
    enum { MANY = 60000 };
    static uint32_t offsets[MANY + 1];
    static const size_t places[] = {0, 1, 77, 30000, MANY - 2, MANY - 1, MANY};
    parscan_context *const context = test_context();
    for (uint32_t s = 0; s <= MANY; s++)
        offsets[s] = 5 * s;
    for (size_t k = 0; k < 9 * COUNT_OF(places); k++) {
        const size_t at = places[k / 9];
        const uint32_t was = offsets[at];
        const uint32_t wrong[] = {5 * MANY + 1, at < 2 ? 5 * MANY : 2, UINT32_MAX};
        offsets[at] = wrong[k % 3];
        expect_refused(context, (scan_kind)(k / 3 % 3), offsets, MANY, 5 * MANY);
        offsets[at] = was;
    }
    parscan_context_destroy(context);
}

/* The same in the engine's memory: an engine that has one of its own tells of it when it is waited for, and
   has kept to its arrays. */
static void expect_told(parscan_context *context, scan_kind kind, const uint32_t *offsets,
                        size_t segments, size_t n)
{
    const size_t results = kind == SCAN_REDUCE ? segments : n;
    const size_t offset_bytes = (segments + 1) * sizeof *offsets;
    int32_t *const elements = calloc(n, sizeof *elements);
    int32_t *const around = calloc(results + 2, sizeof *around);
    void *in_there = NULL, *out_there = NULL, *offsets_there = NULL;
    around[0] = around[results + 1] = 4711;
    cr_assert_eq(parscan_malloc(context, &in_there, n * sizeof *elements), PARSCAN_OK);
    cr_assert_eq(parscan_malloc(context, &out_there, (results + 2) * sizeof *around), PARSCAN_OK);
    cr_assert_eq(parscan_malloc(context, &offsets_there, offset_bytes), PARSCAN_OK);
    parscan_copy(context, in_there, elements, n * sizeof *elements);
    parscan_copy(context, out_there, around, (results + 2) * sizeof *around);
    parscan_copy(context, offsets_there, offsets, offset_bytes);
    const parscan_segments cut =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U32,
                         .data = offsets_there, .count = segments);
    parscan_status status = call_segmented(context, kind, PARSCAN_I32, in_there,
                                           (int32_t *)out_there + 1, n, &cut, NULL, NULL);
    if (status == PARSCAN_OK && parscan_context_backend(context) != PARSCAN_BACKEND_CPU)
        status = parscan_synchronize(context);
    cr_assert_eq(status, PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(parscan_synchronize(context), PARSCAN_OK, "it is told once");
    parscan_copy(context, around, out_there, (results + 2) * sizeof *around);
    cr_assert(around[0] == 4711 && around[results + 1] == 4711);
    parscan_free(context, in_there);
    parscan_free(context, out_there);
    parscan_free(context, offsets_there);
    free(elements);
    free(around);
}

Test(bad_arguments, offsets_in_the_engines_memory_that_are_wrong_are_told_of)
{
    enum { MANY = 6000 };
    static uint32_t offsets[MANY + 1];
    static const size_t places[] = {0, 1, 77, 3000, MANY - 1, MANY};
    parscan_context *const context = test_context();
    for (uint32_t s = 0; s <= MANY; s++)
        offsets[s] = 5 * s;
    for (size_t k = 0; k < 9 * COUNT_OF(places); k++) {
        const size_t at = places[k / 9];
        const uint32_t was = offsets[at];
        const uint32_t wrong[] = {5 * MANY + 1, at < 2 ? 5 * MANY : 2, UINT32_MAX};
        offsets[at] = wrong[k % 3];
        expect_told(context, (scan_kind)(k / 3 % 3), offsets, MANY, 5 * MANY);
        offsets[at] = was;
    }
    parscan_context_destroy(context);
}
