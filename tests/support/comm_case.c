#include "tests/support/comm_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/distributed.h"
#include "parscan/memory.h"

enum { BINS = 300 };

/* A part of an array: elements [first, first + count). */
typedef struct piece {
    size_t first, count;
} piece;

typedef struct case_state {
    comm_case *test;
    parscan_context *context; /* the rank's */
    parscan_context *alone;   /* one process on the joined array */
    piece in, out;            /* out: of results whose length the caller chooses */
    uint32_t *keys;           /* few distinct ones */
    float *floats;
    void *expected;   /* room for n elements of 8 bytes, and for BINS */
    uint64_t *values; /* likewise */
} case_state;

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Uneven pieces, some of them empty. */
static piece cut(const comm_case *test, unsigned salt)
{
    const unsigned rank = parscan_comm_rank(test->comm), size = parscan_comm_size(test->comm);
    size_t sum = 0, before = 0, own = 0;
    for (unsigned r = 0; r < size; r++) {
        const size_t weight = (size_t)(mix(test->seed * 1000 + salt * 100 + r) % 4) + (r == 0);
        before += r < rank ? weight : 0;
        own = r == rank ? weight : own;
        sum += weight;
    }
    const size_t first = test->n * before / sum, end = test->n * (before + own) / sum;
    return (piece){first, end - first};
}

static bool wrong(const case_state *state, const char *function, const char *words)
{
    snprintf(state->test->words, sizeof state->test->words, "rank %u, n = %zu, seed %u: %s: %s",
             parscan_comm_rank(state->test->comm), state->test->n, state->test->seed, function,
             words);
    return false;
}

static bool succeeded(const case_state *state, const char *function, parscan_status status)
{
    return status == PARSCAN_OK || wrong(state, function, parscan_comm_error(state->test->comm));
}

/* An array of the case's memory, with a copy of the elements if there are any. */
static void *new_array(const case_state *state, const void *from, size_t bytes)
{
    void *array = NULL;
    if (!state->test->engine_memory)
        array = malloc(bytes + 1);
    else if (parscan_malloc(state->context, &array, bytes + 1) != PARSCAN_OK)
        array = NULL;
    if (array == NULL)
        abort();
    if (from != NULL)
        parscan_copy(state->context, array, from, bytes);
    parscan_synchronize(state->context);
    return array;
}

static void free_array(const case_state *state, void *array)
{
    if (state->test->engine_memory)
        parscan_free(state->context, array);
    else
        free(array);
}

static void *piece_of(const case_state *state, const void *whole, piece part, size_t size)
{
    return new_array(state, (const char *)whole + part.first * size, part.count * size);
}

/* Compares an array of the case's memory with a part of what is expected, and frees it. */
static bool same(const case_state *state, const char *function, void *array, const void *whole,
                 piece part, size_t size)
{
    char *const got = malloc(part.count * size + 1);
    if (got == NULL)
        abort();
    parscan_copy(state->context, got, array, part.count * size);
    parscan_synchronize(state->context);
    free_array(state, array);
    const bool equal = memcmp(got, (const char *)whole + part.first * size, part.count * size) == 0;
    free(got);
    return equal || wrong(state, function, "another result than of one process");
}

static bool check_scans(const case_state *state)
{
    const uint64_t init = 77;
    const parscan_scan_options sums =
        PARSCAN_SCAN_OPTIONS(.op = PARSCAN_SUM, .out_type = PARSCAN_U64, .init = &init);
    const parscan_scan_options tree = PARSCAN_SCAN_OPTIONS(.op = PARSCAN_SUM, .reproducible = 1);
    const piece part = state->in;
    void *in = piece_of(state, state->keys, part, 4), *out = new_array(state, NULL, part.count * 8);
    parscan_exclusive_scan(state->alone, PARSCAN_U32, state->keys, state->expected, state->test->n,
                           &sums);
    const bool exclusive = succeeded(state, "exclusive scan",
                                     parscan_dist_exclusive_scan(state->test->comm, PARSCAN_U32, in,
                                                                 out, part.count, &sums)) &&
                           same(state, "exclusive scan", out, state->expected, part, 8);
    free_array(state, in);
    if (!exclusive)
        return false;
    in = piece_of(state, state->floats, part, 4);
    out = new_array(state, NULL, part.count * 4);
    parscan_inclusive_scan(state->alone, PARSCAN_F32, state->floats, state->expected,
                           state->test->n, &tree);
    const bool inclusive = succeeded(state, "reproducible scan",
                                     parscan_dist_inclusive_scan(state->test->comm, PARSCAN_F32, in,
                                                                 out, part.count, &tree)) &&
                           same(state, "reproducible scan", out, state->expected, part, 4);
    free_array(state, in);
    return inclusive;
}

