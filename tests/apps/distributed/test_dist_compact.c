/* Compaction, unique and run lengths of arrays in pieces, against one process on the whole array. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/distributed.h"
#include "parscan/operator.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/random.h"
#include "tests/support/rank_pieces.h"
#include "tests/support/scan_case.h"
#include "tests/support/segment_shapes.h"
#include "tests/support/test_engine.h"
#include "tests/support/thread_comm.h"

typedef enum compact_kind { COMPACT_IF, UNIQUE, RUN_LENGTHS, COMPACT_KINDS } compact_kind;

typedef struct compact_whole {
    compact_kind kind;
    parscan_type type, count_type;
    parscan_predicate keep;
    const char *in;
    size_t n;
    char *values, *lengths; /* what one process makes of it */
    uint64_t total;
    pieces cut;
} compact_whole;

static size_t element_size(const compact_whole *whole)
{
    return whole->type == PARSCAN_CUSTOM ? sizeof(uint64_t) : parscan_type_size(whole->type);
}

static void run_piece(parscan_comm *comm, void *data)
{
    const compact_whole *const whole = data;
    const unsigned rank = parscan_comm_rank(comm);
    const size_t n = piece_length(&whole->cut, rank), begin = whole->cut.begin[rank];
    const size_t size = element_size(whole);
    const size_t length_size = parscan_type_size(whole->count_type);
    const bool in_place = whole->kind != RUN_LENGTHS && rank % 2 == 0;
    void *const in = piece_create(comm, whole->in + begin * size, n * size);
    void *const out = in_place ? in : piece_create(comm, NULL, n * size);
    void *const lengths = piece_create(comm, NULL, n * length_size);
    uint64_t count = 99, offset = 99, total = 99;
    parscan_status status;
    if (whole->kind == COMPACT_IF)
        status = parscan_dist_compact_if(comm, whole->type, in, &whole->keep, out, n, &count,
                                         &offset, &total);
    else if (whole->kind == UNIQUE)
        status = parscan_dist_unique(comm, whole->type, in, out, n, &count, &offset, &total);
    else
        status = parscan_dist_run_length_encode(comm, whole->type, in, out, whole->count_type,
                                                lengths, n, &count, &offset, &total);
    bool right = status == PARSCAN_OK && total == whole->total && count <= n &&
                 offset + count <= total &&
                 piece_is(comm, out, whole->values + offset * size, count * size);
    if (right && whole->kind == RUN_LENGTHS)
        right = piece_is(comm, lengths, whole->lengths + offset * length_size, count * length_size);
    piece_destroy(comm, lengths);
    if (!in_place)
        piece_destroy(comm, out);
    piece_destroy(comm, in);
    rank_expect(right, "kind %d, %s, n = %zu from %zu, count %llu, offset %llu, total %llu: %s",
                (int)whole->kind, parscan_type_name(whole->type), n, begin,
                (unsigned long long)count, (unsigned long long)offset, (unsigned long long)total,
                status == PARSCAN_OK ? "wrong" : parscan_comm_error(comm));
}

static void expect_compaction(parscan_context *context, compact_whole whole, unsigned ranks,
                              piece_pattern pattern)
{
    const size_t n = whole.n;
    parscan_status status;
    whole.values = malloc((n + 1) * element_size(&whole));
    whole.lengths = malloc((n + 1) * sizeof(uint64_t));
    cr_assert(whole.values != NULL && whole.lengths != NULL);
    if (whole.kind == COMPACT_IF)
        status = parscan_compact_if(context, whole.type, whole.in, &whole.keep, whole.values, n,
                                    &whole.total);
    else
        status = parscan_run_length_encode(context, whole.type, whole.in, whole.values,
                                           whole.count_type, whole.lengths, n, &whole.total);
    cr_assert_eq(status, PARSCAN_OK, "%s", parscan_context_error(context));
    whole.cut = cut_pieces(pattern, ranks, n);
    thread_comm_run(&(thread_comm_options){.ranks = ranks}, run_piece, &whole);
    free(whole.values);
    free(whole.lengths);
}

/* Runs of every shape, of keys of every type. */
Test(dist_compact, is_that_of_one_process)
{
    static const unsigned ranks[] = RANK_COUNTS;
    parscan_context *const context = test_context();
    size_t turn = 0;
    for (int shape = 0; shape <= SEGMENTS_AT_EDGES; shape++)
        for (size_t form = 4; form < SEGMENT_FORMS; form++)
            for (size_t r = 0; r < COUNT_OF(ranks); r++, turn++) {
                if (!takes_case())
                    continue;
                const size_t n = turn % 3 == 0 ? random_below(9) : 500 + random_below(4000);
                cut_array runs = cut_create(n, (segment_shape)shape, all_segment_forms[form]);
                const compact_whole whole = {
                    .kind = (compact_kind)(turn % COMPACT_KINDS),
                    .type = runs.segments.type,
                    .count_type = turn % 2 == 0 ? PARSCAN_U32 : PARSCAN_U64,
                    .keep = PARSCAN_PREDICATE(.comparison = PARSCAN_NONZERO),
                    .in = runs.segments.data,
                    .n = n,
                };
                expect_compaction(context, whole, ranks[r],
                                  (piece_pattern)random_below(PIECE_PATTERNS));
                cut_destroy(&runs);
            }
    parscan_context_destroy(context);
}

