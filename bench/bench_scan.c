/*
 * bench_scan: parscan's scans and reduction, compared with their peers and with copies of the same
 * bytes. harness.h tells how it measures, notes/ what was tried.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_head.h"
#include "scan_cases.h"

/* Half a page from the input's offset. */
enum { OUT_OFFSET = 2048 };

/* The input, the output, and the buffer of the same length that OpenMP's peer needs. */
#define ARRAYS 3

/* The share of the available memory that a benchmark may fill. */
#define MEMORY_SHARE 0.9

static bool fits(parscan_type type, unsigned log2n)
{
    const double bytes = (double)parscan_type_size(type) * (double)((size_t)1 << log2n);
    return ARRAYS * bytes <= MEMORY_SHARE * bench_available_memory();
}

/* Measures one type, one size and one number of threads. */
static bool measure(const bench_options *options, scan_work *work, unsigned log2n)
{
    bench_group *const group = bench_new_group(options, "scan", parscan_type_name(work->type),
                                               "uniform", log2n, work->threads);
    work->n = (size_t)1 << log2n;
    work->bytes = work->n * parscan_type_size(work->type);
    work->count = 0;
    work->in = work->in_pool;
    work->out = work->out_pool;
    work->engine = bench_engine(work->threads);
    bench_std_threads(work->threads);
    scan_add_cases(group, work);
    group->rotate = scan_rotate;
    group->cold_context = work;
    const bool right = bench_measure(group);
    parscan_context_destroy(work->engine);
    free(group);
    return right;
}

static bool measure_type(const bench_options *options, parscan_type type)
{
    unsigned top = options->max_log2n;
    while (top >= options->min_log2n && !fits(type, top))
        top--;
    if (top < options->max_log2n)
        bench_write_note("# %s: no memory for sizes over 2^%u\n", parscan_type_name(type), top);
    if (top < options->min_log2n)
        return true;
    const size_t size = parscan_type_size(type), bytes = size << top;
    const size_t cold = options->cold ? 2 * bench_last_level_cache() : 0;
    const size_t pool = cold > bytes ? cold : bytes;
    void *const in = bench_memory(pool, 0, options->huge_pages);
    void *const out = bench_memory(pool, OUT_OFFSET, options->huge_pages);
    scan_work *const work = calloc(1, sizeof *work);
    if (work == NULL)
        exit(EXIT_FAILURE);
    *work = (scan_work){.type = type,
                        .element = bench_element_of(type),
                        .in_pool = in,
                        .out_pool = out,
                        .pool_bytes = pool};
    work->element->fill(in, pool / size, options->seed);
    memset(out, 0, pool); /* so that its pages exist */
    bool right = true;
    for (unsigned log2n = options->min_log2n; log2n <= top; log2n += options->step) {
        for (size_t k = 0; k < options->thread_counts; k++) {
            work->threads = options->threads[k];
            right &= measure(options, work, log2n);
        }
    }
    free(work);
    bench_release(out);
    bench_release(in);
    return right;
}

int main(int argc, char **argv)
{
    /* LLVM's OpenMP spins 200 ms by default, longer than the harness waits before TBB is
       measured. */
    setenv("KMP_BLOCKTIME", "15", 0);
    bench_options options = bench_defaults();
    bench_parse(&options, argc, argv);
    bench_write_cpu_head("bench_scan", &options);
    bool right = true;
    for (size_t k = 0; k < options.type_count; k++)
        if (bench_wanted(&options, "scan", parscan_type_name(options.types[k]), "uniform"))
            right &= measure_type(&options, options.types[k]);
    bench_numpy_stop();
    return bench_finish(&options, right);
}
