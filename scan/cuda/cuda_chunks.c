#include "scan/cuda/cuda_chunks.h"

#define SLOTS PARSCAN_CHUNK_SLOTS

/* All elements of one chunk have at most so many bytes: long enough for a copy at full speed, and
   short beside the arrays, since the first copy up and the last one down are alone. */
#define MOST_CHUNK_BYTES ((size_t)32 << 20)

/* The arrays of a chunk start at multiples of this. */
#define SLOT_ALIGNMENT ((size_t)512)

typedef struct pipeline {
    const parscan_cuda_chunks *all;
    parscan_cuda *cuda;
    size_t chunks;
    size_t slot_bytes, at[PARSCAN_CUDA_ARRAYS]; /* where each flow's elements are in a slot */
    parscan_cuda_chunk chunk[SLOTS];
} pipeline;

static size_t bytes_of_element(const parscan_cuda_flow *flows, unsigned count)
{
    size_t bytes = 0;
    for (unsigned k = 0; k < count; k++)
        bytes += flows[k].shares == 0 ? flows[k].size : 0;
    return bytes;
}

size_t parscan_cuda_chunk_length(const parscan_cuda_flow *flows, unsigned count, size_t room,
                                 size_t scratch)
{
    const size_t bytes = bytes_of_element(flows, count);
    if (bytes == 0)
        return 0;
    const size_t padding = SLOTS * count * SLOT_ALIGNMENT;
    const size_t for_slots = room / 2 > padding ? room / 2 - padding : 0;
    const size_t most = MOST_CHUNK_BYTES / bytes;
    size_t n = for_slots / (SLOTS * bytes + scratch);
    if (n > most)
        n = most > 0 ? most : 1;
    return n > 256 ? n / 256 * 256 : n;
}

static cudaError_t make_event(cudaEvent_t *event)
{
    const cudaError_t error =
        *event != NULL ? cudaSuccess : cudaEventCreateWithFlags(event, cudaEventDisableTiming);
    if (error != cudaSuccess)
        *event = NULL;
    return error;
}

/* The streams wait for what is in the context's stream. */
static parscan_status open_lanes(parscan_context *context)
{
    parscan_cuda *const cuda = context->cuda;
    cudaError_t error = cudaSuccess;
    for (unsigned k = 0; k < SLOTS && error == cudaSuccess; k++) {
        error = make_event(&cuda->arrived[k]);
        if (error == cudaSuccess)
            error = make_event(&cuda->computed[k]);
        if (error == cudaSuccess)
            error = make_event(&cuda->left[k]);
    }
    if (error == cudaSuccess)
        error = cudaEventRecord(cuda->computed[0], cuda->stream);
    for (unsigned k = PARSCAN_LANE_UP; k <= PARSCAN_LANE_DOWN && error == cudaSuccess; k++) {
        parscan_cuda_lane *const lane = &cuda->lanes[k];
        if (lane->stream == NULL) {
            error = cudaStreamCreateWithFlags(&lane->stream, cudaStreamNonBlocking);
            if (error != cudaSuccess)
                lane->stream = NULL;
        }
        if (error == cudaSuccess)
            error = cudaStreamWaitEvent(lane->stream, cuda->computed[0], 0);
    }
    return parscan_cuda_check(context, error, "a stream for chunks");
}

static void lay_out_slot(pipeline *p)
{
    const parscan_cuda_chunks *const all = p->all;
    for (unsigned k = 0; k < all->count; k++) {
        if (all->flows[k].shares != 0) {
            p->at[k] = p->at[all->flows[k].shares - 1];
            continue;
        }
        const size_t bytes = (all->most + (all->overlaps ? 1 : 0)) * all->flows[k].size;
        p->at[k] = p->slot_bytes;
        p->slot_bytes += (bytes + SLOT_ALIGNMENT - 1) / SLOT_ALIGNMENT * SLOT_ALIGNMENT;
    }
}

