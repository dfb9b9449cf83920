/* A NaN on each rank in turn, and sums that round: all ranks have the same bits. MPI's own reductions
   give ranks different maxima then (docs/distributed.md). */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "parscan/distributed.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/number.h"
#include "tests/support/random.h"
#include "tests/support/rank_pieces.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"
#include "tests/support/thread_comm.h"

enum { EACH = 3, MOST = EACH * MOST_PIECES };

/* One reduction, and the scan whose last element it is. */
typedef struct nan_case {
    parscan_type type;
    parscan_scan_options options;
    const char *in; /* EACH elements of every rank */
    char results[MOST_PIECES][sizeof(uint64_t)];
    char last[sizeof(uint64_t)];
} nan_case;

static void reduce_and_scan(parscan_comm *comm, void *data)
{
    nan_case *const c = data;
    const unsigned rank = parscan_comm_rank(comm);
    const size_t size = parscan_type_size(c->type);
    void *const in = piece_create(comm, c->in + rank * EACH * size, EACH * size);
    void *const out = piece_create(comm, NULL, EACH * size);
    char scanned[EACH * sizeof(uint64_t)];
    parscan_status status =
        parscan_dist_reduce(comm, c->type, in, c->results[rank], EACH, &c->options);
    if (status == PARSCAN_OK)
        status = parscan_dist_inclusive_scan(comm, c->type, in, out, EACH, &c->options);
    piece_read(comm, scanned, out, EACH * size);
    if (rank + 1 == parscan_comm_size(comm))
        memcpy(c->last, scanned + (EACH - 1) * size, size);
    piece_destroy(comm, in);
    piece_destroy(comm, out);
    rank_expect(status == PARSCAN_OK, "%s", parscan_comm_error(comm));
}

static bool is_nan(parscan_type type, const void *element)
{
    const number x = number_read(type, element, 0);
    return x.is_float && isnan(x.real);
}

/* Bits are compared, unless both are NaN and `payloads` are not. */
static bool same(parscan_type type, const void *a, const void *b, bool payloads)
{
    return memcmp(a, b, parscan_type_size(type)) == 0 ||
           (!payloads && is_nan(type, a) && is_nan(type, b));
}

static bool has_nan(parscan_type type, const char *array, size_t n)
{
    bool found = false;
    for (size_t i = 0; i < n && !found; i++)
        found = is_nan(type, array + i * parscan_type_size(type));
    return found;
}

/* at: the rank whose first element is made a NaN; -1: none is, and values for extremes have one now and then. */
static void expect_agreement(parscan_type type, parscan_op op, bool reproducible, unsigned ranks,
                             int at)
{
    parscan_context *const alone = test_context();
    char in[MOST * sizeof(uint64_t)], expected[sizeof(uint64_t)];
    nan_case c = {.type = type,
                  .options = PARSCAN_SCAN_OPTIONS(.op = op, .reproducible = reproducible),
                  .in = in};
    random_fill(type, op, in, EACH * ranks);
    if (at >= 0)
        number_write_real(type, in, (size_t)at * EACH, NAN);
    const bool is_to_be = has_nan(type, in, EACH * ranks);
    cr_assert_eq(parscan_reduce(alone, type, in, expected, EACH * ranks, &c.options), PARSCAN_OK);
    thread_comm_run(&(thread_comm_options){.ranks = ranks}, reduce_and_scan, &c);
    const char *const name = parscan_op_name(op);
    for (unsigned rank = 1; rank < ranks; rank++)
        cr_assert(same(type, c.results[0], c.results[rank], true),
                  "%s of %s on %u ranks, a NaN on %d: rank %u differs from rank 0", name,
                  parscan_type_name(type), ranks, at, rank);
    cr_assert_eq(is_nan(type, c.results[0]), is_to_be);
    if (reproducible || !oracle_is_float(type) || op == PARSCAN_MIN || op == PARSCAN_MAX ||
        is_to_be) {
        cr_assert(same(type, c.results[0], c.last, false), "%s: the scan's last element", name);
        cr_assert(same(type, c.results[0], expected, false), "%s: that of one process", name);
    }
    parscan_context_destroy(alone);
}

Test(dist_nan, on_any_rank_gives_all_ranks_the_same_bits)
{
    static const parscan_op ops[] = {PARSCAN_SUM, PARSCAN_PRODUCT, PARSCAN_MIN, PARSCAN_MAX};
    for (unsigned ranks = 2; ranks <= 5; ranks++)
        for (int at = -1; at < (int)ranks; at++)
            for (size_t t = 0; t < TYPES; t++)
                for (size_t o = 0; o < 4 && oracle_is_float(all_types[t]); o++)
                    for (int reproducible = 0; reproducible < (o < 2 ? 2 : 1); reproducible++)
                        if (takes_case())
                            expect_agreement(all_types[t], ops[o], reproducible, ranks, at);
}

Test(dist_nan, is_not_needed_for_integers_to_be_the_same_on_all_ranks)
{
    for (size_t t = 0; t < TYPES; t++)
        for (size_t o = 0; o < OPS; o++)
            if (!oracle_is_float(all_types[t]) && type_has(all_types[t], all_ops[o]))
                expect_agreement(all_types[t], all_ops[o], false, 2 + (unsigned)(t + o) % 4, -1);
}
