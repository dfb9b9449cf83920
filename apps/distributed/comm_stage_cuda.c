/*
 * Exchanges of arrays on CUDA.
 *
 * A transport that takes device memory gets the arrays as they are. If one of the two is in host
 * memory, a copy on the device takes its place.
 *
 * With a transport for host memory alone, arrays go in rounds through pinned memory: in each, up to
 * `slice` bytes between any two ranks. All ranks take part in all rounds; an exchange of 8 bytes a
 * rank before the first tells how many there are. There are two sets of pinned memory, so that one
 * round is copied to and from the device while the other travels. One staged exchange is under way
 * at a time: the next one ends it first.
 */
#include <string.h>

#include "apps/distributed/comm_state.h"
#include "scan/cuda/cuda_context.h"

/* Pinned memory: of a set, for each direction; the least between two ranks. */
#define STAGE_BYTES ((size_t)8 << 20)
#define LEAST_SLICE ((size_t)64 << 10)

/* A round that travels. */
typedef struct stage_round {
    unsigned char *sent, *got; /* pinned, `slice` bytes for each rank */
    exchange travelling;
    uint64_t *to, *counts; /* of each rank: where its bytes belong in the receiver's array */
    char *receive;
} stage_round;

/* Of a comm, made at the first staged exchange. */
typedef struct stage {
    size_t slice;
    stage_round rounds[2];
    uint64_t *numbers; /* 8 arrays: those of the rounds, and of an exchange */
    uint64_t *longest; /* of all ranks */
    exchange *open;    /* the exchange whose last rounds travel; NULL: none */
} stage;

/* A copy on the device of an array in host memory that receives. */
typedef struct stage_copy {
    char *to;
    const char *from;
    size_t element_size;
    uint64_t *begin, *counts;
} stage_copy;

/* ---- memory ---- */

static parscan_status pin(parscan_context *context, unsigned char **memory, size_t size)
{
    void *pinned = NULL;
    const cudaError_t error = cudaMallocHost(&pinned, size);
    *memory = pinned;
    return error == cudaSuccess ? PARSCAN_OK : parscan_cuda_fail(context, error, "pinned memory");
}

static void release(parscan_comm *comm)
{
    stage *const s = comm->lanes;
    if (s == NULL)
        return;
    for (int k = 0; k < 2; k++) {
        cudaFreeHost(s->rounds[k].sent);
        cudaFreeHost(s->rounds[k].got);
    }
    parscan_host_release(&comm->context->allocator, s);
    comm->lanes = NULL;
}

static parscan_status make_stage(parscan_comm *comm)
{
    const size_t size = comm->size, numbers = 9 * size * sizeof(uint64_t);
    if (comm->lanes != NULL)
        return PARSCAN_OK;
    stage *const s = parscan_host_allocate(&comm->context->allocator, sizeof *s + numbers);
    if (s == NULL)
        return parscan_fail(comm->context, PARSCAN_ERROR_OUT_OF_MEMORY, "no memory for %zu bytes",
                            sizeof *s + numbers);
    memset(s, 0, sizeof *s);
    s->slice = STAGE_BYTES / size < LEAST_SLICE ? LEAST_SLICE : STAGE_BYTES / size / 64 * 64;
    s->numbers = (uint64_t *)(void *)(s + 1);
    s->longest = s->numbers + 8 * size;
    comm->lanes = s;
    parscan_status status = PARSCAN_OK;
    for (int k = 0; k < 2 && status == PARSCAN_OK; k++) {
        s->rounds[k].to = s->numbers + 2 * (size_t)k * size;
        s->rounds[k].counts = s->rounds[k].to + size;
        status = pin(comm->context, &s->rounds[k].sent, s->slice * size);
        if (status == PARSCAN_OK)
            status = pin(comm->context, &s->rounds[k].got, s->slice * size);
    }
    if (status != PARSCAN_OK)
        release(comm);
    return status;
}

/* ---- rounds through pinned memory ---- */

static parscan_status copy_bytes(parscan_comm *comm, void *to, const void *from, size_t bytes)
{
    if (bytes == 0)
        return PARSCAN_OK;
    return parscan_cuda_check(
        comm->context,
        cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, comm->context->cuda->stream),
        "a copy for an exchange");
}

static parscan_status wait_for_stream(parscan_comm *comm)
{
    return parscan_cuda_check(comm->context, cudaStreamSynchronize(comm->context->cuda->stream),
                              "a copy for an exchange");
}

/* How much of `count` elements belongs to round k; *begin: from which byte on. */
static size_t share(const stage *s, const exchange_part *part, uint64_t count, uint64_t k,
                    uint64_t *begin)
{
    const uint64_t bytes = count * part->element_size, from = k * s->slice;
    *begin = from;
    if (from >= bytes)
        return 0;
    return bytes - from < s->slice ? (size_t)(bytes - from) : s->slice;
}

