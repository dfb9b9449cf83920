/* The CUDA engine's part of a context, for host code. Only for files that are compiled where CUDA
   is. */
#ifndef PARSCAN_SCAN_CUDA_CUDA_CONTEXT_H
#define PARSCAN_SCAN_CUDA_CUDA_CONTEXT_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

#include "scan/context/context_state.h"
#include "scan/cuda/deferred.h"
#include "scan/cuda/kernel_table.h"
#include "scan/cuda/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Host memory that is not pinned goes to the device and back in pieces of this size. */
#define PARSCAN_PINNED_BYTES ((size_t)4 << 20)

/* The dynamic shared memory that every device has for a block (EVERYWHERE_BYTES of the sorts). */
#define PARSCAN_LEAST_SHARED_BYTES ((size_t)48 << 10)

/* Device memory that can grow. If a CUDA graph may use the old memory, it is kept in `retired` and
   freed with the context. */
typedef struct parscan_device_buffer {
    void *data;
    size_t size;
    bool fresh;                            /* nothing has been written to it yet */
    bool in_use;                           /* by the current call */
    struct parscan_device_buffer *retired; /* the old memory, a list */
} parscan_device_buffer;

/* The largest number of host arrays of one call. */
#define PARSCAN_CUDA_ARRAYS 68u

/* A result of at most this many bytes is brought to the host by a kernel. */
#define PARSCAN_FETCH_BYTES 64u

/* A stream, and two pinned pieces in which host memory that is not pinned travels on it: CUDA
   copies one while the host uses the other. All but the stream is made at first use. */
typedef struct parscan_cuda_lane {
    cudaStream_t stream;
    void *pinned[2];
    cudaEvent_t travelled[2]; /* CUDA has copied the piece */
} parscan_cuda_lane;

/* The lanes of a context: its stream, and, for arrays in chunks, one for each direction. */
enum { PARSCAN_LANE_CALL, PARSCAN_LANE_UP, PARSCAN_LANE_DOWN, PARSCAN_LANES };

/* So many chunks of an array are in device memory: one comes, one is worked on, one goes
   (cuda_chunks.h). */
#define PARSCAN_CHUNK_SLOTS 3u

/* The words of parscan_cuda.deferred. */
enum { PARSCAN_LENGTH_WORDS = 2, PARSCAN_DEVICE_WORDS = PARSCAN_LENGTH_WORDS + 3 };

/* The context owns all of it, except a stream that the caller gave. */
typedef struct parscan_cuda {
    int device, multiprocessors;
    unsigned most_blocks; /* resident at once, of one kernel; 0: as many as fit */
    unsigned left_free;   /* multiprocessors that kernels leave to others; less than all */
    parscan_plan_device plan_device; /* what plans know of the device */
    int capability;                  /* the device's own: 90 is compute capability 9.0 */
    bool prints_plans;               /* PARSCAN_DEBUG=plan */
    cudaStream_t stream;
    cudaStream_t own_stream;       /* that the context has created; NULL: none */
    cudaEvent_t moves;             /* the end of the work on the stream before; made at first use */
    bool has_moved;                /* the context has worked on another stream */
    int cancellation;              /* of the calling thread before the call */
    int device_before;             /* the calling thread's current device before the call */
    parscan_device_buffer chain;   /* the control and status words of the tile chain */
    parscan_device_buffer scratch; /* what one call keeps on the device */
    size_t held;                   /* bytes at the begin of it: parscan_cuda_hold() */
    parscan_device_buffer beside;  /* scratch that had no room after them */
    unsigned depth;                /* the depth of public functions that call each other */
    void *staged[PARSCAN_CUDA_ARRAYS]; /* copies of host arrays, in device memory */
    size_t staged_size[PARSCAN_CUDA_ARRAYS];
    bool staged_in_use[PARSCAN_CUDA_ARRAYS]; /* by the current call */
    uint64_t *deferred; /* PARSCAN_DEVICE_WORDS: an error that a kernel left (deferred.h);
                               copies of the call's lengths (driver.c) */
    uint32_t ordinal;   /* of the call: those that the driver has run */
    bool captured;      /* a graph may use scratch and chain: nothing of them is freed */
    bool may_defer;     /* a call or a graph may leave an error in `deferred` */
    parscan_cuda_lane lanes[PARSCAN_LANES];
    /* Chunks of host arrays: their memory on the device, kept like copies. */
    void *slots;
    size_t slots_size;
    bool slots_in_use;
    cudaEvent_t arrived[PARSCAN_CHUNK_SLOTS], computed[PARSCAN_CHUNK_SLOTS],
        left[PARSCAN_CHUNK_SLOTS]; /* of the chunk in a slot */
    /* A context that measures. Its stream is NULL, and its memory has addresses only (measured.h). */
    bool measures, measures_host;
    uintptr_t next_address;
    parscan_device_allocator allocator; /* the caller's; its functions are NULL if there is none */
    bool has_pools;                     /* and memory comes from the device's */
    parscan_memory *given;              /* what parscan_malloc() has of the caller's allocator */
    size_t given_count, given_room;
    parscan_cuda_kernel known[PARSCAN_KERNELS_KNOWN];
    struct custom_use *custom_uses; /* of operators of the caller's (scan/runtime/custom_cuda.h) */
    char nvrtc
        [256]; /* PARSCAN_NVRTC of the environment: the library that compiles them; "" if none */
} parscan_cuda;

