/*
 * A sort on CUDA of host arrays that are larger than the device's memory:
 *
 *     sample     splitters between buckets, from a sample of the keys
 *     count      the keys go up; how many of each chunk belong to each bucket
 *     partition  chunks go up, are sorted, and their buckets go down, each after the same bucket of
 *                the chunk before
 *     sort       buckets go up, are sorted, and go down
 *
 * So keys and values travel twice in both directions, and the keys once more up. The sorts are
 * stable, and a bucket has its elements in the order of the chunks: so is the whole. A rank of which
 * there are many keys gets a bucket of its own, which needs no sort. A bucket that is still larger
 * than the device's memory is sorted in the same way again; it has fewer elements than all, since the
 * splitters are ranks of its own keys.
 *
 * The partition goes to the output, if that is not the input; else to host memory of the context.
 */
#include "apps/sort/bucket_sort_cuda.h"

#include <stdlib.h>
#include <string.h>

#include "apps/sort/counting_cuda.h"
#include "apps/sort/sort_chunks_cuda.h"
#include "scan/cuda/cuda_chunks.h"

/* One level: the elements `from` are sorted to `to`. */
typedef struct bucket_sort {
    const sort_call *call;
    elements from, to,
        between; /* from.values NULL: the values are indices; to.keys NULL: no keys */
    void *keys_room, *values_room; /* the context's host memory, if `between` is not `to` */
    size_t n, most;
    sort_bucket_plan plan;
    uint64_t *splitters;
    unsigned count;             /* of the splitters */
    uint64_t *counts;           /* for each chunk, those of the buckets */
    uint64_t *on_device;        /* splitters, counts */
    size_t *begins;             /* of each bucket, then, while partitioning, of its next piece */
    parscan_cuda_piece *pieces; /* of the buckets, for each slot */
    size_t *chunk_begins, *chunk_lengths;
} bucket_sort;

static unsigned buckets_of(const bucket_sort *s)
{
    return s->count + 1;
}

static size_t chunks_of(const bucket_sort *s)
{
    return (s->n + s->most - 1) / s->most;
}

/* ---- memory ---- */

static size_t scratch_of_element(const sort_call *call)
{
    const size_t size = call->value_size, index = call->n <= (uint64_t)UINT32_MAX + 1 ? 4 : 8;
    const bool words = size == 0 || size == 4 || size == 8;
    return call->key_size + size + (words ? 0 : 2 * index);
}

size_t parscan_sort_chunk_scratch(const sort_call *call)
{
    const size_t keys_of_argsort = call->out.keys == NULL ? call->n * call->key_size : 0;
    const bool counts = parscan_sort_counts_keys(call);
    if (counts && !call->float_keys)
        return COUNTING_SCRATCH;
    return (counts ? COUNTING_SCRATCH : 0) + sizeof(sort_state) +
           call->n * scratch_of_element(call) + keys_of_argsort;
}

size_t parscan_sort_chunk_length(const sort_call *call, size_t room)
{
    const size_t size = call->key_size + call->value_size;
    const sort_chunk_facts facts = {
        .n = call->n,
        .bytes = size,
        .room = room,
        .fixed_bytes = sizeof(sort_state) + (call->key_size <= 2 ? COUNTING_SCRATCH : 0),
        .each_bytes = PARSCAN_CHUNK_SLOTS * size + scratch_of_element(call),
    };
    return parscan_sort_plan_chunk(&call->context->cuda->plan_device, &facts);
}

static void *take_array(const bucket_sort *s, size_t size, parscan_status *status)
{
    parscan_context *const context = s->call->context;
    void *const memory =
        *status == PARSCAN_OK ? parscan_host_allocate(&context->allocator, size) : NULL;
    if (memory == NULL && *status == PARSCAN_OK)
        *status =
            parscan_fail(context, PARSCAN_ERROR_OUT_OF_MEMORY, "no memory for %zu bytes", size);
    return memory;
}

static parscan_status take_bucket_memory(bucket_sort *s)
{
    const sort_call *const call = s->call;
    const size_t chunks = chunks_of(s), buckets = MOST_SPLITTERS + 1;
    parscan_status status = PARSCAN_OK;
    s->splitters = take_array(s, s->plan.sample * sizeof *s->splitters, &status);
    s->counts = take_array(s, chunks * buckets * sizeof *s->counts, &status);
    s->begins = take_array(s, buckets * sizeof *s->begins, &status);
    s->pieces = take_array(s, PARSCAN_CHUNK_SLOTS * buckets * sizeof *s->pieces, &status);
    s->chunk_begins = take_array(s, buckets * sizeof *s->chunk_begins, &status);
    s->chunk_lengths = take_array(s, buckets * sizeof *s->chunk_lengths, &status);
    s->between = s->to;
    if (s->to.keys == NULL || s->to.keys == s->from.keys)
        s->between.keys = s->keys_room = take_array(s, s->n * call->key_size, &status);
    if (call->value_size > 0 && s->to.values == s->from.values)
        s->between.values = s->values_room = take_array(s, s->n * call->value_size, &status);
    return status;
}

