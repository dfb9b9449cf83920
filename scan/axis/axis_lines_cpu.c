/*
 * Lines along an axis, each scanned or reduced by the engine's own functions: many short ones by all
 * threads, a long one by all of them together. Reproducible lines with gaps are copied to scratch, some
 * neighbours at once, since these share cache lines. Compiled once for each element type.
 */
#include "scan/axis/axis_pass.h"
#include "scan/context/size_math.h"
#include "scan/cpu/team.h"
#include "scan/cpu/tiles.h"
#include "scan/scan_element_cpu.h"

enum {
    GRAIN_BYTES = 32 << 10, /* of lines that a thread takes at once */
    SHORT = 512,            /* lines of fewer elements are taken one element after another */
    MOST_COPIED = 16,       /* lines that are copied to scratch at once */
    COPIED_ROWS = 64        /* elements of each of them that are copied in turn */
};

/* Lines next to each other in memory or in scratch. */
typedef struct line_set {
    const axis_pass *pass;
    const char *in;
    char *out;
    int64_t in_stride[2], out_stride[2]; /* along outer and inner */
    size_t inner, count;
} line_set;

/* One call of the engine. In reverse it expects the lowest address. */
static void run_line(void *state, size_t index, unsigned worker)
{
    const line_set *const set = state;
    const axis_pass *const pass = set->pass;
    const int64_t outer = (int64_t)(index / set->inner), inner = (int64_t)(index % set->inner);
    parscan_scan_call line = *pass->call;
    (void)worker;
    line.axis = NULL;
    line.in = set->in + outer * set->in_stride[0] + inner * set->in_stride[1];
    line.out = set->out + outer * set->out_stride[0] + inner * set->out_stride[1];
    if (line.reproducible)
        NAMED(parscan_reproducible_cpu)(&line);
    else
        NAMED(parscan_single_pass_cpu)(&line);
}

/* Lines from `begin` to `end` - 1, of elements of T on both sides: a call for each would take longer than its
   elements. Without an init the first element is the first sum, with its exact bits. */
static inline __attribute__((always_inline)) void
take_short(const OPERATOR op, const line_set *set, size_t begin, size_t end, const bool reduces)
{
    const axis_pass *const pass = set->pass;
    const bool exclusive = pass->call->kind == PARSCAN_KIND_EXCLUSIVE;
    const size_t bare = pass->call->init == NULL && pass->n > 0;
    const int64_t in_step = pass->in_stride[AXIS_N], out_step = pass->out_stride[AXIS_N];
    size_t outer = begin / set->inner, inner = begin % set->inner;
    for (size_t line = begin; line < end; line++) {
        const char *in = pass->in + line_place(pass->in_stride, outer, inner);
        char *out = pass->out + line_place(pass->out_stride, outer, inner);
        T before = pass->first;
        if (bare) {
            memcpy(&before, in, sizeof before);
            if (!reduces)
                memcpy(out, exclusive ? &pass->shown : &before, sizeof before);
        }
        for (size_t i = bare; i < pass->n; i++) {
            T x, through;
            memcpy(&x, in + (int64_t)i * in_step, sizeof x);
            through = combine(op, before, x);
            if (!reduces)
                memcpy(out + (int64_t)i * out_step, exclusive ? &before : &through, sizeof x);
            before = through;
        }
        if (reduces)
            memcpy(out, pass->n > 0 ? &before : &pass->shown, sizeof before);
        inner = inner + 1 < set->inner ? inner + 1 : 0;
        outer += inner == 0;
    }
}

typedef struct short_lines {
    const line_set *set;
    size_t each; /* that a thread takes at once */
} short_lines;

static void take_short_lines(void *state, size_t index, unsigned worker)
{
    const short_lines *const s = state;
    const OPERATOR op = s->set->pass->call->op;
    const size_t begin = index * s->each, end = size_min(begin + s->each, s->set->count);
    (void)worker;
    if (s->set->pass->reduces)
        DO_BY_OPERATOR(op, take_short, s->set, begin, end, true);
    else
        DO_BY_OPERATOR(op, take_short, s->set, begin, end, false);
}

static bool is_short(const line_set *set)
{
    const parscan_scan_call *const call = set->pass->call;
    return call->n < SHORT && !(call->reproducible && PARSCAN_ELEMENT_IS_FLOAT) &&
           call->in_type == PARSCAN_ELEMENT_TYPE && call->out_type == PARSCAN_ELEMENT_TYPE;
}

/* A line below THREADS_FROM_BYTES is worked on by one thread, without memory of the context: so
   several threads may each take one. */
static void run_lines(line_set *set)
{
    const parscan_scan_call *const call = set->pass->call;
    const size_t bytes = size_max(call->n, 1) * sizeof(T);
    if (call->context->measures) {
        run_line(set, 0, 0);
        return;
    }
    if (bytes < THREADS_FROM_BYTES) {
        const unsigned threads = parscan_threads_for(call->context, bytes * set->count);
        short_lines lines = {set, size_max(GRAIN_BYTES / bytes, 1)};
        if (is_short(set)) {
            parscan_team_for(call->context, threads, (set->count + lines.each - 1) / lines.each, 1,
                             take_short_lines, &lines);
            return;
        }
        parscan_team_for(call->context, threads, set->count, size_max(GRAIN_BYTES / bytes, 1),
                         run_line, set);
        return;
    }
    for (size_t i = 0; i < set->count; i++)
        run_line(set, i, 0);
}

