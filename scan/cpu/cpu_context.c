/* The CPU engine's part of a context: the SIMD set, the threads, host memory. */
#include <string.h>

#include "scan/context/check.h"
#include "scan/context/context_state.h"
#include "scan/context/engine.h"
#include "scan/context/host_memory.h"
#include "scan/cpu/isa.h"
#include "scan/cpu/processors.h"
#include "scan/cpu/team.h"

/* A thread's share of the memory of a parallel pass is seldom more (scan/cpu/tiles.c). */
#define MOST_TILE_MEMORY ((size_t)2 << 20)

static parscan_status create_cpu(parscan_context *context, const parscan_context_options *options)
{
    const parscan_status status = parscan_choose_isa(context, &context->isa);
    if (status != PARSCAN_OK)
        return status;
    context->threads = options->threads != 0 ? options->threads : parscan_processors();
    if (context->threads > PARSCAN_MAX_THREADS)
        context->threads = PARSCAN_MAX_THREADS;
    context->l2_bytes = parscan_l2_bytes();
    context->prefetch_stores = parscan_prefetch_stores();
    return PARSCAN_OK;
}

static void destroy_cpu(parscan_context *context)
{
    parscan_team_end(context);
}

static parscan_status synchronize(parscan_context *context)
{
    (void)context;
    return PARSCAN_OK;
}

static parscan_status allocate_on_host(parscan_context *context, void **pointer, size_t size)
{
    if (context->measures) {
        *pointer = parscan_next_address(&context->next_address, size);
        return PARSCAN_OK;
    }
    *pointer = parscan_host_allocate(&context->allocator, size);
    if (*pointer == NULL)
        return parscan_fail(context, PARSCAN_ERROR_OUT_OF_MEMORY, "no memory for %zu bytes", size);
    return PARSCAN_OK;
}

static parscan_status release_on_host(parscan_context *context, void *pointer)
{
    if (!context->measures)
        parscan_host_release(&context->allocator, pointer);
    return PARSCAN_OK;
}

static parscan_status copy_on_host(parscan_context *context, void *to, const void *from,
                                   size_t size)
{
    (void)context;
    memcpy(to, from, size);
    return PARSCAN_OK;
}

static parscan_status no_status_word(parscan_context *context, const uint32_t **word)
{
    (void)word;
    return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                        "a status word: this context is on the CPU, where each call returns its "
                        "errors itself");
}

static size_t host_scratch(const parscan_context *context)
{
    return context->scratch.size + context->tile_memory.size;
}

static parscan_status reserve_on_host(parscan_context *context, size_t bytes)
{
    const size_t most = context->threads * MOST_TILE_MEMORY;
    return parscan_reserve_scratch(context, bytes, bytes < most ? bytes : most);
}

static parscan_status set_no_stream(parscan_context *context, void *stream)
{
    (void)context;
    (void)stream;
    return PARSCAN_OK;
}

static parscan_status host_can_read(parscan_context *context, const char *name, const void *pointer,
                                    bool *on_host)
{
    (void)name;
    *on_host = !context->near_device || parscan_host_can_read(pointer);
    return PARSCAN_OK;
}

static parscan_status host_cannot_read(parscan_context *context, const char *name,
                                       const void *pointer, bool *on_device)
{
    (void)name;
    *on_device = context->near_device && !context->measures && !parscan_host_can_read(pointer);
    return PARSCAN_OK;
}

const parscan_engine parscan_cpu_engine = {
    .create = create_cpu,
    .destroy = destroy_cpu,
    .synchronize = synchronize,
    .set_stream = set_no_stream,
    .allocate = allocate_on_host,
    .release = release_on_host,
    .allocate_shared = allocate_on_host,
    .copy = copy_on_host,
    .scratch = host_scratch,
    .reserve = reserve_on_host,
    .status_word = no_status_word,
    .on_host = host_can_read,
    .only_on_device = host_cannot_read,
};
