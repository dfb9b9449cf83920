/* Allocation, expansion and packing on CUDA, what the engines' common suites do not ask: graphs, many calls without
   a wait, more than 2^32 sizes on the device. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/allocate.h"
#include "tests/cuda/both_engines.h"
#include "tests/cuda/on_device.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

#define LARGE (((size_t)1 << 32) + 5)
#define LONGEST_RECORD 9u

enum { SIZES, RECORDS, IN_OFFSETS, OUT_OFFSETS };
enum { OUT, MORE, TOTAL };

/* Sizes of a byte, below LONGEST_RECORD for records, most of them 0 in one half; records anywhere in
   the input, with a byte between them in the output. */
static void fill(void *const in[CALL_INPUTS], size_t n)
{
    uint32_t end = 0;
    for (size_t i = 0; i < n; i++) {
        const bool small = i < n / 2 && random_below(10) != 0;
        const uint8_t size = (uint8_t)(small ? 0 : random_below(LONGEST_RECORD + 1));
        ((uint8_t *)in[SIZES])[i] = size;
        ((uint32_t *)in[IN_OFFSETS])[i] = (uint32_t)random_below(12 * n - LONGEST_RECORD);
        ((uint32_t *)in[OUT_OFFSETS])[i] = end;
        end += size + 1u;
    }
    random_fill(PARSCAN_U32, PARSCAN_SUM, in[RECORDS], 3 * n);
}

static parscan_status make_aligned(parscan_context *context, const call_arrays *a, size_t n)
{
    const parscan_allocate_options options = PARSCAN_ALLOCATE_OPTIONS(.alignment = 16);
    return parscan_allocate(context, PARSCAN_U8, a->in[SIZES], n, PARSCAN_U32, a->out[OUT],
                            a->out[TOTAL], &options);
}

static parscan_status make_wide(parscan_context *context, const call_arrays *a, size_t n)
{
    return parscan_allocate(context, PARSCAN_U32, a->in[RECORDS], n, PARSCAN_U64, a->out[OUT],
                            a->out[TOTAL], NULL);
}

static parscan_status make_closed(parscan_context *context, const call_arrays *a, size_t n)
{
    const parscan_allocate_options options = PARSCAN_ALLOCATE_OPTIONS(.close = 1);
    return parscan_allocate(context, PARSCAN_U8, a->in[SIZES], n, PARSCAN_U32, a->out[OUT],
                            a->out[TOTAL], &options);
}

static parscan_status make_closed_wide(parscan_context *context, const call_arrays *a, size_t n)
{
    const parscan_allocate_options options = PARSCAN_ALLOCATE_OPTIONS(.alignment = 8, .close = 1);
    return parscan_allocate(context, PARSCAN_U32, a->in[RECORDS], n, PARSCAN_U64, a->out[OUT],
                            a->out[TOTAL], &options);
}

static parscan_status make_total(parscan_context *context, const call_arrays *a, size_t n)
{
    return parscan_allocate(context, PARSCAN_U16, a->in[RECORDS], n, PARSCAN_U64, NULL,
                            a->out[TOTAL], NULL);
}

static parscan_status make_slots(parscan_context *context, const call_arrays *a, size_t n)
{
    return parscan_expand(context, PARSCAN_U8, a->in[SIZES], n / 4, PARSCAN_U32, a->out[OUT],
                          a->out[MORE], 3 * n, a->out[TOTAL]);
}

static parscan_status make_owners(parscan_context *context, const call_arrays *a, size_t n)
{
    return parscan_expand(context, PARSCAN_U8, a->in[SIZES], n / 8, PARSCAN_U64, a->out[OUT], NULL,
                          3 * n / 2, a->out[TOTAL]);
}

static parscan_status make_packed(parscan_context *context, const call_arrays *a, size_t n)
{
    return parscan_pack(context, a->in[RECORDS], PARSCAN_U32, a->in[IN_OFFSETS], PARSCAN_U8,
                        a->in[SIZES], a->out[OUT], a->in[OUT_OFFSETS], n);
}

static const engine_call calls[] = {
    {"allocate, aligned", make_aligned},
    {"allocate, wide", make_wide},
    {"allocate, closed", make_closed},
    {"allocate, closed, wide", make_closed_wide},
    {"allocate", make_total},
    {"expand", make_slots},
    {"expand, owners", make_owners},
    {"pack", make_packed},
};
static const engine_calls all = {calls, COUNT_OF(calls), fill};

