/*
 * The contents of a context, and what every call uses of it: error messages and scratch.
 */
#ifndef PARSCAN_SCAN_CONTEXT_CONTEXT_STATE_H
#define PARSCAN_SCAN_CONTEXT_CONTEXT_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "parscan/context.h"
#include "parscan/lengths.h"

/* The SIMD instruction sets of the CPU engine; scan/cpu/isa.h chooses one. */
typedef enum parscan_isa {
    PARSCAN_ISA_PORTABLE, /* 16-byte vectors, which every machine of the compiler's target has */
    PARSCAN_ISA_AVX2,     /* AVX2, BMI1, BMI2, POPCNT: Haswell, Zen and later */
    PARSCAN_ISA_AVX512 /* and AVX-512 F, BW, DQ, VL, CD, VBMI, VBMI2: Ice Lake, Zen 4 and later */
} parscan_isa;

const char *parscan_isa_name(parscan_isa isa);

/* The memory of a context that measures has addresses from this one on, which no memory has. */
#define PARSCAN_FIRST_ADDRESS ((uintptr_t)1 << (8 * sizeof(uintptr_t) - 2))
#define PARSCAN_NO_MEMORY ((void *)PARSCAN_FIRST_ADDRESS)

/* A piece of memory that grows. */
typedef struct parscan_memory {
    void *data;
    size_t size;
} parscan_memory;

/* The most scalars of a call that are given by pointers. */
#define PARSCAN_SCALARS 2u

/* Lives in memory of its own allocator, which also owns scratch and cuda. */
struct parscan_context {
    parscan_backend backend;   /* CPU or CUDA: the index into every table of engines */
    unsigned threads;          /* the number of CPU threads */
    size_t l2_bytes;           /* of the second-level cache of a core */
    bool prefetch_stores;      /* scan/cpu/processors.h */
    struct parscan_team *team; /* scan/cpu/team.h; NULL until a call needs it */
    parscan_isa isa;           /* the SIMD instructions that the CPU engine uses */
    size_t scratch_limit;      /* bytes; 0: no limit */
    parscan_allocator allocator;
    /* Host memory. It grows on demand and is kept between calls. */
    parscan_memory scratch, tile_memory;
    struct parscan_cuda *cuda; /* scan/cuda/cuda_context.h; NULL on the CPU */
    bool measures;          /* the option `measure`: nothing is computed, memory is only counted */
    uintptr_t next_address; /* then: of memory that has none (parscan_next_address()) */
    bool near_device; /* this machine has a driver for devices: pointers may be device memory */
    bool has_lengths; /* the next call has these (scan/context/call_lengths.h) */
    parscan_lengths lengths;
    /* Those of the call (call_scalars.h), of at most 64 bytes, as an element of the caller's has. */
    unsigned char scalars[PARSCAN_SCALARS][64];
    char device[160]; /* a description of the device; "" on the CPU */
    char error[256];  /* the last message */
};

/* Stores the message of a failure in the context and returns its status: return parscan_fail(...).
   With a NULL context it only returns the status. */
__attribute__((format(printf, 3, 4))) parscan_status
parscan_fail(parscan_context *context, parscan_status status, const char *format, ...);

/* Host memory from the allocator, aligned to 64 bytes; NULL if there is none. release frees it; it
   accepts NULL. */
void *parscan_host_allocate(const parscan_allocator *allocator, size_t size);
void parscan_host_release(const parscan_allocator *allocator, void *pointer);

/* parscan_malloc() of memory that ranks exchange (parscan/distributed.h): never of a pool. For
   parscan_free(). */
parscan_status parscan_malloc_shared(parscan_context *context, void **pointer, size_t size);

/* An address for `size` bytes of a context that measures, aligned to 256 bytes. */
static inline void *parscan_next_address(uintptr_t *next, size_t size)
{
    const uintptr_t alignment = 256, at = *next;
    *next += size / alignment * alignment + alignment;
    return (void *)at;
}

/* malloc() and free(). */
parscan_allocator parscan_default_allocator(void);

/* Whether the caller gave the context no allocator. */
bool parscan_uses_malloc(const parscan_context *context);

/* At least `size` bytes of host scratch, aligned to 64 bytes. The context owns it; it is valid
   until the next call of this function. So while a function uses scratch, it must not call public
   functions that use scratch too. Scans with AUTO and parscan_allocate() use none
   (tests/scan/context/test_scratch.c). Errors: OUT_OF_MEMORY. */
parscan_status parscan_scratch(parscan_context *context, size_t size, void **scratch);

/* The bytes of scratch of a call that so many threads work on. */
typedef size_t parscan_scratch_need(const void *call, unsigned threads);

/* parscan_scratch() of as many of *threads as scratch_limit has room for, so that a call that one
   thread can do fails on no number of threads. If there is no memory for them, it takes the scratch
   of one. Sets *threads. */
parscan_status parscan_scratch_of_threads(parscan_context *context, unsigned *threads,
                                          parscan_scratch_need *need, const void *call,
                                          void **scratch);

/* The same in a second piece of memory, for what the threads of one parallel pass need
   (scan/cpu/tiles.h). So a function that uses scratch may call one that runs such a pass. One thread
   needs none: *threads is 1 then, and the result NULL. */
void *parscan_tile_memory(parscan_context *context, unsigned *threads, parscan_scratch_need *need,
                          const void *call);

/* Makes both pieces at least so large; the second one, if scratch_limit has room for it. Errors:
   OUT_OF_MEMORY. */
parscan_status parscan_reserve_scratch(parscan_context *context, size_t bytes, size_t of_tiles);

/* Frees both pieces; a later call takes them anew. */
void parscan_release_scratch(parscan_context *context);

#endif
