/*
 * The sort over ranks whose keys are in the order of ranks already: each sorts its elements, and nothing
 * travels. A sample tells whether that is likely; the ends of the sorted elements, whether it is so. If not,
 * the sort goes on with what is sorted by rank: equal keys have kept their order.
 */
#include <string.h>

#include "apps/distributed/dist_sort.h"
#include "parscan/sort.h"

enum { SAMPLES = 1024 };

/* Of a rank's keys, as numbers that compare as they do; and how many values they have. */
typedef struct key_range {
    uint64_t least, most, values;
} key_range;

typedef struct looking {
    dist_sort *s;
    char *keys;         /* SAMPLES */
    key_range *range;   /* of each rank */
    dist_values values; /* that were seen, DIST_SORT_FEW at most */
} looking;

static parscan_status find_range(looking *t, const char *keys, const sort_window *window,
                                 key_range *range)
{
    dist_sort *const s = t->s;
    *range = (key_range){UINT64_MAX, 0, 0};
    const parscan_status status = s->engine->show(&s->parts, keys, window, 1, t->keys);
    for (size_t i = 0; i < window->count && status == PARSCAN_OK; i++) {
        const uint64_t key =
            parscan_sort_rank(&s->parts.call, t->keys + i * s->parts.call.key_size);
        range->least = key < range->least ? key : range->least;
        range->most = key > range->most ? key : range->most;
        parscan_dist_note_value(&s->parts.call, &t->values, DIST_SORT_FEW,
                                t->keys + i * s->parts.call.key_size);
    }
    range->values = t->values.count;
    return status;
}

/* Whether the ranks' keys of their windows are in the order of ranks. status: of this rank so far. */
static parscan_status look(looking *t, parscan_status status, const char *keys, sort_window window,
                           bool *apart)
{
    const parscan_comm *const comm = t->s->comm;
    key_range own = {0};
    uint64_t most = 0;
    if (status == PARSCAN_OK)
        status = find_range(t, keys, &window, &own);
    status = parscan_comm_gather(t->s->comm, status, &own, sizeof own, t->range);
    *apart = status == PARSCAN_OK;
    for (unsigned r = 0; r < comm->size && *apart; r++) {
        if (t->s->heads[r].n_in == 0)
            continue;
        *apart = most <= t->range[r].least;
        most = t->range[r].most;
    }
    return status;
}

/* What the samples of all ranks tell of their values. Values that travel with keys have to. */
static void keep_values(const looking *t)
{
    dist_sort *const s = t->s;
    s->few->count = t->values.count;
    memcpy(s->few->keys, t->values.keys, sizeof s->few->keys);
    s->has_few = s->parts.call.value_size == 0;
    for (unsigned r = 0; r < s->comm->size && s->has_few; r++)
        s->has_few = t->range[r].values <= DIST_SORT_FEW;
}

static parscan_status sort_own(const sort_parts *parts, parscan_type key_type,
                               const parscan_sort_options *options)
{
    const sort_call *const call = &parts->call;
    if (call->value_size > 0)
        return parscan_sort_pairs(call->context, key_type, call->in.keys, call->out.keys,
                                  call->value_size, call->in.values, call->out.values, parts->n_in,
                                  options);
    return parscan_sort_keys(call->context, key_type, call->in.keys, call->out.keys, parts->n_in,
                             options);
}

/* Every rank keeps as many elements, none has a scratch_limit, which a whole sort may exceed, and a look at a sample
   is short beside the sort. */
static bool may_be_apart(const dist_sort *s)
{
    bool all = true;
    for (unsigned r = 0; r < s->comm->size; r++)
        all = all && s->heads[r].n_in == s->heads[r].n_out && s->heads[r].room == UINT64_MAX;
    return all && s->total / s->comm->size >= 2 * s->piece;
}

parscan_status parscan_dist_sort_apart(dist_sort *s, parscan_type key_type,
                                       const parscan_sort_options *options, bool *apart)
{
    sort_parts *const parts = &s->parts;
    const size_t n = parts->n_in, step = n / SAMPLES + 1;
    const sort_window sample = {0, step, (n + step - 1) / step},
                      ends = {0, n > 1 ? n - 1 : 1, n < 2 ? n : 2};
    parscan_status status = PARSCAN_OK;
    looking t = {.s = s};
    *apart = false;
    if (!may_be_apart(s))
        return PARSCAN_OK;
    t.keys = parscan_dist_sort_memory(s, SAMPLES, parts->call.key_size, &status);
    t.range = parscan_dist_sort_memory(s, s->comm->size, sizeof *t.range, &status);
    s->few = parscan_dist_sort_memory(s, 1, sizeof *s->few, &status);
    t.values.ranks =
        parscan_dist_sort_memory(s, 2 * DIST_SORT_FEW, sizeof *t.values.ranks, &status);
    if (status == PARSCAN_OK)
        t.values.keys = t.values.ranks + DIST_SORT_FEW;
    status = look(&t, status, parts->call.in.keys, sample, apart);
    if (status == PARSCAN_OK)
        keep_values(&t);
    if (status != PARSCAN_OK || !*apart)
        return status;
    status = sort_own(parts, key_type, options);
    status = look(&t, status, parts->call.out.keys, ends, apart);
    if (status != PARSCAN_OK)
        return status;
    if (*apart)
        return parscan_comm_finish(s->comm, parscan_dist_sort_bring_back(s));
    parts->call.in = parts->call.out;
    return PARSCAN_OK;
}
