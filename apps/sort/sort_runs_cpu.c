/*
 * Merges natural runs. A sample of short windows, a few of which end the look at random input, is followed
 * by one read of the keys, which cuts the array into pieces: long runs in order, and between them stretches that are
 * sorted for themselves. They may be an eighth of the array. Neighbouring pieces are merged two and two, so that
 * the sort is stable: by apps/merge, which copies where two runs do not overlap.
 *
 * Rounds write to two arrays in turn, the last one to the output. Only the first round reads the input, and a merge
 * of two runs stays within its arrays whatever they hold: so it does where another thread changes them.
 *
 * Source: D. E. Knuth, The Art of Computer Programming, vol. 3, 5.2.4 (natural merge sort).
 */
#include "apps/sort/sort_runs_cpu.h"

#include "apps/merge/merge_runs.h"
#include "apps/sort/sort_kernels.h"
#include "scan/context/size_math.h"

enum {
    MOST_PIECES = 16,
    LEAST_PART =
        64, /* a run of this part of the array is a piece; shorter ones are in stretches, */
    STRETCH_PART = 8, /* which may be this part of it */
    SAMPLES = 64, /* windows of SAMPLE_KEYS neighbours, of which SAMPLE_WRONG may be out of order */
    SAMPLE_KEYS = 32,
    SAMPLE_WRONG = 4,
    WALK = 1024,
    SKIP = 256
};

/* The elements begin to begin + n - 1, and where they are. */
typedef struct run_piece {
    size_t begin, n;
    bool sorted;
    merge_run run;
} run_piece;

typedef struct run_pieces {
    size_t count;
    run_piece of[MOST_PIECES];
} run_pieces;

static const char *key_at(const sort_call *call, size_t i)
{
    return call->in.keys + i * call->key_size;
}

static bool ascends(const sort_call *call, size_t begin, size_t end)
{
    return call->kernels->ascends(&call->order, key_at(call, begin), end - begin);
}

static bool looks_sorted(const sort_call *call)
{
    const size_t step = (call->n - SAMPLE_KEYS) / SAMPLES;
    unsigned wrong = 0;
    for (size_t k = 0; k < SAMPLES && wrong <= SAMPLE_WRONG; k++)
        wrong += !ascends(call, k * step, k * step + SAMPLE_KEYS);
    return wrong <= SAMPLE_WRONG;
}

/* The first i > begin whose key is below the one before it, or n. */
static size_t end_of_run(const sort_call *call, size_t begin)
{
    for (size_t i = begin + 1; i < call->n;) {
        const size_t end = size_min(i + WALK, call->n);
        if (ascends(call, i - 1, end)) {
            i = end;
            continue;
        }
        uint64_t before = call->kernels->rank(&call->order, key_at(call, i - 1));
        for (; i < end; i++) {
            const uint64_t rank = call->kernels->rank(&call->order, key_at(call, i));
            if (rank < before)
                return i;
            before = rank;
        }
    }
    return call->n;
}

static size_t end_of_stretch(const sort_call *call, size_t begin)
{
    size_t end = begin;
    while (end < call->n && !ascends(call, end, size_min(end + SKIP, call->n)))
        end = size_min(end + SKIP, call->n);
    return end;
}

/* Returns false if there are too many pieces, or too many elements in stretches. */
static bool find_pieces(const sort_call *call, run_pieces *pieces)
{
    const size_t n = call->n;
    size_t left = n / STRETCH_PART;
    pieces->count = 0;
    for (size_t begin = 0; begin < n;) {
        size_t end = end_of_run(call, begin);
        const bool sorted = end - begin >= n / LEAST_PART;
        run_piece *const before = pieces->count > 0 ? &pieces->of[pieces->count - 1] : NULL;
        if (!sorted) {
            end = end_of_stretch(call, end);
            if (end - begin > left)
                return false;
            left -= end - begin;
        }
        if (!sorted && before != NULL && !before->sorted) {
            before->n += end - begin;
        } else {
            if (pieces->count == MOST_PIECES)
                return false;
            pieces->of[pieces->count++] =
                (run_piece){.begin = begin, .n = end - begin, .sorted = sorted};
        }
        begin = end;
    }
    return true;
}

