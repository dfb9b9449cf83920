#include <string.h>

#include "apps/distributed/dist_sort.h"
#include "parscan/memory.h"

/* A round that travels: the exchanges of keys and of values. */
typedef struct traveller {
    dist_sort *s;
    exchange keys, values;
    elements to; /* where the others' elements come to, or all of a round that is not gathered */
    bool open;
    parscan_status status; /* of the exchange, which breaks the comm */
} traveller;

/* Where a round of this rank starts and ends among the elements of source r. */
typedef struct source_range {
    uint64_t begin, end;
} source_range;

static source_range source_range_of(const dist_sort *s, const dist_round *round, unsigned r)
{
    const uint64_t *const ends = s->ends + r * (s->own_slices + 1) + round->slice;
    return (source_range){ends[0], ends[round->slices]};
}

/* What travels of it in a round that is gathered. */
static source_range widened(source_range range)
{
    const uint64_t step = DIST_SORT_STEP;
    if (range.begin == range.end)
        return range;
    return (source_range){range.begin / step * step, (range.end + step - 1) / step * step};
}

/* Takes the memory that the rounds need. While they travel, none is taken: to free memory may wait for
   the exchange. */
static parscan_status take_exchange_memory(dist_sort *s)
{
    size_t received[2] = {0, 0}, aside = 0, most = 0, buckets = 0;
    for (uint64_t k = 0; k < s->own_rounds; k++) {
        dist_round *const round = &s->rounds[k];
        uint64_t comes = 0;
        for (unsigned r = 0; round->kind == ROUND_GATHERED && r < s->comm->size; r++) {
            const source_range range = widened(source_range_of(s, round, r));
            comes += r == s->comm->rank ? 0 : range.end - range.begin;
        }
        received[k % 2] = comes > received[k % 2] ? comes : received[k % 2];
        if ((round->kind == ROUND_JOINED || s->parts.joins) && round->n > aside)
            aside = round->n;
        if (round->kind != ROUND_EQUAL && round->n > most)
            most = round->n;
        buckets = round->slices > buckets ? round->slices : buckets;
    }
    parscan_status status = parscan_dist_sort_elements(s, DIST_SORT_ASIDE, aside, &s->parts.aside);
    if (status == PARSCAN_OK)
        status = parscan_dist_sort_elements(s, DIST_SORT_RECEIVED, received[0] + received[1],
                                            &s->received[0]);
    s->received[1] = elements_from(&s->parts.call, s->received[0], received[0]);
    if (status == PARSCAN_OK && s->engine->reserve != NULL)
        status = s->engine->reserve(&s->parts, most, buckets, s->comm->size);
    return status;
}

/* Sets what this rank sends in a round. Slices are in the order of ranks and rounds. */
static void set_sends(dist_sort *s, uint64_t round)
{
    for (unsigned r = 0; r < s->comm->size; r++) {
        size_t k = s->cursor[r];
        const bool gathered = k < s->slice_count && s->slices[k].total <= s->limit;
        source_range range = {0, 0};
        if (k < s->slice_count)
            range.begin = range.end = s->slices[k].begin;
        for (; k < s->slice_count && s->slices[k].rank == r && s->slices[k].round == round; k++)
            range.end += s->slices[k].n;
        s->cursor[r] = k;
        range = gathered ? widened(range) : range;
        s->send_begin[r] = range.begin;
        s->send_counts[r] = range.end - range.begin;
    }
    s->send_counts[s->comm->rank] = 0;
}

/* Sets where the elements of each source come to. Those of this rank are put there if the round is not
   gathered. */
static parscan_status set_receives(dist_sort *s, traveller *t, uint64_t number)
{
    const sort_call *const call = &s->parts.call;
    const unsigned size = s->comm->size, rank = s->comm->rank;
    memset(s->receive_counts, 0, size * sizeof *s->receive_counts);
    memset(s->receive_begin, 0, size * sizeof *s->receive_begin);
    if (number >= s->own_rounds)
        return PARSCAN_OK;
    const dist_round *const round = &s->rounds[number];
    const bool gathered = round->kind == ROUND_GATHERED;
    uint64_t at = 0, own_at = 0;
    for (unsigned r = 0; r < size; r++) {
        const source_range own = source_range_of(s, round, r),
                           range = gathered ? widened(own) : own;
        const uint64_t n = range.end - range.begin;
        if (r == rank)
            own_at = at;
        s->receive_begin[r] = at;
        s->receive_counts[r] = r == rank ? 0 : n;
        at += r == rank && gathered ? 0 : n;
    }
    t->to = gathered ? s->received[number % 2] : elements_from(call, call->out, round->begin);
    if (gathered)
        return PARSCAN_OK;
    const source_range own = source_range_of(s, round, rank);
    const uint64_t n = own.end - own.begin;
    const elements to = elements_from(call, t->to, own_at);
    const elements from =
        elements_from(call, s->split, s->slices[s->own_slice + round->slice].begin);
    parscan_status status = parscan_copy(call->context, to.keys, from.keys, n * call->key_size);
    if (status == PARSCAN_OK)
        status = parscan_copy(call->context, to.values, from.values, n * call->value_size);
    return status;
}