/* Stores CUDA's message for an error, with `what` before it, and clears the error if CUDA can.
   Returns OUT_OF_MEMORY or DEVICE. */
parscan_status parscan_cuda_fail(parscan_context *context, cudaError_t error, const char *what);

/* The same; OK if error is cudaSuccess. */
parscan_status parscan_cuda_check(parscan_context *context, cudaError_t error, const char *what);

/* Queues work on the context's stream. call: returns the cudaError_t of a launch, or of what is queued
   beside it; not called if the context measures. */
#define PARSCAN_CUDA_QUEUE(context, call) \
    ((context)->cuda->measures ? PARSCAN_OK : parscan_cuda_check(context, call, "a launch"))

/* Returns OUT_OF_MEMORY, with a message that the device has no memory for `size` bytes. */
parscan_status parscan_cuda_no_memory(parscan_context *context, size_t size);

/* The status of an allocation of `size` bytes that returned `error`. */
parscan_status parscan_cuda_check_size(parscan_context *context, cudaError_t error, size_t size);

/* Returns UNSUPPORTED if the context's stream is being captured: "WHAT cannot be captured in a
   graph". */
parscan_status parscan_cuda_refuse_in_capture(parscan_context *context, const char *what);

/* The first and the last step of a public function on CUDA. begin makes the context's device
   current and opens an NVTX range of that name. end restores the device and returns the status that
   it is given. Calls may nest. */
parscan_status parscan_cuda_begin(parscan_context *context, const char *range);
parscan_status parscan_cuda_end(parscan_context *context, parscan_status status);

/* At least `size` bytes of device memory, owned by the context. They stay valid until a call asks
   for more. scratch_limit limits the sum of this memory, the chain's words, what graphs may use of
   both, and the slots of chunks. Errors: OUT_OF_MEMORY, UNSUPPORTED (more memory is needed while the
   stream is captured), DEVICE. */
parscan_status parscan_cuda_scratch(parscan_context *context, size_t size, void **pointer);

/* The same for a function that calls others of the engine: the memory stays until parscan_cuda_let(), and theirs lies
   elsewhere. They do not call it themselves. */
parscan_status parscan_cuda_hold(parscan_context *context, size_t size, void **pointer);
void parscan_cuda_let(parscan_context *context);

/* What all blocks of a partition share (compact_parts.cuh); 0 between launches. */
typedef struct parscan_meeting {
    unsigned blocks; /* that have met, or parted */
    unsigned way;    /* the one that is taken; 0: none yet */
} parscan_meeting;

/* Device memory of the tile chain (tile_prefix.cuh) with at least `words` status words. The context
   owns it. Memory that a graph may still use has its own control words, and so its own epochs. So
   the launch with the last epoch can clear all status words. Errors: as parscan_cuda_scratch(). */
typedef struct parscan_chain_memory {
    void *control;
    parscan_meeting *meeting;
    uint64_t *status;
    size_t words;
} parscan_chain_memory;
parscan_status parscan_cuda_chain_memory(parscan_context *context, size_t words,
                                         parscan_chain_memory *chain);

/* Fills *kernel with what is needed to launch a kernel with `threads` threads and `shared_bytes`
   bytes of dynamic shared memory for each block, and allows the kernel that much shared memory. If
   it fails, *kernel is unchanged. */
cudaError_t parscan_cuda_kernel_of(parscan_cuda *cuda, const void *function, unsigned threads,
                                   size_t shared_bytes, parscan_cuda_kernel *kernel);

/* Where a kernel of this call can leave an error: OVERFLOW, CAPACITY or INVALID_ARGUMENT.
   parscan_synchronize() returns it. */
parscan_deferred parscan_cuda_deferred(parscan_context *context);

