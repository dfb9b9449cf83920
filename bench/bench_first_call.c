#define _DEFAULT_SOURCE /* clock_gettime(), setenv() */

/*
 * The first call of a new operator of the caller's on CUDA, in a process of its own without caches: from the call
 * to its result, when the context is there. And the same with the code of parscan_operator_save(). Prints CSV,
 * milliseconds, each the median of PROCESSES processes.
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "parscan/operator.h"
#include "parscan/parscan.h"

enum { PROCESSES = 7, N = 1 << 16, MOST_BLOB = 1 << 20 };

typedef struct kind {
    const char *name;
    parscan_operator_options options;
} kind;

static const int no_range[2] = {0x7fffffff, -0x7fffffff - 1};
static const double no_map[2] = {1, 0};

static const kind kinds[] = {
    {"pairs of 8 bytes",
     {.struct_size = sizeof(parscan_operator_options),
      .element_size = 8,
      .commutes = 1,
      .identity = no_range,
      .cuda_source = "struct range { int low, high; };\n"
                     "__device__ range both(range a, range b, const void *)\n"
                     "{ return range{min(a.low, b.low), max(a.high, b.high)}; }\n",
      .cuda_type = "range",
      .cuda_function = "both"}},
    {"affine maps of 16 bytes",
     {.struct_size = sizeof(parscan_operator_options),
      .element_size = 16,
      .identity = no_map,
      .cuda_source = "struct affine { double a, b; };\n"
                     "__device__ affine both(affine f, affine g, const void *)\n"
                     "{ return affine{g.a * f.a, g.a * f.b + g.b}; }\n",
      .cuda_type = "affine",
      .cuda_function = "both"}},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static void must(parscan_context *context, parscan_status status)
{
    if (status == PARSCAN_OK)
        return;
    fprintf(stderr, "bench_first_call: %s: %s\n", parscan_status_string(status),
            context != NULL ? parscan_context_error(context) : "");
    exit(EXIT_FAILURE);
}

static parscan_status scan(parscan_context *context, const parscan_operator *op, void *array)
{
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.custom = op);
    const parscan_status status =
        parscan_inclusive_scan(context, PARSCAN_CUSTOM, array, array, N, &options);
    return status == PARSCAN_OK ? parscan_synchronize(context) : status;
}

/* What a process measures: the first call, the first one with a blob, and the second. */
typedef struct figures {
    double first, loaded, second;
} figures;

static figures measure(const kind *of)
{
    static char blob[MOST_BLOB];
    figures found;
    parscan_context *context = NULL;
    parscan_operator *op, *other;
    void *array;
    size_t size;
    const parscan_context_options cuda = PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CUDA);
    must(NULL, parscan_context_create(&context, &cuda));
    must(context, parscan_malloc(context, &array, N * of->options.element_size));
    must(context, parscan_operator_create(&op, &of->options));
    must(context, parscan_operator_create(&other, &of->options));
    must(context, parscan_inclusive_scan(context, PARSCAN_U32, array, array, N, NULL));
    must(context, parscan_synchronize(context));
    double begin = milliseconds();
    must(context, scan(context, op, array));
    found.first = milliseconds() - begin;
    begin = milliseconds();
    must(context, scan(context, op, array));
    found.second = milliseconds() - begin;
    must(context, parscan_operator_save(context, op, blob, sizeof blob, &size));
    begin = milliseconds();
    must(context, parscan_operator_load(context, other, blob, size));
    must(context, scan(context, other, array));
    found.loaded = milliseconds() - begin;
    parscan_operator_destroy(op);
    parscan_operator_destroy(other);
    must(context, parscan_free(context, array));
    parscan_context_destroy(context);
    return found;
}

/* In a process of its own. */
static figures measure_apart(const kind *of)
{
    figures found = {0, 0, 0};
    int pipes[2], status = 1;
    if (pipe(pipes) != 0)
        exit(EXIT_FAILURE);
    const pid_t child = fork();
    if (child == 0) {
        found = measure(of);
        _exit(write(pipes[1], &found, sizeof found) == (ssize_t)sizeof found ? 0 : 1);
    }
    close(pipes[1]);
    const ssize_t got = read(pipes[0], &found, sizeof found);
    close(pipes[0]);
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0 ||
        got != (ssize_t)sizeof found)
        exit(EXIT_FAILURE);
    return found;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *all)
{
    qsort(all, PROCESSES, sizeof *all, compare);
    return all[PROCESSES / 2];
}

int main(void)
{
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    printf("operator,first call (ms),with a blob (ms),second call (ms)\n");
    for (int k = 0; k < KINDS; k++) {
        double first[PROCESSES], loaded[PROCESSES], second[PROCESSES];
        for (int p = 0; p < PROCESSES; p++) {
            const figures found = measure_apart(&kinds[k]);
            first[p] = found.first;
            loaded[p] = found.loaded;
            second[p] = found.second;
        }
        printf("%s,%.1f,%.2f,%.3f\n", kinds[k].name, median(first), median(loaded), median(second));
        fflush(stdout);
    }
    return 0;
}
