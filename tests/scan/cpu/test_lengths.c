/*
 * parscan_set_lengths(): a call with a length gives what the same call gives with that n. Arrays end
 * where the length does, against memory that ends the process when it is touched.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/scan/cpu/changing_calls.h"
#include "tests/support/every_simd.h"
#include "tests/support/guarded.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum { PARTS = 4, COLUMNS = 7 }; /* of changing_calls.c: segments and records are n / PARTS */

/* ---- every call, with a length below its argument ---- */

/* The arrays of a call of n elements. */
typedef struct arrays {
    guarded memory[CHANGING_ARRAYS];
    char *at[CHANGING_ARRAYS];
    size_t bytes[CHANGING_ARRAYS];
} arrays;

static uint32_t word_of(array_content content, size_t i, size_t words, size_t n, uint32_t random)
{
    switch (content) {
    case FEW:
        return random % 16 == 0 ? 0 : random % 3;
    case BINS:
        return random % WIDE_BINS;
    case OFFSETS:
        return i == words - 1 ? (uint32_t)n : (uint32_t)(i * (n / words));
    case LONG:
        return (uint32_t)(i < words / 2 ? 0 : i < words - 1 ? n / 3 : n);
    case SIZES:
        return random % (MOST_BYTES + 1);
    case MULTIPLES:
        return (uint32_t)i * MOST_BYTES;
    default:
        return random;
    }
}

/* most: the n that the call is told. */
static arrays create_arrays(const changing_call *call, size_t n, size_t most)
{
    arrays a = {.at = {NULL}};
    for (size_t k = 0; k < CHANGING_ARRAYS; k++) {
        const changing_array *const array = &call->arrays[k];
        if (array->content == UNUSED)
            continue;
        a.bytes[k] = array->an_element * n + array->more;
        a.memory[k] =
            guarded_create_beyond(a.bytes[k], array->an_element * (most - n) + array->more + 1);
        a.at[k] = guarded_array(a.memory[k], a.bytes[k], true);
        const size_t words = a.bytes[k] / sizeof(uint32_t);
        uint32_t state = 12345;
        for (size_t i = 0; array->content != OUTPUT && i < words; i++) {
            state = state * 1664525u + 1013904223u;
            const uint32_t word = word_of(array->content, i, words, n, state >> 7);
            memcpy(a.at[k] + i * sizeof word, &word, sizeof word);
        }
    }
    return a;
}

static void destroy_arrays(const arrays *a)
{
    for (size_t k = 0; k < CHANGING_ARRAYS; k++)
        if (a->at[k] != NULL)
            guarded_destroy(a->memory[k]);
}

static bool has_offsets(const changing_call *call)
{
    return call->arrays[1].content == OFFSETS || call->arrays[1].content == LONG;
}

/* The length of a call that is made for n elements. */
static uint64_t length_of(const changing_call *call, size_t n)
{
    if (strcmp(call->name, "dense to CSR") == 0)
        return n / COLUMNS;
    return strcmp(call->name, "pack") == 0 ? n / PARTS : n;
}

/* The lengths are gone after the call, however it ended. */
static void expect_no_lengths(parscan_context *context)
{
    uint32_t x[3] = {1, 1, 1};
    cr_assert_eq(parscan_inclusive_scan(context, PARSCAN_U32, x, x, 3, NULL), PARSCAN_OK);
    cr_assert_eq(x[2], 3);
}

/* Compares a call with the length n and the argument `most`, on arrays of n elements, with one of n. */
static void expect_length(parscan_context *context, const changing_call *call, size_t n,
                          size_t most)
{
    const arrays right = create_arrays(call, n, n), a = create_arrays(call, n, most);
    changing_arguments arguments = {.context = context, .n = n};
    guarded_watch(call->name);
    memcpy(arguments.array, right.at, sizeof right.at);
    const parscan_status expected = call->run(&arguments);
    cr_assert(expected != PARSCAN_ERROR_UNSUPPORTED || is_of_cpu_alone(context, expected), "%s",
              call->name);
    const uint64_t length = length_of(call, n), segments = n / PARTS;
    const parscan_lengths lengths =
        PARSCAN_LENGTHS(.n = &length, .n2 = strstr(call->name, "bounds") != NULL ? &length : NULL,
                        .segment_count = has_offsets(call) ? &segments : NULL);
    memcpy(arguments.array, a.at, sizeof a.at);
    arguments.n = most;
    cr_assert_eq(parscan_set_lengths(context, &lengths), PARSCAN_OK);
    const parscan_status found = call->run(&arguments);
    cr_assert_eq(found, expected, "%s of %zu in %zu: %s", call->name, n, most,
                 parscan_context_error(context));
    expect_no_lengths(context);
    for (size_t k = 0; k < CHANGING_ARRAYS; k++)
        cr_assert(a.at[k] == NULL || memcmp(a.at[k], right.at[k], a.bytes[k]) == 0,
                  "%s of %zu in %zu: array %zu differs", call->name, n, most, k);
    destroy_arrays(&right);
    destroy_arrays(&a);
}

