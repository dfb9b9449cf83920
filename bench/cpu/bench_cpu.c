/*
 * bench_cpu: every primitive on the CPU, by each number of threads, compared with its peers, a plain loop or
 * std::sort ("plain") and copies of the same bytes. harness.h tells how it measures, notes/ what was tried.
 *
 * What a peer sorts in place is copied anew before each call, untimed. Peers whose threads stay (parlaylib, ips4o)
 * are measured only where --only names them: in a process of their own.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "copies.h"
#include "peers.h"
#include "rows.h"

/* The share of the available memory that a benchmark may fill: three arrays and a half, and as much as two for
   scratch. */
#define MEMORY_SHARE 0.9
#define ARRAYS 5.5

/* Slow contestants: plain loops and peers on one thread are left out above this size where there are many
   threads; on few elements a copy on the caller's thread does for an array. */
enum { SLOW_LOG2N = 26, MANY = 8, SHORT = 1 << 16 };

typedef struct cpu_case {
    row_data *data;
    parscan_context *engine; /* NULL: the peer, or without one the plain loop */
    row_call *call;
    peer_function *peer;
    peer_job job;
    char failure[256];
} cpu_case;

/* What a group of cases shares. */
typedef struct machine {
    const bench_options *options;
    row_data data;
    workers *everybody; /* for fill and check */
    workers *copiers, *one;
    bench_copies copies, copies_1;
    char *in, *out; /* all of the pools; with --cold the row's arrays lie somewhere in them */
    size_t pool, place;
    cpu_case cases[BENCH_MAX_CASES];
    size_t count;
} machine;

static void run_case(void *context)
{
    cpu_case *const c = context;
    if (c->engine != NULL) {
        bench_must(c->call(c->data, c->engine), c->engine);
    } else if (c->peer != NULL) {
        c->job.in = c->data->in;
        c->job.out = c->data->out;
        c->peer(&c->job);
    } else {
        c->data->row->plain(c->data);
    }
}

static void restore(cpu_case *c)
{
    row_data *const d = c->data;
    if (d->n <= SHORT) {
        memcpy(d->out, d->in, d->n * d->row->element_size);
        return;
    }
    row_data_restore(d);
    workers_settle(d->team);
}

/* For a peer that sorts in place. */
static double time_restored(void *context, size_t runs)
{
    double seconds = 0;
    for (size_t k = 0; k < runs; k++) {
        restore(context);
        const double start = bench_now();
        run_case(context);
        seconds += bench_now() - start;
    }
    return seconds;
}

static bool verify_case(void *context)
{
    cpu_case *const c = context;
    c->failure[0] = '\0';
    if (c->peer == NULL) {
        const char *const words = row_verify(c->data, c->call, c->engine);
        if (words != NULL && strcmp(words, "wrong") != 0)
            snprintf(c->failure, sizeof c->failure, "%s", words);
        return words == NULL;
    }
    row_data_spoil(c->data);
    restore(c);
    c->job.keeps = 1;
    run_case(c);
    c->job.keeps = 0;
    c->data->result = c->job.result;
    return c->data->row->check(c->data);
}

static const char *failure_of(void *context)
{
    const cpu_case *const c = context;
    return c->failure[0] != '\0' ? c->failure : NULL;
}

static void add(machine *m, bench_group *group, bench_case added, cpu_case given)
{
    cpu_case *const c = &m->cases[m->count++];
    *c = given;
    c->data = &m->data;
    added.run = added.status != NULL ? NULL : run_case;
    added.verify = verify_case;
    added.failure = failure_of;
    added.context = c;
    added.bytes = m->data.row->bytes(&m->data);
    if (group->threads == 1)
        added.pool = BENCH_POOL_NONE;
    bench_add(group, added);
}

static void add_parscan(machine *m, bench_group *group, parscan_context *engine)
{
    const bench_row *const row = m->data.row;
    const bench_pool pool = BENCH_POOL_PARSCAN;
    add(m, group, (bench_case){.name = row->variants != NULL ? "auto" : "parscan", .pool = pool},
        (cpu_case){.engine = engine, .call = row->call});
    for (const row_variant *v = row->variants; v != NULL && v->name != NULL; v++)
        if (v->max_log2n == 0 || group->log2n <= v->max_log2n)
            add(m, group, (bench_case){.name = v->name, .pool = pool},
                (cpu_case){.engine = engine, .call = v->call});
}

static void add_peer(machine *m, bench_group *group, const bench_peer *peer)
{
    const row_data *const d = &m->data;
    const bench_row *const row = d->row;
    peer_function *const function =
        peer->lookup != NULL ? peer->lookup(row->work, row->type) : NULL;
    const bool sorts = strcmp(row->work, "sort-keys") == 0 &&
                       strncmp(peer->name, "parlaylib", strlen("parlaylib")) != 0;
    add(m, group,
        (bench_case){.name = peer->name,
                     .role = BENCH_PEER,
                     .pool = peer->pool,
                     .time = sorts ? time_restored : NULL,
                     .status = function == NULL ? "missing" : NULL},
        (cpu_case){.peer = function,
                   .job = {.spare = d->more_in,
                           .counts = d->more_out,
                           .n = d->n,
                           .bins = row->parameter,
                           .limit = (uint32_t)((uint64_t)row->parameter * UINT32_MAX / 100),
                           .threads = group->threads}});
}

