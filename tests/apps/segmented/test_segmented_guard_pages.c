/* Nothing next to an array is read or written, and inputs are only read: every array lies against a
   page that ends the process when it is touched, inputs in pages without writing. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "scan/cpu/tiles.h"
#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/guarded.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/segmented_case.h"
#include "tests/support/test_engine.h"

static const size_t sizes[] = {0,   1,   2,   3,   4,   5,    7,    8,    9,    15,  16,
                               17,  31,  32,  33,  63,  64,   65,   127,  128,  129, 255,
                               256, 257, 300, 511, 513, 1023, 1025, 2047, 2049, 4097};
#define LARGEST 4097u

/* The case that runs, for the message of a process that dies. */
static char running[SEGMENTED_WORDS];

typedef struct bench {
    parscan_context *context;
    guarded in, out, cut;
} bench;

static bench bench_create(size_t bytes, unsigned threads)
{
    guarded_watch(running);
    return (bench){test_context_with((parscan_context_options){.threads = threads}),
                   guarded_create(bytes), guarded_create(bytes), guarded_create(2 * bytes)};
}

static void bench_destroy(bench *b)
{
    parscan_context_destroy(b->context);
    guarded_destroy(b->in);
    guarded_destroy(b->out);
    guarded_destroy(b->cut);
}

/* Bytes at a guard, which cannot be written from then on. */
static const void *placed(guarded memory, const void *from, size_t bytes, bool at_end)
{
    void *const array = guarded_array(memory, bytes, at_end);
    guarded_read_only(memory, false);
    if (bytes > 0)
        memcpy(array, from, bytes);
    guarded_read_only(memory, true);
    return array;
}

/* One call; its arrays end at a guard, or start at one. */
static void expect_inside(const bench *b, const segmented_case *scan, const void *elements,
                          bool at_end)
{
    parscan_scan_options options = scan->options;
    options.struct_size = sizeof options;
    const size_t n = scan->cut->n, in_bytes = n * parscan_type_size(scan->type);
    const size_t size = parscan_type_size(options.out_type != 0 ? options.out_type : scan->type);
    const size_t results = scan->kind == SCAN_REDUCE ? scan->cut->count : n;
    void *const out = guarded_array(b->out, results * size, at_end);
    const void *in = placed(b->in, elements, in_bytes, at_end);
    parscan_segments segments = scan->cut->segments;
    segments.data = placed(b->cut, segments.data, scan->cut->bytes, at_end);
    if (scan->in_place && in_bytes > 0)
        in = memcpy(out, elements, in_bytes);
    uint64_t count = 0;
    char words[SEGMENTED_WORDS], described[SEGMENTED_WORDS];
    describe_segmented(scan, at_end ? "arrays end at a guard" : "arrays begin at a guard", running);
    cr_assert_eq(
        call_segmented(b->context, scan->kind, scan->type, in, out, n, &segments, &count, &options),
        PARSCAN_OK, "%s", parscan_context_error(b->context));
    if (!segmented_is_right(scan, elements, out, words)) {
        describe_segmented(scan, words, described);
        cr_assert_fail("%s", described);
    }
}

/* Kinds, directions, either guard, in place and not, with segments of a shape. */
static void expect_every_mode(const bench *b, segmented_case scan, size_t n, segment_shape shape,
                              segment_form form)
{
    cut_array cut = cut_create(n, shape, form);
    void *const elements = random_array(scan.type, scan.options.op, n);
    scan.cut = &cut;
    for (int mode = 0; mode < 24; mode++) {
        scan.kind = (scan_kind)(mode % 3);
        scan.options.reverse = mode / 3 % 2;
        scan.in_place = mode >= 12;
        if (!scan.in_place || (scan.kind != SCAN_REDUCE && scan.options.out_type == 0))
            expect_inside(b, &scan, elements, mode / 6 % 2);
    }
    free(elements);
    cut_destroy(&cut);
}

static void expect_every_size_of(parscan_type type, parscan_type out_type)
{
    bench b = bench_create(2 * LARGEST * sizeof(uint64_t), 2);
    for (size_t s = 0; s < COUNT_OF(sizes); s++)
        for (size_t form = 0; form < SEGMENT_FORMS; form++) {
            if (!takes_case())
                continue;
            segmented_case scan = {.type = type, .options.out_type = out_type};
            expect_every_mode(&b, scan, sizes[s], (segment_shape)random_below(EMPTY_BUT_ONE),
                              all_segment_forms[form]);
        }
    bench_destroy(&b);
}

#define X(ctx, NAME, number, name, ...)                                 \
    SimdTest(segmented_scan, touches_nothing_next_to_its_arrays_##name) \
    {                                                                   \
        expect_every_size_of(PARSCAN_##NAME, 0);                        \
    }
PARSCAN_TYPES(X, )
#undef X

SimdTest(segmented_scan, widening_touches_nothing_next_to_its_arrays)
{
    expect_every_size_of(PARSCAN_U8, PARSCAN_U64);
    expect_every_size_of(PARSCAN_I16, PARSCAN_I32);
    expect_every_size_of(PARSCAN_F32, PARSCAN_F64);
    expect_every_size_of(PARSCAN_F16, PARSCAN_F32);
}

/* A length at each side of one tile and of two. */
SimdTest(segmented_scan, touches_nothing_next_to_its_arrays_at_the_edges_of_tiles)
{
    bench b = bench_create(2 * (2 * TILE_BYTES + 8) * sizeof(uint64_t), 1);
    for (size_t k = 0; k < 6 * TYPES; k++) {
        segmented_case scan = {.type = all_types[k / 6], .options.op = PARSCAN_MAX};
        const size_t tile = TILE_BYTES / parscan_type_size(scan.type);
        expect_every_mode(&b, scan, (k / 3 % 2 + 1) * tile + k % 3 - 1,
                          (segment_shape)random_below(EMPTY_AT_THE_START),
                          all_segment_forms[random_below(SEGMENT_FORMS)]);
    }
    bench_destroy(&b);
}

/* Threads, and streams past the caches. */
SimdTest(segmented_scan, of_long_arrays_touches_nothing_next_to_them)
{
    static const parscan_type pairs[][2] = {
        {PARSCAN_I16, 0},          {PARSCAN_U32, 0},           {PARSCAN_F32, 0}, {PARSCAN_F64, 0},
        {PARSCAN_U8, PARSCAN_U64}, {PARSCAN_F32, PARSCAN_F64}, {PARSCAN_F16, 0}, {PARSCAN_BF16, 0}};
    const size_t bytes = STREAM_FROM_BYTES + 2 * TILE_BYTES + 104;
    for (size_t k = 0; k < COUNT_OF(pairs); k++) {
        bench b = bench_create(8 * bytes, 3);
        const parscan_type out_type = pairs[k][1] != 0 ? pairs[k][1] : pairs[k][0];
        const segmented_case scan = {.type = pairs[k][0], .options.out_type = pairs[k][1]};
        expect_every_mode(&b, scan, bytes / parscan_type_size(out_type),
                          (segment_shape)random_below(EMPTY_AT_THE_START),
                          all_segment_forms[random_below(4)]);
        bench_destroy(&b);
    }
}
