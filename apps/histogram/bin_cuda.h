/* A counting sort by bins as the CUDA engine's host code (bin_cuda.c) hands it to the launches
   (bin_launches.cu). */
#ifndef PARSCAN_APPS_HISTOGRAM_BIN_CUDA_H
#define PARSCAN_APPS_HISTOGRAM_BIN_CUDA_H

#include <stdbool.h>

#include "scan/context/cuda_context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Entries of a tile, and the most bits of a digit. */
#define BIN_TILE ((size_t)4096)
#define BIN_DIGIT_BITS 8u

/* One pass over the entries, by one digit of their bins. */
typedef struct bin_pass {
    parscan_type bin_type; /* of bin_of */
    const void *bin_of;
    const void *entries; /* values or indices; NULL: entries are indices, in order */
    size_t entry_size;   /* 4, 8 */
    size_t n, tiles;     /* n: at most */
    const void *kept;    /* NULL: n; else how many there are, in memory of the device */
    bool kept_wide;      /* u64, else u32 */
    uint64_t bins;       /* an entry with more is left out */
    unsigned shift, digits;
    bool wide;    /* counts are u64, else u32 */
    void *counts; /* digits rows of tiles; for the placement, scanned */
    /* What is written, in the order of the digit: */
    uint32_t *bins_out; /* NULL: in the last pass */
    void *entries_out;
    bool fetches; /* entries are indices: what is written is values[index] */
    const char *values;
    size_t value_size;
    unsigned unit; /* bytes that are moved at once */
} bin_pass;

cudaError_t parscan_bin_count_launch(const parscan_cuda *cuda, const bin_pass *pass);
cudaError_t parscan_bin_place_launch(parscan_cuda *cuda, const bin_pass *pass);

/* offsets[0..bins] from the scanned counts, and the total behind them, of a pass that is the only one. */
cudaError_t parscan_bin_offsets_launch(const parscan_cuda *cuda, const bin_pass *pass,
                                       void *offsets, bool offsets_wide);

/* offsets[b]++ for each entry's bin, of u32 or u64: for 2^32 bins. The offsets are zero before. */
cudaError_t parscan_bin_count_all_launch(parscan_cuda *cuda, const bin_pass *pass, void *offsets,
                                         bool offsets_wide);

#ifdef __cplusplus
}
#endif
#endif
