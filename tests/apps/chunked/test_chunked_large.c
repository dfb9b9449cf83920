/* More than 2^32 elements, in chunks of one array that is given again and again. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/chunked_case.h"
#include "tests/support/large.h"
#include "tests/support/test_engine.h"

#define CHUNK ((size_t)1 << 26)
#define CHUNKS 64u /* together 2^32 elements */

/* A chunk of zeros; what it needs is free. */
static uint8_t *zeros(uint64_t kib)
{
    large_fits_or_skip(kib);
    return large_zeros(CHUNK);
}

Test(chunked_large, histogram_with_a_count_of_2_to_the_32_overflows_u32_and_fits_u64)
{
    uint8_t *const in = zeros(CHUNK / 1024 + 65536);
    parscan_context *const context = test_context();
    for (unsigned wide = 0; wide < 2; wide++) {
        uint64_t counts[2] = {7, 7}, total;
        parscan_chunked *chunked;
        cr_assert_eq(parscan_chunked_create_histogram(&chunked, context, PARSCAN_U8, 2,
                                                      wide ? PARSCAN_U64 : PARSCAN_U32, NULL),
                     PARSCAN_OK);
        for (unsigned k = 0; k < CHUNKS; k++)
            cr_assert_eq(parscan_chunked_update(chunked, &PARSCAN_CHUNK(.in = in, .n = CHUNK)),
                         PARSCAN_OK);
        const parscan_chunked_end end = PARSCAN_CHUNKED_END(.out = counts, .total = &total);
        const parscan_status status = parscan_chunked_finish(chunked, &end);
        cr_assert_eq(status, wide ? PARSCAN_OK : PARSCAN_ERROR_OVERFLOW);
        if (wide)
            cr_assert(counts[0] == UINT64_C(1) << 32 && counts[1] == 0 && total == counts[0]);
        else
            cr_assert_str_eq(parscan_context_error(context),
                             "counts[0] = 4294967296 does not fit count_type = u32");
        parscan_chunked_destroy(chunked);
    }
    parscan_context_destroy(context);
    large_free(in, CHUNK);
}

/* The chunk with which a run would get too long is not taken; another one ends the run. */
Test(chunked_large, run_of_2_to_the_32_elements_overflows_u32_and_leaves_the_run_as_it_was)
{
    static const uint8_t one = 1;
    uint8_t *const in = zeros(6 * (CHUNK / 1024) + 65536), value = 7;
    uint8_t *const values = large_zeros(CHUNK), *const lengths = large_zeros(4 * CHUNK);
    uint32_t length = 7;
    uint64_t written;
    parscan_context *const context = test_context();
    parscan_chunked *chunked;
    cr_assert_eq(
        parscan_chunked_create_run_length_encode(&chunked, context, PARSCAN_U8, PARSCAN_U32),
        PARSCAN_OK);
    const parscan_chunk chunk =
        PARSCAN_CHUNK(.in = in, .out = values, .out2 = lengths, .n = CHUNK, .written = &written);
    for (unsigned k = 0; k + 1 < CHUNKS; k++)
        cr_assert_eq(parscan_chunked_update(chunked, &chunk), PARSCAN_OK);
    cr_assert_eq(parscan_chunked_update(chunked, &chunk), PARSCAN_ERROR_OVERFLOW);
    cr_assert_str_eq(parscan_context_error(context),
                     "a run of 4294967296 elements does not fit count_type = u32");
    cr_assert_eq(
        parscan_chunked_update(chunked, &PARSCAN_CHUNK(.in = &one, .out = &value, .out2 = &length,
                                                       .n = 1, .written = &written)),
        PARSCAN_OK);
    cr_assert(written == 1 && value == 0 && length == (CHUNKS - 1) * CHUNK);
    parscan_chunked_destroy(chunked);
    parscan_context_destroy(context);
    large_free(in, CHUNK);
    large_free(values, CHUNK);
    large_free(lengths, 4 * CHUNK);
}

Test(chunked_large, index_beyond_32_bits_is_refused_with_u32_and_right_with_u64)
{
    static const uint8_t one = 1;
    uint8_t *const in = zeros(9 * (CHUNK / 1024) + 65536);
    uint8_t *const out = large_zeros(8 * CHUNK);
    parscan_context *const context = test_context();
    for (unsigned wide = 0; wide < 2; wide++) {
        uint64_t written, index = 0;
        parscan_chunked *chunked;
        cr_assert_eq(parscan_chunked_create_compact_indices(&chunked, context, PARSCAN_U8, NULL,
                                                            wide ? PARSCAN_U64 : PARSCAN_U32),
                     PARSCAN_OK);
        for (unsigned k = 0; k < CHUNKS; k++)
            cr_assert_eq(
                parscan_chunked_update(
                    chunked, &PARSCAN_CHUNK(.in = in, .out = out, .n = CHUNK, .written = &written)),
                PARSCAN_OK);
        const parscan_status status = parscan_chunked_update(
            chunked, &PARSCAN_CHUNK(.in = &one, .out = &index, .n = 1, .written = &written));
        cr_assert_eq(status, wide ? PARSCAN_OK : PARSCAN_ERROR_INVALID_ARGUMENT);
        if (wide)
            cr_assert(written == 1 && index == UINT64_C(1) << 32);
        else
            cr_assert_str_eq(parscan_context_error(context),
                             "n = 1, with 4294967296 elements before: the indices do not fit "
                             "index_type = u32");
        parscan_chunked_destroy(chunked);
    }
    parscan_context_destroy(context);
    large_free(in, CHUNK);
    large_free(out, 8 * CHUNK);
}