static void add_peers(machine *m, bench_group *group)
{
    const bench_row *const row = m->data.row;
    const bool slow = group->threads >= MANY && group->log2n > SLOW_LOG2N;
    if (row->plain != NULL && !slow)
        add(m, group, (bench_case){.name = "plain", .role = BENCH_PEER}, (cpu_case){0});
    for (const bench_peer *peer = bench_peers; peer->name != NULL; peer++) {
        regex_t *const works = bench_compiled("bench_cpu", peer->works);
        const bool has = regexec(works, row->work, 0, NULL, 0) == 0;
        regfree(works);
        free(works);
        if (has &&
            (!peer->alone || (m->options->only_count > 0 && bench_named(m->options, peer->name))) &&
            !(slow && peer->pool == BENCH_POOL_NONE))
            add_peer(m, group, peer);
    }
}

/* Selects other arrays, but not the next ones, which the hardware may have prefetched already. */
static void rotate(void *context)
{
    enum { PAGE = 4096, JUMP = 7919 };
    machine *const m = context;
    const size_t bytes = m->data.n * m->data.row->element_size;
    const size_t room = (bytes + PAGE - 1) / PAGE * PAGE, pairs = m->pool / room;
    m->place = pairs > 1 ? (m->place + JUMP) % pairs : 0;
    m->data.in = m->in + m->place * room;
    m->data.out = m->out + m->place * room;
    m->copies.in = m->copies_1.in = m->data.in;
    m->copies.out = m->copies_1.out = m->data.out;
}

/* Scans read and write two arrays only, all of whose pools is filled. */
static void use_pools(machine *m, bench_group *group)
{
    row_data *const d = &m->data;
    const size_t n = d->n;
    if (!m->options->cold || strcmp(d->row->work, "scan") != 0)
        return;
    d->n = m->pool / d->row->element_size;
    d->row->fill(d);
    d->n = n;
    group->rotate = rotate;
    group->cold_context = m;
}

static bool measure(machine *m, const bench_row *row, unsigned log2n, unsigned threads)
{
    row_data *const d = &m->data;
    bench_group *const group =
        bench_new_group(m->options, row->work, row->type, row->input, log2n, threads);
    parscan_context *const engine = bench_engine(threads);
    const size_t bytes = (d->n * row->element_size + 7) / 8 * 8;
    d->in = m->in;
    d->out = m->out;
    m->count = 0;
    m->copiers = workers_start(threads);
    m->copies = (bench_copies){m->copiers, d->in, d->out, bytes, 0};
    m->copies_1 = (bench_copies){m->one, d->in, d->out, bytes, 0};
    peer_limit_tbb(threads);
    add_parscan(m, group, engine);
    add_peers(m, group);
    bench_add_copies(group, &m->copies, false);
    if (threads > 1)
        bench_add_copies(group, &m->copies_1, true);
    use_pools(m, group);
    workers_settle(m->everybody);
    const bool right = bench_measure(group);
    parscan_context_destroy(engine);
    workers_stop(m->copiers);
    free(group);
    d->in = m->in;
    d->out = m->out;
    return right;
}

static bool measure_rows(machine *m, const bench_row *const *rows, size_t room)
{
    const bench_options *const options = m->options;
    bool right = true;
    for (size_t k = 0; rows[k] != NULL; k++) {
        for (unsigned log2n = options->min_log2n; log2n <= options->max_log2n;
             log2n += options->step) {
            if ((size_t)rows[k]->array_bytes << log2n > room)
                break;
            m->data.row = rows[k];
            m->data.n = (size_t)1 << log2n;
            rows[k]->fill(&m->data);
            for (size_t t = 0; t < options->thread_counts; t++)
                right &= measure(m, rows[k], log2n, options->threads[t]);
        }
    }
    return right;
}

static void write_head(const bench_options *options)
{
    char words[1024];
    parscan_context *const engine = bench_engine(1);
    snprintf(words, sizeof words, "# parscan's SIMD: %s; copy and read: %s\n# peers: %s\n",
             parscan_context_simd(engine), bench_copy_isa(), peer_versions());
    parscan_context_destroy(engine);
    bench_write_head("bench_cpu", options, words);
}

/* The bytes of an array for all that is measured, or for what fits in memory. */
static size_t room_of(const bench_options *options, const bench_row *const *rows)
{
    size_t room = 0;
    for (size_t k = 0; rows[k] != NULL; k++)
        if ((size_t)rows[k]->array_bytes << options->max_log2n > room)
            room = (size_t)rows[k]->array_bytes << options->max_log2n;
    const size_t all = room;
    while (ARRAYS * (double)room > MEMORY_SHARE * bench_available_memory())
        room /= 2;
    if (room < all)
        bench_write_note("# no memory for arrays over %zu MiB\n", room >> 20);
    return room;
}

int main(int argc, char **argv)
{
    /* LLVM's OpenMP spins 200 ms by default, longer than the harness waits before TBB is
       measured. */
    setenv("KMP_BLOCKTIME", "15", 0);
    bench_options options = bench_defaults();
    bench_parse(&options, argc, argv);
    const bench_row *rows[MAX_ROWS + 1] = {NULL};
    if (!rows_wanted(&options, rows) || options.list)
        return bench_finish(&options, true);
    char number[16];
    snprintf(number, sizeof number, "%u", options.threads[0]);
    setenv("PARLAY_NUM_THREADS", number, 0);
    write_head(&options);
    const size_t room = room_of(&options, rows);
    const size_t cold = options.cold ? 2 * bench_last_level_cache() : 0;
    machine *const m = calloc(1, sizeof *m);
    if (m == NULL)
        return EXIT_FAILURE;
    m->options = &options;
    m->everybody = workers_start(bench_processors());
    m->one = workers_start(1);
    m->pool = room > cold ? room : cold;
    row_data_create(&m->data, m->everybody, m->pool, m->pool, options.huge_pages, options.seed);
    m->in = m->data.in;
    m->out = m->data.out;
    const bool right = measure_rows(m, rows, room);
    row_data_destroy(&m->data);
    workers_stop(m->one);
    workers_stop(m->everybody);
    free(m);
    return bench_finish(&options, right);
}