/* Its capacity, which is an argument, follows n: rules/an_expansion_of_a_length. */
static bool is_expansion(const changing_call *call)
{
    return strcmp(call->name, "expansion") == 0 || strstr(call->name, "decoded") != NULL;
}

/* The arrays of these have lengths of their own, halves of n: tests/apps/join. */
static bool has_two_inputs(const changing_call *call)
{
    return strncmp(call->name, "merge of ", 9) == 0 || strstr(call->name, " join") != NULL ||
           strcmp(call->name, "union") == 0 || strcmp(call->name, "symmetric difference") == 0;
}

/* k follows n: tests/apps/select. */
static bool is_choice(const changing_call *call)
{
    return strstr(call->name, "largest") != NULL;
}

/* What is left behind the kept elements is unspecified. */
static bool leaves_rest(const changing_call *call)
{
    return strcmp(call->name, "compaction by flags in place") == 0 ||
           strcmp(call->name, "unique in place") == 0 ||
           strcmp(call->name, "unique pairs, keys in place") == 0;
}

static void expect_every_call(const size_t *sizes, size_t count, unsigned threads)
{
    parscan_context *const context =
        test_context_with((parscan_context_options){.threads = threads});
    for (size_t k = 0; k < changing_call_count; k++)
        for (size_t s = 0; s < count; s++) {
            if (is_expansion(&changing_calls[k]) || has_two_inputs(&changing_calls[k]) ||
                is_choice(&changing_calls[k]) || (threads > 1 && leaves_rest(&changing_calls[k])))
                continue;
            expect_length(context, &changing_calls[k], sizes[s], sizes[s] + PARTS * COLUMNS);
            expect_length(context, &changing_calls[k], sizes[s], 2 * sizes[s] + 1000);
        }
    parscan_context_destroy(context);
}

SimdTest(lengths, are_those_of_every_call)
{
    /* the words and tiles of compaction, of scans and of segments, and what lies beside them */
    static const size_t sizes[] = {0, 1, 63, 64, 65, 2047, 2048, 2049, 4095, 4096, 4097, 30011};
    expect_every_call(sizes, COUNT_OF(sizes), 1);
}

SimdTest(lengths, are_those_of_every_call_of_several_threads)
{
    static const size_t sizes[] = {1, 300007};
    expect_every_call(sizes, COUNT_OF(sizes), 3);
}

/* ---- a length above its argument ---- */

SimdTest(lengths, above_the_argument_give_what_the_argument_does_and_say_so)
{
    const size_t n = 5000;
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 1});
    for (size_t k = 0; k < changing_call_count; k++) {
        const changing_call *const call = &changing_calls[k];
        const arrays right = create_arrays(call, n, n), a = create_arrays(call, n, n);
        changing_arguments arguments = {.context = context, .n = n};
        memcpy(arguments.array, right.at, sizeof right.at);
        const parscan_status status = call->run(&arguments);
        const bool missing = is_of_cpu_alone(context, status);
        cr_assert(status == PARSCAN_OK || status == PARSCAN_ERROR_CAPACITY || missing, "%s",
                  call->name);
        memcpy(arguments.array, a.at, sizeof a.at);
        const uint64_t length = UINT64_C(1) << 40;
        cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = &length)), PARSCAN_OK);
        cr_assert_eq(call->run(&arguments), missing ? status : PARSCAN_ERROR_CAPACITY, "%s",
                     call->name);
        cr_assert(status != PARSCAN_OK ||
                      strstr(parscan_context_error(context), "1099511627776") != NULL,
                  "%s: %s", call->name, parscan_context_error(context));
        for (size_t i = 0; i < CHANGING_ARRAYS; i++)
            cr_assert(a.at[i] == NULL || memcmp(a.at[i], right.at[i], a.bytes[i]) == 0, "%s",
                      call->name);
        destroy_arrays(&right);
        destroy_arrays(&a);
    }
    parscan_context_destroy(context);
}

