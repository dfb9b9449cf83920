/*
 * bench_peer_process: one peer, one row, one size and one number of threads, in a process without
 * parscan's threads and without another peer's. It writes one row of CSV, without a head, as
 * bench_threads does. A peer that was not built is "missing".
 *
 * What a peer sorts in place is copied anew before each call, untimed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "many_core.h"
#include "many_options.h"
#include "peer_functions.h"

static const char usage[] =
    "usage: %s --peer NAME --rows REGEX --threads N --log2n K|--bytes B [options]\n"
    "  --list         the peers and their rows, nothing measured; with --peer, that peer's\n"
    "  --peer NAME    parlaylib, parlaylib-buffers, ips4o, std-par-unseq or std\n"
    "  --rows REGEX   one row WORK/TYPE/INPUT\n"
    "  --threads N    the number of threads (std has one)\n"
    "  --log2n K      2^K elements; or\n"
    "  --bytes B      the elements that bench_threads takes with this option\n"
    "  --seconds S, --reps N, --min-reps N, --seed N, --small-pages, --table\n"
    "                 as bench_threads --help tells\n";

typedef struct peer {
    const char *name;
    peer_lookup *lookup;
    bool sorts_in_place;
} peer;

#ifdef BENCH_HAVE_STD
#define STD(lookup) lookup
#else
#define STD(lookup) NULL
#endif
#ifdef BENCH_HAVE_PARLAYLIB
#define PARLAY(lookup) lookup
#else
#define PARLAY(lookup) NULL
#endif
#ifdef BENCH_HAVE_IPS4O
#define IPS4O(lookup) lookup
#else
#define IPS4O(lookup) NULL
#endif

static const peer peers[] = {
    {"parlaylib", PARLAY(peer_parlay), false},
    {"parlaylib-buffers", PARLAY(peer_parlay_buffers), false},
    {"ips4o", IPS4O(peer_ips4o), true},
    {"std-par-unseq", STD(peer_tbb), true},
    {"std", STD(peer_std), true},
};

enum { PEERS = sizeof peers / sizeof *peers };

/* Whether a peer does what a row does, were it built. */
static bool has(const peer *p, const bench_row *row)
{
    const bool sorts = strcmp(row->work, "sort-keys") == 0;
    return sorts || (strcmp(row->work, "scan") == 0 && strcmp(p->name, "ips4o") != 0);
}

typedef struct peer_call {
    peer_job job;
    peer_function *function;
    row_data *data;
    bool restores;
} peer_call;

/* Gives a sort in place its input again. */
static void restore(void *context)
{
    const peer_call *const c = context;
    if (!c->restores)
        return;
    row_data_restore(c->data);
    workers_settle(c->data->team);
}

static void call_peer(void *context)
{
    const peer_call *const c = context;
    c->function(&c->job);
}

/* Makes one call. Returns NULL if its result is right. */
static const char *verify(peer_call *c)
{
    row_data_spoil(c->data);
    restore(c);
    c->job.keeps = 1;
    call_peer(c);
    c->job.keeps = 0;
    return c->data->row->check(c->data) ? NULL : "wrong";
}

/* Measures, or says that the peer is missing. */
static bool measure(const many_options *options, const peer *p, const bench_row *row)
{
    const unsigned threads = options->common.threads[0];
    const size_t n =
        options->sizes > 0 ? (size_t)1 << options->log2n[0] : options->bytes / row->array_bytes;
    bench_group *const group = new_row_group(row->work, row->type, row->input, n);
    group->options = &options->common;
    group->threads = threads;
    const bench_case result = {
        .name = p->name, .role = BENCH_PEER, .bytes = 2.0 * (double)(n * row->element_size)};
    peer_call call = {.function = p->lookup != NULL ? p->lookup(row->work, row->type) : NULL};
    if (call.function == NULL) {
        write_timings(group, result, "missing", NULL);
        free(group);
        return true;
    }
    row_data data;
    workers *const team = workers_start(bench_processors());
    row_data_create(&data, team, n * row->array_bytes, n, options->common.huge_pages,
                    options->common.seed);
    data.row = row;
    data.n = n;
    row->fill(&data);
    call.data = &data;
    call.restores = p->sorts_in_place && strcmp(row->work, "sort-keys") == 0;
    call.job = (peer_job){
        .in = data.in, .out = data.out, .spare = data.more_in, .n = n, .threads = threads};
    const char *const words = verify(&call);
    timings times = {0};
    if (words == NULL) {
        workers_settle(team);
        times = time_calls(call_peer, &call, restore,
                           &(timing_limits){options->common.min_reps, options->common.reps,
                                            options->common.seconds, 0});
    }
    write_timings(group, result, words, &times);
    row_data_destroy(&data);
    workers_stop(team);
    free(group);
    return words == NULL;
}

static int list(const many_options *options)
{
    for (size_t k = 0; k < PEERS; k++)
        for (size_t r = 0; bench_row_at(r) != NULL; r++)
            if ((options->peer == NULL || strcmp(options->peer, peers[k].name) == 0) &&
                has(&peers[k], bench_row_at(r)))
                printf("%s %s\n", peers[k].name, bench_row_name(bench_row_at(r)));
    return EXIT_SUCCESS;
}

static int fail(const char *words)
{
    fprintf(stderr, "bench_peer_process: %s; --help tells more\n", words);
    return 2;
}

int main(int argc, char **argv)
{
    many_options options = {.common = bench_defaults()};
    options.common.huge_pages = true;
    many_parse(&options, argc, argv, usage);
    if (options.common.list)
        return list(&options);
    const peer *chosen = NULL;
    const bench_row *row = NULL;
    size_t rows = 0;
    for (size_t k = 0; options.peer != NULL && k < PEERS; k++)
        if (strcmp(options.peer, peers[k].name) == 0)
            chosen = &peers[k];
    if (chosen == NULL)
        return fail("--peer: not one peer's name");
    for (size_t r = 0; options.common.rows != NULL && bench_row_at(r) != NULL; r++)
        if (bench_wanted(&options.common, bench_row_at(r)->work, bench_row_at(r)->type,
                         bench_row_at(r)->input) &&
            has(chosen, bench_row_at(r))) {
            row = bench_row_at(r);
            rows++;
        }
    if (rows != 1)
        return fail("--rows: not in the name of one row that the peer has");
    if (options.common.thread_counts != 1)
        return fail("--threads: not one number");
    if (options.sizes + (options.bytes > 0) != 1)
        return fail("--log2n, --bytes: not one size");
    char number[16];
    snprintf(number, sizeof number, "%u", options.common.threads[0]);
    setenv("PARLAY_NUM_THREADS", number, 1);
#ifdef BENCH_HAVE_STD
    peer_limit_tbb(options.common.threads[0]);
#endif
    return measure(&options, chosen, row) ? EXIT_SUCCESS : EXIT_FAILURE;
}
