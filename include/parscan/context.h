/*
 * parscan/context.h: a context, which every call needs: an engine (CPU or CUDA), its threads or its
 * stream, scratch memory and the message of the last error.
 *
 * The order of arguments, and what 0 and NULL mean: parscan/parscan.h.
 *
 * Rules for all calls, unless a function says otherwise:
 *
 *   Memory       A CPU context takes arrays in host memory, of any alignment; device memory is
 *                INVALID_ARGUMENT. A CUDA context takes arrays in host memory or in the memory of
 *                its device (managed memory too), where they must be aligned to their elements. A
 *                "host pointer" points to host memory with every context, and is read during
 *                the call.
 *   Lengths      n counts elements and may exceed 2^32. With n = 0 array pointers may be NULL, and
 *                only counts, totals and offsets are written.
 *   Overlap      An output may overlap another array only where a function says so: both are then
 *                one array, and start at the same place. Any other overlap is INVALID_ARGUMENT,
 *                with the names of both. Of an output whose length only the call finds out
 *                (elements that are kept, runs, segments by flags or keys), that is checked where
 *                it starts: if it starts before an array and reaches into it, the result is
 *                undefined. Not checked: where the bytes of parscan_pack() lie, and single values
 *                (init, a count, a total), which must not lie in an output.
 *   Changes      If another thread, process or stream changes an input during a call, the outputs
 *                may be anything, within the room that they need at most: a caller whose inputs may
 *                change must give a compaction room for n. The call may fail, with INTERNAL too.
 *                But it ends, memory outside of the outputs does not change, and nothing outside of
 *                the arguments' arrays is read. For parscan_pack() the offsets and sizes, old and
 *                new ones in any mixture, must lead to the inside of the arrays.
 *   Errors       A NULL context gives INVALID_ARGUMENT. A call that returns INVALID_ARGUMENT or
 *                UNSUPPORTED writes no array, unless the function says more (offsets that decrease,
 *                indices out of range). After another error the outputs are unspecified,
 *                unless the function says more. Inputs stay intact, unless an output lies in the
 *                same memory.
 *   Scratch      Memory of the context. It grows when a call needs more, and is kept until the
 *                context is destroyed. The headers tell how much a call needs. Not counted are the
 *                copies of host arrays that a CUDA context makes, and on the CPU, for a call of
 *                several threads, up to 2 MiB a thread and a 500th of the arrays. If scratch_limit
 *                has no room for these, fewer threads work, in the end one.
 *
 * A CPU call is finished when it returns. A CUDA call puts its work on the context's stream and
 * returns; the caller's device memory is read and written in stream order. The call waits for its
 * results if one of them goes to host memory: an array, a count, a total. Host arrays are copied to
 * the device and back; their copies on the device are kept like scratch.
 *
 * Large arrays  Host arrays may be larger than the device's memory, and larger than scratch_limit,
 *              in scans, reductions, differences, segmented scans, recurrences, histograms (whose counters fit a
 *              quarter of it), sorts (not of segments; of at least 1024 elements that fit), compaction
 *              and flags (not dense to CSR), unique, run lengths and parscan_allocate(). They then go through
 *              the device in chunks; copies up, kernels and copies down run at the same time.
 *              Results are those of the whole arrays; sums of floats may be grouped in another way.
 *              Totals and counts are known at the end of such a call, and so are their errors. Each
 *              array may be in pageable or pinned host memory or on the device; pinned ones are
 *              copied directly, which is fastest. Pageable ones travel through pinned memory of the
 *              context, at most 24 MiB. Offsets of segments must be in host memory. Reproducible
 *              sums of floats are then evaluated by the CPU. Every other call with host arrays
 *              needs device memory for all of them, else OUT_OF_MEMORY.
 *
 * Measuring    A context with the option `measure` tells how much memory calls will need. Its calls
 *              check their arguments and compute nothing: they read no array, write none, and start
 *              no thread and no kernel. So arrays need no memory: any address will do that is
 *              aligned as the real one is. Where scratch depends on what arrays contain, it is the
 *              most that it can be. parscan_context_scratch() tells what a context with the same
 *              options would hold after the same calls. For CUDA this takes a build with CUDA, but
 *              no GPU and no driver, if measure_device describes the device. Arrays count as memory
 *              of that device, or as host memory by the option measure_host. Counts and totals are
 *              in host memory; they alone are written, and receive their maximum. Host pointers are
 *              read. parscan_malloc() gives addresses without memory, parscan_copy() copies
 *              nothing, and device_allocator is not called. UNSUPPORTED are parscan/sorter.h,
 *              parscan/distributed.h, and on CUDA host arrays that would go through the device in
 *              chunks, and those of parscan_pack(), whose length only their contents tell. Memory
 *              of threads and of other objects is not counted.
 *
 * Streams      A context works on the caller's stream, which its options name or
 *              parscan_context_set_stream(). NULL stands for a stream of the context's own, which it
 *              makes by cudaStreamCreate() the first time it needs one and keeps. Like all streams
 *              made so, it is ordered with the legacy default stream, cudaStreamLegacy,
 *              which is stream 0 in code compiled without --default-stream per-thread: a call's
 *              work starts when what is on that stream is done, and what is put there afterwards
 *              waits for the call's work. It is ordered with no other stream: not with
 *              cudaStreamPerThread, which is stream 0 in code compiled with --default-stream
 *              per-thread, and not with other streams that are created, blocking or not. There,
 *              kernels and copies that write an input or read an output need an event
 *              (cudaStreamWaitEvent()), a synchronisation, or their own stream as the context's.
 *              The caller's may be any stream of the context's device. cudaStreamLegacy and
 *              cudaStreamPerThread are streams too; NULL is not stream 0. cudaStreamPerThread is
 *              another stream in each thread: one thread alone makes all calls of such a context.
 *              Work on cudaStreamLegacy cannot be captured. When a call returns, it has read host
 *              arrays and host pointers, pinned ones too, and has written those that are outputs:
 *              the caller may write and read them. Device and managed memory it reads and writes
 *              later, in stream order: the host may touch managed memory after
 *              parscan_synchronize(), which waits for the context's stream and no other.
 *   Scalars    A pointer to one element (init, the values of a predicate, a histogram's bounds, x0) may
 *              be one to device memory on CUDA, aligned to its type. What cudaMalloc() and pools give is
 *              read in stream order, so an earlier call may have made it; by kernels, in graphs too,
 *              are x0 and one a of a recurrence, every init, the bounds of parscan_histogram(), and, if
 *              all are there, the values of a predicate: a compaction then makes a flag for every element
 *              first, in scratch. The out
 *              of a scan or segmented call must not overlap such an init. All others the host fetches,
 *              which waits for the stream; while it is captured they are UNSUPPORTED. All other memory,
 *              managed too, is read during the call, in a capture once.
 *
 * Errors of CUDA itself are DEVICE, with CUDA's text. An error that only the device can see, in a
 * call that does not wait, is returned by the next parscan_synchronize(). The message names that call: the
 * calls of a context that give the device work have numbers, from 1. (An update of chunked.h is a call; one
 * of distributed.h may be several.) In a replay of a graph a call has the number that it had when it was
 * captured. Kernels find the status at parscan_context_status_word().
 *
 * A call with device arrays that has run once, with the same or larger sizes, allocates nothing. It
 * can be captured in a CUDA graph. The graph may be replayed any number of times while the context
 * lives. Replays must not overlap each other or other calls of the same context.
 *
 * A context is used by one thread at a time. Different contexts are independent. The library keeps
 * no global state, never exits, and prints nothing, except where PARSCAN_DEBUG=plan is in the
 * environment when a CUDA context is created: its calls then print on standard error which variants
 * of their kernels run, and for which sizes.
 *
 * Threads      A context owns its CPU threads. A call starts those that it needs and that the context
 *              does not have yet; if the system refuses one, the call works with fewer. Small arrays
 *              take one thread or a few. Between calls the threads sleep, after some microseconds of
 *              waiting; they block all signals. They end when the context is destroyed, so the
 *              library can then be unloaded. In a child of fork(), CPU contexts work: a context of
 *              the parent starts threads of its own there. A call needs at most 52 KiB of the
 *              caller's stack. A thread that is cancelled (pthread_cancel()) in a call ends after
 *              it, not in it; cancellation must be deferred, as it is by default.
 *
 * Floats       On the CPU all threads of a call work in one floating-point mode. Sums and products of
 *              floats without `reproducible`, and recurrences, work in the calling thread's: they round
 *              as it does (fesetround()), and flush subnormal numbers to zero if it does, as the start
 *              code of -ffast-math lets it. (Of f16 and bf16 that is so of the sums in f32; results are
 *              rounded to the nearest.) All else is the same in every mode of the caller:
 *              reproducible sums, minima, maxima, comparisons and histograms round to the nearest and
 *              keep subnormal numbers. No exception traps during a call, even after
 *              feenableexcept(): a call may compute groups that overflow or give NaN where a plain
 *              loop would not. A call leaves the calling thread's mode, traps and status flags as
 *              they were; it raises no flag. On CUDA the caller's mode has no effect on what the
 *              device computes: it rounds to the nearest and keeps subnormal numbers.
 */
