/*
 * Every public struct, in every function that takes it, in the sizes of older, the same and newer
 * versions. A struct ends where memory ends: a page that nobody may touch, or AddressSanitizer's
 * poisoned memory, lies after it.
 */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/parscan.h"
#include "tests/support/guarded.h"
#include "tests/support/test_engine.h"

enum { N = 8, MOST = 4096 };
static const int32_t in[N] = {3, 1, 7, 0, 4, 1, 6, 3};
static uint64_t written_by_chunk, total_of_chunks;
static uint64_t written_by_each[3];
static int32_t sum_of_chunks;
static const uint32_t cuts[] = {0, 3, 3, 8}; /* three segments, one of them empty */

/* A call with a struct of the caller's: its status, and whether the result is what the struct's
   fields ask for. */
typedef parscan_status sized_call(parscan_context *context, const void *given, bool *right);

static bool same(const void *out, const void *expected, size_t bytes)
{
    return memcmp(out, expected, bytes) == 0;
}

#define SAME(out, ...) same(out, (const int32_t[]){__VA_ARGS__}, sizeof(int32_t[]){__VA_ARGS__})

/* The maximum, in reverse. */
static parscan_status inclusive(parscan_context *context, const void *given, bool *right)
{
    int32_t out[N];
    const parscan_status status = parscan_inclusive_scan(context, PARSCAN_I32, in, out, N, given);
    *right = SAME(out, 7, 7, 7, 6, 6, 6, 6, 3);
    return status;
}

static parscan_status exclusive(parscan_context *context, const void *given, bool *right)
{
    int32_t out[N];
    const parscan_status status = parscan_exclusive_scan(context, PARSCAN_I32, in, out, N, given);
    *right = SAME(out, 7, 7, 6, 6, 6, 6, 3, INT32_MIN);
    return status;
}

static parscan_status reduced(parscan_context *context, const void *given, bool *right)
{
    int32_t out;
    const parscan_status status = parscan_reduce(context, PARSCAN_I32, in, &out, N, given);
    *right = out == 7;
    return status;
}

static const parscan_segments three = {sizeof(parscan_segments), PARSCAN_SEGMENTS_OFFSETS,
                                       PARSCAN_U32, cuts, 3};

static parscan_status inclusive_in_segments(parscan_context *context, const void *given,
                                            bool *right)
{
    int32_t out[N];
    const parscan_status status =
        parscan_segmented_inclusive_scan(context, PARSCAN_I32, in, out, N, &three, given);
    *right = SAME(out, 7, 7, 7, 6, 6, 6, 6, 3);
    return status;
}

static parscan_status exclusive_in_segments(parscan_context *context, const void *given,
                                            bool *right)
{
    int32_t out[N];
    const parscan_status status =
        parscan_segmented_exclusive_scan(context, PARSCAN_I32, in, out, N, &three, given);
    *right = SAME(out, 7, 7, INT32_MIN, 6, 6, 6, 3, INT32_MIN);
    return status;
}

static parscan_status reduced_in_segments(parscan_context *context, const void *given, bool *right)
{
    int32_t out[3];
    const parscan_status status =
        parscan_segmented_reduce(context, PARSCAN_I32, in, out, N, &three, NULL, given);
    *right = SAME(out, 7, INT32_MIN, 6);
    return status;
}

/* The sum, in three segments that the struct describes. */
static parscan_status inclusive_of_segments(parscan_context *context, const void *given,
                                            bool *right)
{
    int32_t out[N];
    const parscan_status status =
        parscan_segmented_inclusive_scan(context, PARSCAN_I32, in, out, N, given, NULL);
    *right = SAME(out, 3, 4, 11, 0, 4, 5, 11, 14);
    return status;
}

static parscan_status exclusive_of_segments(parscan_context *context, const void *given,
                                            bool *right)
{
    int32_t out[N];
    const parscan_status status =
        parscan_segmented_exclusive_scan(context, PARSCAN_I32, in, out, N, given, NULL);
    *right = SAME(out, 0, 3, 4, 0, 0, 4, 5, 11);
    return status;
}

static parscan_status reduced_of_segments(parscan_context *context, const void *given, bool *right)
{
    int32_t out[3];
    uint64_t count = 0;
    const parscan_status status =
        parscan_segmented_reduce(context, PARSCAN_I32, in, out, N, given, &count, NULL);
    *right = SAME(out, 11, 0, 14) && count == 3;
    return status;
}

