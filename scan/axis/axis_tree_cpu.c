/*
 * Reproducible sums and products of neighbouring lines on the CPU. Each line has the tree of
 * scan/reproducible/tree.h to itself; since all have the same length, they take every step together, a line a lane
 * of a vector (row_kernels.h). Short rows of memory are turned to such lines in a buffer, some at once.
 *
 * A reduction counts the rows of 16 elements in one binary counter: the sum of a whole tile is that of 128 rows, a
 * power of two. So is a part of a line, whose sum is then one block of the counter. Kogge-Stone's sum of a last tile
 * of R rows is ((a + b) + c) + ..., where a, b, c are balanced sums of as many rows as the bits of R say, from the
 * lowest on.
 *
 * Compiled once for each element type (scan/cpu/element.h).
 */
#include "scan/axis/axis_pass.h"

#if PARSCAN_ELEMENT_IS_FLOAT
#include "scan/context/size_math.h"
#include "scan/cpu/team.h"
#include "scan/cpu/tiles.h"
#include "scan/reproducible/row_kernels.h"

enum {
    SET =
        COLUMNS_MOST / 2, /* lines of a set; the last one also has what is left, less than a set */
    TURNED_BYTES = 4096,  /* of a set of rows that are turned */
    SHORT = 200,          /* rows are short up to this length */
    WORK_ROWS = 3         /* two sums of the lines, and what comes before their elements */
};

typedef struct tree_pass {
    axis_pass axis;
    const row_kernels *rows;
    bool turned;        /* the lines are rows of memory */
    bool converted;     /* elements are not of T: a row of the tree goes through a buffer */
    size_t width, sets; /* lines of a set, and sets of an index of outer */
    size_t part, parts; /* elements of a part of a line, and its parts; of a scan it is one part */
    unsigned levels;    /* of a counter */
    size_t room;        /* elements of a row of sums: those of the widest set, in whole lines */
    T *sums;            /* of each set and part, where there are several parts */
    T *work;            /* of each worker */
} tree_pass;

/* A set of neighbouring lines, and the memory of the worker that has it. */
typedef struct line_set {
    const tree_pass *pass;
    size_t width, room;
    const char *in; /* the first element of the first line */
    char *out;
    row_columns row; /* how the kernels see the set, without a place */
    T *levels, *work, *tile, *stage;
} line_set;

static size_t round_to_lines(size_t columns)
{
    return (columns + LINE_COLUMNS - 1) / LINE_COLUMNS * LINE_COLUMNS;
}

/* The rows of a worker's memory: levels, work, tile, stage. */
static size_t memory_rows(const tree_pass *pass)
{
    return pass->levels + WORK_ROWS + (pass->axis.reduces ? 0 : TILE_SUMS) +
           (pass->turned      ? pass->axis.n
            : pass->converted ? ROW
                              : 0);
}

/* Copies rows of memory to the columns of a set's buffer, or back. */
static void turn(const line_set *set, bool back)
{
    const axis_pass *const axis = &set->pass->axis;
    const int64_t step = (int64_t)(set->room * sizeof(T));
    for (size_t j = 0; j < set->width; j++) {
        char *const column = (char *)(set->stage + j);
        if (back)
            copy_strided(set->out + (int64_t)j * axis->out_stride[AXIS_INNER],
                         axis->out_stride[AXIS_N], column, step, axis->n, sizeof(T));
        else
            copy_strided(column, step, set->in + (int64_t)j * axis->in_stride[AXIS_INNER],
                         axis->in_stride[AXIS_N], axis->n, sizeof(T));
    }
}

