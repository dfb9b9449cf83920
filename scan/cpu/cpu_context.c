/* The CPU engine's part of a context: the SIMD set, the threads, host memory. */
#include <omp.h>
#include <string.h>

#include "scan/context/check.h"
#include "scan/context/context_state.h"
#include "scan/context/engine.h"
#include "scan/cpu/isa.h"
#include "scan/cpu/threads.h"

static unsigned default_threads(void)
{
    const int processors = omp_get_num_procs();
    if (processors < 1)
        return 1;
    return (unsigned)processors < PARSCAN_MAX_THREADS ? (unsigned)processors : PARSCAN_MAX_THREADS;
}

/* OpenMP may start no more threads than OMP_THREAD_LIMIT. */
static unsigned limit_threads(unsigned wanted)
{
    const int limit = omp_get_thread_limit();
    return limit >= 1 && (unsigned)limit < wanted ? (unsigned)limit : wanted;
}

/* If the caller asked for a number of threads, the system must grant all of them. Of the default
   number it may grant fewer. */
static parscan_status choose_threads(parscan_context *context, unsigned asked)
{
    const unsigned wanted = asked != 0 ? asked : default_threads();
    context->threads = parscan_threads_granted(limit_threads(wanted));
    if (context->threads == wanted || asked == 0)
        return PARSCAN_OK;
    return parscan_fail(context, PARSCAN_ERROR_OUT_OF_MEMORY,
                        "threads = %u: the system grants only %u", asked, context->threads);
}

static parscan_status create(parscan_context *context, const parscan_context_options *options)
{
    const parscan_status status = parscan_choose_isa(context, &context->isa);
    if (status != PARSCAN_OK)
        return status;
    return choose_threads(context, options != NULL ? options->threads : 0);
}

static void destroy(parscan_context *context)
{
    (void)context;
}

static parscan_status synchronize(parscan_context *context)
{
    (void)context;
    return PARSCAN_OK;
}

static parscan_status allocate(parscan_context *context, void **pointer, size_t size)
{
    *pointer = parscan_host_allocate(&context->allocator, size);
    if (*pointer == NULL)
        return parscan_fail(context, PARSCAN_ERROR_OUT_OF_MEMORY, "no memory for %zu bytes", size);
    return PARSCAN_OK;
}

static parscan_status release(parscan_context *context, void *pointer)
{
    parscan_host_release(&context->allocator, pointer);
    return PARSCAN_OK;
}

static parscan_status copy(parscan_context *context, void *to, const void *from, size_t size)
{
    (void)context;
    memcpy(to, from, size);
    return PARSCAN_OK;
}

const parscan_engine parscan_cpu_engine = {create, destroy, synchronize, allocate, release, copy};