/* The maximum, in three segments; with an older struct there is one. */
static parscan_status arg_reduced(parscan_context *context, const void *given, bool *right)
{
    uint32_t index[3];
    const parscan_status status = parscan_arg_reduce(context, PARSCAN_I32, in, N, PARSCAN_MAX, NULL,
                                                     PARSCAN_U32, index, given);
    *right = SAME(index, 2, 0, 3) && written_by_chunk == 3;
    return status;
}

/* The two smallest, in three segments. */
static parscan_status top_two(parscan_context *context, const void *given, bool *right)
{
    uint32_t index[6] = {9, 9, 9, 9, 9, 9};
    const parscan_status status =
        parscan_top_k(context, PARSCAN_I32, in, N, 2, NULL, PARSCAN_U32, index, given);
    *right = SAME(index, 1, 0, 9, 9, 0, 2) && written_by_chunk == 3 && written_by_each[1] == 0;
    return status;
}

static parscan_status top_of_segments(parscan_context *context, const void *given, bool *right)
{
    uint32_t index[3] = {9, 9, 9};
    const parscan_top_k_options options = PARSCAN_TOP_K_OPTIONS(.segments = given);
    const parscan_status status =
        parscan_top_k(context, PARSCAN_I32, in, N, 1, NULL, PARSCAN_U32, index, &options);
    *right = SAME(index, 2, 9, 3);
    return status;
}

static parscan_status arg_reduced_of_segments(parscan_context *context, const void *given,
                                              bool *right)
{
    uint32_t index[3];
    const parscan_arg_reduce_options options = PARSCAN_ARG_REDUCE_OPTIONS(.segments = given);
    const parscan_status status = parscan_arg_reduce(context, PARSCAN_I32, in, N, PARSCAN_MAX, NULL,
                                                     PARSCAN_U32, index, &options);
    *right = SAME(index, 2, 0, 3);
    return status;
}

/* Of one a for all; with an older struct a is an array. */
static parscan_status recurred(parscan_context *context, const void *given, bool *right)
{
    const float a[3] = {2, 0, 0}, b[3] = {1, 1, 1};
    float out[3];
    const parscan_status status =
        parscan_recurrence_with(context, PARSCAN_F32, a, b, NULL, out, 3, given);
    *right = out[0] == 1 && out[1] == 3 && out[2] == 7;
    return status;
}

static parscan_status sorted_of_segments(parscan_context *context, const void *given, bool *right)
{
    int32_t out[N];
    const parscan_status status =
        parscan_sort_segments(context, PARSCAN_I32, in, out, 0, NULL, NULL, N, given, NULL);
    *right = SAME(out, 1, 3, 7, 0, 1, 3, 4, 6);
    return status;
}

/* By bits 1 and 2, the largest first. */
static parscan_status keys(parscan_context *context, const void *given, bool *right)
{
    int32_t out[N];
    const parscan_status status = parscan_sort_keys(context, PARSCAN_I32, in, out, N, given);
    *right = SAME(out, 7, 6, 4, 3, 3, 1, 0, 1);
    return status;
}

static parscan_status pairs(parscan_context *context, const void *given, bool *right)
{
    int32_t out[N], values[N];
    const parscan_status status =
        parscan_sort_pairs(context, PARSCAN_I32, in, out, sizeof *in, in, values, N, given);
    *right = SAME(out, 7, 6, 4, 3, 3, 1, 0, 1) && same(values, out, sizeof out);
    return status;
}

static parscan_status indices(parscan_context *context, const void *given, bool *right)
{
    uint32_t out[N];
    const parscan_status status =
        parscan_argsort(context, PARSCAN_I32, in, PARSCAN_U32, out, N, given);
    *right = SAME(out, 2, 6, 4, 0, 7, 1, 3, 5);
    return status;
}

static parscan_status by_columns(parscan_context *context, const void *given, bool *right)
{
    uint32_t out[N];
    const parscan_status status = parscan_sort_columns(context, given, 1, PARSCAN_U32, out, N);
    *right = SAME(out, 2, 6, 4, 0, 7, 1, 5, 3);
    return status;
}

