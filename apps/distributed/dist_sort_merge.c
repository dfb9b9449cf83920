/*
 * The sort over few ranks, where local sorts are fast and messages cost more than a merge: every rank sorts its
 * elements, the ranks find where they are cut (dist_sort_select.c), and each merges what it gets. It gets its
 * part of the result in pieces: while one is merged, the next ones travel. No kernel waits for another rank, so
 * nothing has to be resident beside a transport's kernels; and equal or skewed keys cost nothing.
 */
#include "apps/distributed/dist_sort.h"
#include "parscan/memory.h"
#include "parscan/merge.h"

enum { MOST_PIECES = 8 };

typedef struct merging {
    dist_sort *s;
    size_t pieces;               /* of a rank */
    const uint64_t *cuts;        /* of every rank, before each piece of all ranks */
    elements received[2];        /* of a piece, and of the next one */
    elements between[2];         /* where runs are merged to that are merged again */
    exchange keys[2], values[2]; /* under way: of a piece, and of the next one */
    parscan_status late;         /* of this rank, which takes part in exchanges nevertheless */
} merging;

/* Where piece number `piece` of all begins among the sorted elements of rank r. */
static uint64_t cut_at(const merging *m, size_t piece, unsigned r)
{
    const unsigned size = m->s->comm->size;
    if (piece == 0)
        return 0;
    return piece < m->pieces * size ? m->cuts[(piece - 1) * size + r] : m->s->heads[r].n_in;
}

static uint64_t length_of(const merging *m, size_t piece, unsigned r)
{
    return cut_at(m, piece + 1, r) - cut_at(m, piece, r);
}

/* What comes to this rank in a piece of it, without its own. */
static uint64_t received_of(const merging *m, size_t piece)
{
    uint64_t n = 0;
    for (unsigned r = 0; r < m->s->comm->size; r++)
        n += r == m->s->comm->rank ? 0 : length_of(m, piece, r);
    return n;
}

static parscan_status sort_locally(dist_sort *s, parscan_type key_type)
{
    const sort_call *const call = &s->parts.call;
    if (call->value_size > 0)
        return parscan_sort_pairs(call->context, key_type, call->in.keys, s->split.keys,
                                  call->value_size, call->in.values, s->split.values, s->parts.n_in,
                                  NULL);
    return parscan_sort_keys(call->context, key_type, call->in.keys, s->split.keys, s->parts.n_in,
                             NULL);
}

/* Results before piece p of a rank, of n. Pieces travel one right after another, and the last one is merged when
   nothing travels any more: the last ones are smaller, each by less than a merge is quicker than its way. */
static uint64_t piece_begin(uint64_t n, size_t p, size_t pieces)
{
    static const unsigned weights[MOST_PIECES] = {8, 8, 8, 8, 8, 6, 5, 4};
    const unsigned *const own = weights + MOST_PIECES - pieces;
    uint64_t before = 0, all = 0;
    for (size_t k = 0; k < pieces; k++) {
        before += k < p ? own[k] : 0;
        all += own[k];
    }
    return n / all * before + n % all * before / all;
}

/* The results that lie before each piece of all but the first. */
static uint64_t *targets_of(const merging *m, parscan_status *status)
{
    dist_sort *const s = m->s;
    uint64_t *const targets =
        parscan_dist_sort_memory(s, m->pieces * s->comm->size, sizeof *targets, status);
    if (targets == NULL)
        return NULL;
    for (size_t k = 1; k < m->pieces * s->comm->size; k++) {
        const uint64_t begin = s->border[k / m->pieces], n = s->border[k / m->pieces + 1] - begin;
        targets[k - 1] = begin + piece_begin(n, k % m->pieces, m->pieces);
    }
    return targets;
}

static parscan_status take_merge_memory(merging *m)
{
    dist_sort *const s = m->s;
    const size_t own = m->pieces * s->comm->rank;
    uint64_t received[2] = {0, 0}, most = 0;
    for (size_t p = 0; p < m->pieces; p++) {
        const uint64_t n = received_of(m, own + p);
        const uint64_t all = n + length_of(m, own + p, s->comm->rank);
        received[p % 2] = n > received[p % 2] ? n : received[p % 2];
        most = all > most ? all : most;
    }
    parscan_status status = parscan_dist_sort_elements(s, DIST_SORT_RECEIVED,
                                                       received[0] + received[1], &m->received[0]);
    m->received[1] = elements_from(&s->parts.call, m->received[0], received[0]);
    if (s->comm->size > 2 && status == PARSCAN_OK)
        status = parscan_dist_sort_elements(s, DIST_SORT_ASIDE, 2 * most, &m->between[0]);
    m->between[1] = elements_from(&s->parts.call, m->between[0], most);
    return status;
}

/* Begins to send piece p of each rank to it. It comes to where piece p - 2 was, whose merge is on the context's
   stream before. */
