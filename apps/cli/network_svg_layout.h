/*
 * The positions of everything in the picture.
 */
#ifndef PARSCAN_CLI_NETWORK_SVG_LAYOUT_H
#define PARSCAN_CLI_NETWORK_SVG_LAYOUT_H

#include "apps/cli/trace_record.h"

/* A column shows a row of the record after the first `depth` of its chained operations. */
typedef struct svg_column {
    size_t row;
    unsigned depth;
} svg_column;

#define SVG_LINE 30 /* the distance between two elements, in pixels */
#define SVG_NODE_HEIGHT 20
#define SVG_LABEL_HEIGHT 15
#define SVG_LABEL_WIDTH 15 /* characters */

typedef struct svg_layout {
    svg_column *columns;
    size_t column_count;
    int node_width;  /* in pixels, as everything here */
    int pitch;       /* the distance between two columns */
    int label_lines; /* the lines of the longest label */
    int left, top;   /* the centre of the first node */
    int width, height;
} svg_layout;

/* The caller frees the columns. False: memory ran out. */
bool svg_layout_create(svg_layout *layout, const trace_record *record);

int svg_x(const svg_layout *layout, size_t column);
int svg_y(const svg_layout *layout, long height);

/* The length of the first line of a label. Lines are broken at spaces, but not between a word and
   its number. *label moves to the rest. */
int svg_break_line(const char **label);

#endif
