/* The single pass at the lengths at which more threads join and at which it streams past the
   caches: at the edges of tiles and at every alignment. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "scan/cpu/tiles.h"
#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/random.h"
#include "tests/support/sanitizer.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

#define MOST_BYTES (STREAM_FROM_BYTES + 5 * TILE_BYTES)

static const unsigned thread_counts[] = {1, 2, 3, 7};

/* In bytes of output; lengths are one element less, the same, and one more. */
static const size_t edges[] = {THREADS_FROM_BYTES, THREADS_FROM_BYTES + TILE_BYTES,
                               STREAM_FROM_BYTES, STREAM_FROM_BYTES + 3 * TILE_BYTES + 64};

/* Under ThreadSanitizer the length at the edge alone: one element more or less changes no thread's part. */
#define FIRST_LENGTH LESS_UNDER_THREAD_SANITIZER((size_t)0, (size_t)1)
#define LENGTHS_STEP LESS_UNDER_THREAD_SANITIZER((size_t)1, (size_t)3)

/* Kinds, directions, in place or not, in turn. */
#define MODES 12
static void set_mode(scan_case *scan, size_t mode)
{
    scan->kind = (scan_kind)(mode % 3);
    scan->options.reverse = mode / 3 % 2;
    scan->in_place = mode / 6 % 2 && scan->kind != SCAN_REDUCE;
}

static size_t length_near(size_t edge, size_t size, size_t k)
{
    return edges[edge] / size + k % 3 - 1;
}

/* Every edge on two numbers of threads, modes in turn; `first` tells which come together. */
static void expect_edges(parscan_type type, size_t first)
{
    const size_t size = parscan_type_size(type);
    void *const in = random_array(type, PARSCAN_SUM, MOST_BYTES / size);
    for (size_t k = FIRST_LENGTH; k < COUNT_OF(edges) * 3 * 2; k += LENGTHS_STEP) {
        if (!takes_larger_case())
            continue;
        parscan_context *const context = test_context_with(
            (parscan_context_options){.threads = thread_counts[(first + k / 3 + k / 12) % 4]});
        scan_case scan = {.type = type, .n = length_near(k / 3 % COUNT_OF(edges), size, k)};
        scan.options.op = k / 12 == 0 ? PARSCAN_SUM : PARSCAN_MIN;
        set_mode(&scan, first + 5 * k);
        expect_scan(context, scan, in);
        parscan_context_destroy(context);
    }
    free(in);
}

#define X(ctx, NAME, number, name, ...)                                         \
    SimdTest(single_pass, is_right_where_threads_join_and_streams_begin_##name) \
    {                                                                           \
        expect_edges(PARSCAN_##NAME, random_below(64));                         \
    }
PARSCAN_TYPES(X, )
#undef X

SimdTest(single_pass, is_right_in_every_mode_on_many_tiles)
{
    static const parscan_op ops[] = {PARSCAN_SUM, PARSCAN_PRODUCT};
    for (size_t c = 0; c < COUNT_OF(thread_counts); c++) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = thread_counts[c]});
        for (size_t k = 0; k < MODES * COUNT_OF(ops); k++) {
            static const parscan_type types[] = {PARSCAN_F64, PARSCAN_I64, PARSCAN_I64, PARSCAN_F16,
                                                 PARSCAN_I64};
            scan_case scan = {.type = types[k % 5], .options.op = ops[k / MODES]};
            if (!takes_larger_case())
                continue;
            scan.n = STREAM_FROM_BYTES / parscan_type_size(scan.type) + 12345;
            set_mode(&scan, k);
            void *const in = random_array(scan.type, scan.options.op, scan.n);
            scan.options.init = (k + c) % 2 == 0 ? in : NULL;
            expect_scan(context, scan, in);
            free(in);
        }
        parscan_context_destroy(context);
    }
}

SimdTest(single_pass, widens_where_threads_join_and_streams_begin)
{
    static const struct {
        parscan_type from, to;
    } widenings[] = {
#define X(ctx, FROM, TO) {PARSCAN_##FROM, PARSCAN_##TO},
        PARSCAN_WIDENINGS(X, )
#undef X
    };
    parscan_context *contexts[COUNT_OF(thread_counts)];
    for (size_t c = 0; c < COUNT_OF(thread_counts); c++)
        contexts[c] = test_context_with((parscan_context_options){.threads = thread_counts[c]});
    for (size_t w = 0; w < COUNT_OF(widenings); w++) {
        const size_t size = parscan_type_size(widenings[w].to);
        void *const in = random_array(widenings[w].from, PARSCAN_SUM, MOST_BYTES / size);
        for (size_t k = FIRST_LENGTH; k < COUNT_OF(edges) * 3 * 2; k += LENGTHS_STEP) {
            scan_case scan = {.type = widenings[w].from, .options.out_type = widenings[w].to};
            scan.n = length_near(k / 6, size, k);
            set_mode(&scan, k % 6); /* never in place */
            if (takes_larger_case())
                expect_scan(contexts[(k + w) % COUNT_OF(thread_counts)], scan, in);
        }
        free(in);
    }
    for (size_t c = 0; c < COUNT_OF(thread_counts); c++)
        parscan_context_destroy(contexts[c]);
}

/* Streams start at the first address that suits them, 0 to 63 bytes into the output. */
static void expect_alignments(parscan_type type, size_t bytes, unsigned step)
{
    const size_t size = parscan_type_size(type), n = bytes / size;
    void *const in = random_array(type, PARSCAN_SUM, n);
    for (unsigned offset = 0; offset < 64; offset += step) {
        if (!takes_larger_case())
            continue;
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = thread_counts[offset % 4]});
        scan_case scan = {.type = type, .n = n, .out_offset = offset};
        scan.in_offset = (unsigned)random_below(64);
        set_mode(&scan, offset % 11);
        scan.kind = (scan_kind)(offset % 2);
        expect_scan(context, scan, in);
        parscan_context_destroy(context);
    }
    free(in);
}

SimdTest(single_pass, streams_to_every_alignment)
{
    expect_alignments(PARSCAN_U8, STREAM_FROM_BYTES + 77, 3);
    expect_alignments(PARSCAN_I16, STREAM_FROM_BYTES + 77, 1);
    expect_alignments(PARSCAN_F16, STREAM_FROM_BYTES + 77, 1);
    expect_alignments(PARSCAN_BF16, STREAM_FROM_BYTES + 77, 5);
    expect_alignments(PARSCAN_F32, STREAM_FROM_BYTES + 77, 1);
    expect_alignments(PARSCAN_U64, STREAM_FROM_BYTES + 77, 1);
}

SimdTest(single_pass, joins_threads_at_every_alignment)
{
    const unsigned step = LESS_UNDER_THREAD_SANITIZER(1, 7);
    expect_alignments(PARSCAN_U32, THREADS_FROM_BYTES + 444, step);
    expect_alignments(PARSCAN_BF16, THREADS_FROM_BYTES + 444, step);
    expect_alignments(PARSCAN_F64, THREADS_FROM_BYTES + 444, step);
}
