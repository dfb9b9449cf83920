/* Every bad argument of primitives in chunks: the status, the message, and that the work goes on as
   if the call had not been made. Carries that do not fit. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/memory.h"
#include "tests/support/chunked_case.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

#define INVALID PARSCAN_ERROR_INVALID_ARGUMENT
#define UNSUPPORTED PARSCAN_ERROR_UNSUPPORTED

/* Fails unless a call returned the status with these words. */
#define expect_words(context, call, expected, words)                                     \
    do {                                                                                 \
        const parscan_status status_ = (call);                                           \
        cr_assert_eq(status_, (expected), "%s", parscan_context_error(context));         \
        cr_assert(strstr(parscan_context_error(context), (words)) != NULL, "\"%s\": %s", \
                  parscan_context_error(context), (words));                              \
    } while (0)

/* The same for a creation, which must leave NULL. */
#define expect_refusal(context, call, expected, words) \
    do {                                               \
        chunked = (parscan_chunked *)(void *)&chunked; \
        expect_words(context, call, expected, words);  \
        cr_assert_null(chunked);                       \
    } while (0)

Test(chunked_create, of_scans_refuses_what_the_one_call_refuses_and_reverse)
{
    parscan_context *const c = test_context();
    parscan_chunked *chunked;
    const parscan_scan_options reverse = PARSCAN_SCAN_OPTIONS(.reverse = 1);
    const parscan_scan_options both =
        PARSCAN_SCAN_OPTIONS(.reproducible = 1, .algorithm = PARSCAN_SEQUENTIAL);
    const parscan_scan_options blocks = PARSCAN_SCAN_OPTIONS(.algorithm = PARSCAN_BRENT_KUNG);
    const parscan_scan_options fixed = PARSCAN_SCAN_OPTIONS(.reproducible = 1);
    const parscan_scan_options bits = PARSCAN_SCAN_OPTIONS(.op = PARSCAN_XOR);
    cr_assert_eq(parscan_chunked_create_reduce(NULL, c, PARSCAN_U8, NULL), INVALID);
    cr_assert_str_eq(parscan_context_error(c), "chunked is NULL");
    cr_assert_eq(parscan_chunked_create_reduce(&chunked, NULL, PARSCAN_U8, NULL), INVALID);
    cr_assert_null(chunked);
    expect_refusal(c, parscan_chunked_create_inclusive_scan(&chunked, c, (parscan_type)99, NULL),
                   INVALID, "type = 99");
    expect_refusal(c, parscan_chunked_create_inclusive_scan(&chunked, c, PARSCAN_I8, &reverse),
                   UNSUPPORTED, "reverse = 1");
    expect_refusal(c, parscan_chunked_create_exclusive_scan(&chunked, c, PARSCAN_F32, &bits),
                   UNSUPPORTED, "op = xor");
    expect_refusal(c, parscan_chunked_create_reduce(&chunked, c, PARSCAN_F32, &both), INVALID,
                   "reproducible = 1");
    const parscan_segment_kind flags = PARSCAN_SEGMENTS_FLAGS, keys = PARSCAN_SEGMENTS_KEYS;
    const parscan_type none = (parscan_type)0;
    expect_refusal(c,
                   parscan_chunked_create_segmented_inclusive_scan(
                       &chunked, c, PARSCAN_F32, PARSCAN_SEGMENTS_OFFSETS, PARSCAN_U64, NULL),
                   UNSUPPORTED, "kind = offsets");
    expect_refusal(c,
                   parscan_chunked_create_segmented_exclusive_scan(
                       &chunked, c, PARSCAN_F32, PARSCAN_SEGMENTS_ROWS, PARSCAN_U64, NULL),
                   UNSUPPORTED, "kind = rows");
    expect_refusal(c,
                   parscan_chunked_create_segmented_inclusive_scan(
                       &chunked, c, PARSCAN_F32, (parscan_segment_kind)9, PARSCAN_U64, NULL),
                   INVALID, "kind = 9");
    expect_refusal(c,
                   parscan_chunked_create_segmented_exclusive_scan(&chunked, c, PARSCAN_F32, flags,
                                                                   PARSCAN_U16, NULL),
                   INVALID, "key_type = 3");
    expect_refusal(
        c,
        parscan_chunked_create_segmented_exclusive_scan(&chunked, c, PARSCAN_F32, keys, none, NULL),
        INVALID, "key_type = 0");
    expect_refusal(c,
                   parscan_chunked_create_segmented_inclusive_scan(&chunked, c, PARSCAN_F32, flags,
                                                                   none, &blocks),
                   UNSUPPORTED, "algorithm = brent-kung");
    expect_refusal(c,
                   parscan_chunked_create_segmented_inclusive_scan(&chunked, c, PARSCAN_F32, flags,
                                                                   none, &reverse),
                   UNSUPPORTED, "reverse = 1");
    expect_refusal(c,
                   parscan_chunked_create_segmented_inclusive_scan(&chunked, c, PARSCAN_F32, flags,
                                                                   none, &fixed),
                   UNSUPPORTED, "reproducible = 1");
    expect_refusal(c, parscan_chunked_create_recurrence(&chunked, c, PARSCAN_I32, NULL),
                   UNSUPPORTED, "type = i32");
    expect_refusal(c, parscan_chunked_create_reduce_by_key(&chunked, c, none, PARSCAN_F32, NULL),
                   INVALID, "key_type = 0");
    expect_refusal(
        c, parscan_chunked_create_reduce_by_key(&chunked, c, PARSCAN_U8, PARSCAN_F32, &reverse),
        UNSUPPORTED, "reverse = 1");
    expect_refusal(
        c, parscan_chunked_create_reduce_by_key(&chunked, c, PARSCAN_U8, PARSCAN_F32, &fixed),
        UNSUPPORTED, "reproducible = 1");
    expect_refusal(
        c, parscan_chunked_create_reduce_by_key(&chunked, c, PARSCAN_U8, PARSCAN_F32, &bits),
        UNSUPPORTED, "op = xor");
    parscan_context_destroy(c);
}

