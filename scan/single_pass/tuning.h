/*
 * The cross-over points of the CPU's single pass, measured: bench/NOTES.md has the figures.
 */
#ifndef PARSCAN_SCAN_SINGLE_PASS_TUNING_H
#define PARSCAN_SCAN_SINGLE_PASS_TUNING_H

/* A tile: what a core reads, reduces and then scans from its first-level cache. */
#define TILE_BYTES 16384u

/* Input of a scan or a reduction from which a second thread pays for being woken. */
#define THREADS_FROM_BYTES (256u << 10)

/* Output from which a scan streams past the caches. */
#define STREAM_FROM_BYTES (1u << 20)

#endif
