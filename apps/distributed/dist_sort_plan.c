#include "apps/distributed/dist_sort.h"

enum { CUTS_AT_ONCE = 512 /* counts in one gather of at most 4096 bytes */ };

/* Cuts the buckets into slices, or only counts these if slices is NULL. A slice ends with its bucket or
   at a border; one of equal keys also where a round is full. */
static size_t cut_buckets(dist_sort *s, dist_slice *slices)
{
    size_t count = 0;
    unsigned rank = 0;
    uint64_t at = 0;
    for (size_t k = 0; k < s->bucket_count; k++) {
        dist_bucket *const b = &s->buckets[k];
        for (uint64_t left = b->total; left > 0;) {
            while (s->border[rank + 1] <= at)
                rank++;
            uint64_t n = dist_sort_least(left, s->border[rank + 1] - at);
            if (b->equal)
                n = dist_sort_least(n, s->round);
            b->cut |= n < b->total;
            if (slices != NULL)
                slices[count] = (dist_slice){.bucket = k,
                                             .first = b->first,
                                             .total = n,
                                             .rank = rank,
                                             .high = b->high,
                                             .equal = b->equal};
            count++;
            left -= n;
            at += n;
        }
    }
    return count;
}

/* Takes the memory of the plan, and makes the slices. */
static parscan_status make_slices(dist_sort *s)
{
    parscan_status status = PARSCAN_OK;
    s->slice_count = cut_buckets(s, NULL);
    s->slices = parscan_dist_sort_memory(s, s->slice_count, sizeof *s->slices, &status);
    s->counts =
        parscan_dist_sort_memory(s, s->slice_count + s->comm->size, sizeof *s->counts, &status);
    if (status != PARSCAN_OK)
        return status;
    cut_buckets(s, s->slices);
    for (size_t k = 0; k < s->slice_count; k++) {
        s->own_slice += s->slices[k].rank < s->comm->rank;
        s->own_slices += s->slices[k].rank == s->comm->rank;
    }
    s->ends =
        parscan_dist_sort_memory(s, s->comm->size * (s->own_slices + 1), sizeof *s->ends, &status);
    s->rounds = parscan_dist_sort_memory(s, s->own_slices, sizeof *s->rounds, &status);
    return status;
}

/* Finds how many elements the ranks before this one have of the buckets that are cut. */
static parscan_status find_before(dist_sort *s)
{
    uint64_t mine[CUTS_AT_ONCE];
    size_t cut[CUTS_AT_ONCE], count = 0;
    for (size_t k = 0; k < s->bucket_count; k++) {
        if (s->buckets[k].cut) {
            mine[count] = s->buckets[k].n;
            cut[count++] = k;
        }
        if (count == 0 || (count < CUTS_AT_ONCE && k + 1 < s->bucket_count))
            continue;
        const parscan_status status =
            parscan_comm_gather(s->comm, PARSCAN_OK, mine, count * sizeof *mine, s->gathered);
        if (status != PARSCAN_OK)
            return status;
        const uint64_t *const all = (const uint64_t *)s->gathered;
        for (size_t i = 0; i < count; i++)
            for (unsigned r = 0; r < s->comm->rank; r++)
                s->buckets[cut[i]].before += all[r * count + i];
        count = 0;
    }
    return PARSCAN_OK;
}

/* Sets how many elements of each slice this rank has. Equal keys are in the order of ranks. */
static void count_own(dist_sort *s)
{
    uint64_t begin = 0, at = 0; /* in this rank's elements; in the bucket */
    for (size_t k = 0; k < s->slice_count; k++) {
        dist_slice *const slice = &s->slices[k];
        const dist_bucket *const b = &s->buckets[slice->bucket];
        if (k > 0 && slice->bucket != slice[-1].bucket)
            at = 0;
        slice->n = b->n;
        if (b->cut) {
            const uint64_t low = b->before > at ? b->before : at;
            const uint64_t high = dist_sort_least(b->before + b->n, at + slice->total);
            slice->n = high > low ? high - low : 0;
        }
        slice->begin = begin;
        begin += slice->n;
        at += slice->total;
    }
}