#ifndef PARSCAN_CONTEXT_H
#define PARSCAN_CONTEXT_H

#include "parscan/options.h"
#include "parscan/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct parscan_context parscan_context;

/* The functions by which a context allocates and frees host memory. allocate is like malloc(): it
   aligns as malloc() does and returns NULL if there is no memory. release is like free(), but never
   gets NULL. `user` is passed to both. Only the thread that calls parscan calls them. This struct
   never grows. */
typedef struct parscan_allocator {
    void *(*allocate)(size_t size, void *user);
    void (*release)(void *pointer, void *user);
    void *user;
} parscan_allocator;

/*
 * The functions by which a CUDA context gets and gives back device memory, such as those of a pool of
 * the caller's. Make one with PARSCAN_DEVICE_ALLOCATOR(...). `stream` is the context's cudaStream_t, and
 * its device is current. Only the thread that calls parscan calls them, never while the stream is
 * captured, and they call no function of the context. `user` is passed to both.
 *   allocate   returns `size` bytes of the device's memory, size > 0, aligned to 256 bytes, which work on
 *              the stream may use from now on; NULL if there are none
 *   release    gets what allocate has returned, its size, and the stream as it is then. Work on this
 *              stream may still use the memory, unless parscan_context_set_stream() was called since
 *              the context was created: then nothing does
 */
