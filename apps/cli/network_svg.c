#include "apps/cli/network_svg.h"

#include <stdlib.h>
#include <string.h>

#include "apps/cli/network_svg_layout.h"
#include "apps/cli/trace_scan.h"
#include "apps/cli/trace_text.h"

/* The picture has a background, so that it looks the same on a light and on a dark page. */
static const char style[] =
    "<style>\n"
    "text { font-family: 'DejaVu Sans', Verdana, sans-serif; font-size: 12px; fill: #1e293b; "
    "text-anchor: middle; }\n"
    ".title { font-size: 15px; font-weight: bold; text-anchor: start; }\n"
    ".note { text-anchor: start; fill: #475569; }\n"
    ".count { fill: #1d4ed8; }\n"
    ".node rect { fill: #ffffff; stroke: #94a3b8; }\n"
    ".made rect { fill: #dbeafe; stroke: #1d4ed8; stroke-width: 1.5; }\n"
    ".made text { font-weight: bold; }\n"
    ".block { fill: #f1f5f9; }\n"
    ".kept { stroke: #cbd5e1; stroke-width: 1.5; }\n"
    ".later { stroke: #60a5fa; stroke-width: 1.5; }\n"
    ".operation { stroke: #1d4ed8; stroke-width: 1.25; marker-end: url(#head); }\n"
    "</style>\n"
    "<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" "
    "markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">"
    "<path d=\"M0 0.5 L8 4 L0 7.5 z\" fill=\"#1d4ed8\"/></marker></defs>\n";

/* Where an element was drawn last. */
typedef struct place {
    bool drawn;
    size_t column;
    long height;
    int64_t maker;
} place;

typedef struct canvas {
    FILE *stream;
    const trace_record *record;
    svg_layout layout;
    place *by_operation, *by_input, *by_height; /* by the maker; the last place at each height */
    size_t heights;
} canvas;

static place *place_of_maker(const canvas *c, int64_t maker)
{
    static place nowhere;
    if (maker == TRACE_IDENTITY)
        return &nowhere;
    return maker >= 0 ? &c->by_operation[maker] : &c->by_input[-1 - maker];
}

/* The place of an operand: on the line of the result if it is there, else where it was last drawn.
   */
static place source(const canvas *c, int64_t maker, long height)
{
    if (c->by_height[height].drawn && c->by_height[height].maker == maker)
        return c->by_height[height];
    return *place_of_maker(c, maker);
}

/* The earlier operand of cell i. Identities cannot be told apart: the one that an exclusive scan
   puts before a block is the nearest one above in the same block. Those in the padding of a warp
   are not drawn. */
static place source_of_earlier(const canvas *c, int64_t maker, const trace_cell *cells, size_t i)
{
    if (maker != TRACE_IDENTITY)
        return *place_of_maker(c, maker);
    size_t first = i;
    while (!cells[first].begins_block)
        first--;
    for (long h = cells[i].height - 1; h >= 0 && h >= cells[first].height - 1; h--)
        if (c->by_height[h].drawn && c->by_height[h].maker == maker)
            return c->by_height[h];
    return (place){0};
}

static void draw_line(const canvas *c, const char *class, place from, size_t column, long height,
                      int above)
{
    const svg_layout *const l = &c->layout;
    const int x = svg_x(l, column) - l->node_width / 2, y = svg_y(l, height) - above;
    const int x0 = from.drawn ? svg_x(l, from.column) + l->node_width / 2 : x - 22;
    const int y0 = from.drawn ? svg_y(l, from.height) : y - 10;
    fprintf(c->stream, "<line class=\"%s\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n", class, x0,
            y0, x, y);
}

static bool made_here(const canvas *c, svg_column column, int64_t maker)
{
    return maker >= 0 && c->record->operations[maker].row == column.row &&
           c->record->operations[maker].depth == column.depth;
}

static void draw_lines_to(const canvas *c, size_t k)
{
    const svg_column column = c->layout.columns[k];
    for (size_t i = 0; i < c->record->rows[column.row].n; i++) {
        const trace_cell cell = trace_cell_at(c->record, column.row, column.depth, i);
        const int64_t maker = cell.element.maker;
        if (made_here(c, column, maker)) {
            const trace_operation made = c->record->operations[maker];
            const place later = source(c, made.later, cell.height);
            const place earlier =
                source_of_earlier(c, made.earlier, c->record->rows[column.row].cells, i);
            if (later.drawn)
                draw_line(c, "later", later, k, cell.height, 0);
            draw_line(c, "operation", earlier, k, cell.height, 5);
        } else {
            const place before = source(c, maker, cell.height);
            if (before.drawn)
                draw_line(c, "kept", before, k, cell.height, 0);
        }
    }
}

