/*
 * The single pass's chain of tiles, with nothing around it. With PLANT_A_RACE the turn is passed on
 * without release: the sum that goes from turn to turn is then a data race, though x86 would never
 * show it.
 */
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>

#ifdef PLANT_A_RACE
#define memory_order_release memory_order_relaxed
#endif
typedef size_t T;
#include "scan/cpu/chain.h"

enum { TILES = 200, THREADS = 4 };

static chain tiles; /* tiles.before belongs to the thread whose turn it is */

static void pass_a_sum_along(void)
{
    /* Round robin, so that the sum does go from thread to thread. */
    for (size_t tile = (size_t)omp_get_thread_num(); tile < TILES; tile += THREADS) {
        chain_wait(&tiles, tile);
        tiles.before += tile;
        chain_pass(&tiles, tile);
    }
}

int main(void)
{
    chain_begin(&tiles, 0);
#pragma omp parallel num_threads(THREADS)
    pass_a_sum_along();
    printf("%zu\n", tiles.before);
    return tiles.before != (size_t)TILES * (TILES - 1) / 2;
}