/* Copies what a round has brought to where it belongs. */
static parscan_status end_round(parscan_comm *comm, stage_round *round)
{
    stage *const s = comm->lanes;
    if (!round->travelling.open)
        return PARSCAN_OK;
    parscan_status status = parscan_exchange_wait(comm, &round->travelling);
    for (size_t rank = 0; status == PARSCAN_OK && rank < comm->size; rank++)
        status = parscan_comm_broke(comm,
                                    copy_bytes(comm, round->receive + round->to[rank],
                                               round->got + rank * s->slice,
                                               (size_t)round->counts[rank]),
                                    "a copy");
    return status;
}

static parscan_status begin_round(parscan_comm *comm, const exchange_part *part, const char *send,
                                  char *receive, uint64_t k)
{
    stage *const s = comm->lanes;
    stage_round *const round = &s->rounds[k % 2];
    const size_t size = comm->size;
    uint64_t *const places = s->numbers + 4 * size, *const sizes = places + size;
    parscan_status status = PARSCAN_OK;
    round->receive = receive;
    for (size_t rank = 0; status == PARSCAN_OK && rank < size; rank++) {
        uint64_t begin;
        places[rank] = rank * s->slice;
        sizes[rank] = share(s, part, part->send_counts[rank], k, &begin);
        if (sizes[rank] > 0)
            status = copy_bytes(comm, round->sent + places[rank],
                                send + part->send_begin[rank] * part->element_size + begin,
                                (size_t)sizes[rank]);
        round->counts[rank] = share(s, part, part->receive_counts[rank], k, &begin);
        round->to[rank] = part->receive_begin[rank] * part->element_size + begin;
    }
    /* Also waits for what the last round of this set has brought to leave its memory. */
    if (status == PARSCAN_OK)
        status = wait_for_stream(comm);
    if (status != PARSCAN_OK)
        return parscan_comm_broke(comm, status, "a copy");
    const exchange_part bytes = {1, places, sizes, places, round->counts};
    return parscan_exchange_to_all(comm, &round->travelling, round->sent, round->got, &bytes,
                                   PARSCAN_COMM_HOST, NULL);
}

/* Ends the last two rounds, which travel. */
static parscan_status end_rounds(parscan_comm *comm, uint64_t rounds)
{
    stage *const s = comm->lanes;
    parscan_status status = PARSCAN_OK;
    for (uint64_t k = rounds > 2 ? rounds - 2 : 0; status == PARSCAN_OK && k < rounds; k++)
        status = end_round(comm, &s->rounds[k % 2]);
    return status == PARSCAN_OK ? parscan_comm_broke(comm, wait_for_stream(comm), "a copy")
                                : status;
}

static parscan_status end_open(parscan_comm *comm)
{
    stage *const s = comm->lanes;
    if (s == NULL || s->open == NULL)
        return PARSCAN_OK;
    const uint64_t rounds = (uint64_t)(uintptr_t)s->open->request;
    s->open->open = false;
    s->open = NULL;
    return end_rounds(comm, rounds);
}

static parscan_status begin_staged(parscan_comm *comm, exchange *under_way, const char *send,
                                   char *receive, const exchange_part *part)
{
    uint64_t most = 0, rounds = 0;
    parscan_status status = end_open(comm);
    if (status != PARSCAN_OK)
        return status;
    status = make_stage(comm);
    for (size_t rank = 0; rank < comm->size; rank++) {
        const uint64_t bytes = part->send_counts[rank] * part->element_size;
        most = bytes > most ? bytes : most;
    }
    /* Without memory there is no place for what the others say. */
    stage *const s = comm->lanes;
    status = parscan_gather(comm, status, &most, sizeof most, s != NULL ? s->longest : NULL);
    if (status != PARSCAN_OK)
        return parscan_comm_broke(comm, status, "an exchange");
    for (size_t rank = 0; rank < comm->size; rank++) {
        const uint64_t needed = (s->longest[rank] + s->slice - 1) / s->slice;
        rounds = needed > rounds ? needed : rounds;
    }
    for (uint64_t k = 0; k < rounds && status == PARSCAN_OK; k++) {
        if (k >= 2)
            status = end_round(comm, &s->rounds[k % 2]);
        if (status == PARSCAN_OK)
            status = begin_round(comm, part, send, receive, k);
    }
    under_way->open = status == PARSCAN_OK;
    under_way->request = (void *)(uintptr_t)rounds;
    s->open = under_way->open ? under_way : NULL;
    return status;
}

/* ---- directly ---- */

/* The elements of an array that an exchange reads or writes end here. */
static uint64_t extent(const parscan_comm *comm, const uint64_t *begin, const uint64_t *counts)
{
    uint64_t end = 0;
    for (size_t rank = 0; rank < comm->size; rank++)
        if (counts[rank] > 0 && begin[rank] + counts[rank] > end)
            end = begin[rank] + counts[rank];
    return end;
}

