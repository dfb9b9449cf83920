/* The ways an array is cut into segments. */
#ifndef PARSCAN_BENCH_SHAPES_H
#define PARSCAN_BENCH_SHAPES_H

#include <stddef.h>
#include <stdint.h>

/* Returns the length of the segment that begins at an element of an array of n elements; random:
   a random number. */
typedef struct bench_shape {
    const char *name;
    size_t (*length)(uint64_t random, size_t n);
} bench_shape;

/* The last entry has the name NULL. */
extern const bench_shape bench_shapes[];

#endif
