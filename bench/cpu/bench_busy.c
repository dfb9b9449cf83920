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
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rows.h"
#include "spinners.h"

enum { DEFAULT_CALLS = 200, CONTESTANTS = 2, PLAIN_MOST = 31, CHECKED_PLAIN = 1 << 22 };

/* A plain loop that is so many times slower on the quiet machine is not measured beside other work. */
#define FAR 20

/* Calls beside other work may take so many times the seconds of a row, no more. */
#define PATIENCE 4

/* Untimed calls of a short call take so long (harness.h says why). The first call of a row may still
   be untimed if it takes longer, but not if it takes LONG_SECONDS. */
#define WARM_UP_SECONDS 1e-3
#define LONG_SECONDS 20e-3

/* How often a call is timed: as many times as take `seconds`, within these. */
typedef struct timing_limits {
    unsigned least, most;
    double seconds;
    double most_seconds; /* stop then, whatever the rest says; 0: no such limit */
} timing_limits;

/* The sorted seconds of single calls. */
typedef struct timings {
    size_t count;
    double *seconds;
} timings;

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

/* Times single calls, after untimed ones that warm the caches up; before(context), if not NULL, runs
   untimed before each. Free the result's seconds with free(). */
static timings time_calls(void (*call)(void *context), void *context, void (*before)(void *context),
                          const timing_limits *limits)
{
    const double first = warm_up(call, context, before), calls = limits->seconds / first;
    timings result = {.count = calls >= limits->most ? limits->most : (size_t)calls};
    if (result.count < limits->least)
        result.count = limits->least;
    result.seconds = malloc(result.count * sizeof *result.seconds);
    bench_require(result.seconds != NULL, "no memory for timings", NULL);
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
    bench_sort_samples(result.seconds, result.count);
    return result;
}

static double timings_at(const timings *from, double share)
{
    return bench_quantile(from->seconds, from->count, share);
}

typedef struct run {
    const bench_options *options;
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

/* Runs a parallel region of the caller's OpenMP team on all processors: its threads spin from then on, with
   OMP_WAIT_POLICY=active in the environment. */
static void wake_team(void *context)
{
    static _Atomic unsigned sum;
    (void)context;
#pragma omp parallel num_threads(omp_get_num_procs())
    atomic_fetch_add(&sum, (unsigned)omp_get_thread_num());
}

static void end_team(void)
{
    omp_pause_resource_all(omp_pause_hard);
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
    const bench_options *const options = r->options;
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
            end_team();
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
        const char *const words = row_verify(&r->data, r->data.row->call, call->engine);
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
    const bench_options *const options = r->options;
    busy_call calls[CONTESTANTS] = {{&r->data, r->engine, 0, 0}, {&r->data, NULL, 0, 0}};
    size_t contestants = row->plain != NULL ? CONTESTANTS : 1;
    r->data.row = row;
    r->data.n = n;
    row->fill(&r->data);
    if (options->openmp)
        end_team();
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
    const bench_options *const options = r->options;
    for (unsigned log2n = options->min_log2n; log2n <= options->max_log2n; log2n += options->step)
        for (size_t k = 0; rows[k] != NULL; k++)
            measure_row(r, rows[k], (size_t)1 << log2n);
}

static bench_options defaults(void)
{
    bench_options options = bench_defaults();
    options.huge_pages = true;
    options.min_reps = 11;
    options.reps = DEFAULT_CALLS;
    options.seconds = 4;
    options.method = "# each row on the quiet machine, then beside other work: single "
                     "calls, after 1 ms of untimed"
                     " ones; median, nine tenths and worst\n"
                     "# spin-K: beside K spinning processes a processor; openmp: the "
                     "caller's OpenMP team spins\n"
                     "# plain: a loop or std::sort on one thread; where it is more than 20 "
                     "times slower, on the quiet"
                     " machine only\n";
    options.columns = "work,type,input,log2n,threads,name,condition,status,calls,median_s,"
                      "nine_tenths_s,worst_s\n";
    options.all_processors = true;
    options.min_log2n = 12;
    options.max_log2n = 24;
    options.step = 4;
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
    bench_require(false, "cannot begin again with OMP_WAIT_POLICY=active", strerror(errno));
}

/* Measures with the arrays, the threads and the context that all rows share. */
static bool measure(const bench_options *options, const bench_row *const *rows, spinners *spinning)
{
    const size_t most = (size_t)1 << options->max_log2n;
    run r = {.options = options,
             .team = workers_start(bench_processors()),
             .spinning = spinning,
             .engine = bench_engine(options->threads[0]),
             .right = true};
    row_data_create(&r.data, r.team, sizeof(uint64_t) * most, most, options->huge_pages,
                    options->seed);
    char words[128];
    snprintf(words, sizeof words, "# parscan's SIMD: %s, threads: %u\n",
             parscan_context_simd(r.engine), parscan_context_threads(r.engine));
    bench_write_head("bench_busy", options, words);
    bench_begin_rows();
    measure_rows(&r, rows);
    row_data_destroy(&r.data);
    parscan_context_destroy(r.engine);
    workers_stop(r.team);
    return r.right;
}

int main(int argc, char **argv)
{
    bench_options options = defaults();
    bench_parse(&options, argc, argv);
    const bench_row *rows[MAX_ROWS + 1] = {NULL};
    if (!rows_wanted(&options, rows) || options.list)
        return bench_finish(&options, true);
    if (options.thread_counts > 1) {
        fputs("bench_busy: --threads is one number; --help tells more\n", stderr);
        return 2;
    }
    if (options.openmp)
        begin_with_active_policy(argv);
    if (!options.openmp && options.spins == 0) {
        options.spin[options.spins++] = 1;
        options.spin[options.spins++] = 2;
    }
    unsigned most = 0;
    for (size_t k = 0; k < options.spins; k++)
        most = options.spin[k] > most ? options.spin[k] : most;
    spinners *const spinning = spinners_create(most * bench_processors());
    const bool right = measure(&options, rows, spinning);
    spinners_destroy(spinning);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
