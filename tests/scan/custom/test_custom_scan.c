/* Scans and reductions with operators of the caller's: any element, any algorithm, in any direction. */
#include <criterion/criterion.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/scan.h"
#include "tests/support/byte_maps.h"
#include "tests/support/counting.h"
#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/random.h"
#include "tests/support/sanitizer.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"
#include "tests/support/tree_oracle.h"

/* One call, in all its modes. */
typedef struct custom_case {
    const parscan_operator *op;
    size_t size, n;
    scan_kind kind;
    parscan_algorithm algorithm;
    bool reverse, init, reproducible, in_place;
    unsigned in_offset, out_offset; /* bytes past an aligned address */
} custom_case;

/* What the call must answer, by a plain loop. */
static void expected(const custom_case *c, const uint8_t *in, const uint8_t *init, uint8_t *out)
{
    const size_t size = c->size;
    uint8_t before[MOST_BYTES];
    neutral_bytes(size, before);
    if (init != NULL)
        memcpy(before, init, size);
    for (size_t k = 0; k < c->n; k++) {
        const size_t i = c->reverse ? c->n - 1 - k : k;
        if (c->kind == SCAN_EXCLUSIVE)
            memcpy(out + i * size, before, size);
        compose_bytes(size, before, in + i * size, before);
        if (c->kind == SCAN_INCLUSIVE)
            memcpy(out + i * size, before, size);
    }
    if (c->kind == SCAN_REDUCE)
        memcpy(out, before, size);
}

static void expect_custom(parscan_context *context, const custom_case *c, const uint8_t *elements)
{
    enum { ROOM = 64 + 64, AFTER = 0xa5 };
    const size_t bytes = c->n * c->size, results = c->kind == SCAN_REDUCE ? 1 : c->n;
    char *const memory = malloc(bytes + ROOM), *const other = malloc(bytes + c->size + ROOM);
    uint8_t *const right = malloc(bytes + c->size), *const init = random_byte_maps(c->size, 1);
    memset(memory, AFTER, bytes + ROOM);
    memset(other, AFTER, bytes + c->size + ROOM);
    char *const in = memory + c->in_offset;
    char *const out = c->in_place ? in : other + c->out_offset;
    memcpy(in, elements, bytes);
    expected(c, elements, c->init ? init : NULL, right);
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.custom = c->op, .algorithm = c->algorithm, .reverse = c->reverse,
                             .reproducible = c->reproducible, .init = c->init ? init : NULL);
    const parscan_status status =
        call_scan(context, c->kind, PARSCAN_CUSTOM, in, out, c->n, &options);
    const bool same = memcmp(out, right, results * c->size) == 0;
    const bool intact = c->in_place || memcmp(in, elements, bytes) == 0;
    const char *const end = out + results * c->size;
    if (status != PARSCAN_OK || !same || !intact || end[0] != (char)AFTER || out[-1] != (char)AFTER)
        cr_assert_fail("%zu elements of %zu bytes, kind %d, %s, reverse %d, init %d, reproducible "
                       "%d, in place %d: status %d (%s), same %d, intact %d",
                       c->n, c->size, c->kind, parscan_algorithm_name(c->algorithm), c->reverse,
                       c->init, c->reproducible, c->in_place, status,
                       parscan_context_error(context), same, intact);
    free(memory);
    free(other);
    free(right);
    free(init);
}

/* Kinds, forward and in reverse, with and without init, in place and not: of these 24 modes one in
   `every`, others each time. */
static void expect_modes(parscan_context *context, custom_case c, const uint8_t *elements,
                         unsigned every)
{
    static unsigned turn;
    for (unsigned mode = turn++ % every; mode < 24; mode += every) {
        c.kind = (scan_kind)(mode % 3);
        c.reverse = mode / 3 & 1;
        c.init = mode / 6 & 1;
        c.in_place = mode / 12 && c.kind != SCAN_REDUCE;
        c.in_offset = 64 - 64 % (unsigned)c.size;
        c.out_offset = c.in_offset;
        if (takes_case())
            expect_custom(context, &c, elements);
    }
}

