/* Segments that cross the borders of pieces, against one process on the whole array. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/distributed.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/half_number.h"
#include "tests/support/number.h"
#include "tests/support/random.h"
#include "tests/support/rank_pieces.h"
#include "tests/support/scan_case.h"
#include "tests/support/segmented_case.h"
#include "tests/support/test_engine.h"
#include "tests/support/thread_comm.h"

typedef struct segments_call {
    scan_kind kind;
    parscan_type type;
    parscan_scan_options options;
    char *expected;
    bool in_place;
} segments_call;

typedef struct segments_calls {
    const cut_array *array;
    const char *in;
    parscan_type type;
    segments_call *calls;
    size_t count;
    pieces cut;
    /* A segment that starts at a border of pieces, given by offsets, is of the first rank that can
       have it; otherwise of the last. */
    bool early;
    size_t row; /* not 0: pieces of whole rows of this length */
} segments_calls;

/* The first segment that starts on a rank. */
static size_t first_segment(const segments_calls *calls, unsigned rank, unsigned ranks)
{
    const cut_array *const array = calls->array;
    const bool offsets = array->segments.kind == PARSCAN_SEGMENTS_OFFSETS;
    size_t s = 0;
    if (rank == 0)
        return 0;
    if (rank == ranks)
        return array->count;
    const size_t begin = calls->cut.begin[rank];
    while (s < array->count &&
           (array->bounds[s] < begin || (offsets && calls->early && array->bounds[s] == begin)))
        s++;
    return s;
}

/* The segments of a rank's piece; data is for piece_destroy(). */
static parscan_segments segments_of(parscan_comm *comm, const segments_calls *calls)
{
    const unsigned rank = parscan_comm_rank(comm);
    const size_t begin = calls->cut.begin[rank], n = piece_length(&calls->cut, rank);
    if (calls->row != 0)
        return PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_ROWS, .count = calls->row);
    parscan_segments segments = calls->array->segments;
    const size_t size =
        segments.kind == PARSCAN_SEGMENTS_FLAGS ? 1 : parscan_type_size(segments.type);
    if (segments.kind != PARSCAN_SEGMENTS_OFFSETS) {
        segments.data = piece_create(comm, (const char *)segments.data + begin * size, n * size);
        return segments;
    }
    const size_t from = first_segment(calls, rank, parscan_comm_size(comm));
    const size_t to = first_segment(calls, rank + 1, parscan_comm_size(comm));
    char *const offsets = calloc(to - from + 1, size);
    if (offsets == NULL)
        abort();
    for (size_t s = from; s <= to; s++) {
        const uint64_t offset = s == to ? n : calls->array->bounds[s] - begin;
        memcpy(offsets + (s - from) * size, &offset, size);
    }
    segments.count = to - from;
    segments.data = piece_create(comm, offsets, (to - from + 1) * size);
    free(offsets);
    return segments;
}

static parscan_status call_dist(parscan_comm *comm, const segments_call *call, const void *in,
                                void *out, size_t n, const parscan_segments *segments,
                                uint64_t counts[3])
{
    switch (call->kind) {
    case SCAN_INCLUSIVE:
        return parscan_dist_segmented_inclusive_scan(comm, call->type, in, out, n, segments,
                                                     &call->options);
    case SCAN_EXCLUSIVE:
        return parscan_dist_segmented_exclusive_scan(comm, call->type, in, out, n, segments,
                                                     &call->options);
    default:
        return parscan_dist_segmented_reduce(comm, call->type, in, out, n, segments, &counts[0],
                                             &counts[1], &counts[2], &call->options);
    }
}

