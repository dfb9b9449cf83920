#include "tests/support/rank_pieces.h"

#include <stdlib.h>
#include <string.h>

#include "parscan/memory.h"
#include "tests/support/random.h"

static size_t length_of(piece_pattern pattern, unsigned rank, unsigned ranks, size_t n)
{
    const size_t even = n / ranks;
    switch (pattern) {
    case ALL_ON_THE_FIRST:
        return rank == 0 ? n : 0;
    case ALL_ON_THE_LAST:
        return 0;
    case EVERY_OTHER_EMPTY:
        return rank % 2 == 0 ? 0 : 2 * even;
    case TINY_BUT_ONE:
        return rank == ranks / 2 ? n - n / 4 : rank % 3;
    case RANDOM_PIECES:
        return random_below(2 * even + 1);
    default:
        return even;
    }
}

pieces cut_pieces(piece_pattern pattern, unsigned ranks, size_t n)
{
    pieces cut = {{0}};
    for (unsigned rank = 0; rank < ranks; rank++) {
        const size_t left = n - cut.begin[rank], length = length_of(pattern, rank, ranks, n);
        cut.begin[rank + 1] =
            rank + 1 == ranks ? n : cut.begin[rank] + (length < left ? length : left);
    }
    return cut;
}

static bool on_cpu(parscan_comm *comm)
{
    return parscan_context_backend(parscan_comm_context(comm)) == PARSCAN_BACKEND_CPU;
}

void *piece_create(parscan_comm *comm, const void *from, size_t bytes)
{
    void *piece = NULL;
    if (on_cpu(comm))
        piece = malloc(bytes + 1);
    else if (parscan_malloc(parscan_comm_context(comm), &piece, bytes + 1) != PARSCAN_OK)
        piece = NULL;
    if (piece == NULL)
        abort();
    if (from != NULL)
        piece_read(comm, piece, from, bytes);
    return piece;
}

void piece_read(parscan_comm *comm, void *to, const void *piece, size_t bytes)
{
    if (parscan_copy(parscan_comm_context(comm), to, piece, bytes) != PARSCAN_OK)
        abort();
}

void piece_destroy(parscan_comm *comm, void *piece)
{
    if (on_cpu(comm))
        free(piece);
    else
        parscan_free(parscan_comm_context(comm), piece);
}

bool piece_is(parscan_comm *comm, const void *piece, const void *expected, size_t bytes)
{
    void *const here = malloc(bytes + 1);
    if (here == NULL)
        abort();
    piece_read(comm, here, piece, bytes);
    const bool same = memcmp(here, expected, bytes) == 0;
    free(here);
    return same;
}