static uint8_t heads_of_groups[N];
static parscan_status groups_of_columns(parscan_context *context, const void *given, bool *right)
{
    uint32_t out[N];
    const parscan_column by = PARSCAN_COLUMN(.type = PARSCAN_I32, .data = in);
    memset(heads_of_groups, 0, sizeof heads_of_groups);
    const parscan_status status =
        parscan_sort_columns_with(context, &by, 1, PARSCAN_U32, out, N, given);
    *right = heads_of_groups[0] == 1 && heads_of_groups[1] == (in[out[0]] != in[out[1]]);
    return status;
}

static parscan_status sorted_in_segments(parscan_context *context, const void *given, bool *right)
{
    int32_t out[N];
    const parscan_status status =
        parscan_sort_segments(context, PARSCAN_I32, in, out, 0, NULL, NULL, N, &three, given);
    *right = SAME(out, 7, 3, 1, 6, 4, 3, 0, 1);
    return status;
}

/* Those from 3 to 6. */
static parscan_status kept(parscan_context *context, const void *given, bool *right)
{
    int32_t out[N];
    uint64_t count = 0;
    const parscan_status status =
        parscan_compact_if(context, PARSCAN_I32, in, given, out, N, &count);
    *right = count == 4 && SAME(out, 3, 4, 6, 3);
    return status;
}

static parscan_status kept_indices(parscan_context *context, const void *given, bool *right)
{
    uint32_t out[N];
    uint64_t count = 0;
    const parscan_status status =
        parscan_compact_indices(context, PARSCAN_I32, in, given, PARSCAN_U32, out, N, &count);
    *right = count == 4 && SAME(out, 0, 4, 6, 7);
    return status;
}

static parscan_status partitioned(parscan_context *context, const void *given, bool *right)
{
    int32_t out[N];
    uint64_t count = 0;
    const parscan_status status =
        parscan_partition(context, PARSCAN_I32, in, given, out, N, &count);
    *right = count == 4 && SAME(out, 3, 4, 6, 3, 1, 7, 0, 1);
    return status;
}

/* Two bins of [1, 7). */
static parscan_status counted(parscan_context *context, const void *given, bool *right)
{
    uint32_t counts[2];
    const parscan_status status =
        parscan_histogram(context, PARSCAN_I32, in, N, 2, PARSCAN_U32, counts, given);
    *right = SAME(counts, 4, 2);
    return status;
}

/* Multiples of 4, beyond the capacity of 31 (*total is written all the same). */
static parscan_status allocated(parscan_context *context, const void *given, bool *right)
{
    uint32_t offsets[N];
    uint64_t total = 0;
    const parscan_status status =
        parscan_allocate(context, PARSCAN_U32, in, N, PARSCAN_U32, offsets, &total, given);
    *right = total == 36 && SAME(offsets, 0, 4, 8, 16, 16, 20, 24, 32);
    return status == PARSCAN_ERROR_CAPACITY ? PARSCAN_OK : status;
}

/* Of two elements for one place, the last. Either could be there otherwise. */
static parscan_status scattered(parscan_context *context, const void *given, bool *right)
{
    static const uint32_t places[N] = {0, 1, 1, 2, 0, 1, 2, 2};
    int32_t out[3];
    const parscan_status status =
        parscan_scatter(context, sizeof *in, in, N, PARSCAN_U32, places, out, 3, given);
    *right = SAME(out, 4, 1, 3);
    return status;
}

/* A chunk of a reduction to the minimum, and its end. */
static parscan_status chunk_taken(parscan_context *context, const void *given, bool *right)
{
    int32_t least = 0;
    parscan_chunked *chunked;
    written_by_chunk = 7;
    parscan_status status = parscan_chunked_create_reduce(&chunked, context, PARSCAN_I32,
                                                          &PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MIN));
    if (status == PARSCAN_OK)
        status = parscan_chunked_update(chunked, given);
    *right = parscan_chunked_finish(chunked, &PARSCAN_CHUNKED_END(.out = &least)) == PARSCAN_OK &&
             least == 1 && written_by_chunk == 0;
    parscan_chunked_destroy(chunked);
    return status;
}

static parscan_status chunks_ended(parscan_context *context, const void *given, bool *right)
{
    parscan_chunked *chunked;
    sum_of_chunks = 0;
    total_of_chunks = 0;
    parscan_status status = parscan_chunked_create_reduce(&chunked, context, PARSCAN_I32, NULL);
    if (status == PARSCAN_OK)
        status = parscan_chunked_update(chunked, &PARSCAN_CHUNK(.in = in, .n = N));
    if (status == PARSCAN_OK)
        status = parscan_chunked_finish(chunked, given);
    *right = sum_of_chunks == 25 && total_of_chunks == N;
    parscan_chunked_destroy(chunked);
    return status;
}