Test(chunked_create, of_the_others_refuses_what_the_one_call_refuses)
{
    parscan_context *const c = test_context();
    parscan_chunked *chunked;
    const parscan_predicate no_value = PARSCAN_PREDICATE(.comparison = PARSCAN_LESS);
    const parscan_predicate unknown = PARSCAN_PREDICATE(.comparison = (parscan_comparison)8);
    const parscan_type u32 = PARSCAN_U32;
    expect_refusal(c, parscan_chunked_create_histogram(&chunked, c, u32, 0, u32, NULL), INVALID,
                   "bins = 0");
    expect_refusal(c, parscan_chunked_create_histogram(&chunked, c, u32, 5, PARSCAN_I8, NULL),
                   INVALID, "count_type = i8");
    expect_refusal(c, parscan_chunked_create_histogram(&chunked, c, PARSCAN_F32, 5, u32, NULL),
                   INVALID, "lower");
    expect_refusal(c, parscan_chunked_create_compact(&chunked, c, 0), INVALID,
                   "element_size = 0: it must be at least 1");
    expect_refusal(c, parscan_chunked_create_unique_pairs(&chunked, c, u32, 0), INVALID,
                   "value_size = 0: it must be at least 1");
    expect_refusal(c, parscan_chunked_create_unique_pairs(&chunked, c, (parscan_type)13, 4),
                   INVALID, "key_type = 13");
    expect_refusal(c, parscan_chunked_create_flags_if(&chunked, c, u32, &no_value), INVALID,
                   "keep->value is NULL");
    expect_refusal(c, parscan_chunked_create_compact_if(&chunked, c, u32, &no_value), INVALID,
                   "keep->value is NULL");
    expect_refusal(c, parscan_chunked_create_compact_if(&chunked, c, u32, &unknown), INVALID,
                   "keep->comparison = 8");
    expect_refusal(c, parscan_chunked_create_compact_if(&chunked, c, (parscan_type)13, NULL),
                   INVALID, "type = 13");
    expect_refusal(c, parscan_chunked_create_compact_indices(&chunked, c, u32, NULL, PARSCAN_I16),
                   INVALID, "index_type = i16");
    expect_refusal(c, parscan_chunked_create_unique(&chunked, c, (parscan_type)0), INVALID,
                   "type = 0");
    expect_refusal(c, parscan_chunked_create_run_length_encode(&chunked, c, u32, PARSCAN_U8),
                   INVALID, "count_type = u8");
    expect_refusal(c, parscan_chunked_create_allocate(&chunked, c, PARSCAN_I32, u32, NULL), INVALID,
                   "size_type = i32");
    expect_refusal(c,
                   parscan_chunked_create_allocate(&chunked, c, u32, u32,
                                                   &PARSCAN_ALLOCATE_OPTIONS(.alignment = 3)),
                   INVALID, "alignment = 3: it must be a power of two");
    parscan_context_destroy(c);
}

