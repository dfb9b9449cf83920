/*
 * The kernels of one kind of columns: of a class of keys, with KEY_NAME, KEY_BITS and KEY_FLOAT before, or,
 * without KEY_NAME, of strings. All are undefined at the end.
 */
#ifdef KEY_NAME
#define OF_KEY(function) PARSCAN_PASTE(PARSCAN_PASTE(function, _), KEY_NAME)
#define KEY_INFINITY PARSCAN_PASTE(infinity_, KEY_NAME)
#include "apps/merge/key_rank.h"

KERNEL uint64_t OF_KEY(rank_of_row)(const sorted_column *column, size_t row)
{
    const key_order order = {.flip = column->flip, .keep = UINT64_MAX};
    return OF_KEY(rank)(&order, OF_KEY(key)(column->data, row));
}

#define OF_COLUMN(function) OF_KEY(function)
#define RANK(column, word, row) ((void)(word), OF_KEY(rank_of_row)(column, row))
#else
#define OF_COLUMN(function) function##_bytes
#define RANK(column, word, row) rank_of_string(column, word, row)
#endif

static void OF_COLUMN(words)(const sorted_column *given, unsigned word, size_t begin, size_t n,
                             uint64_t *words)
{
    const sorted_column column = *given;
    for (size_t i = 0; i < n; i++)
        words[i] = RANK(&column, word, begin + i);
}

static void OF_COLUMN(words_of)(const sorted_column *given, unsigned word, const uint64_t *rows,
                                size_t n, uint64_t *words)
{
    const sorted_column column = *given;
    for (size_t i = 0; i < n; i++)
        words[i] = RANK(&column, word, rows[i]);
}

#undef OF_COLUMN
#undef RANK
#ifdef KEY_NAME
#include "apps/merge/key_rank_end.h"
#undef KEY_NAME
#endif
