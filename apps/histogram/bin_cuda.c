/*
 * The CUDA engine's host side of a counting sort by bins. Few elements are one launch; more are sorted by
 * their bins in passes of a radix sort (apps/sort), of which the first leaves out what has no bin. Passes
 * need no offsets, but know them: those of digits are those of up to 2^8 bins; of more, the last pass
 * leaves where each bin begins that has elements, and a scan in reverse fills in the others. Where only
 * the offsets are wanted, they are the exclusive scan of the histogram of the bins.
 */
#include "apps/histogram/bin_cuda.h"

#include "apps/histogram/bin_call.h"
#include "apps/histogram/histogram_cuda.h"
#include "parscan/scan.h"
#include "scan/cuda/cuda_arrays.h"

enum { BIN_OF, BIN_VALUES, BIN_OFFSETS, BIN_OUT, BIN_ARRAYS };

typedef struct bin_job {
    const bin_call *call;
    parscan_cuda_array arrays[BIN_ARRAYS];
    sort_bins bins;
    bool wide;    /* bins have 64 bits in the passes */
    bool fetches; /* what is sorted are indices of values */
} bin_job;

static parscan_status check(parscan_context *context, cudaError_t error)
{
    return error == cudaSuccess ? PARSCAN_OK : parscan_cuda_fail(context, error, "a launch");
}

static histogram_elements elements_of(parscan_type type)
{
    return type == PARSCAN_U8    ? HISTOGRAM_BYTES
           : type == PARSCAN_U16 ? HISTOGRAM_16
           : type == PARSCAN_U32 ? HISTOGRAM_32
                                 : HISTOGRAM_64;
}

/* Counts bins where the offsets will be. */
static parscan_status count_bins(const bin_job *job)
{
    const bin_call *const call = job->call;
    parscan_cuda *const cuda = call->context->cuda;
    if (call->bins <= UINT32_MAX) {
        const histogram_on_device made = {
            .map = {.kind = BIN_MAP_SHIFT, .bins = (uint32_t)call->bins, .width = call->bins},
            .elements = elements_of(call->bin_type),
            .in = job->arrays[BIN_OF].device,
            .n = call->n,
            .counts = job->bins.offsets,
            .wide = job->bins.wide,
        };
        return check(call->context, parscan_histogram_launch(cuda, &made));
    }
    const count_bins_call all = {job->arrays[BIN_OF].device, call->n, job->bins};
    const cudaError_t error =
        cudaMemsetAsync(job->bins.offsets, 0, call->bins * call->offset_size, cuda->stream);
    return check(call->context,
                 error != cudaSuccess ? error : parscan_bin_count_launch(cuda, &all));
}

static parscan_status find_offsets(const bin_job *job)
{
    const bin_call *const call = job->call;
    char *const offsets = job->arrays[BIN_OFFSETS].device;
    parscan_status status = PARSCAN_OK;
    if (call->bins > 0)
        status = count_bins(job);
    if (status == PARSCAN_OK)
        status =
            check(call->context, cudaMemsetAsync(offsets + call->bins * call->offset_size, 0,
                                                 call->offset_size, call->context->cuda->stream));
    if (status == PARSCAN_OK && call->bins > 0 && call->n > 0)
        status = parscan_exclusive_scan(call->context, call->offset_type, offsets, offsets,
                                        call->bins + 1, NULL);
    return status;
}

static sort_bins bins_of(const bin_job *job)
{
    const bin_call *const call = job->call;
    const size_t size = parscan_type_size(call->bin_type);
    const uint64_t most = size < 4 ? (uint64_t)1 << 8 * size : UINT64_MAX;
    return (sort_bins){
        .count = call->bins < most ? call->bins : most,
        .size = size,
        .bins = call->bins,
        .offsets = job->arrays[BIN_OFFSETS].device,
        .wide = call->offset_size == sizeof(uint64_t),
        .emits = call->bins > SORT_DIGITS,
    };
}

/* Values that are words go through the passes; of others, their indices. */
static bool are_words(const bin_job *job)
{
    const size_t size = job->call->value_size;
    return (size == 4 || size == 8) && (uintptr_t)job->arrays[BIN_VALUES].device % size == 0 &&
           (uintptr_t)job->arrays[BIN_OUT].device % size == 0;
}

static parscan_status make_room(const bin_job *job, parscan_sort_cuda_call *sort)
{
    const size_t n = job->call->n, entries = n * sort->value_size;
    const size_t bins = n * (job->wide ? sizeof(uint64_t) : sizeof(uint32_t));
    scratch_piece pieces[5];
    unsigned count = 0;
    const bool few = n <= BIN_IN_BLOCK;
    if (!few || job->fetches)
        pieces[count++] = (scratch_piece){sizeof(sort_plan), (void **)&sort->plan};
    if (job->fetches)
        pieces[count++] = (scratch_piece){entries, &sort->values[SORT_OUT]};
    if (!few && sort->passes > 1) {
        pieces[count++] = (scratch_piece){bins, &sort->keys[SORT_SPARE]};
        pieces[count++] = (scratch_piece){entries, &sort->values[SORT_SPARE]};
    }
    if (!few && sort->passes > 2)
        pieces[count++] = (scratch_piece){bins, &sort->keys[SORT_OUT]};
    return count == 0 ? PARSCAN_OK : parscan_sort_take_scratch(job->call->context, pieces, count);
}