static bool check_counts(const case_state *state)
{
    const parscan_scan_options max = PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MAX);
    const piece part = state->in;
    void *const in = piece_of(state, state->keys, part, 4);
    uint32_t expected = 0, got = 1;
    parscan_reduce(state->alone, PARSCAN_U32, state->keys, &expected, state->test->n, &max);
    bool right =
        succeeded(state, "reduce",
                  parscan_dist_reduce(state->test->comm, PARSCAN_U32, in, &got, part.count, &max));
    if (right && got != expected)
        right = wrong(state, "reduce", "another result than of one process");
    if (right) {
        void *const counts = new_array(state, NULL, BINS * 8);
        parscan_histogram(state->alone, PARSCAN_U32, state->keys, state->test->n, BINS, PARSCAN_U64,
                          state->expected, NULL);
        right = succeeded(state, "histogram",
                          parscan_dist_histogram(state->test->comm, PARSCAN_U32, in, part.count,
                                                 BINS, PARSCAN_U64, counts, NULL)) &&
                same(state, "histogram", counts, state->expected, (piece){0, BINS}, 8);
    }
    free_array(state, in);
    return right;
}

/* Values are the indices, so that the order of equal keys is seen. */
static bool check_sorts(const case_state *state)
{
    const parscan_sort_options down = PARSCAN_SORT_OPTIONS(.descending = 1);
    const piece in = state->in, out = state->out;
    const size_t n = state->test->n;
    parscan_comm *const comm = state->test->comm;
    void *const keys = piece_of(state, state->keys, in, 4);
    void *const values = piece_of(state, state->values, in, 8);
    void *sorted = new_array(state, NULL, out.count * 4);
    parscan_sort_keys(state->alone, PARSCAN_U32, state->keys, state->expected, n, NULL);
    bool right = succeeded(state, "sort of keys",
                           parscan_dist_sort_keys(comm, PARSCAN_U32, keys, in.count, sorted,
                                                  out.count, NULL)) &&
                 same(state, "sort of keys", sorted, state->expected, out, 4);
    if (right) {
        void *const indices = new_array(state, NULL, out.count * 8);
        sorted = new_array(state, NULL, out.count * 4);
        parscan_argsort(state->alone, PARSCAN_U32, state->keys, PARSCAN_U64, state->expected, n,
                        &down);
        right = succeeded(state, "sort of pairs",
                          parscan_dist_sort_pairs(comm, PARSCAN_U32, keys, sorted, 8, values,
                                                  indices, in.count, out.count, &down)) &&
                same(state, "sort of pairs", indices, state->expected, out, 8);
        free_array(state, sorted);
    }
    free_array(state, keys);
    free_array(state, values);
    return right;
}

static bool check_compaction(const case_state *state)
{
    const uint32_t limit = 100;
    const parscan_predicate small = PARSCAN_PREDICATE(.comparison = PARSCAN_LESS, .value = &limit);
    const piece part = state->in;
    uint64_t count = 0, offset = 0, total = 0, expected = 0;
    void *const in = piece_of(state, state->keys, part, 4);
    void *const out = new_array(state, NULL, part.count * 4);
    parscan_compact_if(state->alone, PARSCAN_U32, state->keys, &small, state->expected,
                       state->test->n, &expected);
    bool right = succeeded(state, "compact_if",
                           parscan_dist_compact_if(state->test->comm, PARSCAN_U32, in, &small, out,
                                                   part.count, &count, &offset, &total));
    if (right && total != expected)
        right = wrong(state, "compact_if", "another total than of one process");
    right = right && same(state, "compact_if", out, state->expected,
                          (piece){(size_t)offset, (size_t)count}, 4);
    free_array(state, in);
    return right;
}

