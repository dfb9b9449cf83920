/*
 * bench_busy: parscan's CPU primitives, with the defaults of a context, on a machine that does other
 * work too: beside k spinning processes a processor, or in a process whose own OpenMP team spins
 * (OMP_WAIT_POLICY=active). A plain loop or std::sort runs in the same conditions.
 *
 * Each row is measured on the quiet machine and in each condition right after: the median and the
 * worst of up to 200 calls. Results are checked on the quiet machine, and again after the calls
 * beside other work. bench/report/busy.py says which rows break the limits.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "caller_team.h"
#include "many_core.h"
#include "many_options.h"
#include "spinners.h"

static const char usage[] =
    "usage: %s [options]   CSV on standard output\n"
    "  --spin K       a condition: K spinning processes a processor (repeat; default 1 2, or none\n"
    "                 with --openmp)\n"
    "  --openmp       a condition: the caller's OpenMP team spins\n"
    "  --log2n K      arrays of 2^K elements (repeat; default 12 16 20 24 26)\n"
    "  --threads N    threads of the context (default: the library's)\n"
    "  --rows REGEX   only the rows WORK/TYPE/INPUT that have it somewhere (extended)\n"
    "  --list         the names of these rows, nothing measured\n"
    "  --reps N       at most N calls are timed (default 200),\n"
    "  --seconds S    as many as take S seconds on the quiet machine (default 4), but\n"
    "  --min-reps N   at least N (default 11)\n"
    "  --seed N       of the data (default 1)\n"
    "  --small-pages  do not ask the system for huge pages under the arrays\n";

enum {
    DEFAULT_CALLS = 200,
    MAX_ROWS = 64,
    CONTESTANTS = 2,
    PLAIN_MOST = 31,
    CHECKED_PLAIN = 1 << 22
};

/* A plain loop that is so many times slower on the quiet machine is not measured beside other work. */
#define FAR 20

/* Calls beside other work may take so many times the seconds of a row, no more. */
#define PATIENCE 4

typedef struct run {
    const many_options *options;
    row_data data;
    workers *team;
    spinners *spinning;
    parscan_context *engine;
    bool right;
} run;

/* parscan if there is an engine, else the plain loop. */
typedef struct busy_call {
    row_data *data;
    parscan_context *engine;
    size_t quiet_count; /* of timings on the quiet machine */
    double quiet_median;
} busy_call;

static void make_call(void *context)
{
    const busy_call *const c = context;
    if (c->engine != NULL)
        bench_must(c->data->row->call(c->data, c->engine), c->engine);
    else
        c->data->row->plain(c->data);
}

static void wake_team(void *context)
{
    (void)context;
    caller_team_run();
}

static void write_row(const run *r, const char *name, const char *condition, const char *status,
                      const timings *times)
{
    const bench_row *const row = r->data.row;
    unsigned log2n = 0;
    while (r->data.n >> 1 >> log2n > 0)
        log2n++;
    printf("%s,%s,%s,%u,%u,%s,%s,%s,", row->work, row->type, row->input, log2n,
           parscan_context_threads(r->engine), name, condition, status);
    if (times != NULL)
        printf("%zu,%.4g,%.4g,%.4g\n", times->count, timings_at(times, 0.5), timings_at(times, 0.9),
               timings_at(times, 1));
    else
        puts(",,,");
    fflush(stdout);
}

/* The limits of a contestant's timings. The plain loop needs no worst call: its are fewer. */
static timing_limits limits_of(const run *r, const busy_call *call)
{
    const bench_options *const options = &r->options->common;
    if (call->engine != NULL)
        return (timing_limits){options->min_reps, options->reps, options->seconds, 0};
    return (timing_limits){1, options->reps < PLAIN_MOST ? options->reps : PLAIN_MOST,
                           options->seconds / 4, 0};
}

/* Times single calls in the conditions of the moment. */
static void time_condition(run *r, busy_call *call, const char *condition,
                           const timing_limits *limits, void (*before)(void *context))
{
    timings times = time_calls(make_call, call, before, limits);
    if (call->quiet_count == 0) {
        call->quiet_count = times.count;
        call->quiet_median = timings_at(&times, 0.5);
    }
    write_row(r, call->engine != NULL ? "parscan" : "plain", condition, "ok", &times);
    free(times.seconds);
}

/* Beside other work as many calls as on the quiet machine, unless they take far longer. */
static timing_limits busy_limits(const run *r, const busy_call *call)
{
    timing_limits limits = limits_of(r, call);
    limits.most = (unsigned)call->quiet_count;
    limits.least = limits.least < limits.most ? limits.least : limits.most;
    limits.most_seconds = PATIENCE * limits.seconds;
    limits.seconds = HUGE_VAL;
    return limits;
}

/* Measures both contestants in a condition, and checks what the last call has left. */
static void measure_condition(run *r, busy_call *calls, size_t contestants, unsigned spin)
{
    char condition[32] = "openmp";
    if (spin > 0)
        snprintf(condition, sizeof condition, "spin-%u", spin);
    for (size_t k = 0; k < contestants; k++) {
        row_data_spoil(&r->data);
        workers_settle(r->team);
        if (spin > 0)
            spinners_start(r->spinning, spin * bench_processors());
        const timing_limits limits = busy_limits(r, &calls[k]);
        time_condition(r, &calls[k], condition, &limits, spin > 0 ? NULL : wake_team);
        if (spin > 0)
            spinners_stop(r->spinning);
        else
            caller_team_end();
        /* What a row in place leaves are sums of sums. */
        if (!r->data.row->in_place && !r->data.row->check(&r->data)) {
            write_row(r, calls[k].engine != NULL ? "parscan" : "plain", condition, "wrong", NULL);
            r->right = false;
        }
    }
}

