/*
 * Every segment on its own, on CUDA: a stable sort of indices by key, then one by the number of the
 * segment, of which only the digits that vary are sorted by; keys and values are moved once, at the
 * end. So the time is that of n elements, however the lengths of segments differ.
 */
#include "apps/segmented/check_segments.h"
#include "apps/sort/sort_cuda.h"
#include "apps/sort/sort_job.h"
#include "apps/sort/sort_place.h"
#include "parscan/scan.h"

enum { SEGMENTS = PLACED_ARRAYS, ALL_ARRAYS };

typedef struct segment_scratch {
    sort_plan *plan;
    void *ids, *order, *order_spare, *keys, *keys_spare, *values;
    size_t word; /* bytes of an index, and of a segment's number */
} segment_scratch;

/* Those that the host can read; those on the device are looked at there. */
static parscan_status check_offsets(parscan_context *context, const parscan_segments *s, size_t n)
{
    const uint64_t first = parscan_segment_offset(s, 0);
    const uint64_t last = parscan_segment_offset(s, s->count);
    if (first != 0)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "offsets[0] = %llu, it must be 0", (unsigned long long)first);
    if (last != n)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "offsets[%zu] = %llu, the last must be n = %zu", s->count,
                            (unsigned long long)last, n);
    for (size_t k = 0; k < s->count; k++) {
        const uint64_t begin = parscan_segment_offset(s, k);
        const uint64_t end = parscan_segment_offset(s, k + 1);
        if (begin > end)
            return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                                "offsets[%zu] = %llu, offsets[%zu] = %llu: they decrease", k,
                                (unsigned long long)begin, k + 1, (unsigned long long)end);
    }
    return PARSCAN_OK;
}

static parscan_status take(const sort_job *job, const parscan_cuda_array *arrays,
                           segment_scratch *scratch)
{
    const size_t word = job->n <= UINT32_MAX ? 4 : 8, key_size = job->kernels->key_size;
    const size_t words = job->n * word, keys = job->n * (key_size > word ? key_size : word);
    const bool copies =
        job->value_size != 0 && arrays[VALUES_IN].device == arrays[VALUES_OUT].device;
    const scratch_piece pieces[] = {
        {sizeof(sort_plan), (void **)&scratch->plan},
        {words, &scratch->ids},
        {words, &scratch->order},
        {words, &scratch->order_spare},
        {keys, &scratch->keys},
        {keys, &scratch->keys_spare},
        {copies ? job->n * job->value_size : 0, &scratch->values},
    };
    scratch->word = word;
    return parscan_sort_take_scratch(job->context, pieces, sizeof pieces / sizeof *pieces);
}

/* 1, 1, 1, 2, 2, ...: the segment that each element is of. */
static parscan_status number_segments(const sort_job *job, const parscan_segments *segments,
                                      const segment_scratch *scratch)
{
    parscan_context *const context = job->context;
    const parscan_type type = scratch->word == 4 ? PARSCAN_U32 : PARSCAN_U64;
    const parscan_status status =
        parscan_segment_heads_cuda(context, segments, scratch->ids, scratch->word, job->n);
    if (status != PARSCAN_OK || job->n == 0)
        return status;
    return parscan_inclusive_scan(context, type, scratch->ids, scratch->ids, job->n, NULL);
}

static parscan_status gather(const sort_job *job, const segment_scratch *scratch, const void *in,
                             size_t size, void *out)
{
    const parscan_gather_call call = {
        .in = in,
        .index = scratch->order,
        .out = out,
        .size = size,
        .n = job->n,
        .index_size = scratch->word,
    };
    return parscan_gather_cuda(job->context, &call);
}

