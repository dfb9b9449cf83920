/* The ranges of an array that threads search, and the pieces of a range that are filtered. */
#ifndef PARSCAN_APPS_SELECT_TOP_RANGES_H
#define PARSCAN_APPS_SELECT_TOP_RANGES_H

#include "apps/select/top_search.h"
#include "scan/cpu/team.h"

enum {
    TOP_PIECE = 2048, /* elements that are filtered at once */
    TOP_RANGES_A_THREAD = 8
};

static inline unsigned ranges_for(unsigned threads)
{
    return threads == 1 ? 1 : threads * TOP_RANGES_A_THREAD;
}

static inline size_t range_begin(const top_search *s, size_t range)
{
    const size_t ranges = ranges_for(s->threads);
    return range == ranges ? s->n : s->n / ranges * range;
}

static inline void each_range(const top_search *s, parscan_team_index *run, void *state)
{
    if (s->threads == 1)
        run(state, 0, 0);
    else
        parscan_team_for(s->context, s->threads, ranges_for(s->threads), 1, run, state);
}

/* Elements that are compared with one rank. */
typedef struct filtered_piece {
    size_t begin, end;
    bool none; /* none passes */
    uint64_t rank;
} filtered_piece;

/* The piece from `begin` on. Of elements of the limit's rank those up to its index pass. */
static inline filtered_piece piece_from(const top_limit *limit, size_t begin, size_t end,
                                        size_t most)
{
    filtered_piece piece = {.begin = begin, .end = end - begin < most ? end : begin + most};
    if (begin > limit->index) {
        piece.none = limit->rank == 0;
        piece.rank = limit->rank - 1;
    } else {
        piece.rank = limit->rank;
        if (piece.end > limit->index)
            piece.end = limit->index + 1;
    }
    return piece;
}

static inline size_t filter_piece(const top_search *s, filtered_piece piece, top_entry *to)
{
    return piece.none
               ? 0
               : s->kernels->filter(&s->order, s->in, piece.begin, piece.end, piece.rank, to);
}

#endif