Test(chunked_update, refuses_bad_chunks_and_goes_on)
{
    static const uint32_t in[] = {1, 2, 3, 4};
    uint32_t out[4] = {0}, sum = 0;
    uint64_t wide[4];
    parscan_context *const c = test_context();
    parscan_chunked *chunked;
    cr_assert_eq(parscan_chunked_create_inclusive_scan(&chunked, c, PARSCAN_U32, NULL), PARSCAN_OK);
    const parscan_chunk good = PARSCAN_CHUNK(.in = in, .out = out, .n = 2);
    cr_assert_eq(parscan_chunked_update(NULL, &good), INVALID);
    cr_assert_eq(parscan_chunked_update(chunked, &good), PARSCAN_OK);
    expect_words(c, parscan_chunked_update(chunked, NULL), INVALID, "chunk is NULL");
    expect_words(c, parscan_chunked_update(chunked, &PARSCAN_CHUNK(.out = out, .n = 2)), INVALID,
                 "chunk->in is NULL, n = 2");
    expect_words(c, parscan_chunked_update(chunked, &PARSCAN_CHUNK(.in = in, .n = 2)), INVALID,
                 "chunk->out is NULL, n = 2");
    expect_words(
        c, parscan_chunked_update(chunked, &PARSCAN_CHUNK(.in = in, .in2 = in, .out = out, .n = 2)),
        INVALID, "an inclusive scan does not have it");
    expect_words(
        c,
        parscan_chunked_update(chunked, &PARSCAN_CHUNK(.in = in, .out = out, .out2 = out, .n = 2)),
        INVALID, "chunk->out2");
    expect_words(
        c, parscan_chunked_update(chunked, &PARSCAN_CHUNK(.in = in, .out = out, .n = SIZE_MAX / 4)),
        INVALID, "exceed the address space");
    const parscan_chunk rest = PARSCAN_CHUNK(.in = in + 2, .out = out + 2, .n = 2);
    cr_assert_eq(parscan_chunked_update(chunked, &rest), PARSCAN_OK);
    cr_assert(out[0] == 1 && out[1] == 3 && out[2] == 6 && out[3] == 10);
    expect_words(c, parscan_chunked_finish(chunked, &PARSCAN_CHUNKED_END(.out2 = out)), INVALID,
                 "end->out2");
    cr_assert_eq(parscan_chunked_finish(chunked, &PARSCAN_CHUNKED_END(.out = &sum)), PARSCAN_OK);
    cr_assert_eq(sum, 10);
    expect_words(c, parscan_chunked_update(chunked, &rest), INVALID,
                 "a chunk after parscan_chunked_finish()");
    expect_words(c, parscan_chunked_finish(chunked, NULL), INVALID,
                 "after parscan_chunked_finish()");
    parscan_chunked_destroy(chunked);

    cr_assert_eq(parscan_chunked_create_inclusive_scan(
                     &chunked, c, PARSCAN_U32, &PARSCAN_SCAN_OPTIONS(.out_type = PARSCAN_U64)),
                 PARSCAN_OK);
    expect_words(c,
                 parscan_chunked_update(chunked, &PARSCAN_CHUNK(.in = wide, .out = wide, .n = 2)),
                 INVALID, "chunk->out = chunk->in, but their elements have 8 and 4 bytes");
    parscan_chunked_destroy(chunked);

    cr_assert_eq(parscan_chunked_create_compact_if(&chunked, c, PARSCAN_U32, NULL), PARSCAN_OK);
    expect_words(c, parscan_chunked_update(chunked, &good), INVALID, "chunk->written is NULL");
    parscan_chunked_destroy(chunked);

    cr_assert_eq(parscan_chunked_create_reduce(&chunked, c, PARSCAN_U32, NULL), PARSCAN_OK);
    expect_words(c, parscan_chunked_finish(chunked, NULL), INVALID,
                 "end->out is NULL: a reduction needs it");
    cr_assert_eq(parscan_chunked_finish(chunked, &PARSCAN_CHUNKED_END(.out = &sum)), PARSCAN_OK);
    cr_assert_eq(sum, 0);
    parscan_chunked_destroy(chunked);
    parscan_chunked_destroy(NULL);
    parscan_context_destroy(c);
}