/* The order by key, then by segment. */
static parscan_status find_order(const sort_job *job, const parscan_cuda_array *arrays,
                                 const segment_scratch *scratch)
{
    parscan_sort_cuda_call by_key = {
        .context = job->context,
        .plan = scratch->plan,
        .keys = {arrays[KEYS_IN].device, scratch->keys, scratch->keys_spare},
        .values = {NULL, scratch->order, scratch->order_spare},
        .n = job->n,
        .value_size = scratch->word,
        .flip = job->order.flip,
        .numbers = true,
        .drops_keys = true,
    };
    parscan_sort_cuda_call by_segment = {
        .context = job->context,
        .plan = scratch->plan,
        .keys = {scratch->keys, scratch->keys, scratch->ids},
        .values = {scratch->order, scratch->order, scratch->order_spare},
        .n = job->n,
        .value_size = scratch->word,
    };
    uint64_t numbers = job->n; /* at most, so its bits and those below */
    for (unsigned shift = 1; shift < 64; shift *= 2)
        numbers |= numbers >> shift;
    parscan_sort_choose_digits(&by_key, job->order.keep, false);
    parscan_sort_choose_digits(&by_segment, numbers, true);
    parscan_status status = parscan_sort_launches(job->kernels->key_size, job->float_keys, &by_key);
    if (status == PARSCAN_OK)
        status = gather(job, scratch, scratch->ids, scratch->word, scratch->keys);
    return status == PARSCAN_OK ? parscan_sort_launches(scratch->word, false, &by_segment) : status;
}

/* Elements in order, by way of a copy where they are sorted in place. */
static parscan_status put_in_order(const sort_job *job, const segment_scratch *scratch,
                                   const parscan_cuda_array *in, const parscan_cuda_array *out,
                                   size_t size, void *copy)
{
    const bool in_place = in->device == out->device;
    const parscan_status status =
        gather(job, scratch, in->device, size, in_place ? copy : out->device);
    if (status != PARSCAN_OK || !in_place)
        return status;
    const cudaError_t error = cudaMemcpyAsync(out->device, copy, job->n * size,
                                              cudaMemcpyDeviceToDevice, job->context->cuda->stream);
    return error == cudaSuccess ? PARSCAN_OK : parscan_cuda_fail(job->context, error, "a copy");
}

static parscan_status sort_placed(const sort_job *job, const parscan_segments *segments,
                                  const parscan_cuda_array *arrays)
{
    segment_scratch scratch;
    parscan_status status = take(job, arrays, &scratch);
    if (status == PARSCAN_OK)
        status = number_segments(job, segments, &scratch);
    if (job->n == 0 || status != PARSCAN_OK)
        return status;
    status = find_order(job, arrays, &scratch);
    if (status == PARSCAN_OK)
        status = put_in_order(job, &scratch, &arrays[KEYS_IN], &arrays[KEYS_OUT],
                              job->kernels->key_size, scratch.keys);
    if (status == PARSCAN_OK && job->value_size != 0)
        status = put_in_order(job, &scratch, &arrays[VALUES_IN], &arrays[VALUES_OUT],
                              job->value_size, scratch.values);
    return status;
}

parscan_status parscan_sort_segments_cuda(const sort_job *job, const parscan_segments *segments)
{
    parscan_context *const context = job->context;
    const bool offsets = segments->kind == PARSCAN_SEGMENTS_OFFSETS;
    const size_t size =
        segments->kind == PARSCAN_SEGMENTS_FLAGS ? 1 : parscan_type_size(segments->type);
    const size_t count = segments->data == NULL ? 0 : offsets ? segments->count + 1 : job->n;
    parscan_cuda_array arrays[ALL_ARRAYS];
    parscan_sort_name_arrays(job, arrays);
    arrays[SEGMENTS] = (parscan_cuda_array){.name = "segments->data",
                                            .given = segments->data,
                                            .bytes = count * size,
                                            .alignment = size,
                                            .access = PARSCAN_READ};
    if (count == 0)
        return PARSCAN_OK;
    bool on_device = true;
    parscan_status status = parscan_cuda_begin(context, "parscan_sort_segments");
    if (status == PARSCAN_OK && offsets)
        status = parscan_cuda_on_device(context, "segments->data", segments->data, &on_device);
    if (status == PARSCAN_OK && !on_device)
        status = check_offsets(context, segments, job->n);
    if (status == PARSCAN_OK)
        status = parscan_cuda_place(context, arrays, ALL_ARRAYS);
    if (status == PARSCAN_OK) {
        parscan_segments placed = *segments;
        placed.data = arrays[SEGMENTS].device;
        status = sort_placed(job, &placed, arrays);
    }
    if (status == PARSCAN_OK)
        status = parscan_cuda_return(context, arrays, ALL_ARRAYS);
    return parscan_cuda_end(context, status);
}