static line_set set_of(const tree_pass *pass, size_t index, unsigned worker)
{
    const axis_pass *const axis = &pass->axis;
    const size_t at = index % pass->sets, begin = at * pass->width;
    line_set set = {.pass = pass,
                    .width = at + 1 < pass->sets ? pass->width : axis->inner - begin,
                    .in = axis->in + line_place(axis->in_stride, index / pass->sets, begin),
                    .out = axis->out + line_place(axis->out_stride, index / pass->sets, begin)};
    set.room = round_to_lines(set.width);
    set.levels = pass->work + worker * memory_rows(pass) * pass->room;
    set.work = set.levels + pass->levels * pass->room;
    set.tile = set.work + WORK_ROWS * pass->room;
    set.stage = set.tile + (axis->reduces ? 0 : TILE_SUMS * pass->room);
    set.row = (row_columns){.in = set.in,
                            .out = set.out,
                            .in_row = axis->in_stride[AXIS_N],
                            .out_row = axis->out_stride[AXIS_N],
                            .width = set.width,
                            .room = set.room};
    if (pass->turned || pass->converted) {
        set.row.in = set.row.out = (char *)set.stage;
        set.row.in_row = set.row.out_row = (int64_t)(set.room * sizeof(T));
        set.row.width = set.room;
        memset(set.stage, 0, (pass->turned ? axis->n : ROW) * set.room * sizeof(T));
    }
    if (pass->turned)
        turn(&set, false);
    return set;
}

static T *level_of(const line_set *set, unsigned level)
{
    return set->levels + level * set->room;
}

/* earlier = earlier combined with later, of each line. */
static void add(const line_set *set, T *earlier, const T *later)
{
    const column_block block = {.type = PARSCAN_ELEMENT_TYPE,
                                .in = (const char *)later,
                                .rows = 1,
                                .width = set->room,
                                .sums = earlier};
    set->pass->axis.columns->reduce(set->pass->axis.op, &block);
}

static void fill_row(const line_set *set, T *row, T value)
{
    for (size_t j = 0; j < set->room; j++)
        row[j] = value;
}

/* The row of the tree that begins with element `begin` of the lines, of n elements that are left. */
static row_columns row_at(const line_set *set, size_t begin, size_t n)
{
    const axis_pass *const axis = &set->pass->axis;
    const bool converted = set->pass->converted;
    row_columns row = set->row;
    row.count = (unsigned)size_min(n, ROW);
    row.in += converted ? 0 : (int64_t)begin * row.in_row;
    row.out += converted ? 0 : (int64_t)begin * row.out_row;
    for (size_t k = 0; k < row.count && converted; k++)
        read_columns(axis, set->in + (int64_t)(begin + k) * axis->in_stride[AXIS_N], set->width,
                     set->stage + k * set->room);
    return row;
}

/* ---- sums ---- */

/* Counts a row of the tree, number i, that begins with element `begin` of lines that end before `end`. A sum of
   1 << level rows, if the row ends it, goes to `to`, and to the counter otherwise. */
static void count_row(const line_set *set, size_t i, size_t begin, size_t end, unsigned level,
                      T *to)
{
    const tree_pass *const pass = set->pass;
    const unsigned up = (unsigned)__builtin_ctzll(~(unsigned long long)i);
    const row_columns row = row_at(set, begin + i * ROW, end - (begin + i * ROW));
    pass->rows->sum_columns(pass->axis.op, &row, set->levels, up,
                            up == level ? to : level_of(set, up));
}

/* What a counter of so many blocks holds before `after`, combined with it; NULL: there is none. The counter is used
   up. */
static T *end_counter(const line_set *set, size_t blocks, T *after)
{
    for (unsigned level = 0; level < set->pass->levels && blocks >> level != 0; level++) {
        if (!(blocks >> level & 1))
            continue;
        if (after != NULL)
            add(set, level_of(set, level), after);
        after = level_of(set, level);
    }
    return after;
}

/* The sum of the elements from begin to end - 1 of each line, of which begin is where a part begins. */
static T *sum_part(const line_set *set, size_t begin, size_t end)
{
    const size_t whole = (end - begin) / TREE_TILE * TILE_ROWS;
    const size_t rest = (end - begin + ROW - 1) / ROW - whole;
    T *const first = set->work, *const next = first + set->room, *sum = NULL;
    for (size_t i = 0; i < whole; i++)
        count_row(set, i, begin, end, 64, NULL);
    begin += whole * ROW;
    for (unsigned bit = 0; rest >> bit != 0; bit++) {
        const size_t rows = (size_t)1 << bit;
        if (!(rest & rows))
            continue;
        for (size_t i = 0; i < rows; i++)
            count_row(set, i, begin, end, bit, sum == NULL ? first : next);
        begin += rows * ROW;
        if (sum != NULL)
            add(set, first, next);
        sum = first;
    }
    return end_counter(set, whole, sum);
}

