#include "parscan/sorter.h"

#include <stdio.h>
#include <string.h>

#include "apps/sorter/sorter_state.h"
#include "scan/context/call_lengths.h"
#include "scan/context/cancellation.h"
#include "scan/context/check.h"
#include "scan/context/host_memory.h"
#include "scan/context/page_memory.h"

enum {
    MAX_VALUE_SIZE = 64,
    SORT_THREAD_BYTES = 2 << 20, /* scratch of a sort, beside a copy of the elements */
    STACK_BYTES = 128 << 10,     /* of a thread's stack, and of what the system keeps for it */
    TABLES_BYTES = 1 << 20,      /* runs, folders, the contexts */
    THREADS_SHARE = 3,           /* at most this part of the limit is for threads, */
    LEAST_READ_SHARE = 1024,     /* and this one is read at once, */
    MOST_LEAST_READ = 1 << 20    /* but not more than that, if there are many runs */
};
#define LEAST_LIMIT ((size_t)16 << 20)
#define DEFAULT_LIMIT ((size_t)256 << 20)

PARSCAN_STRUCT_CAN_GROW(parscan_sorter_options, run_limit, PARSCAN_OLDEST_SORTER_OPTIONS);

parscan_status parscan_sorter_fail(parscan_sorter *s, parscan_status status, const char *words)
{
    if (words != s->words)
        snprintf(s->words, sizeof s->words, "%s", words);
    s->status = status;
    return parscan_fail(s->context, status, "%s", s->words);
}

static parscan_status check_sorter_options(parscan_context *context,
                                           const parscan_sorter_options *options)
{
    const parscan_status status = parscan_check_key_type(context, options->key_type);
    if (status != PARSCAN_OK)
        return status;
    if (options->value_size > MAX_VALUE_SIZE)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "value_size = %zu: it must be at most %d", options->value_size,
                            MAX_VALUE_SIZE);
    if (options->argsort && options->value_size != 0 && options->value_size != sizeof(uint64_t))
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "value_size = %zu: with argsort it must be 0 or 8",
                            options->value_size);
    if (options->memory_limit != 0 && options->memory_limit < LEAST_LIMIT)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "memory_limit = %zu: it must be at least %zu (16 MiB)",
                            options->memory_limit, LEAST_LIMIT);
    if ((options->folders == NULL) != (options->folder_count == 0))
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "folder_count = %u, but folders is %s", options->folder_count,
                            options->folders == NULL ? "NULL" : "not NULL");
    for (unsigned k = 0; k < options->folder_count; k++)
        if (options->folders[k] == NULL || options->folders[k][0] == '\0')
            return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "folders[%u] is %s", k,
                                options->folders[k] == NULL ? "NULL" : "empty");
    return PARSCAN_OK;
}

/* Copies the folders with their names. Returns false if there is no memory. */
static bool copy_folders(parscan_sorter *s, const parscan_sorter_options *options)
{
    static const char *const default_folders[] = {"/tmp"};
    const char *const *const names = options->folders != NULL ? options->folders : default_folders;
    s->folder_count = options->folders != NULL ? options->folder_count : 1;
    size_t bytes = s->folder_count * sizeof *s->folders;
    for (unsigned k = 0; k < s->folder_count; k++)
        bytes += strlen(names[k]) + 1;
    s->folders = parscan_host_allocate(&s->allocator, bytes);
    if (s->folders == NULL)
        return false;
    char *name = (char *)(s->folders + s->folder_count);
    for (unsigned k = 0; k < s->folder_count; k++) {
        const size_t size = strlen(names[k]) + 1;
        memcpy(name, names[k], size);
        s->folders[k] = (spill_folder){.path = name, .file = -1};
        name += size;
    }
    return true;
}

/* The threads of sorts and merges, for whose scratch and stacks the limit has room. */
static unsigned sorter_threads_for(const parscan_context *context, size_t memory_limit)
{
    const size_t most = memory_limit / THREADS_SHARE / (SORT_THREAD_BYTES + STACK_BYTES);
    return most < context->threads ? (unsigned)most : context->threads;
}

/* A run's elements are there three times: in two buffers and in the scratch of a sort. */
static void plan_memory(parscan_sorter *s, const parscan_sorter_options *options, unsigned threads)
{
    const size_t limit = options->memory_limit != 0 ? options->memory_limit : DEFAULT_LIMIT;
    const size_t least_read = limit / LEAST_READ_SHARE;
    s->array_bytes = limit - TABLES_BYTES - (size_t)threads * STACK_BYTES;
    s->run_elements = (s->array_bytes - (size_t)threads * SORT_THREAD_BYTES) / 3 /
                      parscan_sorter_element_bytes(s);
    if (options->run_limit != 0 && options->run_limit < s->run_elements)
        s->run_elements = options->run_limit;
    s->least_blocks =
        (least_read < MOST_LEAST_READ ? least_read : (size_t)MOST_LEAST_READ) / SORTER_BLOCK_BYTES;
    if (s->least_blocks == 0)
        s->least_blocks = 1;
}

