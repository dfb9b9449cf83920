/*
 * The cross-over points of the CPU's single pass, measured: bench/NOTES.md has the figures.
 */
#ifndef PARSCAN_SCAN_SINGLE_PASS_TUNING_H
#define PARSCAN_SCAN_SINGLE_PASS_TUNING_H

/* A tile: what a core reads, reduces and then scans from its caches. */
#define TILE_BYTES 32768u

/* Fewer elements than these are scanned sequentially: setting up vectors costs more. */
#define SEQUENTIAL_BELOW (PARSCAN_ELEMENT_IS_FLOAT ? 48u : 128u)

/* Bytes of the accumulated type from which a second thread pays for being woken. */
#define THREADS_FROM_BYTES (512u << 10)

/* Bytes of output from which a scan streams past the caches. */
#define STREAM_FROM_BYTES (2u << 20)

#endif