/* Adds block number i to a counter. */
static void count_block(const line_set *set, size_t i, const T *block)
{
    unsigned level = 0;
    for (; i >> level & 1; level++) {
        add(set, level_of(set, level), block);
        block = level_of(set, level);
    }
    memcpy(level_of(set, level), block, set->room * sizeof(T));
}

/* The lines of a set that is not whole, side by side, have the sums of the last ones apart (row_kernels.h). */
static void finish_sum(const line_set *set, const T *sum)
{
    const size_t whole = set->width / LINE_COLUMNS * LINE_COLUMNS;
    T *const all = set->work + 2 * set->room;
    fill_row(set, all, set->pass->axis.first);
    add(set, all, sum);
    if (set->row.width % LINE_COLUMNS != 0)
        memmove(all + set->width - LINE_COLUMNS, all + whole, LINE_COLUMNS * sizeof(T));
    write_columns(&set->pass->axis, set->out, set->width, all);
}

static T *sums_of(const tree_pass *pass, size_t set, size_t part)
{
    return pass->sums + (set * pass->parts + part) * pass->room;
}

static void take_part(void *state, size_t index, unsigned worker)
{
    const tree_pass *const pass = state;
    const size_t part = index % pass->parts, begin = part * pass->part;
    const line_set set = set_of(pass, index / pass->parts, worker);
    const T *const sum = sum_part(&set, begin, begin + size_min(pass->part, pass->axis.n - begin));
    if (pass->parts == 1)
        finish_sum(&set, sum);
    else
        memcpy(sums_of(pass, index / pass->parts, part), sum, set.room * sizeof(T));
}

static void join_parts(void *state, size_t index, unsigned worker)
{
    const tree_pass *const pass = state;
    const line_set set = set_of(pass, index, worker);
    const size_t last = pass->parts - 1;
    for (size_t part = 0; part < last; part++)
        count_block(&set, part, sums_of(pass, index, part));
    finish_sum(&set, end_counter(&set, last, sums_of(pass, index, last)));
}

/* ---- scans ---- */

static void scan_row(const line_set *set, size_t begin, unsigned r, const T *before)
{
    const axis_pass *const axis = &set->pass->axis;
    const row_columns row = row_at(set, begin, axis->n - begin);
    set->pass->rows->scan_columns(axis->op, &row, before, set->tile, r,
                                  axis->call->kind == PARSCAN_KIND_EXCLUSIVE);
    for (size_t k = 0; k < row.count && set->pass->converted; k++)
        write_columns(axis, set->out + (int64_t)(begin + k) * axis->out_stride[AXIS_N], set->width,
                      set->stage + k * set->room);
}

/* What comes before a tile: init and so many tiles, of which there are some. */
static const T *before_tile(const line_set *set, size_t tiles)
{
    T *sum = NULL, *next = set->work, *other = next + set->room;
    for (unsigned level = 0; tiles >> level != 0; level++) {
        if (!(tiles >> level & 1))
            continue;
        memcpy(next, level_of(set, level), set->room * sizeof(T));
        if (sum != NULL)
            add(set, next, sum);
        sum = next;
        next = other;
        other = sum;
    }
    fill_row(set, next, set->pass->axis.first);
    add(set, next, sum);
    return next;
}

static void scan_set(void *state, size_t index, unsigned worker)
{
    const tree_pass *const pass = state;
    const axis_pass *const axis = &pass->axis;
    const line_set set = set_of(pass, index, worker);
    T *const start = set.work + 2 * set.room;
    const T *before = axis->call->init != NULL ? start : NULL;
    fill_row(&set, start, axis->first);
    for (size_t tile = 0, begin = 0; begin < axis->n; tile++, begin += TREE_TILE) {
        const size_t n = size_min(axis->n - begin, TREE_TILE);
        for (unsigned r = 0; r * ROW < n; r++)
            scan_row(&set, begin + r * ROW, r, before);
        if (n < axis->n - begin) {
            count_block(&set, tile, set.tile + (SUMS_THROUGH - 1) * set.room);
            before = before_tile(&set, tile + 1);
        }
    }
    if (pass->turned)
        turn(&set, true);
    if (axis->call->kind != PARSCAN_KIND_EXCLUSIVE || axis->call->init != NULL)
        return;
    fill_row(&set, start, axis->shown);
    write_columns(axis, set.out, set.width, start);
}

