/*
 * What `trace` writes down while an algorithm runs: every operation, and the array after each step.
 *
 * The templates of scan/ run on elements that know which operation made them. So a row, the array
 * at one moment, tells with its elements where each operation left its result, and the row before
 * it where the operands lay; the algorithms say nothing but "a step has ended" (SHOW).
 *
 * Blocks run one after another, but their steps are shown side by side: a row takes in the same
 * step of all blocks of a level.
 */
#ifndef PARSCAN_CLI_TRACE_RECORD_H
#define PARSCAN_CLI_TRACE_RECORD_H

#include "apps/cli/trace_value.h"
#include "scan/block/block_shape.h"

/* Who made an element: operation k as k, input i as -1 - i, or nobody. */
#define TRACE_IDENTITY INT64_MIN
#define TRACE_INPUT(i) (-1 - (int64_t)(i))
#define TRACE_NOWHERE SIZE_MAX

typedef struct trace_element {
    trace_value value;
    int64_t maker;
} trace_element;

typedef struct trace_operation {
    int64_t earlier, later; /* the makers of the operands */
    size_t row;             /* the step that it was part of */
    unsigned depth;         /* 1, or one more than the operation of the same step it waited for */
} trace_operation;

typedef struct trace_cell {
    trace_element element;
    long height;       /* where it is drawn, in half lines: input i at 2i, a sum between */
    bool begins_block; /* the first of its block */
} trace_cell;

typedef struct trace_row {
    char label[112];
    const char *what; /* the step that the row shows, to find it again for the next block */
    unsigned value;
    bool sums;      /* the sums of three-phase's segments, not the elements of the block */
    unsigned depth; /* the longest chain of operations in the step */
    trace_cell *cells;
    size_t n, room;
} trace_row;

#define TRACE_MAX_LEVELS 64

typedef struct trace_record {
    parscan_type type;
    parscan_op op;
    parscan_block_shape shape;
    size_t n;                       /* the values */
    bool exclusive, blocks, failed; /* more than one block; memory ran out */

    trace_operation *operations;
    size_t operation_count, operation_room;
    trace_row *rows;
    size_t row_count, row_room;

    /* The level that is running: its length, and the row that shows each level as it began. */
    unsigned level;
    size_t level_n, begin_row[TRACE_MAX_LEVELS];
    size_t first_row;     /* of the steps of its blocks */
    size_t first_pending; /* the first operation since the last step */

    /* The block that is running, and where its latest state lies. */
    size_t tile, tile_begin, tile_n, next_row;
    size_t state_row, state_begin, state_n;
    const trace_element *tile_array;
} trace_record;

/* Begins a record with the array to be scanned, and the array as an exclusive scan shifts it or
   NULL. Free it with trace_record_free() in any case. */
void trace_record_begin(trace_record *record, const trace_element *in,
                        const trace_element *shifted);
void trace_record_free(trace_record *record);

/* The elements of a block. */
size_t trace_block_size(const trace_record *record);

/* For the hooks: a new row (NULL: no memory), and an element at the end of a row. */
trace_row *trace_add_row(trace_record *record, const char *what);
void trace_add_cell(trace_record *record, size_t row, trace_element element, long height,
                    bool begins_block);

/* The hooks: an operation, a block begins, a step of it has ended, a phase of the hierarchical scan
   has ended. `array` of a step is indexed by PADDED_INDEX, the other by i. */
trace_element trace_combine(trace_record *record, trace_element earlier, trace_element later);
void trace_block(trace_record *record);
void trace_step(trace_record *record, const trace_element *array, unsigned n, const char *what,
                unsigned value);
void trace_phase(trace_record *record, const char *what, const trace_element *array, size_t n);

/* Element i of a row after `depth` of its chained operations (1 to row.depth). */
trace_cell trace_cell_at(const trace_record *record, size_t row, unsigned depth, size_t i);

/* The operations of a row at that depth. */
size_t trace_operations_at(const trace_record *record, size_t row, unsigned depth);

/* The name of a row at that depth. */
void trace_label(const trace_record *record, size_t row, unsigned depth, char *label, size_t size);

#endif
