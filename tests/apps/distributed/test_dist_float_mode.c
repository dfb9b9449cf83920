/* Reproducible sums of a distributed array, whatever the floating-point mode of each rank's thread. */
#include <criterion/criterion.h>
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "parscan/distributed.h"
#include "parscan/scan.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"
#include "tests/support/thread_comm.h"

static const int roundings[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};

/* Pieces of whole tiles of the tree, and a rest: so ranks combine blocks of each other. */
enum { RANKS = 4, PIECE = 3 * 2048 + 100 };

typedef struct rank_sums {
    double in[RANKS * PIECE], scanned[RANKS * PIECE], sum;
} rank_sums;

static void sum_in_modes(parscan_comm *comm, void *data)
{
    const rank_sums *const expected = data;
    const unsigned rank = parscan_comm_rank(comm);
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.reproducible = 1);
    double out[PIECE], sum = 0;
    fesetround(roundings[rank]);
    const parscan_status scanned = parscan_dist_inclusive_scan(
        comm, PARSCAN_F64, expected->in + rank * PIECE, out, PIECE, &options);
    const parscan_status reduced =
        parscan_dist_reduce(comm, PARSCAN_F64, expected->in + rank * PIECE, &sum, PIECE, &options);
    fesetround(FE_TONEAREST);
    rank_expect(scanned == PARSCAN_OK && reduced == PARSCAN_OK, "%s", parscan_comm_error(comm));
    rank_expect(memcmp(out, expected->scanned + rank * PIECE, sizeof out) == 0, "scan, rank %u",
                rank);
    rank_expect(memcmp(&sum, &expected->sum, sizeof sum) == 0, "sum on rank %u: %a, not %a", rank,
                sum, expected->sum);
}

Test(dist_reproducible, has_the_same_bits_in_every_rounding_of_the_ranks)
{
    static rank_sums sums;
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.reproducible = 1);
    const size_t n = RANKS * PIECE;
    for (size_t i = 0; i < n; i++)
        sums.in[i] = ldexp((double)(random_bits() >> 11) - 0x1p52, (int)random_below(40) - 72);
    parscan_context *const context = test_context();
    cr_assert_eq(parscan_inclusive_scan(context, PARSCAN_F64, sums.in, sums.scanned, n, &options),
                 PARSCAN_OK);
    cr_assert_eq(parscan_reduce(context, PARSCAN_F64, sums.in, &sums.sum, n, &options), PARSCAN_OK);
    parscan_context_destroy(context);
    thread_comm_run(&(thread_comm_options){.ranks = RANKS}, sum_in_modes, &sums);
}