/* Makes a copy of the sending array on the device. */
static parscan_status copy_up(parscan_comm *comm, const void **send, const exchange_part *part)
{
    const size_t bytes =
        (size_t)extent(comm, part->send_begin, part->send_counts) * part->element_size;
    void *copy;
    parscan_status status = parscan_comm_allocate(comm, COMM_ON_ENGINE, bytes, &copy);
    for (size_t rank = 0; status == PARSCAN_OK && rank < comm->size; rank++) {
        const size_t begin = (size_t)part->send_begin[rank] * part->element_size;
        if (part->send_counts[rank] > 0)
            status =
                parscan_cuda_copy(comm->context, (char *)copy + begin, (const char *)*send + begin,
                                  (size_t)part->send_counts[rank] * part->element_size);
    }
    *send = copy;
    return status;
}

/* Takes memory on the device in the place of the receiving array, until the end. */
static parscan_status copy_down_later(parscan_comm *comm, exchange *under_way, void **receive,
                                      const exchange_part *part)
{
    const size_t size = comm->size;
    const size_t bytes =
        (size_t)extent(comm, part->receive_begin, part->receive_counts) * part->element_size;
    void *copy, *memory;
    parscan_status status = parscan_comm_allocate(comm, COMM_ON_ENGINE, bytes, &copy);
    if (status == PARSCAN_OK)
        status = parscan_comm_allocate(comm, COMM_ON_HOST,
                                       sizeof(stage_copy) + 2 * size * sizeof(uint64_t), &memory);
    if (status != PARSCAN_OK)
        return status;
    stage_copy *const later = memory;
    uint64_t *const numbers = (uint64_t *)(void *)(later + 1);
    *later = (stage_copy){*receive, copy, part->element_size, numbers, numbers + size};
    memcpy(later->begin, part->receive_begin, size * sizeof(uint64_t));
    memcpy(later->counts, part->receive_counts, size * sizeof(uint64_t));
    under_way->staged = later;
    *receive = copy;
    return PARSCAN_OK;
}

static parscan_status copy_down(parscan_comm *comm, const stage_copy *later)
{
    parscan_status status = PARSCAN_OK;
    for (size_t rank = 0; status == PARSCAN_OK && rank < comm->size; rank++) {
        const size_t begin = (size_t)later->begin[rank] * later->element_size;
        if (later->counts[rank] > 0)
            status = parscan_cuda_copy(comm->context, later->to + begin, later->from + begin,
                                       (size_t)later->counts[rank] * later->element_size);
    }
    return status;
}

static parscan_status begin_direct(parscan_comm *comm, exchange *under_way, const void *send,
                                   void *receive, const exchange_part *part)
{
    const bool sends = extent(comm, part->send_begin, part->send_counts) > 0;
    const bool receives = extent(comm, part->receive_begin, part->receive_counts) > 0;
    bool from_device = false, to_device = false;
    parscan_status status = PARSCAN_OK;
    if (sends)
        status = parscan_cuda_on_device(comm->context, "send", send, &from_device);
    if (status == PARSCAN_OK && receives)
        status = parscan_cuda_on_device(comm->context, "receive", receive, &to_device);
    const bool device = from_device || to_device;
    if (status == PARSCAN_OK && device && sends && !from_device)
        status = copy_up(comm, &send, part);
    if (status == PARSCAN_OK && device && receives && !to_device)
        status = copy_down_later(comm, under_way, &receive, part);
    if (status != PARSCAN_OK)
        return parscan_comm_broke(comm, status, "a copy");
    return parscan_exchange_to_all(comm, under_way, send, receive, part,
                                   device ? PARSCAN_COMM_DEVICE : PARSCAN_COMM_HOST,
                                   device ? comm->context->cuda->stream : NULL);
}

/* ---- both ---- */

static parscan_status begin(parscan_comm *comm, exchange *under_way, const void *send,
                            void *receive, const exchange_part *part)
{
    parscan_status status = parscan_cuda_begin(comm->context, "parscan_exchange");
    if (status != PARSCAN_OK)
        return parscan_cuda_end(comm->context, parscan_comm_broke(comm, status, "the device"));
    status = comm->functions.device_memory ? begin_direct(comm, under_way, send, receive, part)
                                           : begin_staged(comm, under_way, send, receive, part);
    return parscan_cuda_end(comm->context, status);
}

static parscan_status end(parscan_comm *comm, exchange *under_way)
{
    stage *const s = comm->lanes;
    parscan_status status = parscan_cuda_begin(comm->context, "parscan_exchange");
    if (status == PARSCAN_OK && s != NULL && s->open == under_way)
        status = end_open(comm);
    else if (status == PARSCAN_OK && comm->functions.device_memory)
        status = parscan_exchange_wait(comm, under_way);
    if (status == PARSCAN_OK && under_way->staged != NULL)
        status = parscan_comm_broke(comm, copy_down(comm, under_way->staged), "a copy");
    return parscan_cuda_end(comm->context, status);
}

static parscan_status check(parscan_comm *comm)
{
    return parscan_cuda_refuse_in_capture(comm->context, "a call of several ranks");
}

const parscan_stage_engine parscan_stage_cuda = {begin, end, check, release};
