/*
 * Calls of every type, of many tiles and at every alignment of elements, on the device, against the
 * CPU engine: the same bits. Sums and products of floats are of numbers whose results are exact.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cuda/on_device.h"
#include "tests/support/number.h"
#include "tests/support/random.h"
#include "tests/support/tree_oracle.h"

TestSuite(device, .timeout = 120);

/* Every multiprocessor has several tiles for each stage of its pipeline. */
#define MOST_BYTES ((size_t)32 << 20)
#define CALLS 60
#define EDGE 64u

typedef struct bench {
    parscan_context *gpu, *cpu;
    char *in, *device_in, *expected, *found, *device_out;
} bench;

static bench bench_create(void)
{
    bench b = {.gpu = context_on(NULL)};
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU, .threads = 2);
    cr_assert_eq(parscan_context_create(&b.cpu, &options), PARSCAN_OK);
    b.in = malloc(MOST_BYTES);
    b.expected = malloc(MOST_BYTES);
    b.found = malloc(MOST_BYTES);
    cr_assert(b.in != NULL && b.expected != NULL && b.found != NULL);
    b.device_in = device_room(MOST_BYTES);
    b.device_out = device_room(MOST_BYTES);
    return b;
}

static void bench_destroy(bench *b)
{
    parscan_context_destroy(b->gpu);
    parscan_context_destroy(b->cpu);
    free(b->in);
    free(b->expected);
    free(b->found);
    CUDA(cudaFree(b->device_in));
    CUDA(cudaFree(b->device_out));
}

/* Any bits; floats that are summed are small whole numbers, those that are multiplied 1 and -1. */
static void fill_input(bench *b, parscan_type type, parscan_op op)
{
    const size_t n = MOST_BYTES / parscan_type_size(type);
    const bool rounds = oracle_is_float(type) && op_rounds(op);
    if (!rounds)
        random_fill(type, op, b->in, n);
    for (size_t i = 0; i < n && rounds; i++)
        number_write_integer(type, b->in, i,
                             op == PARSCAN_PRODUCT ? (int128)(random_bits() % 2) * 2 - 1
                                                   : (int128)(random_bits() % 9) - 4);
    device_write(b->device_in, b->in, MOST_BYTES);
}

/* The types that a sum of type goes to, itself among them. */
static parscan_type any_out_type(parscan_type type)
{
    static const parscan_type widenings[][2] = {
#define X(ctx, FROM, TO) {PARSCAN_##FROM, PARSCAN_##TO},
        PARSCAN_WIDENINGS(X, )
#undef X
    };
    const size_t chosen = random_below(2 * COUNT_OF(widenings));
    return chosen < COUNT_OF(widenings) && widenings[chosen][0] == type ? widenings[chosen][1]
                                                                        : type;
}

/* Short ones, and such as have many tiles, evenly in their logarithms. */
static size_t any_length(size_t most)
{
    size_t n = most;
    while (n > 1 && random_below(6) != 0)
        n /= 2;
    return 1 + random_below(n);
}

/* The first of n elements whose bits differ, or n. */
static size_t first_difference(parscan_type type, const char *a, const char *b, size_t n)
{
    const size_t size = parscan_type_size(type);
    if (oracle_is_float(type))
        return bits_differ_at(type, a, b, n);
    size_t byte = 0;
    while (byte < n * size && a[byte] == b[byte])
        byte++;
    return byte / size;
}

static void expect_same_bits(bench *b, scan_case scan, const char *in, const char *device_in)
{
    const parscan_type to = scan.options.out_type;
    const size_t results = scan.kind == SCAN_REDUCE ? 1 : scan.n;
    const size_t bytes = results * parscan_type_size(to);
    const size_t before = EDGE + scan.out_offset * parscan_type_size(to);
    char words[CASE_WORDS];
    CUDA(cudaMemset(b->device_out, ROOM_BYTE, before + bytes + EDGE));
    expect_ok(b->cpu,
              call_scan(b->cpu, scan.kind, scan.type, in, b->expected, scan.n, &scan.options));
    expect_ok(b->gpu, call_scan(b->gpu, scan.kind, scan.type, device_in, b->device_out + before,
                                scan.n, &scan.options));
    expect_ok(b->gpu, parscan_synchronize(b->gpu));
    CUDA(cudaMemcpy(b->found, b->device_out, before + bytes + EDGE, cudaMemcpyDeviceToHost));
    const size_t at = first_difference(to, b->found + before, b->expected, results);
    char what[64] = "memory around the output was written";
    if (at < results)
        snprintf(what, sizeof what, "element %zu", at);
    else if (first_other_than(ROOM_BYTE, b->found, before) == before &&
             first_other_than(ROOM_BYTE, b->found + before + bytes, EDGE) == EDGE)
        return;
    describe_case(&scan, what, words);
    cr_assert_fail("%s", words);
}

static void expect_calls(parscan_type type)
{
    bench b = bench_create();
    for (size_t o = 0; o < OPS; o++) {
        if (!type_has(type, all_ops[o]))
            continue;
        fill_input(&b, type, all_ops[o]);
        for (size_t k = 0; k < CALLS; k++) {
            scan_case scan = {.kind = (scan_kind)(k % 3), .type = type, .space = ENGINE_MEMORY};
            uint64_t init[2] = {0};
            random_fill(type, all_ops[o], init, 1);
            scan.options = PARSCAN_SCAN_OPTIONS(.op = all_ops[o], .reverse = k / 3 % 2);
            scan.options.out_type = all_ops[o] == PARSCAN_SUM ? any_out_type(type) : type;
            const size_t size = parscan_type_size(type);
            const bool exact = !oracle_is_float(type) || !op_rounds(all_ops[o]);
            if (k / 6 % 2 == 1 && exact && scan.options.out_type == type)
                scan.options.init = init;
            scan.in_offset = (unsigned)random_below(33);
            scan.out_offset = (unsigned)random_below(33);
            scan.n = any_length(MOST_BYTES / parscan_type_size(scan.options.out_type) - 128);
            expect_same_bits(&b, scan, b.in + scan.in_offset * size,
                             b.device_in + scan.in_offset * size);
        }
    }
    bench_destroy(&b);
}

#define X(ctx, NAME, number, name, ...)                        \
    Test(device, has_the_bits_of_the_cpu_on_many_tiles_##name) \
    {                                                          \
        expect_calls(PARSCAN_##NAME);                          \
    }
PARSCAN_TYPES(X, )
#undef X
