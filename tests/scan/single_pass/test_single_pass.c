/* The fast path and its threads, as they are seen from outside. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "scan/cpu/tiles.h"
#include "tests/support/every_simd.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

static const unsigned thread_counts[] = {1, 2, 3, 7};

/* More than one thread takes part, each with tiles of its own. */
static size_t length_for_threads(parscan_type type)
{
    return (THREADS_FROM_BYTES + 3 * TILE_BYTES) / parscan_type_size(type) + 1;
}

SimdTest(single_pass, of_integers_is_the_same_on_1_2_3_and_7_threads)
{
    for (size_t t = 0; t < TYPES; t++) {
        const size_t n = length_for_threads(all_types[t]);
        if (oracle_is_float(all_types[t]))
            continue;
        const size_t bytes = n * parscan_type_size(all_types[t]);
        for (size_t o = 0; o < OPS; o++) {
            const parscan_scan_options options =
                PARSCAN_SCAN_OPTIONS(.op = all_ops[o], .reverse = o % 2);
            void *const in = random_array(all_types[t], all_ops[o], n);
            char *const one = malloc(bytes), *const many = malloc(bytes);
            for (size_t k = 0; k < COUNT_OF(thread_counts); k++) {
                parscan_context *const context =
                    test_context_with((parscan_context_options){.threads = thread_counts[k]});
                cr_assert_eq(parscan_inclusive_scan(context, all_types[t], in, k == 0 ? one : many,
                                                    n, &options),
                             PARSCAN_OK);
                cr_assert(k == 0 || memcmp(one, many, bytes) == 0, "%s of %s on %u threads",
                          parscan_op_name(all_ops[o]), parscan_type_name(all_types[t]),
                          thread_counts[k]);
                parscan_context_destroy(context);
            }
            free(in);
            free(one);
            free(many);
        }
    }
}

/* Around tiles of one to eight bytes an element; test_streams.c has the longer ones. */
static const size_t edges[] = {1, 1024, 2048, 4096, 8192, 16384};

SimdTest(single_pass, is_right_around_its_tiles_by_either_name)
{
    void *const in = random_array(PARSCAN_I32, PARSCAN_SUM, 16385);
    void *const floats = random_array(PARSCAN_F64, PARSCAN_PRODUCT, 16385);
    const int32_t init = -5;
    parscan_context *const context = test_context();
    for (size_t k = 0; k < 18 * 6; k++) {
        scan_case scan = {.kind = (scan_kind)(k / 18 % 3), .type = PARSCAN_I32};
        scan.n = edges[k % 18 / 3] + k % 3 - 1;
        scan.options.reverse = k / 18 / 3 % 2;
        scan.options.algorithm = k % 2 == 0 ? PARSCAN_AUTO : PARSCAN_SINGLE_PASS;
        expect_scan(context, scan, in);
        scan.options.init = &init;
        expect_scan(context, scan, in);
        scan.options.out_type = PARSCAN_I64;
        scan.options.init = NULL;
        expect_scan(context, scan, in);
        scan.type = PARSCAN_F64;
        scan.options.out_type = 0;
        scan.options.op = PARSCAN_PRODUCT;
        expect_scan(context, scan, floats);
    }
    parscan_context_destroy(context);
    free(in);
    free(floats);
}

SimdTest(single_pass, in_place_with_many_threads_reads_before_it_writes)
{
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 7});
    for (size_t t = 0; t < TYPES; t++) {
        const size_t n = length_for_threads(all_types[t]);
        void *const in = random_array(all_types[t], PARSCAN_MAX, n);
        for (int mode = 0; mode < 4; mode++) {
            scan_case scan = {.kind = (scan_kind)(mode % 2), .type = all_types[t], .n = n};
            scan.options.op = PARSCAN_MAX;
            scan.options.reverse = mode / 2;
            scan.in_place = true;
            expect_scan(context, scan, in);
        }
        free(in);
    }
    parscan_context_destroy(context);
}

SimdTest(sequential, gives_the_same_bits_for_every_number_of_threads)
{
    enum { N = 100003 };
    float *const in = random_array(PARSCAN_F32, PARSCAN_SUM, N);
    float *const plain = malloc(N * sizeof *plain), *const out = malloc(N * sizeof *out);
    plain[0] = in[0];
    for (size_t i = 1; i < N; i++)
        plain[i] = plain[i - 1] + in[i];
    for (size_t k = 0; k < COUNT_OF(thread_counts); k++) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = thread_counts[k]});
        const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.algorithm = PARSCAN_SEQUENTIAL);
        cr_assert_eq(parscan_inclusive_scan(context, PARSCAN_F32, in, out, N, &options), 0);
        cr_assert_eq(memcmp(out, plain, N * sizeof *out), 0);
        parscan_context_destroy(context);
    }
    free(in);
    free(plain);
    free(out);
}
