/*
 * i32 and i64 as types of indices, offsets and counts: every call writes the bytes that it writes with u32 and
 * u64, refuses negative numbers, and refuses what only the unsigned type would hold.
 */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/parscan.h"
#include "tests/support/test_engine.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum { N = 3000, BINS = 60, SEGMENTS = 5, ROOM = 8 * 8 * N };

/* The arrays of a call. Offsets are of the type under test; the first and the last are 0 and N. */
typedef struct scene {
    parscan_context *context;
    parscan_comm *comm;
    uint32_t in[N];
    uint8_t sizes[N];
    int64_t offsets[SEGMENTS + 1];
    char out[ROOM];
    uint64_t count[3];
} scene;

typedef parscan_status indexed_call(scene *s, parscan_type type);

/* The numbers in the type. */
static const void *in_type(const int64_t *numbers, size_t n, parscan_type type)
{
    static char typed[N * sizeof(int64_t)];
    for (size_t i = 0; i < n; i++) {
        const uint32_t narrow = (uint32_t)numbers[i];
        if (parscan_type_size(type) == 4)
            memcpy(typed + i * 4, &narrow, 4);
        else
            memcpy(typed + i * 8, &numbers[i], 8);
    }
    return typed;
}

static parscan_segments by_offsets(const scene *s, parscan_type type)
{
    return PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = type,
                            .data = in_type(s->offsets, SEGMENTS + 1, type), .count = SEGMENTS);
}

/* ---- offsets ---- */

static parscan_status segmented_scan(scene *s, parscan_type type)
{
    const parscan_segments segments = by_offsets(s, type);
    return parscan_segmented_inclusive_scan(s->context, PARSCAN_U32, s->in, s->out, N, &segments,
                                            NULL);
}

static parscan_status segmented_reduce(scene *s, parscan_type type)
{
    const parscan_segments segments = by_offsets(s, type);
    return parscan_segmented_reduce(s->context, PARSCAN_U32, s->in, s->out, N, &segments,
                                    &s->count[0], NULL);
}

static parscan_status sort_segments(scene *s, parscan_type type)
{
    const parscan_segments segments = by_offsets(s, type);
    return parscan_sort_segments(s->context, PARSCAN_U32, s->in, s->out, 0, NULL, NULL, N,
                                 &segments, NULL);
}

static parscan_status dist_segmented_scan(scene *s, parscan_type type)
{
    const parscan_segments segments = by_offsets(s, type);
    return parscan_dist_segmented_inclusive_scan(s->comm, PARSCAN_U32, s->in, s->out, N, &segments,
                                                 NULL);
}

static parscan_status dist_segmented_reduce(scene *s, parscan_type type)
{
    const parscan_segments segments = by_offsets(s, type);
    return parscan_dist_segmented_reduce(s->comm, PARSCAN_U32, s->in, s->out, N, &segments,
                                         &s->count[0], &s->count[1], &s->count[2], NULL);
}

static parscan_status pack(scene *s, parscan_type type)
{
    int64_t offsets[N];
    for (int i = 0; i < N; i++)
        offsets[i] = 4 * i;
    return parscan_pack(s->context, s->in, type, in_type(offsets, N, type), PARSCAN_U8, s->sizes,
                        s->out, in_type(offsets, N, type), N);
}

/* ---- indices, counts, offsets that are written ---- */

static parscan_status argsort(scene *s, parscan_type type)
{
    return parscan_argsort(s->context, PARSCAN_U32, s->in, type, s->out, N, NULL);
}

static parscan_status compact_indices(scene *s, parscan_type type)
{
    return parscan_compact_indices(s->context, PARSCAN_U8, s->sizes, NULL, type, s->out, N,
                                   s->count);
}

static parscan_status compact_with_indices(scene *s, parscan_type type)
{
    return parscan_compact_with_indices(s->context, PARSCAN_U8, s->sizes, NULL, s->out, type,
                                        s->out + ROOM / 2, N, s->count);
}