/* A sorter of descending i32 keys with values of 4 bytes. */
static parscan_status sorted_at_last(parscan_context *context, const void *given, bool *right)
{
    int32_t out[N], values[N];
    size_t got = 0;
    parscan_sorter *sorter;
    parscan_status status = parscan_sorter_create(&sorter, context, given);
    if (status == PARSCAN_OK)
        status = parscan_sorter_push(sorter, in, in, N);
    if (status == PARSCAN_OK)
        status = parscan_sorter_pull(sorter, out, values, N, &got);
    *right = got == N && SAME(out, 7, 6, 4, 3, 3, 1, 1, 0) && SAME(values, 7, 6, 4, 3, 3, 1, 1, 0);
    parscan_sorter_destroy(sorter);
    return status;
}

/* A communicator of one rank, whose transport is released. */
static parscan_status comm_created(parscan_context *context, const void *given, bool *right)
{
    parscan_comm *comm;
    const parscan_status status = parscan_comm_create(&comm, context, given);
    *right = parscan_comm_size(comm) == 1;
    parscan_comm_destroy(comm);
    return status;
}

static void note_release(void *user)
{
    *(bool *)user = true;
}

static parscan_status transport_taken(parscan_context *context, const void *given, bool *right)
{
    bool released = false;
    parscan_comm *comm;
    const parscan_status status = parscan_comm_create(
        &comm, context, &PARSCAN_COMM_OPTIONS(.size = 1, .functions = given, .user = &released));
    parscan_comm_destroy(comm);
    *right = released;
    return status;
}

/* The sum of i32. */
static void add(const void *earlier, const void *later, void *out, size_t n, const void *state)
{
    (void)state;
    for (size_t k = 0; k < n; k++)
        ((int32_t *)out)[k] = ((const int32_t *)earlier)[k] + ((const int32_t *)later)[k];
}

static parscan_status operator_created(parscan_context *context, const void *given, bool *right)
{
    parscan_operator *op;
    (void)context;
    const parscan_status status = parscan_operator_create(&op, given);
    *right = op != NULL;
    parscan_operator_destroy(op);
    return status;
}

/* A context of one thread. */
static parscan_status created(parscan_context *context, const void *given, bool *right)
{
    (void)context;
    parscan_context *made = NULL;
    const parscan_status status = parscan_context_create(&made, given);
    *right = parscan_context_threads(made) == 1;
    parscan_context_destroy(made);
    return status;
}

/* A struct with fields that are not the defaults, its name in the words, its first size
   (today's are those, so far), and the functions that take it. */
typedef struct sized_struct {
    const char *name;
    const void *value;
    size_t today, oldest;
    sized_call *calls[7];
} sized_struct;

static const int32_t low = 3, high = 6, lower = 1, upper = 7;
static const parscan_scan_options scan_options = {
    .struct_size = sizeof scan_options, .op = PARSCAN_MAX, .reverse = 1};
static const parscan_sort_options sort_options = {
    .struct_size = sizeof sort_options, .descending = 1, .begin_bit = 1, .end_bit = 3};
static const parscan_column column = {
    .struct_size = sizeof column, .type = PARSCAN_I32, .descending = 1, .data = in};
static const parscan_predicate predicate = {sizeof predicate, PARSCAN_BETWEEN, .value = &low,
                                            .upper = &high};
static const parscan_histogram_options histogram_options = {sizeof histogram_options,
                                                            .lower = &lower, .upper = &upper};
static const parscan_allocate_options allocate_options = {sizeof allocate_options, .alignment = 4,
                                                          .capacity = 31};
static const parscan_scatter_options scatter_options = {.struct_size = sizeof scatter_options,
                                                        .last_wins = 1};
static const parscan_chunk chunk = {
    .struct_size = sizeof chunk, .in = in, .n = 3, .written = &written_by_chunk};
static const parscan_chunked_end chunked_end = {
    .struct_size = sizeof chunked_end, .out = &sum_of_chunks, .total = &total_of_chunks};
static const parscan_sorter_options sorter_options = {.struct_size = sizeof sorter_options,
                                                      .key_type = PARSCAN_I32,
                                                      .descending = 1,
                                                      .value_size = 4,
                                                      .memory_limit = 16 << 20};
