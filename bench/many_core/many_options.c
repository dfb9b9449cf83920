#include "many_options.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_LOG2N = 8, MAX_LOG2N = 31, MAX_THREADS = 1024, MAX_SPIN = 8 };

static const struct option long_options[] = {
    {"threads", required_argument, NULL, 'j'},  {"log2n", required_argument, NULL, 'n'},
    {"bytes", required_argument, NULL, 'b'},    {"rows", required_argument, NULL, 'w'},
    {"seconds", required_argument, NULL, 's'},  {"reps", required_argument, NULL, 'r'},
    {"min-reps", required_argument, NULL, 'm'}, {"seed", required_argument, NULL, 'e'},
    {"spin", required_argument, NULL, 'k'},     {"peer", required_argument, NULL, 'p'},
    {"openmp", no_argument, NULL, 'o'},         {"small-pages", no_argument, NULL, 'g'},
    {"table", no_argument, NULL, 't'},          {"list", no_argument, NULL, 'l'},
    {"help", no_argument, NULL, 'h'},           {NULL, 0, NULL, 0},
};

/* A power of two with K, M or G for a suffix. 0 stays 0. */
static size_t size_of(const char *program, const char *text)
{
    static const char suffixes[] = "KMG";
    char *end;
    const unsigned long long value = strtoull(text, &end, 10);
    const char *const suffix = *end != '\0' ? strchr(suffixes, *end) : NULL;
    const size_t size = (size_t)value << (suffix != NULL ? 10 * (suffix - suffixes + 1) : 0);
    const size_t least = (size_t)16 << MIN_LOG2N, most = (size_t)1 << MAX_LOG2N;
    if (*text < '0' || *text > '9' || (*end != '\0' && (suffix == NULL || end[1] != '\0')) ||
        value > most || (size != 0 && (size < least || size > most)) || (size & (size - 1)) != 0)
        bench_fail_usage(program, "not 0 or a power of two from 4K to 2G", text);
    return size;
}

/* Adds to a list, of which `fresh` says whether it still holds its defaults. */
static void add(unsigned *list, size_t *count, bool *fresh, const char *program, const char *text,
                unsigned least, unsigned most)
{
    if (*fresh)
        *count = 0;
    *fresh = false;
    if (*count == BENCH_MAX_LIST)
        bench_fail_usage(program, "too many", text);
    list[(*count)++] = bench_number(program, text, least, most);
}

/* Handles an option that has a value and is no list. */
static void set(many_options *options, int option, const char *program, const char *value)
{
    bench_options *const common = &options->common;
    switch (option) {
    case 'b':
        options->bytes = size_of(program, value);
        break;
    case 'w':
        common->rows = bench_compiled(program, value);
        common->rows_text = value;
        break;
    case 's':
        common->seconds = bench_positive(program, value);
        break;
    case 'r':
        common->reps = bench_number(program, value, 1, 1000000);
        break;
    case 'm':
        common->min_reps = bench_number(program, value, 1, 1000000);
        break;
    case 'e':
        common->seed = bench_number(program, value, 0, 0xffffffu);
        break;
    case 'p':
        options->peer = value;
        break;
    }
}

static void set_switch(many_options *options, int option)
{
    options->openmp |= option == 'o';
    options->common.huge_pages &= option != 'g';
    options->common.table |= option == 't';
    options->common.list |= option == 'l';
}

void many_parse(many_options *options, int argc, char **argv, const char *usage)
{
    const char *const program = argv[0];
    bool fresh_threads = true, fresh_sizes = true, fresh_spins = true;
    int option;
    while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        set(options, option, program, optarg);
        set_switch(options, option);
        if (option == 'j')
            add(options->common.threads, &options->common.thread_counts, &fresh_threads, program,
                optarg, 1, MAX_THREADS);
        if (option == 'n')
            add(options->log2n, &options->sizes, &fresh_sizes, program, optarg, MIN_LOG2N,
                MAX_LOG2N);
        if (option == 'k')
            add(options->spin, &options->spins, &fresh_spins, program, optarg, 1, MAX_SPIN);
        if (option == 'h') {
            printf(usage, program);
            exit(EXIT_SUCCESS);
        }
        if (option == '?') {
            fprintf(stderr, "%s --help tells more\n", program);
            exit(2);
        }
    }
    if (optind < argc)
        bench_fail_usage(program, "not an option", argv[optind]);
    if (options->common.min_reps > options->common.reps)
        options->common.min_reps = options->common.reps;
}
