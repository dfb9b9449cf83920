/*
 * The engines. There are two kinds of tables. A parscan_engine has what a context itself asks of its
 * engine: memory, copies, synchronization. And each primitive has one table of its own functions,
 * one for each engine, indexed by the backend:
 *
 *     static parscan_status (*const engines[])(const bin_call *call) =
 *         PARSCAN_ENGINES(parscan_bin_cpu, parscan_bin_cuda);
 *     return engines[context->backend](&call);
 *
 * A build without CUDA has no entry for CUDA. It also creates no context whose backend is CUDA.
 */
#ifndef PARSCAN_SCAN_CONTEXT_ENGINE_H
#define PARSCAN_SCAN_CONTEXT_ENGINE_H

#include <stdbool.h>

#include "parscan/context.h"

#ifdef PARSCAN_HAVE_CUDA
#define PARSCAN_ENGINES(cpu, cuda)                                     \
    {                                                                  \
        [PARSCAN_BACKEND_CPU] = (cpu), [PARSCAN_BACKEND_CUDA] = (cuda) \
    }
#else
#define PARSCAN_ENGINES(cpu, cuda)    \
    {                                 \
        [PARSCAN_BACKEND_CPU] = (cpu) \
    }
#endif

/* What an engine implements for contexts. On failure each stores a message by parscan_fail(). */
typedef struct parscan_engine {
    /* Errors: BACKEND, this machine lacks what the engine needs; DEVICE; INVALID_ARGUMENT;
       OUT_OF_MEMORY. After an error there is nothing to destroy. */
    parscan_status (*create)(parscan_context *context, const parscan_context_options *options);
    void (*destroy)(parscan_context *context);
    parscan_status (*synchronize)(parscan_context *context);
    parscan_status (*set_stream)(parscan_context *context, void *stream);
    /* size > 0; the memory is device memory on CUDA, host memory on the CPU */
    parscan_status (*allocate)(parscan_context *context, void **pointer, size_t size);
    parscan_status (*release)(parscan_context *context, void *pointer);
    /* The same for memory that ranks exchange, which is of no pool. release frees it too. */
    parscan_status (*allocate_shared)(parscan_context *context, void **pointer, size_t size);
    parscan_status (*copy)(parscan_context *context, void *to, const void *from, size_t size);
    /* What parscan_context_scratch() tells, and parscan_context_reserve(). */
    size_t (*scratch)(const parscan_context *context);
    parscan_status (*reserve)(parscan_context *context, size_t bytes);
    parscan_status (*status_word)(parscan_context *context, const uint32_t **word);
    /* Whether the host can read this memory during a call. */
    parscan_status (*on_host)(parscan_context *context, const char *name, const void *pointer,
                              bool *on_host);
    /* Whether the host cannot read it, but the device perhaps; managed memory it can. */
    parscan_status (*only_on_device)(parscan_context *context, const char *name,
                                     const void *pointer, bool *on_device);
} parscan_engine;

/* The engine of a backend; NULL if this build does not have it. */
const parscan_engine *parscan_engine_of(parscan_backend backend);

/* Defined by the engines: scan/cpu/cpu_context.c, scan/cuda/cuda_context.c. */
extern const parscan_engine parscan_cpu_engine, parscan_cuda_engine;

#endif
