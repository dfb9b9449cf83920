#include "parscan/comm_nccl.h"

#include <stdio.h>
#include <stdlib.h>

#include "apps/nccl/nccl_transport.h"
#include "parscan/memory.h"
#include "scan/context/cancellation.h"

static parscan_status refuse(parscan_context *context, const char *words)
{
    return parscan_comm_refuse(context, PARSCAN_ERROR_INVALID_ARGUMENT, words);
}

/* The device of the context: where its memory is. */
static parscan_status find_device(parscan_context *context, int *device)
{
    void *memory = NULL;
    struct cudaPointerAttributes attributes;
    const parscan_status status = parscan_malloc(context, &memory, 1);
    if (status != PARSCAN_OK)
        return status;
    const cudaError_t error = cudaPointerGetAttributes(&attributes, memory);
    parscan_free(context, memory);
    if (error != cudaSuccess)
        return parscan_comm_refuse(context, PARSCAN_ERROR_DEVICE, cudaGetErrorString(error));
    *device = attributes.device;
    return PARSCAN_OK;
}

static parscan_status ask_nccl(nccl_transport *transport)
{
    ncclResult_t state = ncclSuccess;
    ncclResult_t result = ncclCommGetAsyncError(transport->nccl, &state);
    if (result == ncclSuccess && state == ncclInProgress)
        return parscan_nccl_fail(transport, "the communicator is not complete: ncclInProgress");
    if (result == ncclSuccess)
        result = state;
    if (result == ncclSuccess)
        result = ncclCommCount(transport->nccl, &transport->size);
    if (result == ncclSuccess)
        result = ncclCommUserRank(transport->nccl, &transport->rank);
    if (result == ncclSuccess)
        result = ncclCommCuDevice(transport->nccl, &transport->device);
    return parscan_nccl_check(transport, result, "the communicator");
}

static parscan_status prepare_nccl(nccl_transport *transport, parscan_context *context)
{
    int device = -1;
    parscan_status status = ask_nccl(transport);
    if (status == PARSCAN_OK) {
        status = find_device(context, &device);
        if (status != PARSCAN_OK)
            return status;
        if (device != transport->device) {
            char words[128];
            snprintf(words, sizeof words, "nccl is on device %d, and the context on device %d",
                     transport->device, device);
            return refuse(context, words);
        }
        status = parscan_nccl_open(transport);
    }
    return status == PARSCAN_OK ? status : parscan_comm_refuse(context, status, transport->words);
}

static parscan_status create_nccl_comm(parscan_comm **comm, parscan_context *context,
                                       nccl_transport *transport)
{
    const parscan_comm_functions functions = parscan_nccl_functions();
    return parscan_comm_create(comm, context,
                               &PARSCAN_COMM_OPTIONS(.rank = (unsigned)transport->rank,
                                                     .size = (unsigned)transport->size,
                                                     .functions = &functions, .user = transport));
}

static parscan_status create_nccl(parscan_comm **comm, parscan_context *context, ncclComm_t nccl)
{
    nccl_transport *const transport = calloc(1, sizeof *transport);
    if (transport == NULL)
        return parscan_comm_refuse(context, PARSCAN_ERROR_OUT_OF_MEMORY, "no memory for a comm");
    transport->nccl = nccl;
    transport->seconds = 60; /* until the first wait */
    transport->limit = "the limit until an exchange is done";
    parscan_status status = prepare_nccl(transport, context);
    if (status == PARSCAN_OK)
        status = create_nccl_comm(comm, context, transport);
    if (status != PARSCAN_OK)
        parscan_nccl_release(transport);
    return status;
}

parscan_status parscan_comm_create_nccl(parscan_comm **comm, parscan_context *context,
                                        ncclComm_t nccl)
{
    if (comm == NULL)
        return refuse(context, "comm is NULL");
    *comm = NULL;
    if (context == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    if (nccl == NULL)
        return refuse(context, "nccl is NULL");
    if (parscan_context_backend(context) != PARSCAN_BACKEND_CUDA)
        return refuse(context, "NCCL needs a CUDA context: the context is on the CPU");
    const int cancellation = parscan_hold_cancellation();
    const parscan_status status = create_nccl(comm, context, nccl);
    parscan_allow_cancellation(cancellation);
    return status;
}