static parscan_status run_lengths(scene *s, parscan_type type)
{
    return parscan_run_length_encode(s->context, PARSCAN_U8, s->sizes, s->out, type,
                                     s->out + ROOM / 2, N, s->count);
}

static parscan_status csr(scene *s, parscan_type type)
{
    return parscan_dense_to_csr(s->context, PARSCAN_U8, s->sizes, N / 10, 10, type, s->out,
                                s->out + ROOM / 4, s->out + ROOM / 2, s->count);
}

static parscan_status histogram(scene *s, parscan_type type)
{
    return parscan_histogram(s->context, PARSCAN_U8, s->sizes, N, BINS, type, s->out, NULL);
}

static parscan_status bin(scene *s, parscan_type type)
{
    return parscan_bin(s->context, PARSCAN_U8, s->sizes, 4, s->in, N, BINS, type, s->out,
                       s->out + ROOM / 2);
}

static parscan_status allocate(scene *s, parscan_type type)
{
    return parscan_allocate(s->context, PARSCAN_U8, s->sizes, N, type, s->out, s->count,
                            &PARSCAN_ALLOCATE_OPTIONS(.close = 1));
}

static parscan_status expand(scene *s, parscan_type type)
{
    return parscan_expand(s->context, PARSCAN_U8, s->sizes, N, type, s->out, s->out + ROOM / 2,
                          3 * N, s->count);
}

static parscan_status dist_run_lengths(scene *s, parscan_type type)
{
    return parscan_dist_run_length_encode(s->comm, PARSCAN_U8, s->sizes, s->out, type,
                                          s->out + ROOM / 2, N, &s->count[0], &s->count[1],
                                          &s->count[2]);
}

static parscan_status dist_histogram(scene *s, parscan_type type)
{
    return parscan_dist_histogram(s->comm, PARSCAN_U8, s->sizes, N, BINS, type, s->out, NULL);
}

static parscan_status dist_bin(scene *s, parscan_type type)
{
    return parscan_dist_bin(s->comm, PARSCAN_U8, s->sizes, 4, s->in, N, BINS, type, s->out,
                            s->out + ROOM / 2, N, s->count);
}

static parscan_status dist_allocate(scene *s, parscan_type type)
{
    return parscan_dist_allocate(s->comm, PARSCAN_U8, s->sizes, N, type, s->out, s->count,
                                 &PARSCAN_ALLOCATE_OPTIONS(.close = 1));
}

/* Two chunks and the end, whose numbers go behind those of the chunks. */
static parscan_status in_chunks(scene *s, parscan_status status, parscan_chunked *chunked,
                                parscan_type type, bool out2, bool ends)
{
    const size_t size = parscan_type_size(type);
    size_t written = 0;
    for (int k = 0; k < 2 && status == PARSCAN_OK; k++) {
        const parscan_chunk chunk =
            PARSCAN_CHUNK(.in = s->sizes + k * (N / 2), .out = s->out + written * (out2 ? 1 : size),
                          .out2 = out2 ? s->out + ROOM / 2 + written * size : NULL, .n = N / 2,
                          .written = &s->count[0]);
        status = parscan_chunked_update(chunked, &chunk);
        written += (size_t)s->count[0];
    }
    if (status == PARSCAN_OK && !ends)
        status = parscan_chunked_finish(chunked, NULL);
    else if (status == PARSCAN_OK)
        status = parscan_chunked_finish(
            chunked,
            &PARSCAN_CHUNKED_END(.out = s->out + (out2 ? written : written * size),
                                 .out2 = out2 ? s->out + ROOM / 2 + written * size : NULL));
    parscan_chunked_destroy(chunked);
    return status;
}

