#include "apps/segmented/segment_panel.h"

void parscan_list_heads(segment_heads *heads, const panel_shape *shape, const uint64_t *bits,
                        size_t n)
{
    memset(heads->counts, 0, sizeof heads->counts);
    heads->all = 0;
    for (size_t begin = 0; begin < n; begin += 64)
        for (uint64_t word = bits[begin / 64]; word != 0; word &= word - 1) {
            const size_t at = begin + (size_t)__builtin_ctzll(word);
            const size_t row = at % SEGMENT_ROWS;
            heads->columns[row * shape->columns + heads->counts[row]++] =
                (uint16_t)(at / SEGMENT_ROWS);
            heads->all++;
        }
}

static const uint16_t *heads_of_row(const segment_heads *heads, const panel_shape *shape,
                                    size_t row)
{
    return heads->columns + row * shape->columns;
}

/* Copies the elements at a row's heads to consecutive places. */
static void take(const panel_shape *shape, const char *row, const uint16_t *columns, unsigned count,
                 char *taken)
{
    const size_t size = shape->size;
    for (unsigned k = 0; k < count; k++)
        memcpy(taken + k * size, row + columns[k] * size, size);
}

static void put(const panel_shape *shape, char *row, const uint16_t *columns, unsigned count,
                const char *taken)
{
    const size_t size = shape->size;
    for (unsigned k = 0; k < count; k++)
        memcpy(row + columns[k] * size, taken + k * size, size);
}

void parscan_segment_init(const parscan_operator *op, const panel_shape *shape, char *panel,
                          const segment_heads *heads, const custom_value *init, panel_work *work)
{
    if (!init->present || heads->all == 0)
        return;
    char *const taken = work->sums, *const inits = work->sums + shape->stride;
    for (size_t k = 0; k < shape->columns; k++)
        memcpy(inits + k * shape->size, init->bytes, shape->size);
    for (size_t r = 0; r < SEGMENT_ROWS; r++) {
        const unsigned count = heads->counts[r];
        char *const row = panel_row(shape, panel, r + 1);
        if (count == 0)
            continue;
        take(shape, row, heads_of_row(heads, shape, r), count, taken);
        op->combine(inits, taken, taken, count, op->state);
        put(shape, row, heads_of_row(heads, shape, r), count, taken);
    }
}

/* The sums of the columns, each of what follows its last head; *with_heads[c]: whether it has one. */
static void reduce_columns(const parscan_operator *op, const panel_shape *shape, char *panel,
                           size_t n, const segment_heads *heads, panel_work *work, bool *begun)
{
    const panel_extent extent = panel_extent_of(shape, n);
    const size_t size = shape->size, columns = panel_width(&extent, 0);
    char *const sums = work->sums;
    memset(begun, 0, columns);
    memcpy(sums, panel_row(shape, panel, 1), columns * size);
    for (size_t r = 0; r < SEGMENT_ROWS; r++) {
        const size_t width = panel_width(&extent, r);
        const char *const row = panel_row(shape, panel, r + 1);
        const uint16_t *const list = heads_of_row(heads, shape, r);
        traffic_step(&work->traffic);
        if (r > 0 && width > 0)
            op->combine(sums, row, sums, width, op->state);
        for (unsigned k = 0; k < heads->counts[r]; k++) {
            memcpy(sums + list[k] * size, row + list[k] * size, size);
            begun[list[k]] = true;
        }
    }
}

segment_panel_sum parscan_segment_reduce(const parscan_operator *op, const panel_shape *shape,
                                         char *panel, size_t n, const segment_heads *heads,
                                         panel_work *work)
{
    const panel_extent extent = panel_extent_of(shape, n);
    const size_t size = shape->size, columns = panel_width(&extent, 0);
    bool *const begun = (bool *)(work->sums + shape->stride);
    segment_panel_sum sum = {.first = columns};
    reduce_columns(op, shape, panel, n, heads, work, begun);
    sum.open = custom_value_of(op, work->sums);
    for (size_t c = 0;; c++) {
        if (begun[c] && !sum.begun) {
            sum.begun = true;
            sum.first = c;
        }
        if (c + 1 == columns)
            return sum;
        memcpy(panel + (c + 1) * size, sum.open.bytes, size);
        const char *const next = work->sums + (c + 1) * size;
        if (begun[c + 1])
            memcpy(sum.open.bytes, next, size);
        else
            op->combine(sum.open.bytes, next, sum.open.bytes, 1, op->state);
    }
}

/* Adds what is open before the panel to what is before each column up to `first`. Where there is nothing,
   element 0, a head, stands for it: its combination is put back. */
static void add_before(const parscan_operator *op, const panel_shape *shape, char *panel,
                       size_t columns, size_t first, const custom_value *before, char *sums)
{
    const size_t size = shape->size, count = first < columns ? first : columns - 1;
    memcpy(panel, before->present ? before->bytes : (unsigned char *)panel + shape->stride, size);
    if (!before->present || count == 0)
        return;
    for (size_t k = 0; k < count; k++)
        memcpy(sums + k * size, before->bytes, size);
    op->combine(sums, panel + size, panel + size, count, op->state);
}

void parscan_segment_scan(const parscan_operator *op, const panel_shape *shape, char *panel,
                          size_t n, const segment_heads *heads, size_t first,
                          const custom_value *before, const custom_value *start, panel_work *work)
{
    const panel_extent extent = panel_extent_of(shape, n);
    const size_t size = shape->size;
    char *const taken = work->sums;
    add_before(op, shape, panel, panel_width(&extent, 0), first, before, work->sums);
    for (size_t r = 0; r < SEGMENT_ROWS; r++) {
        char *const above = panel_row(shape, panel, r), *const row = above + shape->stride;
        const uint16_t *const list = heads_of_row(heads, shape, r);
        const size_t width = panel_width(&extent, r);
        traffic_step(&work->traffic);
        take(shape, row, list, heads->counts[r], taken);
        for (unsigned k = 0; k < heads->counts[r] && start != NULL; k++)
            memcpy(above + list[k] * size, start->bytes, size);
        if (width > 0)
            op->combine(above, row, row, width, op->state);
        put(shape, row, list, heads->counts[r], taken);
    }
}
