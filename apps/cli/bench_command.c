/* parscan bench: every primitive of the library on this machine, beside a memory copy. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/command.h"
#include "apps/cli/measure.h"
#include "apps/cli/session.h"

enum {
    DEFAULT_MEGABYTES = 64,
    DEFAULT_MEGABYTES_CUDA = 256, /* well beyond a GPU's caches */
    MOST_MEGABYTES = 1024,
    LEAST_RUNS = 3,
    MOST_RUNS = 21,
    MOST_CALLS = 64, /* of a run */
    BAR = 32
};

/* For a row, when LEAST_RUNS are done. */
static const double patience = 0.5;

/* For a run: shorter calls are timed several at once, without a wait between them. */
static const double least_seconds = 0.002;

typedef struct bench_command {
    common_options common;
    uint64_t megabytes; /* 0: not given */
    double copy_rate;   /* bytes a second */
    bool wrong;         /* a result was */
} bench_command;

enum { OPTION_MEGABYTES = OPTION_OWN };

static const struct option option_list[] = {
    {"megabytes", required_argument, NULL, OPTION_MEGABYTES},
    {"backend", required_argument, NULL, OPTION_BACKEND},
    {"threads", required_argument, NULL, OPTION_THREADS},
    {"quiet", no_argument, NULL, OPTION_QUIET},
    {0}};

static const help_part help[] = {
    {"usage: parscan bench [options]\n"
     "\n"
     "Measures every primitive on arrays of u32, and prints a line for each: the median time of a "
     "call,\n"
     "the bytes that it must read and write in a second, the ratio of that to the memory copy's "
     "in\n"
     "the first line, and a bar of it. Every result is checked.\n"
     "\n"
     "  --megabytes N         the size of an array (default 64, on CUDA 256; there are five)\n",
     NULL},
    BACKEND_HELP,
    {"                        on CUDA the arrays are in the device's memory\n"
     "  --threads N           CPU threads (default: one a processor)\n"
     "  --quiet               the lines alone, without a head and bars\n"
     "  -h, --help            this page\n",
     NULL},
    {0}};

static bool take(int id, const char *value, void *user, failure *why)
{
    bench_command *const command = user;
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

/* The seconds of one of so many calls. */
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

/* The median of the seconds of a call. */
static parscan_status time_row(const measure_row *row, measure_data *data, double *median)
{
    double seconds[MOST_RUNS], one = 0;
    int runs = 0, calls = 1;
    parscan_status status = time_calls(row, data, 1, &one); /* touches memory, wakes threads */
    if (status == PARSCAN_OK)
        status = time_calls(row, data, 1, &one);
    if (one * MOST_CALLS < least_seconds)
        calls = MOST_CALLS;
    else if (one < least_seconds)
        calls = (int)(least_seconds / one) + 1;
    const double start = seconds_now();
    while (status == PARSCAN_OK && runs < MOST_RUNS &&
           (runs < LEAST_RUNS || seconds_now() - start < patience))
        status = time_calls(row, data, calls, &seconds[runs++]);
    qsort(seconds, (size_t)runs, sizeof *seconds, compare_seconds);
    *median = runs > 0 ? seconds[runs / 2] : 0;
    return status;
}

/* The copy's bar is BAR long; a longer one ends in '>'. */
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

static int measure_list(bench_command *command, session *job, measure_data *data,
                        const measure_row *row, failure *why)
{
    for (; row->name != NULL; row++) {
        double seconds = 0;
        if (row->prepare != NULL)
            row->prepare(data);
        parscan_status called = measure_data_send(data);
        if (called == PARSCAN_OK)
            called = time_row(row, data, &seconds);
        if (called == PARSCAN_OK)
            called = measure_data_fetch(data);
        const int status = session_check(job, called, why);
        if (status != STATUS_DONE) {
            fail_in(why, row->name);
            return STATUS_FAILED;
        }
        print_row(command, row, data, seconds);
    }
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
        /* Its name, without the rest. */
        const char *const device = parscan_context_device(data->context);
        printf("%.*s", (int)strcspn(device, ","), device);
    }
    printf(", medians; results are checked\n\n");
    printf("%-18s %9s %8s %6s\n", "", "ms", "GB/s", "ratio");
}

static int measure_all(bench_command *command, session *job, measure_data *data, failure *why)
{
    const measure_row *const lists[] = {measure_scans, measure_sorts, measure_compactions,
                                        measure_allocations};
    print_head(command, data);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const int status = measure_list(command, job, data, lists[i], why);
        if (status != STATUS_DONE)
            return status;
    }
    if (!command->wrong)
        return STATUS_DONE;
    fail(why, "a result is wrong");
    return STATUS_FAILED;
}

static int run(session *job, void *user, failure *why)
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
    int status = STATUS_FAILED;
    if (measure_data_open(&data, (megabytes << 20) / sizeof(uint32_t), why))
        status = measure_all(command, job, &data, why);
    measure_data_close(&data);
    return status;
}

int command_bench(int argc, char **argv)
{
    bench_command command = {0};
    const usage spec = {.command = "bench",
                        .help = help,
                        .options = option_list,
                        .short_options = "",
                        .take = take,
                        .user = &command};
    return session_command(&spec, &command.common, run, argc, argv);
}