/* Where a bin without elements begins: where the next one does that has any. */
static parscan_status fill_offsets(const bin_job *job)
{
    const bin_call *const call = job->call;
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MIN, .reverse = true);
    return parscan_inclusive_scan(call->context, call->offset_type, job->bins.offsets,
                                  job->bins.offsets, call->bins + 1, &options);
}

static parscan_status fetch_values(const bin_job *job, const parscan_sort_cuda_call *sort)
{
    const parscan_gather_call gather = {
        .in = job->arrays[BIN_VALUES].device,
        .index = sort->values[SORT_OUT],
        .out = job->arrays[BIN_OUT].device,
        .size = job->call->value_size,
        .n = job->call->n,
        .index_size = sort->value_size,
        .count = &sort->plan->kept,
    };
    return parscan_gather_cuda(job->call->context, &gather);
}

/* Values in the order of their bins, and offsets; of few elements, with values or without. */
static parscan_status sort_by_bins(bin_job *job)
{
    const bin_call *const call = job->call;
    const bool places = call->values_out != NULL, numbers = call->values == NULL;
    job->fetches = places && !numbers && !are_words(job);
    job->wide = job->bins.size == sizeof(uint64_t) || job->bins.count > UINT32_MAX;
    parscan_sort_cuda_call sort = {
        .context = call->context,
        .keys = {job->arrays[BIN_OF].device},
        .values = {job->arrays[BIN_VALUES].device, job->arrays[BIN_OUT].device},
        .n = call->n,
        .value_size = !job->fetches && places               ? call->value_size
                      : call->n <= (uint64_t)UINT32_MAX + 1 ? sizeof(uint32_t)
                                                            : sizeof(uint64_t),
        .numbers = numbers || job->fetches,
        .drops_keys = true,
        .bins = job->bins,
    };
    uint64_t bits = 1;
    while (bits < job->bins.count - 1)
        bits = 2 * bits + 1;
    parscan_sort_choose_digits(&sort, bits, false);
    parscan_status status = make_room(job, &sort);
    if (status == PARSCAN_OK)
        status = job->wide ? parscan_bin_cuda_u64(&sort) : parscan_bin_cuda_u32(&sort);
    if (status == PARSCAN_OK && job->bins.emits && call->n > BIN_IN_BLOCK)
        status = fill_offsets(job);
    return status == PARSCAN_OK && job->fetches ? fetch_values(job, &sort) : status;
}

/* As many values as have a bin come back to the host. */
static parscan_status learn_kept(bin_job *job)
{
    const bin_call *const call = job->call;
    const char *const end =
        (const char *)job->arrays[BIN_OFFSETS].device + call->bins * call->offset_size;
    uint64_t kept = 0;
    const parscan_status status =
        parscan_cuda_unstage(call->context, &kept, end, call->offset_size);
    job->arrays[BIN_OUT].bytes = kept * call->value_size;
    return status;
}

static parscan_status bin(bin_job *job)
{
    const bin_call *const call = job->call;
    const bool any = call->n > 0 && call->bins > 0;
    job->bins = bins_of(job);
    parscan_status status = any && (call->values_out != NULL || call->n <= BIN_IN_BLOCK)
                                ? sort_by_bins(job)
                                : find_offsets(job);
    if (status == PARSCAN_OK && job->arrays[BIN_OUT].staged)
        status = learn_kept(job);
    return status == PARSCAN_OK ? parscan_cuda_return(call->context, job->arrays, BIN_ARRAYS)
                                : status;
}

parscan_status parscan_bin_cuda(const bin_call *call)
{
    parscan_context *const context = call->context;
    const size_t bin_size = parscan_type_size(call->bin_type), size = call->value_size;
    const bool has_values = call->values != NULL && call->values_out != NULL;
    const size_t out_bytes = call->values_out != NULL ? call->n * size : 0;
    /* Indices are of a type; values are bytes. */
    const size_t out_alignment = call->values == NULL ? size : 1;
    bin_job job = {
        .call = call,
        .arrays = {{"bin_of", call->bin_of, call->n * bin_size, bin_size, PARSCAN_READ, NULL, 0},
                   {"values", call->values, has_values ? call->n * size : 0, 1, PARSCAN_READ, NULL,
                    0},
                   {"offsets", call->offsets, (call->bins + 1) * call->offset_size,
                    call->offset_size, PARSCAN_WRITE, NULL, 0},
                   {"values_out", call->values_out, out_bytes, out_alignment, PARSCAN_WRITE, NULL,
                    0}},
    };
    parscan_status status = parscan_cuda_begin(context, "parscan_bin");
    if (status == PARSCAN_OK)
        status = parscan_cuda_place(context, job.arrays, BIN_ARRAYS);
    if (status == PARSCAN_OK)
        status = bin(&job);
    return parscan_cuda_end(context, status);
}
