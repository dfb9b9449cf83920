/* The host side of a histogram on CUDA. */
#include "apps/histogram/histogram_cuda.h"

#include "apps/histogram/histogram_call.h"
#include "scan/cuda/driver.h"

enum { IN, COUNTS, ARRAYS };

/* Scratch of counts in u64: what the narrowing has found wrong (a status and a count), then the counts. */
enum { ERROR_WORDS = 2 };

static histogram_on_device histogram_of(const histogram_call *call, const void *in, size_t n)
{
    const parscan_type_traits type = parscan_type_traits_of(call->type);
    return (histogram_on_device){
        .map = call->map, .elements = type.key, .is_signed = type.is_signed, .in = in, .n = n};
}

/* Narrows the counts of such scratch to u32. waits: the call itself reports the error, for which scratch
   has been cleared. */
static parscan_status narrow_counts(const histogram_call *call, uint64_t *scratch, uint32_t *to,
                                    bool waits)
{
    parscan_context *const context = call->context;
    uint64_t error[ERROR_WORDS] = {PARSCAN_OK, 0};
    const narrow_counts_params narrow = {
        .from = scratch + ERROR_WORDS,
        .to = to,
        .bins = call->bins,
        .error = waits ? (parscan_deferred){.words = scratch} : parscan_cuda_deferred(context),
    };
    parscan_status status =
        PARSCAN_CUDA_QUEUE(context, parscan_histogram_narrow(context->cuda, &narrow));
    if (status == PARSCAN_OK && waits)
        status = parscan_cuda_unstage(context, error, scratch, sizeof error);
    if (status != PARSCAN_OK || error[0] == PARSCAN_OK)
        return status;
    return parscan_fail(context, PARSCAN_ERROR_OVERFLOW,
                        "a count of %llu elements does not fit count_type = u32",
                        (unsigned long long)error[1]);
}

/* Counts in u64, in scratch, and then narrows the counts, for so many elements that a count may not fit u32.
   If the counts are in host memory, the call itself reports the error. */
static parscan_status count_and_narrow(const histogram_call *call, histogram_on_device *made,
                                       const parscan_cuda_array *counts, uint64_t *scratch)
{
    parscan_context *const context = call->context;
    parscan_cuda *const cuda = context->cuda;
    parscan_status status;
    made->counts = scratch + ERROR_WORDS;
    made->wide = true;
    status = PARSCAN_CUDA_QUEUE(context, parscan_histogram_launch(cuda, made));
    if (status == PARSCAN_OK && counts->staged)
        status = PARSCAN_CUDA_QUEUE(
            context, cudaMemsetAsync(scratch, 0, ERROR_WORDS * sizeof *scratch, cuda->stream));
    return status == PARSCAN_OK ? narrow_counts(call, scratch, counts->device, counts->staged)
                                : status;
}

static histogram_bound bound_of(const histogram_call *call, const void *given, bool on_device)
{
    histogram_bound bound = {.at = on_device ? given : NULL, .given = given != NULL};
    if (given != NULL && !on_device)
        memcpy(&bound.bits, given, call->element_size);
    return bound;
}

static void set_bounds(const histogram_call *call, histogram_on_device *made)
{
    made->type = call->type;
    made->lower = bound_of(call, call->options.lower, call->lower_on_device);
    made->upper = bound_of(call, call->options.upper, call->upper_on_device);
}

static parscan_status count(const histogram_call *call, const parscan_cuda_array *in,
                            const parscan_cuda_array *counts)
{
    const bool bounds = histogram_has_bounds_on_device(call);
    const bool narrows = call->count_size == sizeof(uint32_t) && call->n > UINT32_MAX;
    const size_t made_bytes = bounds ? (sizeof(histogram_made) + 255) / 256 * 256 : 0;
    histogram_on_device made = histogram_of(call, in->device, call->n);
    char *scratch = NULL;
    parscan_status status = PARSCAN_OK;
    if (bounds || narrows)
        status = parscan_cuda_scratch(
            call->context,
            made_bytes + (narrows ? (ERROR_WORDS + call->bins) * sizeof(uint64_t) : 0),
            (void **)&scratch);
    if (status != PARSCAN_OK)
        return status;
    made.counts = counts->device;
    made.wide = call->count_size == sizeof(uint64_t);
    made.n_at = call->n_at;
    if (call->n_at != NULL || bounds)
        made.deferred = parscan_cuda_deferred(call->context);
    if (bounds) {
        made.made = (histogram_made *)scratch;
        set_bounds(call, &made);
    }
    if (narrows)
        return count_and_narrow(call, &made, counts, (uint64_t *)(scratch + made_bytes));
    return PARSCAN_CUDA_QUEUE(call->context, parscan_histogram_launch(call->context->cuda, &made));
}

/* A call whose elements go through the device in chunks. Its counts stay there, 64 bits wide; behind
   them scratch has room for them in 32 bits. */
typedef struct histogram_chunks {
    const histogram_call *call;
    uint64_t *scratch;
} histogram_chunks;

