/* The hooks. They turn the states of single blocks into rows of the whole array. */
#include <stdio.h>
#include <string.h>

#include "apps/cli/trace_record.h"
#include "scan/type_traits.h"

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* A sum is drawn between the last element it sums up and the next; a sum of sums, which lie there
   already, one line higher. */
static long height_of_sum(long height_of_last)
{
    return height_of_last % 2 == 0 ? height_of_last + 1 : height_of_last - 2;
}

static void name_row(trace_row *row, unsigned level, const char *what)
{
    if (level == 0)
        snprintf(row->label, sizeof row->label, "%s", what);
    else if (level == 1)
        snprintf(row->label, sizeof row->label, "sums: %s", what);
    else
        snprintf(row->label, sizeof row->label, "sums of level %u: %s", level, what);
}

/* Shows a block that is shorter than the others, and unchanged, in a step that it has no part in.
   */
static void carry(trace_record *record, size_t to)
{
    const bool only_sum = record->rows[to].sums && !record->rows[record->state_row].sums;
    for (size_t i = only_sum ? record->state_n - 1 : 0; i < record->state_n && !record->failed;
         i++) {
        const trace_cell cell = record->rows[record->state_row].cells[record->state_begin + i];
        trace_add_cell(record, to, cell.element,
                       only_sum ? height_of_sum(cell.height) : cell.height,
                       only_sum || cell.begins_block);
    }
}

static void end_block(trace_record *record)
{
    if (record->tile == 0)
        return;
    for (; record->next_row < record->row_count && !record->failed; record->next_row++)
        carry(record, record->next_row);
}

void trace_block(trace_record *record)
{
    if (record->failed)
        return;
    end_block(record);
    const size_t size = trace_block_size(record);
    record->tile_begin = smaller(record->tile++ * size, record->level_n);
    record->tile_n = smaller(size, record->level_n - record->tile_begin);
    record->next_row = record->first_row;
    record->state_row = record->begin_row[record->level];
    record->state_begin = record->tile_begin;
    record->state_n = record->tile_n;
    record->tile_array = NULL;
    record->first_pending = record->operation_count;
}

/* The row that shows this step of the earlier blocks, or a new row. */
static size_t row_of_step(trace_record *record, const char *what, unsigned value, bool sums)
{
    for (size_t i = record->next_row; i < record->row_count; i++) {
        const trace_row *const row = &record->rows[i];
        if (row->value == value && row->sums == sums && strcmp(row->what, what) == 0)
            return i;
    }
    trace_row *const row = trace_add_row(record, what);
    if (row == NULL)
        return 0;
    row->value = value;
    row->sums = sums;
    char step[80];
    snprintf(step, sizeof step, "%s%s %u", sums ? "segment sums, " : "", what, value);
    name_row(row, record->level, step);
    return record->row_count - 1;
}

void trace_step(trace_record *record, const trace_element *array, unsigned n, const char *what,
                unsigned value)
{
    if (record->failed)
        return;
    if (record->tile_array == NULL)
        record->tile_array = array;
    const bool sums = record->shape.algorithm == PARSCAN_THREE_PHASE && array != record->tile_array;
    const size_t step = row_of_step(record, what, value, sums);
    for (; record->next_row < step && !record->failed; record->next_row++)
        carry(record, record->next_row);
    if (record->failed)
        return;
    const trace_cell *const begin =
        record->rows[record->begin_row[record->level]].cells + record->tile_begin;
    const size_t first = record->rows[step].n, items = record->shape.items;
    for (unsigned i = 0; i < n; i++) {
        const size_t last = smaller((size_t)(i + 1) * items, record->tile_n) - 1;
        trace_add_cell(record, step, array[PADDED_INDEX(i)],
                       sums ? height_of_sum(begin[last].height) : begin[i].height, i == 0);
    }
    /* Lanes beyond the end of the block compute too, but their results are not used. */
    trace_row *const row = &record->rows[step];
    for (size_t i = record->first_pending; i < record->operation_count; i++) {
        record->operations[i].row = step;
        if (record->operations[i].depth > row->depth)
            row->depth = record->operations[i].depth;
    }
    record->first_pending = record->operation_count;
    record->state_row = step;
    record->state_begin = first;
    record->state_n = n;
    record->next_row = step + 1;
}

void trace_phase(trace_record *record, const char *what, const trace_element *array, size_t n)
{
    end_block(record);
    /* Sums are announced with no block run since the last phase: new ones, that is a level more,
       or, as many as before, scanned, and the level is done. */
    const bool sums = record->tile == 0, new_sums = sums && n < record->level_n;
    const size_t size = trace_block_size(record);
    record->tile = 0;
    if (record->failed || (!sums && n <= size))
        return; /* a single block of sums: they are announced next, as scanned */
    const trace_cell *const begin = record->rows[record->begin_row[record->level]].cells;
    if (sums && !new_sums)
        record->level--;
    trace_row *const row = trace_add_row(record, what);
    if (row == NULL)
        return;
    name_row(row, record->level, what);
    for (size_t i = 0; i < n; i++) {
        const long height =
            new_sums ? height_of_sum(begin[smaller((i + 1) * size, record->level_n) - 1].height)
                     : begin[i].height;
        trace_add_cell(record, record->row_count - 1, array[i], height, i % size == 0);
    }
    if (new_sums)
        record->begin_row[++record->level] = record->row_count - 1;
    record->level_n = record->rows[record->begin_row[record->level]].n;
    record->first_row = record->row_count;
    record->first_pending = record->operation_count;
}

void trace_round(trace_record *record)
{
    if (record->failed || parscan_compute_type(record->type) == record->type)
        return;
    const size_t results = record->row_count - 1;
    trace_row *const row = trace_add_row(record, "");
    if (row == NULL)
        return;
    snprintf(row->label, sizeof row->label, "rounded to %s", parscan_type_name(record->type));
    for (size_t i = 0; i < record->n; i++) {
        trace_cell cell = record->rows[results].cells[i];
        cell.element.value = trace_value_round(record->type, cell.element.value);
        trace_add_cell(record, results + 1, cell.element, cell.height, cell.begins_block);
    }
}