typedef struct parscan_device_allocator {
    size_t struct_size; /* sizeof(parscan_device_allocator), see parscan/options.h */
    void *(*allocate)(size_t size, void *stream, void *user);
    void (*release)(void *pointer, size_t size, void *stream, void *user);
    void *user;
} parscan_device_allocator;

/* A parscan_device_allocator with struct_size set. */
#define PARSCAN_DEVICE_ALLOCATOR(...) PARSCAN_WITH_SIZE(parscan_device_allocator, __VA_ARGS__)

/* A CUDA device for contexts that measure: what its memory needs depend on. Make one with
   PARSCAN_MEASURED_DEVICE(...). */
typedef struct parscan_measured_device {
    size_t struct_size;     /* sizeof(parscan_measured_device), see parscan/options.h */
    size_t multiprocessors; /* their number: 132 on an H100 */
    size_t shared_bytes;    /* cudaDevAttrMaxSharedMemoryPerBlockOptin: 232448 on an H100 */
    int architecture;       /* ten times the compute capability: 90 on an H100; at least 75 */
    int reserved;           /* not read */
} parscan_measured_device;

/* A parscan_measured_device with struct_size set. */
#define PARSCAN_MEASURED_DEVICE(...) PARSCAN_WITH_SIZE(parscan_measured_device, __VA_ARGS__)

