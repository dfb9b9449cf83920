/*
 * A stable merge sort by an order of the caller's.
 *
 * Runs of 16 elements are ranked: a panel (scan/custom/panel.h) of 16 rows holds a run in each column, and each pair
 * of rows is compared by one call. An element's rank is the number of those before it. Then runs are merged by two,
 * within blocks that fit the second-level cache, then all over. A merge is cut at equal numbers of results (merge
 * path) into lanes, and 16 of them go on side by side (merge_lanes.h).
 *
 * The number of merges tells which of the two buffers, `out` and scratch, the blocks are sorted to, so that the last merge
 * writes `out`.
 *
 * Source: O. Green, R. McColl, D. Bader, GPU Merge Path, ICS 2012.
 */
#include "apps/order/merge_lanes.h"
#include "apps/order/order_call.h"
#include "scan/context/float_mode.h"
#include "scan/cpu/copy_small.h"
#include "scan/cpu/team.h"
#include "scan/cpu/tiles.h"
#include "scan/custom/panel_kernels.h"

/* Lanes are no power of two long, so that what they read and write falls in different sets of the caches. */
enum { RUN = 16, BLOCK_LANE = 133, LANE = 1009, LONG_LANE = 4001, SHORT_RUN = 32 };

/* A block's length is RUN times a power of four: pairs of merges bring it back to the buffer that it began in. */
enum { BLOCK_BYTES = 256 << 10, MOST_BLOCK = 16384, LEAST_BLOCK = 4096 };
_Static_assert(MOST_BLOCK / RUN == 1024 && LEAST_BLOCK / RUN == 256, "powers of four");

typedef struct sort_pass {
    const parscan_operator *less;
    const panel_kernels *panels;
    parscan_merge_lanes *merge_lanes;
    const char *in;
    size_t n;
    char *x, *y;        /* buffers of n elements */
    size_t block, lane; /* elements */
    size_t run;         /* of the merges of all blocks */
    panel_shape shape;
    unsigned threads;
    char *works;
    size_t work_bytes; /* of each thread: a panel, and the lanes' heads */
} sort_pass;

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool is_less(const parscan_operator *less, const char *a, const char *b)
{
    uint8_t flag = 0;
    less->relate(a, b, &flag, 1, less->state);
    return flag != 0;
}

/* ---- runs ---- */

/* By what is no order, such as < with a NaN, some of a run's elements can have the same rank, and a place none: what lies
   there could be no element, and the caller's function would get it. Such a run stays as it is. Each pair gives one of
   its two a place more, so of all that ranks can be, different ones have the greatest sum of squares. */
static void mend_ranks(uint8_t ranks[RUN][512], size_t columns)
{
    enum { ALL_DIFFERENT = (RUN - 1) * RUN * (2 * RUN - 1) / 6 };
    uint16_t squares[512] = {0};
    for (size_t r = 0; r < RUN; r++)
        for (size_t c = 0; c < columns; c++)
            squares[c] = (uint16_t)(squares[c] + ranks[r][c] * ranks[r][c]);
    for (size_t c = 0; c < columns; c++)
        for (size_t r = 0; r < RUN && squares[c] != ALL_DIFFERENT; r++)
            ranks[r][c] = (uint8_t)r;
}

/* Writes a panel's columns in order to `to`. */
static void rank_panel(const sort_pass *pass, char *panel, size_t columns, char *to)
{
    const parscan_operator *const less = pass->less;
    const size_t size = less->size;
    uint8_t ranks[RUN][512], flags[512];
    memset(ranks, 0, sizeof ranks);
    for (size_t later = 1; later < RUN; later++)
        for (size_t r = 0; r < later; r++) {
            less->relate(panel_row(&pass->shape, panel, later + 1),
                         panel_row(&pass->shape, panel, r + 1), flags, columns, less->state);
            for (size_t c = 0; c < columns; c++) {
                const uint8_t precedes = flags[c] != 0;
                ranks[r][c] = (uint8_t)(ranks[r][c] + precedes);
                ranks[later][c] = (uint8_t)(ranks[later][c] + !precedes);
            }
        }
    mend_ranks(ranks, columns);
    for (size_t r = 0; r < RUN; r++) {
        const char *const row = panel_row(&pass->shape, panel, r + 1);
        for (size_t c = 0; c < columns; c++)
            copy_element(to + (c * RUN + ranks[r][c]) * size, row + c * size, size);
    }
}