static parscan_status chunked_indices(scene *s, parscan_type type)
{
    parscan_chunked *chunked;
    const parscan_status status =
        parscan_chunked_create_compact_indices(&chunked, s->context, PARSCAN_U8, NULL, type);
    return in_chunks(s, status, chunked, type, false, false);
}

static parscan_status chunked_runs(scene *s, parscan_type type)
{
    parscan_chunked *chunked;
    const parscan_status status =
        parscan_chunked_create_run_length_encode(&chunked, s->context, PARSCAN_U8, type);
    return in_chunks(s, status, chunked, type, true, true);
}

static parscan_status chunked_allocation(scene *s, parscan_type type)
{
    parscan_chunked *chunked;
    const parscan_status status = parscan_chunked_create_allocate(
        &chunked, s->context, PARSCAN_U8, type, &PARSCAN_ALLOCATE_OPTIONS(.close = 1));
    return in_chunks(s, status, chunked, type, false, true);
}

static parscan_status chunked_histogram(scene *s, parscan_type type)
{
    parscan_chunked *chunked;
    parscan_status status =
        parscan_chunked_create_histogram(&chunked, s->context, PARSCAN_U8, BINS, type, NULL);
    if (status == PARSCAN_OK)
        status = parscan_chunked_update(chunked, &PARSCAN_CHUNK(.in = s->sizes, .n = N));
    if (status == PARSCAN_OK)
        status = parscan_chunked_finish(chunked, &PARSCAN_CHUNKED_END(.out = s->out));
    parscan_chunked_destroy(chunked);
    return status;
}

static const struct {
    const char *name;
    indexed_call *run;
    bool by_offsets;
} calls[] = {
    {"segmented scan", segmented_scan, true},
    {"segmented reduction", segmented_reduce, true},
    {"sort of segments", sort_segments, true},
    {"distributed segmented scan", dist_segmented_scan, true},
    {"distributed segmented reduction", dist_segmented_reduce, true},
    {"pack", pack, false},
    {"argsort", argsort, false},
    {"indices", compact_indices, false},
    {"elements with indices", compact_with_indices, false},
    {"run lengths", run_lengths, false},
    {"CSR", csr, false},
    {"histogram", histogram, false},
    {"bin", bin, false},
    {"allocation", allocate, false},
    {"expansion", expand, false},
    {"distributed run lengths", dist_run_lengths, false},
    {"distributed histogram", dist_histogram, false},
    {"distributed bin", dist_bin, false},
    {"distributed allocation", dist_allocate, false},
    {"indices in chunks", chunked_indices, false},
    {"run lengths in chunks", chunked_runs, false},
    {"allocation in chunks", chunked_allocation, false},
    {"histogram in chunks", chunked_histogram, false},
};

static scene *begin(void)
{
    scene *const s = calloc(1, sizeof *s);
    cr_assert_not_null(s);
    s->context = test_context();
    cr_assert_eq(parscan_comm_create(&s->comm, s->context, &PARSCAN_COMM_OPTIONS(.size = 1)),
                 PARSCAN_OK);
    for (uint32_t i = 0; i < N; i++) {
        s->in[i] = i * 2654435761u;
        s->sizes[i] = (uint8_t)(i / 7 % 4);
    }
    const int64_t offsets[SEGMENTS + 1] = {0, 100, 100, 101, 2000, N};
    memcpy(s->offsets, offsets, sizeof offsets);
    return s;
}

static void end(scene *s)
{
    parscan_comm_destroy(s->comm);
    parscan_context_destroy(s->context);
    free(s);
}

