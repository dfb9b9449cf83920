/*
 * Panels of elements of the caller's (scan/custom/panel.h) with heads of segments in them. A row is combined as a whole;
 * what has been combined across a head is then put back.
 */
#ifndef PARSCAN_APPS_SEGMENT_PANEL_H
#define PARSCAN_APPS_SEGMENT_PANEL_H

#include <stdint.h>

#include "scan/custom/panel.h"

/* The rows of such a panel: a column's heads are half a word of bits. */
enum { SEGMENT_ROWS = 32 };

/* The heads of a panel, row by row: columns[r * the panel's columns ...], counts[r] of them. */
typedef struct segment_heads {
    uint16_t *columns; /* room for one for each element */
    unsigned counts[SEGMENT_ROWS];
    size_t all;
} segment_heads;

/* bits: one for each of the n elements of a panel, in whole words. */
void parscan_list_heads(segment_heads *heads, const panel_shape *shape, const uint64_t *bits,
                        size_t n);

/* A panel whose columns are reduced. */
typedef struct segment_panel_sum {
    custom_value open; /* the sum of what follows the last head, or of all */
    size_t first;      /* the first column with a head; if there is none, the number of columns */
    bool begun;        /* there is one */
} segment_panel_sum;

/* Combines init before the elements at heads, if it is there. */
void parscan_segment_init(const parscan_operator *op, const panel_shape *shape, char *panel,
                          const segment_heads *heads, const custom_value *init, panel_work *work);

/* Reduces the columns, and stores in the row above what is open before each column but the first, as far as the
   panel tells: before the columns up to `first` what comes before the panel is lacking. */
segment_panel_sum parscan_segment_reduce(const parscan_operator *op, const panel_shape *shape,
                                         char *panel, size_t n, const segment_heads *heads,
                                         panel_work *work);

/* Scans a panel for which parscan_segment_reduce() has been called, with what is open before it; that may be nothing
   if element 0 is a head. start: of an exclusive scan, its result at a head; then its results are the rows
   from the one above on. NULL: an inclusive scan. */
void parscan_segment_scan(const parscan_operator *op, const panel_shape *shape, char *panel,
                          size_t n, const segment_heads *heads, size_t first,
                          const custom_value *before, const custom_value *start, panel_work *work);

#endif