SimdTest(custom_scan, is_right_for_every_size_of_an_element)
{
    static const size_t lengths[] = {1, 2, 15, 16, 17, 63, 100, 1000, 4097};
    parscan_context *const context = test_context();
    for (size_t size = 1; size <= MOST_BYTES; size++) {
        parscan_operator *const op = byte_maps_operator(size, 0, true);
        uint8_t *const in = random_byte_maps(size, 4097);
        for (size_t k = 0; k < COUNT_OF(lengths); k++)
            expect_modes(context, (custom_case){.op = op, .size = size, .n = lengths[k]}, in, 5);
        parscan_operator_destroy(op);
        free(in);
    }
    parscan_context_destroy(context);
}

/* Around the ends of panels and of tiles, by several threads. */
SimdTest(custom_scan, is_right_where_panels_and_tiles_end)
{
    static const size_t sizes[] = {1, 2, 4, 8, 12, 16, 64};
    for (unsigned threads = FEWEST_THREADS; threads <= 3; threads++) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = threads});
        for (size_t s = 0; s < COUNT_OF(sizes); s++) {
            const size_t size = sizes[s], panel = 512 / size * 32, many = 1500000 / size;
            const size_t lengths[] = {panel - 1, panel, panel + 1, 3 * panel + 32 * 3 + 5, many};
            parscan_operator *const op = byte_maps_operator(size, 0, true);
            uint8_t *const in = random_byte_maps(size, many > 4 * panel ? many : 4 * panel);
            for (size_t k = 0; k < COUNT_OF(lengths); k++)
                expect_modes(context, (custom_case){.op = op, .size = size, .n = lengths[k]}, in,
                             k == COUNT_OF(lengths) - 1 ? 5 : 3);
            parscan_operator_destroy(op);
            free(in);
        }
        parscan_context_destroy(context);
    }
}

SimdTest(custom_scan, is_right_by_every_algorithm_and_by_the_tree)
{
    static const size_t sizes[] = {1, 8, 24, 64};
    static const size_t lengths[] = {1, 2, 31, 33, 1000, 2047, 2048, 2049, 10007};
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 2});
    for (size_t s = 0; s < COUNT_OF(sizes); s++) {
        parscan_operator *const op = byte_maps_operator(sizes[s], 0, true);
        uint8_t *const in = random_byte_maps(sizes[s], 10007);
        for (size_t k = 0; k < COUNT_OF(lengths); k++) {
            custom_case c = {.op = op, .size = sizes[s], .n = lengths[k]};
            for (size_t a = 0; a < ALGORITHMS; a++) {
                c.algorithm = all_algorithms[a];
                expect_modes(context, c, in, 5);
            }
            c.algorithm = PARSCAN_AUTO;
            c.reproducible = true;
            expect_modes(context, c, in, 2);
        }
        parscan_operator_destroy(op);
        free(in);
    }
    parscan_context_destroy(context);
}

SimdTest(custom_scan, by_the_tree_is_right_with_several_threads)
{
    const size_t n = 1500000 / 8;
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 3});
    parscan_operator *const op = byte_maps_operator(8, 0, true);
    uint8_t *const in = random_byte_maps(8, n);
    expect_modes(context, (custom_case){.op = op, .size = 8, .n = n, .reproducible = true}, in, 2);
    parscan_operator_destroy(op);
    parscan_context_destroy(context);
    free(in);
}

