/*
 * Exchanges of a CUDA context. A transport that takes device memory gets the arrays as they are. Else
 * they travel in parts through pinned host memory of a fixed size: while the transport has one part,
 * the next one comes from the device, on a stream of their own.
 */
#include <string.h>

#include "apps/distributed/comm_state.h"
#include "parscan/memory.h"
#include "scan/cuda/cuda_context.h"

/* Bytes of one part in each direction, for all ranks together; a rank's share is at least LEAST_SHARE. */
enum { PART_BYTES = 8 << 20, LEAST_SHARE = 4096 };

/* So many exchanges may be under way. */
enum { EXCHANGES = 8 };

/* An exchange in parts. */
typedef struct staged_exchange {
    const char *send;
    char *receive;
    uint64_t parts, begun;
    exchange part[2];
    uint64_t *bytes; /* send_begin, send_counts, receive_begin, receive_counts in bytes */
} staged_exchange;

/* The memory and the streams of staged exchanges. */
typedef struct stage_lanes {
    cudaStream_t stream;
    cudaEvent_t ready, done;     /* the context's work before; the last copy to the device */
    cudaEvent_t emptied[2];      /* a part has been copied to the device */
    char *sent[2], *received[2]; /* pinned, PART_BYTES or more each */
    size_t share;                /* bytes of a part for each rank, a multiple of 64 */
    uint64_t *numbers;           /* 4 arrays of `size` numbers, of one part in bytes */
    staged_exchange staged[EXCHANGES];
    unsigned begun; /* exchanges so far */
} stage_lanes;

static void free_lanes(parscan_comm *comm)
{
    stage_lanes *const lanes = comm->lanes;
    if (lanes == NULL)
        return;
    parscan_cuda_begin(comm->context, "parscan_comm_destroy");
    if (lanes->stream != NULL)
        cudaStreamSynchronize(lanes->stream);
    for (unsigned k = 0; k < 2; k++) {
        cudaFreeHost(lanes->sent[k]);
        cudaFreeHost(lanes->received[k]);
        if (lanes->emptied[k] != NULL)
            cudaEventDestroy(lanes->emptied[k]);
    }
    if (lanes->ready != NULL)
        cudaEventDestroy(lanes->ready);
    if (lanes->done != NULL)
        cudaEventDestroy(lanes->done);
    if (lanes->stream != NULL)
        cudaStreamDestroy(lanes->stream);
    parscan_cuda_end(comm->context, PARSCAN_OK);
    parscan_host_release(&comm->context->allocator, lanes);
    comm->lanes = NULL;
}

static cudaError_t open_lanes(stage_lanes *lanes, size_t bytes)
{
    cudaError_t error = cudaStreamCreateWithFlags(&lanes->stream, cudaStreamNonBlocking);
    cudaEvent_t *const events[] = {&lanes->ready, &lanes->done, &lanes->emptied[0],
                                   &lanes->emptied[1]};
    for (unsigned k = 0; k < 4 && error == cudaSuccess; k++)
        error = cudaEventCreateWithFlags(events[k], cudaEventDisableTiming);
    for (unsigned k = 0; k < 2 && error == cudaSuccess; k++) {
        error = cudaMallocHost((void **)&lanes->sent[k], bytes);
        if (error == cudaSuccess)
            error = cudaMallocHost((void **)&lanes->received[k], bytes);
    }
    return error;
}

/* Takes what exchanges need before the first one, while a failure can still be told to the others. */
static parscan_status take_stage(parscan_comm *comm)
{
    parscan_context *const context = comm->context;
    parscan_status status = parscan_cuda_begin(context, "parscan_dist");
    if (status == PARSCAN_OK)
        status = parscan_cuda_refuse_in_capture(context, "a call over several processes");
    if (status != PARSCAN_OK || comm->functions.device_memory || comm->lanes != NULL ||
        comm->size == 1)
        return parscan_cuda_end(context, status);
    const size_t room = sizeof(stage_lanes) + 4 * (EXCHANGES + 1) * comm->size * sizeof(uint64_t);
    stage_lanes *const lanes = parscan_host_allocate(&context->allocator, room);
    if (lanes == NULL)
        return parscan_cuda_end(context, parscan_fail(context, PARSCAN_ERROR_OUT_OF_MEMORY,
                                                      "no memory for %zu bytes", room));
    memset(lanes, 0, room);
    lanes->numbers = (uint64_t *)(void *)(lanes + 1);
    lanes->share = PART_BYTES / comm->size / 64 * 64;
    if (lanes->share < LEAST_SHARE)
        lanes->share = LEAST_SHARE;
    comm->lanes = lanes;
    const cudaError_t error = open_lanes(lanes, lanes->share * comm->size);
    status = parscan_cuda_check(context, error, "pinned memory of a communicator");
    parscan_cuda_end(context, status);
    if (status != PARSCAN_OK)
        free_lanes(comm);
    return status;
}

