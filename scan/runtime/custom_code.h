/*
 * The code of an operator of the caller's: what has been compiled of its text, for all devices, and what is
 * loaded of it. An operator has one, and every CUDA context that has used the operator holds it too.
 *
 * Plain C, without CUDA: tests compile, save and load code without a GPU.
 */
#ifndef PARSCAN_SCAN_RUNTIME_CUSTOM_CODE_H
#define PARSCAN_SCAN_RUNTIME_CUSTOM_CODE_H

#include "scan/runtime/code_bytes.h"
#include "scan/runtime/custom_program.h"

typedef struct custom_code custom_code;

/* What a device has loaded of a program. */
typedef struct custom_loaded {
    struct custom_loaded *next;
    code_key key;
    int device;
    void *library; /* cudaLibrary_t */
    void *kernels
        [4]; /* cudaKernel_t, by custom_kernel of custom_cuda.h; NULL: the program has none */
} custom_loaded;

/* Copies all of it. unload: frees a library. Errors: OUT_OF_MEMORY. */
parscan_status parscan_custom_code_create(custom_code **code, const custom_text *text,
                                          const char *cache_folder, double compile_seconds,
                                          const parscan_allocator *allocator,
                                          void (*unload)(void *library));

/* It lives until all that have retained it, and the one that has created it, have released it. NULL is
   allowed. */
void parscan_custom_code_retain(custom_code *code);
void parscan_custom_code_release(custom_code *code);

const custom_text *parscan_custom_code_text(const custom_code *code);

/* One thread at a time uses what follows: others wait, also while it compiles. */
void parscan_custom_code_lock(custom_code *code);
void parscan_custom_code_unlock(custom_code *code);

/* Which code a call wants. */
typedef struct custom_request {
    custom_program program;
    int driver;        /* as parscan_nvrtc_open() takes it */
    const char *nvrtc; /* the library to open; NULL: those of parscan_nvrtc_open() */
    bool anew;         /* do not take what has been loaded or is in a file: the driver refused it */
} custom_request;

/* The code of a program: kept, from the folder, or compiled now. It is the code's own memory, until the next
   such call. After an error the words tell it, in at most `room` bytes. Errors: INVALID_ARGUMENT, the text
   is wrong; UNSUPPORTED, there is no text for CUDA, no NVRTC, no time; OUT_OF_MEMORY; INTERNAL. */
parscan_status parscan_custom_code_get(custom_code *code, const custom_request *request,
                                       code_key *key, const void **bytes, size_t *size, char *words,
                                       size_t room);

/* The key of a program, without compiling it. Errors: OUT_OF_MEMORY. */
parscan_status parscan_custom_code_key(const custom_code *code, const custom_program *program,
                                       code_key *key);

/* What a device has loaded; NULL: nothing yet. add: `loaded` is copied. Errors: OUT_OF_MEMORY. */
const custom_loaded *parscan_custom_code_loaded(const custom_code *code, code_key key, int device);
parscan_status parscan_custom_code_add_loaded(custom_code *code, const custom_loaded *loaded);

/* What parscan_operator_log(), _save() and _load() do, and lock for it. */
const char *parscan_custom_code_log(const custom_code *code);
parscan_status parscan_custom_code_save(custom_code *code, void *blob, size_t capacity,
                                        size_t *size);
parscan_status parscan_custom_code_load(custom_code *code, const void *blob, size_t size,
                                        const char **words);

#endif
