/*
 * bench_distributed: sorts over ranks that are threads of this process (rank_threads.h), beside the
 * local sort of the whole array and beside the exchange alone, in which every rank sends each other
 * one its share of the keys.
 *
 *   sort-strong   2^log2n keys in all; the local sort has as many threads as all ranks together.
 *                 ranks-2x1: two ranks of one thread each
 *   sort-weak     2^log2n keys for each thread; the local sort is one thread's, of 2^log2n keys. Its
 *                 time over that of the ranks is the efficiency
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "rank_threads.h"

enum { MOST_CASES = 6 };

/* What the cases of a group share: n keys in all. */
typedef struct input {
    parscan_context *engine;
    parscan_type type;
    size_t n, size, local_n;
    char *in, *out, *sorted;
} input;

typedef struct ranks_case {
    const input *data;
    rank_threads *ranks;
    char name[32], exchange_name[32];
} ranks_case;

static void run_local(void *context)
{
    const input *const data = context;
    bench_must(
        parscan_sort_keys(data->engine, data->type, data->in, data->out, data->local_n, NULL),
        data->engine);
}

static bool verify_local(void *context)
{
    run_local(context);
    const input *const data = context;
    return data->local_n < data->n || memcmp(data->out, data->sorted, data->n * data->size) == 0;
}

static size_t piece_begin(const input *data, const rank_threads *ranks, unsigned rank)
{
    return data->n * rank / rank_threads_count(ranks);
}

static void sort_piece(parscan_comm *comm, void *context)
{
    const ranks_case *const c = context;
    const input *const data = c->data;
    const unsigned rank = parscan_comm_rank(comm);
    const size_t begin = piece_begin(data, c->ranks, rank);
    const size_t n = piece_begin(data, c->ranks, rank + 1) - begin;
    bench_must(parscan_dist_sort_keys(comm, data->type, data->in + begin * data->size, n,
                                      data->out + begin * data->size, n, NULL),
               parscan_comm_context(comm));
}

static void run_ranks(void *context)
{
    ranks_case *const c = context;
    rank_threads_run(c->ranks, sort_piece, c);
}

static bool verify_ranks(void *context)
{
    const input *const data = ((ranks_case *)context)->data;
    memset(data->out, 0, data->n * data->size);
    run_ranks(context);
    return memcmp(data->out, data->sorted, data->n * data->size) == 0;
}

static void exchange_piece(parscan_comm *comm, void *context)
{
    const ranks_case *const c = context;
    const input *const data = c->data;
    const unsigned count = rank_threads_count(c->ranks), rank = parscan_comm_rank(comm);
    size_t counts[MOST_RANKS], begins[MOST_RANKS];
    const size_t at = piece_begin(data, c->ranks, rank) * data->size;
    const size_t share = data->n / count / count * data->size;
    for (unsigned r = 0; r < count; r++) {
        begins[r] = r * share;
        counts[r] = r == rank ? 0 : share;
    }
    rank_exchange(comm, c->ranks, data->in + at, counts, begins, data->out + at);
}

static void run_exchange(void *context)
{
    ranks_case *const c = context;
    rank_threads_run(c->ranks, exchange_piece, c);
}

static bool verify_exchange(void *context)
{
    run_exchange(context);
    return true;
}

static void fill(input *data, const char *pattern, uint64_t seed)
{
    for (size_t i = 0; i < data->n; i++) {
        uint64_t key = bench_random(&seed);
        if (strcmp(pattern, "equal") == 0)
            key = 42;
        if (strcmp(pattern, "zipf") == 0)
            key = UINT32_MAX / ((key >> 32) + 1);
        memcpy(data->in + i * data->size, &key, data->size);
    }
    bench_must(parscan_sort_keys(data->engine, data->type, data->in, data->sorted, data->n, NULL),
               data->engine);
    if (strcmp(pattern, "sorted") == 0)
        memcpy(data->in, data->sorted, data->n * data->size);
}

