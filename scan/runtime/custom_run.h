/* What the launches of operators of the caller's share. */
#ifndef PARSCAN_SCAN_RUNTIME_CUSTOM_RUN_H
#define PARSCAN_SCAN_RUNTIME_CUSTOM_RUN_H

#include "scan/runtime/custom_cuda.h"
#include "scan/scan_call.h"

/* A call on its arrays in device memory. */
typedef struct custom_run {
    const parscan_scan_call *call;
    custom_code *code;
    const custom_text *text;
    const void *in;
    void *out;
} custom_run;

/* The fields that all kernels take. */
custom_call parscan_custom_fields(const custom_run *run);

/* Where tiles of the output start at addresses at which vectors are fastest, its first tile has positions
   before the array. The input's tiles lie `misalignment` bytes after such an address. */
void parscan_custom_place_tiles(const custom_run *run, custom_program *program, custom_pass *pass);

/* The hierarchical scan by a block algorithm, and the sequential scan (custom_blocks_cuda.c). */
custom_program parscan_custom_blocks_program(const parscan_scan_call *call);
parscan_status parscan_custom_run_blocks(const custom_run *run);
parscan_status parscan_custom_run_sequential(const custom_run *run);

/* The reproducible scan and reduction (custom_tree_cuda.c). */
custom_program parscan_custom_tree_program(const parscan_scan_call *call);
parscan_status parscan_custom_run_tree(const custom_run *run);

#endif
