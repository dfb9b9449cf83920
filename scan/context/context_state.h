/*
 * What a context holds, and what every call uses of it: the words of an error, scratch, threads.
 */
#ifndef PARSCAN_SCAN_CONTEXT_CONTEXT_STATE_H
#define PARSCAN_SCAN_CONTEXT_CONTEXT_STATE_H

#include <stdbool.h>

#include "parscan/context.h"

/* The SIMD instruction sets of the CPU engine (scan/cpu/isa.h chooses). */
typedef enum parscan_isa {
    PARSCAN_ISA_PORTABLE, /* 16-byte vectors, which every machine of the target has */
    PARSCAN_ISA_AVX2,     /* and BMI1, BMI2, POPCNT: Haswell, Zen and later */
    PARSCAN_ISA_AVX512    /* F, BW, DQ, VL, CD, VBMI, VBMI2: Ice Lake, Zen 4 and later */
} parscan_isa;

const char *parscan_isa_name(parscan_isa isa);

struct parscan_context {
    parscan_backend backend; /* CPU or CUDA: the index of every table of engines */
    unsigned threads;
    parscan_isa isa; /* the SIMD instructions that the CPU engine uses */
    size_t scratch_limit;
    parscan_allocator allocator;
    void *scratch; /* grows on demand, kept between calls */
    size_t scratch_size;
    struct parscan_cuda *cuda; /* what the CUDA engine keeps (scan/cuda/cuda_context.h) */
    bool near_device;          /* pointers may be to memory of a device */
    char device[160];          /* in words; "" on the CPU */
    char error[256];
};

/* Keeps the words of a failure and returns its status: return parscan_fail(...). A NULL context
   keeps nothing. */
__attribute__((format(printf, 3, 4))) parscan_status
parscan_fail(parscan_context *context, parscan_status status, const char *format, ...);

/* Memory of the context's allocator, aligned to 64 bytes; NULL: there is none. */
void *parscan_host_allocate(const parscan_allocator *allocator, size_t size);
void parscan_host_release(const parscan_allocator *allocator, void *pointer);

/* At least size bytes of scratch, aligned to 64 bytes, valid until the next call of this function. Public
   functions that another one calls while it has scratch must make no call of it: scans by AUTO and
   parscan_allocate() make none (tests/scan/context/test_scratch.c). Errors: OUT_OF_MEMORY. */
parscan_status parscan_scratch(parscan_context *context, size_t size, void **scratch);

#endif
