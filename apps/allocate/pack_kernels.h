/* Moves a range of records on the CPU. Compiled once for each instruction set. */
#ifndef PARSCAN_APPS_ALLOCATE_PACK_KERNELS_H
#define PARSCAN_APPS_ALLOCATE_PACK_KERNELS_H

#include "apps/allocate/allocate_call.h"
#include "apps/allocate/size_types.h"
#include "scan/cpu/isa.h"

typedef struct pack_kernels {
    /* Moves the records begin to end - 1. */
    void (*move)(const pack_records *records, size_t begin, size_t end);
    /* Copies `bytes` bytes. */
    void (*copy)(char *to, const char *from, size_t bytes, bool stream);
    void (*fence)(void);
} pack_kernels;

extern const pack_kernels parscan_pack_portable, parscan_pack_avx2, parscan_pack_avx512;

#endif