/* Waits for the stream. Returns the error that a kernel has left, with a message, and clears it. */
parscan_status parscan_cuda_take_deferred(parscan_context *context);

/* The engine's parscan_context_status_word(). */
parscan_status parscan_cuda_status_word(parscan_context *context, const uint32_t **word);

/* Whether the kernels can use this memory. Otherwise it is host memory and must be staged. Errors:
   INVALID_ARGUMENT, it is memory of another device; DEVICE. */
parscan_status parscan_cuda_on_device(parscan_context *context, const char *name,
                                      const void *pointer, bool *on_device);

/* The same of memory that the host cannot read: managed memory is no such. */
parscan_status parscan_cuda_only_on_device(parscan_context *context, const char *name,
                                           const void *pointer, bool *on_device);

/* Whether CUDA copies to and from this memory by itself: memory of the device, or host memory that
   is pinned from its first byte to its last. Errors: DEVICE. */
parscan_status parscan_cuda_is_direct(parscan_context *context, const char *name,
                                      const void *pointer, size_t size, bool *direct);

/* Makes the lane's pinned pieces, of PARSCAN_PINNED_BYTES each. Errors: OUT_OF_MEMORY. */
parscan_status parscan_cuda_prepare_pinned(parscan_context *context, parscan_cuda_lane *lane);

/* Copy `size` bytes of any host memory to the device and back, through the lane's pinned pieces, in
   the order of its stream. send returns when host memory has been read. receive waits for the bytes.
   fill: in place of reading memory, fill(from, at, n, to) writes the bytes at to at + n - 1; NULL:
   from is memory. Errors: OUT_OF_MEMORY, DEVICE. */
typedef void parscan_cuda_fill(const void *from, size_t at, size_t n, void *to);
parscan_status parscan_cuda_send(parscan_context *context, parscan_cuda_lane *lane, void *device,
                                 const void *from, size_t size, parscan_cuda_fill *fill);
parscan_status parscan_cuda_receive(parscan_context *context, parscan_cuda_lane *lane, void *to,
                                    const void *device, size_t size);

/* How many blocks of a kernel for few elements (scan/cuda/few_tiles.cuh) may stay on the device. */
size_t parscan_cuda_few_blocks(const parscan_cuda *cuda);

/* The architecture that the kernels were compiled for which the device runs: 90 is compute capability
   9.0. The device may be newer. */
cudaError_t parscan_cuda_code_architecture(int *architecture);

/* Launches the copy of at most PARSCAN_FETCH_BYTES bytes to pinned memory. */
cudaError_t parscan_cuda_fetch_launch(const parscan_cuda *cuda, void *to, const void *from,
                                      unsigned bytes);

/* Copies `size` bytes of host memory to the device; if from is NULL only provides the memory. The
   context owns the copy. which: its index, below PARSCAN_CUDA_ARRAYS. */
parscan_status parscan_cuda_stage(parscan_context *context, unsigned which, const void *from,
                                  size_t size, void **device);

/* The engine's parscan_copy(). */
parscan_status parscan_cuda_copy(parscan_context *context, void *to, const void *from, size_t size);

/* Frees the copies, and the slots of chunks, that the current call does not use. Scratch is not
   freed to make room for copies: a graph may need it. */
void parscan_cuda_release_copies(parscan_cuda *cuda);

/* Frees all of them, with the context. */
void parscan_cuda_release_all_copies(parscan_cuda *cuda);

/* Device memory for all slots, owned by the context. To get it, scratch and copies are freed. It
   counts for scratch_limit. Errors: OUT_OF_MEMORY, DEVICE. */
parscan_status parscan_cuda_take_slots(parscan_context *context, size_t size);

/* The bytes of scratch and chain that the context holds and cannot free, since a graph may use
   them; 0 without a graph. */
size_t parscan_cuda_held(const parscan_cuda *cuda);

/* All device memory that the context holds for calls, in bytes: the engine's
   parscan_context_scratch(). */
size_t parscan_cuda_held_scratch(const parscan_context *context);

/* The engine's parscan_context_reserve(). */
parscan_status parscan_cuda_reserve(parscan_context *context, size_t bytes);

/* Lets go of the code of operators of the caller's, with the context (scan/runtime/custom_cuda.c). */
void parscan_custom_forget(parscan_context *context);

/* Frees scratch and the chain's words. */
void parscan_cuda_release_scratch(parscan_context *context);

/* Copies device memory back to host memory. Waits for the work that is in the stream. */
parscan_status parscan_cuda_unstage(parscan_context *context, void *to, const void *device,
                                    size_t size);

#ifdef __cplusplus
}
#endif
#endif