static void release_memory(bucket_sort *s)
{
    void *const all[] = {s->splitters,    s->counts,        s->begins,    s->pieces,
                         s->chunk_begins, s->chunk_lengths, s->keys_room, s->values_room};
    for (unsigned k = 0; k < sizeof all / sizeof *all; k++)
        parscan_host_release(&s->call->context->allocator, all[k]);
}

/* Sends an array of words to device memory. */
static parscan_status send(const bucket_sort *s, void *device, const void *from, size_t bytes)
{
    return parscan_cuda_send(s->call->context, &s->call->context->cuda->lanes[PARSCAN_LANE_CALL],
                             device, from, bytes, NULL);
}

static bucket_keys keys_at(const bucket_sort *s, const void *keys, size_t n)
{
    return (bucket_keys){.keys = keys, .n = n, .key = s->call->key, .order = s->call->order};
}

/* ---- splitters ---- */

/* Copies a sample of the keys: one of every n / count, or runs of an array on the device. */
static parscan_status take_sample(const bucket_sort *s, char *sample, size_t count)
{
    parscan_context *const context = s->call->context;
    const size_t size = s->call->key_size;
    bool on_device;
    parscan_status status = parscan_cuda_on_device(context, "keys", s->from.keys, &on_device);
    const size_t run = on_device ? s->plan.run : 1, part = s->n / count * run;
    uint64_t state = 0x9e3779b97f4a7c15u;
    for (size_t k = 0; k + run <= count && status == PARSCAN_OK; k += run) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const size_t at = k / run * part + (size_t)(state >> 33) % (part - run + 1);
        if (on_device)
            status =
                parscan_cuda_copy(context, sample + k * size, s->from.keys + at * size, run * size);
        else
            memcpy(sample + k * size, s->from.keys + at * size, size);
    }
    return status;
}

static int compare_ranks(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Appends a splitter that is larger than the last one. */
static void add_splitter(bucket_sort *s, uint64_t rank)
{
    if (s->count == 0 || s->splitters[s->count - 1] < rank)
        s->splitters[s->count++] = rank;
}

/* Chooses splitters from the sorted ranks of the sample, in s->splitters. The splitters take their
   place: there are never more of them than of the ranks that have been read. */
static void choose_splitters(bucket_sort *s, const uint64_t *ranks, size_t sampled)
{
    const size_t buckets = s->plan.buckets;
    uint64_t before = 0;
    for (size_t b = 1; b < buckets; b++) {
        const uint64_t rank = ranks[b * sampled / buckets];
        /* A rank that two quantiles share gets a bucket of its own. */
        if (b > 1 && rank == before && rank < UINT64_MAX)
            add_splitter(s, rank + 1);
        add_splitter(s, rank);
        before = rank;
    }
    if (s->count == 1 && before < UINT64_MAX)
        add_splitter(s, before + 1);
}

/* Whether all keys of a bucket have one rank. */
static bool is_alike(const bucket_sort *s, unsigned bucket)
{
    const uint64_t last =
        s->call->key_size == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * s->call->key_size) - 1;
    if (bucket == 0)
        return s->splitters[0] == 1;
    const uint64_t rank = s->splitters[bucket - 1];
    return bucket < s->count ? s->splitters[bucket] - rank == 1 : rank == last;
}

static parscan_status find_splitters(bucket_sort *s)
{
    parscan_context *const context = s->call->context;
    const size_t size = s->call->key_size, sampled = s->plan.sample;
    parscan_status status = PARSCAN_OK;
    uint64_t *const ranks = take_array(s, sampled * sizeof *ranks, &status);
    void *room;
    if (status == PARSCAN_OK)
        status = take_sample(s, (char *)s->splitters, sampled);
    if (status == PARSCAN_OK)
        status = parscan_cuda_scratch(context, 2 * sampled * sizeof *ranks, &room);
    if (status == PARSCAN_OK)
        status = send(s, room, s->splitters, sampled * size);
    if (status == PARSCAN_OK) {
        uint64_t *const ranks_there = (uint64_t *)room + sampled;
        const bucket_keys keys = keys_at(s, room, sampled);
        status = PARSCAN_CUDA_QUEUE(s->call->context,
                                    parscan_bucket_ranks(context->cuda, &keys, ranks_there));
        if (status == PARSCAN_OK)
            status = parscan_cuda_unstage(context, ranks, ranks_there, sampled * sizeof *ranks);
    }
    if (status == PARSCAN_OK) {
        qsort(ranks, sampled, sizeof *ranks, compare_ranks);
        choose_splitters(s, ranks, sampled);
    }
    parscan_host_release(&context->allocator, ranks);
    return status;
}

