/*
 * The programs that bench_programs.c measures: what one does by calls of parscan, and the plain loop beside it.
 */
#ifndef PARSCAN_BENCH_PROGRAMS_H
#define PARSCAN_BENCH_PROGRAMS_H

#include "harness.h"

enum { TOP = 1000, ARRAYS = 3 };

typedef struct data {
    parscan_context *engine;
    size_t n, rows;
    void *in[ARRAYS];
    void *out[ARRAYS], *loop_out[ARRAYS],
        *room[ARRAYS]; /* of parscan, of the loop; scratch of both */
    uint64_t count, loop_count;
    uint64_t seed;
} data;

typedef struct program {
    const char *name, *type, *input;
    double bytes; /* that an element of the input must move */
    void (*fill)(data *d);
    void (*calls)(data *d);
    void (*loop)(data *d);
    size_t (*results)(const data *d); /* elements of the outputs that are compared */
    size_t sizes[ARRAYS];             /* bytes of an element of each output; 0: not compared */
    bool (*also)(const data *d);      /* what else must be so; NULL: nothing */
} program;

/* The rest are sizes. */
#define PROGRAM(name, type, input, bytes, function, loop, fill, results, also, ...)  \
    {                                                                                \
        name, type, input, bytes, fill, function, loop, results, {__VA_ARGS__}, also \
    }

/* Programs on one array, and on tables: sorted keys, coordinates, columns. A program without a name ends each. */
extern const program array_programs[], table_programs[];

static inline void must(const data *d, parscan_status status)
{
    bench_must(status, d->engine);
}

static inline size_t counted_results(const data *d)
{
    return (size_t)d->loop_count;
}

#endif
