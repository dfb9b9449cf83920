/* allocate, expand and pack where arrays and the total are in the engine's memory: answers, and errors that
   the device finds, which the next parscan_synchronize() returns. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/engine_array.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/oracle_allocate.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

static const parscan_type size_types[] = {PARSCAN_U8, PARSCAN_U16, PARSCAN_U32, PARSCAN_U64};
static const parscan_type offset_types[] = {PARSCAN_U32, PARSCAN_U64};
static const size_t lengths[] = {1, 2, 31, 33, 127, 4095, 4096, 4097, 8193, 70001};

/* And one more, which is not a size: room for an offset. */
static void *random_sizes(parscan_type type, size_t n, uint64_t most)
{
    void *const sizes = malloc((n + 1) * parscan_type_size(type));
    cr_assert_not_null(sizes);
    for (size_t i = 0; i < n + 1; i++)
        oracle_set(type, sizes, i, random_below(3) == 0 ? 0 : random_below(most + 1));
    return sizes;
}

/* What the call returned or left. */
static parscan_status status_of(parscan_context *context, parscan_status status)
{
    const parscan_status left = parscan_synchronize(context);
    if (!engine_has_memory(context) || status != PARSCAN_OK)
        return status;
    cr_assert_eq(parscan_synchronize(context), PARSCAN_OK, "an error is told once");
    return left;
}

static uint64_t total_of(const engine_array *total)
{
    uint64_t *const read = engine_array_read(total, "the total"), value = *read;
    free(read);
    return value;
}

/* In the engine's memory, off by `shift` elements. */
static engine_array sizes_there(parscan_context *context, parscan_type type, const void *sizes,
                                size_t n, size_t shift)
{
    const size_t bytes = parscan_type_size(type);
    return engine_array_create(context, sizes, n * bytes, shift * bytes);
}

static void expect_allocation(parscan_context *context, const oracle_allocation *a, bool in_place)
{
    const size_t offset_bytes = parscan_type_size(a->offset_type);
    engine_array sizes =
        sizes_there(context, a->size_type, a->sizes, oracle_offsets_count(a), random_below(9));
    engine_array offsets = engine_array_create(
        context, NULL, oracle_offsets_count(a) * offset_bytes, random_below(9) * offset_bytes);
    engine_array total = engine_array_create(context, NULL, sizeof(uint64_t), 0);
    const parscan_allocate_options options =
        PARSCAN_ALLOCATE_OPTIONS(.alignment = a->alignment, .capacity = a->capacity,
                                 .close = a->close);
    uint64_t expected;
    const parscan_status wanted = oracle_allocate_total(a, &expected);
    const engine_array *const out = in_place ? &sizes : &offsets;
    const parscan_status status =
        status_of(context, parscan_allocate(context, a->size_type, sizes.array, a->n,
                                            a->offset_type, out->array, total.array, &options));
    cr_assert_eq(status, wanted, "%zu sizes: %s", a->n, parscan_context_error(context));
    cr_assert_eq(total_of(&total), expected);
    void *const found = engine_array_read(out, "offsets");
    if (wanted != PARSCAN_ERROR_OVERFLOW)
        cr_assert_eq(oracle_offset_wrong_at(a, found), oracle_offsets_count(a));
    free(found);
    engine_array_destroy(&sizes);
    engine_array_destroy(&offsets);
    engine_array_destroy(&total);
}

Test(allocate_places, the_total_in_the_engines_memory)
{
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(lengths); k++)
        for (size_t s = 0; s < COUNT_OF(size_types); s++)
            for (size_t o = 0; o < COUNT_OF(offset_types); o++) {
                if (!takes_larger_case())
                    continue;
                void *const sizes = random_sizes(size_types[s], lengths[k], 250);
                oracle_allocation a = {size_types[s],  offset_types[o],
                                       sizes,          lengths[k],
                                       k % 2 ? 1 : 16, k % 3 ? 0 : 1 + random_below(lengths[k]),
                                       false};
                expect_allocation(context, &a, false);
                if (parscan_type_size(a.size_type) == parscan_type_size(a.offset_type))
                    expect_allocation(context, &a, true);
                a.close = true;
                expect_allocation(context, &a, false);
                if (parscan_type_size(a.size_type) == parscan_type_size(a.offset_type))
                    expect_allocation(context, &a, true);
                if (a.size_type == PARSCAN_U64) {
                    oracle_set(PARSCAN_U64, sizes, random_below(a.n), UINT64_MAX - 5);
                    expect_allocation(context, &a, false);
                }
                free(sizes);
            }
    parscan_context_destroy(context);
}

