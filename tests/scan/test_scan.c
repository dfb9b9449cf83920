/* Every type, operator, algorithm, kind and direction, at every interesting length. */
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

/* Around a warp, the default blocks (256, 512 and 2048 elements), the tile of a core (1024), two
   and many of them. */
static const size_t sizes[] = {0,    1,    2,    3,    31,   32,   33,   64,   255,
                               256,  257,  511,  512,  513,  1023, 1024, 1025, 2047,
                               2048, 2049, 4095, 4096, 4097, 5003, 20011};
#define LARGEST 20011u

#define MANY_TILES 120011u
#define PRIME_NEAR_2_20 1048573u

static bool is_block_algorithm(parscan_algorithm algorithm)
{
    static const parscan_algorithm block_algorithms[] = {
#define X(ctx, NAME, ...) PARSCAN_##NAME,
        PARSCAN_BLOCK_ALGORITHMS(X, )
#undef X
    };
    for (size_t k = 0; k < COUNT_OF(block_algorithms); k++)
        if (block_algorithms[k] == algorithm)
            return true;
    return false;
}

/* Whether one thread after the other goes through the array in order, so that scans of both kinds
   group their operands alike. CUDA's single pass starts an element's prefix anew at each lane, which
   parscan/scan.h leaves to it. */
static bool goes_in_order(parscan_algorithm algorithm)
{
    if (algorithm == PARSCAN_SEQUENTIAL)
        return true;
    return !is_block_algorithm(algorithm) && test_backend() == PARSCAN_BACKEND_CPU;
}

/* All kinds, forward and reverse. */
static void expect_every_mode(parscan_context *context, scan_case scan, const void *in)
{
    for (scan_kind kind = SCAN_INCLUSIVE; kind <= SCAN_REDUCE; kind++)
        for (int reverse = 0; reverse < 2; reverse++) {
            scan.kind = kind;
            scan.options.reverse = reverse;
            if ((!scan.in_place || kind != SCAN_REDUCE) && takes_larger_case())
                expect_scan(context, scan, in);
        }
}

static void expect_every_algorithm(parscan_context *context, scan_case scan, const void *in)
{
    for (size_t a = 0; a < ALGORITHMS; a++) {
        scan.options.algorithm = all_algorithms[a];
        expect_every_mode(context, scan, in);
    }
}

static void expect_every_operator_of(parscan_type type)
{
    parscan_context *const context = test_context();
    for (size_t o = 0; o < OPS; o++) {
        if (!type_has(type, all_ops[o]))
            continue;
        for (size_t s = 0; s < LESS_IN_EMULATOR(COUNT_OF(sizes), COUNT_OF(sizes) - 1); s++) {
            if (!takes_case())
                continue;
            void *const in = random_array(type, all_ops[o], sizes[s]);
            scan_case scan = {.type = type, .options.op = all_ops[o], .n = sizes[s]};
            /* In an emulator every third algorithm, in turn: at an edge each has a length. */
            for (size_t a = LESS_IN_EMULATOR(0, (s + o) % 3); a < ALGORITHMS;
                 a += LESS_IN_EMULATOR(1, 3)) {
                scan.options.algorithm = all_algorithms[a];
                expect_every_mode(context, scan, in);
            }
            free(in);
        }
    }
    parscan_context_destroy(context);
}

