#include "scan/context/context_state.h"
#include "scan/context/held_scratch.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/memory.h"
#include "scan/context/cancellation.h"
#include "scan/context/check.h"
#include "scan/context/engine.h"
#include "scan/context/host_memory.h"

#define ALIGNMENT 64u

static void *default_allocate(size_t size, void *user)
{
    (void)user;
    return malloc(size);
}

static void default_release(void *pointer, void *user)
{
    (void)user;
    free(pointer);
}

parscan_allocator parscan_default_allocator(void)
{
    return (parscan_allocator){.allocate = default_allocate, .release = default_release};
}

bool parscan_uses_malloc(const parscan_context *context)
{
    return context->allocator.allocate == default_allocate;
}

parscan_status parscan_fail(parscan_context *context, parscan_status status, const char *format,
                            ...)
{
    if (context != NULL) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(context->error, sizeof context->error, format, arguments);
        va_end(arguments);
    }
    return status;
}

/* Stores the allocator's pointer just before the aligned pointer that is returned. */
void *parscan_host_allocate(const parscan_allocator *allocator, size_t size)
{
    if (size > SIZE_MAX - ALIGNMENT - sizeof(void *))
        return NULL;
    char *const raw = allocator->allocate(size + ALIGNMENT + sizeof(void *), allocator->user);
    if (raw == NULL)
        return NULL;
    const uintptr_t past = (uintptr_t)raw + sizeof(void *) + ALIGNMENT - 1;
    char *const aligned = raw + (past - past % ALIGNMENT - (uintptr_t)raw);
    memcpy(aligned - sizeof(void *), &raw, sizeof raw);
    return aligned;
}

void parscan_host_release(const parscan_allocator *allocator, void *pointer)
{
    if (pointer == NULL)
        return;
    void *raw;
    memcpy(&raw, (char *)pointer - sizeof(void *), sizeof raw);
    allocator->release(raw, allocator->user);
}

static void release_memory(const parscan_context *context, parscan_memory *memory)
{
    if (!context->measures)
        parscan_host_release(&context->allocator, memory->data);
    *memory = (parscan_memory){NULL, 0};
}

/* Makes a piece of memory at least so large. Its contents are lost. Returns false if there is no
   memory. */
static bool grow_memory(const parscan_context *context, parscan_memory *memory, size_t size)
{
    if (size <= memory->size)
        return true;
    if (context->measures) {
        *memory = (parscan_memory){PARSCAN_NO_MEMORY, size};
        return true;
    }
    parscan_host_release(&context->allocator, memory->data);
    memory->size = 0;
    memory->data = parscan_host_allocate(&context->allocator, size);
    if (memory->data != NULL)
        memory->size = size;
    return memory->data != NULL;
}

/* Whether a piece of memory may have this size beside another one. */
static bool is_allowed(const parscan_context *context, size_t size, const parscan_memory *other)
{
    const size_t limit = context->scratch_limit;
    return limit == 0 || (size <= limit && other->size <= limit - size);
}

/* The most threads, up to `most`, for whose memory the limit has room beside another piece; 1 if it
   has room for none. */
static unsigned threads_with_room(const parscan_context *context, unsigned most,
                                  parscan_scratch_need *need, const void *call,
                                  const parscan_memory *other)
{
    unsigned threads = most;
    while (threads > 1 && !is_allowed(context, need(call, threads), other))
        threads--;
    return threads;
}

/* Makes the scratch at least so large. The other piece is freed if it is in the way. */
static bool take_scratch(parscan_context *context, size_t size)
{
    if (!is_allowed(context, size, &context->tile_memory)) {
        release_memory(context, &context->tile_memory);
    }
    return is_allowed(context, size, &context->tile_memory) &&
           grow_memory(context, &context->scratch, size);
}

parscan_status parscan_scratch(parscan_context *context, size_t size, void **scratch)
{
    if (take_scratch(context, size)) {
        *scratch = context->scratch.data;
        return PARSCAN_OK;
    }
    if (!is_allowed(context, size, &context->tile_memory))
        return parscan_fail(context, PARSCAN_ERROR_OUT_OF_MEMORY,
                            "scratch_limit = %zu: this call needs %zu bytes of scratch",
                            context->scratch_limit, size);
    return parscan_fail(context, PARSCAN_ERROR_OUT_OF_MEMORY, "no memory for %zu bytes of scratch",
                        size);
}

parscan_status parscan_scratch_of_threads(parscan_context *context, unsigned *threads,
                                          parscan_scratch_need *need, const void *call,
                                          void **scratch)
{
    const parscan_memory none = {NULL, 0}; /* the other piece can be freed */
    *threads = threads_with_room(context, *threads, need, call, &none);
    if (*threads > 1 && !take_scratch(context, need(call, *threads)))
        *threads = 1;
    return parscan_scratch(context, need(call, *threads), scratch);
}

void parscan_release_scratch(parscan_context *context)
{
    release_memory(context, &context->scratch);
    release_memory(context, &context->tile_memory);
}

