/* parscan_pack(): records of every size, in any order, to where an allocation places them. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/oracle_allocate.h"
#include "tests/support/random.h"
#include "tests/support/sanitizer.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

static const parscan_type size_types[] = {PARSCAN_U8, PARSCAN_U16, PARSCAN_U32, PARSCAN_U64};
static const parscan_type offset_types[] = {PARSCAN_U32, PARSCAN_U64};

typedef struct records {
    parscan_type offset_type, size_type;
    size_t n;
    unsigned char *in, *out;
    size_t in_bytes, out_bytes;
    void *in_offsets, *out_offsets, *sizes;
} records;

static void *filled(size_t bytes)
{
    unsigned char *const memory = malloc(bytes + 1);
    cr_assert_not_null(memory);
    for (size_t k = 0; k < bytes; k++)
        memory[k] = (unsigned char)(k * 2654435761u >> 13);
    return memory;
}

/* Records of random places in `in`, with a gap between them in `out`, in an order that
   `out` turns round. */
static records make_records(parscan_type offset_type, parscan_type size_type, size_t n,
                            uint64_t (*size)(size_t i))
{
    records r = {.offset_type = offset_type, .size_type = size_type, .n = n};
    r.sizes = filled(n * parscan_type_size(size_type));
    r.in_offsets = filled(n * parscan_type_size(offset_type));
    r.out_offsets = filled(n * parscan_type_size(offset_type));
    uint64_t largest = 0;
    for (size_t i = 0; i < n; i++) {
        oracle_set(size_type, r.sizes, i, size(i));
        const uint64_t bytes = oracle_get(size_type, r.sizes, i);
        largest = bytes > largest ? bytes : largest;
    }
    r.in_bytes = largest + 100000;
    r.in = filled(r.in_bytes);
    for (size_t i = n; i-- > 0;) {
        const uint64_t bytes = oracle_get(size_type, r.sizes, i);
        oracle_set(offset_type, r.in_offsets, i, random_below(r.in_bytes - bytes + 1));
        r.out_bytes += 1;
        oracle_set(offset_type, r.out_offsets, i, r.out_bytes);
        r.out_bytes += bytes;
    }
    r.out_bytes += 1;
    r.out = malloc(r.out_bytes);
    cr_assert_not_null(r.out);
    memset(r.out, 0, r.out_bytes);
    return r;
}

/* Packs and compares; the gaps between the records must be as they were. */
static void expect_packed(parscan_context *context, records r)
{
    for (int fill = 0; fill < 256; fill += 255) {
        memset(r.out, fill, r.out_bytes);
        cr_assert_eq(parscan_pack(context, r.in, r.offset_type, r.in_offsets, r.size_type, r.sizes,
                                  r.out, r.out_offsets, r.n),
                     PARSCAN_OK, "%s", parscan_context_error(context));
        const size_t wrong = oracle_record_wrong_at(r.in, r.offset_type, r.in_offsets, r.size_type,
                                                    r.sizes, r.out, r.out_offsets, r.n);
        cr_assert_eq(wrong, r.n, "record %zu of %zu", wrong, r.n);
        cr_assert_eq(r.out[0], fill);
        for (size_t i = 0; i < r.n; i++)
            cr_assert_eq(r.out[oracle_get(r.offset_type, r.out_offsets, i) +
                               oracle_get(r.size_type, r.sizes, i)],
                         fill, "the byte after record %zu", i);
    }
    free(r.in);
    free(r.out);
    free(r.sizes);
    free(r.in_offsets);
    free(r.out_offsets);
}

static uint64_t every_small_size(size_t i)
{
    return i % 150;
}

static uint64_t random_small_size(size_t i)
{
    (void)i;
    return random_below(80);
}

static uint64_t mixed_size(size_t i)
{
    return i % 1000 == 7 ? random_below(60000) : random_below(200);
}

static uint64_t one_huge_size(size_t i)
{
    return i == 5 ? 5000011 : i % 3;
}

static uint64_t around_streams(size_t i)
{
    return 1000 + i * 7 % 200;
}

/* On CUDA, those that are moved beside many, and those that have blocks of their own. */
static uint64_t around_large(size_t i)
{
    return 1500 + i % 60;
}

static uint64_t of_four(size_t i)
{
    (void)i;
    return 4;
}

SimdTest(pack, moves_records_of_every_type_and_size)
{
    static uint64_t (*const sizes[])(size_t) = {every_small_size, random_small_size, mixed_size,
                                                around_streams,   around_large,      one_huge_size,
                                                of_four};
    static const size_t lengths[] = {0, 1, 2, 9, 300, 4096, 4097, 10000};
    /* The others are too short for more than one thread. */
    const size_t first_length = LESS_UNDER_THREAD_SANITIZER((size_t)0, COUNT_OF(lengths) - 3);
    for (unsigned threads = FEWEST_THREADS; threads <= 3; threads += 2) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = threads});
        for (size_t s = 0; s < COUNT_OF(size_types); s++)
            for (size_t o = 0; o < COUNT_OF(offset_types); o++)
                for (size_t k = 0; k < COUNT_OF(sizes); k++)
                    for (size_t l = first_length; l < COUNT_OF(lengths); l++)
                        if (takes_larger_case())
                            expect_packed(context, make_records(offset_types[o], size_types[s],
                                                                lengths[l], sizes[k]));
        parscan_context_destroy(context);
    }
}

SimdTest(pack, may_read_a_record_twice)
{
    parscan_context *const context = test_context();
    const char in[] = "abcdefgh";
    const uint32_t in_offsets[] = {2, 2, 0}, sizes[] = {3, 3, 8}, out_offsets[] = {0, 3, 6};
    char out[15] = "";
    cr_assert_eq(
        parscan_pack(context, in, PARSCAN_U32, in_offsets, PARSCAN_U32, sizes, out, out_offsets, 3),
        PARSCAN_OK);
    cr_assert_str_eq(out, "cdecdeabcdefgh");
    parscan_context_destroy(context);
}

SimdTest(pack, of_empty_records_touches_nothing)
{
    parscan_context *const context = test_context();
    uint64_t zeros[10000] = {0};
    char in = 1, out = 2;
    cr_assert_eq(
        parscan_pack(context, &in, PARSCAN_U64, zeros, PARSCAN_U64, zeros, &out, zeros, 10000),
        PARSCAN_OK);
    cr_assert_eq(out, 2);
    cr_assert_eq(parscan_pack(context, NULL, PARSCAN_U64, NULL, PARSCAN_U64, NULL, NULL, NULL, 0),
                 PARSCAN_OK);
    parscan_context_destroy(context);
}

SimdTest(pack, knows_a_sum_of_sizes_beyond_64_bits)
{
    parscan_context *const context = test_context();
    const uint64_t sizes[] = {UINT64_C(1) << 63, UINT64_C(1) << 63}, offsets[] = {0, 0};
    char in = 1, out = 2;
    cr_assert_eq(
        parscan_pack(context, &in, PARSCAN_U64, offsets, PARSCAN_U64, sizes, &out, offsets, 2),
        PARSCAN_ERROR_OVERFLOW);
    cr_assert_eq(out, 2);
    parscan_context_destroy(context);
}
