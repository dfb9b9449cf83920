/* The host side of a histogram on CUDA. */
#include "apps/histogram/histogram_cuda.h"

#include "apps/histogram/histogram_call.h"
#include "scan/cuda/cuda_arrays.h"

static histogram_elements elements_of(parscan_type type)
{
    switch (type) {
    case PARSCAN_U8:
    case PARSCAN_I8:
        return HISTOGRAM_BYTES;
    case PARSCAN_U16:
    case PARSCAN_I16:
        return HISTOGRAM_16;
    case PARSCAN_U64:
    case PARSCAN_I64:
        return HISTOGRAM_64;
    case PARSCAN_F32:
        return HISTOGRAM_F32;
    case PARSCAN_F64:
        return HISTOGRAM_F64;
    default:
        return HISTOGRAM_32;
    }
}

static parscan_status check(parscan_context *context, cudaError_t error)
{
    return error == cudaSuccess ? PARSCAN_OK : parscan_cuda_fail(context, error, "a launch");
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
    status = check(context, parscan_histogram_launch(cuda, made));
    if (status == PARSCAN_OK && counts->staged)
        status = check(context, cudaMemsetAsync(scratch, 0, sizeof error, cuda->stream));
    if (status != PARSCAN_OK)
        return status;
    const narrow_counts_params narrow = {
        .from = scratch + 2,
        .to = counts->device,
        .bins = call->bins,
        .error = counts->staged ? scratch : parscan_cuda_deferred(context),
    };
    status = check(context, parscan_histogram_narrow(cuda, &narrow));
    if (status == PARSCAN_OK && counts->staged)
        status = parscan_cuda_unstage(context, error, scratch, sizeof error);
    if (status == PARSCAN_OK && error[0] != PARSCAN_OK)
        status = parscan_fail(context, PARSCAN_ERROR_OVERFLOW,
                              "a count of %llu elements does not fit count_type = u32",
                              (unsigned long long)error[1]);
    return status;
}

static parscan_status count(const histogram_call *call, const parscan_cuda_array *in,
                            const parscan_cuda_array *counts)
{
    histogram_on_device made = {
        .map = call->map,
        .elements = elements_of(call->type),
        .is_signed = call->type == PARSCAN_I8 || call->type == PARSCAN_I16,
        .in = in->device,
        .n = call->n,
        .counts = counts->device,
        .wide = call->count_size == sizeof(uint64_t),
    };
    if (!made.wide && call->n > UINT32_MAX)
        return count_and_narrow(call, &made, counts);
    return check(call->context, parscan_histogram_launch(call->context->cuda, &made));
}

static parscan_status count_afresh(const histogram_call *call)
{
    parscan_context *const context = call->context;
    parscan_cuda_array arrays[] = {
        {.name = "in",
         .given = call->in,
         .bytes = call->n * call->element_size,
         .alignment = call->element_size,
         .access = PARSCAN_READ},
        {.name = "counts",
         .given = call->counts,
         .bytes = call->bins * call->count_size,
         .alignment = call->count_size,
         .access = PARSCAN_WRITE},
    };
    parscan_status status = parscan_cuda_begin(context, "parscan_histogram");
    if (status == PARSCAN_OK)
        status = parscan_cuda_place(context, arrays, 2);
    if (status == PARSCAN_OK)
        status = count(call, &arrays[0], &arrays[1]);
    if (status == PARSCAN_OK)
        status = parscan_cuda_return(context, arrays, 2);
    return parscan_cuda_end(context, status);
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
