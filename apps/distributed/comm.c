/* Communicators (parscan/comm.h): their life, and the exchanges of small values, which agree on a
   status. */
#include "parscan/comm.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "apps/distributed/comm_state.h"
#include "parscan/memory.h"
#include "scan/context/call_lengths.h"
#include "scan/context/cancellation.h"
#include "scan/context/check.h"

#define DEFAULT_TIMEOUT 60.0

PARSCAN_STRUCT_CAN_GROW(parscan_comm_functions, lend, PARSCAN_OLDEST_COMM_FUNCTIONS);
PARSCAN_STRUCT_CAN_GROW(parscan_comm_options, timeout, PARSCAN_OLDEST_COMM_OPTIONS);

/* ---- life ---- */

static parscan_status check_timeout(parscan_context *context, double seconds)
{
    if (seconds >= 0)
        return PARSCAN_OK;
    return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                        "timeout = %g: it must be 0 or more seconds", seconds);
}

static parscan_status check_comm_options(parscan_context *context,
                                         const parscan_comm_options *options,
                                         parscan_comm_functions *functions)
{
    if (options->size == 0 || options->rank >= options->size)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "rank = %u, size = %u: rank must be less than size", options->rank,
                            options->size);
    if (options->size > 1 && options->functions == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "functions is NULL: only a single rank needs none");
    parscan_status status =
        parscan_read_struct(context, "functions", options->functions, PARSCAN_OLDEST_COMM_FUNCTIONS,
                            functions, sizeof *functions);
    if (status == PARSCAN_OK && options->size > 1 &&
        (functions->all_gather == NULL || functions->all_to_all == NULL || functions->wait == NULL))
        status = parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                              "functions: all_gather, all_to_all and wait must not be NULL");
    if (status == PARSCAN_OK && functions->multiprocessors < 0)
        status = parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                              "functions: multiprocessors = %d: it must be 0 or more",
                              functions->multiprocessors);
    return status == PARSCAN_OK ? check_timeout(context, options->timeout) : status;
}

static parscan_status make(parscan_comm **comm, parscan_context *context,
                           const parscan_comm_options *options,
                           const parscan_comm_functions *functions)
{
    const size_t size = options->size;
    const size_t bytes = sizeof **comm + size * (COMM_SLICE_BYTES + 4 * sizeof(size_t));
    parscan_comm *const made = parscan_host_allocate(&context->allocator, bytes);
    if (made == NULL)
        return parscan_fail(context, PARSCAN_ERROR_OUT_OF_MEMORY,
                            "no memory for %zu bytes of a communicator", bytes);
    memset(made, 0, sizeof *made);
    made->context = context;
    made->rank = options->rank;
    made->size = options->size;
    made->functions = *functions;
    made->user = options->user;
    made->timeout = options->timeout > 0 ? options->timeout : DEFAULT_TIMEOUT;
    made->counts = (size_t *)(void *)(made + 1);
    made->gathered = (unsigned char *)(made->counts + 4 * size);
    *comm = made;
    return PARSCAN_OK;
}

parscan_status parscan_comm_create(parscan_comm **comm, parscan_context *context,
                                   const parscan_comm_options *given)
{
    parscan_comm_options options;
    parscan_comm_functions functions;
    if (comm == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "comm is NULL");
    *comm = NULL;
    if (context == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    if (given == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "options is NULL: they tell rank and size");
    if (context->measures)
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "measure = 1: calls of several ranks cannot be measured");
    parscan_status status = parscan_read_struct(
        context, "options", given, PARSCAN_OLDEST_COMM_OPTIONS, &options, sizeof options);
    if (status == PARSCAN_OK)
        status = check_comm_options(context, &options, &functions);
    return status == PARSCAN_OK ? make(comm, context, &options, &functions) : status;
}

/* ---- memory of a call ---- */

/* On the host the memory follows the block. */
typedef struct comm_block {
    struct comm_block *next;
    void *on_engine; /* NULL: none */
    unsigned char padding[48];
} comm_block;

parscan_status parscan_comm_allocate(parscan_comm *comm, comm_place place, size_t size,
                                     void **memory)
{
    parscan_context *const context = comm->context;
    const bool behind = place == COMM_ON_HOST;
    *memory = NULL;
    if (size == 0)
        return PARSCAN_OK;
    comm_block *const block =
        size > SIZE_MAX / 2
            ? NULL
            : parscan_host_allocate(&context->allocator, sizeof *block + (behind ? size : 0));
    if (block == NULL)
        return parscan_fail(context, PARSCAN_ERROR_OUT_OF_MEMORY, "no memory for %zu bytes", size);
    *block = (comm_block){.next = comm->blocks};
    comm->blocks = block;
    *memory = block + 1;
    if (behind)
        return PARSCAN_OK;
    *memory = NULL;
    const parscan_status status = parscan_malloc_shared(context, &block->on_engine, size);
    *memory = block->on_engine;
    return status;
}

static void free_blocks(parscan_comm *comm)
{
    while (comm->blocks != NULL) {
        comm_block *const block = comm->blocks;
        comm->blocks = block->next;
        parscan_free(comm->context, block->on_engine);
        parscan_host_release(&comm->context->allocator, block);
    }
}

