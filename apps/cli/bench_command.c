/* parscan bench: the speed of every primitive on this machine, compared with a memory copy. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/command.h"
#include "apps/cli/measure.h"
#include "apps/cli/progress.h"
#include "apps/cli/session.h"

enum {
    DEFAULT_MEGABYTES = 64,
    DEFAULT_MEGABYTES_CUDA = 256, /* well beyond a GPU's caches */
    MOST_MEGABYTES = 1024,
    DEFAULT_SECONDS = 25, /* so that it takes less than half a minute even on a busy machine */
    LEAST_RUNS = 3,
    WARM_CALLS = 2,
    MOST_RUNS = 21,
    MOST_CALLS = 64, /* in a run */
    MOST_ROWS = 64,  /* in all lists together */
    BAR = 32
};

/* The arrays of a trial are shorter by TRIAL_PART, but have at least TRIAL_LEAST elements. */
enum { TRIAL_PART = 32, TRIAL_LEAST = 1 << 18, TRIAL_CALLS = 5 };

/* Seconds: the trial repeats a row's call for this time, but at least once. */
static const double trial_row = 0.05;

/* Seconds: a row is repeated for this time, but at least LEAST_RUNS times. */
static const double patience = 0.5;

/* Seconds: a run times several calls together if one is shorter than this. */
static const double least_seconds = 0.002;

/* The part of the time that is planned with: long arrays are slower than a trial's, which fit in
   caches. */
static const double planned = 0.6;

/* The part of the time limit that the trial may take. */
static const double trial_part = 0.25;

/* The seconds that a row takes, by a trial on shorter arrays: one call, and all the rest. */
typedef struct row_cost {
    double call, around;
} row_cost;

typedef struct bench_command {
    common_options common;
    uint64_t megabytes; /* 0: not given */
    uint64_t seconds;   /* the time limit */
    double begin, end;  /* when it starts and ends */
    row_cost costs[MOST_ROWS];
    double fill;      /* the seconds that the arrays of a trial took */
    double copy_rate; /* bytes per second */
    bool wrong;       /* a result was wrong */
} bench_command;

enum { OPTION_MEGABYTES = OPTION_OWN, OPTION_SECONDS };

static const measure_row *const row_lists[] = {measure_scans, measure_sorts, measure_compactions,
                                               measure_allocations, NULL};

static const struct option option_list[] = {
    {"megabytes", required_argument, NULL, OPTION_MEGABYTES},
    {"seconds", required_argument, NULL, OPTION_SECONDS},
    {"backend", required_argument, NULL, OPTION_BACKEND},
    {"threads", required_argument, NULL, OPTION_THREADS},
    {"quiet", no_argument, NULL, OPTION_QUIET},
    {0}};

static const help_part help[] = {
    {"usage: parscan bench [options]\n"
     "\n"
     "Measures every primitive on arrays of u32, and checks every result. Prints a line for each: "
     "the\n"
     "median time of a call in milliseconds, the GB/s that it reads and writes, the ratio of that "
     "to\n"
     "the memory copy in the first line, and a bar of that ratio.\n"
     "\n"
     "  --megabytes N         the size of an array in MiB, 1 to 1024; there are five arrays "
     "(default\n"
     "                        64, on CUDA 256, or less where that takes too long)\n"
     "  --seconds N           leave out what does not fit into N seconds (default 25)\n",
     NULL},
    BACKEND_HELP,
    {"                        cuda: the arrays are in the GPU's memory\n" THREADS_HELP
     "  --quiet               print the lines alone, without a heading and bars\n" HELP_HELP,
     NULL},
    EXAMPLE_HELP("parscan bench --megabytes 1"),
    {0}};

static bool take_bench_option(int id, const char *value, void *user, failure *why)
{
    bench_command *const command = user;
    if (id == OPTION_SECONDS)
        return take_size(value, 0, &command->seconds, why);
    if (id != OPTION_MEGABYTES)
        return common_take(&command->common, id, value, why);
    return take_size(value, 1, &command->megabytes, why) &&
           (command->megabytes <= MOST_MEGABYTES ||
            fail(why, "%s is more than %d", value, MOST_MEGABYTES));
}