/* ---- count ---- */

static parscan_status count_buckets_of_chunk(void *work, parscan_cuda_chunk *chunk)
{
    bucket_sort *const s = work;
    parscan_context *const context = s->call->context;
    const size_t bytes = buckets_of(s) * sizeof *s->counts;
    parscan_status status = PARSCAN_OK;
    if (chunk->number == 0) {
        void *room;
        status = parscan_cuda_scratch(context, s->count * sizeof *s->splitters + bytes, &room);
        s->on_device = room;
        if (status == PARSCAN_OK)
            status = send(s, room, s->splitters, s->count * sizeof *s->splitters);
    }
    if (status != PARSCAN_OK)
        return status;
    const bucket_counts params = {
        .in = keys_at(s, chunk->device[0], chunk->n),
        .splitters = s->on_device,
        .count = s->count,
        .counts = s->on_device + s->count,
    };
    status = PARSCAN_CUDA_QUEUE(s->call->context,
                                cudaMemsetAsync(params.counts, 0, bytes, context->cuda->stream));
    if (status == PARSCAN_OK)
        status = PARSCAN_CUDA_QUEUE(s->call->context, parscan_bucket_count(context->cuda, &params));
    return status == PARSCAN_OK
               ? parscan_cuda_unstage(context, s->counts + chunk->number * buckets_of(s),
                                      params.counts, bytes)
               : status;
}

static parscan_cuda_chunks chunks_for(bucket_sort *s, const parscan_cuda_flow *flows,
                                      unsigned count,
                                      parscan_status (*run)(void *work, parscan_cuda_chunk *chunk))
{
    return (parscan_cuda_chunks){.context = s->call->context,
                                 .flows = flows,
                                 .count = count,
                                 .n = s->n,
                                 .most = s->most,
                                 .run = run,
                                 .work = s};
}

static parscan_status count_all(bucket_sort *s)
{
    const parscan_cuda_flow flow = {"keys", s->from.keys, NULL, s->call->key_size, NULL, 0};
    const parscan_cuda_chunks chunks = chunks_for(s, &flow, 1, count_buckets_of_chunk);
    const parscan_status status = parscan_cuda_run_chunks(&chunks);
    if (status != PARSCAN_OK)
        return status;
    const size_t buckets = buckets_of(s), number = chunks_of(s);
    size_t begin = 0;
    for (size_t b = 0; b < buckets; b++) {
        s->begins[b] = begin;
        for (size_t k = 0; k < number; k++)
            begin += (size_t)s->counts[k * buckets + b];
    }
    return PARSCAN_OK;
}

/* ---- partition, sort ---- */

/* Sorts a chunk in its slot. */
static parscan_status sort_chunk(void *work, parscan_cuda_chunk *chunk)
{
    const bucket_sort *const s = work;
    sort_call call = *s->call;
    parscan_cuda_array arrays[PLACED_ARRAYS] = {{.name = NULL}};
    call.n = chunk->n;
    arrays[KEYS_IN].device = arrays[KEYS_OUT].device = chunk->device[0];
    if (call.value_size > 0)
        arrays[VALUES_IN].device = arrays[VALUES_OUT].device = chunk->device[1];
    return parscan_sort_placed(&call, arrays);
}

static parscan_status part_chunk(void *work, parscan_cuda_chunk *chunk)
{
    bucket_sort *const s = work;
    const unsigned buckets = buckets_of(s);
    parscan_cuda_piece *const pieces =
        s->pieces + chunk->number % PARSCAN_CHUNK_SLOTS * (MOST_SPLITTERS + 1);
    const uint64_t *const counts = s->counts + chunk->number * buckets;
    parscan_status status = PARSCAN_OK;
    if (s->from.values == NULL && s->call->value_size > 0)
        status = PARSCAN_CUDA_QUEUE(
            s->call->context, parscan_bucket_indices(s->call->context->cuda, chunk->device[1],
                                                     s->call->value_size, chunk->begin, chunk->n));
    if (status == PARSCAN_OK)
        status = sort_chunk(s, chunk);
    size_t from = 0;
    for (unsigned b = 0; b < buckets; b++) {
        const size_t n = (size_t)counts[b];
        pieces[b] = (parscan_cuda_piece){from, s->begins[b], n};
        s->begins[b] += n;
        from += n;
    }
    chunk->pieces = pieces;
    chunk->count = buckets;
    return status;
}

