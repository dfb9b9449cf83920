#include "many_core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "row_blocks.h"
#include "rows.h"

enum { PIECE = 2 << 20, SLACK = 1 << 20 };

/* Untimed calls of a short call take so long (harness.h says why). The first call of a row may still
   be untimed if it takes longer, but not if it takes LONG_SECONDS. */
#define WARM_UP_SECONDS 1e-3
#define LONG_SECONDS 20e-3

const bench_row *bench_row_at(size_t k)
{
    static const bench_row *const parts[] = {rows_scan, rows_segmented, rows_compact, rows_sort,
                                             rows_allocate};
    for (size_t part = 0; part < sizeof parts / sizeof *parts; part++)
        for (const bench_row *row = parts[part]; row->work != NULL; row++)
            if (k-- == 0)
                return row;
    return NULL;
}

bool rows_wanted(const bench_options *options, const bench_row **rows, size_t most)
{
    size_t count = 0;
    for (size_t k = 0; bench_row_at(k) != NULL && count < most; k++) {
        const bench_row *const row = bench_row_at(k);
        if (bench_wanted(options, row->work, row->type, row->input))
            rows[count++] = row;
    }
    rows[count] = NULL;
    if (bench_rows_wanted() == 0)
        fprintf(stderr, "bench: nothing to measure: --rows %s: in no row's WORK/TYPE/INPUT\n",
                options->rows_text);
    return bench_rows_wanted() > 0;
}

const char *bench_row_name(const bench_row *row)
{
    static char name[128];
    snprintf(name, sizeof name, "%s/%s/%s", row->work, row->type, row->input);
    return name;
}

/* Bytes to be set, by all threads. */
typedef struct setting {
    char *to;
    const char *from; /* NULL: to `value` */
    size_t bytes;
    unsigned char value;
} setting;

static void set_piece(void *context, size_t piece)
{
    const setting *const s = context;
    const size_t begin = piece * PIECE, left = s->bytes - begin;
    const size_t bytes = left < PIECE ? left : PIECE;
    if (s->from != NULL)
        memcpy(s->to + begin, s->from + begin, bytes);
    else
        memset(s->to + begin, s->value, bytes);
}

static void set_all(workers *team, setting s)
{
    workers_each(team, (s.bytes + PIECE - 1) / PIECE, set_piece, &s);
}

void row_data_create(row_data *data, workers *team, size_t room, size_t most, bool huge_pages,
                     uint64_t seed)
{
    /* The arrays have different offsets within a page (bench_memory() says why). */
    memset(data, 0, sizeof *data);
    data->team = team;
    data->seed = seed;
    data->room = room;
    data->in = bench_memory(room + SLACK, 0, huge_pages);
    data->more_in = bench_memory(room + SLACK, 1024, huge_pages);
    data->out = bench_memory(room + SLACK, 2048, huge_pages);
    data->more_out = bench_memory(room / 2 + SLACK, 3072, huge_pages);
    data->blocks = calloc(blocks_of(most) + 1, sizeof *data->blocks);
    data->marks = calloc(blocks_of(most) + 1, sizeof *data->marks);
    if (data->blocks == NULL || data->marks == NULL) {
        fputs("bench: no memory for checks\n", stderr);
        exit(EXIT_FAILURE);
    }
    set_all(team, (setting){data->in, NULL, room + SLACK, 0});
    set_all(team, (setting){data->more_in, NULL, room + SLACK, 0});
    set_all(team, (setting){data->out, NULL, room + SLACK, 0});
    set_all(team, (setting){data->more_out, NULL, room / 2 + SLACK, 0});
}

void row_data_destroy(row_data *data)
{
    bench_release(data->in);
    bench_release(data->more_in);
    bench_release(data->out);
    bench_release(data->more_out);
    free(data->blocks);
    free(data->marks);
}

void row_data_restore(row_data *data)
{
    set_all(data->team, (setting){data->out, data->in, data->n * data->row->element_size, 0});
}