static merge_run run_in(const sort_call *call, elements e, const run_piece *piece)
{
    const elements at = elements_from(call, e, piece->begin);
    return (merge_run){.keys = at.keys, .values = at.values, .n = piece->n};
}

/* Makes a run of a piece, without a write to `to`: in the input, or in `aside` where the input is `to`, or
   the piece is not in order, or its values are indices. */
static void place_piece(const sort_call *call, elements to, elements aside, run_piece *piece)
{
    sort_call own = *call;
    const bool written =
        call->in.keys == to.keys || (call->in.values != NULL && call->in.values == to.values);
    const sort_range range = {.from = call->in, .begin = piece->begin, .n = piece->n};
    own.out = aside;
    own.scratch = to;
    piece->run = run_in(call, written || !piece->sorted ? aside : call->in, piece);
    if (!piece->sorted) {
        parscan_sort_range(&own, range, call->threads, 0);
    } else if (written) {
        parscan_sort_move(&own, range, call->threads);
    } else if (call->value_size > 0 && call->in.values == NULL) {
        piece->run.values = run_in(call, aside, piece).values;
        call->kernels->indices((char *)piece->run.values, piece->begin, piece->n);
    }
}

/* Merges a piece and the next one, if it has one, to `to`. */
static void merge_pieces(const sort_call *call, run_piece *first, const run_piece *second,
                         elements to, bool last)
{
    const merge_run runs[2] = {
        first->run,
        second != NULL ? second->run : (merge_run){first->run.keys, first->run.values, 0, false}};
    size_t taken[2];
    first->n += second != NULL ? second->n : 0;
    const merge_run merged = run_in(call, to, first);
    const bool only_values = last && call->value_size > 0 && call->in.values == NULL;
    const merge_call merge = {.context = call->context,
                              .threads = call->threads,
                              .kernels = parscan_merge_kernels(call->key),
                              .order = call->order,
                              .key_size = call->key_size,
                              .value_size = call->value_size,
                              .runs = runs,
                              .count = 2,
                              .keys_out = only_values ? NULL : (char *)merged.keys,
                              .values_out = (char *)merged.values,
                              .n = first->n,
                              .taken = taken,
                              .memory = call->workers};
    parscan_merge_runs(&merge);
    first->run = merged;
}

static void merge_round(const sort_call *call, run_pieces *pieces, elements to)
{
    const bool last = pieces->count <= 2;
    size_t count = 0;
    for (size_t k = 0; k < pieces->count; k += 2) {
        run_piece piece = pieces->of[k];
        merge_pieces(call, &piece, k + 1 < pieces->count ? &pieces->of[k + 1] : NULL, to, last);
        pieces->of[count++] = piece;
    }
    pieces->count = count;
}

bool parscan_sort_may_merge(const sort_call *call)
{
    return call->scratch.keys != NULL &&
           parscan_merge_memory(call->threads, 2) <= call->threads * call->worker_bytes;
}

bool parscan_sort_by_runs(const sort_call *call)
{
    run_pieces pieces;
    /* Keys of 1 and 2 bytes are counted faster than merged. */
    if (!parscan_sort_may_merge(call) || call->n < SAMPLES * SAMPLE_KEYS ||
        (call->key_size <= 2 && call->value_size == 0) || !looks_sorted(call) ||
        !find_pieces(call, &pieces) || pieces.count < 2)
        return false;
    bool to_out = false;
    for (size_t left = pieces.count; left > 1; left = (left + 1) / 2)
        to_out = !to_out;
    elements to = to_out ? call->out : call->scratch, aside = to_out ? call->scratch : call->out;
    for (size_t k = 0; k < pieces.count; k++)
        place_piece(call, to, aside, &pieces.of[k]);
    while (pieces.count > 1) {
        const elements next = aside;
        merge_round(call, &pieces, to);
        aside = to;
        to = next;
    }
    return true;
}
