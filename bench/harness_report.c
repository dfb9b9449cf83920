/* What the benchmarks write: the head, the rows, the table for people. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "bench_commit.h"
#include "copy.h"
#include "harness.h"

/* What follows the first occurrence of key in the file at path, up to the end of its line. */
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
    printf("# machine: %s, %ld processors", model, sysconf(_SC_NPROCESSORS_ONLN));
#ifdef _SC_LEVEL1_DCACHE_SIZE
    printf(", caches %ld KiB, %ld KiB, %ld KiB", sysconf(_SC_LEVEL1_DCACHE_SIZE) >> 10,
           sysconf(_SC_LEVEL2_CACHE_SIZE) >> 10, sysconf(_SC_LEVEL3_CACHE_SIZE) >> 10);
#endif
    printf(", %.1f GiB available\n", bench_available_memory() / (1 << 30));
    struct utsname system;
    if (uname(&system) == 0)
        printf("# system: %s %s %s", system.sysname, system.release, system.machine);
    char huge[64];
    if (find_line("/sys/kernel/mm/transparent_hugepage/enabled", "", huge, sizeof huge))
        printf(", huge pages: %s", huge);
    double load;
    if (getloadavg(&load, 1) == 1)
        printf(", load average at the start %.2f", load);
    putchar('\n');
}

static void write_environment(void)
{
    static const char *const names[] = {
        "OMP_WAIT_POLICY", "OMP_PROC_BIND",     "OMP_PLACES",   "OMP_NUM_THREADS", "GOMP_SPINCOUNT",
        "KMP_BLOCKTIME",   "GOMP_CPU_AFFINITY", "PARSCAN_SIMD", "GLIBC_TUNABLES",
    };
    printf("# environment:");
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (getenv(names[k]) != NULL)
            printf(" %s=%s", names[k], getenv(names[k]));
    putchar('\n');
}

static void write_engine(void)
{
    parscan_context *engine;
    if (parscan_context_create(&engine, &PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU)) !=
        PARSCAN_OK)
        return;
    printf("# parscan's SIMD: %s\n", parscan_context_simd(engine));
    parscan_context_destroy(engine);
}

void bench_write_head(const char *benchmark, const bench_options *options)
{
    char date[32];
    const time_t seconds = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&seconds));
    printf("# parscan %s, %s, commit %s, %s\n", parscan_version(), benchmark, BENCH_COMMIT, date);
    write_machine();
    printf("# compiler: %s %s, flags '%s', peers '%s'\n", BENCH_COMPILER, __VERSION__, BENCH_FLAGS,
           BENCH_PEER_FLAGS);
    write_environment();
    write_engine();
    printf("# copy and read: %s; seed %llu; %u to %u timings a row, %g s a row; huge pages %s\n",
           bench_copy_isa(), (unsigned long long)options->seed, options->min_reps, options->reps,
           options->seconds, options->huge_pages ? "asked for" : "not asked for");
    printf("# rows of one type, size and number of threads were interleaved, and verified first;"
           " a ratio is median / the copy's median in the same rows\n"
           "# a name that ends in -1, sequential, openmp-simd and std run on one thread, whatever"
           " the column threads says\n"
           "# bytes: n read and n written; for reduce and read n read\n");
    puts("benchmark,type,log2n,threads,name,median_s,q1_s,q3_s,bytes,gb_per_s,ratio_to_nt_copy,"
         "ratio_to_memcpy,reps");
    fflush(stdout);
}

/* The median of the case that the group's ratios are taken to; NaN: not measured. */
static double median_of(const bench_group *group, bench_role role)
{
    for (size_t k = 0; k < group->count; k++)
        if (group->cases[k].role == role && group->cases[k].run != NULL)
            return group->cases[k].median;
    return NAN;
}

static void write_row(const bench_group *group, const bench_case *c, double nt_copy, double copy)
{
    printf("%s,%s,%u,%u,%s,", group->benchmark, group->type, group->log2n, group->threads, c->name);
    if (c->run == NULL || c->wrong) {
        printf("%s,,,,,,,0\n", c->wrong ? "wrong" : "missing");
        return;
    }
    printf("%.4g,%.4g,%.4g,%.0f,%.4g,%.4g,%.4g,%zu\n", c->median, c->q1, c->q3, c->bytes,
           c->bytes / c->median * 1e-9, c->median / nt_copy, c->median / copy, c->reps);
}

static void table_row(const bench_case *c, double nt_copy, double copy)
{
    if (c->run == NULL || c->wrong) {
        fprintf(stderr, "  %-18s %s\n", c->name, c->wrong ? "WRONG" : "missing");
        return;
    }
    fprintf(stderr, "  %-18s %12.2f  %12.2f %12.2f  %8.2f  %9.2f  %8.2f  %5zu\n", c->name,
            c->median * 1e6, c->q1 * 1e6, c->q3 * 1e6, c->bytes / c->median * 1e-9,
            c->median / nt_copy, c->median / copy, c->reps);
}

void bench_write_group(const bench_group *group)
{
    const double nt_copy = median_of(group, BENCH_NT_COPY), copy = median_of(group, BENCH_MEMCPY);
    for (size_t k = 0; k < group->count; k++)
        write_row(group, &group->cases[k], nt_copy, copy);
    fflush(stdout);
    if (!group->options->table)
        return;
    fprintf(stderr, "%s %s, 2^%u, %u thread%s\n", group->benchmark, group->type, group->log2n,
            group->threads, group->threads == 1 ? "" : "s");
    fprintf(stderr, "  %-18s %12s  %12s %12s  %8s  %9s  %8s  %5s\n", "", "median us", "q1", "q3",
            "GB/s", "x nt-copy", "x memcpy", "reps");
    for (size_t k = 0; k < group->count; k++)
        table_row(&group->cases[k], nt_copy, copy);
}
