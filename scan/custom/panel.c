#include "scan/custom/panel.h"

static void combine(const parscan_operator *op, const char *earlier, const char *later, char *out,
                    size_t n)
{
    if (n > 0)
        op->combine(earlier, later, out, n, op->state);
}

/* n > 0 copies of a value. */
static void fill(const panel_shape *shape, char *to, const custom_value *value, size_t n)
{
    memcpy(to, value->bytes, shape->size);
    for (size_t done = 1; done < n; done *= 2)
        memcpy(to + done * shape->size, to, (n - done < done ? n - done : done) * shape->size);
}

/* Inclusive scan of count sums, by Kogge-Stone. Returns where the result is: the first or the second
   buffer. Each step combines as many elements as a row has, for the caller's function is slow where vectors are not
   whole: the first results are put right afterwards. */
static char *scan_sums(const parscan_operator *op, const panel_shape *shape, char *sums,
                       size_t count)
{
    char *from = sums, *to = sums + 2 * shape->stride;
    for (size_t step = 1; step < count; step *= 2) {
        const size_t bytes = step * shape->size;
        memcpy(from - bytes, from, bytes);
        /* The operands overlap each other, but not the result. */
        combine(op, from - bytes, from, to, count);
        memcpy(to, from, bytes);
        char *const written = to;
        to = from;
        from = written;
    }
    return from;
}

/* The sums of the columns are in `sums`: scans them to the row above. */
static custom_value place_sums(const parscan_operator *op, const panel_shape *shape, char *panel,
                               size_t columns, char *sums)
{
    const char *const scanned = scan_sums(op, shape, sums, columns);
    memcpy(panel + shape->size, scanned, (columns - 1) * shape->size);
    return custom_value_of(op, scanned + (columns - 1) * shape->size);
}

custom_value parscan_panel_reduce(const parscan_operator *op, const panel_shape *shape, char *panel,
                                  size_t n, panel_work *work)
{
    char *const sums = work->sums;
    const panel_extent extent = panel_extent_of(shape, n);
    const size_t columns = panel_width(&extent, 0);
    const char *before = panel_row(shape, panel, 1);
    if (shape->rows == 1 || panel_width(&extent, 1) < columns)
        memcpy(sums, before, columns * shape->size);
    for (size_t row = 1; row < shape->rows; row++) {
        traffic_step(&work->traffic);
        combine(op, before, panel_row(shape, panel, row + 1), sums, panel_width(&extent, row));
        before = sums;
    }
    return place_sums(op, shape, panel, columns, sums);
}

/* Adds what comes before the panel to what is before each column. Returns the first column before
   which there is something. */
static size_t add_before(const parscan_operator *op, const panel_shape *shape, char *panel,
                         size_t columns, const custom_value *before, char *sums)
{
    if (!before->present)
        return 1;
    char *const filled = sums + shape->stride;
    fill(shape, filled, before, columns);
    memcpy(panel, filled, shape->size);
    combine(op, filled, panel, panel, columns);
    memcpy(panel, filled, shape->size);
    return 0;
}

void parscan_panel_scan(const parscan_operator *op, const panel_shape *shape, char *panel, size_t n,
                        const custom_value *before, panel_work *work)
{
    const panel_extent extent = panel_extent_of(shape, n);
    const size_t columns = panel_width(&extent, 0);
    const size_t skip = add_before(op, shape, panel, columns, before, work->sums);
    char *above = panel, *row = panel + shape->stride;
    const size_t bytes = skip * shape->size;
    combine(op, above + bytes, row + bytes, row + bytes, columns - skip);
    for (size_t r = 1; r < shape->rows; r++) {
        traffic_step(&work->traffic);
        above = row;
        row += shape->stride;
        combine(op, above, row, row, panel_width(&extent, r));
    }
}

custom_value parscan_panel_tree_reduce(const parscan_operator *op, const panel_shape *shape,
                                       char *panel, size_t n, panel_work *work)
{
    char *const sums = work->sums;
    const panel_extent extent = panel_extent_of(shape, n);
    const size_t columns = panel_width(&extent, 0), whole = extent.whole;
    for (size_t step = 1; step < shape->rows; step *= 2)
        for (size_t row = step; row < shape->rows; row++)
            if (row & step) {
                const size_t last = (row & ~(2 * step - 1)) + step - 1;
                char *const to = panel_row(shape, panel, row + 1);
                traffic_step(&work->traffic);
                combine(op, panel_row(shape, panel, last + 1), to, to, panel_width(&extent, row));
            }
    memcpy(sums, panel_row(shape, panel, shape->rows), whole * shape->size);
    if (whole < columns)
        memcpy(sums + whole * shape->size,
               panel_row(shape, panel, extent.rest) + whole * shape->size, shape->size);
    return place_sums(op, shape, panel, columns, sums);
}

void parscan_panel_tree_scan(const parscan_operator *op, const panel_shape *shape, char *panel,
                             size_t n, const custom_value *before, bool exclusive, panel_work *work)
{
    const panel_extent extent = panel_extent_of(shape, n);
    const size_t columns = panel_width(&extent, 0);
    const size_t skip = add_before(op, shape, panel, columns, before, work->sums);
    const size_t bytes = skip * shape->size;
    /* From the last row on: an exclusive result takes the place of the next local sum. */
    for (size_t row = shape->rows; row > (exclusive ? 1 : 0); row--) {
        const char *const local = panel_row(shape, panel, exclusive ? row - 1 : row);
        char *const to = panel_row(shape, panel, row);
        const size_t width = panel_width(&extent, row - 1);
        traffic_step(&work->traffic);
        if (exclusive && skip > 0)
            memcpy(to, local, bytes);
        if (width > skip)
            combine(op, panel + bytes, local + bytes, to + bytes, width - skip);
    }
    if (exclusive)
        memcpy(panel_row(shape, panel, 1), panel, columns * shape->size);
}

custom_value parscan_panel_fold(const parscan_operator *op, char *elements, size_t n)
{
    while (n > 1) {
        const size_t half = n / 2;
        combine(op, elements, elements + (n - half) * op->size, elements, half);
        n -= half;
    }
    return custom_value_of(op, elements);
}
