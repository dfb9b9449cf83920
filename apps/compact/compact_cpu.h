/*
 * The pass over tiles that every function of compaction is: what it tests, what
 * it moves, what else it writes for each tile.
 */
#ifndef PARSCAN_APPS_COMPACT_CPU_H
#define PARSCAN_APPS_COMPACT_CPU_H

#include "apps/compact/compact_kernels.h"
#include "scan/context/context_state.h"

/* A tile: it and its buffer fit the first-level cache together. */
enum { COMPACT_TILE_BYTES = 16384 };

/* A tile has at most so many elements, and words of bits. */
enum { COMPACT_TILE_MAX = COMPACT_TILE_BYTES, COMPACT_WORDS = COMPACT_TILE_MAX / KEEP_BITS };

/* What goes from tile to tile. */
typedef struct compact_before {
    uint64_t kept;          /* elements kept before: this is the scan */
    size_t head;            /* of runs: where the last one before began */
    size_t longest;         /* the longest run before that began and ended in different
                     tiles */
    unsigned char last[16]; /* of runs: the last element before */
} compact_before;

/* A tile in its turn and after. */
typedef struct compact_tile {
    size_t begin, n; /* its elements */
    size_t kept;
    const uint64_t *keep;
    compact_before before;
    compact_ahead ahead; /* for the place to prefetch */
} compact_tile;

typedef struct compact_pass compact_pass;
struct compact_pass {
    parscan_context *context;
    size_t n;
    size_t tile; /* elements of a tile: set by the pass */
    /* What is tested: elements against a range, or, with runs, whether they begin a run. */
    const char *tested;
    size_t tested_size;
    const keep_kernels *test;
    compact_range range;
    bool runs;
    /* What is moved: records of size bytes. values == NULL: nothing. */
    const char *in;
    size_t size;
    char *values;
    char *rest;               /* of a partition: where what is not kept goes; else NULL */
    const keep_kernels *move; /* NULL: records of a size that no element has */
    /* What else is written for a tile, after its turn; NULL: nothing. */
    void (*place)(const compact_pass *pass, const compact_tile *tile);
    char *placed;            /* what it writes: indices, lengths, columns */
    parscan_type index_type; /* their type */
    void *row_offsets;       /* of a matrix with so many columns */
    size_t columns;
    const place_kernels *kernels;
    bool stream; /* results are large: past the caches */
};

/* What is tested and moved is an array of one of the element types. */
void parscan_compact_elements(compact_pass *pass, parscan_type type, const void *in);

/* Tests all elements, moves and places; *end: what comes after the last tile. */
void parscan_compact_run(compact_pass *pass, compact_before *end);

/* Only counts. */
uint64_t parscan_compact_count(compact_pass *pass);

/* size bytes to an output, as the pass's other outputs. */
void parscan_compact_write(const compact_pass *pass, char *to, const void *from, size_t size);

/* What a place prefetches while it is at a tile's words from `word` on. */
compact_ahead parscan_ahead_from(const compact_tile *tile, size_t word);

/* The places: compact_indices, run lengths, rows and columns. */
void parscan_place_indices(const compact_pass *pass, const compact_tile *tile);
void parscan_place_lengths(const compact_pass *pass, const compact_tile *tile);
void parscan_place_columns(const compact_pass *pass, const compact_tile *tile);

/* Writes the length of the run that is open behind the last tile. Errors: OVERFLOW. */
parscan_status parscan_close_last_run(const compact_pass *pass, const compact_before *end);

/* Records of any size, for compact_cpu.c: those that are kept, one after another. */
void parscan_compact_records(const char *in, size_t size, size_t n, const uint64_t *keep, char *to);

#endif
