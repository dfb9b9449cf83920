#include "tests/support/tree_oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/number.h"

enum { ROW = 16, TILE_ROWS = 128, TILE = ROW * TILE_ROWS };

/* A sum of some elements; of none, and so left out, where there is not one. */
typedef struct maybe {
    bool there;
    double value;
} maybe;

/* A sum or product of floats that is rounded to double and then to float is what rounding it once
   to float gives: 53 bits are more than twice 24 and two. */
static double combined(const oracle_scan *scan, double a, double b)
{
    const double result = scan->op == PARSCAN_SUM ? a + b : a * b;
    return scan->out_type == PARSCAN_F64 ? result : (double)(float)result;
}

static maybe joined(const oracle_scan *scan, maybe a, maybe b)
{
    if (!a.there || !b.there)
        return a.there ? a : b;
    return (maybe){true, combined(scan, a.value, b.value)};
}

/* Sums of a row: of[k][i] that of the 2^k elements from i, a multiple of 2^k. */
typedef struct row_sums {
    double of[5][ROW];
} row_sums;

/* x[0..count): the sum of as many as the greatest power of two below count, and that of the rest.
   This is what Sklansky's network gives an element and what a binary counter's blocks add up to. */
static maybe grouped(const oracle_scan *scan, const double *x, size_t count)
{
    if (count < 2)
        return (maybe){count == 1, count == 1 ? x[0] : 0};
    size_t first = 1;
    while (2 * first < count)
        first *= 2;
    return joined(scan, grouped(scan, x, first), grouped(scan, x + first, count - first));
}

static void sum_row(const oracle_scan *scan, const double *x, size_t count, row_sums *sums)
{
    memcpy(sums->of[0], x, count * sizeof *x);
    for (size_t k = 1, width = 2; width <= count; k++, width *= 2)
        for (size_t i = 0; i + width <= count; i += width)
            sums->of[k][i] = combined(scan, sums->of[k - 1][i], sums->of[k - 1][i + width / 2]);
}

/* What grouped() gives of the first `count` elements of the row: its windows are those of the sums. */
static maybe grouped_in_row(const oracle_scan *scan, const row_sums *sums, size_t begin,
                            size_t count)
{
    if (count == 0)
        return (maybe){false, 0};
    size_t k = 0;
    while ((size_t)2 << k <= count)
        k++;
    const size_t width = (size_t)1 << k;
    const maybe first = {true, sums->of[k][begin]};
    return joined(scan, first, grouped_in_row(scan, sums, begin + width, count - width));
}

/* The scan of a tile's row sums in place: sums[r] takes in the window before its own, and so the
   windows double. Returns the number of rows. */
static size_t scan_row_sums(const oracle_scan *scan, const double *x, size_t n, double *sums)
{
    const size_t rows = (n + ROW - 1) / ROW;
    for (size_t r = 0; r < rows; r++)
        sums[r] = grouped(scan, x + r * ROW, n - r * ROW < ROW ? n - r * ROW : ROW).value;
    for (size_t window = 1; window < rows; window *= 2)
        for (size_t r = rows; r-- > window;)
            sums[r] = combined(scan, sums[r - window], sums[r]);
    return rows;
}

static double element_of(parscan_type type, const void *array, size_t i)
{
    return number_read(type, array, i).real;
}

static void put(const oracle_scan *scan, void *out, size_t i, maybe result)
{
    const double neutral = scan->op == PARSCAN_SUM ? 0 : 1;
    const double value = result.there ? result.value : neutral;
    number_write_real(scan->out_type, out, i, value);
}

/* The results of x[0..n), a tile that starts at element begin and has `before` before it. */
static void put_tile(const oracle_scan *scan, const double *x, size_t begin, size_t n, maybe before,
                     const double *rows, void *out)
{
    row_sums sums;
    for (size_t i = 0; i < n; i++) {
        if (i % ROW == 0)
            sum_row(scan, x + i, n - i < ROW ? n - i : ROW, &sums);
        const size_t r = i / ROW, taken = i % ROW + (scan->kind == SCAN_INCLUSIVE);
        const maybe rows_before = {r > 0, r > 0 ? rows[r - 1] : 0};
        const maybe head = joined(scan, before, rows_before);
        const size_t at = scan->reverse ? scan->n - 1 - (begin + i) : begin + i;
        put(scan, out, at, joined(scan, head, grouped_in_row(scan, &sums, 0, taken)));
    }
}

void tree_oracle(const oracle_scan *scan, void *out)
{
    const size_t n = scan->n;
    double *const x = malloc(n * sizeof *x + 1);
    double *const tile_sums = calloc(n / TILE + 1, sizeof *tile_sums);
    if (x == NULL || tile_sums == NULL)
        abort();
    for (size_t i = 0; i < n; i++)
        x[i] = element_of(scan->type, scan->in, scan->reverse ? n - 1 - i : i);
    maybe init = {scan->init != NULL, 0};
    if (scan->init != NULL)
        init.value = element_of(scan->out_type, scan->init, 0);
    size_t tiles = 0;
    for (size_t begin = 0; begin < n; begin += TILE) {
        double rows[TILE_ROWS];
        const size_t length = n - begin < TILE ? n - begin : TILE;
        const size_t count = scan_row_sums(scan, x + begin, length, rows);
        const maybe before = joined(scan, init, grouped(scan, tile_sums, tiles));
        if (scan->kind != SCAN_REDUCE)
            put_tile(scan, x + begin, begin, length, before, rows, out);
        tile_sums[tiles++] = rows[count - 1];
    }
    if (scan->kind == SCAN_REDUCE)
        put(scan, out, 0, joined(scan, init, grouped(scan, tile_sums, tiles)));
    free(x);
    free(tile_sums);
}

size_t bits_differ_at(parscan_type type, const void *a, const void *b, size_t n)
{
    const size_t size = parscan_type_size(type);
    if (n == 0 || memcmp(a, b, n * size) == 0)
        return n;
    for (size_t i = 0; i < n; i++) {
        const bool same = memcmp((const char *)a + i * size, (const char *)b + i * size, size) == 0;
        if (!same && !(isnan(element_of(type, a, i)) && isnan(element_of(type, b, i))))
            return i;
    }
    return n;
}