static void expect_expansion(parscan_context *context, parscan_type size_type,
                             parscan_type index_type, const void *sizes, size_t n, uint64_t slots,
                             uint64_t capacity, parscan_status wanted)
{
    const size_t bytes = parscan_type_size(index_type);
    engine_array in = sizes_there(context, size_type, sizes, n, random_below(9));
    engine_array owner = engine_array_create(context, NULL, slots * bytes, bytes);
    engine_array rank = engine_array_create(context, NULL, slots * bytes, 0);
    engine_array total = engine_array_create(context, NULL, sizeof(uint64_t), 0);
    const parscan_status status =
        status_of(context, parscan_expand(context, size_type, in.array, n, index_type, owner.array,
                                          rank.array, capacity, total.array));
    cr_assert_eq(
        status, wanted, "status %d, not %d, %zu sizes %s, %s, %llu slots, capacity %llu: %s",
        (int)status, (int)wanted, n, parscan_type_name(size_type), parscan_type_name(index_type),
        (unsigned long long)slots, (unsigned long long)capacity, parscan_context_error(context));
    cr_assert_eq(total_of(&total), slots);
    unsigned char *const owners = engine_array_read(&owner, "owner"), *const ranks =
                                                                          engine_array_read(&rank,
                                                                                            "rank");
    if (wanted == PARSCAN_OK)
        cr_assert_eq(oracle_slot_wrong_at(size_type, sizes, n, index_type, owners, ranks), slots);
    else
        for (size_t k = 0; k < slots * bytes; k++)
            cr_assert(owners[k] == 0xa5 && ranks[k] == 0xa5, "written in spite of an error");
    free(owners);
    free(ranks);
    engine_array_destroy(&in);
    engine_array_destroy(&owner);
    engine_array_destroy(&rank);
    engine_array_destroy(&total);
}

Test(expand_places, all_in_the_engines_memory)
{
    parscan_context *const context = test_context();
    const uint64_t one = 1;
    expect_expansion(context, PARSCAN_U64, PARSCAN_U32, &one, 1, 1, 0, PARSCAN_ERROR_CAPACITY);
    for (size_t k = 0; k < COUNT_OF(lengths); k++)
        for (size_t s = 0; s < COUNT_OF(size_types); s++)
            for (size_t o = 0; o < COUNT_OF(offset_types); o++) {
                if (!takes_larger_case())
                    continue;
                void *const sizes = random_sizes(size_types[s], lengths[k], k % 3 ? 4 : 200);
                uint64_t slots = 0;
                for (size_t i = 0; i < lengths[k]; i++)
                    slots += oracle_get(size_types[s], sizes, i);
                for (uint64_t more = 0; more < 3; more++)
                    expect_expansion(context, size_types[s], offset_types[o], sizes, lengths[k],
                                     slots, slots + more, PARSCAN_OK);
                if (slots > 0)
                    expect_expansion(context, size_types[s], offset_types[o], sizes, lengths[k],
                                     slots, slots - 1, PARSCAN_ERROR_CAPACITY);
                free(sizes);
            }
    parscan_context_destroy(context);
}

