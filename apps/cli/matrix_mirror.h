/* The entries of a symmetric matrix that its Matrix Market file leaves out. */
#ifndef PARSCAN_CLI_MATRIX_MIRROR_H
#define PARSCAN_CLI_MATRIX_MIRROR_H

#include "apps/cli/array.h"
#include "apps/cli/matrix_market.h"

/* Whether the entries can be mirrored, or need not be: says why not. */
bool matrix_can_mirror(const matrix_market *matrix, failure *why);

/* Whether there are entries that are left out. */
bool matrix_has_half(const matrix_market *matrix);

/* Adds to `to`, bytes, the lines of a text, which ends in a newline: behind each entry off the diagonal the one that
   mirrors it, with row and column exchanged; of a skew-symmetric matrix its negative, of a Hermitian one its conjugate.
   Other lines are as they were. *made grows by the number of mirrored entries. False: memory ran out. */
bool matrix_mirror(const matrix_market *matrix, const char *text, size_t size, array *to,
                   size_t *made);

/* Whether the indices of the entry [line, end) are within the matrix: says which one is not. */
bool matrix_check_indices(const matrix_market *matrix, const char *line, const char *end,
                          failure *why);

/* The line of the text, from 0 on, that line `line` of what it was made to comes from. */
uint64_t matrix_mirrored_line(const char *text, size_t size, uint64_t line);

#endif
