#include "scan/context/context.h"

#include <omp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/memory.h"
#include "scan/context/check.h"
#include "scan/context/cuda.h"
#include "scan/context/host_memory.h"
#include "scan/context/threads.h"

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

/* The pointer that the allocator gave stands just before the aligned one. */
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

parscan_status parscan_scratch(parscan_context *context, size_t size, void **scratch)
{
    if (size > context->scratch_size) {
        if (context->scratch_limit != 0 && size > context->scratch_limit)
            return parscan_fail(context, PARSCAN_ERROR_OUT_OF_MEMORY,
                                "%zu bytes of scratch are needed, scratch_limit = %zu", size,
                                context->scratch_limit);
        parscan_host_release(&context->allocator, context->scratch);
        context->scratch_size = 0;
        context->scratch = parscan_host_allocate(&context->allocator, size);
        if (context->scratch == NULL)
            return parscan_fail(context, PARSCAN_ERROR_OUT_OF_MEMORY,
                                "no memory for %zu bytes of scratch", size);
        context->scratch_size = size;
    }
    *scratch = context->scratch;
    return PARSCAN_OK;
}

/* Checks what creation was asked for; the words go through a context that is not yet one. */
static parscan_status check_options(parscan_context *draft, const parscan_context_options *options)
{
    if (options == NULL)
        return PARSCAN_OK;
    parscan_status status = parscan_check_struct_size(
        draft, "options->struct_size", options->struct_size, sizeof(parscan_context_options));
    if (status != PARSCAN_OK)
        return status;
    if (parscan_backend_name(options->backend) == NULL)
        return parscan_fail(draft, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "backend = %d is not a parscan_backend", (int)options->backend);
    if ((options->allocator.allocate == NULL) != (options->allocator.release == NULL))
        return parscan_fail(draft, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "allocator: %s is NULL and the other is not",
                            options->allocator.allocate == NULL ? "allocate" : "release");
    if (options->threads > PARSCAN_MAX_THREADS)
        return parscan_fail(draft, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "threads = %u: at most %u are allowed", options->threads,
                            PARSCAN_MAX_THREADS);
    return PARSCAN_OK;
}

static unsigned default_threads(void)
{
    const int processors = omp_get_num_procs();
    if (processors < 1)
        return 1;
    return (unsigned)processors < PARSCAN_MAX_THREADS ? (unsigned)processors : PARSCAN_MAX_THREADS;
}

/* No more than OpenMP may start (OMP_THREAD_LIMIT). */
static unsigned limit_threads(unsigned wanted)
{
    const int limit = omp_get_thread_limit();
    return limit >= 1 && (unsigned)limit < wanted ? (unsigned)limit : wanted;
}

/* The threads of the context: those asked for, which the system must grant, or one a processor. */
static parscan_status choose_threads(parscan_context *draft, unsigned asked)
{
    const unsigned wanted = asked != 0 ? asked : default_threads();
    draft->threads = parscan_threads_granted(limit_threads(wanted));
    if (draft->threads == wanted || asked == 0)
        return PARSCAN_OK;
    return parscan_fail(draft, PARSCAN_ERROR_OUT_OF_MEMORY, "threads = %u: the system grants %u",
                        asked, draft->threads);
}

/* AUTO takes the CPU where this build or machine has no CUDA, and where CUDA is out of order. */
static parscan_status choose_engine(parscan_context *draft, const parscan_context_options *options)
{
    const parscan_backend asked = options != NULL ? options->backend : PARSCAN_BACKEND_AUTO;
    if (asked == PARSCAN_BACKEND_CPU)
        return PARSCAN_OK;
    const parscan_status status = parscan_cuda_create(draft, options);
    if (status == PARSCAN_OK)
        draft->backend = PARSCAN_BACKEND_CUDA;
    const bool none = status == PARSCAN_ERROR_BACKEND || status == PARSCAN_ERROR_DEVICE;
    if (asked == PARSCAN_BACKEND_CUDA || !none)
        return status;
    draft->error[0] = '\0';
    return PARSCAN_OK;
}

/* Fills a draft of the context; what it holds is released by the caller. */
static parscan_status fill(parscan_context *draft, const parscan_context_options *options)
{
    draft->near_device = parscan_host_near_device();
    parscan_status status = check_options(draft, options);
    if (status == PARSCAN_OK)
        status = parscan_choose_isa(draft, &draft->isa);
    if (status == PARSCAN_OK)
        status = choose_threads(draft, options != NULL ? options->threads : 0);
    if (status != PARSCAN_OK)
        return status;
    if (options != NULL) {
        draft->scratch_limit = options->scratch_limit;
        if (options->allocator.allocate != NULL)
            draft->allocator = options->allocator;
    }
    return choose_engine(draft, options);
}

parscan_status parscan_context_create(parscan_context **context,
                                      const parscan_context_options *options)
{
    if (context == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    *context = NULL;
    parscan_context draft = {
        .backend = PARSCAN_BACKEND_CPU,
        .allocator = {.allocate = default_allocate, .release = default_release},
    };
    parscan_status status = fill(&draft, options);
    if (status == PARSCAN_OK) {
        *context = parscan_host_allocate(&draft.allocator, sizeof **context);
        if (*context != NULL)
            **context = draft;
        else
            status = parscan_fail(&draft, PARSCAN_ERROR_OUT_OF_MEMORY, "no memory for a context");
    }
    if (status != PARSCAN_OK && draft.cuda != NULL)
        parscan_cuda_destroy(&draft);
    const bool readable = options != NULL && options->struct_size == sizeof *options;
    if (status != PARSCAN_OK && readable && options->error != NULL && options->error_size > 0)
        snprintf(options->error, options->error_size, "%s", draft.error);
    return status;
}

void parscan_context_destroy(parscan_context *context)
{
    if (context == NULL)
        return;
    if (context->cuda != NULL)
        parscan_cuda_destroy(context);
    const parscan_allocator allocator = context->allocator;
    parscan_host_release(&allocator, context->scratch);
    parscan_host_release(&allocator, context);
}

parscan_status parscan_synchronize(parscan_context *context)
{
    if (context == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    return context->cuda != NULL ? parscan_cuda_synchronize(context) : PARSCAN_OK;
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