static parscan_status create_own_context(parscan_sorter *s, unsigned threads)
{
    char words[256] = "";
    parscan_context *const context = s->context;
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU, .threads = threads,
                                .allocator = s->allocator, .error = words,
                                .error_size = sizeof words);
    const parscan_status status = parscan_context_create(&s->own, &options);
    if (status != PARSCAN_OK)
        return parscan_fail(context, status, "%s", words);
    s->own->isa = context->isa;
    return PARSCAN_OK;
}

static parscan_status fill_in(parscan_sorter *s, const parscan_sorter_options *options)
{
    const parscan_type_traits key = parscan_type_traits_of(options->key_type);
    const size_t limit = options->memory_limit != 0 ? options->memory_limit : DEFAULT_LIMIT;
    const unsigned threads = sorter_threads_for(s->context, limit);
    s->key_type = options->key_type;
    s->descending = options->descending != 0;
    s->argsort = options->argsort != 0;
    s->order = parscan_key_order(s->key_type, s->descending, 0, 8 * (unsigned)key.size);
    s->kernels = parscan_merge_kernels(key.key);
    s->shape.key_size = key.size;
    s->shape.value_size = s->argsort ? sizeof(uint64_t) : options->value_size;
    s->shape.block_elements = SORTER_BLOCK_BYTES / parscan_sorter_element_bytes(s);
    plan_memory(s, options, threads);
    if (!copy_folders(s, options))
        return parscan_fail(s->context, PARSCAN_ERROR_OUT_OF_MEMORY, "no memory for a sorter");
    s->is_locking = pthread_mutex_init(&s->lock, NULL) == 0;
    if (s->is_locking && pthread_cond_init(&s->changed, NULL) != 0) {
        pthread_mutex_destroy(&s->lock);
        s->is_locking = false;
    }
    if (!s->is_locking)
        return parscan_fail(s->context, PARSCAN_ERROR_OUT_OF_MEMORY, "no memory for a lock");
    return create_own_context(s, threads);
}

/* The public functions below are wrapped: a thread that is cancelled inside of one would keep the lock
   locked, and parscan_sorter_destroy() would wait for it. */
static parscan_status create_sorter(parscan_sorter **sorter, parscan_context *context,
                                    const parscan_sorter_options *options)
{
    parscan_sorter_options local;
    parscan_status status = parscan_refuse_lengths(context, "a sorter");
    if (status == PARSCAN_OK)
        status = parscan_read_struct(context, "options", options, PARSCAN_OLDEST_SORTER_OPTIONS,
                                     &local, sizeof local);
    if (status == PARSCAN_OK)
        status = check_sorter_options(context, &local);
    if (status != PARSCAN_OK)
        return status;
    const parscan_allocator allocator =
        parscan_uses_malloc(context) ? parscan_page_allocator : context->allocator;
    parscan_sorter *const s = parscan_host_allocate(&allocator, sizeof *s);
    if (s == NULL)
        return parscan_fail(context, PARSCAN_ERROR_OUT_OF_MEMORY, "no memory for a sorter");
    memset(s, 0, sizeof *s);
    s->context = context;
    s->allocator = allocator;
    status = fill_in(s, &local);
    if (status != PARSCAN_OK)
        parscan_sorter_destroy(s);
    else
        *sorter = s;
    return status;
}

parscan_status parscan_sorter_create(parscan_sorter **sorter, parscan_context *context,
                                     const parscan_sorter_options *options)
{
    if (sorter != NULL)
        *sorter = NULL;
    if (context == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    if (sorter == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "sorter is NULL");
    if (context->measures)
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "measure = 1: a sorter cannot be measured");
    const int cancellation = parscan_hold_cancellation();
    const parscan_status status = create_sorter(sorter, context, options);
    parscan_allow_cancellation(cancellation);
    return status;
}

/* Arrays of the caller: merges, and on the CPU sorts, read and write them on the host. */
static parscan_status check_array(parscan_sorter *s, const char *name, const void *array, size_t n,
                                  size_t size)
{
    const parscan_status status = parscan_check_array(s->context, name, array, n, size);
    if (status != PARSCAN_OK || n == 0 || !s->context->near_device || parscan_host_can_read(array))
        return status;
    return parscan_fail(s->context, PARSCAN_ERROR_INVALID_ARGUMENT,
                        "%s = %p: the host cannot read this memory; a sorter takes host memory",
                        name, array);
}

