/*
 * The CUDA engine's host side of a counting sort by bins: offsets are the exclusive scan of the histogram
 * of the bins; entries go through passes of a digit each (bin_kernels.cuh).
 */
#include "apps/histogram/bin_cuda.h"

#include "apps/histogram/bin_call.h"
#include "apps/histogram/histogram_cuda.h"
#include "parscan/scan.h"
#include "scan/context/cuda_arrays.h"

enum { BIN_OF, VALUES, OFFSETS, VALUES_OUT, ARRAYS };

typedef struct bin_job {
    const bin_call *call;
    parscan_cuda_array arrays[ARRAYS];
    size_t tiles;
    bool wide;    /* counts of 64 bits */
    bool fetches; /* entries are indices of values */
    size_t entry_size;
    unsigned passes, bits, unit;
    void *counts; /* scratch */
    char *pairs[2];
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
    void *const offsets = job->arrays[OFFSETS].device;
    const bool wide = call->offset_size == sizeof(uint64_t);
    if (call->bins <= UINT32_MAX) {
        const histogram_on_device made = {
            .map = {.kind = BIN_MAP_SHIFT, .bins = (uint32_t)call->bins, .width = call->bins},
            .elements = elements_of(call->bin_type),
            .in = job->arrays[BIN_OF].device,
            .n = call->n,
            .counts = offsets,
            .wide = wide,
        };
        return check(call->context, parscan_histogram_launch(cuda, &made));
    }
    const bin_pass all = {.bin_type = call->bin_type,
                          .bin_of = job->arrays[BIN_OF].device,
                          .n = call->n,
                          .bins = call->bins};
    const cudaError_t error =
        cudaMemsetAsync(offsets, 0, call->bins * call->offset_size, cuda->stream);
    return check(call->context, error != cudaSuccess
                                    ? error
                                    : parscan_bin_count_all_launch(cuda, &all, offsets, wide));
}

