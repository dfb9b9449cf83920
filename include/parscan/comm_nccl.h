/*
 * parscan/comm_nccl.h: a parscan_comm over NCCL, between GPUs (libparscan_nccl).
 *
 *     parscan_context_create(&context, &PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CUDA,
 *                                                               .device = device));
 *     ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
 *     config.blocking = 0;
 *     config.maxCTAs = 16;
 *     ncclCommInitRankConfig(&nccl, ranks, id, rank, &config);       until it is no longer in progress
 *     parscan_comm_create_nccl(&comm, context, nccl);
 *     parscan_dist_sort_keys(comm, PARSCAN_U32, in, n, out, n, NULL);
 *     parscan_comm_destroy(comm);
 *     parscan_context_destroy(context);
 *     ncclCommDestroy(nccl);
 *
 * One process a GPU or one thread a GPU: each rank has a context, an ncclComm_t and a comm.
 *
 * Order         Exchanges run on a stream of the comm's own, after the work that was on the
 *               context's stream when they started: work that the context gets afterwards runs beside
 *               them. The function that ends an exchange blocks the host until it is done. It could
 *               let the context's stream wait instead; but then a lost rank would be met by the
 *               next cudaStreamSynchronize(), which has no limit of time.
 * One host      Ranks of one host, on devices that can read each other's memory (cudaDeviceCanAccessPeer()),
 *               exchange without NCCL: device memory by copies over peer access, host memory by memcpy().
 *               No kernel takes part. The first exchange enables that, for good; if one rank cannot, all go
 *               on with NCCL, and that is no error.
 * Threads       Threads of one process read each other's arrays where they are. A device array that a pool or
 *               the virtual memory functions gave is copied first. The kernels of a sort read what the others
 *               have sorted, and nothing is copied.
 * Processes     Processes open each other's memory by CUDA's IPC handles; not the caller's arrays, but
 *               buffers of the comm's own, to which device memory is copied first, on a stream beside the
 *               context's. Host memory goes through shared memory without a name. They must be in
 *               one namespace of processes, of one user, and be allowed IPC: as a rule within one container.
 * Memory        Between processes, 1 MiB of host memory a rank, and 2 MiB of device memory; then, for each exchange
 *               that is under way at once, and one more, 9/8 of what it sends to other ranks (sorts have two
 *               under way, of pairs four, each of a seventh of what travels). It is
 *               kept until parscan_comm_destroy(). Where there is none, an exchange is NCCL's.
 * The end       Between processes, parscan_comm_destroy() waits for a second at most until the others have closed this
 *               rank's buffers: by their parscan_comm_destroy(). What is still open stays until the process
 *               ends. After a failure it does not wait.
 * Beside sorts  Over NCCL, while an exchange of a sort travels, parscan's kernels leave 16
 *               multiprocessors free: as many as NCCL's kernels take with config.maxCTAs = 16. With more,
 *               exchanges wait for kernels.
 * Lost ranks    While the host waits, it asks ncclCommGetAsyncError() and the clock. After an error, or
 *               the timeout of the comm (parscan_comm_set_timeout(); 60 seconds by default, which
 *               the error tells), the comm is broken. Until the first wait of a comm, what NCCL does
 *               at the start of an exchange has 60 seconds in any case. NCCL's kernel
 *               may still run then, and CUDA frees no memory while it does. So: ncclCommAbort(nccl)
 *               first, then parscan_comm_destroy(), parscan_free(), parscan_context_destroy(). A copy that
 *               waits for a process that was killed while it sent cannot be aborted: then only the end
 *               of this process frees its memory.
 *               Make the communicator with config.blocking = 0: ranks are connected in the first
 *               exchange, and with a blocking one NCCL itself waits there for a lost rank,
 *               without a limit.
 */
#ifndef PARSCAN_COMM_NCCL_H
#define PARSCAN_COMM_NCCL_H

#include <nccl.h>

#include "parscan/comm.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Makes a comm of a CUDA context and the ranks of an NCCL communicator. It exchanges nothing: in the first
 * exchange the ranks tell each other, by NCCL, in which process and on which device they are.
 *   comm      receives the new comm, or NULL if the call fails; not NULL
 *   context   on CUDA, on the device of nccl; it must live longer than the comm
 *   nccl      complete: ncclCommGetAsyncError() no longer says ncclInProgress. It is borrowed: it must
 *             live as long as the comm, unless it is aborted after a failure, and the
 *             caller frees it. While a call of parscan/distributed.h runs, nobody else uses it
 *
 * Over NCCL, arrays in device memory are sent as they are. Host memory goes through 256 KiB of pinned memory, or,
 * if it is larger, through a buffer on the device; both are kept.
 *
 * Errors: INVALID_ARGUMENT, comm, context or nccl is NULL, the context is on the CPU or on another
 * device; OUT_OF_MEMORY; DEVICE, an error of NCCL or CUDA. The message is
 * parscan_context_error(context)'s.
 */
PARSCAN_API parscan_status parscan_comm_create_nccl(parscan_comm **comm, parscan_context *context,
                                                    ncclComm_t nccl);

#ifdef __cplusplus
}
#endif
#endif
