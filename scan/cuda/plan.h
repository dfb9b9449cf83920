/*
 * Plans: which variant of a primitive runs for a call, and why. Each primitive has a NAME_plan.c,
 * plain C without CUDA's headers, which turns the call and a description of the device into an enum
 * of the variant, and into sizes that the launch needs. Every limit that it compares with is a row
 * of its table, with the card and the note that it was measured on:
 *
 *     enum { ALONE_ELEMENTS, ALONE_MEAN, LIMITS };
 *     static const parscan_plan_limit limits[LIMITS] = {
 *         [ALONE_ELEMENTS] = {"alone_elements", 1 << 17, PARSCAN_PER_MULTIPROCESSOR, "elements",
 *                             "H100", "sort-cuda.md"}, ...
 *     };
 *     if (call->n <= parscan_plan_limit_of(device, limits, ALONE_ELEMENTS)) ...
 *
 * Tests read the tables (parscan_plan_table) and ask for plans at each limit and beside it, without
 * a GPU. docs/design.md's table of variants is made of them. PARSCAN_DEBUG=plan in the environment
 * when a context is made prints each plan on standard error.
 */
#ifndef PARSCAN_SCAN_CUDA_PLAN_H
#define PARSCAN_SCAN_CUDA_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a plan knows of the device. */
typedef struct parscan_plan_device {
    size_t multiprocessors;
    size_t shared_bytes; /* the most dynamic shared memory of a block */
    int architecture;    /* that its kernels were compiled for; 90 is compute capability 9.0 */
} parscan_plan_device;

/* Whether kernels of an architecture are warp-specialised (tile_pipeline.cuh). From 12.0 on a block
   may have only 99 KB of shared memory, too little for the stages. */
#define PARSCAN_WARP_SPECIALISED(architecture) ((architecture) >= 90 && (architecture) < 120)

/* How a limit follows the device. */
typedef enum parscan_plan_scale {
    PARSCAN_ABSOLUTE,           /* a property of the algorithm, the same everywhere */
    PARSCAN_PER_MULTIPROCESSOR, /* grows with their number */
    PARSCAN_PER_SHARED_BYTE     /* grows with the shared memory of a block */
} parscan_plan_scale;

typedef struct parscan_plan_limit {
    const char *name;
    size_t value; /* on the card that it was measured on */
    parscan_plan_scale scale;
    const char *unit; /* what is compared: "elements", "bytes of input", "elements a segment" */
    const char *card; /* "H100", "H200", or "" for a limit that is no measurement */
    const char *note; /* the file of bench/notes that has the figures, or "" */
} parscan_plan_limit;

/* limits[which] on this device. */
size_t parscan_plan_limit_of(const parscan_plan_device *device, const parscan_plan_limit limits[],
                             size_t which);

/* The tile of a kernel for few elements (few_tiles.cuh), in bytes of the output; and how many of its blocks every
   multiprocessor holds at least. */
#define PARSCAN_FEW_TILE_BYTES ((size_t)4096)
#define PARSCAN_FEW_BLOCKS 4

/* Whether n elements of `size` bytes are few enough for such a kernel: at most `bytes` of them, and tiles for
   which `blocks` suffice. A tile may start before the array, and one may end after it. */
bool parscan_plan_is_few(size_t bytes, size_t blocks, size_t n, size_t size);

/* What a primitive's plan can be. */
typedef struct parscan_plan_variant {
    const char *name;    /* as PARSCAN_DEBUG=plan prints it */
    const char *meaning; /* one line: what runs, and for which calls */
} parscan_plan_variant;

typedef struct parscan_plan_table {
    const char *primitive; /* "sort_segments" */
    const parscan_plan_variant *variants;
    size_t variant_count;
    const parscan_plan_limit *limits;
    size_t limit_count;
} parscan_plan_table;

/* Every primitive has such a table: parscan_NAME_plans, in NAME_plan.c. */

/* Prints "parscan: plan: PRIMITIVE: VARIANT, DETAILS" on standard error. details: a format. */
void parscan_plan_print(const parscan_plan_table *table, size_t variant, const char *details, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 3, 4)))
#endif
    ;

#ifdef __cplusplus
}
#endif
#endif
