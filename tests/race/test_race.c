/*
 * The look-back of the CPU engine, with nothing around it. With PLANT_A_RACE a tile's summary is
 * published without release: reading it is then a data race, though x86 would never show it.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "scan/cpu/team.h"

#ifdef PLANT_A_RACE
#define memory_order_release memory_order_relaxed
#endif
#define SUMMARY size_t
#define PREFIX size_t
#include "scan/cpu/look_back.h"

enum { TILES = 2000, THREADS = 4 };

static look_back tiles;
static tile_slot slots[TILES];

static size_t add(const void *pass, const size_t *prefix, const size_t *summary)
{
    (void)pass;
    return *prefix + *summary;
}

static const tile_functions functions = {.add = add};

/* Each thread takes every fourth tile, so it needs what the other threads have published, however
   late they start. */
static void *look_back_again_and_again(void *argument)
{
    for (size_t tile = *(const size_t *)argument; tile < TILES; tile += THREADS) {
        look_back_publish(&tiles, tile, &tile);
        const size_t prefix = look_back_prefix(&tiles, tile, &functions, NULL, NULL);
        const size_t through = prefix + tile;
        look_back_pass(&tiles, tile, &through);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    size_t first[THREADS];
    tiles = (look_back){.slots = slots, .tiles = TILES, .patience = 100};
    for (size_t k = 0; k < THREADS; k++) {
        first[k] = k;
        if (pthread_create(&threads[k], NULL, look_back_again_and_again, &first[k]) != 0)
            return 1;
    }
    for (size_t k = 0; k < THREADS; k++)
        pthread_join(threads[k], NULL);
    printf("%zu\n", look_back_end(&tiles));
    return look_back_end(&tiles) != (size_t)TILES * (TILES - 1) / 2;
}