/* Begins a round. *late: a failure of this rank, which takes part in the exchange nevertheless. */
static void begin_round(dist_sort *s, traveller *t, uint64_t number, parscan_status *late)
{
    *t = (traveller){.s = s};
    if (number >= s->round_count)
        return;
    set_sends(s, number);
    const parscan_status status = set_receives(s, t, number);
    if (*late == PARSCAN_OK)
        *late = status;
    const sort_call *const call = &s->parts.call;
    t->open = true;
    t->status =
        parscan_exchange_begin(s->comm, &t->keys, call->key_size, s->split.keys, s->send_begin,
                               s->send_counts, t->to.keys, s->receive_begin, s->receive_counts);
    if (t->status == PARSCAN_OK && call->value_size > 0)
        t->status = parscan_exchange_begin(s->comm, &t->values, call->value_size, s->split.values,
                                           s->send_begin, s->send_counts, t->to.values,
                                           s->receive_begin, s->receive_counts);
}

static void end_round(void *state)
{
    traveller *const t = state;
    if (!t->open || t->status != PARSCAN_OK)
        return;
    t->status = parscan_exchange_end(t->s->comm, &t->keys);
    if (t->status == PARSCAN_OK && t->s->parts.call.value_size > 0)
        t->status = parscan_exchange_end(t->s->comm, &t->values);
}

/* Keys of each of these slices agree in all bits from this one on. */
static unsigned highest_bit(const dist_slice *slices, size_t count)
{
    unsigned high = 0;
    for (size_t k = 0; k < count; k++)
        high = slices[k].high > high ? slices[k].high : high;
    return high;
}

/* The multiprocessors that an exchange keeps from the sort beside it. */
static unsigned kept_multiprocessors(const parscan_comm *comm)
{
    const parscan_comm_functions *const functions = &comm->functions;
    const int kept = functions->kept_multiprocessors != NULL
                         ? functions->kept_multiprocessors(comm->user)
                         : functions->multiprocessors;
    return kept > 0 ? (unsigned)kept : 0;
}

/* Sorts a round that has come, while the next one travels. */
static parscan_status sort_round_of(dist_sort *s, const traveller *come, uint64_t number,
                                    traveller *next)
{
    const dist_round *const of = &s->rounds[number];
    const sort_call *const call = &s->parts.call;
    const dist_slice *const slices = s->slices + s->own_slice + of->slice;
    if (of->kind == ROUND_EQUAL) {
        end_round(next);
        return PARSCAN_OK;
    }
    sort_round round = {.begin = of->begin, .n = of->n, .joined = of->kind == ROUND_JOINED};
    round.high = highest_bit(slices, of->slices);
    if (next->open && s->comm->functions.device_memory)
        round.beside = kept_multiprocessors(s->comm);
    if (number + 1 < s->own_rounds)
        round.next = of[1].n;
    round.buckets = of->slices;
    round.sources = s->comm->size;
    round.stride = s->own_slices + 1;
    round.ends = s->ends + of->slice;
    round.pieces = s->pieces;
    uint64_t at = 0;
    for (unsigned r = 0; r < s->comm->size; r++) {
        const bool own = r == s->comm->rank;
        const source_range range = source_range_of(s, of, r), all = widened(range);
        s->pieces[r] = own ? elements_from(call, s->split, slices[0].begin)
                           : elements_from(call, come->to, at + range.begin - all.begin);
        at += own ? 0 : all.end - all.begin;
    }
    return s->engine->sort(&s->parts, &round, end_round, next);
}

static void find_first_slices(dist_sort *s)
{
    size_t k = 0;
    for (unsigned r = 0; r < s->comm->size; r++) {
        while (k < s->slice_count && s->slices[k].rank < r)
            k++;
        s->cursor[r] = k;
    }
}

parscan_status parscan_dist_sort_exchange(dist_sort *s)
{
    parscan_status late = PARSCAN_OK;
    const parscan_status status = parscan_agree(s->comm, take_exchange_memory(s));
    if (status != PARSCAN_OK)
        return status;
    find_first_slices(s);
    traveller rounds[2];
    begin_round(s, &rounds[0], 0, &late);
    end_round(&rounds[0]);
    for (uint64_t k = 0; k < s->round_count; k++) {
        traveller *const come = &rounds[k % 2], *const next = &rounds[(k + 1) % 2];
        if (come->status != PARSCAN_OK)
            return come->status;
        begin_round(s, next, k + 1, &late);
        if (late == PARSCAN_OK && k < s->own_rounds)
            late = sort_round_of(s, come, k, next);
        else
            end_round(next);
    }
    if (late == PARSCAN_OK)
        late = parscan_dist_sort_bring_back(s);
    return parscan_comm_finish(s->comm, late);
}
