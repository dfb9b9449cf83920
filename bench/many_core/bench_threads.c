/*
 * bench_threads: parscan's CPU primitives with 1, 2, 4, 8, ... threads, on arrays of 2^20 and 2^22
 * elements and of gigabytes, beside copies and reads of the same bytes.
 *
 * "nt-copy" and "read" are measured with every number of threads; share_of_copy of the other rows
 * is relative to the fastest non-temporal copy with any number of threads. Rows run one after
 * another, not in turn: a context's threads end before the next number of threads begins.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "copy.h"
#include "many_core.h"
#include "many_options.h"

static const char usage[] =
    "usage: %s [options]   CSV on standard output\n"
    "  --threads N    a number of threads (repeat; default 1 2 4 8 16 32 48 64 ... all "
    "processors)\n"
    "  --log2n K      arrays of 2^K elements (repeat; default 20 22)\n"
    "  --bytes B      large arrays of so many bytes, a power of two (default 2G; 0: none)\n"
    "  --rows REGEX   only the rows WORK/TYPE/INPUT that have it somewhere (extended)\n"
    "  --list         the names of these rows, nothing measured\n"
    "  --seconds S    as many timings as take S seconds (default 0.15), but\n"
    "  --reps N       at most N (default 31) and\n"
    "  --min-reps N   at least N (default 3)\n"
    "  --seed N       of the data (default 1)\n"
    "  --small-pages  do not ask the system for huge pages under the arrays\n"
    "  --table        for people too, on standard error\n";

enum { MAX_LIMITS = 64 };

/* The fastest copy and read of so many bytes, in bytes a second. */
typedef struct limit {
    size_t bytes;
    double copy_rate;
} limit;

typedef struct run {
    const many_options *options;
    timing_limits timing;
    row_data data;
    workers *everybody;
    limit limits[MAX_LIMITS];
    size_t limit_count;
    bool right;
} run;

/* ---- copies and reads ---- */

typedef struct copying {
    workers *team;
    void *to;
    const void *from;
    size_t bytes;
    _Atomic uint64_t sum;
} copying;

static void copy_share(void *context, unsigned share)
{
    const copying *const c = context;
    const unsigned shares = workers_count(c->team);
    const size_t begin = bench_share_begin(c->bytes, shares, share);
    bench_nt_copy_share((char *)c->to + begin, (const char *)c->from + begin,
                        bench_share_begin(c->bytes, shares, share + 1) - begin);
}

static void read_share(void *context, unsigned share)
{
    copying *const c = context;
    const unsigned shares = workers_count(c->team);
    const size_t begin = bench_share_begin(c->bytes, shares, share);
    atomic_fetch_add(&c->sum,
                     bench_read_share((const char *)c->from + begin,
                                      bench_share_begin(c->bytes, shares, share + 1) - begin));
}

static void compare_share(void *context, unsigned share)
{
    copying *const c = context;
    const unsigned shares = workers_count(c->team);
    const size_t begin = bench_share_begin(c->bytes, shares, share);
    if (memcmp((const char *)c->to + begin, (const char *)c->from + begin,
               bench_share_begin(c->bytes, shares, share + 1) - begin) != 0)
        atomic_store(&c->sum, 1);
}

static void copy_all(void *context)
{
    workers_run(((copying *)context)->team, copy_share, context);
}

static void read_all(void *context)
{
    workers_run(((copying *)context)->team, read_share, context);
}

static bench_group *new_group(const run *r, const char *work, const char *type, const char *input,
                              size_t n)
{
    bench_group *const group = new_row_group(work, type, input, n);
    group->options = &r->options->common;
    return group;
}

/* Copies and reads so many bytes with one number of threads. Returns the copy's bytes a second. */
static double measure_limit(run *r, bench_group *group, size_t bytes, unsigned threads)
{
    workers *const team = workers_start(threads);
    copying copies = {team, r->data.out, r->data.in, bytes, 0};
    group->threads = threads;
    copy_all(&copies);
    workers_run(team, compare_share, &copies);
    const bool same = atomic_load(&copies.sum) == 0;
    r->right &= same;
    timings times = time_calls(copy_all, &copies, NULL, &r->timing);
    const double rate = 2 * (double)bytes / timings_at(&times, 0.5);
    write_timings(group,
                  (bench_case){.name = "nt-copy", .role = BENCH_COPY, .bytes = 2 * (double)bytes},
                  same ? NULL : "wrong", &times);
    if (!same)
        free(times.seconds);
    times = time_calls(read_all, &copies, NULL, &r->timing);
    write_timings(group,
                  (bench_case){.name = "read", .role = BENCH_REFERENCE, .bytes = (double)bytes},
                  NULL, &times);
    workers_stop(team);
    return rate;
}

/* The numbers of threads that copies are measured with: the default ones, and those asked for. */
static bench_options copy_threads(const run *r)
{
    const bench_options *const asked = &r->options->common;
    bench_options all = *asked;
    default_threads(&all);
    for (size_t k = 0; k < asked->thread_counts; k++) {
        bool known = false;
        for (size_t j = 0; j < all.thread_counts; j++)
            known |= all.threads[j] == asked->threads[k];
        if (!known && all.thread_counts < BENCH_MAX_LIST)
            all.threads[all.thread_counts++] = asked->threads[k];
    }
    return all;
}