/* Options of parscan_context_create(). Make one with PARSCAN_CONTEXT_OPTIONS(...). */
typedef struct parscan_context_options {
    size_t struct_size; /* sizeof(parscan_context_options), see parscan/options.h */

    /* The engine. Default AUTO: CUDA if there is a device, else the CPU. */
    parscan_backend backend;

    /* The number of the CUDA device, default 0. The CPU engine ignores it. */
    int device;

    /* The cudaStream_t on which a CUDA context works; NULL: its own ("Streams" above). The CPU engine
       ignores it. */
    void *stream;

    /* The most CPU threads of a call, the caller's included; at most 1024. 0: as many as there are
       processors that the process may use, by its affinity and the quota of its control group. */
    unsigned threads;

    /* The most bytes of scratch that the context may hold. 0: no limit. On the CPU as many threads
       work as it has room for, so its least value for a call is that of one thread; sums of floats
       may be grouped in another way. On CUDA it is device memory; host arrays whose copies exceed it
       go through the device in chunks, if it is at least 1 MiB (for sorts, at least 4 MiB), which
       count for it. Below that, copies are not limited. */
    size_t scratch_limit;

    /* Both functions or neither; neither: malloc() and free(). */
    parscan_allocator allocator;

    /* A buffer of error_size bytes that receives the message of a failed creation, ended by a zero
       and cut if need be. NULL: they are lost. */
    char *error;
    size_t error_size;

    /* The most blocks of threads with which a kernel of a CUDA context stays on the device until its
       work is done; 0: as many as fit. Such kernels, of scans and of most other calls, otherwise take
       all multiprocessors, and hold up the kernels of other streams, such as NCCL's. A
       multiprocessor holds 1 to 16 of the blocks. Sums of floats may be grouped in another way. The
       CPU engine ignores it. */
    unsigned resident_blocks;
    unsigned reserved; /* not read */

    /* Where a CUDA context gets its device memory: scratch, copies of host arrays, and
       parscan_malloc(). The struct is read by parscan_context_create(). Of parscan/distributed.h, memory
       that ranks exchange is not of it: transports may not know that of a pool. How much is left it
       cannot tell, so host arrays go through the device in chunks only because of scratch_limit.
       NULL: scratch and copies are from the device's default pool (cudaMallocAsync()), if the
       device has pools; parscan_malloc() is cudaMalloc(). With a CPU context, which has no device
       memory, it is refused: backend = cpu is INVALID_ARGUMENT, and with backend AUTO only CUDA will
       do. */
    const parscan_device_allocator *device_allocator;

    /* Not 0: the context measures ("Measuring" above). */
    int measure;

    /* Of a context that measures for CUDA: not 0: arrays count as pageable host memory. */
    int measure_host;

    /* Of a context that measures: the device. The struct is read by parscan_context_create(). It makes
       backend AUTO CUDA. NULL: the one that `device` tells. */
    const parscan_measured_device *measure_device;
} parscan_context_options;

/* A parscan_context_options with struct_size set: PARSCAN_CONTEXT_OPTIONS(.threads = 2). */
#define PARSCAN_CONTEXT_OPTIONS(...) PARSCAN_WITH_SIZE(parscan_context_options, __VA_ARGS__)

/*
 * Creates a context.
 *   context   receives the new context, or NULL if the call fails
 *   options   NULL: all defaults
 * Errors: INVALID_ARGUMENT, context is NULL or an option is wrong; BACKEND, this build or machine
 * lacks the engine or the instructions that PARSCAN_SIMD asks for; DEVICE, an error of CUDA;
 * UNSUPPORTED, the stream is being captured in a graph; OUT_OF_MEMORY. options->error receives the
 * words, unless struct_size is below the first size or above 4096. With backend AUTO, BACKEND and
 * DEVICE of CUDA are no failure, without device_allocator and measure_device: the context is then on
 * the CPU.
 */
PARSCAN_API parscan_status parscan_context_create(parscan_context **context,
                                                  const parscan_context_options *options);

/* Frees a context and its scratch. Free memory of parscan_malloc() before. NULL is allowed. */
PARSCAN_API void parscan_context_destroy(parscan_context *context);