SimdTest(custom_scan, takes_arrays_of_any_alignment)
{
    const size_t n = 9001;
    parscan_context *const context = test_context();
    for (size_t size = 8; size <= 64; size += 8) {
        const unsigned alignment = (unsigned)(size & (~size + 1));
        parscan_operator *const op = byte_maps_operator(size, alignment, true);
        uint8_t *const in = random_byte_maps(size, n);
        for (unsigned mode = 0; mode < 12; mode++) {
            custom_case c = {
                .op = op, .size = size, .n = n, .in_offset = 1 + mode, .out_offset = 7};
            c.kind = (scan_kind)(mode % 3);
            c.reverse = mode / 3 & 1;
            c.reproducible = mode / 6 & 1;
            if (takes_larger_case())
                expect_custom(context, &c, in);
        }
        parscan_operator_destroy(op);
        free(in);
    }
    parscan_context_destroy(context);
}

SimdTest(custom_scan, needs_no_identity)
{
    static const size_t lengths[] = {1, 2, 17, 1000, 5000, 80000};
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 2});
    parscan_operator *const op = byte_maps_operator(8, 0, false);
    uint8_t *const in = random_byte_maps(8, 80000);
    for (size_t k = 0; k < COUNT_OF(lengths); k++)
        for (size_t a = 0; a <= ALGORITHMS; a++)
            for (unsigned mode = 0; mode < 12; mode++) {
                custom_case c = {.op = op, .size = 8, .n = lengths[k], .in_offset = 8};
                c.out_offset = 8;
                c.kind = (scan_kind)(mode % 3);
                c.reverse = mode / 3 & 1;
                c.init = mode / 6 || c.kind == SCAN_EXCLUSIVE;
                c.reproducible = a == ALGORITHMS;
                c.algorithm = c.reproducible ? PARSCAN_AUTO : all_algorithms[a];
                if ((mode + a + k) % 3 == 0 && takes_case())
                    expect_custom(context, &c, in);
            }
    parscan_operator_destroy(op);
    parscan_context_destroy(context);
    free(in);
}

Test(custom_scan, without_identity_and_init_is_refused_where_it_has_no_first_result)
{
    parscan_context *const context = test_context();
    parscan_operator *const op = byte_maps_operator(8, 0, false);
    uint64_t in = 1, out = 2;
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.custom = op);
    cr_assert_eq(parscan_exclusive_scan(context, PARSCAN_CUSTOM, &in, &out, 1, &options),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert(strstr(parscan_context_error(context), "identity") != NULL);
    cr_assert_eq(parscan_reduce(context, PARSCAN_CUSTOM, &in, &out, 0, &options),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert(strstr(parscan_context_error(context), "n = 0") != NULL);
    cr_assert_eq(out, 2);
    parscan_operator_destroy(op);
    parscan_context_destroy(context);
}

Test(custom_scan, of_nothing_is_init_or_the_identity)
{
    parscan_context *const context = test_context();
    parscan_operator *const op = byte_maps_operator(2, 0, true);
    const uint8_t init[] = {3, 7};
    uint8_t out[] = {9, 9};
    parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.custom = op);
    cr_assert_eq(parscan_exclusive_scan(context, PARSCAN_CUSTOM, NULL, NULL, 0, &options),
                 PARSCAN_OK);
    cr_assert_eq(parscan_reduce(context, PARSCAN_CUSTOM, NULL, out, 0, &options), PARSCAN_OK);
    cr_assert(out[0] == 1 && out[1] == 0);
    options.init = init;
    cr_assert_eq(parscan_reduce(context, PARSCAN_CUSTOM, NULL, out, 0, &options), PARSCAN_OK);
    cr_assert(out[0] == 3 && out[1] == 7);
    parscan_operator_destroy(op);
    parscan_context_destroy(context);
}

/* ---- commutative operators, and sums of floats ---- */

PARSCAN_DEFINE_OPERATOR(sum_of_u32, uint32_t, (), { return earlier + later; })
PARSCAN_DEFINE_OPERATOR(sum_of_f32, float, (), { return earlier + later; })

