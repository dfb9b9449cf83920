/*
 * The sort over few ranks, where local sorts are fast and messages cost more than a merge: every rank sorts its
 * elements, the ranks find where they are cut (dist_sort_select.c), and each merges what it gets. It gets its
 * part of the result in pieces: while one is merged, the next ones travel. Where kernels can read the other ranks' memory
 * one finds all cuts, and a single piece is merged where it lies. No kernel waits for another rank, so
 * nothing has to be resident beside a transport's kernels; and equal or skewed keys cost nothing.
 */
#include <string.h>

#include "apps/distributed/dist_sort.h"
#include "apps/join/join_call.h"

enum { MOST_PIECES = 8 };
_Static_assert((int)DIST_SORT_MERGED <= (int)SORT_CUT_RANKS &&
                   MOST_PIECES * (int)DIST_SORT_MERGED - 1 <= (int)SORT_CUTS,
               "a kernel finds all cuts");

typedef struct merging {
    dist_sort *s;
    size_t pieces;               /* of a rank */
    uint64_t *targets;           /* the results before each piece of all ranks but the first */
    uint64_t *cuts;              /* of every rank, before each of them */
    elements received[2];        /* of a piece, and of the next one */
    elements between[2];         /* where runs are merged to that are merged again */
    exchange keys[2], values[2]; /* under way: of a piece, and of the next one */
    /* The sorted elements of each rank, if they are lent. */
    const void *lent_keys[DIST_SORT_MERGED], *lent_values[DIST_SORT_MERGED];
    struct run *runs;    /* of a piece */
    parscan_status late; /* of this rank, which takes part in exchanges nevertheless */
} merging;

/* Sorted elements. */
typedef struct run {
    elements at;
    uint64_t n;
} run;

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

static size_t target_count(const merging *m)
{
    return m->pieces * m->s->comm->size - 1;
}

static void set_targets(const merging *m)
{
    const dist_sort *const s = m->s;
    for (size_t k = 1; k <= target_count(m); k++) {
        const uint64_t begin = s->border[k / m->pieces], n = s->border[k / m->pieces + 1] - begin;
        m->targets[k - 1] = begin + piece_begin(n, k % m->pieces, m->pieces);
    }
}

