/*
 * The pass over tiles that all functions of compaction share. A compact_pass describes what the
 * pass tests, what it moves, and what else it writes for each tile.
 */
#ifndef PARSCAN_APPS_COMPACT_CPU_H
#define PARSCAN_APPS_COMPACT_CPU_H

#include "apps/compact/compact_kernels.h"
#include "scan/context/context_state.h"
#include "scan/custom/operator_state.h"

/* The bytes of a tile of a thread that works alone. The tile and its buffer together fit the
   first-level cache. */
enum { COMPACT_TILE_BYTES = 16384 };

/* What a tile must know of all tiles before it. */
typedef struct compact_before {
    uint64_t kept;  /* the number of elements kept before the tile: the exclusive scan */
    size_t head;    /* for runs: the index where the last run before the tile starts */
    size_t longest; /* the longest run so far that started in one tile and ended in another */
    unsigned char last[16]; /* for runs: the last element before the tile */
} compact_before;

/* A tile whose prefix is known. */
typedef struct compact_tile {
    size_t begin, n; /* its elements are begin to begin + n - 1 */
    size_t kept;
    const uint64_t *keep;
    compact_before before;
    compact_ahead ahead; /* what compact_pass.place prefetches */
} compact_tile;

/* Records that are moved. */
typedef struct compact_moved {
    const char *in;
    char *out; /* NULL: nothing is moved */
    size_t size;
    const keep_kernels *move; /* NULL: records of a size that no element type has */
} compact_moved;

typedef struct compact_pass compact_pass;
struct compact_pass {
    parscan_context *context;
    size_t n;
    size_t tile_bytes, tile; /* bytes and elements of a tile; set by the pass */
    /* What is tested: elements against a range, or, with runs, whether they start a run. The
       arrays are the caller's. */
    const char *tested;
    size_t tested_size;
    const keep_kernels *test;
    compact_range range;
    const parscan_operator
        *custom; /* the caller's function makes flags, which `test` and the range test */
    bool runs;
    bool continues; /* with runs: element 0 goes on with a run of the chunk before */
    /* What is moved: records of `size` bytes. values == NULL: nothing is moved. */
    const char *in;
    size_t size;
    char *values;
    bool partition; /* elements that are not kept go to `values` too, from element rest_at on */
    size_t rest_at;
    const keep_kernels *move; /* NULL: records of a size that no element type has */
    compact_moved beside;     /* moved as the elements are */
    /* Writes what else belongs to a tile. NULL: nothing. */
    void (*place)(const compact_pass *pass, const compact_tile *tile);
    char *placed;            /* the output of `place`: indices, lengths or columns */
    parscan_type index_type; /* the type of these */
    parscan_type given_type; /* as in compact_call */
    uint64_t first_index;    /* the index of element 0 */
    void *row_offsets;       /* for a matrix with `columns` columns */
    size_t columns;
    const place_kernels *kernels;
    size_t room; /* results beyond it are not written */
    bool stream; /* outputs are large: stores bypass the caches */
};

/* Sets the pass to test and move an array of an element type. */
void parscan_compact_elements(compact_pass *pass, parscan_type type, const void *in);

/* The number of elements in a tile: whole words of bits, as many as fit, but at least one word. */
size_t parscan_compact_tile_elements(const compact_pass *pass);

/* Runs the pass. *end receives what a tile after the last one would have to know. */
void parscan_compact_run(compact_pass *pass, compact_before *end);

/* In a context that measures: only takes the memory that the run would take. */
void parscan_compact_measure(compact_pass *pass);

/* Returns the number of elements that would be kept; moves nothing. */
uint64_t parscan_compact_count(compact_pass *pass);

/* Writes `size` bytes to an output, past the caches where the pass streams. */
void parscan_compact_write(const compact_pass *pass, char *to, const void *from, size_t size);

/* How many of `count` results from number `first` on there is room for. */
static inline size_t parscan_compact_fit(const compact_pass *pass, size_t first, size_t count)
{
    const size_t left = first < pass->room ? pass->room - first : 0;
    return count < left ? count : left;
}

/* What compact_pass.place prefetches while it works on a tile's words from `word` on. */
compact_ahead parscan_ahead_from(const compact_tile *tile, size_t word);

/* The functions for compact_pass.place: indices, lengths of runs, rows and columns. */
void parscan_place_indices(const compact_pass *pass, const compact_tile *tile);
void parscan_place_lengths(const compact_pass *pass, const compact_tile *tile);
void parscan_place_columns(const compact_pass *pass, const compact_tile *tile);

/* Writes the length of the run that is still open after the last tile. Errors: OVERFLOW. */
parscan_status parscan_close_last_run(const compact_pass *pass, const compact_before *end);

/* Sets the bits of the elements, at any alignment, for which a function of the caller's holds. Returns their
   number. flags, range: what tests its flags. */
size_t parscan_keep_custom(const parscan_operator *op, const keep_kernels *flags,
                           const compact_range *range, const char *in, size_t n, uint64_t *keep,
                           compact_ahead ahead);

/* Copies the kept records of a tile to `to`, one after another. Records may have any size. */
void parscan_compact_records(const char *in, size_t size, size_t n, const uint64_t *keep, char *to);

/* flags[i]: whether element i begins a run, by an equality: n > 0 of them. */
parscan_status parscan_run_flags_cpu(parscan_context *context, const parscan_operator *equal,
                                     const void *in, size_t n, uint8_t *flags);

#endif
