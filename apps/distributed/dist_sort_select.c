/*
 * Where each rank's sorted elements are cut, so that what lies before a cut in all ranks together are the first
 * so many of the whole result (multiple selection). Equal keys are in the order of ranks.
 *
 * This is how ranks do it that cannot lend each other their keys (dist_sort_lent.c).
 *
 * Each rank has a window in which its cut lies. In a round every rank shows keys at even distances of its
 * windows, and all draw the same conclusions: a shown key that lies before the cut, however many of the keys
 * between those that are shown are smaller, moves the window's begin behind it; one that lies behind it
 * moves the end. In the first round all cuts have the same window, all elements.
 *
 * Source: P. J. Varman et al., Merging multiple lists on hierarchical-memory multiprocessors, J. Parallel and
 * Distributed Computing 12, 1991.
 */
#include <string.h>

#include "apps/distributed/dist_sort.h"

/* Keys of a window that are shown: in the first round; and later, of each target at least LATER_SHOWN, of all
   together some LATER_IN_ALL. A key takes every host 20 ns, a round some 40 us. */
enum { FIRST_SHOWN = 1024, LATER_SHOWN = 64, LATER_IN_ALL = 512 };

/* Of DIST_SORT_MERGED ranks, windows get 64 / 16 times as narrow in a round. What a failed rank shows is in no
   order, and then rounds end here. */
enum { MOST_ROUNDS = 32 };

typedef struct selection {
    dist_sort *s;
    const uint64_t *targets; /* ascending */
    size_t count;
    uint64_t *low, *high; /* for each target a window of every rank: the cut is in [low, high] */
    size_t sets, shown;   /* sets of keys that are shown; keys of a set, at most */
    uint64_t *own, *all;  /* the ranks of the keys that are shown: of a set `shown` */
    sort_window *windows; /* of this rank's */
    char *keys;
    /* One entry for each rank, of the set that is looked at. */
    const uint64_t **set;
    size_t *set_count, *taken;
    uint64_t *step, *begin, *end;
} selection;

static size_t set_at(const selection *t, size_t target, unsigned rank)
{
    return target * t->s->comm->size + rank;
}

static uint64_t step_of(const selection *t, size_t at)
{
    const uint64_t width = t->high[at] - t->low[at];
    return width == 0 ? 1 : (width + t->shown - 1) / t->shown;
}

static size_t shown_of(const selection *t, size_t at)
{
    const uint64_t width = t->high[at] - t->low[at], step = step_of(t, at);
    return (size_t)((width + step - 1) / step);
}

/* This rank's keys of all sets. */
static parscan_status show_keys(selection *t)
{
    dist_sort *const s = t->s;
    const size_t size = s->parts.call.key_size;
    for (size_t k = 0; k < t->sets; k++) {
        const size_t at = set_at(t, k, s->comm->rank);
        t->windows[k] = (sort_window){t->low[at], step_of(t, at), shown_of(t, at)};
    }
    const parscan_status status =
        s->engine->show(&s->parts, s->split.keys, t->windows, t->sets, t->keys);
    const char *key = t->keys;
    for (size_t k = 0; k < t->sets && status == PARSCAN_OK; k++)
        for (size_t i = 0; i < t->windows[k].count; i++, key += size)
            t->own[k * t->shown + i] = parscan_sort_rank(&s->parts.call, key);
    return status;
}

static parscan_status gather_shown(selection *t)
{
    parscan_comm *const comm = t->s->comm;
    void *request = NULL;
    parscan_status status =
        comm->functions.all_gather(comm->user, t->own, t->sets * t->shown * sizeof *t->own, t->all,
                                   PARSCAN_COMM_HOST, NULL, &request);
    if (status == PARSCAN_OK)
        status = comm->functions.wait(comm->user, request, comm->timeout);
    return parscan_comm_broke(comm, status, "an exchange");
}

/* The next of the shown keys in the order of all: of the lowest rank among equal ones. */
static unsigned next_shown(const selection *t)
{
    const unsigned size = t->s->comm->size;
    unsigned best = size;
    for (unsigned r = 0; r < size; r++)
        if (t->taken[r] < t->set_count[r] &&
            (best == size || t->set[r][t->taken[r]] < t->set[best][t->taken[best]]))
            best = r;
    return best;
}

/* Elements of a rank before its next shown key and after the last one that is taken: at least, and at most. */
static uint64_t least_of(const selection *t, unsigned r)
{
    return t->taken[r] == 0 ? t->begin[r] : t->begin[r] + (t->taken[r] - 1) * t->step[r] + 1;
}

static uint64_t most_of(const selection *t, unsigned r)
{
    const uint64_t at = t->begin[r] + t->taken[r] * t->step[r];
    return at < t->end[r] ? at : t->end[r];
}

/* The shown keys that are taken lie before the cut. */
static void move_begins(selection *t, size_t target)
{
    for (unsigned r = 0; r < t->s->comm->size; r++)
        t->low[set_at(t, target, r)] = least_of(t, r);
}

