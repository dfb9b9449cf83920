/* Segmented scans and reductions: every type, operator, kind and direction, segments of every shape,
   written down in every way. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "scan/cpu/tiles.h"
#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/segmented_case.h"
#include "tests/support/test_engine.h"

/* Around vectors, rows, blocks and small tiles. */
static const size_t sizes[] = {0,   1,    2,    3,    7,    8,    9,    15,   16,   17,  31,  32,
                               33,  63,   64,   65,   127,  128,  129,  255,  256,  257, 511, 512,
                               513, 1023, 1024, 1025, 2047, 2049, 4095, 4097, 8191, 8193};

static const parscan_algorithm algorithms[] = {PARSCAN_AUTO, PARSCAN_SEQUENTIAL,
                                               PARSCAN_SINGLE_PASS};

static segment_form random_form(void)
{
    return all_segment_forms[random_below(SEGMENT_FORMS)];
}

/* All kinds, forward and reverse. */
static void expect_every_mode(parscan_context *context, segmented_case scan, const void *in)
{
    for (scan_kind kind = SCAN_INCLUSIVE; kind <= SCAN_REDUCE; kind++)
        for (int reverse = 0; reverse < 2; reverse++) {
            scan.kind = kind;
            scan.options.reverse = reverse;
            if ((!scan.in_place || kind != SCAN_REDUCE) && takes_larger_case())
                expect_segmented(context, scan, in);
        }
}

/* The same on elements that suit the operator, cut into segments. */
static void expect_cut(parscan_context *context, segmented_case scan, size_t n, segment_shape shape,
                       segment_form form)
{
    cut_array cut = cut_create(n, shape, form);
    void *const in = random_array(scan.type, scan.options.op, n);
    scan.cut = &cut;
    expect_every_mode(context, scan, in);
    free(in);
    cut_destroy(&cut);
}

static bool is_taken(parscan_type type)
{
    for (size_t t = 0; t < TYPES; t++)
        if (all_types[t] == type)
            return true;
    return false;
}

static void expect_every_operator_of(parscan_type type)
{
    parscan_context *const context = test_context();
    for (size_t o = 0; o < OPS && is_taken(type); o++)
        for (size_t k = 0; k < 3 * COUNT_OF(sizes) && type_has(type, all_ops[o]); k++) {
            if (!takes_case())
                continue;
            segmented_case scan = {.type = type, .options.op = all_ops[o]};
            scan.options.algorithm = algorithms[k % 3 == 2 ? random_below(3) : 0];
            expect_cut(context, scan, sizes[k / 3], (segment_shape)random_below(SEGMENT_SHAPES),
                       random_form());
        }
    parscan_context_destroy(context);
}

/* Every shape in every form, with one operator or another. */
static void expect_every_shape_of(parscan_type type)
{
    static const size_t lengths[] = {1, 2, 33, 100, 1025, 5003};
    parscan_context *const context = test_context();
    for (segment_shape shape = 0; shape < SEGMENT_SHAPES && is_taken(type); shape++)
        for (size_t form = 0; form < SEGMENT_FORMS; form++)
            for (size_t s = 0; s < COUNT_OF(lengths); s++) {
                if (!takes_case())
                    continue;
                segmented_case scan = {.type = type};
                scan.options.op = all_ops[random_below(OPS)];
                if (!type_has(type, scan.options.op))
                    scan.options.op = PARSCAN_SUM;
                expect_cut(context, scan, lengths[s], shape, all_segment_forms[form]);
            }
    parscan_context_destroy(context);
}