void row_data_spoil(row_data *data)
{
    const size_t used = data->n * data->row->array_bytes;
    const size_t bytes = used < data->room ? used + SLACK / 2 : data->room;
    data->result = UINT64_MAX;
    if (data->row->in_place) {
        row_data_restore(data);
        return;
    }
    set_all(data->team, (setting){data->out, NULL, bytes, 0xa5});
    set_all(data->team, (setting){data->more_out, NULL, bytes / 2, 0xa5});
}

const char *row_verify(row_data *data, parscan_context *engine)
{
    row_data_spoil(data);
    workers_settle(data->team);
    if (engine == NULL) {
        data->row->plain(data);
    } else if (data->row->call(data, engine) != PARSCAN_OK) {
        return parscan_context_error(engine);
    }
    return data->row->check(data) ? NULL : "wrong";
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double time_call(void (*call)(void *context), void *context, void (*before)(void *context))
{
    if (before != NULL)
        before(context);
    const double start = bench_now();
    call(context);
    return bench_now() - start;
}

/* Makes calls until the caches and the clocks are warm. Returns the seconds of the fastest. */
static double warm_up(void (*call)(void *context), void *context, void (*before)(void *context))
{
    const double start = bench_now();
    double best = time_call(call, context, before);
    while (bench_now() - start < WARM_UP_SECONDS) {
        const double seconds = time_call(call, context, before);
        best = seconds < best ? seconds : best;
    }
    return best;
}

timings time_calls(void (*call)(void *context), void *context, void (*before)(void *context),
                   const timing_limits *limits)
{
    const double first = warm_up(call, context, before), calls = limits->seconds / first;
    timings result = {.count = calls >= limits->most ? limits->most : (size_t)calls};
    if (result.count < limits->least)
        result.count = limits->least;
    result.seconds = malloc(result.count * sizeof *result.seconds);
    if (result.seconds == NULL) {
        fprintf(stderr, "bench: no memory for %zu timings\n", result.count);
        exit(EXIT_FAILURE);
    }
    /* A long call needs no other one before it, and costs too much to be left out. */
    size_t k = 0;
    if (first > LONG_SECONDS)
        result.seconds[k++] = first;
    const double start = bench_now();
    for (; k < result.count; k++) {
        result.seconds[k] = time_call(call, context, before);
        if (limits->most_seconds > 0 && k + 1 >= limits->least &&
            bench_now() - start > limits->most_seconds)
            result.count = k + 1;
    }
    qsort(result.seconds, result.count, sizeof *result.seconds, by_value);
    return result;
}

double timings_at(const timings *from, double share)
{
    const double at = share * (double)(from->count - 1);
    const size_t below = (size_t)at, above = below + 1 < from->count ? below + 1 : below;
    return from->seconds[below] +
           (at - (double)below) * (from->seconds[above] - from->seconds[below]);
}

static unsigned log2_of(size_t n)
{
    unsigned log2n = 0;
    while (n >> 1 >> log2n > 0)
        log2n++;
    return log2n;
}

bench_group *new_row_group(const char *work, const char *type, const char *input, size_t n)
{
    bench_group *const group = calloc(1, sizeof *group);
    if (group == NULL) {
        fputs("bench: no memory for a group\n", stderr);
        exit(EXIT_FAILURE);
    }
    group->work = work;
    group->type = type;
    group->input = input;
    group->log2n = log2_of(n);
    return group;
}

void write_timings(bench_group *group, bench_case row, const char *words, timings *times)
{
    row.status = words != NULL ? words : "ok";
    row.work = group->work;
    if (words == NULL) {
        row.reps = times->count;
        row.q1 = timings_at(times, 0.25);
        row.median = timings_at(times, 0.5);
        row.q3 = timings_at(times, 0.75);
        free(times->seconds);
    }
    group->cases[0] = row;
    group->count = 1;
    bench_write_group(group);
}

void default_threads(bench_options *options)
{
    const unsigned processors = bench_processors();
    size_t count = 0;
    for (unsigned power = 1; power < processors && count < BENCH_MAX_LIST - 3; power *= 2) {
        options->threads[count++] = power;
        if (power >= 32 && power / 2 * 3 < processors)
            options->threads[count++] = power / 2 * 3;
    }
    options->threads[count++] = processors;
    options->thread_counts = count;
}
