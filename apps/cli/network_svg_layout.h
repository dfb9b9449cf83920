/*
 * Where everything of the picture goes.
 */
#ifndef PARSCAN_CLI_NETWORK_SVG_LAYOUT_H
#define PARSCAN_CLI_NETWORK_SVG_LAYOUT_H

#include "apps/cli/trace_record.h"

/* A step: a row of the record after `depth` of its chained operations. */
typedef struct svg_column {
    size_t row;
    unsigned depth;
} svg_column;

#define SVG_LINE 30 /* from one element to the next, in pixels */
#define SVG_NODE_HEIGHT 20
#define SVG_LABEL_HEIGHT 15
#define SVG_LABEL_WIDTH 15 /* characters */

typedef struct svg_layout {
    svg_column *columns;
    size_t column_count;
    int node_width, pitch; /* of a node, from column to column */
    int label_lines;       /* of the longest label */
    int left, top;         /* the centre of the first node */
    int width, height;
} svg_layout;

/* Free the columns. False: no memory. */
bool svg_layout_create(svg_layout *layout, const trace_record *record);

int svg_x(const svg_layout *layout, size_t column);
int svg_y(const svg_layout *layout, long height);

/* The length of the first line of a label, broken at spaces, but not between a word and its number;
 *label moves to the rest. */
int svg_break_line(const char **label);

#endif