/* ---- a transport that takes device memory ---- */

static parscan_status on_device(parscan_comm *comm, const void *pointer, bool *device)
{
    if (pointer == NULL)
        return PARSCAN_OK;
    bool found = false;
    const parscan_status status =
        parscan_cuda_on_device(comm->context, "an array", pointer, &found);
    *device = *device && found;
    return status;
}

static parscan_status begin_direct(parscan_comm *comm, exchange *under_way, const void *send,
                                   void *receive, const exchange_part *part)
{
    cudaStream_t const stream = comm->context->cuda->stream;
    bool device = true;
    parscan_status status = on_device(comm, send, &device);
    if (status == PARSCAN_OK)
        status = on_device(comm, receive, &device);
    if (status == PARSCAN_OK && !device)
        status = parscan_cuda_check(comm->context, cudaStreamSynchronize(stream), "work before it");
    if (status != PARSCAN_OK)
        return parscan_comm_broke(comm, status, "an exchange");
    return parscan_exchange_to_all(comm, under_way, send, receive, part,
                                   device ? PARSCAN_COMM_DEVICE : PARSCAN_COMM_HOST,
                                   device ? (void *)stream : NULL);
}

/* ---- parts through pinned memory ---- */

/* The bytes of part k among `bytes`. */
static size_t bytes_of_part(const stage_lanes *lanes, uint64_t bytes, uint64_t k)
{
    const uint64_t begin = k * lanes->share;
    const uint64_t left = bytes > begin ? bytes - begin : 0;
    return (size_t)(left < lanes->share ? left : lanes->share);
}

/* Brings a part to pinned memory, and gives it to the transport. */
static parscan_status begin_part(parscan_comm *comm, staged_exchange *staged)
{
    stage_lanes *const lanes = comm->lanes;
    const unsigned size = comm->size, turn = (unsigned)(staged->begun % 2);
    uint64_t *const numbers = lanes->numbers;
    const uint64_t k = staged->begun++;
    cudaError_t error = cudaEventSynchronize(lanes->emptied[turn]);
    for (unsigned r = 0; r < size && error == cudaSuccess; r++) {
        numbers[r] = numbers[2 * size + r] = r * lanes->share;
        numbers[size + r] = bytes_of_part(lanes, staged->bytes[size + r], k);
        numbers[3 * size + r] = bytes_of_part(lanes, staged->bytes[3 * size + r], k);
        if (numbers[size + r] > 0)
            error = cudaMemcpyAsync(lanes->sent[turn] + numbers[r],
                                    staged->send + staged->bytes[r] + k * lanes->share,
                                    numbers[size + r], cudaMemcpyDefault, lanes->stream);
    }
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(lanes->stream);
    if (error != cudaSuccess)
        return parscan_comm_broke(
            comm, parscan_cuda_fail(comm->context, error, "a copy from the device"), "an exchange");
    const exchange_part part = {1, numbers, numbers + size, numbers + 2 * size, numbers + 3 * size};
    return parscan_exchange_to_all(comm, &staged->part[turn], lanes->sent[turn],
                                   lanes->received[turn], &part, PARSCAN_COMM_HOST, NULL);
}

/* Waits for part k, and starts its copies to the device. */
static parscan_status end_part(parscan_comm *comm, staged_exchange *staged, uint64_t k)
{
    stage_lanes *const lanes = comm->lanes;
    const unsigned size = comm->size, turn = (unsigned)(k % 2);
    const parscan_status status = parscan_exchange_wait(comm, &staged->part[turn]);
    cudaError_t error = cudaSuccess;
    for (unsigned r = 0; r < size && status == PARSCAN_OK && error == cudaSuccess; r++) {
        const size_t bytes = bytes_of_part(lanes, staged->bytes[3 * size + r], k);
        if (bytes > 0)
            error = cudaMemcpyAsync(
                staged->receive + staged->bytes[2 * size + r] + k * lanes->share,
                lanes->received[turn] + r * lanes->share, bytes, cudaMemcpyDefault, lanes->stream);
    }
    if (status == PARSCAN_OK && error == cudaSuccess)
        error = cudaEventRecord(lanes->emptied[turn], lanes->stream);
    if (error == cudaSuccess)
        return status;
    return parscan_comm_broke(comm, parscan_cuda_fail(comm->context, error, "a copy to the device"),
                              "an exchange");
}

