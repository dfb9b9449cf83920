/* What benchmarks need besides timing: memory, processors, engines, random numbers. */
#include <errno.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

enum { PAGE = 4096, HUGE_PAGE = 2 << 20, GUESSED_CACHE = 64 << 20 };

void *bench_memory(size_t size, size_t offset, bool huge_pages)
{
    void *pages = NULL;
    bench_require(posix_memalign(&pages, huge_pages ? HUGE_PAGE : PAGE, size + offset) == 0,
                  "no memory for an array", NULL);
    /* This is a hint only: without huge pages, small ones are measured. */
    if (huge_pages && madvise(pages, size + offset, MADV_HUGEPAGE) != 0)
        fprintf(stderr, "bench: no huge pages: %s\n", strerror(errno));
    return (char *)pages + offset;
}

void bench_release(void *pointer)
{
    free((void *)((uintptr_t)pointer & ~(uintptr_t)(PAGE - 1)));
}

/* Reads the seconds that all processors have worked since the system started, including time
   that was stolen from a virtual machine. */
static bool read_work(double *seconds)
{
    FILE *const file = fopen("/proc/stat", "r");
    if (file == NULL)
        return false;
    double user, nice, system, idle, wait, interrupts, soft, stolen;
    const int fields = fscanf(file, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &user, &nice, &system,
                              &idle, &wait, &interrupts, &soft, &stolen);
    fclose(file);
    *seconds = (user + nice + system + interrupts + soft + stolen) / (double)sysconf(_SC_CLK_TCK);
    return fields == 8;
}

double bench_busy_processors(void)
{
    const long nanoseconds = 300000000;
    double before, after;
    if (!read_work(&before))
        return -1;
    nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
    return read_work(&after) ? (after - before) / (1e-9 * (double)nanoseconds) : -1;
}

size_t bench_last_level_cache(void)
{
    long bytes = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
    bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (bytes <= 0)
        bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    return bytes > 0 ? (size_t)bytes : GUESSED_CACHE;
}

unsigned bench_processors(void)
{
    cpu_set_t processors;
    if (sched_getaffinity(0, sizeof processors, &processors) == 0)
        return (unsigned)CPU_COUNT(&processors);
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

parscan_context *bench_engine(unsigned threads)
{
    char error[256] = "";
    parscan_context *engine = NULL;
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU, .threads = threads, .error = error,
                                .error_size = sizeof error);
    bench_require(parscan_context_create(&engine, &options) == PARSCAN_OK, "a context", error);
    return engine;
}

void bench_require(bool right, const char *what, const char *words)
{
    if (right)
        return;
    fprintf(stderr, "%s: %s%s%s\n", program_invocation_short_name, what, words != NULL ? ": " : "",
            words != NULL ? words : "");
    exit(EXIT_FAILURE);
}

void bench_must(parscan_status status, const parscan_context *engine)
{
    if (status != PARSCAN_OK)
        bench_require(false, parscan_context_error(engine), NULL);
}

static void add_place(int place, cpu_set_t *processors)
{
    int numbers[CPU_SETSIZE];
    const int count = omp_get_place_num_procs(place);
    if (count > CPU_SETSIZE)
        return;
    omp_get_place_proc_ids(place, numbers);
    for (int k = 0; k < count; k++)
        if (numbers[k] < CPU_SETSIZE)
            CPU_SET(numbers[k], processors);
}

void bench_bind_caller(bool binds)
{
    cpu_set_t processors;
    CPU_ZERO(&processors);
    if (omp_get_proc_bind() == omp_proc_bind_false)
        return;
    for (int place = 0; place < (binds ? 1 : omp_get_num_places()); place++)
        add_place(place, &processors);
    sched_setaffinity(0, sizeof processors, &processors); /* otherwise figures are noisier */
}

uint64_t bench_random(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}