static const parscan_comm_options comm_options = {
    .struct_size = sizeof comm_options, .size = 1, .timeout = 3};
static const parscan_comm_functions comm_functions = {.struct_size = sizeof comm_functions,
                                                      .release = note_release};
static const parscan_context_options context_options = {
    .struct_size = sizeof context_options, .backend = PARSCAN_BACKEND_CPU, .threads = 1};

static const parscan_operator_options operator_options = {
    .struct_size = sizeof operator_options, .element_size = 4, .combine = add};

static const parscan_arg_reduce_options arg_reduce_options = {
    .struct_size = sizeof arg_reduce_options, .segments = &three, .count = &written_by_chunk};

static const parscan_top_k_options top_k_options = {.struct_size = sizeof top_k_options,
                                                    .segments = &three,
                                                    .count = &written_by_chunk,
                                                    .counts = written_by_each,
                                                    .smallest = 1};

static const parscan_sort_columns_options groups = {.struct_size = sizeof groups,
                                                    .heads_out = heads_of_groups};

static const parscan_recurrence_options recurrence_options = {
    .struct_size = sizeof recurrence_options, .constant_a = 1};

static const sized_struct structs[] = {
    {"options",
     &scan_options,
     sizeof scan_options,
     48,
     {inclusive, exclusive, reduced, inclusive_in_segments, exclusive_in_segments,
      reduced_in_segments}},
    {"segments",
     &three,
     sizeof three,
     32,
     {inclusive_of_segments, exclusive_of_segments, reduced_of_segments, sorted_of_segments,
      arg_reduced_of_segments, top_of_segments}},
    {"options", &top_k_options, sizeof top_k_options, 40, {top_two}},
    {"options", &recurrence_options, sizeof recurrence_options, 16, {recurred}},
    {"options", &arg_reduce_options, sizeof arg_reduce_options, 24, {arg_reduced}},
    {"options", &sort_options, sizeof sort_options, 24, {keys, pairs, indices, sorted_in_segments}},
    {"columns[0]", &column, sizeof column, 32, {by_columns}},
    {"options", &groups, sizeof groups, 40, {groups_of_columns}},
    {"keep", &predicate, sizeof predicate, 32, {kept, kept_indices, partitioned}},
    {"options", &histogram_options, sizeof histogram_options, 24, {counted}},
    {"options", &allocate_options, sizeof allocate_options, 24, {allocated}},
    {"options", &scatter_options, sizeof scatter_options, 16, {scattered}},
    {"chunk", &chunk, sizeof chunk, 56, {chunk_taken}},
    {"end", &chunked_end, sizeof chunked_end, 40, {chunks_ended}},
    {"options", &sorter_options, sizeof sorter_options, 56, {sorted_at_last}},
    {"options", &comm_options, sizeof comm_options, 40, {comm_created}},
    {"functions", &comm_functions, sizeof comm_functions, 56, {transport_taken}},
    {"options", &operator_options, sizeof operator_options, 224, {operator_created}},
    {"options", &context_options, sizeof context_options, 80, {created}},
};

#define STRUCTS (sizeof structs / sizeof *structs)

/* The struct as a caller with this struct_size has it: `readable` bytes of memory, what today's
   does not have zero, but byte `set`, where that is not 0. */
typedef struct caller_struct {
    guarded memory;
    char *given;
} caller_struct;

static caller_struct caller_struct_create(const sized_struct *s, size_t struct_size,
                                          size_t readable, size_t set)
{
    caller_struct c = {.memory = guarded_create(readable)};
    /* A struct of any size that is not aligned at the guard has malloc()'s memory. */
    c.given = readable % 8 == 0 ? guarded_array(c.memory, readable, true) : malloc(readable);
    cr_assert_not_null(c.given);
    memset(c.given, 0, readable);
    memcpy(c.given, s->value, readable < s->today ? readable : s->today);
    memcpy(c.given, &struct_size, sizeof struct_size);
    if (set != 0)
        c.given[set] = 1;
    return c;
}

static void caller_struct_destroy(caller_struct c, size_t readable)
{
    if (readable % 8 != 0)
        free(c.given);
    guarded_destroy(c.memory);
}

/* Calls every function of the struct and looks for the status; the message names struct_size and
   value. */
