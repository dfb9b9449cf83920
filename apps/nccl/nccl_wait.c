/* Errors of NCCL and CUDA, and waiting with a limit of time. */
#define _POSIX_C_SOURCE 200809L
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "apps/nccl/nccl_transport.h"

/* Exchanges of large arrays take milliseconds: whoever has waited for so long may sleep. */
static const double patience = 2e-3;
enum { NAP_NANOSECONDS = 20000 };

parscan_status parscan_nccl_fail(nccl_transport *transport, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(transport->words, sizeof transport->words, format, arguments);
    va_end(arguments);
    transport->failed = true;
    return PARSCAN_ERROR_DEVICE;
}

parscan_status parscan_nccl_check(nccl_transport *transport, ncclResult_t result,
                                  const char *function)
{
    if (result == ncclSuccess || result == ncclInProgress)
        return PARSCAN_OK;
    return parscan_nccl_fail(transport, "%s: %s: %.300s", function, ncclGetErrorString(result),
                             ncclGetLastError(transport->nccl));
}

parscan_status parscan_nccl_check_cuda(nccl_transport *transport, cudaError_t error,
                                       const char *function)
{
    if (error == cudaSuccess)
        return PARSCAN_OK;
    cudaGetLastError();
    return parscan_nccl_fail(transport, "%s: %s", function, cudaGetErrorString(error));
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static parscan_status fail_late(nccl_transport *transport)
{
    return parscan_nccl_fail(
        transport, "an exchange is not done after %g seconds (%s): a rank is lost or late",
        transport->seconds, transport->limit);
}

static void pause_between_questions(double waited)
{
    const struct timespec nap = {.tv_nsec = NAP_NANOSECONDS};
    if (waited > patience)
        nanosleep(&nap, NULL);
    else
        sched_yield();
}

parscan_nccl_clock parscan_nccl_clock_start(void)
{
    return (parscan_nccl_clock){now()};
}

bool parscan_nccl_pause_until(const parscan_nccl_clock *clock, double seconds)
{
    const double waited = now() - clock->begin;
    if (waited > seconds)
        return false;
    pause_between_questions(waited);
    return true;
}

parscan_status parscan_nccl_pause(nccl_transport *transport, const parscan_nccl_clock *clock)
{
    return parscan_nccl_pause_until(clock, transport->seconds) ? PARSCAN_OK : fail_late(transport);
}

void parscan_nccl_limit(nccl_transport *transport, double seconds)
{
    transport->seconds = seconds;
    transport->limit = "parscan_comm_set_timeout()";
}

parscan_status parscan_nccl_settle(nccl_transport *transport, ncclResult_t result,
                                   const char *function)
{
    const parscan_nccl_clock clock = parscan_nccl_clock_start();
    while (result == ncclInProgress) {
        const parscan_status status = parscan_nccl_pause(transport, &clock);
        if (status != PARSCAN_OK)
            return status;
        const ncclResult_t asked = ncclCommGetAsyncError(transport->nccl, &result);
        if (asked != ncclSuccess)
            return parscan_nccl_check(transport, asked, "ncclCommGetAsyncError");
    }
    return parscan_nccl_check(transport, result, function);
}

parscan_status parscan_nccl_wait_event(nccl_transport *transport, cudaEvent_t event, double seconds)
{
    const parscan_nccl_clock clock = parscan_nccl_clock_start();
    parscan_nccl_limit(transport, seconds);
    for (;;) {
        const cudaError_t arrived = cudaEventQuery(event);
        if (arrived != cudaErrorNotReady)
            return parscan_nccl_check_cuda(transport, arrived, "an exchange");
        cudaGetLastError(); /* so that the caller does not find this answer */
        ncclResult_t result = ncclSuccess;
        const ncclResult_t asked = ncclCommGetAsyncError(transport->nccl, &result);
        parscan_status status =
            parscan_nccl_check(transport, asked != ncclSuccess ? asked : result, "an exchange");
        if (status == PARSCAN_OK)
            status = parscan_nccl_pause(transport, &clock);
        if (status != PARSCAN_OK)
            return status;
    }
}
