#include "apps/cli/network_svg_layout.h"

#include <stdlib.h>
#include <string.h>

#include "apps/cli/trace_text.h"

int svg_x(const svg_layout *layout, size_t column)
{
    return layout->left + (int)column * layout->pitch;
}

int svg_y(const svg_layout *layout, long height)
{
    return layout->top + (int)height * SVG_LINE / 2;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

int svg_break_line(const char **label)
{
    const char *const line = *label;
    size_t end = strlen(line);
    if (end > SVG_LABEL_WIDTH) {
        end = SVG_LABEL_WIDTH;
        while (end > 0 && (line[end] != ' ' || is_digit(line[end + 1])))
            end--;
        if (end == 0)
            end = strcspn(line, " ");
    }
    *label = line + end + (line[end] == ' ');
    return (int)end;
}

/* Whether a row differs from the row before it in its elements or in their places. */
static bool differs(const trace_row *row, const trace_row *before)
{
    if (row->n != before->n)
        return true;
    for (size_t i = 0; i < row->n; i++) {
        if (row->cells[i].element.maker != before->cells[i].element.maker ||
            row->cells[i].height != before->cells[i].height)
            return true;
    }
    return false;
}

static bool choose_columns(svg_layout *layout, const trace_record *record)
{
    size_t steps = 0;
    for (size_t i = 0; i < record->row_count; i++)
        steps += record->rows[i].depth;
    layout->columns = malloc((steps + 1) * sizeof *layout->columns);
    if (layout->columns == NULL)
        return false;
    for (size_t i = 0; i < record->row_count; i++) {
        if (i > 0 && !differs(&record->rows[i], &record->rows[i - 1]))
            continue;
        for (unsigned depth = 1; depth <= record->rows[i].depth; depth++)
            layout->columns[layout->column_count++] = (svg_column){i, depth};
    }
    return true;
}

static void measure_nodes(svg_layout *layout, const trace_record *record)
{
    int characters = 2;
    for (size_t k = 0; k < record->row_count; k++) {
        for (size_t i = 0; i < record->rows[k].n; i++) {
            char text[TRACE_VALUE_SIZE];
            trace_value_print(record->type, record->rows[k].cells[i].element.value, text);
            if ((int)strlen(text) > characters)
                characters = (int)strlen(text);
        }
    }
    layout->node_width = 12 + 8 * characters;
}

static void measure_labels(svg_layout *layout, const trace_record *record)
{
    for (size_t k = 0; k < layout->column_count; k++) {
        char label[128];
        trace_label(record, layout->columns[k].row, layout->columns[k].depth, label, sizeof label);
        int lines = 0;
        for (const char *rest = label; *rest != '\0'; lines++)
            svg_break_line(&rest);
        if (lines > layout->label_lines)
            layout->label_lines = lines;
    }
}

bool svg_layout_create(svg_layout *layout, const trace_record *record)
{
    *layout = (svg_layout){0};
    if (!choose_columns(layout, record))
        return false;
    measure_nodes(layout, record);
    measure_labels(layout, record);
    /* Arrows that span many elements need a wider gap, to stay apart. */
    const int gap = 56 + (record->n > 8 ? 24 : 0) + (record->n > 16 ? 24 : 0);
    layout->pitch = layout->node_width + gap;
    if (layout->pitch < 8 * SVG_LABEL_WIDTH)
        layout->pitch = 8 * SVG_LABEL_WIDTH;
    layout->left = 24 + layout->pitch / 2;
    layout->top = 84 + (layout->label_lines + 1) * SVG_LABEL_HEIGHT;
    layout->width = svg_x(layout, layout->column_count - 1) + layout->left;
    char title[256];
    trace_title(record, title, sizeof title);
    const int title_width = 48 + 10 * (int)strlen(title);
    if (layout->width < title_width) {
        layout->left += (title_width - layout->width) / 2;
        layout->width = title_width;
    }
    layout->height = svg_y(layout, 2 * (long)record->n) + 44;
    return true;
}