/* Waits until all calls of the context are done, and returns the first error that only the device
   could see since the last parscan_synchronize(). On the CPU there is nothing to wait for. Errors:
   those of the calls; DEVICE; UNSUPPORTED, while the stream is being captured in a graph. */
PARSCAN_API parscan_status parscan_synchronize(parscan_context *context);

/*
 * The device address of the status of the first such error, a parscan_status in 32 bits: 0 if there
 * has been none since the last parscan_synchronize(), which clears it. Kernels of the caller, and
 * conditional nodes of a graph, can read it in stream order, to leave out what needs the results.
 *   word   receives the address, which is the same as long as the context lives; NULL after an error
 * A replay of a graph on another stream may leave an error too: it must be ordered before the context's
 * stream is synchronised (by an event for which that stream waits), or the error may be lost.
 * Errors: INVALID_ARGUMENT, word is NULL; UNSUPPORTED, the context is on the CPU, whose calls return
 * all errors themselves, or it measures.
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_context_status_word(parscan_context *context,
                                                       const uint32_t **word);

/* The engine of the context, never AUTO. If context is NULL: AUTO. */
PARSCAN_API parscan_backend parscan_context_backend(const parscan_context *context);

/* The device of a CUDA context in words: its name, compute capability, multiprocessors and memory.
   "" for a CPU context and for NULL. The string lives as long as the context. */
PARSCAN_API const char *parscan_context_device(const parscan_context *context);

/* The most CPU threads that a call of the context uses. If context is NULL: 0. */
PARSCAN_API unsigned parscan_context_threads(const parscan_context *context);

/* The SIMD instructions of the CPU engine: "portable", "avx2" or "avx512", the best that the
   processor has. For tests, PARSCAN_SIMD in the environment asks for another set; it is read when a
   context is created. If context is NULL: "". */
PARSCAN_API const char *parscan_context_simd(const parscan_context *context);

/*
 * The bytes of memory that the context holds for its calls: on the CPU scratch in host memory, on CUDA
 * device memory, which is scratch and copies of host arrays. Memory of parscan_malloc() is not
 * counted, nor the few hundred bytes that every context has. If context is NULL: 0.
 * Since parscan 0.3.
 */
PARSCAN_API size_t parscan_context_scratch(const parscan_context *context);

/*
 * Makes room for calls whose scratch is at most `bytes` together, as parscan_context_scratch() tells
 * of a context that has made the same calls. With arrays of at most 1 GiB each, on CUDA in the
 * device's memory, they then allocate nothing, the first ones neither: so they can be captured in a
 * CUDA graph without having run before. What tiles tell each other has memory of its own, so the
 * context may hold more than `bytes` then: on CUDA up to 16 MiB, on the CPU up to 2 MiB a thread more.
 * (On the CPU parscan_top_k() may allocate nevertheless, if what it keeps of the elements is more than that, and so
 * may sorts and selections along an axis whose lines are copied to rows.)
 * Nothing is given back: with fewer bytes than there are, it does nothing.
 * Errors: OUT_OF_MEMORY, also if scratch_limit is less: calls that have run can run as before;
 * UNSUPPORTED, the stream is being captured in a graph; DEVICE.
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_context_reserve(parscan_context *context, size_t bytes);

/*
 * The next calls work on another stream: the caller's cudaStream_t, or NULL, both as in the options
 * ("Streams" above). What the context does there starts when all that it has done on the stream
 * before is done; the host does not wait. No other work on the two streams is ordered. The caller's
 * former stream may then be destroyed, unless graphs need it. On the CPU it does nothing.
 * Errors: UNSUPPORTED, one of the streams is being captured in a graph; DEVICE. After an error the
 * context works on the stream that it had.
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_context_set_stream(parscan_context *context, void *stream);

/* The message of the last failure, with the name of the argument and its value. "" if no call of the
   context has failed; "context is NULL" for NULL. The string is valid until the next call of the
   context that fails. */
PARSCAN_API const char *parscan_context_error(const parscan_context *context);

#ifdef __cplusplus
}
#endif
#endif