parscan_status parscan_reserve_scratch(parscan_context *context, size_t bytes, size_t of_tiles)
{
    void *scratch;
    const parscan_status status = parscan_scratch(context, bytes, &scratch);
    if (status != PARSCAN_OK || !is_allowed(context, of_tiles, &context->scratch) ||
        grow_memory(context, &context->tile_memory, of_tiles))
        return status;
    return parscan_fail(context, PARSCAN_ERROR_OUT_OF_MEMORY, "no memory for %zu bytes of scratch",
                        of_tiles);
}

void *parscan_tile_memory(parscan_context *context, unsigned *threads, parscan_scratch_need *need,
                          const void *call)
{
    *threads = threads_with_room(context, *threads, need, call, &context->scratch);
    if (*threads > 1 && grow_memory(context, &context->tile_memory, need(call, *threads)))
        return context->tile_memory.data;
    *threads = 1;
    return NULL;
}

/* What is within the limit, but for `beside` bytes. */
static parscan_status take_tile_memory(parscan_context *context, unsigned *threads,
                                       parscan_scratch_need *need, const void *call, size_t beside)
{
    const size_t limit = context->scratch_limit;
    if (!is_allowed(context, need(call, 1), &context->scratch))
        release_memory(context, &context->scratch);
    if (limit != 0)
        context->scratch_limit = limit > beside ? limit - beside : 1;
    *threads = threads_with_room(context, *threads, need, call, &context->scratch);
    context->scratch_limit = limit;
    if (*threads > 1 && !grow_memory(context, &context->tile_memory, need(call, *threads)))
        *threads = 1;
    const size_t size = need(call, *threads);
    if (!is_allowed(context, size, &context->scratch))
        return parscan_fail(context, PARSCAN_ERROR_OUT_OF_MEMORY,
                            "scratch_limit = %zu: this call needs %zu bytes of scratch",
                            context->scratch_limit, size);
    if (!grow_memory(context, &context->tile_memory, size))
        return parscan_fail(context, PARSCAN_ERROR_OUT_OF_MEMORY,
                            "no memory for %zu bytes of scratch", size);
    return PARSCAN_OK;
}

parscan_status parscan_hold_scratch(parscan_context *context, unsigned *threads,
                                    parscan_scratch_need *need, const void *call, size_t beside,
                                    held_scratch *held)
{
    const parscan_status status = take_tile_memory(context, threads, need, call, beside);
    *held = (held_scratch){context->tile_memory, context->scratch_limit};
    if (status != PARSCAN_OK)
        return status;
    context->tile_memory = (parscan_memory){NULL, 0};
    if (held->limit != 0) /* 0 would be no limit */
        context->scratch_limit =
            held->limit > held->memory.size ? held->limit - held->memory.size : 1;
    return PARSCAN_OK;
}

void parscan_let_scratch(parscan_context *context, const held_scratch *held)
{
    release_memory(context, &context->tile_memory);
    context->tile_memory = held->memory;
    context->scratch_limit = held->limit;
}

PARSCAN_STRUCT_CAN_GROW(parscan_context_options, measure_device, PARSCAN_OLDEST_CONTEXT_OPTIONS);

/* Checks the options of a new context. Messages go to the draft, which becomes the context. */
static parscan_status check_context_options(parscan_context *draft,
                                            const parscan_context_options *options)
{
    if (parscan_backend_name(options->backend) == NULL)
        return parscan_fail(draft, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "backend = %d is not a parscan_backend", (int)options->backend);
    if ((options->allocator.allocate == NULL) != (options->allocator.release == NULL))
        return parscan_fail(draft, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "allocator: %s is NULL: give both functions or neither",
                            options->allocator.allocate == NULL ? "allocate" : "release");
    if (options->threads > PARSCAN_MAX_THREADS)
        return parscan_fail(draft, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "threads = %u: it must be at most %u", options->threads,
                            PARSCAN_MAX_THREADS);
    if (options->device_allocator != NULL && options->backend == PARSCAN_BACKEND_CPU)
        return parscan_fail(draft, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "device_allocator = %p, backend = cpu: the CPU has no device memory",
                            (const void *)options->device_allocator);
    if (!options->measure && (options->measure_host || options->measure_device != NULL))
        return parscan_fail(draft, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "measure = 0: %s is for contexts that measure",
                            options->measure_host ? "measure_host" : "measure_device");
    if (options->backend == PARSCAN_BACKEND_CPU && options->measure_device != NULL)
        return parscan_fail(draft, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "measure_device = %p, backend = cpu: the CPU has no device",
                            (const void *)options->measure_device);
    return PARSCAN_OK;
}

const parscan_engine *parscan_engine_of(parscan_backend backend)
{
    static const parscan_engine *const engines[PARSCAN_BACKEND_CUDA + 1] =
        PARSCAN_ENGINES(&parscan_cpu_engine, &parscan_cuda_engine);
    return engines[backend];
}

static parscan_status create_cuda(parscan_context *draft, const parscan_context_options *options)
{
    const parscan_engine *const cuda = parscan_engine_of(PARSCAN_BACKEND_CUDA);
    if (cuda == NULL)
        return parscan_fail(draft, PARSCAN_ERROR_BACKEND,
                            "backend = cuda: this build has no CUDA engine");
    return cuda->create(draft, options);
}