static bool is_lent(const merging *m)
{
    return m->lent_keys[0] != NULL;
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
    parscan_status status = PARSCAN_OK;
    if (!is_lent(m))
        status = parscan_dist_sort_elements(s, DIST_SORT_RECEIVED, received[0] + received[1],
                                            &m->received[0]);
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

static parscan_status merge_two(const merging *m, parscan_type key_type, run a, run b, elements to)
{
    const sort_call *const call = &m->s->parts.call;
    const merge_arrays merged = {.context = call->context,
                                 .type = key_type,
                                 .key_size = call->key_size,
                                 .value_size = call->value_size,
                                 .a = {a.at.keys, a.at.values, a.n, NULL},
                                 .b = {b.at.keys, b.at.values, b.n, NULL},
                                 .lent = is_lent(m),
                                 .keys_out = to.keys,
                                 .values_out = to.values};
    return parscan_merge_arrays(&merged);
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
    return merge_two(m, key_type, runs[0], count > 1 ? runs[1] : (run){.n = 0}, to);
}

/* What rank r has of a piece of this rank; `at` of what has come is before it. */
static elements part_of(const merging *m, size_t piece, unsigned r, uint64_t at)
{
    const sort_call *const call = &m->s->parts.call;
    const elements lent = {(char *)(uintptr_t)m->lent_keys[r],
                           (char *)(uintptr_t)m->lent_values[r]};
    if (r == m->s->comm->rank)
        return elements_from(call, m->s->split, cut_at(m, piece, r));
    return is_lent(m) ? elements_from(call, lent, cut_at(m, piece, r))
                      : elements_from(call, m->received[piece % m->pieces % 2], at);
}

static parscan_status merge_piece(const merging *m, parscan_type key_type, size_t p)
{
    dist_sort *const s = m->s;
    const size_t piece = m->pieces * s->comm->rank + p;
    uint64_t at = 0, before = 0;
    size_t count = 0;
    for (unsigned r = 0; r < s->comm->size; r++) {
        const uint64_t n = length_of(m, piece, r);
        if (n > 0)
            m->runs[count++] = (run){part_of(m, piece, r, at), n};
        at += r == s->comm->rank ? 0 : n;
        before += cut_at(m, piece, r);
    }
    return merge_runs(
        m, key_type, m->runs, count,
        elements_from(&s->parts.call, s->parts.call.out, before - s->border[s->comm->rank]));
}

static size_t pieces_of(const dist_sort *s)
{
    const uint64_t pieces = s->total / s->comm->size / s->piece;
    return pieces < 1 ? 1 : pieces < MOST_PIECES ? (size_t)pieces : MOST_PIECES;
}

/* ---- what is lent ---- */

/* The ranks lend each other their sorted elements, if they can; keys alone if the elements travel. */
static parscan_status lend_all(merging *m)
{
    dist_sort *const s = m->s;
    parscan_status status = parscan_lend(s->comm, &m->keys[0], s->split.keys, m->lent_keys);
    if (status != PARSCAN_OK || !is_lent(m) || m->pieces > 1 || s->parts.call.value_size == 0)
        return status;
    status = parscan_lend(s->comm, &m->values[0], s->split.values, m->lent_values);
    if (status != PARSCAN_OK || m->lent_values[0] != NULL)
        return status;
    m->lent_keys[0] = NULL;
    return parscan_exchange_end(s->comm, &m->keys[0]);
}

static parscan_status give_back(merging *m)
{
    parscan_status status = parscan_exchange_end(m->s->comm, &m->keys[0]);
    if (status == PARSCAN_OK && m->lent_values[0] != NULL)
        status = parscan_exchange_end(m->s->comm, &m->values[0]);
    m->lent_keys[0] = NULL;
    return status;
}

static parscan_status cut_what_is_lent(const merging *m)
{
    dist_sort *const s = m->s;
    sort_cuts of = {.ranks = s->comm->size, .count = (unsigned)target_count(m)};
    for (unsigned r = 0; r < s->comm->size; r++) {
        of.keys[r] = m->lent_keys[r];
        of.n[r] = s->heads[r].n_in;
    }
    memcpy(of.targets, m->targets, of.count * sizeof *m->targets);
    return s->engine->cut(&s->parts, &of, m->cuts);
}

static parscan_status merge_what_is_lent(merging *m, parscan_type key_type)
{
    parscan_status status = take_merge_memory(m);
    if (status == PARSCAN_OK)
        status = merge_piece(m, key_type, 0);
    /* Whatever has failed, nothing is read any more when it is given back. */
    const parscan_status waited = parscan_synchronize(m->s->parts.call.context);
    return status == PARSCAN_OK ? waited : status;
}

/* Finds the cuts by a kernel, if keys can be lent: *found. A single piece, beside which nothing would travel, is merged
   where it lies: *done. Kernels read through NVLink at 0.6 of the speed of copies (bench/notes/several-gpus.md). */
static parscan_status use_what_is_lent(merging *m, parscan_status status, parscan_type key_type,
                                       bool *found, bool *done)
{
    if (m->s->engine->cut == NULL)
        return status;
    status = parscan_agree(m->s->comm, status);
    if (status == PARSCAN_OK)
        status = lend_all(m);
    *found = status == PARSCAN_OK && is_lent(m);
    if (!*found)
        return status;
    m->late = cut_what_is_lent(m);
    *done = m->pieces == 1;
    if (*done && m->late == PARSCAN_OK)
        m->late = merge_what_is_lent(m, key_type);
    return give_back(m);
}

/* ---- what travels ---- */

static parscan_status merge_what_travels(merging *m, parscan_type key_type)
{
    dist_sort *const s = m->s;
    if (m->late == PARSCAN_OK)
        m->late = take_merge_memory(m);
    parscan_status status = parscan_agree(s->comm, m->late);
    for (size_t p = 0; p < 2 && p < m->pieces && status == PARSCAN_OK; p++)
        status = begin_piece(m, p);
    for (size_t p = 0; p < m->pieces && status == PARSCAN_OK; p++) {
        status = end_piece(m, p);
        if (status == PARSCAN_OK && m->late == PARSCAN_OK)
            m->late = merge_piece(m, key_type, p);
        if (status == PARSCAN_OK && p + 2 < m->pieces)
            status = begin_piece(m, p + 2);
    }
    return status;
}

static parscan_status take_host_memory(merging *m, parscan_status status)
{
    dist_sort *const s = m->s;
    const size_t size = s->comm->size;
    m->targets = parscan_dist_sort_memory(s, m->pieces * size, sizeof *m->targets, &status);
    m->cuts = parscan_dist_sort_memory(s, m->pieces * size * size, sizeof *m->cuts, &status);
    m->runs = parscan_dist_sort_memory(s, size, sizeof *m->runs, &status);
    if (status == PARSCAN_OK)
        set_targets(m);
    return status;
}

parscan_status parscan_dist_sort_merged(dist_sort *s, parscan_type key_type)
{
    merging m = {.s = s, .pieces = pieces_of(s)};
    bool found = false, done = false;
    parscan_status status = sort_locally(s, key_type);
    if (s->has_few)
        status = parscan_dist_sort_few(s, status, key_type, &done);
    if (done)
        return status;
    status = take_host_memory(&m, status);
    status = use_what_is_lent(&m, status, key_type, &found, &done);
    if (!found)
        status = parscan_dist_sort_select(s, status, m.targets, target_count(&m), m.cuts);
    if (status == PARSCAN_OK && !done)
        status = merge_what_travels(&m, key_type);
    if (status != PARSCAN_OK)
        return status;
    if (m.late == PARSCAN_OK)
        m.late = parscan_dist_sort_bring_back(s);
    return parscan_comm_finish(s->comm, m.late);
}
