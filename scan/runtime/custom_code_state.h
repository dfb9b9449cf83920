/* The code of an operator, inside: custom_code.c, and the blobs of custom_blob.c. */
#ifndef PARSCAN_SCAN_RUNTIME_CUSTOM_CODE_STATE_H
#define PARSCAN_SCAN_RUNTIME_CUSTOM_CODE_STATE_H

#include <pthread.h>

#include "scan/runtime/custom_code.h"

/* The code of a program. */
typedef struct kept_code {
    struct kept_code *next;
    code_key key;
    uint64_t architecture;
    size_t size;
    char *bytes;
} kept_code;

struct custom_code {
    parscan_allocator allocator;
    pthread_mutex_t mutex;
    size_t holders;
    custom_text text; /* its strings and bytes are in `copies` */
    char *copies;
    const char *cache_folder; /* NULL: none */
    double compile_seconds;
    void (*unload)(void *library);
    kept_code *kept;
    custom_loaded *loaded;
    char *log; /* NULL: nothing has been said */
};

/* The code of a program; NULL: there is none yet. */
kept_code *parscan_custom_find_kept(const custom_code *code, code_key key);

/* Keeps bytes of the allocator, in place of others of the same key. NULL: no memory, and they are
   released. */
kept_code *parscan_custom_keep(custom_code *code, code_key key, int architecture, char *bytes,
                               size_t size);

#endif
