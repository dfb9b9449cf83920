/*
 * How a pass of the CPU engine is cut in tiles and how many threads take part. The thresholds are
 * measured; bench/notes/scan-cpu.md has the figures.
 */
#ifndef PARSCAN_SCAN_CPU_TILES_H
#define PARSCAN_SCAN_CPU_TILES_H

#include "scan/context/context_state.h"

/* The size of a tile that fits the first-level cache. A thread that works alone takes such tiles. */
#define TILE_BYTES 32768u

/* From this many bytes on, waking a second thread pays. */
#define THREADS_FROM_BYTES (512u << 10)

/* From this many bytes of output on, a pass stores past the caches. */
#define STREAM_FROM_BYTES (2u << 20)

/* What a pass over tiles needs. */
typedef struct tile_demand {
    size_t bytes;        /* that it reads or writes */
    size_t slot_bytes;   /* of the slots in the look-back, for each tile_bytes of these */
    size_t work_eighths; /* of the buffers of a thread, in eighths of tile_bytes, */
    size_t work_bytes;   /* and the rest of them */
} tile_demand;

/* A pass over tiles, as it is divided. Its memory belongs to the context and is valid until the next
   pass is divided. */
typedef struct tile_plan {
    unsigned threads;  /* 1: the pass needs neither a look-back nor memory */
    size_t tile_bytes; /* a multiple of TILE_BYTES; TILE_BYTES with one thread */
    bool ahead;        /* a thread prefetches its next tile */
    void *slots;       /* for the look-back */
    size_t slots_bytes;
    char *work;        /* the buffers of each thread, work_bytes each */
    size_t work_bytes; /* a multiple of 64 */
} tile_plan;

/* Divides a pass among as many threads as pay and as there is memory for. */
tile_plan parscan_plan_tiles(parscan_context *context, const tile_demand *demand);

/* The number of threads that pay for so many bytes, at most all of the context. */
unsigned parscan_threads_for(const parscan_context *context, size_t bytes);

/* How often a thread looks at the state of another thread's tile before it reduces that tile
   itself. */
unsigned parscan_tile_patience(size_t tile_bytes);

#endif