/* Those that are not lie behind it. */
static void move_ends(selection *t, size_t target)
{
    for (unsigned r = 0; r < t->s->comm->size; r++)
        t->high[set_at(t, target, r)] = most_of(t, r);
}

static void look_at(selection *t, size_t set)
{
    for (unsigned r = 0; r < t->s->comm->size; r++) {
        const size_t at = set_at(t, set, r);
        t->set[r] = t->all + (r * t->sets + set) * t->shown;
        t->set_count[r] = shown_of(t, at);
        t->taken[r] = 0;
        t->step[r] = step_of(t, at);
        t->begin[r] = t->low[at];
        t->end[r] = t->high[at];
    }
}

/* Narrows the windows of the targets `first` to `last` - 1, whose shown keys are set number `first`. Of all ranks
   together at least `least` and at most `most` elements lie before the next shown key; neither decreases from one
   to the next. */
static void narrow(selection *t, size_t first, size_t last)
{
    const unsigned size = t->s->comm->size;
    size_t begins = first, ends = first;
    uint64_t least = 0, most = 0;
    look_at(t, first);
    for (unsigned r = 0; r < size; r++) {
        least += least_of(t, r);
        most += most_of(t, r);
    }
    for (unsigned own = next_shown(t); own < size; own = next_shown(t)) {
        const uint64_t at = most_of(t, own); /* of its own rank they are known */
        least += at - least_of(t, own);
        for (; begins < last && most >= t->targets[begins]; begins++)
            move_begins(t, begins);
        for (; ends < last && least >= t->targets[ends]; ends++)
            move_ends(t, ends);
        t->taken[own]++;
        least += 1; /* the shown key itself */
        most += most_of(t, own) - at;
    }
    for (; begins < last; begins++)
        move_begins(t, begins);
}

static bool is_found(const selection *t)
{
    bool found = true;
    for (size_t k = 0; k < t->count * t->s->comm->size && found; k++)
        found = t->low[k] == t->high[k];
    return found;
}

static size_t later_shown(const selection *t)
{
    return t->count * LATER_SHOWN > LATER_IN_ALL ? LATER_SHOWN : LATER_IN_ALL / t->count;
}

static parscan_status take_memory(selection *t)
{
    parscan_status status = PARSCAN_OK;
    const size_t size = t->s->comm->size, windows = t->count * size;
    const size_t later = t->count * later_shown(t),
                 most = later > FIRST_SHOWN ? later : FIRST_SHOWN;
    t->low = parscan_dist_sort_memory(t->s, 2 * windows, sizeof *t->low, &status);
    t->own = parscan_dist_sort_memory(t->s, most, sizeof *t->own, &status);
    t->all = parscan_dist_sort_memory(t->s, size * most, sizeof *t->all, &status);
    t->windows = parscan_dist_sort_memory(t->s, t->count, sizeof *t->windows, &status);
    t->keys = parscan_dist_sort_memory(t->s, most, t->s->parts.call.key_size, &status);
    t->set = parscan_dist_sort_memory(t->s, size, sizeof *t->set, &status);
    t->set_count = parscan_dist_sort_memory(t->s, 2 * size, sizeof *t->set_count, &status);
    t->step = parscan_dist_sort_memory(t->s, 3 * size, sizeof *t->step, &status);
    if (status != PARSCAN_OK)
        return status;
    t->high = t->low + windows;
    t->taken = t->set_count + size;
    t->begin = t->step + size;
    t->end = t->begin + size;
    memset(t->own, 0, most * sizeof *t->own);
    for (size_t k = 0; k < windows; k++) {
        t->low[k] = 0;
        t->high[k] = t->s->heads[k % size].n_in;
    }
    return PARSCAN_OK;
}

/* One round. *late: a failure of this rank, which shows something nevertheless. */
static parscan_status select_round(selection *t, bool first, parscan_status *late)
{
    t->sets = first ? 1 : t->count;
    t->shown = first ? FIRST_SHOWN : later_shown(t);
    if (*late == PARSCAN_OK)
        *late = show_keys(t);
    const parscan_status status = gather_shown(t);
    for (size_t k = 0; k < t->sets && status == PARSCAN_OK; k++)
        narrow(t, k, first ? t->count : k + 1);
    return status;
}

parscan_status parscan_dist_sort_select(dist_sort *s, parscan_status status,
                                        const uint64_t *targets, size_t count, uint64_t *cuts)
{
    selection t = {.s = s, .targets = targets, .count = count};
    if (status == PARSCAN_OK)
        status = take_memory(&t);
    status = parscan_agree(s->comm, status);
    parscan_status late = PARSCAN_OK;
    for (unsigned k = 0; k < MOST_ROUNDS && status == PARSCAN_OK && !is_found(&t); k++)
        status = select_round(&t, k == 0, &late);
    if (status == PARSCAN_OK)
        memcpy(cuts, t.low, count * s->comm->size * sizeof *cuts);
    return status == PARSCAN_OK ? parscan_agree(s->comm, late) : status;
}