/* Makes rounds so short that two of them, and the largest bucket that is joined, fit what each rank may
   keep: rounds of more threads than one must not fail where those of one do not. */
static void fit_rounds(dist_sort *s)
{
    uint64_t aside = 0;
    for (size_t k = 0; k < s->slice_count; k++) {
        const dist_slice *const slice = &s->slices[k];
        const uint64_t room = s->heads[slice->rank].room;
        if (k == 0 || slice[-1].rank != slice->rank)
            aside = 0;
        if (slice->total > s->limit && !slice->equal && slice->total > aside)
            aside = slice->total;
        s->round = dist_sort_least(s->round, room > aside ? (room - aside) / 2 : 0);
    }
    s->round = s->round > s->least_round ? s->round : s->least_round;
}

/* Puts the slices of each rank into rounds, as many as a round has room for; a large one, for itself. The
   first round is a quarter as large, the second one half: nothing is sorted while the first one
   travels, and each takes less time to travel than to sort. */
static void make_rounds(dist_sort *s)
{
    uint64_t in_round = 0, begin = 0;
    for (size_t k = 0; k < s->slice_count; k++) {
        dist_slice *const slice = &s->slices[k];
        const dist_slice *const last = k > 0 && slice[-1].rank == slice->rank ? slice - 1 : NULL;
        const bool alone = slice->total > s->limit || (last != NULL && last->total > s->limit);
        const uint64_t before = last != NULL ? last->round : 0;
        const uint64_t room = s->round >> (before < 2 ? 2 - before : 0);
        const bool opens = last == NULL || alone || in_round + slice->total > room;
        slice->round = last == NULL ? 0 : last->round + opens;
        in_round = opens ? slice->total : in_round + slice->total;
        if (slice->round >= s->round_count)
            s->round_count = slice->round + 1;
        if (slice->rank != s->comm->rank)
            continue;
        if (opens)
            s->rounds[s->own_rounds++] = (dist_round){.slice = k - s->own_slice, .begin = begin};
        dist_round *const round = &s->rounds[s->own_rounds - 1];
        round->slices++;
        round->n += slice->total;
        begin += slice->total;
        round->kind = slice->total <= s->limit ? ROUND_GATHERED
                      : slice->equal           ? ROUND_EQUAL
                                               : ROUND_JOINED;
    }
}

/* Tells every rank where its slices start here, past a multiple of DIST_SORT_STEP, and how much of
   each this rank has; and learns it of its own slices. */
static parscan_status exchange_counts(dist_sort *s)
{
    const unsigned size = s->comm->size;
    const size_t stride = s->own_slices + 1;
    size_t k = 0, words = 0;
    for (unsigned r = 0; r < size; r++) {
        s->send_begin[r] = words;
        s->counts[words++] = k < s->slice_count ? s->slices[k].begin % DIST_SORT_STEP : 0;
        for (; k < s->slice_count && s->slices[k].rank == r; k++)
            s->counts[words++] = s->slices[k].n;
        s->send_counts[r] = words - s->send_begin[r];
        s->receive_begin[r] = r * stride;
        s->receive_counts[r] = stride;
    }
    exchange counts = {0};
    parscan_status status =
        parscan_exchange_begin(s->comm, &counts, sizeof *s->counts, s->counts, s->send_begin,
                               s->send_counts, s->ends, s->receive_begin, s->receive_counts);
    if (status == PARSCAN_OK)
        status = parscan_exchange_end(s->comm, &counts);
    for (unsigned r = 0; status == PARSCAN_OK && r < size; r++) {
        uint64_t *const ends = s->ends + r * stride;
        for (size_t i = 1; i < stride; i++)
            ends[i] += ends[i - 1];
    }
    return status;
}

parscan_status parscan_dist_sort_plan(dist_sort *s)
{
    parscan_status status = parscan_agree(s->comm, make_slices(s));
    if (status == PARSCAN_OK)
        status = find_before(s);
    if (status != PARSCAN_OK)
        return status;
    count_own(s);
    fit_rounds(s);
    make_rounds(s);
    return exchange_counts(s);
}