static void expect(parscan_context *context, const sized_struct *s, size_t struct_size,
                   size_t readable, size_t set, parscan_status expected)
{
    char value[64], watch[128];
    snprintf(value, sizeof value, "%s->struct_size = %zu", s->name, struct_size);
    snprintf(watch, sizeof watch, "%s, first of %zu bytes", value, s->oldest);
    guarded_watch(watch);
    caller_struct c = caller_struct_create(s, struct_size, readable, set);
    for (size_t f = 0; s->calls[f] != NULL; f++) {
        bool right = false;
        const parscan_status status = s->calls[f](context, c.given, &right);
        if (expected == PARSCAN_OK && is_of_cpu_alone(context, status))
            continue;
        cr_assert_eq(status, expected, "%s, call %zu: %s: %s", value, f,
                     parscan_status_string(status), parscan_context_error(context));
        if (expected == PARSCAN_OK)
            cr_assert(right, "%s, call %zu: the result is wrong", value, f);
        else if (s->calls[f] != created && s->calls[f] != operator_created)
            cr_assert(strstr(parscan_context_error(context), value), "\"%s\" does not say %s",
                      parscan_context_error(context), value);
    }
    caller_struct_destroy(c, readable);
}

Test(struct_size, of_every_struct_is_at_least_that_of_its_first_version)
{
    for (size_t k = 0; k < STRUCTS; k++)
        cr_assert_geq(structs[k].today, structs[k].oldest);
}

Test(struct_size, from_the_first_to_4096_is_accepted_while_the_rest_is_zero)
{
    parscan_context *const context = test_context();
    for (size_t k = 0; k < STRUCTS; k++) {
        const sized_struct *const s = &structs[k];
        const size_t sizes[] = {s->oldest,    s->today,     s->today + 1, s->today + 3,
                                s->today + 7, s->today + 8, s->today + 9, 512,
                                MOST - 1,     MOST};
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            expect(context, s, sizes[i], sizes[i], 0, PARSCAN_OK);
    }
    parscan_context_destroy(context);
}

Test(struct_size, that_no_version_has_is_refused_and_nothing_else_is_read)
{
    parscan_context *const context = test_context();
    for (size_t k = 0; k < STRUCTS; k++) {
        const size_t sizes[] = {0, 1, 8, structs[k].oldest - 1, MOST + 1, SIZE_MAX};
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            expect(context, &structs[k], sizes[i], sizeof(size_t), 0,
                   PARSCAN_ERROR_INVALID_ARGUMENT);
    }
    parscan_context_destroy(context);
}

Test(struct_size, of_a_newer_struct_is_unsupported_when_a_field_that_is_not_known_is_set)
{
    parscan_context *const context = test_context();
    for (size_t k = 0; k < STRUCTS; k++) {
        const size_t today = structs[k].today;
        for (size_t set = today; set < today + 8; set++)
            expect(context, &structs[k], today + 8, today + 8, set, PARSCAN_ERROR_UNSUPPORTED);
        expect(context, &structs[k], today + 3, today + 3, today + 2, PARSCAN_ERROR_UNSUPPORTED);
        expect(context, &structs[k], MOST, MOST, MOST - 1, PARSCAN_ERROR_UNSUPPORTED);
    }
    parscan_context_destroy(context);
}

/* A creation that fails leaves its message in options->error wherever the struct has the field. */
Test(struct_size, of_every_accepted_kind_has_its_words_when_a_creation_fails)
{
    char words[256], byte[32];
    parscan_context_options wrong = context_options;
    wrong.threads = 5000;
    wrong.error = words;
    wrong.error_size = sizeof words;
    sized_struct s = {"options", &wrong, sizeof wrong, 80, {created}};
    snprintf(byte, sizeof byte, "byte %zu ", sizeof wrong + 7);
    const struct {
        size_t size, set;
        const char *words;
    } cases[] = {
        {s.oldest, 0, "threads = 5000"},    {s.today, 0, "threads = 5000"},
        {s.today + 8, 0, "threads = 5000"}, {MOST, 0, "threads = 5000"},
        {s.today + 8, s.today + 7, byte},   {MOST, MOST - 1, "byte 4095 "},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        words[0] = '\0';
        const parscan_status expected =
            cases[k].set == 0 ? PARSCAN_ERROR_INVALID_ARGUMENT : PARSCAN_ERROR_UNSUPPORTED;
        expect(NULL, &s, cases[k].size, cases[k].size, cases[k].set, expected);
        cr_assert(strstr(words, cases[k].words), "\"%s\" does not say %s", words, cases[k].words);
    }
}
