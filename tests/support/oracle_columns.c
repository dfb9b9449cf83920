#include "tests/support/oracle_columns.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/number.h"

/* Below 0: a is before b; above: after. */
static int compare_numbers(number a, number b)
{
    const bool a_nan = a.is_float && isnan(a.real), b_nan = b.is_float && isnan(b.real);
    if (a_nan || b_nan)
        return (int)a_nan - (int)b_nan;
    switch (number_compare(a, b)) {
    case NUMBER_LESS:
        return -1;
    case NUMBER_GREATER:
        return 1;
    default: /* of floats perhaps zeros of two signs */
        return a.is_float ? (signbit(b.real) != 0) - (signbit(a.real) != 0) : 0;
    }
}

static int compare_in(const parscan_column *c, size_t a, size_t b)
{
    const char *const data = c->data;
    const int found =
        c->type == PARSCAN_BYTES
            ? memcmp(data + a * c->width, data + b * c->width, c->width)
            : compare_numbers(number_read(c->type, data, a), number_read(c->type, data, b));
    return c->descending ? -found : found;
}

int oracle_compare_rows(const parscan_column *columns, size_t count, size_t a, size_t b)
{
    int found = 0;
    for (size_t k = 0; k < count && found == 0; k++)
        found = compare_in(&columns[k], a, b);
    return found;
}

/* Merges from[begin..middle) and from[middle..end). */
static void merge_rows(const parscan_column *columns, size_t count, const size_t *from,
                       size_t begin, size_t middle, size_t end, size_t *to)
{
    size_t a = begin, b = middle;
    for (size_t i = begin; i < end; i++)
        if (b == end || (a < middle && oracle_compare_rows(columns, count, from[a], from[b]) <= 0))
            to[i] = from[a++];
        else
            to[i] = from[b++];
}

void oracle_sort_columns(const parscan_column *columns, size_t column_count, size_t n,
                         size_t *order)
{
    size_t *const spare = malloc((n + 1) * sizeof *spare);
    if (spare == NULL)
        abort();
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    for (size_t run = 1; run < n; run *= 2) {
        for (size_t begin = 0; begin < n; begin += 2 * run) {
            const size_t middle = n - begin < run ? n : begin + run;
            const size_t end = n - middle < run ? n : middle + run;
            merge_rows(columns, column_count, order, begin, middle, end, spare);
        }
        memcpy(order, spare, n * sizeof *order);
    }
    free(spare);
}