/* Where the engine expects a line of an array, of which the pass has the first element that is
   combined. */
static int64_t lowest_of(const axis_pass *pass, size_t size)
{
    return pass->call->reverse ? -(int64_t)(size_max(pass->n, 1) - 1) * (int64_t)size : 0;
}

static void run_in_place(const axis_pass *pass)
{
    line_set set = {
        .pass = pass,
        .in = pass->in + lowest_of(pass, pass->in_size),
        .out = pass->out + (pass->reduces ? 0 : lowest_of(pass, pass->out_size)),
        .in_stride = {pass->in_stride[AXIS_OUTER], pass->in_stride[AXIS_INNER]},
        .out_stride = {pass->out_stride[AXIS_OUTER], pass->out_stride[AXIS_INNER]},
        .inner = pass->inner,
        .count = pass->outer * pass->inner,
    };
    run_lines(&set);
}

/* Copies between `lines` neighbours of an array and lines without gaps. */
static void copy_lines(char *to, const int64_t to_stride[2], const char *from,
                       const int64_t from_stride[2], size_t n, size_t lines, size_t size)
{
    for (size_t row = 0; row < n; row += COPIED_ROWS)
        for (size_t line = 0; line < lines; line++)
            copy_strided(to + (int64_t)row * to_stride[0] + (int64_t)line * to_stride[1],
                         to_stride[0],
                         from + (int64_t)row * from_stride[0] + (int64_t)line * from_stride[1],
                         from_stride[0], size_min(COPIED_ROWS, n - row), size);
}

static size_t copies_need(const void *state, unsigned lines)
{
    const axis_pass *const pass = state;
    return lines * (whole_lines(pass->n * pass->in_size) +
                    (pass->reduces ? 0 : whole_lines(pass->n * pass->out_size)));
}

/* Combines `lines` neighbours in scratch. There the first element that is combined is the last one in
   reverse, as in memory. */
static void run_copies(const axis_pass *pass, size_t outer, size_t inner, size_t lines,
                       char *scratch)
{
    const size_t in_bytes = whole_lines(pass->n * pass->in_size);
    const size_t out_bytes = pass->reduces ? 0 : whole_lines(pass->n * pass->out_size);
    char *const in = scratch, *const out = scratch + lines * in_bytes;
    const int64_t sign = pass->call->reverse ? -1 : 1;
    const int64_t in_strides[2] = {sign * (int64_t)pass->in_size, (int64_t)in_bytes};
    const int64_t out_strides[2] = {sign * (int64_t)pass->out_size, (int64_t)out_bytes};
    const int64_t from_strides[2] = {pass->in_stride[AXIS_N], pass->in_stride[AXIS_INNER]};
    const int64_t to_strides[2] = {pass->out_stride[AXIS_N], pass->out_stride[AXIS_INNER]};
    char *const to = pass->out + line_place(pass->out_stride, outer, inner);
    line_set set = {.pass = pass,
                    .in = in,
                    .out = pass->reduces ? to : out,
                    .in_stride = {0, in_strides[1]},
                    .out_stride = {0, pass->reduces ? to_strides[1] : out_strides[1]},
                    .inner = lines,
                    .count = lines};
    copy_lines(in - lowest_of(pass, pass->in_size), in_strides,
               pass->in + line_place(pass->in_stride, outer, inner), from_strides, pass->n, lines,
               pass->in_size);
    run_lines(&set);
    if (!pass->reduces)
        copy_lines(to, to_strides, out - lowest_of(pass, pass->out_size), out_strides, pass->n,
                   lines, pass->out_size);
}

parscan_status NAMED(parscan_axis_lines)(const axis_pass *pass)
{
    unsigned lines = (unsigned)size_min(pass->inner, MOST_COPIED);
    void *scratch;
    if (pass->n == 0) { /* there may be no array */
        char none = 0;
        axis_pass empty = *pass;
        empty.in = &none;
        if (pass->reduces)
            run_in_place(&empty);
        return PARSCAN_OK;
    }
    if (has_whole_lines(pass)) {
        run_in_place(pass);
        return PARSCAN_OK;
    }
    const parscan_status status =
        parscan_scratch_of_threads(pass->call->context, &lines, copies_need, pass, &scratch);
    if (status != PARSCAN_OK)
        return status;
    if (pass->call->context->measures) {
        run_in_place(pass);
        return PARSCAN_OK;
    }
    for (size_t outer = 0; outer < pass->outer; outer++)
        for (size_t inner = 0; inner < pass->inner; inner += lines)
            run_copies(pass, outer, inner, size_min(lines, pass->inner - inner), scratch);
    return PARSCAN_OK;
}