#define X(ctx, NAME, number, name, ...)                                        \
    SimdTest(segmented_scan, agrees_with_the_oracle_for_every_operator_##name) \
    {                                                                          \
        expect_every_operator_of(PARSCAN_##NAME);                              \
    }                                                                          \
    SimdTest(segmented_scan, agrees_with_the_oracle_for_every_shape_##name)    \
    {                                                                          \
        expect_every_shape_of(PARSCAN_##NAME);                                 \
    }
PARSCAN_TYPES(X, )
#undef X

SimdTest(segmented_scan, takes_every_length_to_300)
{
    parscan_context *const context = test_context();
    for (size_t n = 0; n <= 300; n++) {
        segmented_case scan = {.type = all_types[n % TYPES]};
        expect_cut(context, scan, n, (segment_shape)(n / TYPES % SEGMENT_SHAPES), random_form());
        scan.type = all_types[(n + 5) % TYPES];
        scan.options.op = PARSCAN_MAX;
        expect_cut(context, scan, n, SHORT_SEGMENTS, random_form());
    }
    parscan_context_destroy(context);
}

/* One head, at every place of a few vectors. */
SimdTest(segmented_scan, takes_a_head_at_every_place)
{
    enum { N = 200 };
    parscan_context *const context = test_context();
    for (size_t t = 0; t < TYPES; t++) {
        void *const in = random_array(all_types[t], PARSCAN_SUM, N);
        for (size_t head = 1; head < N; head++) {
            cut_array cut = cut_create_at(N, &head, 1, random_form());
            expect_every_mode(context, (segmented_case){.type = all_types[t], .cut = &cut}, in);
            cut_destroy(&cut);
        }
        free(in);
    }
    parscan_context_destroy(context);
}

/* Heads at a tile's first and last element and next to them, in arrays that end there too. */
static void expect_heads_at_tiles(parscan_context *context, parscan_type type)
{
    const size_t tile = TILE_BYTES / parscan_type_size(type);
    const size_t places[] = {tile - 1, tile, tile + 1, 2 * tile - 1, 2 * tile};
    void *const in = random_array(type, PARSCAN_SUM, 3 * tile);
    for (size_t k = 0; k < COUNT_OF(places) * 6; k++) {
        const size_t n = k % 6 < 3 ? 2 * tile + k % 3 : 3 * tile - k % 3;
        cut_array cut = cut_create_at(n, &places[k / 6], 1, random_form());
        segmented_case scan = {.kind = (scan_kind)(k % 3), .type = type, .cut = &cut};
        scan.options.reverse = (int)(k / 6 % 2);
        expect_segmented(context, scan, in);
        cut_destroy(&cut);
        cut = cut_create_at(n, places, COUNT_OF(places), random_form());
        expect_segmented(context, scan, in);
        cut_destroy(&cut);
    }
    free(in);
}

SimdTest(segmented_scan, takes_heads_at_the_edges_of_tiles)
{
    parscan_context *const context = test_context();
    for (size_t t = 0; t < TYPES; t++)
        expect_heads_at_tiles(context, all_types[t]);
    parscan_context_destroy(context);
}

/* Enough for several threads, in tiles of one segment, of several, and of parts of one. */
static void expect_threads(unsigned threads)
{
    parscan_context *const context =
        test_context_with((parscan_context_options){.threads = threads});
    for (size_t t = 0; t < TYPES; t++)
        for (segment_shape shape = 0; shape < SEGMENT_SHAPES; shape++) {
            const size_t n = THREADS_FROM_BYTES / parscan_type_size(all_types[t]) + 20011;
            const segment_form form = all_segment_forms[(t + shape) % SEGMENT_FORMS];
            segmented_case scan = {.kind = (scan_kind)((t + shape) % 3), .type = all_types[t]};
            scan.options.op = (t + shape) % 4 == 0 ? PARSCAN_MIN : PARSCAN_SUM;
            scan.options.reverse = (int)(t / 3 + shape) % 2;
            cut_array cut = cut_create(n, shape, form);
            void *const in = random_array(scan.type, scan.options.op, n);
            scan.cut = &cut;
            expect_segmented(context, scan, in);
            free(in);
            cut_destroy(&cut);
        }
    parscan_context_destroy(context);
}

SimdTest(segmented_scan, is_right_on_1_thread)
{
    expect_threads(1);
}

SimdTest(segmented_scan, is_right_on_2_threads)
{
    expect_threads(2);
}

SimdTest(segmented_scan, is_right_on_3_threads)
{
    expect_threads(3);
}

SimdTest(segmented_scan, is_right_on_7_threads)
{
    expect_threads(7);
}

SimdTest(segmented_scan, takes_a_prime_near_2_20)
{
    static const struct {
        parscan_type type, out_type;
        parscan_op op;
        segment_shape shape;
        size_t form;
    } samples[] = {
        {PARSCAN_U32, 0, PARSCAN_SUM, SHORT_SEGMENTS, 0},
        {PARSCAN_F32, 0, PARSCAN_SUM, LONG_SEGMENTS, 3},
        {PARSCAN_I64, 0, PARSCAN_MAX, HUGE_AMONG_TINY, 2},
        {PARSCAN_F64, 0, PARSCAN_PRODUCT, ZIPF_SEGMENTS, 12},
        {PARSCAN_U8, PARSCAN_U64, PARSCAN_SUM, ONE_SEGMENT, 0},
        {PARSCAN_I16, 0, PARSCAN_XOR, EMPTY_AMONG_OTHERS, 3},
        {PARSCAN_F16, 0, PARSCAN_SUM, LONG_SEGMENTS, 2},
        {PARSCAN_BF16, 0, PARSCAN_PRODUCT, ZIPF_SEGMENTS, 0},
        {PARSCAN_BF16, PARSCAN_F64, PARSCAN_SUM, ONE_SEGMENT, 0},
    };
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(samples); k++) {
        segmented_case scan = {.type = samples[k].type};
        scan.options.op = samples[k].op;
        scan.options.out_type = samples[k].out_type;
        if (!is_taken(scan.type))
            continue;
        expect_cut(context, scan, 1048573, samples[k].shape, all_segment_forms[samples[k].form]);
    }
    parscan_context_destroy(context);
}

/* Outputs that go past the caches start anywhere in a cache line. */
SimdTest(segmented_scan, streams_to_any_place_of_a_line)
{
    parscan_context *const context = test_context();
    for (size_t k = 0; k < 4 * TYPES; k++) {
        segmented_case scan = {.kind = (scan_kind)(k / TYPES % 2), .type = all_types[k % TYPES]};
        const size_t size = parscan_type_size(scan.type);
        const size_t n = STREAM_FROM_BYTES / size + random_below(3000);
        const segment_shape shapes[] = {ZIPF_SEGMENTS, SHORT_SEGMENTS, LONG_SEGMENTS, ONE_SEGMENT};
        cut_array cut = cut_create(n, shapes[(k + k / TYPES) % 4], random_form());
        void *const in = random_array(scan.type, PARSCAN_SUM, n);
        scan.cut = &cut;
        scan.options.reverse = (int)(k / TYPES / 2);
        scan.in_offset = (unsigned)random_below(64);
        scan.out_offset = (unsigned)(random_below(64) / size * size);
        scan.in_place = k % 3 == 0;
        expect_segmented(context, scan, in);
        free(in);
        cut_destroy(&cut);
    }
    parscan_context_destroy(context);
}

SimdTest(segmented_scan, is_right_in_place)
{
    static const size_t lengths[] = {1, 2, 33, 1025, 40009, 300007};
    parscan_context *const context = test_context();
    for (size_t t = 0; t < TYPES; t++)
        for (size_t k = 0; k < 3 * COUNT_OF(lengths); k++) {
            if (lengths[k / 3] == 300007 && t % 3 != k % 3)
                continue;
            expect_cut(context, (segmented_case){.type = all_types[t], .in_place = true},
                       lengths[k / 3], (segment_shape)random_below(SEGMENT_SHAPES), random_form());
        }
    parscan_context_destroy(context);
}

SimdTest(segmented_scan, takes_pointers_of_any_alignment)
{
    static const size_t lengths[] = {1, 33, 1025, 5003, 40009};
    parscan_context *const context = test_context();
    for (size_t t = 0; t < TYPES; t++)
        for (size_t k = 0; k < 4 * COUNT_OF(lengths); k++) {
            segmented_case scan = {.type = all_types[t]};
            scan.in_offset = k % 2 == 0 ? 1 : (unsigned)random_below(64);
            scan.out_offset = k % 4 < 2 ? 1 : (unsigned)random_below(64);
            expect_cut(context, scan, lengths[k / 4], (segment_shape)random_below(SEGMENT_SHAPES),
                       random_form());
        }
    parscan_context_destroy(context);
}

SimdTest(segmented_scan, puts_init_first_in_every_segment)
{
    static const size_t lengths[] = {0, 1, 33, 1025, 20011};
    parscan_context *const context = test_context();
    for (size_t t = 0; t < TYPES; t++)
        for (size_t k = 0; k < OPS * COUNT_OF(lengths); k++) {
            segmented_case scan = {.type = all_types[t]};
            scan.options.op = all_ops[k % OPS];
            if (!type_has(scan.type, scan.options.op))
                continue;
            char init[32];
            random_fill(scan.type, scan.options.op, init + 1, 1);
            scan.options.init = init + 1; /* of any alignment too */
            expect_cut(context, scan, lengths[k / OPS], EMPTY_AMONG_OTHERS, all_segment_forms[3]);
            expect_cut(context, scan, lengths[k / OPS], (segment_shape)random_below(SEGMENT_SHAPES),
                       random_form());
        }
    parscan_context_destroy(context);
}

SimdTest(segmented_scan, widens_sums)
{
    static const parscan_type pairs[][2] = {
#define X(ctx, FROM, TO) {PARSCAN_##FROM, PARSCAN_##TO},
        PARSCAN_WIDENINGS(X, )
#undef X
    };
    static const size_t lengths[] = {1, 100, 2049, 30011};
    parscan_context *const context = test_context();
    for (size_t k = 0; k < 3 * COUNT_OF(pairs) * COUNT_OF(lengths); k++) {
        const parscan_type *const pair = pairs[k / 3 / COUNT_OF(lengths)];
        segmented_case scan = {.type = pair[0], .options.out_type = pair[1]};
        if (!is_taken(pair[0]))
            continue;
        char init[32];
        random_fill(pair[1], PARSCAN_SUM, init, 1);
        scan.options.init = k % 3 == 0 ? init : NULL;
        scan.in_offset = scan.out_offset = k % 3 == 1;
        expect_cut(context, scan, lengths[k / 3 % COUNT_OF(lengths)],
                   (segment_shape)random_below(SEGMENT_SHAPES), random_form());
    }
    parscan_context_destroy(context);
}

SimdTest(segmented_scan, takes_the_types_own_name_as_out_type_and_reproducible_integers)
{
    parscan_context *const context = test_context();
    for (size_t t = 0; t < TYPES; t++) {
        segmented_case scan = {.type = all_types[t], .options.out_type = all_types[t]};
        scan.options.reproducible = !oracle_is_float(all_types[t]);
        expect_cut(context, scan, 5003, LONG_SEGMENTS, random_form());
    }
    parscan_context_destroy(context);
}

SimdTest(segmented_reduce, of_offsets_need_not_say_how_many)
{
    parscan_context *const context = test_context();
    for (segment_shape shape = 0; shape < SEGMENT_SHAPES; shape++) {
        const segmented_case scan = {
            .kind = SCAN_REDUCE, .type = PARSCAN_I32, .count_missing = true};
        expect_cut(context, scan, 3001, shape, all_segment_forms[2 + shape % 2]);
    }
    parscan_context_destroy(context);
}