static parscan_status begin_piece(merging *m, size_t p)
{
    dist_sort *const s = m->s;
    const sort_call *const call = &s->parts.call;
    uint64_t at = 0;
    for (unsigned r = 0; r < s->comm->size; r++) {
        const bool own = r == s->comm->rank;
        const size_t theirs = m->pieces * r + p, mine = m->pieces * s->comm->rank + p;
        s->send_begin[r] = cut_at(m, theirs, s->comm->rank);
        s->send_counts[r] = own ? 0 : length_of(m, theirs, s->comm->rank);
        s->receive_begin[r] = at;
        s->receive_counts[r] = own ? 0 : length_of(m, mine, r);
        at += s->receive_counts[r];
    }
    const elements to = m->received[p % 2];
    parscan_status status = parscan_exchange_begin(s->comm, &m->keys[p % 2], call->key_size,
                                                   s->split.keys, s->send_begin, s->send_counts,
                                                   to.keys, s->receive_begin, s->receive_counts);
    if (status == PARSCAN_OK && call->value_size > 0)
        status = parscan_exchange_begin(s->comm, &m->values[p % 2], call->value_size,
                                        s->split.values, s->send_begin, s->send_counts, to.values,
                                        s->receive_begin, s->receive_counts);
    return status;
}

static parscan_status end_piece(merging *m, size_t p)
{
    parscan_status status = parscan_exchange_end(m->s->comm, &m->keys[p % 2]);
    if (status == PARSCAN_OK && m->s->parts.call.value_size > 0)
        status = parscan_exchange_end(m->s->comm, &m->values[p % 2]);
    return status;
}

/* Sorted elements. */
typedef struct run {
    elements at;
    uint64_t n;
} run;

static parscan_status merge_two(const merging *m, parscan_type key_type, run a, run b, elements to)
{
    const sort_call *const call = &m->s->parts.call;
    return parscan_merge(call->context, key_type, a.at.keys, a.n, b.at.keys, b.n, to.keys,
                         call->value_size, a.at.values, b.at.values, to.values);
}

static parscan_status copy_run(const merging *m, run from, elements to)
{
    const sort_call *const call = &m->s->parts.call;
    const parscan_status status =
        parscan_copy(call->context, to.keys, from.at.keys, from.n * call->key_size);
    return status != PARSCAN_OK || call->value_size == 0
               ? status
               : parscan_copy(call->context, to.values, from.at.values, from.n * call->value_size);
}

/* Merges neighbours, level by level, so that of equal keys those of lower ranks come first; the last level to
   its place. */
static parscan_status merge_runs(const merging *m, parscan_type key_type, run *runs, size_t count,
                                 elements to)
{
    parscan_status status = PARSCAN_OK;
    for (unsigned level = 0; count > 2; level ^= 1) {
        uint64_t at = 0;
        for (size_t k = 0; k < count && status == PARSCAN_OK; k += 2) {
            const run second = k + 1 < count ? runs[k + 1] : (run){.n = 0};
            const run merged = {elements_from(&m->s->parts.call, m->between[level], at),
                                runs[k].n + second.n};
            status = merge_two(m, key_type, runs[k], second, merged.at);
            at += merged.n;
            runs[k / 2] = merged;
        }
        count = (count + 1) / 2;
    }
    if (status != PARSCAN_OK || count == 0)
        return status;
    return count == 1 ? copy_run(m, runs[0], to) : merge_two(m, key_type, runs[0], runs[1], to);
}

static parscan_status merge_piece(const merging *m, parscan_type key_type, size_t p, run *runs)
{
    dist_sort *const s = m->s;
    const sort_call *const call = &s->parts.call;
    const size_t piece = m->pieces * s->comm->rank + p;
    uint64_t at = 0, before = 0;
    size_t count = 0;
    for (unsigned r = 0; r < s->comm->size; r++) {
        const uint64_t n = length_of(m, piece, r);
        const elements from = r == s->comm->rank
                                  ? elements_from(call, s->split, cut_at(m, piece, r))
                                  : elements_from(call, m->received[p % 2], at);
        at += r == s->comm->rank ? 0 : n;
        before += cut_at(m, piece, r);
        if (n > 0)
            runs[count++] = (run){from, n};
    }
    return merge_runs(m, key_type, runs, count,
                      elements_from(call, call->out, before - s->border[s->comm->rank]));
}

static size_t pieces_of(const dist_sort *s)
{
    const uint64_t pieces = s->total / s->comm->size / s->piece;
    return pieces < 1 ? 1 : pieces < MOST_PIECES ? (size_t)pieces : MOST_PIECES;
}

parscan_status parscan_dist_sort_merged(dist_sort *s, parscan_type key_type)
{
    merging m = {.s = s, .pieces = pieces_of(s)};
    uint64_t *cuts = NULL;
    parscan_status status = sort_locally(s, key_type);
    const uint64_t *const targets = targets_of(&m, &status);
    run *const runs = parscan_dist_sort_memory(s, s->comm->size, sizeof *runs, &status);
    status = parscan_dist_sort_select(s, status, targets, m.pieces * s->comm->size - 1, &cuts);
    m.cuts = cuts;
    if (status == PARSCAN_OK)
        status = parscan_agree(s->comm, take_merge_memory(&m));
    for (size_t p = 0; p < 2 && p < m.pieces && status == PARSCAN_OK; p++)
        status = begin_piece(&m, p);
    for (size_t p = 0; p < m.pieces && status == PARSCAN_OK; p++) {
        status = end_piece(&m, p);
        if (status == PARSCAN_OK && m.late == PARSCAN_OK)
            m.late = merge_piece(&m, key_type, p, runs);
        if (status == PARSCAN_OK && p + 2 < m.pieces)
            status = begin_piece(&m, p + 2);
    }
    if (status != PARSCAN_OK)
        return status;
    if (m.late == PARSCAN_OK)
        m.late = parscan_dist_sort_bring_back(s);
    return parscan_comm_finish(s->comm, m.late);
}
