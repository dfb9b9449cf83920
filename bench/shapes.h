/* How an array is cut into segments. */
#ifndef PARSCAN_BENCH_SHAPES_H
#define PARSCAN_BENCH_SHAPES_H

#include <stddef.h>
#include <stdint.h>

/* How long the segment that begins at an element is, of an array of n; random: a random number. */
typedef struct bench_shape {
    const char *name;
    size_t (*length)(uint64_t random, size_t n);
} bench_shape;

/* Ends with a name that is NULL. */
extern const bench_shape bench_shapes[];

#endif
