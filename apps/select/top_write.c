/* What passes the limit of a search, listed or handed on. */
#include <string.h>

#include "apps/select/top_ranges.h"

size_t parscan_top_list(top_search *s)
{
    size_t found = 0;
    for (size_t begin = 0; begin < s->n && found < s->k;) {
        const filtered_piece piece = piece_from(&s->limit, begin, s->n, TOP_PIECE);
        const size_t more = filter_piece(s, piece, s->staging);
        const size_t fits = more < s->k - found ? more : s->k - found;
        memcpy(s->entries + found, s->staging, fits * sizeof *s->staging);
        found += fits;
        begin = piece.end;
    }
    return found;
}

typedef struct writing {
    top_search *search;
    write_entries *write;
    void *state;
} writing;

static void count_passing(void *state, size_t range, unsigned worker)
{
    const top_search *const s = ((const writing *)state)->search;
    const size_t end = range_begin(s, range + 1);
    size_t found = 0;
    (void)worker;
    for (size_t begin = range_begin(s, range); begin < end;) {
        const filtered_piece piece = piece_from(&s->limit, begin, end, s->n);
        if (!piece.none)
            found += s->kernels->count(&s->order, s->in, piece.begin, piece.end, piece.rank);
        begin = piece.end;
    }
    s->range_counts[range] = found;
}

/* The range may have changed since it was counted: no more is written. */
static void write_passing(void *state, size_t range, unsigned worker)
{
    const writing *const w = state;
    const top_search *const s = w->search;
    top_entry *const staging = s->staging + (size_t)worker * TOP_PIECE;
    const size_t end = range_begin(s, range + 1), first = s->block_list[range];
    size_t at = first;
    const size_t last =
        first + s->range_counts[range] < s->k ? first + s->range_counts[range] : s->k;
    for (size_t begin = range_begin(s, range); begin < end && at < last;) {
        const filtered_piece piece = piece_from(&s->limit, begin, end, TOP_PIECE);
        const size_t found = filter_piece(s, piece, staging);
        const size_t fits = found < last - at ? found : last - at;
        w->write(w->state, staging, fits, at);
        at += fits;
        begin = piece.end;
    }
}

void parscan_top_write(top_search *s, write_entries *write, void *state)
{
    writing w = {.search = s, .write = write, .state = state};
    each_range(s, count_passing, &w);
    size_t before = 0;
    for (size_t range = 0; range < ranges_for(s->threads); range++) {
        s->block_list[range] = before;
        before += s->range_counts[range];
    }
    each_range(s, write_passing, &w);
}
