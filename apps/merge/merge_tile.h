/* One tile of a merge of runs, in a core's caches (merge_runs.h). */
#ifndef PARSCAN_APPS_MERGE_MERGE_TILE_H
#define PARSCAN_APPS_MERGE_MERGE_TILE_H

#include "apps/merge/merge_kernels.h"
#include "apps/merge/merge_runs.h"
#include "apps/merge/merge_vectors.h"

enum { MERGE_TILE_BYTES = 256 << 10 }; /* of keys and payload; a worker has twice that */

/* One thread's memory. */
typedef struct merge_worker {
    char *buffers[2];
    size_t *begin, *end, *room; /* of each run; room has twice as many */
    merge_part *parts;          /* two for each run */
} merge_worker;

/* What all tiles of a merge have. */
typedef struct merge_tiles {
    const merge_call *call;
    const struct merge_tiles
        *by_places; /* a merge of places, which values do not move in; NULL: none */
    merge_payload payload;
    size_t payload_size; /* 0, 4 or 8 */
    size_t tile;         /* the most elements of a tile */
    size_t shares;
    merge_of_vectors *vectors; /* NULL: values move too, or there are no vectors of such keys */
    merge_vector_order vector_order;
    bool stream; /* vectors store keys_out past the caches */
} merge_tiles;

/* Merges the elements between begin and end of the runs into elements at to at + n - 1 of the output. */
void parscan_merge_tile(const merge_tiles *m, const merge_worker *w, size_t at, size_t n);

/* Copies elements begin to begin + n - 1 of one run there. */
void parscan_merge_copy(const merge_tiles *m, merge_run run, size_t begin, size_t n, size_t at);

#endif