static void add_ranks(bench_group *group, ranks_case *c, unsigned ranks, unsigned threads)
{
    const double bytes = 2.0 * (double)(c->data->n * c->data->size);
    c->ranks = rank_threads_start(ranks, threads);
    snprintf(c->name, sizeof c->name, "ranks-%ux%u", ranks, threads);
    snprintf(c->exchange_name, sizeof c->exchange_name, "exchange-%u", ranks);
    bench_add(group, (bench_case){.name = c->name,
                                  .run = run_ranks,
                                  .verify = verify_ranks,
                                  .context = c,
                                  .bytes = bytes,
                                  .role = BENCH_PARSCAN,
                                  .pool = BENCH_POOL_PARSCAN});
    bench_add(group, (bench_case){.name = c->exchange_name,
                                  .run = run_exchange,
                                  .verify = verify_exchange,
                                  .context = c,
                                  .bytes = bytes * (ranks - 1) / ranks,
                                  .role = BENCH_REFERENCE,
                                  .pool = BENCH_POOL_PARSCAN});
}

/* All ways to cut `threads` threads into 2, 4, 8, ... ranks. */
static bool measure(const bench_options *options, input *data, const char *work,
                    const char *pattern, unsigned log2n, unsigned threads)
{
    ranks_case cases[MOST_CASES];
    size_t count = 0;
    bench_group *const group =
        bench_new_group(options, work, parscan_type_name(data->type), pattern, log2n, threads);
    bench_add(group, (bench_case){.name = "local",
                                  .run = run_local,
                                  .verify = verify_local,
                                  .context = data,
                                  .bytes = 2.0 * (double)(data->local_n * data->size),
                                  .role = BENCH_REFERENCE,
                                  .pool = BENCH_POOL_PARSCAN});
    for (unsigned ranks = 2; ranks <= threads && ranks <= MOST_RANKS && count < MOST_CASES;
         ranks *= 2)
        if (threads % ranks == 0) {
            cases[count].data = data;
            add_ranks(group, &cases[count++], ranks, threads / ranks);
        }
    const bool right = bench_measure(group);
    for (size_t k = 0; k < count; k++)
        rank_threads_end(cases[k].ranks);
    free(group);
    return right;
}

static bool measure_size(const bench_options *options, parscan_type type, bool weak,
                         const char *pattern, unsigned log2n, unsigned threads)
{
    const size_t one = (size_t)1 << log2n;
    input data = {.engine = bench_engine(weak ? 1 : threads),
                  .type = type,
                  .size = parscan_type_size(type),
                  .n = weak ? one * threads : one,
                  .local_n = one};
    const size_t bytes = data.n * data.size;
    data.in = bench_memory(bytes, 0, options->huge_pages);
    data.out = bench_memory(bytes, 1024, options->huge_pages);
    data.sorted = bench_memory(bytes, 2048, options->huge_pages);
    fill(&data, pattern, options->seed);
    const bool right =
        measure(options, &data, weak ? "sort-weak" : "sort-strong", pattern, log2n, threads);
    bench_release(data.in);
    bench_release(data.out);
    bench_release(data.sorted);
    parscan_context_destroy(data.engine);
    return right;
}

static bool measure_input(const bench_options *options, parscan_type type, bool weak,
                          const char *pattern)
{
    bool right = true;
    if (!bench_wanted(options, weak ? "sort-weak" : "sort-strong", parscan_type_name(type),
                      pattern))
        return true;
    for (size_t k = 0; k < options->thread_counts; k++)
        for (unsigned log2n = options->min_log2n; log2n <= options->max_log2n;
             log2n += options->step)
            right &= measure_size(options, type, weak, pattern, log2n, options->threads[k]);
    return right;
}

int main(int argc, char **argv)
{
    static const parscan_type types[] = {PARSCAN_U32, PARSCAN_U64};
    static const char *const patterns[] = {"uniform", "sorted", "equal", "zipf"};
    bench_options options = bench_defaults();
    bench_parse(&options, argc, argv);
    bench_write_head("bench_distributed", &options, NULL);
    bool right = true;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        if (!bench_type_wanted(&options, types[t]))
            continue;
        for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++)
            right &= measure_input(&options, types[t], false, patterns[p]);
        right &= measure_input(&options, types[t], true, "uniform");
    }
    return bench_finish(&options, right);
}
