/* The output of the benchmarks: the head and the rows. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "bench_commit.h"
#include "harness.h"

/* holds the head until there is a row */
static FILE *head;
static char *head_text;
static size_t head_size;

/* Copies what follows the first occurrence of `key` in the file at `path`, up to the end of its
   line. */
static bool find_line(const char *path, const char *key, char *value, size_t size)
{
    FILE *const file = fopen(path, "r");
    if (file == NULL)
        return false;
    char line[512];
    bool found = false;
    while (!found && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, key, strlen(key)) != 0)
            continue;
        line[strcspn(line, "\n")] = '\0';
        const char *const from = line + strlen(key);
        snprintf(value, size, "%s", from + strspn(from, " \t:"));
        found = true;
    }
    fclose(file);
    return found;
}

double bench_available_memory(void)
{
    char value[64];
    if (find_line("/proc/meminfo", "MemAvailable", value, sizeof value))
        return 1024 * strtod(value, NULL);
    return (double)sysconf(_SC_PHYS_PAGES) / 2 * (double)sysconf(_SC_PAGESIZE);
}

static void write_machine(void)
{
    char model[256] = "unknown processor";
    find_line("/proc/cpuinfo", "model name", model, sizeof model);
    fprintf(head, "# machine: %s, %ld processors", model, sysconf(_SC_NPROCESSORS_ONLN));
#ifdef _SC_LEVEL1_DCACHE_SIZE
    fprintf(head, ", caches %ld KiB, %ld KiB, %ld KiB", sysconf(_SC_LEVEL1_DCACHE_SIZE) >> 10,
            sysconf(_SC_LEVEL2_CACHE_SIZE) >> 10, sysconf(_SC_LEVEL3_CACHE_SIZE) >> 10);
#endif
    fprintf(head, ", %.1f GiB available\n", bench_available_memory() / (1 << 30));
    struct utsname system;
    if (uname(&system) == 0)
        fprintf(head, "# system: %s %s %s", system.sysname, system.release, system.machine);
    char huge[64];
    if (find_line("/sys/kernel/mm/transparent_hugepage/enabled", "", huge, sizeof huge))
        fprintf(head, ", huge pages: %s", huge);
    /* Where it is off, a load waits for the address of every store before it: sorts are slow then. */
    char bypass[64];
    if (find_line("/proc/self/status", "Speculation_Store_Bypass", bypass, sizeof bypass))
        fprintf(head, ", store bypass: %s", bypass);
    double load;
    if (getloadavg(&load, 1) == 1)
        fprintf(head, ", load average at the start %.2f", load);
    fputc('\n', head);
}

/* Writes what else ran on the machine, for readers of the results. */
static void write_quiet(void)
{
    const double quiet = 0.2, busy = bench_busy_processors();
    if (busy < 0)
        return;
    fprintf(head, "# %squiet: other work kept %.2f processors busy before the start\n",
            busy > quiet ? "not " : "", busy);
    if (busy > quiet)
        fprintf(stderr, "bench: not a quiet machine: other work keeps %.2f processors busy\n",
                busy);
}

static void write_environment(void)
{
    static const char *const names[] = {
        "OMP_WAIT_POLICY", "OMP_PROC_BIND",     "OMP_PLACES",   "OMP_NUM_THREADS", "GOMP_SPINCOUNT",
        "KMP_BLOCKTIME",   "GOMP_CPU_AFFINITY", "PARSCAN_SIMD", "GLIBC_TUNABLES",
    };
    fprintf(head, "# environment:");
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (getenv(names[k]) != NULL)
            fprintf(head, " %s=%s", names[k], getenv(names[k]));
    fputc('\n', head);
}

/* How the caches were prepared. */
static const char *cache_word(const bench_options *options)
{
    return options->cold ? "cold" : "warm";
}

static void write_method(const bench_options *options)
{
    fprintf(head, "# seed %llu; %u to %u timings a row, %g s a row; huge pages %s\n",
            (unsigned long long)options->seed, options->min_reps, options->reps, options->seconds,
            options->huge_pages ? "asked for" : "not asked for");
    if (options->method != NULL) {
        fputs(options->method, head);
        return;
    }
    if (options->cold)
        fputs("# cold: each call found its arrays in memory, not in a cache: arrays rotate through"
              " twice the last-level cache, or that much is written before each timing\n",
              head);
    else
        fputs("# warm: untimed calls before each timing of a short call, for 0.3 ms, on a GPU one"
              " call or one graph; arrays beyond the caches are cold by size\n",
              head);
    fputs(
        "# rows of one input, size and number of threads were interleaved, and verified first\n"
        "# 20 ms between contestants with threads of different libraries\n"
        "# threads 0: a GPU. Peers that have no threads run on one: openmp-simd, std, loop, vqsort,"
        " highway, numpy, names in -1\n"
        "# bytes: that the work must read and write; share_of_copy: bytes a second beside the"
        " fastest copy's of the same rows\n"
        "# way: graph, 64 equal calls in a CUDA graph; chain, each of the 64 reads what"
        " the last one wrote; direct, one by one\n"
        "# times_peer: the best peer's median at the same work / this median; missing: a peer that"
        " is not on this machine\n",
        head);
}