/* ---- */

/* Divides the pass among so many threads. */
static void divide(tree_pass *pass, unsigned threads)
{
    const axis_pass *const axis = &pass->axis;
    size_t most = size_min(SET, axis->outer * axis->inner / threads);
    if (pass->turned)
        most = size_min(most, TURNED_BYTES / sizeof(T) / axis->n);
    pass->width = size_max(most / LINE_COLUMNS, 1) * LINE_COLUMNS;
    pass->sets = size_max(axis->inner / pass->width, 1);
    pass->room = round_to_lines(axis->inner - (pass->sets - 1) * pass->width);
    pass->part = axis->n;
    if (axis->reduces && threads > 1 && axis->outer * pass->sets < threads) {
        const size_t parts = 4 * threads / (axis->outer * pass->sets);
        for (pass->part = TREE_TILE; pass->part < axis->n / parts;)
            pass->part *= 2;
    }
    pass->parts = (axis->n + pass->part - 1) / pass->part;
    pass->levels = 64 - (unsigned)__builtin_clzll(axis->n / ROW + 1);
}

static size_t sums_bytes(const tree_pass *pass)
{
    return pass->parts > 1 ? pass->axis.outer * pass->sets * pass->parts * pass->room * sizeof(T)
                           : 0;
}

static size_t scratch_need(const void *state, unsigned threads)
{
    tree_pass pass = *(const tree_pass *)state;
    divide(&pass, threads);
    return sums_bytes(&pass) + threads * memory_rows(&pass) * pass.room * sizeof(T);
}

/* Whether neighbouring lines are taken together: short rows, or lines side by side. Results of 16 bits have the bits
   of a first element, which vectors do not keep. The parts of long scans need each other, so there are as many sets
   as threads. */
static bool takes_sets(tree_pass *pass, unsigned threads)
{
    const axis_pass *const axis = &pass->axis;
    const bool whole = has_whole_lines(axis), is_own = axis->call->in_type == PARSCAN_ELEMENT_TYPE;
    if (axis->n == 0 || axis->inner < LINE_COLUMNS ||
        (!axis->reduces && axis->call->out_type != PARSCAN_ELEMENT_TYPE))
        return false;
    pass->turned = whole && is_own && axis->n <= SHORT;
    pass->converted = !is_own;
    if (!pass->turned &&
        (whole || axis->in_stride[AXIS_INNER] != (int64_t)axis->in_size ||
         (!axis->reduces && axis->out_stride[AXIS_INNER] != (int64_t)axis->out_size)))
        return false;
    divide(pass, threads);
    return axis->reduces || threads == 1 || axis->outer * pass->sets >= threads;
}

parscan_status NAMED(parscan_axis_tree)(const axis_pass *axis)
{
    parscan_context *const context = axis->call->context;
    tree_pass pass = {
        .axis = *axis,
        .rows =
            PARSCAN_BY_ISA(context->isa, &NAMED(parscan_row_kernels_portable),
                           &NAMED(parscan_row_kernels_avx2), &NAMED(parscan_row_kernels_avx512)),
    };
    const size_t elements = axis->n * axis->outer * axis->inner;
    unsigned threads = parscan_threads_for(context, elements * sizeof(T));
    void *scratch;
    if (NAMED(parscan_axis_tree_rows)(axis, pass.rows, threads))
        return PARSCAN_OK;
    if (!takes_sets(&pass, threads))
        return NAMED(parscan_axis_lines)(axis);
    const parscan_status status =
        parscan_scratch_of_threads(context, &threads, scratch_need, &pass, &scratch);
    if (status != PARSCAN_OK || context->measures)
        return status;
    divide(&pass, threads);
    pass.sums = scratch;
    pass.work = pass.sums + sums_bytes(&pass) / sizeof(T);
    parscan_team_for(context, threads, axis->outer * pass.sets * pass.parts, 1,
                     axis->reduces ? take_part : scan_set, &pass);
    if (pass.parts > 1)
        parscan_team_for(context, threads, axis->outer * pass.sets, 1, join_parts, &pass);
    return PARSCAN_OK;
}

#else

parscan_status NAMED(parscan_axis_tree)(const axis_pass *pass)
{
    return NAMED(parscan_axis_lines)(pass);
}

#endif