/* Where chunk `number` starts, and how long it is. */
static void place_chunk(const pipeline *p, size_t number, parscan_cuda_chunk *chunk)
{
    const parscan_cuda_chunks *const all = p->all;
    const size_t slot = number % SLOTS;
    *chunk = (parscan_cuda_chunk){.number = number};
    if (all->begins != NULL) {
        chunk->begin = all->begins[number];
        chunk->n = all->lengths[number];
    } else {
        const size_t at = all->reverse ? p->chunks - 1 - number : number;
        chunk->begin = at * all->most;
        chunk->n = all->n - chunk->begin < all->most ? all->n - chunk->begin : all->most;
        if (all->overlaps && number > 0) {
            chunk->begin--;
            chunk->n++;
        }
    }
    chunk->piece = (parscan_cuda_piece){0, chunk->begin, chunk->n};
    chunk->count = 1;
    for (unsigned k = 0; k < all->count; k++)
        chunk->device[k] = (char *)p->cuda->slots + slot * p->slot_bytes + p->at[k];
}

/* What makes the bytes of a chunk, at an offset. */
typedef struct shifted_fill {
    const parscan_cuda_flow *flow;
    size_t begin;
} shifted_fill;

static void fill_shifted(const void *from, size_t at, size_t n, void *to)
{
    const shifted_fill *const shifted = from;
    shifted->flow->fill(shifted->flow->from, shifted->begin + at, n, to);
}

/* Copies the elements of a chunk to its slot. */
static parscan_status bring_flow(const pipeline *p, const parscan_cuda_flow *flow,
                                 const parscan_cuda_chunk *chunk, void *device)
{
    parscan_context *const context = p->all->context;
    parscan_cuda_lane *const up = &p->cuda->lanes[PARSCAN_LANE_UP];
    const size_t begin = chunk->begin * flow->size, bytes = chunk->n * flow->size;
    const shifted_fill shifted = {flow, begin};
    bool direct;
    if (flow->fill != NULL)
        return parscan_cuda_send(context, up, device, &shifted, bytes, fill_shifted);
    const char *const from = (const char *)flow->from + begin;
    const parscan_status status = parscan_cuda_is_direct(context, flow->name, from, bytes, &direct);
    if (status != PARSCAN_OK)
        return status;
    if (!direct)
        return parscan_cuda_send(context, up, device, from, bytes, NULL);
    return parscan_cuda_check(
        context, cudaMemcpyAsync(device, from, bytes, cudaMemcpyDefault, up->stream), flow->name);
}

/* Begins the copies of a chunk to its slot, when the chunk that was there has left it. */
static parscan_status bring(pipeline *p, size_t number)
{
    const parscan_cuda_chunks *const all = p->all;
    const cudaStream_t up = p->cuda->lanes[PARSCAN_LANE_UP].stream;
    const size_t slot = number % SLOTS;
    parscan_cuda_chunk *const chunk = &p->chunk[slot];
    cudaError_t error = cudaSuccess;
    place_chunk(p, number, chunk);
    if (number >= SLOTS)
        error = cudaStreamWaitEvent(up, p->cuda->left[slot], 0);
    parscan_status status = parscan_cuda_check(all->context, error, "a chunk");
    for (unsigned k = 0; k < all->count && status == PARSCAN_OK; k++)
        if (all->flows[k].from != NULL && chunk->n > 0)
            status = bring_flow(p, &all->flows[k], chunk, chunk->device[k]);
    if (status != PARSCAN_OK)
        return status;
    return parscan_cuda_check(all->context, cudaEventRecord(p->cuda->arrived[slot], up), "a chunk");
}

/* Copies a piece of a chunk to its array, if that takes it directly, or else if `direct` is false. */
static parscan_status send_piece(const pipeline *p, const parscan_cuda_flow *flow,
                                 const parscan_cuda_piece *piece, const void *device, bool direct)
{
    parscan_context *const context = p->all->context;
    parscan_cuda_lane *const down = &p->cuda->lanes[PARSCAN_LANE_DOWN];
    const size_t bytes = piece->n * flow->size;
    char *const to = (char *)flow->to + piece->to * flow->size;
    const char *const from = (const char *)device + piece->from * flow->size;
    bool is_direct;
    const parscan_status status =
        parscan_cuda_is_direct(context, flow->name, to, bytes, &is_direct);
    if (status != PARSCAN_OK || is_direct != direct)
        return status;
    if (!direct)
        return parscan_cuda_receive(context, down, to, from, bytes);
    return parscan_cuda_check(
        context, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, down->stream), flow->name);
}

