#include "apps/cli/trace_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for one more in an array of `count` elements; false, and the record has failed, if there is
   no memory. */
static bool grow_record(trace_record *record, void **array, size_t count, size_t *room, size_t size)
{
    if (record->failed || count < *room)
        return !record->failed;
    const size_t wanted = *room < 16 ? 16 : 2 * *room;
    void *const grown = wanted > SIZE_MAX / size ? NULL : realloc(*array, wanted * size);
    if (grown == NULL) {
        record->failed = true;
        return false;
    }
    *array = grown;
    *room = wanted;
    return true;
}

size_t trace_block_size(const trace_record *record)
{
    return (size_t)record->shape.threads * record->shape.items;
}

trace_row *trace_add_row(trace_record *record, const char *what)
{
    void *rows = record->rows;
    const bool grown =
        grow_record(record, &rows, record->row_count, &record->row_room, sizeof *record->rows);
    record->rows = rows;
    if (!grown)
        return NULL;
    trace_row *const row = &record->rows[record->row_count++];
    *row = (trace_row){.what = what, .depth = 1};
    return row;
}

/* Element 0 of an exclusive scan is a sum of nothing, whichever operations made it. Row 0 shows the
   values; a sum is never drawn at height 0. */
static bool is_start(const trace_record *record, size_t row, long height)
{
    return record->exclusive && row > 0 && height == 0;
}

void trace_add_cell(trace_record *record, size_t row, trace_element element, long height,
                    bool begins_block)
{
    trace_row *const to = &record->rows[row];
    void *cells = to->cells;
    const bool grown = grow_record(record, &cells, to->n, &to->room, sizeof *to->cells);
    to->cells = cells;
    if (!grown)
        return;
    if (element.maker == TRACE_IDENTITY || is_start(record, row, height))
        element.value = trace_value_start(record->type, record->op);
    to->cells[to->n++] = (trace_cell){element, height, begins_block};
    if (element.maker < 0)
        return;
    /* The operation belongs to the first row that shows its result. */
    trace_operation *const made = &record->operations[element.maker];
    if (made->row == TRACE_NOWHERE)
        made->row = row;
}

void trace_record_begin(trace_record *record, const trace_element *in, const trace_element *shifted)
{
    const size_t n = record->n, tile = trace_block_size(record);
    record->blocks = n > tile;
    record->level_n = n;
    for (int part = 0; part < (record->exclusive ? 2 : 1); part++) {
        trace_row *const row = trace_add_row(record, "");
        if (row == NULL)
            return;
        snprintf(row->label, sizeof row->label, "%s", part == 0 ? "values" : "shifted by one");
        for (size_t i = 0; i < n; i++)
            trace_add_cell(record, record->row_count - 1, part == 0 ? in[i] : shifted[i],
                           2 * (long)i, i % tile == 0);
    }
    record->begin_row[0] = record->row_count - 1;
    record->first_row = record->row_count;
}

void trace_record_free(trace_record *record)
{
    for (size_t i = 0; i < record->row_count; i++)
        free(record->rows[i].cells);
    free(record->rows);
    free(record->operations);
    *record = (trace_record){0};
}

/* The depth of an operand: an operation must wait for operands that are made in the same step. */
static unsigned depth_of(const trace_record *record, int64_t maker)
{
    if (maker < 0 || (size_t)maker < record->first_pending)
        return 0;
    return record->operations[maker].depth;
}

trace_element trace_combine(trace_record *record, trace_element earlier, trace_element later)
{
    trace_element result = {
        trace_value_combine(record->type, record->op, earlier.value, later.value), TRACE_IDENTITY};
    void *operations = record->operations;
    const bool grown = grow_record(record, &operations, record->operation_count,
                                   &record->operation_room, sizeof *record->operations);
    record->operations = operations;
    if (!grown)
        return result;
    const unsigned before = depth_of(record, earlier.maker), beside = depth_of(record, later.maker);
    result.maker = (int64_t)record->operation_count++;
    record->operations[result.maker] = (trace_operation){earlier.maker, later.maker, TRACE_NOWHERE,
                                                         1 + (before > beside ? before : beside)};
    return result;
}

trace_cell trace_cell_at(const trace_record *record, size_t row, unsigned depth, size_t i)
{
    const trace_cell cell = record->rows[row].cells[i];
    if (depth >= record->rows[row].depth || cell.element.maker < 0)
        return cell;
    const trace_operation *const made = &record->operations[cell.element.maker];
    /* A chain of operations starts from the row before, which shows the same places. */
    return made->row == row && made->depth > depth ? record->rows[row - 1].cells[i] : cell;
}

size_t trace_operations_at(const trace_record *record, size_t row, unsigned depth)
{
    size_t count = 0;
    for (size_t i = 0; i < record->operation_count; i++)
        count += record->operations[i].row == row && record->operations[i].depth == depth;
    return count;
}

void trace_label(const trace_record *record, size_t row, unsigned depth, char *label, size_t size)
{
    if (record->rows[row].depth > 1)
        snprintf(label, size, "%s, step %u", record->rows[row].label, depth);
    else
        snprintf(label, size, "%s", record->rows[row].label);
}