static void run_call(parscan_comm *comm, const segments_calls *calls, const segments_call *call)
{
    const unsigned rank = parscan_comm_rank(comm), ranks = parscan_comm_size(comm);
    const size_t n = piece_length(&calls->cut, rank), begin = calls->cut.begin[rank];
    const size_t size = parscan_type_size(call->type);
    const bool reduces = call->kind == SCAN_REDUCE;
    const size_t from = reduces ? first_segment(calls, rank, ranks) : begin;
    const size_t results = reduces ? first_segment(calls, rank + 1, ranks) - from : n;
    const parscan_segments segments = segments_of(comm, calls);
    void *const in = piece_create(comm, calls->in + begin * size, n * size);
    void *const out =
        call->in_place ? in : piece_create(comm, NULL, (n > results ? n : results) * size);
    uint64_t counts[3] = {results, from, calls->array->count};
    const parscan_status status = call_dist(comm, call, in, out, n, &segments, counts);
    const bool right = status == PARSCAN_OK && counts[0] == results &&
                       (!reduces || (counts[1] == from && counts[2] == calls->array->count)) &&
                       piece_is(comm, out, call->expected + from * size, results * size);
    if (!call->in_place)
        piece_destroy(comm, out);
    piece_destroy(comm, in);
    if (segments.data != NULL)
        piece_destroy(comm, (void *)segments.data);
    char words[CUT_WORDS];
    describe_cut(calls->array, words);
    rank_expect(right, "kind %d, %s, %s, reverse %d, n = %zu from %zu, early %d: %s: %s",
                (int)call->kind, parscan_type_name(call->type), parscan_op_name(call->options.op),
                call->options.reverse, n, begin, calls->early, words,
                status == PARSCAN_OK ? "wrong" : parscan_comm_error(comm));
}

static void run_calls(parscan_comm *comm, void *data)
{
    const segments_calls *const calls = data;
    for (size_t k = 0; k < calls->count; k++)
        run_call(comm, calls, &calls->calls[k]);
}

enum { CALLS = 12 };

/* Every kind, both directions, with and without init. */
static void make_calls(segments_calls *calls, parscan_context *context, parscan_op op)
{
    const cut_array *const array = calls->array;
    const size_t size = parscan_type_size(calls->type);
    calls->count = CALLS;
    for (int k = 0; k < CALLS; k++) {
        segments_call *const call = &calls->calls[k];
        *call = (segments_call){
            .kind = (scan_kind)(k % 3),
            .type = calls->type,
            .in_place = k % 3 != 2 && k % 2 == 0,
            .options = PARSCAN_SCAN_OPTIONS(.op = op, .reverse = k / 3 % 2,
                                            .init = k >= 6 ? calls->in + array->n * size : NULL),
        };
        call->expected = malloc((array->n + array->count + 1) * size);
        cr_assert_not_null(call->expected);
        uint64_t count;
        cr_assert_eq(call_segmented(context, call->kind, call->type, calls->in, call->expected,
                                    array->n, &array->segments, &count, &call->options),
                     PARSCAN_OK, "%s", parscan_context_error(context));
    }
}

static void expect_segments(parscan_context *context, const cut_array *array, parscan_type type,
                            parscan_op op, unsigned ranks, piece_pattern pattern)
{
    segments_call calls[CALLS];
    char *const in = random_array(type, op, array->n + 1);
    /* Of 16 bits: integers, whose sums are exact in float, so that they are the same in any grouping if they
       are rounded once. */
    for (size_t i = 0; i <= array->n && is_half(type) && op == PARSCAN_SUM; i++)
        number_write_real(type, in, i, (double)random_below(9));
    segments_calls all = {.array = array, .in = in, .type = type, .calls = calls};
    make_calls(&all, context, op);
    all.cut = cut_pieces(pattern, ranks, array->n);
    for (int early = 0; early < 2; early++) {
        all.early = early;
        if (early == 0 || array->segments.kind == PARSCAN_SEGMENTS_OFFSETS)
            thread_comm_run(&(thread_comm_options){.ranks = ranks}, run_calls, &all);
    }
    for (int k = 0; k < CALLS; k++)
        free(calls[k].expected);
    free(in);
}

