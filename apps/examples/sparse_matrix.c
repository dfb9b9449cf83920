/*
 * A sparse matrix: from coordinates to compressed rows (CSR), and its product with a vector.
 *
 *     example_sparse_matrix MATRIX.mtx [VECTOR]       y = A x, one number a line; x is 1 by default
 *
 * MATRIX.mtx is a file of the Matrix Market: "rows columns entries", then "row column value" for each
 * entry, in any order. An entry may come several times; its values are then added.
 *
 *     coordinates  (2, 0, 5)  (0, 1, 1)  (2, 3, 4)  (0, 2, 2)
 *     rows         offsets 0 2 2 4      entries (1, 1) (2, 2) | | (0, 5) (3, 4)
 *
 * To bring entries in the order of their rows is a counting sort: count the entries of each row, scan
 * the counts to offsets, move each entry to its place. parscan_bin() does this on all cores. The
 * product multiplies every entry by its element of x, and adds the products of each row: a segmented
 * reduction. Its work is shared by entries, not by rows, so that one long row does not keep one core
 * busy while others wait.
 *
 * Source: G. Blelloch, M. Heroux, M. Zagha, Segmented Operations for Sparse Matrix Computation on
 * Vector Multiprocessors, 1993.
 */
#include <string.h>

#include "example.h"

typedef struct entry {
    double value;
    uint64_t column;
} entry;

typedef struct matrix {
    uint64_t rows, columns, entries;
    uint64_t *row; /* of each entry */
    entry *entry;
} matrix;

static uint64_t next_whole(char **at, const char *path)
{
    char *end;
    const uint64_t number = strtoull(*at, &end, 10);
    if (end == *at)
        example_fail(path, "has fewer numbers than its first line says");
    *at = end;
    return number;
}

static matrix read_matrix(const char *path)
{
    size_t size;
    char *const text = example_read(path, &size), *at = text;
    if (strncmp(at, "%%MatrixMarket matrix coordinate ", 33) != 0 || !strstr(at, " general\n") ||
        strncmp(at + 33, "pattern", 7) == 0 || strncmp(at + 33, "complex", 7) == 0)
        example_fail(path, "is not a general matrix of real coordinates");
    while (*at == '%') /* comments */
        at += strcspn(at, "\n"), at += *at != '\0';
    matrix a = {.rows = next_whole(&at, path)};
    a.columns = next_whole(&at, path);
    a.entries = next_whole(&at, path);
    if (a.entries > size || a.rows > UINT32_MAX)
        example_fail(path, "is cut or too large");
    a.row = example_room(a.entries, sizeof *a.row);
    a.entry = example_room(a.entries, sizeof *a.entry);
    for (uint64_t k = 0; k < a.entries; k++) {
        a.row[k] = next_whole(&at, path) - 1; /* a file counts from 1 */
        a.entry[k].column = next_whole(&at, path) - 1;
        a.entry[k].value = strtod(at, &at);
        if (a.row[k] >= a.rows || a.entry[k].column >= a.columns)
            example_fail(path, "has an entry outside of the matrix");
    }
    return a;
}

static double *read_vector(const char *path, uint64_t n)
{
    double *const x = example_room(n, sizeof *x);
    size_t size;
    char *const text = path != NULL ? example_read(path, &size) : NULL, *at = text, *end;
    for (uint64_t i = 0; i < n; i++) {
        x[i] = text != NULL ? strtod(at, &end) : 1;
        if (text != NULL && end == at)
            example_fail(path, "has fewer numbers than the matrix has columns");
        at = text != NULL ? end : NULL;
    }
    return x;
}

/* The entries row by row: those of row r are entries[offsets[r]] to entries[offsets[r+1] - 1]. */
static void to_rows(parscan_context *context, const matrix *a, uint64_t *offsets, entry *entries)
{
    example_check(context, parscan_bin(context, PARSCAN_U64, a->row, sizeof *entries, a->entry,
                                       a->entries, a->rows, PARSCAN_U64, offsets, entries));
}

/* y = A x for a matrix in compressed rows. products has room for a number for each entry. */
static void multiply(parscan_context *context, const uint64_t *offsets, const entry *entries,
                     uint64_t rows, const double *x, double *products, double *y)
{
    for (uint64_t k = 0; k < offsets[rows]; k++) /* each on its own */
        products[k] = entries[k].value * x[entries[k].column];
    const parscan_segments by_row =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U64, .data = offsets,
                         .count = rows);
    example_check(context, parscan_segmented_reduce(context, PARSCAN_F64, products, y,
                                                    offsets[rows], &by_row, NULL, NULL));
}

int main(int argc, char **argv)
{
    if (argc != 2 && argc != 3)
        example_fail("usage", "example_sparse_matrix MATRIX.mtx [VECTOR]");
    const matrix a = read_matrix(argv[1]);
    double *const x = read_vector(argv[2], a.columns);
    uint64_t *const offsets = example_room(a.rows + 1, sizeof *offsets);
    entry *const entries = example_room(a.entries, sizeof *entries);
    double *const products = example_room(a.entries, sizeof *products);
    double *const y = example_room(a.rows, sizeof *y);
    parscan_context *const context = example_context();
    to_rows(context, &a, offsets, entries);
    multiply(context, offsets, entries, a.rows, x, products, y);
    for (uint64_t r = 0; r < a.rows; r++)
        printf("%.17g\n", y[r]);
    return example_end(context);
}
