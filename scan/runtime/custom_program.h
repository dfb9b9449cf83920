/*
 * The programs that are compiled at run time for an operator of the caller's: one for each kind of call,
 * direction and form, so that a call compiles what it needs and no more. Plain C, without CUDA: tests
 * compile programs without a GPU.
 */
#ifndef PARSCAN_SCAN_RUNTIME_CUSTOM_PROGRAM_H
#define PARSCAN_SCAN_RUNTIME_CUSTOM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "parscan/context.h"

/* What an operator tells for CUDA. The strings and bytes are the operator's. */
typedef struct custom_text {
    const char *source, *type, *function; /* source NULL: there is nothing for CUDA */
    const char *load, *load_source;       /* the map on the way in; load NULL: none */
    const char *store, *store_source;     /* and on the way out */
    size_t size, alignment, in_size, out_size;
    const void *identity; /* NULL: none */
    const void *state;    /* NULL: none */
    size_t state_size;
    bool commutes;
} custom_text;

typedef enum custom_program_kind {
    CUSTOM_SCAN,       /* the single pass */
    CUSTOM_REDUCE,     /* a reduction */
    CUSTOM_BLOCKS,     /* the hierarchical scan by a block algorithm */
    CUSTOM_SEQUENTIAL, /* one thread */
    CUSTOM_TEST,       /* the flags of a predicate */
    CUSTOM_HEADS,      /* the flags of runs, by an equality */
    CUSTOM_SORT,       /* a merge sort */
    CUSTOM_SEGMENTED_SCAN,
    CUSTOM_SEGMENTED_REDUCE,
    CUSTOM_TREE /* the reproducible scan and reduction */
} custom_program_kind;

/* Which program. Fields that a kind does not have are 0. */
typedef struct custom_program {
    custom_program_kind kind;
    int architecture;            /* of the device: 90 is compute capability 9.0 */
    parscan_algorithm algorithm; /* BLOCKS */
    bool reverse;                /* SCAN, SEGMENTED; the others read the direction */
    bool
        vectors; /* SCAN, SEGMENTED: elements have vectors of 16 bytes, in which a scan is stored */
    bool
        aligned; /* SCAN, SEGMENTED: the input's tiles are aligned as the output's are, to 16 bytes */
} custom_program;

/* The shape of the single pass (custom_tile.cuh). */
typedef struct custom_pass_shape {
    unsigned scanners, reducers, vectors, stages, unit;
    unsigned threads, blocks; /* blocks: that a multiprocessor should hold */
    size_t tile;              /* elements */
    size_t shared_bytes;
} custom_pass_shape;
custom_pass_shape parscan_custom_shape_of(const custom_text *text, const custom_program *program);

/* The bytes of what a segmented program combines: marked_element of custom_marked.cuh, an element and marks. */
size_t parscan_custom_marked_size(const custom_text *text);

/* Whether the output can be stored in vectors, from its address. */
bool parscan_custom_has_vectors(const custom_text *text, const void *out);

/* The bytes in which kernels combine an element: with a flag, where there is no identity. */
size_t parscan_custom_combined_size(const custom_text *text);

/* Returns the text of a program, of the allocator; NULL: no memory. */
char *parscan_custom_program_text(const custom_text *text, const custom_program *program,
                                  const parscan_allocator *allocator);

#endif