static size_t scratch_of_chunks(const histogram_call *call)
{
    return (ERROR_WORDS + call->bins) * sizeof(uint64_t) + call->bins * sizeof(uint32_t);
}

static parscan_status count_histogram_chunk(void *work, parscan_cuda_chunk *chunk)
{
    histogram_chunks *const chunks = work;
    const histogram_call *const call = chunks->call;
    parscan_context *const context = call->context;
    if (chunk->number == 0) {
        void *scratch;
        parscan_status status = parscan_cuda_scratch(context, scratch_of_chunks(call), &scratch);
        if (status == PARSCAN_OK)
            status =
                PARSCAN_CUDA_QUEUE(context, cudaMemsetAsync(scratch, 0, scratch_of_chunks(call),
                                                            context->cuda->stream));
        if (status != PARSCAN_OK)
            return status;
        chunks->scratch = scratch;
    }
    histogram_on_device made = histogram_of(call, chunk->device[IN], chunk->n);
    made.counts = chunks->scratch + ERROR_WORDS;
    made.wide = made.adds = true;
    return PARSCAN_CUDA_QUEUE(context, parscan_histogram_launch(context->cuda, &made));
}

static parscan_status give_counts(const histogram_call *call, uint64_t *scratch)
{
    parscan_context *const context = call->context;
    uint64_t *const counts = scratch + ERROR_WORDS;
    uint32_t *const narrow = (uint32_t *)(counts + call->bins);
    if (call->count_size == sizeof(uint64_t))
        return parscan_cuda_copy(context, call->counts, counts, call->bins * call->count_size);
    const parscan_status status = narrow_counts(call, scratch, narrow, true);
    return status == PARSCAN_OK
               ? parscan_cuda_copy(context, call->counts, narrow, call->bins * call->count_size)
               : status;
}

static bool can_count_chunks(const void *call, const parscan_cuda_passage *passage)
{
    return passage->arrays[IN].staged && passage->room / 4 > scratch_of_chunks(call);
}

static parscan_status count_in_chunks(const void *given, const parscan_cuda_passage *passage)
{
    histogram_call call = *(const histogram_call *)given;
    histogram_chunks work = {&call, NULL};
    const parscan_cuda_chunks how = {.n = call.n, .run = count_histogram_chunk, .work = &work};
    parscan_status status = PARSCAN_OK;
    if (histogram_has_bounds_on_device(&call))
        status = parscan_fetch_histogram_bounds(&call);
    if (status == PARSCAN_OK)
        status = parscan_cuda_pass_in_chunks(passage, how);
    return status == PARSCAN_OK ? give_counts(&call, work.scratch) : status;
}

static unsigned describe_histogram(const void *given, parscan_cuda_array *arrays)
{
    const histogram_call *const call = given;
    arrays[IN] = parscan_cuda_input("in", call->in, call->n, call->element_size);
    arrays[COUNTS] = parscan_cuda_result("counts", call->counts, call->bins, call->count_size);
    return ARRAYS;
}

static unsigned lengths_of_histogram(void *given, parscan_cuda_length *lengths)
{
    histogram_call *const call = given;
    lengths[0] = (parscan_cuda_length){LENGTH_N, &call->n, &call->n_at};
    return 1;
}

/* Host arrays wait for the stream anyway. */
static parscan_status launch_histogram(void *call, parscan_cuda_array *arrays)
{
    if (histogram_has_bounds_on_device(call) && (arrays[IN].staged || arrays[COUNTS].staged)) {
        const parscan_status status = parscan_fetch_histogram_bounds(call);
        if (status != PARSCAN_OK)
            return status;
    }
    return count(call, &arrays[IN], &arrays[COUNTS]);
}

static parscan_status count_afresh(histogram_call *call)
{
    static const parscan_cuda_operation operation = {.describe = describe_histogram,
                                                     .lengths = lengths_of_histogram,
                                                     .can_pass = can_count_chunks,
                                                     .in_chunks = count_in_chunks,
                                                     .launch = launch_histogram};
    return parscan_cuda_run(call->context, "parscan_histogram", &operation, call);
}

/* The counts of a chunk, in host memory, are added to those of the chunks before. */
static parscan_status add_counts(histogram_call *call)
{
    void *counts;
    const parscan_status scratch =
        parscan_scratch(call->context, call->bins * call->count_size, &counts);
    if (scratch != PARSCAN_OK)
        return scratch;
    histogram_call chunk = *call;
    chunk.counts = counts;
    const parscan_status status = count_afresh(&chunk);
    if (call->context->measures)
        return status;
    for (size_t bin = 0; status == PARSCAN_OK && bin < call->bins; bin++) {
        uint64_t amount = 0;
        memcpy(&amount, chunk.counts + bin * call->count_size, call->count_size);
        histogram_add(call, bin, amount);
    }
    return status;
}

parscan_status parscan_histogram_cuda(histogram_call *call)
{
    return call->adds ? add_counts(call) : count_afresh(call);
}
