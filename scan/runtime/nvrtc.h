/*
 * NVRTC, the compiler of CUDA for programs that run. It is looked for when an operator of the caller's is
 * compiled, and never linked: a machine without it has everything else.
 */
#ifndef PARSCAN_SCAN_RUNTIME_NVRTC_H
#define PARSCAN_SCAN_RUNTIME_NVRTC_H

#include <stdbool.h>
#include <stddef.h>

#include "parscan/context.h"

/* NVRTC's functions; all but set_flow_callback are there. */
typedef struct nvrtc_program_state *nvrtc_program;
typedef struct nvrtc_library {
    void *handle;
    int (*create)(nvrtc_program *program, const char *text, const char *name, int count,
                  const char *const *headers, const char *const *names);
    int (*destroy)(nvrtc_program *program);
    int (*compile)(nvrtc_program program, int count, const char *const *options);
    int (*log_size)(nvrtc_program program, size_t *size);
    int (*log)(nvrtc_program program, char *log);
    int (*cubin_size)(nvrtc_program program, size_t *size);
    int (*cubin)(nvrtc_program program, char *code);
    int (*ptx_size)(nvrtc_program program, size_t *size);
    int (*ptx)(nvrtc_program program, char *code);
    int (*count_architectures)(int *count);
    int (*architectures)(int *all);
    const char *(*error_string)(int error);
    int (*set_flow_callback)(nvrtc_program program, int (*callback)(void *, void *),
                             void *payload); /* NULL before CUDA 12.9 */
} nvrtc_library;

/* Opens NVRTC. driver: the version of CUDA that the driver knows, as cudaDriverGetVersion() tells it
   (13000), or 0: code of a newer NVRTC would not run. name: the library to open; NULL: those of the
   driver's version and of older ones, by the linker's rules and in /usr/local/cuda. Returns NULL, or
   what is wrong, in words. */
const char *parscan_nvrtc_open(nvrtc_library *nvrtc, int driver, const char *name);

/* The library stays in the process: others may use it, and opening it again takes long. */
void parscan_nvrtc_close(nvrtc_library *nvrtc);

/* A text of CUDA C++ and what it includes. */
typedef struct nvrtc_input {
    const char *text;
    const char *const *headers,
        *const *names; /* the texts of headers, and by what names they are included */
    int count;
    int architecture; /* of the device: 90 is compute capability 9.0 */
    double seconds;   /* the most that the compiler may take; 0: no limit */
    bool exact;       /* no multiplication and addition become one operation that rounds once */
} nvrtc_input;

/* Both are of the allocator. */
typedef struct nvrtc_output {
    char *code; /* NULL after an error */
    size_t size;
    char *log; /* all that the compiler has said; NULL: nothing */
} nvrtc_output;

/* Compiles to code of the device, or, where this NVRTC does not know it, to PTX, from which the driver makes
   it. *log is filled after an error too. Returns OK; INVALID_ARGUMENT, the text is wrong; UNSUPPORTED, the
   time is over, or the device is older than this NVRTC's; OUT_OF_MEMORY; INTERNAL, NVRTC failed otherwise. */
parscan_status parscan_nvrtc_compile(const nvrtc_library *nvrtc, const nvrtc_input *input,
                                     const parscan_allocator *allocator, nvrtc_output *output);

#endif