Test(dist_compact, takes_every_predicate)
{
    enum { N = 3000 };
    parscan_context *const context = test_context();
    int16_t *const in = random_array(PARSCAN_I16, PARSCAN_SUM, N);
    const int16_t low = -9000, high = 12000;
    for (int comparison = PARSCAN_NONZERO; comparison <= PARSCAN_BETWEEN; comparison++) {
        const compact_whole whole = {
            .kind = COMPACT_IF,
            .type = PARSCAN_I16,
            .count_type = PARSCAN_U32,
            .keep = PARSCAN_PREDICATE(.comparison = (parscan_comparison)comparison, .value = &low,
                                      .upper = &high),
            .in = (const char *)in,
            .n = N,
        };
        expect_compaction(context, whole, 4, RANDOM_PIECES);
    }
    free(in);
    parscan_context_destroy(context);
}

PARSCAN_DEFINE_PREDICATE(low_key, uint64_t, (), { return x % 100 < 30; })

static parscan_operator *low_keys(void)
{
    parscan_operator *op;
    const parscan_operator_options options =
        PARSCAN_OPERATOR_OPTIONS(PARSCAN_DEFINED_PREDICATE(low_key, uint64_t));
    cr_assert_eq(parscan_operator_create(&op, &options), PARSCAN_OK);
    return op;
}

Test(dist_compact, takes_a_predicate_of_the_callers)
{
    enum { N = 3000 };
    parscan_context *const context = test_context();
    parscan_operator *const op = low_keys();
    uint64_t *const in = random_array(PARSCAN_U64, PARSCAN_SUM, N);
    const compact_whole whole = {.kind = COMPACT_IF,
                                 .type = PARSCAN_CUSTOM,
                                 .count_type = PARSCAN_U32,
                                 .keep = PARSCAN_PREDICATE(.custom = op),
                                 .in = (const char *)in,
                                 .n = N};
    if (test_backend() == PARSCAN_BACKEND_CPU)
        for (int pattern = 0; pattern < PIECE_PATTERNS; pattern++)
            expect_compaction(context, whole, 3, (piece_pattern)pattern);
    free(in);
    parscan_operator_destroy(op);
    parscan_context_destroy(context);
}

/* With elements of another size on one rank; on CUDA; an operator of the caller's, of which scans say that they take
   none. */
static void refuse_custom(parscan_comm *comm, void *op)
{
    uint64_t x[4] = {1, 2, 3, 4}, count;
    const bool on_cpu = test_backend() == PARSCAN_BACKEND_CPU;
    const parscan_predicate keep = PARSCAN_PREDICATE(.custom = op);
    const bool first = on_cpu && parscan_comm_rank(comm) == 0;
    parscan_status status = parscan_dist_compact_if(comm, first ? PARSCAN_U64 : PARSCAN_CUSTOM, x,
                                                    first ? NULL : &keep, x, 4, &count, NULL, NULL);
    rank_expect(status == (on_cpu ? PARSCAN_ERROR_INVALID_ARGUMENT : PARSCAN_ERROR_UNSUPPORTED) &&
                    (on_cpu || strstr(parscan_comm_error(comm), "keep->custom") != NULL),
                "%d: %s", status, parscan_comm_error(comm));
    status = parscan_dist_reduce(comm, PARSCAN_CUSTOM, x, x + 1, 1, NULL);
    rank_expect(status == PARSCAN_ERROR_UNSUPPORTED &&
                    strstr(parscan_comm_error(comm), "type = custom: this call takes no operator"),
                "%d: %s", status, parscan_comm_error(comm));
}

Test(dist_compact, refuses_what_of_the_callers_it_does_not_take)
{
    parscan_operator *const op = low_keys();
    thread_comm_run(&(thread_comm_options){.ranks = 3}, refuse_custom, op);
    parscan_operator_destroy(op);
}

static void count_alone(parscan_comm *comm, void *data)
{
    static const uint8_t in[] = {1, 1, 2};
    uint64_t count = 9;
    (void)data;
    rank_expect(parscan_dist_unique(comm, PARSCAN_U8, in, (uint8_t[3]){0}, 3, &count, NULL, NULL) ==
                        PARSCAN_OK &&
                    count == 2,
                "offset and total NULL");
    rank_expect(parscan_dist_run_length_encode(comm, PARSCAN_U8, in, NULL, PARSCAN_U64, NULL, 3,
                                               &count, NULL, NULL) == PARSCAN_OK &&
                    count == 2,
                "values and lengths NULL");
}

Test(dist_compact, writes_only_what_is_wanted)
{
    if (test_backend() == PARSCAN_BACKEND_CPU)
        thread_comm_run(&(thread_comm_options){.ranks = 3}, count_alone, NULL);
}