Test(chunked_update, of_a_reproducible_scan_refuses_more_than_2_to_the_51_elements)
{
    static const float in[] = {1};
    float sum;
    parscan_context *const c = test_context();
    parscan_chunked *chunked;
    cr_assert_eq(parscan_chunked_create_reduce(&chunked, c, PARSCAN_F32,
                                               &PARSCAN_SCAN_OPTIONS(.reproducible = 1)),
                 PARSCAN_OK);
    cr_assert_eq(parscan_chunked_update(chunked, &PARSCAN_CHUNK(.in = in, .n = 1)), PARSCAN_OK);
    expect_words(c, parscan_chunked_update(chunked, &PARSCAN_CHUNK(.in = in, .n = (size_t)1 << 51)),
                 UNSUPPORTED, "takes 2^51 elements, and has had 1");
    cr_assert_eq(parscan_chunked_finish(chunked, &PARSCAN_CHUNKED_END(.out = &sum)), PARSCAN_OK);
    cr_assert_eq(sum, 1);
    parscan_chunked_destroy(chunked);
    parscan_context_destroy(c);
}

Test(chunked_run_lengths, end_with_the_last_run_which_must_have_a_place)
{
    static const uint8_t in[] = {7, 7, 7};
    uint8_t value = 0, values[3];
    uint32_t length = 0, lengths[3];
    uint64_t written = 9, total = 9;
    parscan_context *const c = test_context();
    parscan_chunked *chunked;
    cr_assert_eq(parscan_chunked_create_run_length_encode(&chunked, c, PARSCAN_U8, PARSCAN_U32),
                 PARSCAN_OK);
    cr_assert_eq(
        parscan_chunked_update(chunked, &PARSCAN_CHUNK(.in = in, .out = values, .out2 = lengths,
                                                       .n = 3, .written = &written)),
        PARSCAN_OK);
    cr_assert_eq(written, 0);
    expect_words(c, parscan_chunked_finish(chunked, &PARSCAN_CHUNKED_END(.out = &value)), INVALID,
                 "end->out2 is NULL: run lengths needs it");
    const parscan_chunked_end end =
        PARSCAN_CHUNKED_END(.out = &value, .out2 = &length, .written = &written, .total = &total);
    cr_assert_eq(parscan_chunked_finish(chunked, &end), PARSCAN_OK);
    cr_assert(value == 7 && length == 3 && written == 1 && total == 1);
    parscan_chunked_destroy(chunked);
    parscan_context_destroy(c);
}