void parscan_comm_end(parscan_comm *comm)
{
    if (!comm->broken)
        free_blocks(comm);
    parscan_allow_cancellation(comm->cancellation);
}

void parscan_comm_destroy(parscan_comm *comm)
{
    if (comm == NULL)
        return;
    const int cancellation = parscan_hold_cancellation();
    const parscan_allocator *const allocator = &comm->context->allocator;
    if (comm->functions.release != NULL)
        comm->functions.release(comm->user);
    parscan_stage_release(comm);
    free_blocks(comm);
    parscan_comm_release_kept(comm);
    parscan_host_release(allocator, comm->staging.data);
    parscan_host_release(allocator, comm);
    parscan_allow_cancellation(cancellation);
}

parscan_context *parscan_comm_context(const parscan_comm *comm)
{
    return comm != NULL ? comm->context : NULL;
}

unsigned parscan_comm_rank(const parscan_comm *comm)
{
    return comm != NULL ? comm->rank : 0;
}

unsigned parscan_comm_size(const parscan_comm *comm)
{
    return comm != NULL ? comm->size : 0;
}

parscan_status parscan_comm_set_timeout(parscan_comm *comm, double seconds)
{
    if (comm == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    const parscan_status status = check_timeout(comm->context, seconds);
    if (status != PARSCAN_OK)
        return parscan_comm_fail(comm, status, "%s", parscan_context_error(comm->context));
    comm->timeout = seconds > 0 ? seconds : DEFAULT_TIMEOUT;
    return PARSCAN_OK;
}

const char *parscan_comm_error(const parscan_comm *comm)
{
    return comm != NULL ? comm->error : "comm is NULL";
}

/* ---- failures ---- */

parscan_status parscan_comm_fail(parscan_comm *comm, parscan_status status, const char *format, ...)
{
    char words[sizeof comm->error];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    memcpy(comm->error, words, sizeof words);
    return parscan_fail(comm->context, status, "%s", comm->error);
}

parscan_status parscan_comm_broke(parscan_comm *comm, parscan_status status, const char *what)
{
    if (status == PARSCAN_OK)
        return PARSCAN_OK;
    const char *const words =
        comm->functions.error != NULL ? comm->functions.error(comm->user) : NULL;
    comm->broken = true;
    return parscan_comm_fail(
        comm, PARSCAN_ERROR_DEVICE, "rank %u: %s failed: %s. The communicator is broken",
        comm->rank, what, words != NULL && words[0] != 0 ? words : parscan_status_string(status));
}

parscan_status parscan_comm_begin(parscan_comm *comm, const char *name)
{
    if (comm == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    if (comm->broken)
        return parscan_fail(comm->context, PARSCAN_ERROR_DEVICE, "%s", comm->error);
    comm->cancellation = parscan_hold_cancellation();
    const parscan_backend backend = comm->context->backend;
    comm->call = name;
    comm->digest = 0;
    comm->early = parscan_refuse_lengths(comm->context, name);
    if (comm->early == PARSCAN_OK)
        comm->early = parscan_stage_check(comm);
    memset(comm->taken, 0, sizeof comm->taken);
    parscan_comm_note(comm, name, strlen(name));
    parscan_comm_note(comm, &backend, sizeof backend);
    return PARSCAN_OK;
}

/* FNV-1a. */
void parscan_comm_note(parscan_comm *comm, const void *argument, size_t bytes)
{
    const unsigned char *const from = argument;
    uint64_t digest = comm->digest != 0 ? comm->digest : UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < bytes; i++)
        digest = (digest ^ from[i]) * UINT64_C(0x100000001b3);
    comm->digest = digest;
}

parscan_status parscan_comm_room(parscan_comm *comm, size_t size, void **memory)
{
    const parscan_allocator *const allocator = &comm->context->allocator;
    if (size > comm->staging.size) {
        parscan_host_release(allocator, comm->staging.data);
        comm->staging = (parscan_memory){parscan_host_allocate(allocator, size), size};
    }
    *memory = comm->staging.data;
    if (comm->staging.data != NULL || size == 0)
        return PARSCAN_OK;
    comm->staging.size = 0;
    return parscan_fail(comm->context, PARSCAN_ERROR_OUT_OF_MEMORY,
                        "no memory for %zu bytes of an exchange", size);
}

/* ---- small values ---- */

/* What a rank sends first; the values follow it. */
typedef struct comm_header {
    uint32_t status, reserved;
    uint64_t digest;
} comm_header;

enum { FIRST_VALUES = COMM_FIRST_BYTES - sizeof(comm_header) };

/* Gathers comm->mine[0 .. bytes) of all ranks in comm->gathered. */
static parscan_status gather_mine(parscan_comm *comm, size_t bytes)
{
    void *request = NULL;
    if (comm->size == 1) {
        memcpy(comm->gathered, comm->mine, bytes);
        return PARSCAN_OK;
    }
    parscan_status status = comm->functions.all_gather(
        comm->user, comm->mine, bytes, comm->gathered, PARSCAN_COMM_HOST, NULL, &request);
    if (status == PARSCAN_OK)
        status = comm->functions.wait(comm->user, request, comm->timeout);
    return parscan_comm_broke(comm, status, "an exchange");
}

/* Fails with the message of a rank, which all ranks gather. */
static parscan_status fail_by_rank(parscan_comm *comm, unsigned rank, parscan_status status)
{
    enum { WORDS = sizeof comm->context->error };
    memcpy(comm->mine, comm->context->error, WORDS);
    const parscan_status gathered = gather_mine(comm, WORDS);
    const char *const words = (const char *)comm->gathered + (size_t)rank * WORDS;
    return gathered == PARSCAN_OK
               ? parscan_comm_fail(comm, status, "rank %u: %.*s", rank, WORDS, words)
               : gathered;
}

/* Fails since the arguments of a rank are not rank 0's: all ranks tell what they called. */
static parscan_status fail_by_call(parscan_comm *comm, unsigned rank)
{
    enum { WORDS = 64 };
    snprintf((char *)comm->mine, WORDS, "%s on %s", comm->call,
             parscan_backend_name(comm->context->backend));
    const parscan_status gathered = gather_mine(comm, WORDS);
    const char *const first = (const char *)comm->gathered, *const other =
                                                                first + (size_t)rank * WORDS;
    if (gathered != PARSCAN_OK)
        return gathered;
    if (strncmp(first, other, WORDS) == 0)
        return parscan_comm_fail(comm, PARSCAN_ERROR_INVALID_ARGUMENT,
                                 "rank %u: another argument or option of %.*s than on rank 0", rank,
                                 WORDS, first);
    return parscan_comm_fail(comm, PARSCAN_ERROR_INVALID_ARGUMENT,
                             "rank %u: another function or engine than on rank 0: %.*s, not %.*s",
                             rank, WORDS, other, WORDS, first);
}

/* The status that all ranks agree on: of the first that failed, or of the first with other
   arguments than rank 0's. */
static parscan_status look_at_headers(parscan_comm *comm)
{
    comm_header first, header;
    memcpy(&first, comm->gathered, sizeof first);
    for (unsigned rank = 0; rank < comm->size; rank++) {
        memcpy(&header, comm->gathered + (size_t)rank * COMM_FIRST_BYTES, sizeof header);
        if (header.status != PARSCAN_OK)
            return fail_by_rank(comm, rank, (parscan_status)header.status);
    }
    for (unsigned rank = 1; rank < comm->size; rank++) {
        memcpy(&header, comm->gathered + (size_t)rank * COMM_FIRST_BYTES, sizeof header);
        if (header.digest != first.digest)
            return fail_by_call(comm, rank);
    }
    return PARSCAN_OK;
}

/* Copies bytes at + 0 .. at + n - 1 of all ranks from the gathered ones. */
static void take_values(const parscan_comm *comm, size_t stride, size_t from, size_t n, size_t at,
                        size_t bytes, void *all)
{
    for (unsigned rank = 0; rank < comm->size; rank++)
        memcpy((char *)all + rank * bytes + at, comm->gathered + rank * stride + from, n);
}

parscan_status parscan_comm_gather(parscan_comm *comm, parscan_status status, const void *mine,
                                   size_t bytes, void *all)
{
    const parscan_status own = status != PARSCAN_OK ? status : comm->early;
    const comm_header header = {(uint32_t)own, 0, comm->digest};
    const size_t now = bytes < FIRST_VALUES ? bytes : FIRST_VALUES;
    if (comm->broken)
        return PARSCAN_ERROR_DEVICE;
    comm->digest = 0;
    comm->early = PARSCAN_OK;
    memset(comm->mine, 0, COMM_FIRST_BYTES);
    memcpy(comm->mine, &header, sizeof header);
    if (now > 0)
        memcpy(comm->mine + sizeof header, mine, now);
    parscan_status agreed = gather_mine(comm, COMM_FIRST_BYTES);
    if (agreed == PARSCAN_OK)
        agreed = look_at_headers(comm);
    if (agreed == PARSCAN_OK && now > 0)
        take_values(comm, COMM_FIRST_BYTES, sizeof header, now, 0, bytes, all);
    for (size_t at = now; agreed == PARSCAN_OK && at < bytes; at += COMM_SLICE_BYTES) {
        const size_t n = bytes - at < COMM_SLICE_BYTES ? bytes - at : COMM_SLICE_BYTES;
        memcpy(comm->mine, (const char *)mine + at, n);
        agreed = gather_mine(comm, n);
        if (agreed == PARSCAN_OK)
            take_values(comm, n, 0, n, at, bytes, all);
    }
    return agreed;
}

parscan_status parscan_agree(parscan_comm *comm, parscan_status status)
{
    return parscan_comm_gather(comm, status, NULL, 0, NULL);
}

parscan_status parscan_comm_finish(parscan_comm *comm, parscan_status status)
{
    return parscan_agree(comm, status == PARSCAN_OK ? parscan_synchronize(comm->context) : status);
}
