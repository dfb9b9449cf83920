/*
 * bench_programs: whole programs of a few calls, each in at most 15 lines, compared with the plain loop that
 * somebody would write instead, on one thread. bench/bench_python.py has some of them beside NumPy, pandas,
 * SciPy and DuckDB, and on a GPU beside CuPy and PyTorch.
 */
#include <stdlib.h>
#include <string.h>

#include "programs.h"

typedef struct running {
    const program *program;
    data *data;
} running;

static void run_calls(void *context)
{
    const running *const r = context;
    r->program->calls(r->data);
}

static void run_loop(void *context)
{
    const running *const r = context;
    r->program->loop(r->data);
}

static bool verify(void *context)
{
    const running *const r = context;
    data *const d = r->data;
    run_loop(context);
    d->count = d->loop_count;
    run_calls(context);
    if (d->count != d->loop_count)
        return false;
    for (size_t k = 0; k < ARRAYS; k++)
        if (memcmp(d->out[k], d->loop_out[k], r->program->results(d) * r->program->sizes[k]) != 0)
            return false;
    return r->program->also == NULL || r->program->also(d);
}

static bool measure(const bench_options *options, const program *p, unsigned log2n,
                    unsigned threads)
{
    data d = {.engine = bench_engine(threads), .n = (size_t)1 << log2n, .seed = options->seed};
    running r = {p, &d};
    void **const arrays[] = {d.in, d.out, d.loop_out, d.room};
    for (size_t k = 0; k < 4 * ARRAYS; k++) /* room[0] has twice as much */
        arrays[k / ARRAYS][k % ARRAYS] = bench_memory(
            (k == 3 * ARRAYS ? 16 : 8) * d.n + 64 + 8 * TOP, 64 * k, options->huge_pages);
    p->fill(&d);
    bench_group *const group = bench_new_group(options, p->name, p->type, p->input, log2n, threads);
    bench_case each = {.name = "parscan",
                       .run = run_calls,
                       .verify = verify,
                       .context = &r,
                       .bytes = p->bytes * (double)d.n,
                       .pool = BENCH_POOL_PARSCAN};
    bench_add(group, each);
    each.name = "plain";
    each.run = run_loop;
    each.role = BENCH_PEER;
    each.pool = BENCH_POOL_NONE;
    bench_add(group, each);
    const bool right = bench_measure(group);
    free(group);
    for (size_t k = 0; k < 4 * ARRAYS; k++)
        bench_release(arrays[k / ARRAYS][k % ARRAYS]);
    parscan_context_destroy(d.engine);
    return right;
}

/* Returns false if a result was wrong. */
static bool measure_all(const bench_options *options, const program *programs)
{
    bool right = true;
    for (const program *p = programs; p->name != NULL; p++)
        if (bench_wanted(options, p->name, p->type, p->input))
            for (unsigned log2n = options->min_log2n; log2n <= options->max_log2n;
                 log2n += options->step)
                for (size_t t = 0; t < options->thread_counts; t++)
                    right &= measure(options, p, log2n, options->threads[t]);
    return right;
}

int main(int argc, char **argv)
{
    bench_options options = bench_defaults();
    bench_parse(&options, argc, argv);
    bench_write_head("bench_programs", &options, NULL);
    bool right = measure_all(&options, array_programs);
    right &= measure_all(&options, table_programs);
    return bench_finish(&options, right);
}