static parscan_status find_offsets(const bin_job *job)
{
    const bin_call *const call = job->call;
    char *const offsets = job->arrays[OFFSETS].device;
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

/* Passes of up to 8 bits, all of as many. */
static void choose_digits(bin_job *job)
{
    unsigned bits = 0;
    while (bits < 64 && (job->call->bins - 1) >> bits != 0)
        bits++;
    job->passes = bits > BIN_DIGIT_BITS ? (bits + BIN_DIGIT_BITS - 1) / BIN_DIGIT_BITS : 1;
    job->bits = (bits + job->passes - 1) / job->passes;
}

/* The widest unit in which all values may be moved, and whether they go through the passes as such. */
static void choose_entries(bin_job *job)
{
    const bin_call *const call = job->call;
    const uintptr_t all = (uintptr_t)job->arrays[VALUES].device |
                          (uintptr_t)job->arrays[VALUES_OUT].device | call->value_size;
    job->wide = call->n > UINT32_MAX;
    job->unit = 16;
    while (all % job->unit != 0)
        job->unit /= 2;
    const bool words = call->value_size == sizeof(uint32_t) || call->value_size == sizeof(uint64_t);
    job->fetches = call->values != NULL && !(words && job->unit == call->value_size);
    job->entry_size = !job->fetches ? call->value_size
                      : job->wide   ? sizeof(uint64_t)
                                    : sizeof(uint32_t);
}

static size_t counts_of(const bin_job *job)
{
    return (job->tiles << job->bits) + 1;
}

static parscan_status make_room(bin_job *job)
{
    const size_t n = job->call->n, size = job->wide ? sizeof(uint64_t) : sizeof(uint32_t);
    const size_t counts = (counts_of(job) * size + 15) / 16 * 16;
    const size_t pairs = (n * (job->entry_size + sizeof(uint32_t)) + 15) / 16 * 16;
    const unsigned buffers = job->passes < 3 ? job->passes - 1 : 2;
    void *scratch = NULL;
    const parscan_status status =
        parscan_cuda_scratch(job->call->context, counts + buffers * pairs, &scratch);
    job->counts = scratch;
    job->pairs[0] = (char *)scratch + counts;
    job->pairs[1] = (char *)scratch + counts + (buffers > 1 ? pairs : 0);
    return status;
}

static bin_pass pass_of(const bin_job *job, unsigned number)
{
    const bin_call *const call = job->call;
    const size_t entries = call->n * job->entry_size;
    const bool first = number == 0, last = number + 1 == job->passes;
    char *const from = first ? NULL : job->pairs[(number - 1) % 2];
    char *const to = last ? NULL : job->pairs[number % 2];
    const void *const given =
        call->values != NULL && !job->fetches ? job->arrays[VALUES].device : NULL;
    return (bin_pass){
        .bin_type = first ? call->bin_type : PARSCAN_U32,
        .bin_of = first ? job->arrays[BIN_OF].device : from + entries,
        .entries = first ? given : from,
        .entry_size = job->entry_size,
        .n = call->n,
        .tiles = job->tiles,
        .kept = first ? NULL : (char *)job->arrays[OFFSETS].device + call->bins * call->offset_size,
        .kept_wide = call->offset_size == sizeof(uint64_t),
        .bins = call->bins,
        .shift = number * job->bits,
        .digits = 1u << job->bits,
        .wide = job->wide,
        .counts = job->counts,
        .bins_out = last ? NULL : (uint32_t *)(void *)(to + entries),
        .entries_out = last ? job->arrays[VALUES_OUT].device : to,
        .fetches = last && job->fetches,
        .values = call->values != NULL ? job->arrays[VALUES].device : NULL,
        .value_size = call->value_size,
        .unit = job->unit,
    };
}

static parscan_status run_pass(const bin_job *job, unsigned number)
{
    const bin_call *const call = job->call;
    parscan_context *const context = call->context;
    const bin_pass pass = pass_of(job, number);
    const size_t size = job->wide ? sizeof(uint64_t) : sizeof(uint32_t);
    char *const behind = (char *)job->counts + (counts_of(job) - 1) * size;
    parscan_status status = check(context, parscan_bin_count_launch(context->cuda, &pass));
    if (status == PARSCAN_OK)
        status = check(context, cudaMemsetAsync(behind, 0, size, context->cuda->stream));
    if (status == PARSCAN_OK)
        status = parscan_exclusive_scan(context, job->wide ? PARSCAN_U64 : PARSCAN_U32, job->counts,
                                        job->counts, counts_of(job), NULL);
    if (status == PARSCAN_OK && job->passes == 1)
        status = check(context,
                       parscan_bin_offsets_launch(context->cuda, &pass, job->arrays[OFFSETS].device,
                                                  call->offset_size == sizeof(uint64_t)));
    return status == PARSCAN_OK ? check(context, parscan_bin_place_launch(context->cuda, &pass))
                                : status;
}

/* As many values as have a bin come back to the host. */
static parscan_status learn_kept(bin_job *job)
{
    const bin_call *const call = job->call;
    const char *const end =
        (const char *)job->arrays[OFFSETS].device + call->bins * call->offset_size;
    uint64_t kept = 0;
    const parscan_status status =
        parscan_cuda_unstage(call->context, &kept, end, call->offset_size);
    job->arrays[VALUES_OUT].bytes = kept * call->value_size;
    return status;
}

static parscan_status bin(bin_job *job)
{
    const bin_call *const call = job->call;
    const bool places = call->values_out != NULL && call->n > 0 && call->bins > 0;
    parscan_status status = PARSCAN_OK;
    if (places) {
        job->tiles = (call->n + BIN_TILE - 1) / BIN_TILE;
        choose_digits(job);
        choose_entries(job);
    }
    if (!places || job->passes > 1)
        status = find_offsets(job);
    if (status == PARSCAN_OK && places)
        status = make_room(job);
    for (unsigned k = 0; status == PARSCAN_OK && places && k < job->passes; k++)
        status = run_pass(job, k);
    if (status == PARSCAN_OK && job->arrays[VALUES_OUT].staged)
        status = learn_kept(job);
    return status == PARSCAN_OK ? parscan_cuda_return(call->context, job->arrays, ARRAYS) : status;
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
        status = parscan_cuda_place(context, job.arrays, ARRAYS);
    if (status == PARSCAN_OK)
        status = bin(&job);
    return parscan_cuda_end(context, status);
}
