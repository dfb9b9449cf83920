/* The host side of a histogram on CUDA. */
#include "apps/histogram/histogram_cuda.h"

#include "apps/histogram/histogram_call.h"
#include "scan/cuda/driver.h"

enum { IN, COUNTS, ARRAYS };

/* What the narrowing of counts has left, on the host. */
static parscan_status check_error(parscan_context *context, const uint64_t error[2])
{
    if (error[0] == PARSCAN_OK)
        return PARSCAN_OK;
    return parscan_fail(context, PARSCAN_ERROR_OVERFLOW,
                        "a count of %llu elements does not fit count_type = u32",
                        (unsigned long long)error[1]);
}

/* Counts in u64 and then narrows the counts, for so many elements that a count may not fit u32.
   If the counts are in host memory, the call itself reports the error. */
static parscan_status count_and_narrow(const histogram_call *call, histogram_on_device *made,
                                       const parscan_cuda_array *counts)
{
    parscan_context *const context = call->context;
    parscan_cuda *const cuda = context->cuda;
    uint64_t *scratch, error[2] = {PARSCAN_OK, 0};
    parscan_status status =
        parscan_cuda_scratch(context, (call->bins + 2) * sizeof *scratch, (void **)&scratch);
    if (status != PARSCAN_OK)
        return status;
    made->counts = scratch + 2;
    made->wide = true;
    status = parscan_cuda_launched(context, parscan_histogram_launch(cuda, made));
    if (status == PARSCAN_OK && counts->staged)
        status =
            parscan_cuda_launched(context, cudaMemsetAsync(scratch, 0, sizeof error, cuda->stream));
    if (status != PARSCAN_OK)
        return status;
    const narrow_counts_params narrow = {
        .from = scratch + 2,
        .to = counts->device,
        .bins = call->bins,
        .error = counts->staged ? scratch : parscan_cuda_deferred(context),
    };
    status = parscan_cuda_launched(context, parscan_histogram_narrow(cuda, &narrow));
    if (status == PARSCAN_OK && counts->staged)
        status = parscan_cuda_unstage(context, error, scratch, sizeof error);
    return status == PARSCAN_OK ? check_error(context, error) : status;
}

static parscan_status count(const histogram_call *call, const parscan_cuda_array *in,
                            const parscan_cuda_array *counts)
{
    const parscan_type_traits type = parscan_type_traits_of(call->type);
    histogram_on_device made = {
        .map = call->map,
        .elements = type.key,
        .is_signed = type.is_signed,
        .in = in->device,
        .n = call->n,
        .counts = counts->device,
        .wide = call->count_size == sizeof(uint64_t),
    };
    if (!made.wide && call->n > UINT32_MAX)
        return count_and_narrow(call, &made, counts);
    return parscan_cuda_launched(call->context,
                                 parscan_histogram_launch(call->context->cuda, &made));
}

/* A call whose elements go through the device in chunks. Its counts stay there, 64 bits wide. In
   scratch: an error and its value, the counts, and room for them in 32 bits. */
typedef struct histogram_chunks {
    const histogram_call *call;
    uint64_t *scratch;
} histogram_chunks;

static size_t scratch_of_chunks(const histogram_call *call)
{
    return (2 + call->bins) * sizeof(uint64_t) + call->bins * sizeof(uint32_t);
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
                parscan_cuda_launched(context, cudaMemsetAsync(scratch, 0, scratch_of_chunks(call),
                                                               context->cuda->stream));
        if (status != PARSCAN_OK)
            return status;
        chunks->scratch = scratch;
    }
    const parscan_type_traits type = parscan_type_traits_of(call->type);
    const histogram_on_device made = {
        .map = call->map,
        .elements = type.key,
        .is_signed = type.is_signed,
        .in = chunk->device[IN],
        .n = chunk->n,
        .counts = chunks->scratch + 2,
        .wide = true,
        .adds = true,
    };
    return parscan_cuda_launched(context, parscan_histogram_launch(context->cuda, &made));
}

static parscan_status give_counts(const histogram_call *call, uint64_t *scratch)
{
    parscan_context *const context = call->context;
    uint64_t *const counts = scratch + 2, error[2] = {PARSCAN_OK, 0};
    if (call->count_size == sizeof(uint64_t))
        return parscan_cuda_copy(context, call->counts, counts, call->bins * call->count_size);
    const narrow_counts_params narrow = {
        .from = counts,
        .to = (uint32_t *)(counts + call->bins),
        .bins = call->bins,
        .error = scratch,
    };
    parscan_status status =
        parscan_cuda_launched(context, parscan_histogram_narrow(context->cuda, &narrow));
    if (status == PARSCAN_OK)
        status = parscan_cuda_unstage(context, error, scratch, sizeof error);
    if (status == PARSCAN_OK)
        status = check_error(context, error);
    return status == PARSCAN_OK
               ? parscan_cuda_copy(context, call->counts, narrow.to, call->bins * call->count_size)
               : status;
}

static bool can_count_chunks(const void *call, const parscan_cuda_passage *passage)
{
    return passage->arrays[IN].staged && passage->room / 4 > scratch_of_chunks(call);
}

static parscan_status count_in_chunks(const void *call, const parscan_cuda_passage *passage)
{
    histogram_chunks work = {call, NULL};
    const parscan_cuda_chunks how = {
        .n = work.call->n, .run = count_histogram_chunk, .work = &work};
    const parscan_status status = parscan_cuda_pass_in_chunks(passage, how);
    return status == PARSCAN_OK ? give_counts(call, work.scratch) : status;
}

static unsigned describe_histogram(const void *given, parscan_cuda_array *arrays)
{
    const histogram_call *const call = given;
    arrays[IN] = parscan_cuda_input("in", call->in, call->n, call->element_size);
    arrays[COUNTS] = parscan_cuda_result("counts", call->counts, call->bins, call->count_size);
    return ARRAYS;
}

static parscan_status launch_histogram(void *call, parscan_cuda_array *arrays)
{
    return count(call, &arrays[IN], &arrays[COUNTS]);
}

static parscan_status count_afresh(histogram_call *call)
{
    static const parscan_cuda_operation operation = {.describe = describe_histogram,
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