SimdTest(custom_reduction, that_commutes_is_right)
{
    static const size_t lengths[] = {1, 2, 16, 17, 31, 100, 511, 513, 4096, 5000, 400003};
    parscan_operator *op;
    const parscan_operator_options options =
        PARSCAN_OPERATOR_OPTIONS(PARSCAN_DEFINED_OPERATOR(sum_of_u32, uint32_t), .commutes = 1);
    cr_assert_eq(parscan_operator_create(&op, &options), PARSCAN_OK);
    uint32_t *const in = random_array(PARSCAN_U32, PARSCAN_SUM, 400004);
    for (unsigned threads = FEWEST_THREADS; threads <= 3; threads++) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = threads});
        for (size_t k = 0; k < COUNT_OF(lengths); k++)
            for (int mode = 0; mode < 4; mode++) {
                const char *const at = (const char *)in + (mode & 1); /* not aligned */
                uint32_t sum, right = 0, x;
                for (size_t i = 0; i < lengths[k]; i++) {
                    memcpy(&x, at + i * sizeof x, sizeof x);
                    right += x;
                }
                const parscan_scan_options scan =
                    PARSCAN_SCAN_OPTIONS(.custom = op, .reverse = mode / 2);
                cr_assert_eq(parscan_reduce(context, PARSCAN_CUSTOM, at, &sum, lengths[k], &scan),
                             PARSCAN_OK);
                cr_assert_eq(sum, right, "n = %zu, mode %d", lengths[k], mode);
            }
        parscan_context_destroy(context);
    }
    parscan_operator_destroy(op);
    free(in);
}

/* The tree is that of the library's own sums: the bits are those of its oracle. */
SimdTest(custom_scan, that_is_reproducible_has_the_bits_of_the_tree)
{
    static const size_t lengths[] = {1, 15, 17, 2048, 2049, 6000, 70001, 140003};
    parscan_operator *op;
    const parscan_operator_options given =
        PARSCAN_OPERATOR_OPTIONS(PARSCAN_DEFINED_OPERATOR(sum_of_f32, float));
    cr_assert_eq(parscan_operator_create(&op, &given), PARSCAN_OK);
    float *const in = random_array(PARSCAN_F32, PARSCAN_SUM, 140003);
    float *const out = malloc(140003 * sizeof *out), *const right = malloc(140003 * sizeof *out);
    for (unsigned threads = FEWEST_THREADS; threads <= 3; threads += 2) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = threads});
        for (size_t k = 0; k < COUNT_OF(lengths); k++)
            for (int mode = 0; mode < 12; mode++) {
                if (!takes_larger_case())
                    continue;
                const float init = 0.1f;
                oracle_scan scan = {.kind = (scan_kind)(mode % 3),
                                    .type = PARSCAN_F32,
                                    .out_type = PARSCAN_F32,
                                    .op = PARSCAN_SUM,
                                    .in = in,
                                    .n = lengths[k],
                                    .reverse = mode / 3 & 1};
                scan.init = mode / 6 || scan.kind == SCAN_EXCLUSIVE ? &init : NULL;
                const parscan_scan_options options =
                    PARSCAN_SCAN_OPTIONS(.custom = op, .reproducible = 1, .init = scan.init,
                                         .reverse = scan.reverse);
                tree_oracle(&scan, right);
                cr_assert_eq(
                    call_scan(context, scan.kind, PARSCAN_CUSTOM, in, out, scan.n, &options),
                    PARSCAN_OK);
                const size_t results = scan.kind == SCAN_REDUCE ? 1 : scan.n;
                cr_assert_eq(bits_differ_at(PARSCAN_F32, out, right, results), results,
                             "n = %zu, mode %d", lengths[k], mode);
            }
        parscan_context_destroy(context);
    }
    parscan_operator_destroy(op);
    free(in);
    free(out);
    free(right);
}

/* ---- maps ---- */