/* ---- the room of outputs ---- */

enum { ROOM_N = 100003, LARGE = 1000 };

/* A call with results whose number it finds out, and the arrays for them. */
typedef struct room_call {
    const char *name;
    size_t result_bytes[2];
    size_t n; /* at most */
    parscan_status (*run)(parscan_context *context, const uint32_t *in, const uint8_t *flags,
                          size_t n, char *first, char *second, uint64_t *count);
} room_call;

#define ROOM_CALL(name)                                                                            \
    static parscan_status name(parscan_context *context, const uint32_t *in, const uint8_t *flags, \
                               size_t n, char *first, char *second, uint64_t *count)

ROOM_CALL(room_flags)
{
    (void)second;
    return parscan_compact(context, 4, in, flags, first, n, count);
}

ROOM_CALL(room_records)
{
    (void)second;
    return parscan_compact(context, 12, in, flags, first, n, count);
}

ROOM_CALL(room_large)
{
    (void)second;
    return parscan_compact(context, LARGE, in, flags, first, n, count);
}

ROOM_CALL(room_if)
{
    (void)second;
    (void)flags;
    return parscan_compact_if(context, PARSCAN_U32, in, NULL, first, n, count);
}

ROOM_CALL(room_bytes)
{
    (void)second;
    (void)in;
    return parscan_compact_if(context, PARSCAN_U8, flags, NULL, first, n, count);
}

ROOM_CALL(room_indices_u32)
{
    (void)second;
    (void)flags;
    return parscan_compact_indices(context, PARSCAN_U32, in, NULL, PARSCAN_U32, first, n, count);
}

ROOM_CALL(room_indices_u64)
{
    (void)second;
    (void)in;
    return parscan_compact_indices(context, PARSCAN_U8, flags, NULL, PARSCAN_U64, first, n, count);
}

ROOM_CALL(room_with_indices)
{
    (void)flags;
    return parscan_compact_with_indices(context, PARSCAN_U32, in, NULL, first, PARSCAN_U64, second,
                                        n, count);
}

ROOM_CALL(room_unique)
{
    (void)second;
    (void)flags;
    return parscan_unique(context, PARSCAN_U32, in, first, n, count);
}

ROOM_CALL(room_lengths_u32)
{
    (void)flags;
    return parscan_run_length_encode(context, PARSCAN_U32, in, first, PARSCAN_U32, second, n,
                                     count);
}

ROOM_CALL(room_lengths_u64)
{
    (void)in;
    return parscan_run_length_encode(context, PARSCAN_U8, flags, first, PARSCAN_U64, second, n,
                                     count);
}

ROOM_CALL(room_pairs)
{
    return parscan_unique_pairs(context, PARSCAN_U8, flags, first, 4, in, second, n, count);
}

ROOM_CALL(room_large_pairs)
{
    return parscan_unique_pairs(context, PARSCAN_U8, flags, first, LARGE, in, second, n, count);
}

ROOM_CALL(room_by_key)
{
    return parscan_reduce_by_key(context, PARSCAN_U8, flags, first, PARSCAN_U32, in, second, n,
                                 count, NULL);
}

ROOM_CALL(room_by_key_f16)
{
    (void)flags;
    return parscan_reduce_by_key(context, PARSCAN_U32, in, first, PARSCAN_F16, in, second, n, count,
                                 NULL);
}

static parscan_status room_csr(parscan_context *context, const uint32_t *in,
                               parscan_type index_type, size_t n, char *first, char *second,
                               uint64_t *count)
{
    const size_t rows = n / COLUMNS;
    char *const offsets = calloc(rows + 1, parscan_type_size(index_type)), *const right = calloc(
                                                                               rows + 1,
                                                                               parscan_type_size(
                                                                                   index_type));
    uint64_t all;
    cr_assert(offsets != NULL && right != NULL);
    const parscan_status status = parscan_dense_to_csr(context, PARSCAN_U32, in, rows, COLUMNS,
                                                       index_type, offsets, first, second, count);
    cr_assert_eq(parscan_dense_to_csr(context, PARSCAN_U32, in, rows, COLUMNS, index_type, right,
                                      NULL, NULL, &all),
                 PARSCAN_OK);
    cr_assert_eq(memcmp(offsets, right, (rows + 1) * parscan_type_size(index_type)), 0);
    free(offsets);
    free(right);
    return status;
}

