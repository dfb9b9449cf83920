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

/* A pass over tiles, as it is divided. */
typedef struct tile_plan {
    unsigned threads;  /* 1: no look-back is needed */
    size_t tile_bytes; /* a multiple of TILE_BYTES */
    bool ahead;        /* a thread claims its next tile early, and prefetches it */
} tile_plan;

/* Divides a pass that reads or writes `bytes` bytes. slot_bytes: the size of a tile's slot in the
   look-back (scan/cpu/look_back.h). */
tile_plan parscan_plan_tiles(const parscan_context *context, size_t bytes, size_t slot_bytes);

/* The number of threads that pay for so many bytes, at most all of the context. */
unsigned parscan_threads_for(const parscan_context *context, size_t bytes);

/* How often a thread looks at the state of another thread's tile before it reduces that tile
   itself. */
unsigned parscan_tile_patience(size_t tile_bytes);

#endif