/* Records side by side in `in`, the other way round in `out`, `gap` bytes between them. */
static void expect_packed(parscan_context *context, parscan_type offset_type, const void *sizes,
                          size_t n, size_t gap)
{
    uint64_t in_bytes = 0, out_bytes = 0;
    void *const in_offsets = malloc(n * 8), *const out_offsets = malloc(n * 8);
    for (size_t i = 0; i < n; i++) {
        oracle_set(offset_type, in_offsets, i, in_bytes);
        in_bytes += oracle_get(PARSCAN_U32, sizes, i);
        out_bytes += oracle_get(PARSCAN_U32, sizes, n - 1 - i);
        oracle_set(offset_type, out_offsets, n - 1 - i,
                   out_bytes - oracle_get(PARSCAN_U32, sizes, n - 1 - i));
        out_bytes += gap;
    }
    unsigned char *const bytes = malloc(in_bytes + 1);
    for (size_t k = 0; k < in_bytes; k++)
        bytes[k] = (unsigned char)random_bits();
    const size_t width = parscan_type_size(offset_type);
    engine_array in = engine_array_create(context, bytes, in_bytes, random_below(20));
    engine_array out = engine_array_create(context, NULL, out_bytes, random_below(20));
    engine_array from = engine_array_create(context, in_offsets, n * width, 0);
    engine_array to = engine_array_create(context, out_offsets, n * width, width);
    engine_array length = engine_array_create(context, sizes, n * 4, 4);
    cr_assert_eq(
        status_of(context, parscan_pack(context, in.array, offset_type, from.array, PARSCAN_U32,
                                        length.array, out.array, to.array, n)),
        PARSCAN_OK, "%s", parscan_context_error(context));
    unsigned char *const packed = engine_array_read(&out, "records");
    cr_assert_eq(oracle_record_wrong_at(bytes, offset_type, in_offsets, PARSCAN_U32, sizes, packed,
                                        out_offsets, n),
                 n, "%zu records", n);
    for (size_t i = 0; i < n && gap > 0; i++)
        cr_assert_eq(
            packed[oracle_get(offset_type, out_offsets, i) + oracle_get(PARSCAN_U32, sizes, i)],
            0xa5, "the byte after record %zu of %zu", i, n);
    free(packed);
    engine_array_destroy(&in);
    engine_array_destroy(&out);
    engine_array_destroy(&from);
    engine_array_destroy(&to);
    engine_array_destroy(&length);
    free(bytes);
    free(in_offsets);
    free(out_offsets);
}

Test(pack_places, records_in_the_engines_memory)
{
    static const uint64_t most[] = {1, 3, 17, 40, 300, 5000};
    parscan_context *const context = test_context();
    for (size_t k = 0; k + 1 < COUNT_OF(lengths); k++)
        for (size_t m = 0; m < COUNT_OF(most); m++) {
            if (lengths[k] * most[m] > 10000000 || !takes_larger_case())
                continue;
            uint32_t *const sizes = random_sizes(PARSCAN_U32, lengths[k], most[m]);
            for (size_t gap = 0; gap < 2; gap++)
                expect_packed(context, offset_types[(k + m) % 2], sizes, lengths[k], gap);
            free(sizes);
        }
    parscan_context_destroy(context);
}

Test(pack_places, a_sum_of_sizes_beyond_64_bits)
{
    parscan_context *const context = test_context();
    const uint64_t sizes[] = {UINT64_C(1) << 63, UINT64_C(1) << 63}, zeros[] = {0, 0};
    engine_array in = engine_array_create(context, NULL, 1, 0);
    engine_array out = engine_array_create(context, NULL, 1, 0);
    engine_array offsets = engine_array_create(context, zeros, sizeof zeros, 0);
    engine_array length = engine_array_create(context, sizes, sizeof sizes, 0);
    cr_assert_eq(
        status_of(context, parscan_pack(context, in.array, PARSCAN_U64, offsets.array, PARSCAN_U64,
                                        length.array, out.array, offsets.array, 2)),
        PARSCAN_ERROR_OVERFLOW);
    free(engine_array_read(&out, "nothing"));
    engine_array_destroy(&in);
    engine_array_destroy(&out);
    engine_array_destroy(&offsets);
    engine_array_destroy(&length);
    parscan_context_destroy(context);
}