ROOM_CALL(room_csr_u32)
{
    (void)flags;
    return room_csr(context, in, PARSCAN_U32, n, first, second, count);
}

ROOM_CALL(room_csr_u64)
{
    (void)flags;
    return room_csr(context, in, PARSCAN_U64, n, first, second, count);
}

static parscan_status room_sums(parscan_context *context, const uint32_t *in,
                                parscan_segments segments, int reverse, size_t n, char *first,
                                uint64_t *count)
{
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.reverse = reverse);
    return parscan_segmented_reduce(context, PARSCAN_U32, in, first, n, &segments, count, &options);
}

ROOM_CALL(room_sums_by_flags)
{
    (void)second;
    return room_sums(context, in, PARSCAN_SEGMENTS(.data = flags), 0, n, first, count);
}

ROOM_CALL(room_sums_by_keys)
{
    (void)second;
    return room_sums(
        context, in,
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_KEYS, .type = PARSCAN_U8, .data = flags), 0, n,
        first, count);
}

ROOM_CALL(room_sums_reverse)
{
    (void)second;
    return room_sums(context, in, PARSCAN_SEGMENTS(.data = flags), 1, n, first, count);
}

static const room_call room_calls[] = {
    {"compaction by flags", {4}, ROOM_N, room_flags},
    {"compaction of records", {12}, ROOM_N / 3, room_records},
    {"compaction of large records", {LARGE}, 4 * ROOM_N / LARGE, room_large},
    {"compaction of words", {4}, ROOM_N, room_if},
    {"compaction of bytes", {1}, ROOM_N, room_bytes},
    {"indices, u32", {4}, ROOM_N, room_indices_u32},
    {"indices, u64", {8}, ROOM_N, room_indices_u64},
    {"elements with indices", {4, 8}, ROOM_N, room_with_indices},
    {"unique", {4}, ROOM_N, room_unique},
    {"run lengths, u32", {4, 4}, ROOM_N, room_lengths_u32},
    {"run lengths, u64", {1, 8}, ROOM_N, room_lengths_u64},
    {"dense to CSR, u32", {4, 4}, ROOM_N / COLUMNS *COLUMNS, room_csr_u32},
    {"dense to CSR, u64", {8, 4}, ROOM_N / COLUMNS *COLUMNS, room_csr_u64},
    {"pairs", {1, 4}, ROOM_N, room_pairs},
    {"pairs with large values", {1, LARGE}, ROOM_N * 4 / LARGE, room_large_pairs},
    {"sums by key", {1, 4}, ROOM_N, room_by_key},
    {"sums of f16 by key", {4, 2}, ROOM_N, room_by_key_f16},
    {"sums by flags", {4}, ROOM_N, room_sums_by_flags},
    {"sums by keys", {4}, ROOM_N, room_sums_by_keys},
    {"sums by flags, reverse", {4}, ROOM_N, room_sums_reverse},
};

/* Calls with room for `room` results, of which there are `count`, and compares with all of them. */
static void expect_room(parscan_context *context, const room_call *call, const uint32_t *in,
                        const uint8_t *flags, const char *const expected[2], uint64_t count,
                        size_t room)
{
    guarded memory[2];
    char *out[2];
    const size_t fit = room < count ? room : (size_t)count;
    for (int k = 0; k < 2; k++) {
        const size_t bytes = fit * call->result_bytes[k];
        memory[k] = guarded_create_beyond(bytes, (call->n - fit) * call->result_bytes[k] + 1);
        out[k] = guarded_array(memory[k], bytes, true);
    }
    uint64_t found = 0;
    guarded_watch(call->name);
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.out_capacity = room)), PARSCAN_OK);
    const parscan_status status = call->run(context, in, flags, call->n, out[0], out[1], &found);
    const bool missing = is_of_cpu_alone(context, status);
    cr_assert(missing || status == (room < count ? PARSCAN_ERROR_CAPACITY : PARSCAN_OK), "%s: %s",
              call->name, parscan_context_error(context));
    cr_assert_eq(found, missing ? 0 : count, "%s", call->name);
    for (int k = 0; k < 2; k++) {
        cr_assert(missing || memcmp(out[k], expected[k], fit * call->result_bytes[k]) == 0,
                  "%s, room %zu", call->name, room);
        guarded_destroy(memory[k]);
    }
}