Test(signed_indices, give_the_bytes_of_unsigned_ones)
{
    static const parscan_type pairs[][2] = {{PARSCAN_U32, PARSCAN_I32}, {PARSCAN_U64, PARSCAN_I64}};
    scene *const s = begin();
    char *const right = malloc(ROOM);
    cr_assert_not_null(right);
    for (size_t k = 0; k < COUNT_OF(calls); k++)
        for (size_t p = 0; p < COUNT_OF(pairs); p++) {
            uint64_t count = 0;
            for (int is_signed = 0; is_signed < 2; is_signed++) {
                memset(s->out, 0, ROOM);
                memset(s->count, 0, sizeof s->count);
                cr_assert_eq(calls[k].run(s, pairs[p][is_signed]), PARSCAN_OK, "%s, %s: %s, %s",
                             calls[k].name, parscan_type_name(pairs[p][is_signed]),
                             parscan_context_error(s->context), parscan_comm_error(s->comm));
                if (!is_signed) {
                    memcpy(right, s->out, ROOM);
                    count = s->count[0];
                }
            }
            cr_assert_eq(memcmp(right, s->out, ROOM), 0, "%s, %s", calls[k].name,
                         parscan_type_name(pairs[p][1]));
            cr_assert_eq(s->count[0], count, "%s", calls[k].name);
        }
    free(right);
    end(s);
}

/* The first, a middle and the last offset. Their words have the number where the host reads them. */
Test(signed_indices, of_segments_are_not_negative)
{
    static const parscan_type types[] = {PARSCAN_I32, PARSCAN_I64};
    static const size_t places[] = {0, 2, SEGMENTS};
    scene *const s = begin();
    for (size_t k = 0; k < COUNT_OF(calls); k++)
        for (size_t t = 0; t < COUNT_OF(types) && calls[k].by_offsets; t++)
            for (size_t p = 0; p < COUNT_OF(places); p++) {
                const int64_t before = s->offsets[places[p]];
                s->offsets[places[p]] = -7;
                const parscan_status status = calls[k].run(s, types[t]);
                cr_assert_eq(status, PARSCAN_ERROR_INVALID_ARGUMENT, "%s, %s, offset %zu",
                             calls[k].name, parscan_type_name(types[t]), places[p]);
                s->offsets[places[p]] = before;
            }
    const parscan_segments wrong = by_offsets(s, PARSCAN_I32);
    ((int32_t *)(uintptr_t)wrong.data)[2] = -7;
    if (test_backend() == PARSCAN_BACKEND_CPU) {
        cr_assert_eq(parscan_segmented_reduce(s->context, PARSCAN_U32, s->in, s->out, N, &wrong,
                                              &s->count[0], NULL),
                     PARSCAN_ERROR_INVALID_ARGUMENT);
        cr_assert_not_null(strstr(parscan_context_error(s->context), "offsets[2] = -7"), "%s",
                           parscan_context_error(s->context));
    }
    end(s);
}

/* ---- what only the unsigned type holds ---- */

/* A context that reads no array, so n may be anything. */
static parscan_context *measuring(void)
{
    return test_context_with((parscan_context_options){.measure = 1});
}

#define MANY (((size_t)1 << 31) + 1)

static void expect(const parscan_context *context, parscan_status status, parscan_status expected,
                   const char *words)
{
    cr_assert_eq(status, expected, "%s: %s", words, parscan_context_error(context));
    cr_assert_not_null(strstr(parscan_context_error(context), words), "%s, not %s",
                       parscan_context_error(context), words);
}

