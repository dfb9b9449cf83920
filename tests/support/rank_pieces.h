/* Arrays that are cut into the pieces of ranks, and pieces in the memory of the context's engine. */
#ifndef PARSCAN_TESTS_RANK_PIECES_H
#define PARSCAN_TESTS_RANK_PIECES_H

#include <stdbool.h>
#include <stddef.h>

#include "parscan/comm.h"

enum { MOST_PIECES = 16 };

typedef enum piece_pattern {
    EVEN_PIECES,
    ALL_ON_THE_FIRST,
    ALL_ON_THE_LAST,
    EVERY_OTHER_EMPTY,
    TINY_BUT_ONE,
    RANDOM_PIECES,
    PIECE_PATTERNS
} piece_pattern;

/* Where the pieces of an array begin; begin[ranks] = n. Random pieces need the test's own thread. */
typedef struct pieces {
    size_t begin[MOST_PIECES + 1];
} pieces;

pieces cut_pieces(piece_pattern pattern, unsigned ranks, size_t n);

static inline size_t piece_length(const pieces *cut, unsigned rank)
{
    return cut->begin[rank + 1] - cut->begin[rank];
}

/* The numbers of ranks that tests run with. */
#define RANK_COUNTS   \
    {                 \
        1, 2, 3, 4, 7 \
    }

/* Memory of the engine, with a copy of `bytes` bytes (from NULL: any). Not counted as an allocation
   of the context on the CPU. Not NULL. */
void *piece_create(parscan_comm *comm, const void *from, size_t bytes);
void piece_read(parscan_comm *comm, void *to, const void *piece, size_t bytes);
void piece_destroy(parscan_comm *comm, void *piece);

/* Whether a piece holds these bytes. */
bool piece_is(parscan_comm *comm, const void *piece, const void *expected, size_t bytes);

#endif
