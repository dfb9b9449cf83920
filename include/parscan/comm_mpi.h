/*
 * parscan/comm_mpi.h: a parscan_comm over MPI (libparscan_mpi).
 *
 *     MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
 *     parscan_context_create(&context, NULL);
 *     parscan_comm_create_mpi(&comm, context, MPI_COMM_WORLD);
 *     parscan_dist_sort_keys(comm, PARSCAN_U32, in, n, out, n, NULL);
 *     parscan_comm_destroy(comm);
 *     MPI_Finalize();
 *
 * Arrays of a CPU context are sent as they are. Those of a CUDA context are sent directly if the MPI
 * library says that it is CUDA-aware (MPIX_Query_cuda_support()), else through pinned host memory.
 * Messages are cut into parts of 1 GiB, so any length works with any MPI 3.
 *
 * Lost ranks    A rank that waits for others tests its messages again and again; if it waits for
 *               long, it sleeps between the tests, so that ranks may share processors. After the
 *               timeout of the comm (parscan_comm_set_timeout(); 60 seconds by default, which the
 *               error tells), or an error of MPI, the comm is broken. MPI cannot take back what
 *               was sent: until the process ends, a late message may still be written into the
 *               arrays of the call that failed, whenever the process calls MPI; and
 *               MPI_Finalize() may wait forever for a lost rank. A program that has no other use
 *               for MPI then calls MPI_Abort(). mpirun itself ends all ranks when one dies, unless
 *               it was told otherwise (Open MPI: --enable-recovery).
 */
#ifndef PARSCAN_COMM_MPI_H
#define PARSCAN_COMM_MPI_H

#include <mpi.h>

#include "parscan/comm.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Makes a comm of this process' context and the ranks of an MPI communicator. Collective: every rank
 * of mpi calls it; a rank that does not is an error on the others after 60 seconds, which cannot be
 * changed.
 *   comm      receives the new comm, or NULL if the call fails; not NULL
 *   context   of this process; it must live longer than the comm
 *   mpi       an intra-communicator. It is duplicated, so that parscan's messages and the
 *             caller's never meet, and may be freed afterwards
 *
 * Threads: MPI must be initialised with MPI_THREAD_FUNNELED or more (contexts start threads, which do
 * not call MPI) if the main thread makes the comm and all calls with it, and with
 * MPI_THREAD_SERIALIZED or more if another thread does. MPI_Init() gives MPI_THREAD_SINGLE with most
 * libraries: use MPI_Init_thread().
 *
 * parscan_comm_destroy() is collective too, unless an exchange has failed: then it waits for nobody,
 * and leaves the duplicate to the end of the process. Call it before MPI_Finalize().
 *
 * Errors: INVALID_ARGUMENT, comm or context is NULL, mpi is MPI_COMM_NULL or an inter-communicator,
 * MPI is not initialised or already finalised; UNSUPPORTED, the thread level is too low;
 * OUT_OF_MEMORY; DEVICE, an error of MPI, or a rank is lost or late. The message is
 * parscan_context_error(context)'s.
 */
PARSCAN_API parscan_status parscan_comm_create_mpi(parscan_comm **comm, parscan_context *context,
                                                   MPI_Comm mpi);

#ifdef __cplusplus
}
#endif
#endif