Test(chunked_reduce_by_key, ends_with_the_last_run_which_must_have_a_place)
{
    static const uint32_t in[] = {1, 2, 3, 4}, keys[] = {7, 7, 8, 8};
    uint32_t out[4], firsts[4];
    uint64_t written = 9, total = 9;
    parscan_context *const c = test_context();
    parscan_chunked *chunked;
    cr_assert_eq(parscan_chunked_create_reduce_by_key(&chunked, c, PARSCAN_U32, PARSCAN_U32, NULL),
                 PARSCAN_OK);
    const parscan_chunk good = PARSCAN_CHUNK(.in = in, .in2 = keys, .out = out, .out2 = firsts,
                                             .n = 3, .written = &written);
    parscan_chunk bad = good;
    bad.out2 = NULL;
    expect_words(c, parscan_chunked_update(chunked, &bad), INVALID, "chunk->out2 is NULL, n = 3");
    bad = good;
    bad.in2 = NULL;
    expect_words(c, parscan_chunked_update(chunked, &bad), INVALID, "chunk->in2 is NULL, n = 3");
    bad = good;
    bad.written = NULL;
    expect_words(c, parscan_chunked_update(chunked, &bad), INVALID, "chunk->written is NULL");
    cr_assert_eq(parscan_chunked_update(chunked, &good), PARSCAN_OK);
    cr_assert(written == 1 && out[0] == 3 && firsts[0] == 7);
    const parscan_chunk rest = PARSCAN_CHUNK(.in = in + 3, .in2 = keys + 3, .out = out,
                                             .out2 = firsts, .n = 1, .written = &written);
    cr_assert_eq(parscan_chunked_update(chunked, &rest), PARSCAN_OK);
    cr_assert_eq(written, 0);
    expect_words(c, parscan_chunked_finish(chunked, &PARSCAN_CHUNKED_END(.out = out)), INVALID,
                 "end->out2 is NULL: a reduction by key needs it");
    cr_assert_eq(
        parscan_chunked_finish(chunked, &PARSCAN_CHUNKED_END(.out = out, .out2 = firsts,
                                                             .written = &written, .total = &total)),
        PARSCAN_OK);
    cr_assert(out[0] == 7 && firsts[0] == 8 && written == 1 && total == 2);
    parscan_chunked_destroy(chunked);
    parscan_context_destroy(c);
}

/* ---- carries ---- */

static parscan_chunked *scan_of(parscan_context *context, parscan_type type, parscan_op op,
                                int reproducible, const void *init)
{
    parscan_chunked *chunked;
    cr_assert_eq(parscan_chunked_create_inclusive_scan(
                     &chunked, context, type,
                     &PARSCAN_SCAN_OPTIONS(.op = op, .reproducible = reproducible, .init = init)),
                 PARSCAN_OK);
    return chunked;
}