static bool check_offsets(const case_state *state)
{
    const parscan_allocate_options aligned = PARSCAN_ALLOCATE_OPTIONS(.alignment = 16);
    const piece in = state->in, out = state->out;
    uint64_t total = 0, expected = 0;
    void *const sizes = piece_of(state, state->keys, in, 4);
    void *const offsets = new_array(state, NULL, in.count * 8);
    parscan_allocate(state->alone, PARSCAN_U32, state->keys, state->test->n, PARSCAN_U64,
                     state->expected, &expected, &aligned);
    bool right = succeeded(state, "allocate",
                           parscan_dist_allocate(state->test->comm, PARSCAN_U32, sizes, in.count,
                                                 PARSCAN_U64, offsets, &total, &aligned));
    if (right && total != expected)
        right = wrong(state, "allocate", "another total than of one process");
    right = right && same(state, "allocate", offsets, state->expected, in, 8);
    if (right) {
        void *const moved = new_array(state, NULL, out.count * 4);
        right = succeeded(state, "rebalance",
                          parscan_dist_rebalance(state->test->comm, 4, sizes, in.count, moved,
                                                 out.count)) &&
                same(state, "rebalance", moved, state->keys, out, 4);
    }
    free_array(state, sizes);
    return right;
}

static void fill_case(case_state *state)
{
    const size_t n = state->test->n;
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = mix(state->test->seed + UINT64_C(0x9e3779b97f4a7c15) * (i + 1));
        state->keys[i] = (uint32_t)(bits % (state->test->seed % 2 != 0 ? 7 : 100000)) * 40000;
        state->keys[i] = state->test->seed % 3 == 0 ? state->keys[i] : state->keys[i] / 40000;
        state->floats[i] = (float)(bits >> 40) * 0.001F;
        state->values[i] = i;
    }
}

bool comm_case_run(comm_case *test)
{
    case_state state = {.test = test, .context = parscan_comm_context(test->comm)};
    state.keys = malloc((test->n + 1) * sizeof *state.keys);
    state.floats = malloc((test->n + 1) * sizeof *state.floats);
    state.values = malloc((test->n + 1) * sizeof *state.values);
    state.expected = malloc((test->n + BINS) * 8);
    if (state.keys == NULL || state.floats == NULL || state.values == NULL ||
        state.expected == NULL ||
        parscan_context_create(
            &state.alone, &PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU, .threads = 1)) !=
            PARSCAN_OK)
        abort();
    state.in = cut(test, 1);
    state.out = cut(test, 2);
    fill_case(&state);
    const bool right = check_scans(&state) && check_counts(&state) && check_sorts(&state) &&
                       check_compaction(&state) && check_offsets(&state);
    parscan_context_destroy(state.alone);
    free(state.keys);
    free(state.floats);
    free(state.values);
    free(state.expected);
    return right;
}

bool comm_case_lose_rank(comm_case *test)
{
    const case_state state = {.test = test, .context = parscan_comm_context(test->comm)};
    const uint32_t in = 1;
    uint32_t out;
    if (parscan_comm_rank(test->comm) + 1 == parscan_comm_size(test->comm))
        return true;
    parscan_comm_set_timeout(test->comm, 0.3);
    for (int call = 0; call < 2; call++) {
        const parscan_status status =
            parscan_dist_reduce(test->comm, PARSCAN_U32, &in, &out, 1, NULL);
        if (status != PARSCAN_ERROR_DEVICE)
            return wrong(&state, "a lost rank", parscan_status_string(status));
        /* The words tell which limit it was. */
        if (strstr(parscan_comm_error(test->comm), "lost or late") == NULL ||
            strstr(parscan_comm_error(test->comm), "after 0.3 seconds") == NULL)
            return wrong(&state, "a lost rank", parscan_comm_error(test->comm));
    }
    return true;
}