PARSCAN_DEFINE_OPERATOR(sum_of_u64, uint64_t, (), { return earlier + later; })
PARSCAN_DEFINE_LOAD(square, uint64_t, (), {
    const int64_t x = ((const int16_t *)in)[i];
    return (uint64_t)(x * x);
})
PARSCAN_DEFINE_LOAD(counter, uint64_t, (), { return i + 1; })
PARSCAN_DEFINE_LOAD(gathered, uint64_t, (), {
    const uint32_t *const indices = *(const uint32_t *const *)state;
    return ((const uint64_t *)in)[indices[i]];
})
PARSCAN_DEFINE_STORE(low_half, uint64_t, (), { ((uint32_t *)out)[i] = (uint32_t)x; })

/* A way in and a way out, with what element i is. */
typedef struct map_case {
    parscan_load_function load;
    size_t in_size;
    bool stores;
} map_case;

static uint64_t mapped(const map_case *map, const void *in, const uint32_t *indices, size_t i)
{
    const int64_t x = ((const int16_t *)in)[i];
    if (map->load == square_load)
        return (uint64_t)(x * x);
    if (map->load == counter_load)
        return i + 1;
    return ((const uint64_t *)in)[map->load == NULL ? i : indices[i]];
}

static void expect_map(parscan_context *context, const map_case *map, const void *in,
                       const uint32_t *indices, size_t n, parscan_algorithm algorithm, int mode)
{
    const uint64_t zero = 0, init = 1234567;
    const scan_kind kind = (scan_kind)(mode % 3);
    const bool reverse = mode / 3 & 1, reproducible = algorithm == PARSCAN_AUTO && mode / 6 & 1;
    parscan_operator *op;
    const parscan_operator_options options =
        PARSCAN_OPERATOR_OPTIONS(.element_size = 8, .combine = sum_of_u64_combine,
                                 .commutes = mode / 12 & 1, .identity = &zero, .state = &indices,
                                 .state_size = sizeof indices, .load = map->load,
                                 .store = map->stores ? low_half_store : NULL,
                                 .in_size = map->in_size, .out_size = map->stores ? 4 : 0);
    cr_assert_eq(parscan_operator_create(&op, &options), PARSCAN_OK);
    uint64_t *const out = malloc((n + 1) * sizeof *out), sum = init;
    const parscan_scan_options scan =
        PARSCAN_SCAN_OPTIONS(.custom = op, .algorithm = algorithm, .reverse = reverse,
                             .reproducible = reproducible, .init = &init);
    cr_assert_eq(call_scan(context, kind, PARSCAN_CUSTOM, map->load == counter_load ? NULL : in,
                           out, n, &scan),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    for (size_t k = 0; k < n; k++) {
        const size_t i = reverse ? n - 1 - k : k, at = kind == SCAN_REDUCE ? 0 : i;
        const uint64_t before = sum;
        sum += mapped(map, in, indices, i);
        const uint64_t right = kind == SCAN_EXCLUSIVE ? before : sum;
        const uint64_t found = map->stores ? ((const uint32_t *)out)[at] : out[at];
        if ((kind != SCAN_REDUCE || k + 1 == n) && found != (map->stores ? (uint32_t)right : right))
            cr_assert_fail("n = %zu, %s, mode %d, element %zu", n,
                           parscan_algorithm_name(algorithm), mode, i);
    }
    free(out);
    parscan_operator_destroy(op);
}

SimdTest(maps, are_part_of_every_algorithm)
{
    static const map_case maps[] = {{square_load, 2, false},
                                    {counter_load, 0, true},
                                    {gathered_load, 8, true},
                                    {NULL, 0, true}};
    static const size_t lengths[] = {1, 17, 1000, 9000, 80000};
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 2});
    uint64_t *const in = random_array(PARSCAN_U64, PARSCAN_SUM, 80000);
    uint32_t *const indices = malloc(80000 * sizeof *indices);
    for (size_t k = 0; k < COUNT_OF(lengths); k++) {
        for (size_t i = 0; i < lengths[k]; i++)
            indices[i] = (uint32_t)random_below(lengths[k]);
        for (size_t m = 0; m < COUNT_OF(maps); m++)
            for (size_t a = 0; a < ALGORITHMS; a++)
                for (int mode = (int)(a + m) % 5; mode < 24; mode += 5)
                    if ((lengths[k] <= 9000 || a == 0) && takes_larger_case())
                        expect_map(context, &maps[m], in, indices, lengths[k], all_algorithms[a],
                                   mode);
    }
    parscan_context_destroy(context);
    free(in);
    free(indices);
}