static void expect_rooms(unsigned threads)
{
    parscan_context *const context =
        test_context_with((parscan_context_options){.threads = threads});
    uint32_t *const in = calloc(ROOM_N, sizeof *in);
    uint8_t *const flags = calloc(ROOM_N, sizeof *flags);
    cr_assert(in != NULL && flags != NULL);
    for (size_t i = 0; i < ROOM_N; i++) {
        in[i] = (uint32_t)random_below(3);
        flags[i] = random_below(3) == 0;
    }
    for (size_t k = 0; k < COUNT_OF(room_calls); k++) {
        const room_call *const call = &room_calls[k];
        char *const expected[2] = {malloc(call->n * call->result_bytes[0] + 1),
                                   malloc(call->n * call->result_bytes[1] + 1)};
        uint64_t count = 0;
        cr_assert(expected[0] != NULL && expected[1] != NULL);
        const parscan_status status =
            call->run(context, in, flags, call->n, expected[0], expected[1], &count);
        cr_assert(is_of_cpu_alone(context, status) || (status == PARSCAN_OK && count > 2), "%s",
                  call->name);
        const size_t all = (size_t)count;
        const size_t rooms[] = {1, 2, 64, all / 3, all - 1, all, all + 1, SIZE_MAX};
        for (size_t r = 0; r < COUNT_OF(rooms) && status == PARSCAN_OK; r++)
            expect_room(context, call, in, flags, (const char *const *)expected, count, rooms[r]);
        free(expected[0]);
        free(expected[1]);
    }
    free(in);
    free(flags);
    parscan_context_destroy(context);
}

SimdTest(out_capacity, bounds_what_is_written)
{
    expect_rooms(1);
}

SimdTest(out_capacity, bounds_what_several_threads_write)
{
    expect_rooms(3);
}

/* ---- rules ---- */

Test(rules, a_count_is_the_length_of_the_call_that_writes_it)
{
    parscan_context *const context = test_context();
    const uint32_t two = 2;
    const parscan_predicate keep = PARSCAN_PREDICATE(.comparison = PARSCAN_GREATER, .value = &two);
    uint32_t x[] = {1, 5, 2, 4, 0, 3, 9, 9}, out[8];
    uint64_t count = 6;
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = &count)), PARSCAN_OK);
    cr_assert_eq(parscan_compact_if(context, PARSCAN_U32, x, &keep, out, 8, &count), PARSCAN_OK);
    cr_assert_eq(count, 3);
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = &count)), PARSCAN_OK);
    cr_assert_eq(parscan_sort_keys(context, PARSCAN_U32, out, x, 8, NULL), PARSCAN_OK);
    cr_assert(x[0] == 3 && x[1] == 4 && x[2] == 5 && x[3] == 4 && x[7] == 9);
    parscan_context_destroy(context);
}

Test(rules, the_rows_and_columns_of_a_matrix_are_two_lengths)
{
    parscan_context *const context = test_context();
    const uint32_t dense[20] = {1, 0, 2, 0, 0, 3}; /* two rows of three */
    const uint64_t rows = 2, columns = 3;
    uint32_t offsets[5] = {7, 7, 7, 7, 7}, indices[20], values[20];
    uint64_t count;
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = &rows, .n2 = &columns)),
                 PARSCAN_OK);
    cr_assert_eq(parscan_dense_to_csr(context, PARSCAN_U32, dense, 4, 5, PARSCAN_U32, offsets,
                                      indices, values, &count),
                 PARSCAN_OK);
    cr_assert(offsets[0] == 0 && offsets[1] == 2 && offsets[2] == 3 && offsets[3] == 7);
    cr_assert(indices[1] == 2 && indices[2] == 2 && values[2] == 3 && count == 3);
    parscan_context_destroy(context);
}

