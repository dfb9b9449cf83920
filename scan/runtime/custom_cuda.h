/* The kernels of an operator of the caller's, on the device of a context. */
#ifndef PARSCAN_SCAN_RUNTIME_CUSTOM_CUDA_H
#define PARSCAN_SCAN_RUNTIME_CUSTOM_CUDA_H

#include "scan/cuda/cuda_context.h"
#include "scan/runtime/custom_code.h"
#include "scan/runtime/custom_params.h"

typedef enum custom_kernel {
    CUSTOM_MAIN,         /* of every program */
    CUSTOM_REDUCE_TILES, /* these of BLOCKS: of the lowest level, and of sums */
    CUSTOM_REDUCE_SUMS,
    CUSTOM_SCAN_SUMS,
    CUSTOM_KERNELS,
    CUSTOM_MERGE_RUNS = 1, /* of SORT, whose main kernel sorts tiles */
    CUSTOM_TREE_SCAN = 1,  /* of TREE, whose main kernel makes sums */
    CUSTOM_TREE_RESULT = 2
} custom_kernel;

/* What a context has used of an operator. It holds the operator's code, so that graphs have it too. */
typedef struct custom_use {
    struct custom_use *next;
    custom_code *code;
    custom_program program;
    const void *kernels[CUSTOM_KERNELS];
} custom_use;

/* The architecture for which programs are compiled. */
int parscan_custom_architecture(const parscan_context *context);

/* Compiles and loads a program, if the context has not done so yet. *use is NULL in a context that
   measures. Errors: INVALID_ARGUMENT, the operator's text is wrong; UNSUPPORTED; OUT_OF_MEMORY; DEVICE. */
parscan_status parscan_custom_use(parscan_context *context, custom_code *code,
                                  const custom_program *program, const custom_use **use);

/* Launches a kernel on `blocks` blocks, or, if it is `chained`, on as many of them as the device holds at
   once: it calls wait_for_previous_kernel(), and its blocks wait for each other as those of
   launch_chain.cuh do, or, if `in_order`, for those before them alone. */
typedef struct custom_launch {
    const void *kernel;
    size_t blocks;
    unsigned threads;
    size_t shared_bytes;
    bool chained, in_order;
    const void *params;
} custom_launch;
parscan_status parscan_custom_launch(parscan_context *context, const custom_launch *launch);

/* For parscan_custom_code_create(). */
void parscan_custom_unload(void *library);

#endif
