/*
 * parscan/comm.h: a group of processes (ranks) and how they exchange data.
 *
 * The functions of parscan/distributed.h work on arrays that are spread over several ranks. A
 * parscan_comm is one rank's member of the group: a context, the rank's number, the number of
 * ranks, and the caller's functions that move bytes between ranks. Two libraries make one:
 *
 *     parscan/comm_mpi.h    libparscan_mpi:  parscan_comm_create_mpi(&comm, context, MPI_COMM_WORLD)
 *     parscan/comm_nccl.h   libparscan_nccl: parscan_comm_create_nccl(&comm, context, nccl)
 *
 * and parscan_comm_create() makes one of any other transport. libparscan itself links none.
 *
 * A rank may be a process or a thread: each has a context and a comm of its own. A comm is used by
 * one thread at a time.
 */
#ifndef PARSCAN_COMM_H
#define PARSCAN_COMM_H

#include "parscan/context.h"
#include "parscan/options.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct parscan_comm parscan_comm;

/* Where the bytes of an exchange are. */
typedef enum parscan_comm_memory {
    PARSCAN_COMM_HOST = 0,
    PARSCAN_COMM_DEVICE = 1 /* only if device_memory is set */
} parscan_comm_memory;

/*
 * A transport. Every function returns PARSCAN_OK or an error; after an error the comm is broken.
 * All ranks call the same functions in the same order. An exchange is started by all_gather or
 * all_to_all, which return at once, and ends in wait. Several may be under way; wait is called once
 * for each, in the order in which they started. Until then the arrays of an exchange are neither
 * read nor written, but counts and displacements may change once the function has returned.
 *   user       the pointer of the options
 *   memory     where send and receive are
 *   stream     for device memory: the context's cudaStream_t. send is complete, and receive may be
 *              written, when the work that is on the stream by now is done. Otherwise NULL
 *   request    receives what wait is to be given. It may be set to NULL
 */
typedef struct parscan_comm_functions {
    size_t struct_size; /* sizeof(parscan_comm_functions), see parscan/options.h */

    /* Non-zero: all_gather and all_to_all also take device memory. Then wait returns when the
       exchange is done, or when work that is put on the stream from then on comes after it. */
    int device_memory;

    /* The multiprocessors that the kernels of an exchange of device memory keep. parscan's kernels
       leave so many free while an exchange travels beside them. 0: none. */
    int multiprocessors;

    /* receive[r * bytes .. (r + 1) * bytes) becomes rank r's send[0 .. bytes). `bytes` is the same on
       all ranks, and greater than 0. */
    parscan_status (*all_gather)(void *user, const void *send, size_t bytes, void *receive,
                                 parscan_comm_memory memory, void *stream, void **request);

    /* send_counts[r] bytes from send + send_displacements[r] go to rank r. receive_counts[r] bytes of
       rank r go to receive + receive_displacements[r]. Both ranks of a pair give the same count;
       it may be 0, and more than 2^31. */
    parscan_status (*all_to_all)(void *user, const void *send, const size_t *send_counts,
                                 const size_t *send_displacements, void *receive,
                                 const size_t *receive_counts, const size_t *receive_displacements,
                                 parscan_comm_memory memory, void *stream, void **request);

    /* Waits until an exchange is done on this rank: its receive is complete, its send may be
       written. It frees the request. After `seconds` without an end it returns an error; the
       exchange may then go on until release is called. */
    parscan_status (*wait)(void *user, void *request, double seconds);

    /* The message of what is wrong, after one of the functions has returned an error. NULL, or a NULL
       result: no message. */
    const char *(*error)(void *user);

    /* Called by parscan_comm_destroy(), once. It must not wait for other ranks if an exchange has
       failed. May be NULL. */
    void (*release)(void *user);

    /* Since parscan 0.3. What stands in place of `multiprocessors`, where that is known only when the
       ranks have met: asked while an exchange travels. NULL: `multiprocessors` is right. */
    int (*kept_multiprocessors)(void *user);

    /* Since parscan 0.3. Lends device memory to kernels of the other ranks: an exchange in which nothing is
       copied. lent[r] becomes the address at which this rank's kernels can read rank r's `memory`; or all become
       NULL on all ranks, if not every rank can read every other's, and *request too. Work that is put on the
       stream from then on comes after what was on the streams of all ranks. wait is called when this rank has read
       what it wants, and returns when all ranks have: until then nobody writes the memory. Only if device_memory
       is set; all ranks have it, or none. NULL: memory cannot be lent. */
    parscan_status (*lend)(void *user, const void *memory, const void **lent, void *stream,
                           void **request);
} parscan_comm_functions;