void bench_write_head(const char *benchmark, const bench_options *options, const char *more)
{
    if (options->list)
        return;
    if ((head = open_memstream(&head_text, &head_size)) == NULL) {
        fputs("bench: no memory for the head\n", stderr);
        exit(EXIT_FAILURE);
    }
    char date[32];
    const time_t seconds = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&seconds));
    fprintf(head, "# parscan %s, %s, commit %s, %s\n", parscan_version(), benchmark, BENCH_COMMIT,
            date);
    write_machine();
    write_quiet();
    fprintf(head, "# compiler: %s %s, flags '%s', peers '%s'\n", BENCH_COMPILER, __VERSION__,
            BENCH_FLAGS, BENCH_PEER_FLAGS);
    write_environment();
    fputs(more != NULL ? more : "", head);
    write_method(options);
    static const char columns[] =
        "work,type,input,log2n,threads,cache,name,role,status,median_s,q1_s,q3_s,timings,bytes,"
        "gb_per_s,elements_per_s,share_of_copy,times_peer,way\n";
    fputs(options->columns != NULL ? options->columns : columns, head);
}

void bench_write_note(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vfprintf(head != NULL ? head : stdout, format, values);
    va_end(values);
}

void bench_begin_rows(void)
{
    if (head == NULL)
        return;
    fclose(head);
    fputs(head_text, stdout);
    free(head_text);
    head = NULL;
}

static bool timed(const bench_case *c)
{
    return strcmp(c->status, "ok") == 0;
}

static const char *way_of(const bench_case *c)
{
    return c->way != NULL ? c->way : "direct";
}

/* The bandwidth of the fastest copy, in bytes a second; NaN: none. */
static double copy_rate(const bench_group *group)
{
    double best = NAN;
    for (size_t k = 0; k < group->count; k++) {
        const bench_case *const c = &group->cases[k];
        if (c->role == BENCH_COPY && timed(c))
            best = fmax(best, c->bytes / c->median);
    }
    return best;
}

/* The median of the best peer at the work of c, other than c itself; NaN: none. */
static double peer_median(const bench_group *group, const bench_case *c)
{
    double best = NAN;
    for (size_t k = 0; k < group->count; k++) {
        const bench_case *const peer = &group->cases[k];
        if (peer != c && peer->role == BENCH_PEER && timed(peer) &&
            strcmp(peer->work, c->work) == 0 && strcmp(way_of(peer), way_of(c)) == 0)
            best = fmin(best, peer->median);
    }
    return best;
}

/* Writes a number, or nothing if there is none. */
static void write_ratio(double ratio)
{
    if (isnan(ratio))
        putchar(',');
    else
        printf(",%.4g", ratio);
}

/* Writes a status. A failure's message may contain the separator of columns. */
static void write_status(const char *status)
{
    for (; *status != '\0'; status++)
        putchar(strchr(",\n\"", *status) != NULL ? ';' : *status);
}

static void write_row(const bench_group *group, const bench_case *c)
{
    static const char *const roles[] = {"parscan", "peer", "copy", "reference"};
    printf("%s,%s,%s,%u,%u,%s,%s,%s,", c->work, group->type, group->input, group->log2n,
           group->threads, cache_word(group->options), c->name, roles[c->role]);
    write_status(c->status);
    if (!timed(c)) {
        printf(",,,,,,,,,,%s\n", way_of(c));
        return;
    }
    printf(",%.4g,%.4g,%.4g,%zu,%.0f,%.4g,%.4g", c->median, c->q1, c->q3, c->reps, c->bytes,
           c->bytes / c->median * 1e-9, ldexp(1, (int)group->log2n) / c->median);
    write_ratio(c->bytes / c->median / copy_rate(group));
    write_ratio(c->role == BENCH_PARSCAN || c->role == BENCH_PEER
                    ? peer_median(group, c) / c->median
                    : NAN);
    printf(",%s\n", way_of(c));
}

void bench_write_group(const bench_group *group)
{
    bench_begin_rows();
    for (size_t k = 0; k < group->count; k++)
        write_row(group, &group->cases[k]);
    fflush(stdout);
}
