#include "apps/cli/merge_round.h"

#include <string.h>

#include "apps/cli/command.h"
#include "parscan/merge.h"

void merge_round_clear(merge_round *round)
{
    line_store_clear(&round->lines);
    round->elements.n = round->runs.n = round->keys[0].n = round->places[0].n = 0;
    round->now = 0;
}

void merge_round_release(merge_round *round)
{
    array_release(&round->elements);
    line_store_release(&round->lines);
    array_release(&round->runs);
    for (int i = 0; i < 2; i++) {
        array_release(&round->keys[i]);
        array_release(&round->places[i]);
    }
}

/* Copies the lines, which lie one after the other in their text. */
static bool add_lines(line_store *to, const line_store *from, size_t first, size_t n)
{
    const char *const begin = line_store_part(from, first).begin;
    const char *const end = line_store_part(from, first + n - 1).end;
    const uint64_t before = to->text.n,
                   gap = (uint64_t)(begin - (const char *)from->text.data) - before;
    const size_t held = to->places[0].n;
    if (!line_store_add_text(to, begin, (size_t)(end - begin)) ||
        !array_reserve(&to->places[0], held + n))
        return false;
    uint64_t *const places = (uint64_t *)to->places[0].data + held;
    const uint64_t *const were = (const uint64_t *)from->places[0].data + first;
    for (size_t i = 0; i < n; i++)
        places[i] = were[i] - line_place(gap, 0);
    to->places[0].n = held + n;
    return true;
}

bool merge_round_add(merge_round *round, const array *elements, const line_store *lines,
                     const uint64_t *keys, size_t first, size_t n)
{
    const size_t held = round->elements.n, size = parscan_type_size(elements->type);
    array *const to_keys = &round->keys[0], *const to_places = &round->places[0];
    if (n == 0)
        return true;
    round->elements.type = elements->type;
    if (!array_reserve(&round->elements, held + n) || !array_reserve(to_keys, held + n) ||
        !array_reserve(to_places, held + n) || !array_reserve(&round->runs, round->runs.n + 1) ||
        (lines != NULL && !add_lines(&round->lines, lines, first, n)))
        return false;
    memcpy(array_end(&round->elements), (const char *)elements->data + first * size, n * size);
    memcpy(array_end(to_keys), keys + first, n * sizeof *keys);
    for (size_t i = held; i < held + n; i++)
        ((uint64_t *)to_places->data)[i] = i;
    round->elements.n = to_keys->n = to_places->n = held + n;
    ((uint64_t *)round->runs.data)[round->runs.n++] = held + n;
    return true;
}

/* Merges the runs in pairs; the last one may have no partner. */
static parscan_status merge_pairs(merge_round *round, parscan_context *context)
{
    uint64_t *const ends = round->runs.data;
    const uint64_t *const keys = round->keys[round->now].data, *const places =
                                                                   round->places[round->now].data;
    uint64_t *const to_keys = round->keys[!round->now].data, *const to_places =
                                                                 round->places[!round->now].data;
    size_t begin = 0, made = 0;
    parscan_status called = PARSCAN_OK;
    for (size_t i = 0; i < round->runs.n && called == PARSCAN_OK; i += 2) {
        const size_t middle = (size_t)ends[i];
        const size_t end = i + 1 < round->runs.n ? (size_t)ends[i + 1] : middle;
        called = parscan_merge(context, PARSCAN_U64, keys + begin, middle - begin, keys + middle,
                               end - middle, to_keys + begin, sizeof(uint64_t), places + begin,
                               places + middle, to_places + begin);
        begin = end;
        ends[made++] = end;
    }
    round->runs.n = made;
    round->now = !round->now;
    return called;
}

bool merge_round_order(merge_round *round, session *job, failure *why)
{
    const size_t n = round->elements.n;
    if (!array_reserve(&round->keys[1], n) || !array_reserve(&round->places[1], n))
        return session_out_of_memory(job, why);
    parscan_status called = PARSCAN_OK;
    while (round->runs.n > 1 && called == PARSCAN_OK)
        called = merge_pairs(round, job->context);
    round->keys[round->now].n = round->places[round->now].n = n;
    return session_check_result(job, called, why) == STATUS_DONE;
}