static parscan_status send_off(pipeline *p, size_t number, bool direct)
{
    const parscan_cuda_chunks *const all = p->all;
    const parscan_cuda_chunk *const chunk = &p->chunk[number % SLOTS];
    const parscan_cuda_piece *const pieces = chunk->pieces != NULL ? chunk->pieces : &chunk->piece;
    parscan_status status = PARSCAN_OK;
    for (unsigned k = 0; k < all->count; k++)
        for (size_t i = 0; all->flows[k].to != NULL && i < chunk->count; i++)
            if (status == PARSCAN_OK && pieces[i].n > 0)
                status = send_piece(p, &all->flows[k], &pieces[i], chunk->device[k], direct);
    return status;
}

/* Launches the work on a chunk, and the copies of what it leaves that need no host. They alone are
   waited for before the slot is used again: the other copies are done when take_leave() returns. */
static parscan_status compute_chunk(pipeline *p, size_t number)
{
    parscan_cuda *const cuda = p->cuda;
    parscan_context *const context = p->all->context;
    const cudaStream_t down = cuda->lanes[PARSCAN_LANE_DOWN].stream;
    const size_t slot = number % SLOTS;
    parscan_status status = parscan_cuda_check(
        context, cudaStreamWaitEvent(cuda->stream, cuda->arrived[slot], 0), "a chunk");
    if (status == PARSCAN_OK)
        status = p->all->run(p->all->work, &p->chunk[slot]);
    if (status != PARSCAN_OK)
        return status;
    cudaError_t error = cudaEventRecord(cuda->computed[slot], cuda->stream);
    if (error == cudaSuccess)
        error = cudaStreamWaitEvent(down, cuda->computed[slot], 0);
    if (error != cudaSuccess)
        return parscan_cuda_fail(context, error, "a chunk");
    status = send_off(p, number, true);
    return status == PARSCAN_OK
               ? parscan_cuda_check(context, cudaEventRecord(cuda->left[slot], down), "a chunk")
               : status;
}

/* The copies that the host takes part in, one chunk later: the kernels of the next one run. */
static parscan_status take_leave(pipeline *p, size_t number)
{
    return send_off(p, number, false);
}

static parscan_status drive(pipeline *p)
{
    parscan_status status = PARSCAN_OK;
    for (size_t k = 0; k < p->chunks + 2 && status == PARSCAN_OK; k++) {
        if (k < p->chunks)
            status = bring(p, k);
        if (status == PARSCAN_OK && k >= 1 && k <= p->chunks)
            status = compute_chunk(p, k - 1);
        if (status == PARSCAN_OK && k >= 2)
            status = take_leave(p, k - 2);
    }
    return status;
}

/* Also after an error: the caller's arrays are the caller's again. */
static parscan_status wait_for_all(pipeline *p, parscan_status status)
{
    for (unsigned k = 0; k < PARSCAN_LANES; k++) {
        const cudaError_t error = cudaStreamSynchronize(p->cuda->lanes[k].stream);
        if (error != cudaSuccess && status == PARSCAN_OK)
            status = parscan_cuda_fail(p->all->context, error, "arrays in chunks");
    }
    return status;
}

parscan_status parscan_cuda_run_chunks(const parscan_cuda_chunks *all)
{
    parscan_context *const context = all->context;
    pipeline p = {.all = all, .cuda = context->cuda};
    if (all->most == 0)
        return parscan_fail(context, PARSCAN_ERROR_OUT_OF_MEMORY,
                            "arrays in chunks: there is no device memory for an element of %zu "
                            "bytes, %u times",
                            bytes_of_element(all->flows, all->count), SLOTS);
    p.chunks = all->begins != NULL ? all->number : (all->n + all->most - 1) / all->most;
    lay_out_slot(&p);
    parscan_status status = parscan_cuda_take_slots(context, SLOTS * p.slot_bytes);
    if (status == PARSCAN_OK)
        status = open_lanes(context);
    return status == PARSCAN_OK ? wait_for_all(&p, drive(&p)) : status;
}