/* The last elements, fewer than a run: each goes before those that it is less than. */
static void insert_rest(const sort_pass *pass, const char *from, size_t n, char *to)
{
    const size_t size = pass->less->size;
    for (size_t k = 0; k < n; k++) {
        const custom_value x = custom_value_of(pass->less, from + k * size);
        size_t at = k;
        while (at > 0 && is_less(pass->less, (const char *)x.bytes, to + (at - 1) * size))
            at--;
        memmove(to + (at + 1) * size, to + at * size, (k - at) * size);
        memcpy(to + at * size, x.bytes, size);
    }
}

/* ---- merges ---- */

/* How many of the first `results` of a merge of two runs are of a. */
static size_t split(const parscan_operator *less, const char *a, size_t na, const char *b,
                    size_t nb, size_t results)
{
    size_t low = results > nb ? results - nb : 0, high = least(results, na);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (is_less(less, b + (results - 1 - middle) * less->size, a + middle * less->size))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The merge that makes results begin to begin + count - 1, which are all of one pair of runs. */
static merge_lane lane_of(const sort_pass *pass, const char *from, char *to, size_t run,
                          size_t begin, size_t count)
{
    const size_t size = pass->less->size, pair = begin / (2 * run) * (2 * run);
    const size_t na = least(run, pass->n - pair), nb = least(run, pass->n - pair - na);
    const char *const a = from + pair * size, *const b = a + na * size;
    const size_t of_a = split(pass->less, a, na, b, nb, begin - pair);
    return (merge_lane){
        .a = a + of_a * size,
        .a_end = b,
        .b = b + (begin - pair - of_a) * size,
        .b_end = b + nb * size,
        .out = to + begin * size,
        .count = count,
    };
}

/* The results begin to end - 1 of merging runs by two, in lanes of at most `most` results, each of one pair. */
static void merge_results(const sort_pass *pass, const char *from, char *to, size_t run,
                          size_t begin, size_t end, size_t most, char *heads)
{
    merge_lane lane[MERGE_LANES];
    size_t lanes = 0;
    const size_t longest = run < SHORT_RUN ? 2 * run : least(most, run + 3);
    for (size_t at = begin, count; at < end; at += count) {
        const size_t of_pair = 2 * run - at % (2 * run);
        count = least(least(longest, of_pair), end - at);
        lane[lanes++] = lane_of(pass, from, to, run, at, count);
        if (lanes == MERGE_LANES || at + count == end) {
            pass->merge_lanes(pass->less, lane, lanes, heads);
            lanes = 0;
        }
    }
}

static void sort_block(void *state, size_t index, unsigned worker)
{
    const sort_pass *const pass = state;
    const size_t size = pass->less->size, begin = index * pass->block;
    const size_t end = least(begin + pass->block, pass->n), columns = pass->shape.columns;
    char *const panel = pass->works + worker * pass->work_bytes;
    char *const heads = panel + panel_bytes(&pass->shape);
    size_t at = begin;
    while (at + RUN <= end) {
        const size_t runs = least(columns, (end - at) / RUN);
        pass->panels->to_columns(&pass->shape, pass->in + at * size, runs * RUN, panel);
        rank_panel(pass, panel, runs, pass->x + at * size);
        at += runs * RUN;
    }
    if (at < end) {
        memcpy(panel, pass->in + at * size, (end - at) * size);
        insert_rest(pass, panel, end - at, pass->x + at * size);
    }
    for (size_t run = RUN; run < end - begin; run *= 4) {
        merge_results(pass, pass->x, pass->y, run, begin, end, BLOCK_LANE, heads);
        merge_results(pass, pass->y, pass->x, 2 * run, begin, end, BLOCK_LANE, heads);
    }
}

static void merge_group(void *state, size_t index, unsigned worker)
{
    const sort_pass *const pass = state;
    const size_t group = pass->lane * MERGE_LANES, begin = index * group;
    char *const heads = pass->works + worker * pass->work_bytes + panel_bytes(&pass->shape);
    merge_results(pass, pass->x, pass->y, pass->run, begin, least(begin + group, pass->n),
                  pass->lane, heads);
}

/* ---- calls ---- */

static size_t merges_of(const sort_pass *pass)
{
    size_t merges = 0;
    for (size_t run = pass->block; run < pass->n; run *= 2)
        merges++;
    return merges;
}

static void run_sort(sort_pass *pass, parscan_context *context)
{
    const size_t group = pass->lane * MERGE_LANES, block = pass->block;
    parscan_team_for(context, pass->threads, (pass->n + block - 1) / block, 1, sort_block, pass);
    for (pass->run = block; pass->run < pass->n; pass->run *= 2) {
        parscan_team_for(context, pass->threads, (pass->n + group - 1) / group, 1, merge_group,
                         pass);
        char *const merged = pass->y;
        pass->y = pass->x;
        pass->x = merged;
    }
}

static size_t buffer_bytes(const sort_pass *pass)
{
    return (pass->n * pass->less->size + 63) / 64 * 64;
}

/* out serves as a buffer if the caller's function can have its elements as they are. */
static bool takes_out(const sort_by_call *call)
{
    return custom_is_aligned(call->less, call->out);
}

typedef struct sort_need {
    const sort_pass *pass;
    size_t buffers;
} sort_need;

static size_t sort_scratch_need(const void *state, unsigned threads)
{
    const sort_need *const need = state;
    return need->buffers * buffer_bytes(need->pass) + threads * need->pass->work_bytes;
}

parscan_status parscan_sort_by_cpu(const sort_by_call *call)
{
    const parscan_isa isa = call->context->isa;
    const size_t size = call->less->size;
    sort_pass pass = {
        .less = call->less,
        .panels = PARSCAN_BY_ISA(isa, &parscan_panel_kernels_portable, &parscan_panel_kernels_avx2,
                                 &parscan_panel_kernels_avx512),
        .merge_lanes = PARSCAN_BY_ISA(isa, parscan_merge_lanes_portable, parscan_merge_lanes_avx2,
                                      parscan_merge_lanes_avx512),
        .in = call->in,
        .n = call->n,
        .shape = panel_of(size, RUN, 512 / size),
        .block = size <= BLOCK_BYTES / MOST_BLOCK ? MOST_BLOCK : LEAST_BLOCK,
        .threads = parscan_threads_for(call->context, call->n * size),
    };
    pass.work_bytes = panel_bytes(&pass.shape) + 2 * MERGE_LANES * CUSTOM_MOST;
    const sort_need need = {&pass, takes_out(call) ? 1 : 2};
    void *scratch;
    const parscan_status status = parscan_scratch_of_threads(call->context, &pass.threads,
                                                             sort_scratch_need, &need, &scratch);
    if (status != PARSCAN_OK || call->context->measures)
        return status;
    char *const first = scratch, *const second =
                                     takes_out(call) ? call->out : first + buffer_bytes(&pass);
    /* Long lanes cost less, if there are enough for all threads. */
    pass.lane = call->n / pass.threads >= 4 * MERGE_LANES * LONG_LANE ? LONG_LANE : LANE;
    pass.works = first + need.buffers * buffer_bytes(&pass);
    const bool odd = merges_of(&pass) % 2 != 0;
    pass.x = odd ? first : second;
    pass.y = odd ? second : first;
    const parscan_float_state before = parscan_float_begin(FLOAT_CALLERS);
    run_sort(&pass, call->context);
    parscan_float_end(before);
    if (!takes_out(call))
        memcpy(call->out, pass.x, call->n * size);
    return PARSCAN_OK;
}
