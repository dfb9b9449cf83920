/* The command line of the benchmarks. */
#include <getopt.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

enum { MAX_LOG2N = 36, MAX_THREADS = 4096, MAX_SPIN = 8 };

static const char usage[] =
    "usage: %s [options]   CSV on standard output\n"
    "  --type T       an element type (repeat; default all)\n"
    "  --min K        smallest size 2^K (default 10)\n"
    "  --max K        largest size 2^K (default %u; what does not fit in memory is skipped)\n"
    "  --step K       2^min, 2^(min+K), ... (default 2)\n"
    "  --threads N    a number of CPU threads (repeat; default 1 2, bench_busy 0); 0: every\n"
    "                 processor; all: 1 2 4 8 16 32 48 64 ... all processors\n"
    "  --rows REGEX   only the rows WORK/TYPE/INPUT that have it somewhere (extended)\n"
    "  --list         the names of these rows, nothing measured\n"
    "  --only NAME    only these cases (repeat; * and ? match), and the copies\n"
    "  --reps N       at most N timings a row (default 31)\n"
    "  --min-reps N   at least N (default 3)\n"
    "  --seconds S    as many timings as take S seconds, within these (default 0.15)\n"
    "  --quick        sizes 12, 16, 20, 24; at most 11 timings or 0.03 s: a minute\n"
    "  --cold         empty the caches before each timing\n"
    "  --stream       bench_cuda: short calls in a stream, too, not in a graph\n"
    "  --lengths      bench_cuda: parscan also with its length in device memory, and a 16th of it\n"
    "  --spin K       bench_busy: a condition, K spinning processes a processor (repeat; default\n"
    "                 1 2, or none with --openmp)\n"
    "  --openmp       bench_busy: a condition, the caller's OpenMP team spins\n"
    "  --seed N       of the data (default 1)\n"
    "  --huge-pages   ask the system for huge pages under the arrays\n";

/* clang-format off */
static const struct option long_options[] = {
    {"type", required_argument, NULL, 't'},     {"min", required_argument, NULL, 'a'},
    {"max", required_argument, NULL, 'z'},      {"step", required_argument, NULL, 'p'},
    {"threads", required_argument, NULL, 'j'},  {"rows", required_argument, NULL, 'w'},
    {"only", required_argument, NULL, 'o'},     {"reps", required_argument, NULL, 'r'},
    {"min-reps", required_argument, NULL, 'm'}, {"seconds", required_argument, NULL, 's'},
    {"quick", no_argument, NULL, 'q'},          {"seed", required_argument, NULL, 'e'},
    {"cold", no_argument, NULL, 'c'},           {"list", no_argument, NULL, 'l'},
    {"stream", no_argument, NULL, 'S'},         {"spin", required_argument, NULL, 'k'},
    {"lengths", no_argument, NULL, 'L'},        {"openmp", no_argument, NULL, 'O'},
    {"huge-pages", no_argument, NULL, 'g'},     {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};
/* clang-format on */

void bench_fail_usage(const char *program, const char *what, const char *value)
{
    fprintf(stderr, "%s: %s: %s\n", program, what, value);
    fprintf(stderr, "%s --help tells more\n", program);
    exit(2);
}

unsigned bench_number(const char *program, const char *text, unsigned least, unsigned most)
{
    char *end;
    const unsigned long value = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || value < least || value > most)
        bench_fail_usage(program, "a number out of range", text);
    return (unsigned)value;
}

double bench_positive(const char *program, const char *text)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value > 0 && isfinite(value)))
        bench_fail_usage(program, "not a number of seconds", text);
    return value;
}

static parscan_type type_named(const char *program, const char *name)
{
    for (int type = 1; parscan_type_name((parscan_type)type) != NULL; type++)
        if (strcmp(parscan_type_name((parscan_type)type), name) == 0)
            return (parscan_type)type;
    bench_fail_usage(program, "not an element type", name);
    return PARSCAN_U32;
}

static void quick(bench_options *options)
{
    options->min_log2n = 12;
    options->max_log2n = 24;
    options->step = 4;
    options->min_reps = 3;
    options->reps = 11;
    options->seconds = 0.03;
}

regex_t *bench_compiled(const char *program, const char *text)
{
    regex_t *const rows = malloc(sizeof *rows);
    if (rows == NULL || regcomp(rows, text, REG_EXTENDED | REG_NOSUB) != 0)
        bench_fail_usage(program, "not a regular expression", text);
    return rows;
}

static size_t next_of_list(size_t *count, const char *program, const char *value)
{
    if (*count == BENCH_MAX_LIST)
        bench_fail_usage(program, "too many", value);
    return (*count)++;
}

/* 1, 2, 4, 8, 16, 32, 48, 64, 96, 128, ..., all processors. */
static void fill_all_threads(bench_options *options)
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