Test(chunked_carry, of_another_primitive_or_other_arguments_is_refused_with_words)
{
    static const int32_t five = 5, six = 6;
    parscan_context *const c = test_context();
    parscan_chunked *const from = scan_of(c, PARSCAN_I32, PARSCAN_SUM, 0, &five);
    const size_t size = parscan_chunked_carry_size(from);
    char *const carry = need_memory(size);
    cr_assert_eq(parscan_chunked_carry_get(from, carry, size), PARSCAN_OK);
    parscan_chunked *reduction;
    cr_assert_eq(parscan_chunked_create_reduce(&reduction, c, PARSCAN_I32, NULL), PARSCAN_OK);
    const struct {
        parscan_chunked *to;
        const char *words;
    } others[] = {
        {reduction, "the primitive's number is 1 in it, and 3 in this object, a reduction"},
        {scan_of(c, PARSCAN_I64, PARSCAN_SUM, 0, NULL), "carry: type is 6 in it, and 8"},
        {scan_of(c, PARSCAN_I32, PARSCAN_MAX, 0, &five), "carry: op is 0 in it, and 3"},
        {scan_of(c, PARSCAN_I32, PARSCAN_SUM, 0, NULL), "carry: the set of optional arguments"},
        {scan_of(c, PARSCAN_I32, PARSCAN_SUM, 0, &six), "carry: init or x0 is another one"},
    };
    for (size_t k = 0; k < COUNT_OF(others); k++) {
        expect_words(c, parscan_chunked_carry_set(others[k].to, carry, size), INVALID,
                     others[k].words);
        parscan_chunked_destroy(others[k].to);
    }
    parscan_chunked_destroy(from);
    parscan_context_destroy(c);
    free(carry);
}

Test(chunked_carry, that_is_damaged_or_cut_is_refused_and_nothing_changes)
{
    static const float in[] = {1, 2, 3};
    float out[3];
    parscan_context *const c = test_context();
    parscan_chunked *const chunked = scan_of(c, PARSCAN_F32, PARSCAN_SUM, 1, NULL);
    const parscan_chunk chunk = PARSCAN_CHUNK(.in = in, .out = out, .n = 3);
    cr_assert_eq(parscan_chunked_update(chunked, &chunk), PARSCAN_OK);
    const size_t size = parscan_chunked_carry_size(chunked);
    char *const carry = need_memory(size);
    cr_assert_eq(parscan_chunked_carry_size(NULL), 0);
    expect_words(c, parscan_chunked_carry_get(chunked, carry, size - 1), INVALID, "size = ");
    expect_words(c, parscan_chunked_carry_get(chunked, NULL, size), INVALID, "carry is NULL");
    cr_assert_eq(parscan_chunked_carry_get(chunked, carry, size), PARSCAN_OK);
    expect_words(c, parscan_chunked_carry_set(chunked, carry, size - 1), INVALID, "size = ");
    expect_words(c, parscan_chunked_carry_set(chunked, carry, 10), INVALID, "size = 10");
    expect_words(c, parscan_chunked_carry_set(chunked, NULL, size), INVALID, "carry is NULL");
    /* Every byte of the head and the state, then some. */
    for (size_t at = 0; at < size; at += at < 1000 ? 1 : 997) {
        carry[at] ^= 0x10;
        const parscan_status status = parscan_chunked_carry_set(chunked, carry, size);
        cr_assert(status == INVALID || status == UNSUPPORTED, "byte %zu", at);
        carry[at] ^= 0x10;
    }
    carry[12]++;
    expect_words(c, parscan_chunked_carry_set(chunked, carry, size), UNSUPPORTED, "version 2");
    carry[12]--;
    carry[0] = 'x';
    expect_words(c, parscan_chunked_carry_set(chunked, carry, size), INVALID, "its first bytes");
    cr_assert_eq(parscan_chunked_update(chunked, &chunk), PARSCAN_OK);
    cr_assert(out[0] == 7 && out[1] == 9 && out[2] == 12);
    cr_assert_eq(parscan_chunked_finish(chunked, NULL), PARSCAN_OK);
    expect_words(c, parscan_chunked_carry_get(chunked, carry, size), INVALID,
                 "after parscan_chunked_finish()");
    /* A good carry starts it anew. */
    carry[0] = 'p';
    cr_assert_eq(parscan_chunked_carry_set(chunked, carry, size), PARSCAN_OK);
    cr_assert_eq(parscan_chunked_update(chunked, &chunk), PARSCAN_OK);
    cr_assert(out[0] == 7 && out[1] == 9 && out[2] == 12);
    parscan_chunked_destroy(chunked);
    parscan_context_destroy(c);
    free(carry);
}
