#include "apps/cli/trace_text.h"

#include <string.h>

#include "apps/cli/trace_scan.h"

void trace_title(const trace_record *record, char *title, size_t size)
{
    const parscan_block_shape shape = record->shape;
    char blocks[80] = "";
    if (shape.algorithm != PARSCAN_SEQUENTIAL)
        snprintf(blocks, sizeof blocks, ", %s of %u thread%s, %u element%s each",
                 record->blocks ? "blocks" : "one block", shape.threads,
                 shape.threads == 1 ? "" : "s", shape.items, shape.items == 1 ? "" : "s");
    snprintf(title, size, "%s, %s %s of %zu %s%s", parscan_algorithm_name(shape.algorithm),
             record->exclusive ? "exclusive" : "inclusive", parscan_op_name(record->op), record->n,
             parscan_type_name(record->type), blocks);
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int widest_label(const trace_record *record)
{
    int width = 0;
    for (size_t row = 0; row < record->row_count; row++) {
        char label[128];
        trace_label(record, row, record->rows[row].depth, label, sizeof label);
        width = larger(width, (int)strlen(label));
    }
    return width;
}

static int widest_value(const trace_record *record)
{
    int width = 0;
    for (size_t row = 0; row < record->row_count; row++) {
        for (size_t i = 0; i < record->rows[row].n; i++) {
            char text[TRACE_VALUE_SIZE];
            trace_value_print(record->type, record->rows[row].cells[i].element.value, text);
            width = larger(width, (int)strlen(text));
        }
    }
    return width;
}

static void write_step(const trace_record *record, size_t row, unsigned depth, int label_width,
                       int value_width, FILE *stream)
{
    char label[128], text[TRACE_VALUE_SIZE];
    trace_label(record, row, depth, label, sizeof label);
    fprintf(stream, "%-*s ", label_width, label);
    for (size_t i = 0; i < record->rows[row].n; i++) {
        const trace_cell cell = trace_cell_at(record, row, depth, i);
        trace_value_print(record->type, cell.element.value, text);
        fprintf(stream, "%s %*s", cell.begins_block && i > 0 ? " |" : "", value_width, text);
    }
    const size_t operations = trace_operations_at(record, row, depth);
    if (operations > 0)
        fprintf(stream, "   %zu operation%s", operations, operations == 1 ? "" : "s");
    fputc('\n', stream);
}

void trace_write_text(const trace_record *record, FILE *stream)
{
    char title[256], textbook[128];
    trace_title(record, title, sizeof title);
    trace_textbook(record, textbook, sizeof textbook);
    fprintf(stream, "%s\n\n", title);
    const int label_width = widest_label(record), value_width = widest_value(record);
    for (size_t row = 0; row < record->row_count; row++)
        for (unsigned depth = 1; depth <= record->rows[row].depth; depth++)
            write_step(record, row, depth, label_width, value_width, stream);
    fprintf(stream, "\noperations: %zu\ntextbook:   %s\n", record->operation_count, textbook);
}