#define X(ctx, NAME, number, name, ...)                              \
    SimdTest(scan, agrees_with_the_oracle_for_every_operator_##name) \
    {                                                                \
        expect_every_operator_of(PARSCAN_##NAME);                    \
    }
PARSCAN_TYPES(X, )
#undef X

/* The lists above come from the tables. This holds the cross product to its size by hand. */
SimdTest(scan, is_tested_with_twelve_types_seven_operators_and_eight_algorithms)
{
    cr_assert_geq((int)TYPES, 12);
    cr_assert_geq((int)OPS, 7);
    cr_assert_geq((int)ALGORITHMS, 8);
    cr_assert(type_has(PARSCAN_U8, PARSCAN_XOR) && type_has(PARSCAN_F32, PARSCAN_MAX));
    cr_assert_not(type_has(PARSCAN_F64, PARSCAN_AND) || type_has(PARSCAN_F16, PARSCAN_OR));
}

SimdTest(scan, takes_many_tiles_and_a_prime_near_2_20)
{
    static const struct {
        parscan_type type, out_type;
        parscan_op op;
    } samples[] = {
        {PARSCAN_U32, 0, PARSCAN_SUM}, {PARSCAN_F32, 0, PARSCAN_SUM},
        {PARSCAN_I64, 0, PARSCAN_MAX}, {PARSCAN_F64, 0, PARSCAN_PRODUCT},
        {PARSCAN_F32, 0, PARSCAN_MIN}, {PARSCAN_U8, PARSCAN_U64, PARSCAN_SUM},
        {PARSCAN_F16, 0, PARSCAN_SUM}, {PARSCAN_BF16, PARSCAN_F64, PARSCAN_SUM},
    };
    static const size_t large[] = {MANY_TILES, PRIME_NEAR_2_20};
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(samples) * COUNT_OF(large); k++) {
        const size_t n = large[k % COUNT_OF(large)];
        scan_case scan = {.type = samples[k / COUNT_OF(large)].type, .n = n};
        scan.options.op = samples[k / COUNT_OF(large)].op;
        scan.options.out_type = samples[k / COUNT_OF(large)].out_type;
        void *const in = random_array(scan.type, scan.options.op, n);
        for (size_t a = 0; a < ALGORITHMS; a++) {
            scan.options.algorithm = all_algorithms[a];
            scan.kind = (scan_kind)((a + k) % 3);
            scan.options.reverse = (a + k) % 2;
            if (takes_larger_case())
                expect_scan(context, scan, in);
        }
        free(in);
    }
    parscan_context_destroy(context);
}

SimdTest(scan, is_right_in_place)
{
    static const size_t lengths[] = {1, 2, 33, 1025, 4097, 40009};
    parscan_context *const context = test_context();
    for (size_t t = 0; t < TYPES; t++)
        for (size_t s = 0; s < COUNT_OF(lengths); s++) {
            void *const in = random_array(all_types[t], PARSCAN_SUM, lengths[s]);
            const scan_case scan = {.type = all_types[t], .n = lengths[s], .in_place = true};
            expect_every_algorithm(context, scan, in);
            free(in);
        }
    parscan_context_destroy(context);
}

SimdTest(scan, takes_pointers_of_any_alignment)
{
    static const size_t lengths[] = {1, 33, 1025, 5003, 40009};
    parscan_context *const context = test_context();
    for (size_t t = 0; t < TYPES; t++)
        for (size_t s = 0; s < COUNT_OF(lengths); s++) {
            void *const in = random_array(all_types[t], PARSCAN_SUM, lengths[s]);
            for (unsigned offsets = 1; offsets < 4; offsets++)
                expect_every_algorithm(context,
                                       (scan_case){.type = all_types[t],
                                                   .n = lengths[s],
                                                   .in_offset = offsets & 1,
                                                   .out_offset = offsets >> 1},
                                       in);
            free(in);
        }
    parscan_context_destroy(context);
}

SimdTest(scan, takes_an_unaligned_init)
{
    parscan_context *const context = test_context();
    for (size_t t = 0; t < TYPES; t++) {
        char bytes[32];
        random_fill(all_types[t], PARSCAN_SUM, bytes + 1, 1);
        void *const in = random_array(all_types[t], PARSCAN_SUM, 1000);
        expect_every_algorithm(
            context, (scan_case){.type = all_types[t], .options.init = bytes + 1, .n = 1000}, in);
        free(in);
    }
    parscan_context_destroy(context);
}

SimdTest(exclusive_scan, is_the_inclusive_scan_shifted_to_the_bit)
{
    /* Minima and integers are the same however they are grouped. */
    static const struct {
        parscan_type type;
        parscan_op op;
        bool only_in_order;
    } samples[] = {{PARSCAN_F32, PARSCAN_SUM, true},      {PARSCAN_F64, PARSCAN_PRODUCT, true},
                   {PARSCAN_F32, PARSCAN_MIN, false},     {PARSCAN_F64, PARSCAN_MAX, false},
                   {PARSCAN_I32, PARSCAN_PRODUCT, false}, {PARSCAN_U8, PARSCAN_SUM, false},
                   {PARSCAN_F16, PARSCAN_SUM, true},      {PARSCAN_BF16, PARSCAN_MAX, false}};
    const size_t n = 5003;
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(samples) * ALGORITHMS; k++) {
        const parscan_type type = samples[k / ALGORITHMS].type;
        const parscan_algorithm algorithm = all_algorithms[k % ALGORITHMS];
        if (samples[k / ALGORITHMS].only_in_order && !goes_in_order(algorithm))
            continue;
        const size_t size = parscan_type_size(type);
        parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.op = samples[k / ALGORITHMS].op);
        options.algorithm = algorithm;
        char *const in = random_array(type, options.op, n);
        char *const inclusive = malloc(n * size), *const exclusive = malloc(n * size);
        cr_assert_eq(call_scan(context, SCAN_INCLUSIVE, type, in, inclusive, n, &options), 0);
        cr_assert_eq(call_scan(context, SCAN_EXCLUSIVE, type, in, exclusive, n, &options), 0);
        cr_assert_eq(memcmp(exclusive + size, inclusive, (n - 1) * size), 0, "%s of %s by %s",
                     parscan_op_name(options.op), parscan_type_name(type),
                     parscan_algorithm_name(algorithm));
        free(in);
        free(inclusive);
        free(exclusive);
    }
    parscan_context_destroy(context);
}

SimdTest(scan, is_right_on_every_number_of_threads)
{
    static const unsigned threads[] = {1, 2, 3, 7, 64};
    for (size_t k = LESS_IN_EMULATOR(FIRST_OF_1_2_3_7_THREADS, (size_t)2); k < COUNT_OF(threads);
         k += LESS_IN_EMULATOR(LESS_UNDER_THREAD_SANITIZER(1, 2), 2)) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = threads[k]});
        for (size_t t = 0; t < TYPES; t++) {
            /* Enough for the single pass to wake its threads. */
            const size_t n = THREADS_FROM_BYTES / parscan_type_size(all_types[t]) + 20011;
            void *const in = random_array(all_types[t], PARSCAN_SUM, n);
            scan_case scan = {.type = all_types[t], .n = n};
            expect_every_mode(context, scan, in);
            scan.options.algorithm = PARSCAN_BRENT_KUNG;
            scan.options.init = in;
            expect_every_mode(context, scan, in);
            free(in);
        }
        parscan_context_destroy(context);
    }
}