/* Make one with PARSCAN_COMM_OPTIONS(...). */
typedef struct parscan_comm_options {
    size_t struct_size;  /* sizeof(parscan_comm_options), see parscan/options.h */
    unsigned rank, size; /* rank < size; size > 0 */
    const parscan_comm_functions *functions; /* copied; NULL is allowed if size is 1: then, and
                                                only then, none but release is called */
    void *user;                              /* passed to the functions */

    /* An exchange that takes longer is an error: a rank is lost or late. 0: 60 seconds. INFINITY: no
       limit; a lost rank is then waited for without an end. See parscan_comm_set_timeout(). */
    double timeout;
} parscan_comm_options;

#define PARSCAN_COMM_FUNCTIONS(...) PARSCAN_WITH_SIZE(parscan_comm_functions, __VA_ARGS__)
#define PARSCAN_COMM_OPTIONS(...) PARSCAN_WITH_SIZE(parscan_comm_options, __VA_ARGS__)

/*
 * Makes a comm of a context, which must live longer. It exchanges nothing, so it succeeds or fails
 * on each rank for itself.
 *   comm   receives the new comm, or NULL if the call fails; not NULL
 * Memory: 4 KiB and 32 bytes a rank, from the context's allocator.
 * Errors: INVALID_ARGUMENT, OUT_OF_MEMORY; the message is parscan_context_error(context)'s. If it
 * fails, `release` is not called.
 */
PARSCAN_API parscan_status parscan_comm_create(parscan_comm **comm, parscan_context *context,
                                               const parscan_comm_options *options);

/* Releases the transport and frees the comm, before its context is destroyed. After a call has
   returned DEVICE, an exchange may still read and write the arrays of that call: they must live until
   then. NULL is allowed. */
PARSCAN_API void parscan_comm_destroy(parscan_comm *comm);

/* The context, the rank and the number of ranks of a comm. If comm is NULL: NULL, 0, 0. */
PARSCAN_API parscan_context *parscan_comm_context(const parscan_comm *comm);
PARSCAN_API unsigned parscan_comm_rank(const parscan_comm *comm);
PARSCAN_API unsigned parscan_comm_size(const parscan_comm *comm);

/* Seconds after which an exchange of the next calls is an error; 0: 60; INFINITY: none. The error's
   words tell the limit and this function. What a rank does between two calls counts: one that reads a
   file or computes for longer than the others, by more than the limit, is late. If ranks do that, set
   a longer limit, or let them meet first, by MPI_Barrier() for one. There is a limit by default
   since a lost rank is more frequent than one that is late by a minute, and a group that waits
   without an end keeps its machines. Errors: INVALID_ARGUMENT, negative or NaN. All ranks should set
   the same. */
PARSCAN_API parscan_status parscan_comm_set_timeout(parscan_comm *comm, double seconds);

/* The message of the last failure, the same on all ranks but for failures of the transport. It names the
   rank where it happened. "" if no call has failed. */
PARSCAN_API const char *parscan_comm_error(const parscan_comm *comm);

/* For a library that makes comms of its own transport: keeps the message of a failure for
   parscan_context_error(context), and returns the status. A NULL context has no message. */
PARSCAN_API parscan_status parscan_comm_refuse(parscan_context *context, parscan_status status,
                                               const char *words);

#ifdef __cplusplus
}
#endif
#endif