Test(allocation, is_the_cpus_at_lengths_around_those_of_tiles)
{
    for (size_t n = 4095; n < 4099; n++)
        expect_same(&all, n);
    expect_same(&all, 1);
    expect_same(&all, 3000017);
}

Test(allocation, in_graphs_is_right_on_changed_input)
{
    expect_same_in_graphs(&all, 100003);
    expect_same_in_graphs(&all, 100);
}

Test(allocation, of_a_few_sizes_is_right_many_times_in_a_row)
{
    expect_same_in_a_row(&all, 1000);
}

/* Of sizes that are 0, but at a few places. */
static void expect_slots(parscan_context *context, uint8_t *sizes)
{
    static const uint64_t places[] = {0, 77, UINT32_MAX, UINT32_MAX + UINT64_C(1), LARGE - 1};
    uint64_t owner[COUNT_OF(places)], rank[COUNT_OF(places)], total = 0;
    for (size_t k = 0; k < COUNT_OF(places); k++)
        CUDA(cudaMemset(sizes + places[k], 1, 1));
    CUDA(cudaDeviceSynchronize());
    expect_ok(context, parscan_expand(context, PARSCAN_U8, sizes, LARGE, PARSCAN_U64, owner, rank,
                                      COUNT_OF(places), &total));
    cr_assert_eq(total, COUNT_OF(places));
    cr_assert_eq(memcmp(owner, places, sizeof places), 0);
    cr_assert(rank[0] == 0 && rank[COUNT_OF(places) - 1] == 0);
}

/* Of ones: a total that 32 bits do not hold, which only the device knows. */
static void expect_overflow(parscan_context *context, const uint8_t *sizes)
{
    uint64_t *const total = device_room(sizeof *total), *const offsets = device_room(LARGE * 8);
    uint64_t last = 0;
    expect_ok(context,
              parscan_allocate(context, PARSCAN_U8, sizes, LARGE, PARSCAN_U32, NULL, total, NULL));
    cr_assert_eq(parscan_synchronize(context), PARSCAN_ERROR_OVERFLOW);
    expect_ok(context, parscan_synchronize(context));
    expect_ok(context, parscan_allocate(context, PARSCAN_U8, sizes, LARGE, PARSCAN_U64, offsets,
                                        total, NULL));
    expect_ok(context, parscan_synchronize(context));
    CUDA(cudaMemcpy(&last, offsets + LARGE - 1, sizeof last, cudaMemcpyDeviceToHost));
    cr_assert_eq(last, LARGE - 1);
    CUDA(cudaMemcpy(&last, total, sizeof last, cudaMemcpyDeviceToHost));
    cr_assert_eq(last, LARGE);
    CUDA(cudaFree(offsets));
    CUDA(cudaFree(total));
}

/* One record of so many bytes. */
static void expect_record(parscan_context *context, const uint8_t *in)
{
    const uint64_t from = 0, to = 3, size = LARGE;
    uint8_t *const out = device_room(LARGE + 16), edges[8];
    expect_ok(context,
              parscan_pack(context, in, PARSCAN_U64, &from, PARSCAN_U64, &size, out, &to, 1));
    expect_ok(context, parscan_synchronize(context));
    CUDA(cudaMemcpy(edges, out, sizeof edges, cudaMemcpyDeviceToHost));
    cr_assert(edges[2] == ROOM_BYTE && edges[3] == 1 && edges[4] == 1);
    CUDA(cudaMemcpy(edges, out + LARGE, sizeof edges, cudaMemcpyDeviceToHost));
    cr_assert(edges[2] == 1 && edges[3] == ROOM_BYTE);
    CUDA(cudaFree(out));
}

Test(allocation, of_more_than_2_32_sizes_on_the_device, .timeout = 120)
{
    size_t available = 0, most = 0;
    need_cuda();
    CUDA(cudaMemGetInfo(&available, &most));
    if (available < 12 * LARGE)
        cr_skip_test("2^32 sizes: %zu MiB of device memory are available\n", available >> 20);
    parscan_context *const context = context_on(NULL);
    uint8_t *const sizes = device_room(LARGE);
    CUDA(cudaMemset(sizes, 0, LARGE));
    expect_slots(context, sizes);
    CUDA(cudaMemset(sizes, 1, LARGE));
    CUDA(cudaDeviceSynchronize());
    expect_overflow(context, sizes);
    expect_record(context, sizes);
    parscan_context_destroy(context);
    CUDA(cudaFree(sizes));
}

/* For compute-sanitizer. */
Test(sanitized_allocation, is_right)
{
    expect_same(&all, 1);
    expect_same(&all, 70001);
    expect_same(&all, 1100003);
}