/* Handles the options that may be repeated. */
static void add_to_list(bench_options *options, int option, const char *program, const char *value)
{
    if (option == 'j' && strcmp(value, "all") == 0)
        fill_all_threads(options);
    else if (option == 't')
        options->types[next_of_list(&options->type_count, program, value)] =
            type_named(program, value);
    else if (option == 'k')
        options->spin[next_of_list(&options->spins, program, value)] =
            bench_number(program, value, 1, MAX_SPIN);
    else if (option == 'j')
        options->threads[next_of_list(&options->thread_counts, program, value)] =
            bench_number(program, value, 0, MAX_THREADS);
    else
        options->only[next_of_list(&options->only_count, program, value)] = value;
}

static void set_switch(bench_options *options, int option)
{
    options->huge_pages |= option == 'g';
    options->cold |= option == 'c';
    options->stream |= option == 'S';
    options->lengths |= option == 'L';
    options->openmp |= option == 'O';
    options->list |= option == 'l';
}

/* Returns whether the option has a number. */
static bool set_number(bench_options *options, int option, const char *program, const char *value)
{
    const struct {
        int option;
        unsigned *to, least, most;
    } numbers[] = {
        {'a', &options->min_log2n, 3, MAX_LOG2N}, {'z', &options->max_log2n, 3, MAX_LOG2N},
        {'p', &options->step, 1, MAX_LOG2N},      {'r', &options->reps, 1, 1000000},
        {'m', &options->min_reps, 1, 1000000},    {'e', &options->seed, 0, UINT32_MAX}};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (numbers[k].option == option) {
            *numbers[k].to = bench_number(program, value, numbers[k].least, numbers[k].most);
            return true;
        }
    return false;
}

static void set(bench_options *options, int option, const char *program, const char *value)
{
    switch (option) {
    case 't':
    case 'j':
    case 'k':
    case 'o':
        add_to_list(options, option, program, value);
        break;
    case 'w':
        options->rows = bench_compiled(program, value);
        options->rows_text = value;
        break;
    case 's':
        options->seconds = bench_positive(program, value);
        break;
    case 'q':
        quick(options);
        break;
    case 'h':
        printf(usage, program, options->max_log2n);
        exit(EXIT_SUCCESS);
    case '?':
        fprintf(stderr, "%s --help tells more\n", program);
        exit(2);
    default:
        if (!set_number(options, option, program, value))
            set_switch(options, option);
    }
}

bench_options bench_defaults(void)
{
    return (bench_options){
        .min_log2n = 10,
        .max_log2n = 28,
        .step = 2,
        .min_reps = 3,
        .reps = 31,
        .seconds = 0.15,
        .seed = 1,
    };
}

static void fill_threads(bench_options *options)
{
    if (options->thread_counts == 0 && options->all_processors) {
        options->threads[options->thread_counts++] = 0;
    } else if (options->thread_counts == 0) {
        options->threads[options->thread_counts++] = 1;
        options->threads[options->thread_counts++] = 2;
    }
    for (size_t k = 0; k < options->thread_counts; k++)
        if (options->threads[k] == 0)
            options->threads[k] = bench_processors();
}

void bench_parse(bench_options *options, int argc, char **argv)
{
    int option;
    while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1)
        set(options, option, argv[0], optarg);
    if (optind < argc)
        bench_fail_usage(argv[0], "not an option", argv[optind]);
    if (options->min_log2n > options->max_log2n) {
        fprintf(stderr, "%s: --min %u is more than --max %u\n", argv[0], options->min_log2n,
                options->max_log2n);
        exit(2);
    }
    if (options->min_reps > options->reps)
        options->min_reps = options->reps;
    if (options->list) /* once for each row, not for each size and number of threads */
        options->max_log2n = options->min_log2n;
    fill_threads(options);
}

static size_t rows_wanted;

size_t bench_rows_wanted(void)
{
    return rows_wanted;
}

/* "u32+u64" is of the type u32. */
static bool type_wanted(const bench_options *options, const char *type)
{
    bool found = options->type_count == 0;
    for (size_t k = 0; k < options->type_count; k++) {
        const char *const name = parscan_type_name(options->types[k]);
        found |= strncmp(type, name, strlen(name)) == 0;
    }
    return found;
}

bool bench_wanted(const bench_options *options, const char *work, const char *type,
                  const char *input)
{
    char row[256];
    snprintf(row, sizeof row, "%s/%s/%s", work, type, input);
    const bool wanted = type_wanted(options, type) &&
                        (options->rows == NULL || regexec(options->rows, row, 0, NULL, 0) == 0);
    rows_wanted += wanted;
    if (wanted && options->list)
        puts(row);
    return wanted && !options->list;
}