Test(signed_indices, that_do_not_fit_are_refused_before_the_work)
{
    const parscan_status invalid = PARSCAN_ERROR_INVALID_ARGUMENT;
    parscan_context *const c = measuring();
    char *const in = (char *)c, *const out = in + (MANY << 4);
    uint64_t count;
    expect(c, parscan_argsort(c, PARSCAN_U8, in, PARSCAN_I32, out, MANY, NULL), invalid,
           "the indices do not fit index_type = i32");
    cr_assert_eq(parscan_argsort(c, PARSCAN_U8, in, PARSCAN_I32, out, MANY - 1, NULL), PARSCAN_OK);
    cr_assert_eq(parscan_argsort(c, PARSCAN_U8, in, PARSCAN_I64, out, MANY, NULL), PARSCAN_OK);
    expect(c, parscan_compact_indices(c, PARSCAN_U8, in, NULL, PARSCAN_I32, out, MANY, &count),
           invalid, "the indices do not fit index_type = i32");
    expect(c, parscan_histogram(c, PARSCAN_U8, in, MANY, 256, PARSCAN_I32, out, NULL), invalid,
           "count_type = i32");
    expect(c, parscan_bin(c, PARSCAN_U8, in, 0, NULL, MANY, 256, PARSCAN_I32, out, NULL),
           PARSCAN_ERROR_OVERFLOW, "does not fit offset_type = i32");
    expect(c, parscan_expand(c, PARSCAN_U8, in, MANY, PARSCAN_I32, out, NULL, 1, &count), invalid,
           "the owners do not fit index_type = i32");
    expect(c,
           parscan_dense_to_csr(c, PARSCAN_U8, in, 1, MANY, PARSCAN_I32, out, out + 64,
                                out + (MANY << 3), &count),
           PARSCAN_ERROR_OVERFLOW, "the column indices do not fit index_type = i32");
    const parscan_segments segments = PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS,
                                                       .type = PARSCAN_I32, .data = in, .count = 1);
    expect(c, parscan_segmented_inclusive_scan(c, PARSCAN_U8, in + 64, out, MANY, &segments, NULL),
           invalid, "the last offset does not fit segments->type = i32");
    parscan_context_destroy(c);
}

static parscan_status total_of(parscan_context *context, uint64_t size, parscan_type type,
                               uint64_t *total)
{
    const uint64_t sizes[2] = {size, size};
    int64_t offsets[2];
    return parscan_allocate(context, PARSCAN_U64, sizes, 2, type, offsets, total, NULL);
}

Test(signed_indices, of_an_allocation_overflow_at_the_half)
{
    parscan_context *const c = test_context();
    uint64_t total;
    cr_assert_eq(total_of(c, INT32_MAX / 2, PARSCAN_I32, &total), PARSCAN_OK);
    expect(c, total_of(c, (uint64_t)1 << 30, PARSCAN_I32, &total), PARSCAN_ERROR_OVERFLOW,
           "total = 2147483648 does not fit offset_type = i32");
    cr_assert_eq(total, (uint64_t)1 << 31);
    cr_assert_eq(total_of(c, (uint64_t)1 << 30, PARSCAN_U32, &total), PARSCAN_OK);
    cr_assert_eq(total_of(c, (uint64_t)1 << 30, PARSCAN_I64, &total), PARSCAN_OK);
    expect(c, total_of(c, (uint64_t)1 << 62, PARSCAN_I64, &total), PARSCAN_ERROR_OVERFLOW,
           "does not fit offset_type = i64");
    cr_assert_eq(total, (uint64_t)1 << 63);
    cr_assert_eq(total_of(c, (uint64_t)1 << 62, PARSCAN_U64, &total), PARSCAN_OK);
    parscan_context_destroy(c);
}

/* A rank of 2^31: of sizes of 4 bytes too. The room is not touched. */
Test(signed_indices, of_an_expansion_overflow_at_the_half)
{
    parscan_context *const c = test_context();
    const uint32_t size = (uint32_t)MANY;
    const uint64_t wide = MANY;
    char *const rank = (char *)(uintptr_t)64;
    uint64_t total;
    if (test_backend() == PARSCAN_BACKEND_CPU) {
        expect(c, parscan_expand(c, PARSCAN_U32, &size, 1, PARSCAN_I32, NULL, rank, MANY, &total),
               PARSCAN_ERROR_OVERFLOW,
               "a size exceeds 2^31, so its ranks do not fit index_type = i32");
        expect(c, parscan_expand(c, PARSCAN_U64, &wide, 1, PARSCAN_I32, NULL, rank, MANY, &total),
               PARSCAN_ERROR_OVERFLOW, "2^31");
    }
    parscan_context_destroy(c);
}