/* The fastest copy of so many bytes, measured when it is first asked for. */
static double copy_rate(run *r, size_t bytes)
{
    for (size_t k = 0; k < r->limit_count; k++)
        if (r->limits[k].bytes == bytes)
            return r->limits[k].copy_rate;
    const bench_options all = copy_threads(r);
    double best = 0;
    bench_group *const group = new_group(r, "copy", "u8", "any", bytes);
    workers_settle(r->everybody);
    for (size_t k = 0; k < all.thread_counts; k++) {
        const double rate = measure_limit(r, group, bytes, all.threads[k]);
        best = rate > best ? rate : best;
    }
    free(group);
    if (r->limit_count < MAX_LIMITS)
        r->limits[r->limit_count++] = (limit){bytes, best};
    return best;
}

/* ---- parscan ---- */

typedef struct parscan_call {
    row_data *data;
    parscan_context *engine;
} parscan_call;

static void call_parscan(void *context)
{
    const parscan_call *const c = context;
    bench_must(c->data->row->call(c->data, c->engine), c->engine);
}

static void measure_threads(run *r, bench_group *group)
{
    parscan_call call = {&r->data, bench_engine(group->threads)};
    timings times = {0};
    const char *const words = row_verify(&r->data, call.engine);
    r->right &= words == NULL;
    if (words == NULL) {
        workers_settle(r->everybody);
        times = time_calls(call_parscan, &call, NULL, &r->timing);
    }
    write_timings(group,
                  (bench_case){.name = "parscan",
                               .role = BENCH_PARSCAN,
                               .bytes = r->data.row->bytes(&r->data)},
                  words, &times);
    parscan_context_destroy(call.engine);
}

/* Measures a row with n elements, beside copies of `limit_bytes` bytes. */
static void measure_row(run *r, const bench_row *row, size_t n, size_t limit_bytes)
{
    bench_group *const group = new_group(r, row->work, row->type, row->input, n);
    group->copy_rate = copy_rate(r, limit_bytes);
    r->data.row = row;
    r->data.n = n;
    row->fill(&r->data);
    for (size_t k = 0; k < r->options->common.thread_counts; k++) {
        group->threads = r->options->common.threads[k];
        measure_threads(r, group);
    }
    free(group);
}

/* Large arrays first: copies of gigabytes are the limit of most rows. */
static void measure_rows(run *r, const bench_row *const *rows)
{
    const many_options *const options = r->options;
    for (size_t k = 0; options->bytes > 0 && rows[k] != NULL; k++)
        measure_row(r, rows[k], options->bytes / rows[k]->array_bytes, options->bytes);
    for (size_t s = 0; s < options->sizes; s++)
        for (size_t k = 0; rows[k] != NULL; k++)
            measure_row(r, rows[k], (size_t)1 << options->log2n[s],
                        (size_t)rows[k]->element_size << options->log2n[s]);
}

/* The bytes of an array that has room for all that is measured. */
static size_t room_of(const many_options *options)
{
    size_t room = options->bytes;
    for (size_t s = 0; s < options->sizes; s++)
        if (sizeof(uint64_t) << options->log2n[s] > room)
            room = sizeof(uint64_t) << options->log2n[s];
    return room;
}

static void write_head(const many_options *options)
{
    char words[256];
    parscan_context *const engine = bench_engine(1);
    snprintf(words, sizeof words, "# parscan's SIMD: %s; copy and read: %s\n",
             parscan_context_simd(engine), bench_copy_isa());
    parscan_context_destroy(engine);
    bench_write_head("bench_threads", &options->common, words);
}

int main(int argc, char **argv)
{
    enum { MAX_ROWS = 64 };
    many_options options = {.common = bench_defaults(), .bytes = (size_t)2 << 30};
    options.common.huge_pages = true;
    options.common.method =
        "# rows one after another, verified first; 1 ms of untimed calls before the timings\n"
        "# share_of_copy: bytes a second beside those of the fastest non-temporal copy of as large"
        " arrays with any number of threads\n";
    options.log2n[options.sizes++] = 20;
    options.log2n[options.sizes++] = 22;
    default_threads(&options.common);
    many_parse(&options, argc, argv, usage);
    const bench_row *rows[MAX_ROWS + 1] = {NULL};
    if (!rows_wanted(&options.common, rows, MAX_ROWS))
        return 2;
    if (options.common.list)
        return EXIT_SUCCESS;
    const size_t room = room_of(&options);
    if (room == 0) {
        fputs("bench_threads: nothing to measure: neither --bytes nor --log2n\n", stderr);
        return 2;
    }
    /* Three arrays and a half, and as much as two for scratch. */
    if (5.5 * (double)room > 0.9 * bench_available_memory()) {
        fprintf(stderr, "bench: no memory for arrays of %zu bytes\n", room);
        return 2;
    }
    write_head(&options);
    run r = {.options = &options,
             .timing = {options.common.min_reps, options.common.reps, options.common.seconds, 0},
             .everybody = workers_start(bench_processors()),
             .right = true};
    row_data_create(&r.data, r.everybody, room, room, options.common.huge_pages,
                    options.common.seed);
    measure_rows(&r, rows);
    row_data_destroy(&r.data);
    workers_stop(r.everybody);
    return r.right ? EXIT_SUCCESS : EXIT_FAILURE;
}