static int compare_seconds(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Times some calls together; *seconds are those of one of them. */
static parscan_status time_calls(const measure_row *row, measure_data *data, int calls,
                                 double *seconds)
{
    const double begin = seconds_now();
    parscan_status status = PARSCAN_OK;
    for (int k = 0; k < calls && status == PARSCAN_OK; k++)
        status = row->run(data);
    if (status == PARSCAN_OK)
        status = parscan_synchronize(data->context);
    *seconds = (seconds_now() - begin) / calls;
    return status;
}

/* The median of the seconds of a call. Calls are repeated until the end. */
static parscan_status time_row(const measure_row *row, measure_data *data, double end,
                               double *median)
{
    double seconds[MOST_RUNS], one = 0;
    int runs = 0, calls = 1;
    parscan_status status = time_calls(row, data, 1, &one); /* touches memory, wakes threads */
    if (seconds_now() + WARM_CALLS * one >= end) {
        *median = one;
        return status;
    }
    if (status == PARSCAN_OK)
        status = time_calls(row, data, 1, &one);
    if (one * MOST_CALLS < least_seconds)
        calls = MOST_CALLS;
    else if (one < least_seconds)
        calls = (int)(least_seconds / one) + 1;
    const double start = seconds_now();
    double now = start;
    while (status == PARSCAN_OK && runs < MOST_RUNS &&
           (runs == 0 || (now < end && (runs < LEAST_RUNS || now - start < patience)))) {
        status = time_calls(row, data, calls, &seconds[runs++]);
        now = seconds_now();
    }
    qsort(seconds, (size_t)runs, sizeof *seconds, compare_seconds);
    *median = runs > 0 ? seconds[runs / 2] : 0;
    return status;
}

/* The bar of the copy has BAR characters. A longer one is cut, and ends in '>'. */
static void print_bar(double ratio)
{
    const bool beyond = ratio > 1.005;
    const int length = beyond ? BAR : (int)(ratio * BAR + 0.5);
    printf("  %.*s%s", beyond ? length - 1 : length, "################################",
           beyond ? ">" : "");
}

static void print_row(bench_command *command, const measure_row *row, const measure_data *data,
                      double seconds)
{
    const double rate = seconds > 0 ? row->bytes(data) / seconds : 0;
    if (command->copy_rate == 0)
        command->copy_rate = rate;
    const double ratio = command->copy_rate > 0 ? rate / command->copy_rate : 0;
    const bool right = row->check(data);
    printf("%-18s %9.3f %8.2f %6.2f", row->name, 1e3 * seconds, 1e-9 * rate, ratio);
    if (!right)
        printf("  WRONG");
    else if (!command->common.quiet)
        print_bar(ratio);
    putchar('\n');
    fflush(stdout);
    command->wrong |= !right;
}

static parscan_status prepare_bench_row(const measure_row *row, measure_data *data)
{
    if (row->prepare != NULL)
        row->prepare(data);
    return measure_data_send(data);
}

/* Takes the time of everything that a row does, and the best of some calls: the first wakes
   threads, and one may have to wait for a processor. */
static parscan_status try_row(const measure_row *row, measure_data *data, row_cost *cost)
{
    const double start = seconds_now();
    double all = 0;
    parscan_status called = prepare_bench_row(row, data);
    for (int k = 0; k < TRIAL_CALLS && called == PARSCAN_OK && (k < 2 || all < trial_row); k++) {
        double one = 0;
        called = time_calls(row, data, 1, &one);
        all += one;
        cost->call = k == 0 || one < cost->call ? one : cost->call;
    }
    if (called == PARSCAN_OK)
        called = measure_data_fetch(data);
    if (called == PARSCAN_OK)
        row->check(data);
    cost->around = seconds_now() - start - all;
    return called;
}

static double cost_of(const row_cost *cost, int calls)
{
    return cost->around + calls * cost->call;
}

/* The least time that the rows from `row` on take, with arrays of the costs' length. */
static double cost_from(const bench_command *command, size_t row)
{
    double seconds = 0;
    for (; row < MOST_ROWS; row++)
        seconds += cost_of(&command->costs[row], WARM_CALLS + LEAST_RUNS);
    return seconds;
}

/* Runs every row once, to know what it costs: those that are started before `end`. Whether that is
   all of them is told in *tried_all. */
static int try_rows(bench_command *command, session *job, measure_data *data, double end,
                    bool *tried_all, failure *why)
{
    size_t index = 0;
    *tried_all = true;
    for (const measure_row *const *list = row_lists; *list != NULL; list++)
        for (const measure_row *row = *list; row->name != NULL; row++) {
            if (seconds_now() >= end) {
                *tried_all = false;
                return STATUS_DONE;
            }
            const parscan_status tried = try_row(row, data, &command->costs[index++]);
            const int status = session_check(job, tried, why);
            if (status != STATUS_DONE) {
                fail_in(why, row->name);
                return status;
            }
        }
    return STATUS_DONE;
}

/* Multiplies the costs of a trial. */
static void scale_costs(bench_command *command, double times)
{
    for (size_t k = 0; k < MOST_ROWS; k++) {
        command->costs[k].around *= times;
        command->costs[k].call *= times;
    }
}

/* How many elements can be measured in time: at most `most`, at least those of the trial. */
static size_t fit(const bench_command *command, size_t trial, size_t most)
{
    const double all = command->fill + cost_from(command, 0);
    const double left = planned * (command->end - seconds_now());
    while (most / 2 >= trial && all * ((double)most / (double)trial) > left)
        most /= 2;
    return most;
}

/* Tries every row on short arrays, and chooses the length *n for the measurement; not above *n, and
   *n if the user has given it. */
static int plan_bench(bench_command *command, session *job, measure_data *data, size_t *n,
                      failure *why)
{
    const size_t trial = *n / TRIAL_PART > TRIAL_LEAST ? *n / TRIAL_PART : TRIAL_LEAST;
    const double start = seconds_now();
    bool tried_all = false;
    int status = STATUS_FAILED;
    if (measure_data_open(data, trial, why)) {
        command->fill = seconds_now() - start;
        status = try_rows(command, job, data, start + trial_part * (command->end - start),
                          &tried_all, why);
    }
    measure_data_close(data);
    if (command->megabytes == 0)
        *n = tried_all ? fit(command, trial, *n) : trial;
    scale_costs(command, (double)*n / (double)trial);
    return status;
}

static int measure_row_in_time(bench_command *command, session *job, measure_data *data,
                               const measure_row *row, size_t index, failure *why)
{
    /* The copy is always measured: the other rows are compared with it. */
    if (index > 0 &&
        seconds_now() + cost_of(&command->costs[index], WARM_CALLS + 1) > command->end) {
        printf("%-18s left out: no time left (--seconds %.0f)\n", row->name,
               (double)command->seconds);
        return STATUS_DONE;
    }
    double seconds = 0;
    parscan_status called = prepare_bench_row(row, data);
    if (called == PARSCAN_OK)
        called = time_row(row, data, command->end - cost_from(command, index + 1), &seconds);
    if (called == PARSCAN_OK)
        called = measure_data_fetch(data);
    const int status = session_check(job, called, why);
    if (status != STATUS_DONE) {
        fail_in(why, row->name);
        return STATUS_FAILED;
    }
    print_row(command, row, data, seconds);
    return STATUS_DONE;
}

static void print_head(const bench_command *command, const measure_data *data)
{
    if (command->common.quiet)
        return;
    const parscan_backend backend = parscan_context_backend(data->context);
    printf("%zu MiB of u32, %s, ", data->n * sizeof(uint32_t) >> 20, parscan_backend_name(backend));
    if (backend == PARSCAN_BACKEND_CPU) {
        const char *const simd = parscan_context_simd(data->context);
        printf("%u thread%s%s%s", data->threads, data->threads > 1 ? "s" : "",
               simd[0] != '\0' ? ", " : "", simd);
    } else {
        /* Only its name. */
        const char *const device = parscan_context_device(data->context);
        printf("%.*s", (int)strcspn(device, ","), device);
    }
    printf(", medians; results are checked\n\n");
    printf("%-18s %9s %8s %6s\n", "", "ms", "GB/s", "ratio");
}

static int measure_all(bench_command *command, session *job, measure_data *data, failure *why)
{
    size_t index = 0;
    print_head(command, data);
    for (const measure_row *const *list = row_lists; *list != NULL; list++)
        for (const measure_row *row = *list; row->name != NULL; row++) {
            const int status = measure_row_in_time(command, job, data, row, index++, why);
            if (status != STATUS_DONE)
                return status;
        }
    if (!command->wrong)
        return STATUS_DONE;
    fail(why, "a result is wrong");
    return STATUS_FAILED;
}

static int run_bench(session *job, void *user, failure *why)
{
    bench_command *const command = user;
    if (command->common.input != NULL) {
        fail(why, "bench takes no FILE");
        return STATUS_USAGE;
    }
    const unsigned threads = parscan_context_threads(job->context);
    measure_data data = {.context = job->context, .threads = threads > 0 ? threads : 1};
    size_t megabytes = command->megabytes;
    if (megabytes == 0)
        megabytes = parscan_context_backend(job->context) == PARSCAN_BACKEND_CUDA
                        ? DEFAULT_MEGABYTES_CUDA
                        : DEFAULT_MEGABYTES;
    size_t n = (megabytes << 20) / sizeof(uint32_t);
    command->end = command->begin + (double)command->seconds;
    int status = plan_bench(command, job, &data, &n, why);
    if (status != STATUS_DONE)
        return status;
    status = STATUS_FAILED;
    if (measure_data_open(&data, n, why))
        status = measure_all(command, job, &data, why);
    measure_data_close(&data);
    return status;
}

int command_bench(int argc, char **argv)
{
    bench_command command = {.seconds = DEFAULT_SECONDS, .begin = seconds_now()};
    const usage spec = {.command = "bench",
                        .help = help,
                        .options = option_list,
                        .short_options = "",
                        .take = take_bench_option,
                        .user = &command};
    return session_command(&spec, &command.common, run_bench, argc, argv);
}
