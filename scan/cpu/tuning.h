/*
 * Thresholds of the single pass on the CPU, as measured; bench/notes/scan-cpu.md has the figures.
 */
#ifndef PARSCAN_SCAN_CPU_TUNING_H
#define PARSCAN_SCAN_CPU_TUNING_H

/* The size of a tile. A core reads a tile from memory, reduces it, and then scans it from its
   caches. */
#define TILE_BYTES 32768u

/* Shorter arrays are scanned sequentially, since setting up vectors costs more. */
#define SEQUENTIAL_BELOW (PARSCAN_ELEMENT_IS_FLOAT ? 48u : 128u)

/* From this many bytes of the accumulated type on, waking a second thread pays. */
#define THREADS_FROM_BYTES (512u << 10)

/* From this many bytes of output on, a scan stores past the caches. */
#define STREAM_FROM_BYTES (2u << 20)

#endif