Test(rules, a_decoding_of_a_length)
{
    parscan_context *const context = test_context();
    const uint32_t lengths[5] = {2, 0, 3, 9, 9};
    const uint64_t n = 3;
    char out[7] = "......";
    uint64_t total;
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = &n)), PARSCAN_OK);
    const parscan_status status =
        parscan_run_length_decode(context, 1, "abcde", PARSCAN_U32, lengths, 5, out, 6, &total);
    cr_assert(status == PARSCAN_OK || is_of_cpu_alone(context, status));
    if (status == PARSCAN_OK) {
        cr_assert_eq(total, 5);
        cr_assert_str_eq(out, "aaccc.");
    }
    parscan_context_destroy(context);
}

Test(rules, an_expansion_of_a_length)
{
    parscan_context *const context = test_context();
    const uint32_t sizes[5] = {2, 0, 3, 9, 9};
    const uint64_t n = 3;
    uint32_t owner[6] = {7, 7, 7, 7, 7, 7}, rank[6] = {7, 7, 7, 7, 7, 7};
    uint64_t total;
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = &n)), PARSCAN_OK);
    cr_assert_eq(
        parscan_expand(context, PARSCAN_U32, sizes, 5, PARSCAN_U32, owner, rank, 6, &total),
        PARSCAN_OK);
    cr_assert_eq(total, 5);
    cr_assert(owner[1] == 0 && owner[2] == 2 && rank[4] == 2 && owner[5] == 7 && rank[5] == 7);
    parscan_context_destroy(context);
}

/* The next call fails with words, and the one after it has no lengths. */
static void expect_refused(parscan_context *context, const parscan_lengths *lengths,
                           parscan_status status, const char *words)
{
    uint32_t x[4] = {1, 1, 1, 1};
    cr_assert_eq(parscan_set_lengths(context, lengths), PARSCAN_OK);
    cr_assert_eq(parscan_inclusive_scan(context, PARSCAN_U32, x, x, 4, NULL), status);
    cr_assert_not_null(strstr(parscan_context_error(context), words), "%s",
                       parscan_context_error(context));
    cr_assert_eq(x[3], 1);
    expect_no_lengths(context);
}

Test(rules, a_length_that_the_call_does_not_have_is_refused)
{
    parscan_context *const context = test_context();
    const uint64_t one = 1;
    expect_refused(context, &PARSCAN_LENGTHS(.n2 = &one), PARSCAN_ERROR_UNSUPPORTED, "n2");
    expect_refused(context, &PARSCAN_LENGTHS(.n = &one, .segment_count = &one),
                   PARSCAN_ERROR_UNSUPPORTED, "segment_count");
    expect_refused(context, &PARSCAN_LENGTHS(.out_capacity = 5), PARSCAN_ERROR_UNSUPPORTED,
                   "out_capacity = 5");
    parscan_context_destroy(context);
}

Test(rules, segments_without_offsets_have_no_count_and_offsets_no_capacity)
{
    parscan_context *const context = test_context();
    const uint32_t x[2] = {1, 1}, offsets[2] = {0, 2};
    const uint8_t flags[2] = {1, 1};
    const parscan_segments by_flags = PARSCAN_SEGMENTS(.data = flags);
    const parscan_segments by_offsets =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U32, .data = offsets,
                         .count = 1);
    uint32_t out[2] = {7, 7};
    uint64_t count = 1;
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.segment_count = &count)),
                 PARSCAN_OK);
    cr_assert_eq(parscan_segmented_reduce(context, PARSCAN_U32, x, out, 2, &by_flags, &count, NULL),
                 PARSCAN_ERROR_UNSUPPORTED);
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.out_capacity = 1)), PARSCAN_OK);
    cr_assert_eq(
        parscan_segmented_reduce(context, PARSCAN_U32, x, out, 2, &by_offsets, &count, NULL),
        PARSCAN_ERROR_UNSUPPORTED);
    cr_assert(out[0] == 7 && out[1] == 7);
    parscan_context_destroy(context);
}

/* The last offset must be the length. */
Test(rules, offsets_end_with_the_length)
{
    parscan_context *const context = test_context();
    const uint32_t x[6] = {1, 1, 1, 1, 1, 1}, offsets[4] = {0, 2, 5, 6};
    const parscan_segments segments =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U32, .data = offsets,
                         .count = 3);
    uint32_t out[3] = {7, 7, 7};
    const uint64_t n = 5, count = 2;
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = &n)), PARSCAN_OK);
    cr_assert_eq(parscan_segmented_reduce(context, PARSCAN_U32, x, out, 6, &segments, NULL, NULL),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(out[0], 7);
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = &n, .segment_count = &count)),
                 PARSCAN_OK);
    cr_assert_eq(parscan_segmented_reduce(context, PARSCAN_U32, x, out, 6, &segments, NULL, NULL),
                 PARSCAN_OK);
    cr_assert(out[0] == 2 && out[1] == 3 && out[2] == 7);
    parscan_context_destroy(context);
}

