/*
 * parscan/context.h: a context holds the engine, its threads or stream, its scratch memory and the
 * words of its last error.
 *
 * A CUDA context puts its work on its stream and returns: the caller's device memory is read and written
 * in stream order. What brings a result to host memory waits for it: a host array that is written, a
 * count or total on the host, parscan_synchronize(). Arrays in host memory are copied to the device and
 * back, in pieces through pinned memory that the context keeps. Device arrays are aligned to their
 * elements. A call that has run once with the same or larger sizes allocates nothing: with device arrays
 * it can be captured in a CUDA graph, and the graph replayed any number of times while the context
 * lives, one replay at a time and none beside a call of the same context. CUDA's errors are
 * PARSCAN_ERROR_DEVICE with CUDA's text.
 *
 * A context is used by one thread at a time; different contexts are independent. The CPU engine
 * does not survive fork() in the child: create the context after it. The library keeps no global
 * state and never prints or exits; OpenMP's runtime, which it runs on, ends the process if the system
 * refuses it a thread that it granted when the context was created.
 */
#ifndef PARSCAN_CONTEXT_H
#define PARSCAN_CONTEXT_H

#include "parscan/options.h"
#include "parscan/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct parscan_context parscan_context;

/* Hooks for every host allocation of a context: like malloc (aligned as malloc aligns, NULL when
   there is no memory) and free (pointer is never NULL). They are called by the thread that makes
   the call of parscan, never by its workers. */
typedef struct parscan_allocator {
    void *(*allocate)(size_t size, void *user);
    void (*release)(void *pointer, void *user);
    void *user;
} parscan_allocator;

/* Begin with PARSCAN_CONTEXT_OPTIONS(...); a field left zero has the default. */
typedef struct parscan_context_options {
    size_t struct_size;          /* sizeof(parscan_context_options) */
    parscan_backend backend;     /* default AUTO: CUDA where a device is found, else the CPU */
    int device;                  /* CUDA device number, default 0; the CPU engine ignores it */
    void *stream;                /* the caller's cudaStream_t; NULL: the context makes its own */
    unsigned threads;            /* CPU threads, at most 1024; 0: one a processor that the process
                                    may run on. They wait for each other: where other work keeps
                                    the processors busy, fewer are faster, and OpenMP's
                                    OMP_WAIT_POLICY=passive helps */
    size_t scratch_limit;        /* bytes of scratch the context may hold; 0: no limit */
    parscan_allocator allocator; /* both functions or neither; neither: malloc and free */
    char *error;                 /* where a failed creation leaves its words, or NULL; */
    size_t error_size;           /* its size in bytes, the terminating zero included */
} parscan_context_options;

/* A parscan_context_options with struct_size set: PARSCAN_CONTEXT_OPTIONS(.threads = 2). */
#define PARSCAN_CONTEXT_OPTIONS(...) PARSCAN_WITH_SIZE(parscan_context_options, __VA_ARGS__)

/*
 * Creates a context.
 *   context  out: the new context; NULL when the call fails
 *   options  NULL: all defaults
 * Errors: INVALID_ARGUMENT (context NULL, a bad option), BACKEND (the engine, or PARSCAN_SIMD's
 * instructions, are not here), DEVICE (CUDA's own), UNSUPPORTED (stream is being captured),
 * OUT_OF_MEMORY (also when the system does not grant that many threads at once). The words go to options->error.
 */
PARSCAN_API parscan_status parscan_context_create(parscan_context **context,
                                                  const parscan_context_options *options);

/* Frees a context and its scratch. Memory from parscan_malloc() must have been freed before. NULL
   is allowed. */
PARSCAN_API void parscan_context_destroy(parscan_context *context);

/* Waits until everything that the context was asked for is done, and returns the errors that only
   the device could know. On the CPU every call has finished when it returns: always OK. */
PARSCAN_API parscan_status parscan_synchronize(parscan_context *context);

/* The engine that the context runs on, never AUTO; AUTO when context is NULL. */
PARSCAN_API parscan_backend parscan_context_backend(const parscan_context *context);

/* The device of a CUDA context in words: its name, compute capability, multiprocessors and memory; ""
   on the CPU and when context is NULL. */
PARSCAN_API const char *parscan_context_device(const parscan_context *context);

/* The number of CPU threads that the context uses; 0 when context is NULL. */
PARSCAN_API unsigned parscan_context_threads(const parscan_context *context);

/* The SIMD instructions that the CPU engine uses: "portable", "avx2" or "avx512"; "" when context
   is NULL. The best that the processor has; for tests, the environment's PARSCAN_SIMD, read when a
   context is created, asks for another. */
PARSCAN_API const char *parscan_context_simd(const parscan_context *context);

/* The last failure in words, naming the argument and its value; "" when nothing has failed,
   "context is NULL" when it is. The string is the context's and lives until its next failing call.
 */
PARSCAN_API const char *parscan_context_error(const parscan_context *context);

#ifdef __cplusplus
}
#endif
#endif