/* After a column is drawn: its operands lie in earlier columns. */
static void remember_places(const canvas *c, size_t k)
{
    const svg_column column = c->layout.columns[k];
    for (size_t i = 0; i < c->record->rows[column.row].n; i++) {
        const trace_cell cell = trace_cell_at(c->record, column.row, column.depth, i);
        const place here = {true, k, cell.height, cell.element.maker};
        c->by_height[cell.height] = here;
        if (here.maker != TRACE_IDENTITY)
            *place_of_maker(c, here.maker) = here;
    }
}

static void draw_nodes(const canvas *c, size_t k)
{
    const svg_layout *const l = &c->layout;
    const svg_column column = l->columns[k];
    for (size_t i = 0; i < c->record->rows[column.row].n; i++) {
        const trace_cell cell = trace_cell_at(c->record, column.row, column.depth, i);
        const int x = svg_x(l, k), y = svg_y(l, cell.height);
        char text[TRACE_VALUE_SIZE];
        trace_value_print(c->record->type, cell.element.value, text);
        fprintf(c->stream,
                "<g class=\"node%s\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\"/>"
                "<text x=\"%d\" y=\"%d\">%s</text></g>\n",
                made_here(c, column, cell.element.maker) ? " made" : "", x - l->node_width / 2,
                y - SVG_NODE_HEIGHT / 2, l->node_width, SVG_NODE_HEIGHT, x, y + 4, text);
    }
}

static void draw_label(const canvas *c, size_t k)
{
    const svg_column column = c->layout.columns[k];
    char label[128];
    trace_label(c->record, column.row, column.depth, label, sizeof label);
    const int x = svg_x(&c->layout, k);
    int y = 76;
    for (const char *rest = label; *rest != '\0'; y += SVG_LABEL_HEIGHT) {
        const char *const line = rest;
        const int length = svg_break_line(&rest);
        fprintf(c->stream, "<text x=\"%d\" y=\"%d\">%.*s</text>\n", x, y, length, line);
    }
    const size_t count = trace_operations_at(c->record, column.row, column.depth);
    if (count > 0)
        fprintf(c->stream, "<text class=\"count\" x=\"%d\" y=\"%d\">%zu operation%s</text>\n", x, y,
                count, count == 1 ? "" : "s");
}

static void draw_frame(const canvas *c)
{
    const svg_layout *const l = &c->layout;
    char title[256], textbook[128];
    trace_title(c->record, title, sizeof title);
    trace_textbook(c->record, textbook, sizeof textbook);
    fprintf(c->stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\">\n<title>%s</title>\n%s",
            l->width, l->height, l->width, l->height, title, style);
    fprintf(c->stream, "<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"#ffffff\"/>\n");
    fprintf(c->stream, "<text class=\"title\" x=\"24\" y=\"30\">%s</text>\n", title);
    fprintf(c->stream,
            "<text class=\"note\" x=\"24\" y=\"50\">%zu operations; textbook: %s</text>\n",
            c->record->operation_count, textbook);
    const bool padded = c->record->shape.algorithm == PARSCAN_WARP_PADDED;
    fprintf(c->stream,
            "<text class=\"note\" x=\"24\" y=\"%d\">arrow: the earlier operand%s; "
            "blue line: the later operand; grey: as it was</text>\n",
            l->height - 16, padded ? " (short: an identity)" : "");
    if (padded && c->record->n % WARP_SIZE != 0)
        fprintf(c->stream,
                "<text class=\"note\" x=\"24\" y=\"%d\">not drawn: what lanes without a value "
                "do</text>\n",
                l->height - 34);
}

/* A band behind every other block. */
static void draw_blocks(const canvas *c)
{
    const trace_row *const row = &c->record->rows[0];
    bool shaded = false;
    for (size_t i = 0, begin = 0; i < row->n && c->record->blocks; i++) {
        if (i + 1 < row->n && !row->cells[i + 1].begins_block)
            continue;
        if (shaded)
            fprintf(c->stream,
                    "<rect class=\"block\" x=\"12\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
                    svg_y(&c->layout, 2 * (long)begin - 1), c->layout.width - 24,
                    (int)(i + 1 - begin) * SVG_LINE);
        shaded = !shaded;
        begin = i + 1;
    }
}

bool network_svg_write(const trace_record *record, FILE *stream)
{
    canvas c = {.stream = stream, .record = record, .heights = 2 * record->n + 1};
    const size_t places = record->operation_count + record->n + c.heights;
    c.by_operation = calloc(places, sizeof *c.by_operation);
    const bool done = c.by_operation != NULL && svg_layout_create(&c.layout, record);
    if (done) {
        c.by_input = c.by_operation + record->operation_count;
        c.by_height = c.by_input + record->n;
        draw_frame(&c);
        draw_blocks(&c);
        for (size_t k = 0; k < c.layout.column_count; k++) {
            draw_label(&c, k);
            draw_lines_to(&c, k);
            remember_places(&c, k);
        }
        for (size_t k = 0; k < c.layout.column_count; k++)
            draw_nodes(&c, k);
        fprintf(stream, "</svg>\n");
    }
    free(c.by_operation);
    free(c.layout.columns);
    return done;
}