Test(maps, must_not_be_in_place_and_may_have_no_input)
{
    parscan_context *const context = test_context();
    const parscan_operator_options options = PARSCAN_OPERATOR_OPTIONS(
        PARSCAN_DEFINED_OPERATOR(sum_of_u64, uint64_t), PARSCAN_DEFINED_LOAD(square), .in_size = 2);
    parscan_operator *op;
    uint64_t array[8] = {0};
    cr_assert_eq(parscan_operator_create(&op, &options), PARSCAN_OK);
    const parscan_scan_options scan = PARSCAN_SCAN_OPTIONS(.custom = op);
    cr_assert_eq(parscan_inclusive_scan(context, PARSCAN_CUSTOM, array, array, 8, &scan),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(parscan_inclusive_scan(context, PARSCAN_CUSTOM, NULL, array, 8, &scan),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert(strstr(parscan_context_error(context), "in is NULL") != NULL);
    parscan_operator_destroy(op);
    parscan_context_destroy(context);
}

/* ---- the textbook's networks ---- */

static void count_and_add(const void *earlier, const void *later, void *out, size_t n,
                          const void *state)
{
    atomic_fetch_add(*(atomic_ulong *const *)state, n);
    sum_of_u64_combine(earlier, later, out, n, NULL);
}

/* One block of n elements, a power of two. */
static unsigned long operations_of(parscan_algorithm algorithm, unsigned threads, unsigned items)
{
    atomic_ulong count = 0, *const at = &count;
    parscan_context *const context = test_context();
    const parscan_operator_options options =
        PARSCAN_OPERATOR_OPTIONS(.element_size = 8, .combine = count_and_add, .state = &at,
                                 .state_size = sizeof at);
    parscan_operator *op;
    cr_assert_eq(parscan_operator_create(&op, &options), PARSCAN_OK);
    const size_t n = (size_t)threads * items;
    uint64_t *const in = calloc(n, sizeof *in), *const out = calloc(n, sizeof *out);
    const parscan_scan_options scan =
        PARSCAN_SCAN_OPTIONS(.custom = op, .algorithm = algorithm, .block_threads = threads,
                             .items_per_thread = items);
    cr_assert_eq(parscan_inclusive_scan(context, PARSCAN_CUSTOM, in, out, n, &scan), PARSCAN_OK);
    free(in);
    free(out);
    parscan_operator_destroy(op);
    parscan_context_destroy(context);
    return atomic_load(&count);
}

Test(networks, take_the_textbooks_number_of_operations)
{
    for (unsigned log = 2; log <= 10; log++) {
        const unsigned n = 1u << log;
        cr_assert_eq(operations_of(PARSCAN_KOGGE_STONE, n, 1), n * log - (n - 1));
        cr_assert_eq(operations_of(PARSCAN_BRENT_KUNG, n / 2, 2), 2 * n - 2 - log);
    }
    cr_assert_eq(operations_of(PARSCAN_THREE_PHASE, 16, 8),
                 16 * 7 + (16 * 4 - 15) + 15 * 8); /* segments, their sums, the sums added */
}

/* ---- memory ---- */

/* Makes an operator and calls it, the k-th allocation failing; whether one did. */
static bool survives_failure(size_t k, const uint8_t *in, uint8_t *out, size_t n)
{
    counting c = counting_begin(k);
    char words[256] = "";
    const uint8_t one[8] = {1, 0, 1, 0, 1, 0, 1, 0};
    parscan_operator_options options =
        PARSCAN_OPERATOR_OPTIONS(.element_size = 8, .combine = sum_of_u64_combine, .identity = one,
                                 .error = words, .error_size = sizeof words,
                                 .allocator = counting_options(&c).allocator);
    parscan_context *const context = counting_context(&c);
    parscan_operator *op = NULL;
    if (parscan_operator_create(&op, &options) != PARSCAN_OK) {
        cr_assert(op == NULL && strstr(words, "memory") != NULL);
        cr_assert_eq(parscan_operator_create(&op, &options), PARSCAN_OK);
    }
    for (int way = 0; way < 3; way++) {
        const parscan_scan_options scan =
            PARSCAN_SCAN_OPTIONS(.custom = op, .reproducible = way == 1,
                                 .algorithm = way == 2 ? PARSCAN_BRENT_KUNG : PARSCAN_AUTO);
        parscan_status status = parscan_exclusive_scan(context, PARSCAN_CUSTOM, in, out, n, &scan);
        if (status != PARSCAN_OK) {
            cr_assert_eq(status, PARSCAN_ERROR_OUT_OF_MEMORY);
            status = parscan_exclusive_scan(context, PARSCAN_CUSTOM, in, out, n, &scan);
        }
        cr_assert_eq(status, PARSCAN_OK);
        uint64_t sum = 0, x, found;
        memcpy(&found, out + 8 * (n - 1), 8);
        for (size_t i = 0; i + 1 < n; i++, sum += x)
            memcpy(&x, in + 8 * i, 8);
        cr_assert_eq(found, sum);
    }
    const bool failed = c.calls > k;
    parscan_operator_destroy(op);
    parscan_context_destroy(context);
    counting_end(&c);
    return failed;
}

Test(custom_scan, survives_every_allocation_that_fails)
{
    const size_t n = 200000; /* two threads */
    uint8_t *const in = random_byte_maps(8, n), *const out = malloc(8 * n);
    size_t k = 0;
    while (survives_failure(k, in, out, n))
        k++;
    cr_assert_geq(k, 3);
    free(in);
    free(out);
}

Test(custom_scan, is_measured_without_running)
{
    parscan_operator *const op = byte_maps_operator(24, 8, true);
    uint8_t *const in = random_byte_maps(24, 100000), *const out = malloc(2400000);
    for (int way = 0; way < 12; way++) {
        parscan_context *const real = test_context_with((parscan_context_options){.threads = 2});
        parscan_context *const measuring =
            test_context_with((parscan_context_options){.threads = 2, .measure = 1});
        static const parscan_algorithm algorithms[] = {PARSCAN_AUTO, PARSCAN_AUTO,
                                                       PARSCAN_BRENT_KUNG, PARSCAN_SEQUENTIAL};
        const parscan_scan_options scan =
            PARSCAN_SCAN_OPTIONS(.custom = op, .algorithm = algorithms[way / 3],
                                 .reproducible = way / 3 == 1);
        const scan_kind kind = (scan_kind)(way % 3);
        memset(out, 0, 24);
        cr_assert_eq(call_scan(measuring, kind, PARSCAN_CUSTOM, in, out, 100000, &scan),
                     PARSCAN_OK);
        cr_assert_eq(out[0] | out[1] | out[2], 0);
        cr_assert_eq(call_scan(real, kind, PARSCAN_CUSTOM, in, out, 100000, &scan), PARSCAN_OK);
        cr_assert_eq(parscan_context_scratch(measuring), parscan_context_scratch(real), "way %d",
                     way);
        parscan_context_destroy(real);
        parscan_context_destroy(measuring);
    }
    parscan_operator_destroy(op);
    free(in);
    free(out);
}
