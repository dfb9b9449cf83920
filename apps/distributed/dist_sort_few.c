/*
 * The sort of keys without values, of which there are few different ones. Equal keys need not travel: each rank sorts
 * its own, the ranks tell each other how many they have of each value, and each writes its part of the result. The
 * values are those of samples; where a rank has others too, which the counts tell, the sort goes on as any other.
 */
#include <string.h>

#include "apps/distributed/dist_sort.h"
#include "parscan/allocate.h"
#include "parscan/memory.h"
#include "parscan/search.h"

void parscan_dist_note_value(const sort_call *call, dist_values *values, size_t most,
                             const char *key)
{
    size_t at = values->count;
    if (at > most)
        return;
    const uint64_t rank = parscan_sort_rank(call, key);
    /* NaNs with other bits have the same rank. */
    const bool nan = key_infinity(call->key) != 0 && rank == low_bits(8 * (unsigned)call->key_size);
    while (at > 0 && values->ranks[at - 1] > rank)
        at--;
    if (at > 0 && values->ranks[at - 1] == rank && !nan)
        return;
    if (nan || values->count == most) {
        values->count = most + 1;
        return;
    }
    memmove(values->ranks + at + 1, values->ranks + at,
            (values->count - at) * sizeof *values->ranks);
    memmove(values->keys + at + 1, values->keys + at, (values->count - at) * sizeof *values->keys);
    values->ranks[at] = rank;
    values->keys[at] = 0;
    memcpy(&values->keys[at], key, call->key_size);
    values->count++;
}

typedef struct counting_few {
    dist_sort *s;
    dist_values values; /* of all ranks' samples, in their order */
    dist_few *samples;  /* of each rank */
    char *needles;      /* the values as an array of keys */
    uint64_t *below,
        *upto; /* of this rank: keys less than a value, and those that are not greater */
    uint64_t *counts, *all,
        *lengths; /* of each value: of this rank, of every one, in this rank's result */
} counting_few;

static parscan_status take_memory(counting_few *t)
{
    dist_sort *const s = t->s;
    const size_t size = s->comm->size, most = size * DIST_SORT_FEW;
    parscan_status status = PARSCAN_OK;
    t->samples = parscan_dist_sort_memory(s, size, sizeof *t->samples, &status);
    t->values.ranks = parscan_dist_sort_memory(s, 6 * most, sizeof *t->values.ranks, &status);
    t->needles = parscan_dist_sort_memory(s, most, sizeof(uint64_t), &status);
    t->all = parscan_dist_sort_memory(s, size * most, sizeof *t->all, &status);
    if (status != PARSCAN_OK)
        return status;
    t->values.keys = t->values.ranks + most;
    t->below = t->values.keys + most;
    t->upto = t->below + most;
    t->counts = t->upto + most;
    t->lengths = t->counts + most;
    return PARSCAN_OK;
}

/* The values of all samples. */
static void unite(counting_few *t)
{
    dist_sort *const s = t->s;
    const size_t size = s->parts.call.key_size;
    for (unsigned r = 0; r < s->comm->size; r++)
        for (size_t k = 0; k < t->samples[r].count; k++)
            parscan_dist_note_value(&s->parts.call, &t->values, s->comm->size * DIST_SORT_FEW,
                                    (const char *)&t->samples[r].keys[k]);
    for (size_t k = 0; k < t->values.count; k++)
        memcpy(t->needles + k * size, &t->values.keys[k], size);
}

/* How many of this rank's sorted keys have each value. */
static parscan_status count_own(counting_few *t, parscan_type key_type)
{
    dist_sort *const s = t->s;
    parscan_context *const context = s->parts.call.context;
    const size_t count = t->values.count;
    parscan_status status = parscan_lower_bound(context, key_type, s->split.keys, s->parts.n_in,
                                                t->needles, count, PARSCAN_U64, t->below);
    if (status == PARSCAN_OK)
        status = parscan_upper_bound(context, key_type, s->split.keys, s->parts.n_in, t->needles,
                                     count, PARSCAN_U64, t->upto);
    for (size_t k = 0; k < count && status == PARSCAN_OK; k++)
        t->counts[k] = t->upto[k] - t->below[k];
    return status;
}

/* Whether each rank's keys are all counted; and the lengths of the runs in this rank's part of the result. */
static bool plan_runs(counting_few *t)
{
    const dist_sort *const s = t->s;
    const size_t count = t->values.count;
    const uint64_t begin = s->border[s->comm->rank], end = s->border[s->comm->rank + 1];
    uint64_t at = 0;
    for (unsigned r = 0; r < s->comm->size; r++) {
        uint64_t counted = 0;
        for (size_t k = 0; k < count; k++)
            counted += t->all[r * count + k];
        if (counted != s->heads[r].n_in)
            return false;
    }
    for (size_t k = 0; k < count; k++) {
        const uint64_t first = at > begin ? at : begin;
        for (unsigned r = 0; r < s->comm->size; r++)
            at += t->all[r * count + k];
        const uint64_t last = at < end ? at : end;
        t->lengths[k] = first < last ? last - first : 0;
    }
    return true;
}

static parscan_status write_runs(const counting_few *t)
{
    dist_sort *const s = t->s;
    uint64_t total = 0;
    return parscan_run_length_decode(s->parts.call.context, s->parts.call.key_size, t->needles,
                                     PARSCAN_U64, t->lengths, t->values.count,
                                     s->parts.call.out.keys, s->parts.n_out, &total);
}

parscan_status parscan_dist_sort_few(dist_sort *s, parscan_status status, parscan_type key_type,
                                     bool *done)
{
    counting_few t = {.s = s};
    *done = false;
    if (status == PARSCAN_OK)
        status = take_memory(&t);
    status = parscan_comm_gather(s->comm, status, s->few, sizeof *s->few, t.samples);
    if (status != PARSCAN_OK)
        return status;
    unite(&t);
    status = count_own(&t, key_type);
    status =
        parscan_comm_gather(s->comm, status, t.counts, t.values.count * sizeof *t.counts, t.all);
    if (status != PARSCAN_OK || !plan_runs(&t))
        return status;
    *done = true;
    status = write_runs(&t);
    if (status == PARSCAN_OK)
        status = parscan_dist_sort_bring_back(s);
    return parscan_comm_finish(s->comm, status);
}
