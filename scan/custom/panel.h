/*
 * Panels: tiles of elements of the caller's, transposed, so that one call of the caller's function
 * combines a whole row of independent elements.
 *
 * A panel of R rows and C columns holds R * C consecutive elements; column c has those from c R on,
 * from the top down. Above its first row is one more, which receives what comes before each column. A
 * scan combines row by row:
 *
 *     the sums of the columns         R - 1 calls of C elements
 *     their scan, by Kogge-Stone      log2 C calls of at most C elements
 *     what comes before each column   1 call
 *     the columns, scanned from it    R calls of C elements
 *
 * So an element takes two combinations and a little more, whatever the operator. A panel that is not
 * whole has fewer columns, and its last one may be shorter: rows are then shorter at their ends.
 */
#ifndef PARSCAN_SCAN_CUSTOM_PANEL_H
#define PARSCAN_SCAN_CUSTOM_PANEL_H

#include "scan/custom/operator_state.h"
#include "scan/custom/panel_traffic.h"

typedef struct panel_shape {
    size_t size; /* of an element */
    size_t rows, columns;
    size_t stride; /* bytes from one row to the next, a multiple of 64 */
} panel_shape;

/* Rows are not a power of two apart, so that the elements of a column fall in different sets of the
   cache. */
static inline panel_shape panel_of(size_t size, size_t rows, size_t columns)
{
    const size_t stride = (columns * size + 63) / 64 * 64 + 64;
    return (panel_shape){size, rows, columns, stride};
}

static inline size_t panel_elements(const panel_shape *shape)
{
    return shape->rows * shape->columns;
}

/* With the row above. */
static inline size_t panel_bytes(const panel_shape *shape)
{
    return (shape->rows + 1) * shape->stride;
}

/* The bytes of the buffers for sums of columns that the functions below take: two, each with room before it. */
static inline size_t panel_sums_bytes(const panel_shape *shape)
{
    return 4 * shape->stride;
}

/* The first of them, and so the sums, in these bytes. */
static inline char *panel_sums_at(const panel_shape *shape, char *memory)
{
    return memory + shape->stride;
}

/* Row r; row -1 is the one above, so r + 1 counts from the panel's begin. */
static inline char *panel_row(const panel_shape *shape, char *panel, size_t above)
{
    return panel + above * shape->stride;
}

/* How many columns of a panel are whole, and the elements of one more. */
typedef struct panel_extent {
    size_t whole, rest;
} panel_extent;

static inline panel_extent panel_extent_of(const panel_shape *shape, size_t n)
{
    return (panel_extent){n / shape->rows, n % shape->rows};
}

/* The columns that have a row. */
static inline size_t panel_width(const panel_extent *extent, size_t row)
{
    return extent->whole + (row < extent->rest);
}

/* What the functions below need besides. */
typedef struct panel_work {
    char *sums;            /* panel_sums_at() panel_sums_bytes(), aligned to 64 bytes */
    panel_traffic traffic; /* a step is taken for each row */
} panel_work;

/* Reduces the columns of a panel of n > 0 elements, scans their sums, and stores in the row above
   the sum of all columns before each column but the first. Returns the sum of all elements. */
custom_value parscan_panel_reduce(const parscan_operator *op, const panel_shape *shape, char *panel,
                                  size_t n, panel_work *work);

/* Scans a panel for which parscan_panel_reduce() has been called, with what comes before it. Afterwards the rows
   hold the inclusive scan, and the rows from the one above on the exclusive one, but its first element if
   nothing comes before. */
void parscan_panel_scan(const parscan_operator *op, const panel_shape *shape, char *panel, size_t n,
                        const custom_value *before, panel_work *work);

/* The same by the tree of a reproducible scan (scan/reproducible/tree.h), whose rows are the columns
   here. parscan_panel_tree_reduce() scans the columns by Sklansky's network; parscan_panel_tree_scan() adds to them
   what comes before. In both cases the results are in the rows, not in those above. */
custom_value parscan_panel_tree_reduce(const parscan_operator *op, const panel_shape *shape,
                                       char *panel, size_t n, panel_work *work);
void parscan_panel_tree_scan(const parscan_operator *op, const panel_shape *shape, char *panel,
                             size_t n, const custom_value *before, bool exclusive,
                             panel_work *work);

/* Reduces n > 0 consecutive elements of a commutative operator by halves, in place. */
custom_value parscan_panel_fold(const parscan_operator *op, char *elements, size_t n);

#endif