/* One type and operator for each array: all pairs of them are seen with some shape. */
Test(dist_segmented, is_that_of_one_process_of_every_shape_and_form)
{
    static const unsigned ranks[] = RANK_COUNTS;
    static const parscan_type types[] = {PARSCAN_I8,  PARSCAN_U32, PARSCAN_I64,
                                         PARSCAN_U16, PARSCAN_F16, PARSCAN_BF16};
    static const parscan_op ops[] = {PARSCAN_SUM, PARSCAN_MIN, PARSCAN_XOR, PARSCAN_SUM,
                                     PARSCAN_MAX};
    parscan_context *const context = test_context();
    size_t turn = 0;
    for (int shape = 0; shape < SEGMENT_SHAPES; shape++)
        for (size_t form = 0; form < SEGMENT_FORMS; form++)
            for (size_t r = turn % 2; r < COUNT_OF(ranks); r += 2, turn++) {
                if (!takes_case())
                    continue;
                cut_array array = cut_create(700 + random_below(3000), (segment_shape)shape,
                                             all_segment_forms[form]);
                const parscan_type type = types[turn % COUNT_OF(types)];
                const parscan_op op = ops[turn % COUNT_OF(ops)];
                expect_segments(context, &array, type, type_has(type, op) ? op : PARSCAN_SUM,
                                ranks[r], (piece_pattern)(random_below(PIECE_PATTERNS)));
                cut_destroy(&array);
            }
    parscan_context_destroy(context);
}

/* Rows on ranks, some of which have none. */
static void expect_dist_rows(parscan_context *context, parscan_type type, size_t row, size_t rows,
                             unsigned ranks, piece_pattern pattern)
{
    segments_call calls[CALLS];
    size_t *const heads = malloc((rows + 1) * sizeof *heads);
    cr_assert_not_null(heads);
    for (size_t r = 0; r <= rows; r++)
        heads[r] = (r + 1) * row;
    cut_array array = cut_create_at(row * rows, heads, rows, all_segment_forms[3]);
    char *const in = random_array(type, PARSCAN_SUM, array.n + 1);
    segments_calls all = {.array = &array, .in = in, .type = type, .calls = calls, .row = row};
    make_calls(&all, context, PARSCAN_SUM);
    all.cut = cut_pieces(pattern, ranks, rows);
    for (unsigned rank = 0; rank <= ranks; rank++)
        all.cut.begin[rank] *= row;
    thread_comm_run(&(thread_comm_options){.ranks = ranks}, run_calls, &all);
    for (int k = 0; k < CALLS; k++)
        free(calls[k].expected);
    free(in);
    free(heads);
    cut_destroy(&array);
}

Test(dist_segmented, by_rows_is_that_of_one_process)
{
    static const size_t lengths[] = {1, 2, 33, 1000};
    static const parscan_type types[] = {PARSCAN_I32, PARSCAN_U8, PARSCAN_U64, PARSCAN_I16};
    static const unsigned ranks[] = RANK_COUNTS;
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(lengths); k++)
        for (int pattern = 0; pattern < PIECE_PATTERNS; pattern++)
            for (size_t rows = 1; rows < 30; rows += 13)
                if (takes_case())
                    expect_dist_rows(context, types[k], lengths[k], rows,
                                     ranks[(k + rows + (size_t)pattern) % COUNT_OF(ranks)],
                                     (piece_pattern)pattern);
    parscan_context_destroy(context);
}

/* Pieces of none and of one element, and runs over several whole ranks. */
Test(dist_segmented, of_few_elements_is_that_of_one_process)
{
    parscan_context *const context = test_context();
    for (int shape = 0; shape < SEGMENT_SHAPES; shape++)
        for (size_t form = 0; form < SEGMENT_FORMS; form += form < 4 ? 1 : 4)
            for (int pattern = 0; pattern < PIECE_PATTERNS; pattern++) {
                if (!takes_case())
                    continue;
                cut_array array =
                    cut_create(random_below(12), (segment_shape)shape, all_segment_forms[form]);
                expect_segments(context, &array, PARSCAN_I32, PARSCAN_SUM, 7,
                                (piece_pattern)pattern);
                expect_segments(context, &array, PARSCAN_F16, PARSCAN_SUM, 7,
                                (piece_pattern)pattern);
                cut_destroy(&array);
            }
    parscan_context_destroy(context);
}
