/* Bytes of compiled code: their keys and checksums, and files that keep them. */
#ifndef PARSCAN_SCAN_RUNTIME_CODE_BYTES_H
#define PARSCAN_SCAN_RUNTIME_CODE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parscan/context.h"

/* Two hashes, of 64 bits each, of a text: equal keys are taken for equal texts. */
typedef struct code_key {
    uint64_t halves[2];
} code_key;

/* The key of what an earlier key stands for, and of bytes after it. */
code_key parscan_code_key_of(code_key before, const void *bytes, size_t size);

static inline bool code_keys_are_equal(code_key a, code_key b)
{
    return a.halves[0] == b.halves[0] && a.halves[1] == b.halves[1];
}

/* Finds damage, not intent. */
uint64_t parscan_code_checksum(const void *bytes, size_t size);

/* Reads the file of a key in a folder. Returns its code, of the allocator; NULL: there is none, or it is not
   whole. */
char *parscan_code_file_read(const char *folder, code_key key, const parscan_allocator *allocator,
                             size_t *size);

/* Writes it beside and renames it, so that another process finds a whole file or none. A folder that cannot be
   written is no error. */
void parscan_code_file_write(const char *folder, code_key key, const void *code, size_t size,
                             const parscan_allocator *allocator);

#endif
