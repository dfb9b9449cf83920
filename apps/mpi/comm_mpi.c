#include "parscan/comm_mpi.h"

#include <stdlib.h>
#include <string.h>

#include "apps/mpi/mpi_transport.h"
#include "scan/context/cancellation.h"
#ifdef __has_include
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h> /* Open MPI's MPIX_Query_cuda_support() */
#endif
#endif

enum { CREATION_SECONDS = 60 };

/* Whether MPI takes pointers to device memory, and there is a CUDA runtime to order its work. */
static bool takes_device_memory(const parscan_context *context)
{
#if defined PARSCAN_HAVE_CUDA && defined MPIX_CUDA_AWARE_SUPPORT
    return parscan_context_backend(context) == PARSCAN_BACKEND_CUDA && MPIX_Query_cuda_support();
#else
    (void)context;
    return false;
#endif
}

static parscan_status check_thread_level(parscan_context *context)
{
    int level = MPI_THREAD_SINGLE, is_main = 0;
    MPI_Query_thread(&level);
    MPI_Is_thread_main(&is_main);
    if (level < MPI_THREAD_FUNNELED)
        return parscan_comm_refuse(
            context, PARSCAN_ERROR_UNSUPPORTED,
            "MPI was initialised for one thread; parscan's contexts have threads: call "
            "MPI_Init_thread() with MPI_THREAD_FUNNELED or more");
    if (level < MPI_THREAD_SERIALIZED && !is_main)
        return parscan_comm_refuse(
            context, PARSCAN_ERROR_UNSUPPORTED,
            "MPI was initialised with MPI_THREAD_FUNNELED, and this is not the main thread: "
            "MPI_THREAD_SERIALIZED or more is needed");
    return PARSCAN_OK;
}

static parscan_status check_mpi(parscan_context *context, MPI_Comm mpi)
{
    int initialised = 0, finalised = 0, inter = 0;
    MPI_Initialized(&initialised);
    if (!initialised)
        return parscan_comm_refuse(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                                   "MPI is not initialised: call MPI_Init_thread() first");
    MPI_Finalized(&finalised);
    if (finalised)
        return parscan_comm_refuse(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                                   "MPI is already finalised");
    if (mpi == MPI_COMM_NULL)
        return parscan_comm_refuse(context, PARSCAN_ERROR_INVALID_ARGUMENT, "mpi is MPI_COMM_NULL");
    if (MPI_Comm_test_inter(mpi, &inter) != MPI_SUCCESS || inter)
        return parscan_comm_refuse(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                                   "mpi is an inter-communicator");
    return check_thread_level(context);
}

/* MPI_Comm_dup() would wait for ever for a rank that does not come. If *begun, MPI may still write to
   the transport. */
static parscan_status duplicate(mpi_transport *transport, MPI_Comm mpi, bool *begun)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    const int all = -1;
    const mpi_limit limit = {CREATION_SECONDS, "the limit of parscan_comm_create_mpi()"};
    parscan_status done = parscan_mpi_check(
        transport, MPI_Comm_idup(mpi, &transport->comm, &request), "MPI_Comm_idup");
    *begun = done == PARSCAN_OK;
    if (*begun)
        done = parscan_mpi_wait_all(transport, 1, &request, &status, &all, limit);
    if (done != PARSCAN_OK)
        return done;
    MPI_Comm_set_errhandler(transport->comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(transport->comm, &transport->rank);
    MPI_Comm_size(transport->comm, &transport->size);
    return PARSCAN_OK;
}

static parscan_status create_mpi_comm(parscan_comm **comm, parscan_context *context,
                                      mpi_transport *transport)
{
    const parscan_comm_functions functions = parscan_mpi_functions(transport);
    return parscan_comm_create(comm, context,
                               &PARSCAN_COMM_OPTIONS(.rank = (unsigned)transport->rank,
                                                     .size = (unsigned)transport->size,
                                                     .functions = &functions, .user = transport));
}

static parscan_status create_mpi(parscan_comm **comm, parscan_context *context, MPI_Comm mpi)
{
    parscan_status status = check_mpi(context, mpi);
    if (status != PARSCAN_OK)
        return status;
    mpi_transport *const transport = calloc(1, sizeof *transport);
    if (transport == NULL)
        return parscan_comm_refuse(context, PARSCAN_ERROR_OUT_OF_MEMORY, "no memory for a comm");
    transport->device_memory = takes_device_memory(context);
    bool begun;
    status = duplicate(transport, mpi, &begun);
    if (status != PARSCAN_OK) {
        parscan_comm_refuse(context, status, transport->words);
        if (!begun)
            free(transport);
        return status;
    }
    status = create_mpi_comm(comm, context, transport);
    if (status != PARSCAN_OK)
        free(transport); /* MPI_Comm_free() would wait for the other ranks */
    return status;
}

parscan_status parscan_comm_create_mpi(parscan_comm **comm, parscan_context *context, MPI_Comm mpi)
{
    if (comm == NULL)
        return parscan_comm_refuse(context, PARSCAN_ERROR_INVALID_ARGUMENT, "comm is NULL");
    *comm = NULL;
    if (context == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    const int cancellation = parscan_hold_cancellation();
    const parscan_status status = create_mpi(comm, context, mpi);
    parscan_allow_cancellation(cancellation);
    return status;
}