/* Returns whether the result is right on the quiet machine, and times the calls. A plain loop over a
   large array is not checked: that takes seconds, and the test of the rows has done it. */
static bool measure_quiet(run *r, busy_call *call)
{
    const timing_limits limits = limits_of(r, call);
    if (call->engine != NULL || r->data.n <= CHECKED_PLAIN) {
        const char *const words = row_verify(&r->data, call->engine);
        if (words != NULL) {
            write_row(r, call->engine != NULL ? "parscan" : "plain", "quiet", words, NULL);
            r->right = false;
            return false;
        }
    }
    workers_settle(r->team);
    time_condition(r, call, "quiet", &limits, NULL);
    return true;
}

static void measure_row(run *r, const bench_row *row, size_t n)
{
    const many_options *const options = r->options;
    busy_call calls[CONTESTANTS] = {{&r->data, r->engine, 0, 0}, {&r->data, NULL, 0, 0}};
    size_t contestants = row->plain != NULL ? CONTESTANTS : 1;
    r->data.row = row;
    r->data.n = n;
    row->fill(&r->data);
    if (options->openmp)
        caller_team_end();
    for (size_t k = 0; k < contestants; k++)
        if (!measure_quiet(r, &calls[k]))
            return;
    if (contestants > 1 && calls[1].quiet_median > FAR * calls[0].quiet_median)
        contestants = 1;
    for (size_t s = 0; s < options->spins; s++)
        measure_condition(r, calls, contestants, options->spin[s]);
    if (options->openmp)
        measure_condition(r, calls, contestants, 0);
}

static void measure_rows(run *r, const bench_row *const *rows)
{
    const many_options *const options = r->options;
    for (size_t s = 0; s < options->sizes; s++)
        for (size_t k = 0; rows[k] != NULL; k++)
            measure_row(r, rows[k], (size_t)1 << options->log2n[s]);
}

static many_options defaults(void)
{
    static const unsigned sizes[] = {12, 16, 20, 24, 26};
    many_options options = {.common = bench_defaults()};
    options.common.huge_pages = true;
    options.common.min_reps = 11;
    options.common.reps = DEFAULT_CALLS;
    options.common.seconds = 4;
    options.common.method = "# each row on the quiet machine, then beside other work: single "
                            "calls, after 1 ms of untimed"
                            " ones; median, nine tenths and worst\n"
                            "# spin-K: beside K spinning processes a processor; openmp: the "
                            "caller's OpenMP team spins\n"
                            "# plain: a loop or std::sort on one thread; where it is more than 20 "
                            "times slower, on the quiet"
                            " machine only\n";
    options.common.columns = "work,type,input,log2n,threads,name,condition,status,calls,median_s,"
                             "nine_tenths_s,worst_s\n";
    memcpy(options.log2n, sizes, sizeof sizes);
    options.sizes = sizeof sizes / sizeof *sizes;
    return options;
}

/* libgomp reads the policy when it is loaded. */
static void begin_with_active_policy(char **argv)
{
    const char *const policy = getenv("OMP_WAIT_POLICY");
    if (policy != NULL && strcmp(policy, "active") == 0)
        return;
    setenv("OMP_WAIT_POLICY", "active", 1);
    execv("/proc/self/exe", argv);
    fprintf(stderr, "bench_busy: cannot begin again with OMP_WAIT_POLICY=active: %s\n",
            strerror(errno));
    exit(EXIT_FAILURE);
}

static unsigned greatest(const unsigned *list, size_t count)
{
    unsigned most = 0;
    for (size_t k = 0; k < count; k++)
        most = list[k] > most ? list[k] : most;
    return most;
}

/* Measures with the arrays, the threads and the context that all rows share. */
static bool measure(const many_options *options, const bench_row *const *rows, spinners *spinning)
{
    const size_t most = (size_t)1 << greatest(options->log2n, options->sizes);
    run r = {.options = options,
             .team = workers_start(bench_processors()),
             .spinning = spinning,
             .engine =
                 bench_engine(options->common.thread_counts > 0 ? options->common.threads[0] : 0),
             .right = true};
    row_data_create(&r.data, r.team, sizeof(uint64_t) * most, most, options->common.huge_pages,
                    options->common.seed);
    char words[128];
    snprintf(words, sizeof words, "# parscan's SIMD: %s, threads: %u\n",
             parscan_context_simd(r.engine), parscan_context_threads(r.engine));
    bench_write_head("bench_busy", &options->common, words);
    bench_begin_rows();
    measure_rows(&r, rows);
    row_data_destroy(&r.data);
    parscan_context_destroy(r.engine);
    workers_stop(r.team);
    return r.right;
}

int main(int argc, char **argv)
{
    many_options options = defaults();
    many_parse(&options, argc, argv, usage);
    if (options.openmp && !caller_team_exists()) {
        fputs("bench_busy: --openmp: this build has no OpenMP\n", stderr);
        return 2;
    }
    const bench_row *rows[MAX_ROWS + 1] = {NULL};
    if (!rows_wanted(&options.common, rows, MAX_ROWS))
        return 2;
    if (options.common.list)
        return EXIT_SUCCESS;
    if (options.common.thread_counts > 1 || options.bytes > 0) {
        fputs("bench_busy: --threads is one number, --bytes is not for it; --help tells more\n",
              stderr);
        return 2;
    }
    if (options.openmp)
        begin_with_active_policy(argv);
    if (!options.openmp && options.spins == 0) {
        options.spin[options.spins++] = 1;
        options.spin[options.spins++] = 2;
    }
    spinners *const spinning =
        spinners_create(greatest(options.spin, options.spins) * bench_processors());
    const bool right = measure(&options, rows, spinning);
    spinners_destroy(spinning);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