/* AUTO takes the CPU if this build or machine has no CUDA, or if CUDA does not work; not if the caller
   brings device memory. */
static parscan_status choose_engine(parscan_context *draft, const parscan_context_options *options)
{
    const parscan_backend asked = options->backend;
    if (asked == PARSCAN_BACKEND_CPU)
        return PARSCAN_OK;
    const parscan_status status = create_cuda(draft, options);
    if (status == PARSCAN_OK)
        draft->backend = PARSCAN_BACKEND_CUDA;
    const bool none = status == PARSCAN_ERROR_BACKEND || status == PARSCAN_ERROR_DEVICE;
    if (asked == PARSCAN_BACKEND_CUDA || options->device_allocator != NULL ||
        options->measure_device != NULL || !none)
        return status;
    draft->error[0] = '\0';
    return PARSCAN_OK;
}

/* Fills a draft of the context. Every context has a SIMD set and threads of the CPU engine. */
static parscan_status fill_context(parscan_context *draft, const parscan_context_options *options)
{
    draft->near_device = parscan_host_near_device();
    parscan_status status = check_context_options(draft, options);
    if (status == PARSCAN_OK)
        status = parscan_cpu_engine.create(draft, options);
    if (status != PARSCAN_OK)
        return status;
    draft->scratch_limit = options->scratch_limit;
    draft->measures = options->measure != 0;
    draft->next_address = PARSCAN_FIRST_ADDRESS;
    if (options->allocator.allocate != NULL)
        draft->allocator = options->allocator;
    return choose_engine(draft, options);
}

static parscan_status create_context(parscan_context **context,
                                     const parscan_context_options *options)
{
    parscan_context draft = {
        .backend = PARSCAN_BACKEND_CPU,
        .allocator = parscan_default_allocator(),
    };
    parscan_context_options local;
    parscan_status status = parscan_read_struct(
        &draft, "options", options, PARSCAN_OLDEST_CONTEXT_OPTIONS, &local, sizeof local);
    if (status == PARSCAN_OK)
        status = fill_context(&draft, &local);
    if (status == PARSCAN_OK) {
        *context = parscan_host_allocate(&draft.allocator, sizeof **context);
        if (*context != NULL) {
            **context = draft;
        } else {
            status = parscan_fail(&draft, PARSCAN_ERROR_OUT_OF_MEMORY, "no memory for a context");
            parscan_engine_of(draft.backend)->destroy(&draft);
        }
    }
    if (status != PARSCAN_OK && local.error != NULL && local.error_size > 0)
        snprintf(local.error, local.error_size, "%s", draft.error);
    return status;
}

parscan_status parscan_context_create(parscan_context **context,
                                      const parscan_context_options *options)
{
    if (context == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    *context = NULL;
    const int cancellation = parscan_hold_cancellation();
    const parscan_status status = create_context(context, options);
    parscan_allow_cancellation(cancellation);
    return status;
}

void parscan_context_destroy(parscan_context *context)
{
    if (context == NULL)
        return;
    const int cancellation = parscan_hold_cancellation();
    if (context->backend != PARSCAN_BACKEND_CPU)
        parscan_engine_of(context->backend)->destroy(context);
    parscan_cpu_engine.destroy(context);
    const parscan_allocator allocator = context->allocator;
    parscan_release_scratch(context);
    parscan_host_release(&allocator, context);
    parscan_allow_cancellation(cancellation);
}

parscan_status parscan_synchronize(parscan_context *context)
{
    if (context == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    return parscan_engine_of(context->backend)->synchronize(context);
}

parscan_status parscan_context_set_stream(parscan_context *context, void *stream)
{
    if (context == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    return parscan_engine_of(context->backend)->set_stream(context, stream);
}

parscan_status parscan_context_status_word(parscan_context *context, const uint32_t **word)
{
    if (word != NULL)
        *word = NULL;
    if (context == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    if (word == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "word is NULL");
    return parscan_engine_of(context->backend)->status_word(context, word);
}

size_t parscan_context_scratch(const parscan_context *context)
{
    return context == NULL ? 0 : parscan_engine_of(context->backend)->scratch(context);
}

parscan_status parscan_context_reserve(parscan_context *context, size_t bytes)
{
    if (context == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    return parscan_engine_of(context->backend)->reserve(context, bytes);
}

parscan_backend parscan_context_backend(const parscan_context *context)
{
    return context == NULL ? PARSCAN_BACKEND_AUTO : context->backend;
}

const char *parscan_context_device(const parscan_context *context)
{
    return context == NULL ? "" : context->device;
}

unsigned parscan_context_threads(const parscan_context *context)
{
    return context == NULL ? 0 : context->threads;
}

const char *parscan_context_simd(const parscan_context *context)
{
    return context == NULL ? "" : parscan_isa_name(context->isa);
}

const char *parscan_context_error(const parscan_context *context)
{
    return context == NULL ? "context is NULL" : context->error;
}
