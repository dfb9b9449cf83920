/* Where the sorted keys of several ranks are cut: what is asked of an engine's kernel (sort_cuts_kernels.cuh). */
#ifndef PARSCAN_APPS_SORT_SORT_CUTS_H
#define PARSCAN_APPS_SORT_SORT_CUTS_H

#include <stdint.h>

enum { SORT_CUT_RANKS = 16, SORT_CUTS = 127 };

typedef struct sort_cuts {
    /* Of each rank: its n sorted keys, which kernels of this device can read. */
    const void *keys[SORT_CUT_RANKS];
    uint64_t n[SORT_CUT_RANKS];
    uint64_t targets[SORT_CUTS]; /* so many keys of all together lie before a cut */
    unsigned ranks, count;       /* up to SORT_CUT_RANKS and SORT_CUTS */
} sort_cuts;

#endif
