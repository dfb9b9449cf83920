/*
 * The record that `trace` makes while an algorithm runs: every operation, and the array after each
 * step.
 *
 * The templates of scan/ run on elements that know which operation made them. A row is the array at
 * one moment. Its elements show where each operation put its result, and the row before it shows
 * where the operands were. The algorithms only report that a step has ended (SHOW).
 *
 * Blocks run one after another, but their steps are shown side by side: a row holds the same step
 * of all blocks of a level.
 */
#ifndef PARSCAN_CLI_TRACE_RECORD_H
#define PARSCAN_CLI_TRACE_RECORD_H

#include "apps/cli/trace_value.h"
#include "scan/block/block_shape.h"

/* The maker of an element: k for operation k, -1 - i for input i, or the identity. */
#define TRACE_IDENTITY INT64_MIN
#define TRACE_INPUT(i) (-1 - (int64_t)(i))
#define TRACE_NOWHERE SIZE_MAX

typedef struct trace_element {
    trace_value value;
    int64_t maker;
} trace_element;

typedef struct trace_operation {
    int64_t earlier, later; /* the makers of the operands */
    size_t row;             /* the row of its step */
    unsigned depth;         /* 1 + the depth of the operation of the same step that it depends on */
} trace_operation;

typedef struct trace_cell {
    trace_element element;
    long height;       /* its place in the picture, in half lines: 2i for input i, a sum between */
    bool begins_block; /* it is the first of its block */
} trace_cell;

typedef struct trace_row {
    char label[112];
    const char *what; /* the step that the row shows; the next block's step is found by it */
    unsigned value;
    bool sums;      /* the row holds the sums of three-phase's segments, not the block's elements */
    unsigned depth; /* the longest chain of operations in the step */
    trace_cell *cells;
    size_t n, room;
} trace_row;

#define TRACE_MAX_LEVELS 64

typedef struct trace_record {
    parscan_type type;
    parscan_op op;
    parscan_block_shape shape;
    parscan_block_shape asked; /* what of it was asked for; 0: it was chosen */
    size_t n;                  /* the number of values */
    bool exclusive;
    bool blocks; /* there is more than one block */
    bool failed; /* memory ran out */

    trace_operation *operations;
    size_t operation_count, operation_room;
    trace_row *rows;
    size_t row_count, row_room;

    /* The level that is running, its length, and for each level the row that shows its input. */
    unsigned level;
    size_t level_n, begin_row[TRACE_MAX_LEVELS];
    size_t first_row;     /* the first row of the steps of its blocks */
    size_t first_pending; /* the first operation since the last step */

    /* The block that is running, and where its latest state is. */
    size_t tile, tile_begin, tile_n, next_row;
    size_t state_row, state_begin, state_n;
    const trace_element *tile_array;
} trace_record;

/* Begins a record with the array to be scanned. shifted: the array as an exclusive scan shifts it,
   or NULL. The caller calls trace_record_free() in any case. */
void trace_record_begin(trace_record *record, const trace_element *in,
                        const trace_element *shifted);
void trace_record_free(trace_record *record);

/* The number of elements of a block. */
size_t trace_block_size(const trace_record *record);

/* For the hooks: add a row (NULL: memory ran out), and an element at the end of a row. */
trace_row *trace_add_row(trace_record *record, const char *what);
void trace_add_cell(trace_record *record, size_t row, trace_element element, long height,
                    bool begins_block);

/* The hooks: an operation; a block starts; a step of the block has ended; a phase of the
   hierarchical scan has ended. The array of a step has padded indices (PADDED_INDEX), that of a phase plain
   ones. */
trace_element trace_combine(trace_record *record, trace_element earlier, trace_element later);
void trace_block(trace_record *record);
void trace_step(trace_record *record, const trace_element *array, unsigned n, const char *what,
                unsigned value);
void trace_phase(trace_record *record, const char *what, const trace_element *array, size_t n);

/* The scan is done: shows its results as they are stored, if the elements are computed in another type. */
void trace_round(trace_record *record);

/* Element i of a row after the first `depth` of its chained operations, 1 to row.depth. */
trace_cell trace_cell_at(const trace_record *record, size_t row, unsigned depth, size_t i);

/* The number of operations of a row at that depth. */
size_t trace_operations_at(const trace_record *record, size_t row, unsigned depth);

/* The name of a row at that depth. */
void trace_label(const trace_record *record, size_t row, unsigned depth, char *label, size_t size);

#endif
