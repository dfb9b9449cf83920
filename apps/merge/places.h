/*
 * Places in sorted arrays, by SIMD vectors: how many of some keys in order are before each of some needles
 * in order. A search for bounds and a join are made of such pieces.
 *
 * All keys of a few are compared with a whole vector of needles, so that no step waits for the one before it,
 * as the steps of a merge do, and only the end of a vector's keys is a branch.
 *
 * What is compared are ranks: signed integers of 32 or 64 bits, as a name says, that compare as the keys do.
 */
#ifndef PARSCAN_APPS_MERGE_PLACES_H
#define PARSCAN_APPS_MERGE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scan/cpu/isa.h"

enum {
    PLACES_KEYS = 4,      /* after the last key stand so many that are not less than any needle */
    PLACES_NEEDLES = 8,   /* there is room for needles and places up to a multiple of these */
    PLACES_MOST = 1 << 15 /* keys */
};

/* How keys of 32 or 64 bits become ranks. */
typedef struct place_order {
    uint64_t flip;     /* the bits of the rank that are inverted */
    uint64_t infinity; /* its bits; 0: keys are integers. Every NaN has the highest rank */
    bool equal_zeros;  /* -0 has the rank of +0 */
} place_order;

typedef struct place_kernels {
    /* Reads n keys, each once. They may have any alignment. */
    void (*ranks)(const place_order *order, const char *keys, size_t n, void *ranks);
    /* Whether no rank is less than the one before it. */
    bool (*in_order)(const void *ranks, size_t n);
    /* places[i] = how many of the first m keys are less than needle i, or, with `upper`, not greater. Of
       what is not in order any numbers up to m. */
    void (*places)(const void *needles, size_t n, const void *keys, size_t m, bool upper,
                   uint16_t *places);
} place_kernels;

extern const place_kernels parscan_places_portable_i32, parscan_places_portable_i64;
extern const place_kernels parscan_places_avx2_i32, parscan_places_avx2_i64;
extern const place_kernels parscan_places_avx512_i32, parscan_places_avx512_i64;

/* Those for keys of up to so many bytes. */
static inline const place_kernels *parscan_place_kernels(size_t size, parscan_isa isa)
{
#define PARSCAN_PLACES_OF(name)                                                       \
    PARSCAN_BY_ISA(isa, &parscan_places_portable_##name, &parscan_places_avx2_##name, \
                   &parscan_places_avx512_##name)
    return size == 8 ? PARSCAN_PLACES_OF(i64) : PARSCAN_PLACES_OF(i32);
#undef PARSCAN_PLACES_OF
}

#endif