Test(rules, lengths_last_for_one_call_that_fails_too)
{
    parscan_context *const context = test_context();
    const uint64_t one = 1;
    uint32_t x[3] = {1, 1, 1};
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = &one)), PARSCAN_OK);
    cr_assert_eq(parscan_sort_keys(context, (parscan_type)99, x, x, 3, NULL),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    expect_no_lengths(context);
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = &one)), PARSCAN_OK);
    cr_assert_eq(parscan_set_lengths(context, NULL), PARSCAN_OK);
    expect_no_lengths(context);
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = &one)), PARSCAN_OK);
    cr_assert_eq(parscan_set_lengths(context, &(parscan_lengths){.struct_size = 3}),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    expect_no_lengths(context);
    cr_assert_eq(parscan_set_lengths(NULL, NULL), PARSCAN_ERROR_INVALID_ARGUMENT);
    parscan_context_destroy(context);
}

Test(rules, chunks_and_sorters_take_none)
{
    parscan_context *const context = test_context();
    const uint64_t one = 1;
    const parscan_lengths lengths = PARSCAN_LENGTHS(.n = &one);
    const uint32_t x[2] = {1, 2};
    uint32_t out[2];
    size_t got;
    parscan_chunked *chunked;
    parscan_sorter *sorter;
    const parscan_sorter_options options = PARSCAN_SORTER_OPTIONS(.key_type = PARSCAN_U32);
    const parscan_chunk chunk = PARSCAN_CHUNK(.in = x, .out = out, .n = 2);
    cr_assert_eq(parscan_set_lengths(context, &lengths), PARSCAN_OK);
    cr_assert_eq(parscan_chunked_create_inclusive_scan(&chunked, context, PARSCAN_U32, NULL),
                 PARSCAN_ERROR_UNSUPPORTED);
    cr_assert_eq(parscan_chunked_create_inclusive_scan(&chunked, context, PARSCAN_U32, NULL),
                 PARSCAN_OK);
    cr_assert_eq(parscan_set_lengths(context, &lengths), PARSCAN_OK);
    cr_assert_eq(parscan_chunked_update(chunked, &chunk), PARSCAN_ERROR_UNSUPPORTED);
    cr_assert_not_null(strstr(parscan_context_error(context), "parscan_chunked_update()"));
    cr_assert_eq(parscan_chunked_update(chunked, &chunk), PARSCAN_OK);
    cr_assert_eq(out[1], 3);
    cr_assert_eq(parscan_set_lengths(context, &lengths), PARSCAN_OK);
    cr_assert_eq(parscan_chunked_finish(chunked, NULL), PARSCAN_ERROR_UNSUPPORTED);
    cr_assert_eq(parscan_chunked_finish(chunked, NULL), PARSCAN_OK);
    parscan_chunked_destroy(chunked);
    cr_assert_eq(parscan_set_lengths(context, &lengths), PARSCAN_OK);
    cr_assert_eq(parscan_sorter_create(&sorter, context, &options), PARSCAN_ERROR_UNSUPPORTED);
    cr_assert_eq(parscan_sorter_create(&sorter, context, &options), PARSCAN_OK);
    cr_assert_eq(parscan_set_lengths(context, &lengths), PARSCAN_OK);
    cr_assert_eq(parscan_sorter_push(sorter, x, NULL, 2), PARSCAN_ERROR_UNSUPPORTED);
    cr_assert_eq(parscan_sorter_push(sorter, x, NULL, 2), PARSCAN_OK);
    cr_assert_eq(parscan_set_lengths(context, &lengths), PARSCAN_OK);
    cr_assert_eq(parscan_sorter_pull(sorter, out, NULL, 2, &got), PARSCAN_ERROR_UNSUPPORTED);
    cr_assert_eq(parscan_sorter_pull(sorter, out, NULL, 2, &got), PARSCAN_OK);
    cr_assert(got == 2 && out[1] == 2);
    parscan_sorter_destroy(sorter);
    parscan_context_destroy(context);
}