/* The number of parts, which all ranks need: of the largest message. */
static parscan_status count_parts(parscan_comm *comm, staged_exchange *staged)
{
    const stage_lanes *const lanes = comm->lanes;
    uint64_t most = 0;
    void *request = NULL;
    for (unsigned r = 0; r < comm->size; r++)
        most = staged->bytes[comm->size + r] > most ? staged->bytes[comm->size + r] : most;
    memcpy(comm->mine, &most, sizeof most);
    parscan_status status = comm->functions.all_gather(
        comm->user, comm->mine, sizeof most, comm->gathered, PARSCAN_COMM_HOST, NULL, &request);
    if (status == PARSCAN_OK)
        status = comm->functions.wait(comm->user, request, comm->timeout);
    if (status != PARSCAN_OK)
        return parscan_comm_broke(comm, status, "an exchange");
    for (unsigned r = 0; r < comm->size; r++) {
        uint64_t bytes;
        memcpy(&bytes, comm->gathered + r * sizeof bytes, sizeof bytes);
        most = bytes > most ? bytes : most;
    }
    staged->parts = (most + lanes->share - 1) / lanes->share;
    return PARSCAN_OK;
}

static parscan_status begin_staged(parscan_comm *comm, exchange *under_way, const void *send,
                                   void *receive, const exchange_part *part)
{
    stage_lanes *const lanes = comm->lanes;
    const unsigned size = comm->size;
    const unsigned slot = lanes->begun++ % EXCHANGES;
    staged_exchange *const staged = &lanes->staged[slot];
    *staged = (staged_exchange){.send = send, .receive = receive};
    staged->bytes = lanes->numbers + 4 * (slot + 1) * size;
    for (unsigned r = 0; r < size; r++) {
        staged->bytes[r] = part->send_begin[r] * part->element_size;
        staged->bytes[size + r] = part->send_counts[r] * part->element_size;
        staged->bytes[2 * size + r] = part->receive_begin[r] * part->element_size;
        staged->bytes[3 * size + r] = part->receive_counts[r] * part->element_size;
    }
    under_way->staged = staged;
    under_way->open = true;
    cudaError_t error = cudaEventRecord(lanes->ready, comm->context->cuda->stream);
    if (error == cudaSuccess)
        error = cudaStreamWaitEvent(lanes->stream, lanes->ready, 0);
    if (error != cudaSuccess)
        return parscan_comm_broke(comm, parscan_cuda_fail(comm->context, error, "an event"),
                                  "an exchange");
    return count_parts(comm, staged);
}

static parscan_status end_staged(parscan_comm *comm, exchange *under_way)
{
    stage_lanes *const lanes = comm->lanes;
    staged_exchange *const staged = under_way->staged;
    parscan_status status = PARSCAN_OK;
    if (!under_way->open)
        return PARSCAN_OK;
    under_way->open = false;
    if (staged->parts > 0)
        status = begin_part(comm, staged);
    for (uint64_t k = 0; k < staged->parts && status == PARSCAN_OK; k++) {
        if (staged->begun < staged->parts)
            status = begin_part(comm, staged);
        if (status == PARSCAN_OK)
            status = end_part(comm, staged, k);
    }
    if (status != PARSCAN_OK)
        return status;
    cudaError_t error = cudaEventRecord(lanes->done, lanes->stream);
    if (error == cudaSuccess)
        error = cudaStreamWaitEvent(comm->context->cuda->stream, lanes->done, 0);
    return error == cudaSuccess
               ? PARSCAN_OK
               : parscan_comm_broke(comm, parscan_cuda_fail(comm->context, error, "an event"),
                                    "an exchange");
}

/* ---- the engine ---- */

static parscan_status begin_exchange(parscan_comm *comm, exchange *under_way, const void *send,
                                     void *receive, const exchange_part *part)
{
    parscan_status status = parscan_cuda_begin(comm->context, "an exchange");
    if (status != PARSCAN_OK)
        return parscan_cuda_end(comm->context, parscan_comm_broke(comm, status, "an exchange"));
    status = (comm->functions.device_memory ? begin_direct : begin_staged)(comm, under_way, send,
                                                                           receive, part);
    return parscan_cuda_end(comm->context, status);
}

static parscan_status end(parscan_comm *comm, exchange *under_way)
{
    parscan_status status = parscan_cuda_begin(comm->context, "the end of an exchange");
    if (status != PARSCAN_OK)
        return parscan_cuda_end(comm->context, parscan_comm_broke(comm, status, "an exchange"));
    status = (comm->functions.device_memory ? parscan_exchange_wait : end_staged)(comm, under_way);
    return parscan_cuda_end(comm->context, status);
}

static parscan_status lend(parscan_comm *comm, exchange *under_way, const void *memory,
                           const void **lent)
{
    if (!comm->functions.device_memory || comm->functions.lend == NULL)
        return PARSCAN_OK;
    parscan_status status = parscan_cuda_begin(comm->context, "an exchange");
    if (status == PARSCAN_OK)
        status = comm->functions.lend(comm->user, memory, lent, comm->context->cuda->stream,
                                      &under_way->request);
    under_way->open = status == PARSCAN_OK && lent[0] != NULL;
    return parscan_cuda_end(comm->context, parscan_comm_broke(comm, status, "an exchange"));
}

const parscan_stage_engine parscan_stage_cuda = {
    .begin = begin_exchange, .end = end, .lend = lend, .check = take_stage, .release = free_lanes};