static parscan_status check_arrays(parscan_sorter *s, const void *keys, const void *values,
                                   size_t n, bool has_keys, bool has_values)
{
    parscan_status status = PARSCAN_OK;
    if (has_keys)
        status = check_array(s, "keys", keys, n, s->shape.key_size);
    if (status == PARSCAN_OK && has_values)
        status = check_array(s, "values", values, n, s->shape.value_size);
    if (status == PARSCAN_OK && !has_values && values != NULL)
        status = parscan_fail(s->context, PARSCAN_ERROR_INVALID_ARGUMENT,
                              "values = %p: it must be NULL %s", values,
                              s->argsort ? "with argsort" : "with value_size = 0");
    return status;
}

static parscan_status push(parscan_sorter *sorter, const void *keys, const void *values, size_t n)
{
    if (sorter->status != PARSCAN_OK)
        return parscan_sorter_fail(sorter, sorter->status, sorter->words);
    if (sorter->is_pulled)
        return parscan_fail(sorter->context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "n = %zu: no elements can be pushed after the first pull", n);
    parscan_status status = parscan_refuse_lengths(sorter->context, "parscan_sorter_push()");
    if (status == PARSCAN_OK)
        status = check_arrays(sorter, keys, values, n, true,
                              sorter->shape.value_size > 0 && !sorter->argsort);
    return status == PARSCAN_OK ? parscan_sorter_fill(sorter, keys, values, n) : status;
}

parscan_status parscan_sorter_push(parscan_sorter *sorter, const void *keys, const void *values,
                                   size_t n)
{
    if (sorter == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    const int cancellation = parscan_hold_cancellation();
    const parscan_status status = push(sorter, keys, values, n);
    parscan_allow_cancellation(cancellation);
    return status;
}

static parscan_status pull(parscan_sorter *sorter, void *keys, void *values, size_t capacity,
                           size_t *got)
{
    if (sorter->status != PARSCAN_OK)
        return parscan_sorter_fail(sorter, sorter->status, sorter->words);
    if (got == NULL)
        return parscan_fail(sorter->context, PARSCAN_ERROR_INVALID_ARGUMENT, "got is NULL");
    parscan_status status = parscan_refuse_lengths(sorter->context, "parscan_sorter_pull()");
    if (status == PARSCAN_OK)
        status = check_arrays(sorter, keys, values, capacity, !sorter->argsort || keys != NULL,
                              sorter->shape.value_size > 0);
    if (status == PARSCAN_OK)
        status = parscan_check_apart(
            sorter->context, (parscan_extent){"keys", keys, capacity * sorter->shape.key_size},
            (parscan_extent){"values", values, capacity * sorter->shape.value_size});
    if (status == PARSCAN_OK && !sorter->is_pulled) {
        sorter->is_pulled = true;
        status = parscan_sorter_end_filling(sorter);
        if (status == PARSCAN_OK)
            status = parscan_sorter_begin_merge(sorter);
    }
    if (status != PARSCAN_OK || sorter->run_count == 0)
        return status;
    return parscan_sorter_merge(sorter, keys, values, capacity, got);
}

parscan_status parscan_sorter_pull(parscan_sorter *sorter, void *keys, void *values,
                                   size_t capacity, size_t *got)
{
    if (got != NULL)
        *got = 0;
    if (sorter == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    const int cancellation = parscan_hold_cancellation();
    const parscan_status status = pull(sorter, keys, values, capacity, got);
    parscan_allow_cancellation(cancellation);
    return status;
}

parscan_status parscan_sorter_counts(const parscan_sorter *sorter, uint64_t *elements,
                                     uint64_t *runs, uint64_t *levels, uint64_t *bytes_spilled)
{
    if (sorter == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    if (elements != NULL)
        *elements = sorter->elements;
    if (runs != NULL)
        *runs = sorter->runs_made;
    if (levels != NULL)
        *levels = sorter->levels;
    if (bytes_spilled != NULL)
        *bytes_spilled = sorter->bytes_spilled;
    return PARSCAN_OK;
}

void parscan_sorter_destroy(parscan_sorter *sorter)
{
    if (sorter == NULL)
        return;
    const int cancellation = parscan_hold_cancellation();
    const parscan_allocator allocator = sorter->allocator;
    parscan_sorter_end_threads(sorter);
    parscan_sorter_end_merge(sorter);
    for (unsigned k = 0; k < 2; k++)
        parscan_sorter_buffer_release(sorter, &sorter->buffers[k]);
    for (unsigned k = 0; sorter->folders != NULL && k < sorter->folder_count; k++)
        parscan_spill_close(&sorter->folders[k]);
    if (sorter->is_locking) {
        pthread_cond_destroy(&sorter->changed);
        pthread_mutex_destroy(&sorter->lock);
    }
    parscan_context_destroy(sorter->own);
    parscan_host_release(&allocator, sorter->folders);
    parscan_host_release(&allocator, sorter->runs);
    parscan_host_release(&allocator, sorter);
    parscan_allow_cancellation(cancellation);
}