static parscan_status part_all(bucket_sort *s)
{
    const sort_call *const call = s->call;
    const parscan_cuda_flow flows[] = {
        {"keys_out", s->from.keys, s->between.keys, call->key_size, NULL, 0},
        {"values_out", s->from.values, s->between.values, call->value_size, NULL, 0},
    };
    const parscan_cuda_chunks chunks =
        chunks_for(s, flows, call->value_size > 0 ? 2 : 1, part_chunk);
    return parscan_cuda_run_chunks(&chunks);
}

/* A bucket whose keys are all alike is sorted. */
static parscan_status copy_bucket(const bucket_sort *s, size_t begin, size_t n)
{
    const sort_call *const call = s->call;
    const elements from = elements_from(call, s->between, begin);
    const elements to = elements_from(call, s->to, begin);
    parscan_status status = PARSCAN_OK;
    if (to.keys != NULL && to.keys != from.keys)
        status = parscan_cuda_copy(call->context, to.keys, from.keys, n * call->key_size);
    if (status == PARSCAN_OK && to.values != NULL && to.values != from.values)
        status = parscan_cuda_copy(call->context, to.values, from.values, n * call->value_size);
    return status;
}

static parscan_status sort_level(const sort_call *call, elements from, elements to, size_t n,
                                 size_t most);

/* The buckets that need more than a sort on the device. begins[b] is now where bucket b ends. */
static parscan_status finish_others(bucket_sort *s)
{
    parscan_status status = PARSCAN_OK;
    for (unsigned b = 0; b < buckets_of(s) && status == PARSCAN_OK; b++) {
        const size_t begin = b == 0 ? 0 : s->begins[b - 1], n = s->begins[b] - begin;
        if (n == 0)
            continue;
        if (is_alike(s, b))
            status = copy_bucket(s, begin, n);
        else if (n > s->most)
            status = sort_level(s->call, elements_from(s->call, s->between, begin),
                                elements_from(s->call, s->to, begin), n, s->most);
    }
    return status;
}

static parscan_status sort_buckets(bucket_sort *s)
{
    const sort_call *const call = s->call;
    const parscan_cuda_flow flows[] = {
        {"keys_out", s->between.keys, s->to.keys, call->key_size, NULL, 0},
        {"values_out", s->between.values, s->to.values, call->value_size, NULL, 0},
    };
    parscan_cuda_chunks chunks = chunks_for(s, flows, call->value_size > 0 ? 2 : 1, sort_chunk);
    size_t number = 0;
    for (unsigned b = 0; b < buckets_of(s); b++) {
        const size_t begin = b == 0 ? 0 : s->begins[b - 1], n = s->begins[b] - begin;
        if (n == 0 || n > s->most || is_alike(s, b))
            continue;
        size_t *const length = &s->chunk_lengths[number > 0 ? number - 1 : 0];
        if (number > 0 && s->chunk_begins[number - 1] + *length == begin &&
            *length + n <= s->most) {
            *length += n; /* neighbours that fit together */
            continue;
        }
        s->chunk_begins[number] = begin;
        s->chunk_lengths[number++] = n;
    }
    chunks.begins = s->chunk_begins;
    chunks.lengths = s->chunk_lengths;
    chunks.number = number;
    return number > 0 ? parscan_cuda_run_chunks(&chunks) : PARSCAN_OK;
}

static parscan_status sort_level(const sort_call *call, elements from, elements to, size_t n,
                                 size_t most)
{
    bucket_sort s = {
        .call = call,
        .from = from,
        .to = to,
        .n = n,
        .most = most,
        .plan = parscan_sort_plan_buckets(&call->context->cuda->plan_device, n, most),
    };
    parscan_status status = take_bucket_memory(&s);
    if (status == PARSCAN_OK)
        status = find_splitters(&s);
    if (status == PARSCAN_OK)
        status = count_all(&s);
    if (status == PARSCAN_OK)
        status = part_all(&s);
    if (status == PARSCAN_OK)
        status = sort_buckets(&s);
    if (status == PARSCAN_OK)
        status = finish_others(&s);
    release_memory(&s);
    return status;
}

parscan_status parscan_sort_in_chunks(const sort_call *call, size_t most)
{
    const parscan_cuda *const cuda = call->context->cuda;
    const sort_facts facts = {.n = call->n, .in_chunks = true};
    if (cuda->prints_plans)
        parscan_plan_print(&parscan_sort_plans, parscan_sort_plan(&cuda->plan_device, &facts),
                           "%zu elements, chunks of up to %zu", call->n, most);
    return sort_level(call, call->in, call->out, call->n, most);
}
