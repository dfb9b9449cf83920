/* allocate, expand and pack with every array against a page that nobody may touch, inputs in pages
   without writing. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/guarded.h"
#include "tests/support/oracle_allocate.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

static const parscan_type size_types[] = {PARSCAN_U8, PARSCAN_U16, PARSCAN_U32, PARSCAN_U64};
static const parscan_type offset_types[] = {PARSCAN_U32, PARSCAN_U64};
static const size_t lengths[] = {1, 2, 3, 15, 16, 31, 33, 64, 65, 127, 1000, 4095, 4097, 70001};

enum { SIZES, OUT, OTHER, MEMORIES };
#define LARGEST 300000u

typedef struct room {
    parscan_context *context;
    guarded memory[MEMORIES];
} room;

static room room_create(size_t bytes, unsigned threads)
{
    room r = {.context = test_context_with((parscan_context_options){.threads = threads})};
    for (int k = 0; k < MEMORIES; k++)
        r.memory[k] = guarded_create(bytes);
    return r;
}

static void room_destroy(room *r)
{
    parscan_context_destroy(r->context);
    for (int k = 0; k < MEMORIES; k++)
        guarded_destroy(r->memory[k]);
}

/* n sizes up to `most`, in memory that is only read from here on; the sum. */
static void *guarded_sizes(room *r, parscan_type type, size_t n, size_t most, bool at_end,
                           uint64_t *sum)
{
    guarded_read_only(r->memory[SIZES], false);
    void *const sizes = guarded_array(r->memory[SIZES], n * parscan_type_size(type), at_end);
    *sum = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t size = random_below(most + 1);
        oracle_set(type, sizes, i, size);
        *sum += size;
    }
    guarded_read_only(r->memory[SIZES], true);
    return sizes;
}

static void expect_inside(room *r, parscan_type size_type, parscan_type offset_type, size_t n,
                          bool at_end)
{
    uint64_t sum, total;
    const size_t offset_bytes = parscan_type_size(offset_type);
    const void *const sizes = guarded_sizes(r, size_type, n, 3, at_end, &sum);
    const bool close = n / 2 % 2 == 0;
    void *const offsets = guarded_array(r->memory[OUT], (n + close) * offset_bytes, at_end);
    const oracle_allocation a = {size_type, offset_type, sizes, n, n % 2 == 0 ? 1 : 4, 0, close};
    cr_assert_eq(
        parscan_allocate(r->context, size_type, sizes, n, offset_type, offsets, &total,
                         &PARSCAN_ALLOCATE_OPTIONS(.alignment = a.alignment, .close = close)),
        PARSCAN_OK);
    cr_assert_eq(oracle_offset_wrong_at(&a, offsets), n + close);
    void *const owner = guarded_array(r->memory[OUT], sum * offset_bytes, at_end);
    void *const rank = guarded_array(r->memory[OTHER], sum * offset_bytes, at_end);
    cr_assert_eq(
        parscan_expand(r->context, size_type, sizes, n, offset_type, owner, rank, sum, &total),
        PARSCAN_OK);
    cr_assert_eq(oracle_slot_wrong_at(size_type, sizes, n, offset_type, owner, rank), sum);
}

SimdTest(allocate_and_expand, touch_nothing_next_to_their_arrays)
{
    for (unsigned threads = 1; threads <= 2; threads++) {
        room r = room_create(4 * LARGEST * sizeof(uint64_t), threads);
        for (size_t s = 0; s < COUNT_OF(size_types); s++)
            for (size_t o = 0; o < COUNT_OF(offset_types); o++)
                for (size_t k = 0; k < COUNT_OF(lengths); k++)
                    for (int at_end = 0; at_end < 2; at_end++)
                        expect_inside(&r, size_types[s], offset_types[o], lengths[k], at_end);
        expect_inside(&r, PARSCAN_U8, PARSCAN_U64, LARGEST, true);
        expect_inside(&r, PARSCAN_U32, PARSCAN_U32, LARGEST, false);
        room_destroy(&r);
    }
}

/* One record, that ends and starts at guards, of every size. */
SimdTest(pack, touches_nothing_next_to_a_record)
{
    room r = room_create(5 << 20, 2);
    memset(r.memory[SIZES].begin, 0x5a, 5 << 20);
    guarded_read_only(r.memory[SIZES], true);
    for (size_t k = 0; k < 1400; k++) {
        const size_t size = k < 1390 ? k : (5 << 20) - k;
        for (int ends = 0; ends < 4; ends++) {
            if (!takes_case())
                continue;
            const char *const in = guarded_array(r.memory[SIZES], size, ends & 1);
            char *const out = guarded_array(r.memory[OUT], size, ends >> 1);
            const uint32_t offset = 0, bytes = (uint32_t)size;
            if (size > 0)
                memset(out, 0, size);
            cr_assert_eq(parscan_pack(r.context, in, PARSCAN_U32, &offset, PARSCAN_U32, &bytes, out,
                                      &offset, 1),
                         PARSCAN_OK);
            if (size > 0)
                cr_assert_eq(memcmp(in, out, size), 0);
        }
    }
    room_destroy(&r);
}
