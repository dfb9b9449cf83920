/* The head of a file of the Matrix Market: what the fields of its lines are. */
#ifndef PARSCAN_CLI_MATRIX_MARKET_H
#define PARSCAN_CLI_MATRIX_MARKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/cli/failure.h"

/* The banner, with which the file begins. Comments are other lines that begin with its first character. */
#define MATRIX_BANNER "%%MatrixMarket"

typedef struct matrix_market {
    bool is_there;
    bool is_array;     /* all values, column after column; else entries: row, column, value */
    char field[16];    /* real, double, integer, complex, pattern */
    char symmetry[16]; /* general, symmetric, skew-symmetric, hermitian */
    uint64_t rows, columns, entries;
    bool is_mirrored; /* entries that the file leaves out are read, too */
} matrix_market;

/* Whether the text begins with the banner's first word. */
bool matrix_begins(const char *text, size_t size);

/* Reads the banner, and the line of sizes, which is the first one that is not a comment: [line, end) without their
   newlines. */
bool matrix_read_banner(matrix_market *matrix, const char *line, const char *end, failure *why);
bool matrix_read_sizes(matrix_market *matrix, const char *line, const char *end, failure *why);

/* The number of entries that the file has, each on its line, as the line of sizes says. */
uint64_t matrix_entries(const matrix_market *matrix);

/* Which option reads which of the fields that the banner implies. */
const char *matrix_options(const matrix_market *matrix);

/* Checks that the lines have a field of that number, from 1; 0: none is chosen. */
bool matrix_check_field(const matrix_market *matrix, unsigned number, failure *why);

enum { MATRIX_WORDS = 450 };

/* Says what the fields are. */
void matrix_describe(const matrix_market *matrix, char words[MATRIX_WORDS]);

#endif
