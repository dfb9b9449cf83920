/*
 * bench_mpi: calls over processes by MPI, beside the local call of one process with as many
 * elements and threads as all ranks have together (strong scaling).
 *
 *     mpirun -n RANKS bench_mpi [--log2 N] [--threads T] [--reps N] [--only WORK[/DATA]]
 *
 * 2^N elements in all, default 26; T threads a rank, default 1; the local call has RANKS * T. One row
 * of CSV for each call and kind of data. A repetition is the local call and the call over all ranks,
 * one after the other; times are medians of milliseconds. `ratio` is the local time by that of
 * all ranks: 1 if nothing is lost. Results are checked before they are timed.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "parscan/comm_mpi.h"
#include "rank_calls.h"

enum { MOST_REPS = 101 };

typedef struct rank_state {
    int rank, size;
    parscan_comm *comm;
    rank_arrays mine, all; /* all: of the local call, on rank 0 */
} rank_state;

static void must(bool right, const char *what, const char *words)
{
    if (right)
        return;
    fprintf(stderr, "bench_mpi: %s: %s\n", what, words);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

/* A barrier whose waiting ranks leave the processor to the others. */
static void meet(void)
{
    MPI_Request request;
    int met = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (MPI_Test(&request, &met, MPI_STATUS_IGNORE) == MPI_SUCCESS && !met)
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
}

static void open_arrays(rank_arrays *a, size_t n, unsigned threads)
{
    void **const list[] = {&a->in, &a->out, &a->values_in, &a->values_out};
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU, .threads = threads);
    must(parscan_context_create(&a->context, &options) == PARSCAN_OK, "a context", "failed");
    a->n = n;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const size_t bytes = (n + 1) * sizeof(uint32_t);
        must(parscan_malloc(a->context, list[k], bytes) == PARSCAN_OK, "memory",
             parscan_context_error(a->context));
        memset(*list[k], 1, bytes); /* its pages are there before anything is timed */
    }
}

static void close_arrays(rank_arrays *a)
{
    parscan_free(a->context, a->in);
    parscan_free(a->context, a->out);
    parscan_free(a->context, a->values_in);
    parscan_free(a->context, a->values_out);
    parscan_context_destroy(a->context);
}

static void fill(rank_arrays *a, const rank_row *row, uint64_t begin, uint64_t all)
{
    for (size_t i = 0; i < a->n; i++) {
        ((uint32_t *)a->in)[i] = rank_key(row->data, begin + i, all);
        ((uint32_t *)a->values_in)[i] = (uint32_t)(begin + i);
    }
}

static void call_all(rank_state *r, const rank_row *row)
{
    must(rank_call_together(r->comm, &r->mine, row) == PARSCAN_OK, row->name,
         parscan_comm_error(r->comm));
}

static void call_local(rank_arrays *a, const rank_row *row)
{
    must(rank_call_alone(a, row) == PARSCAN_OK, row->name, parscan_context_error(a->context));
}

/* Compares the ranks' results with the local call's, which rank 0 has in r->all. */
static void check(rank_state *r, const rank_row *row)
{
    const bool pairs = row->call == RANK_SORT_PAIRS;
    rank_arrays *const a = &r->mine;
    if (row->call == RANK_HISTOGRAM) {
        must(r->rank > 0 || memcmp(a->counts, r->all.counts, sizeof a->counts) == 0, row->name,
             "a wrong result");
        return;
    }
    if (row->call == RANK_COMPACT) {
        must(r->rank > 0 || a->counts[1] == r->all.counts[0], row->name, "a wrong result");
        return;
    }
    /* In parts that MPI's counts hold. */
    for (int from = 0; from < r->size; from++)
        for (int part = 0; part < (pairs ? 2 : 1); part++)
            for (size_t at = 0; at < a->n; at += (size_t)1 << 24) {
                const size_t n = a->n - at < (size_t)1 << 24 ? a->n - at : (size_t)1 << 24;
                uint32_t *const sent = (uint32_t *)(part == 0 ? a->out : a->values_out) + at;
                const size_t place = (size_t)from * a->n + at;
                if (r->rank == from && from > 0)
                    MPI_Send(sent, (int)n, MPI_UINT32_T, 0, 0, MPI_COMM_WORLD);
                if (r->rank > 0)
                    continue;
                const uint32_t *const expected =
                    (uint32_t *)(part == 0 ? r->all.out : r->all.values_out) + place;
                uint32_t *const came = r->all.in; /* filled again before it is used */
                if (from > 0)
                    MPI_Recv(came, (int)n, MPI_UINT32_T, from, 0, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
                must(memcmp(from > 0 ? came : sent, expected, n * sizeof *came) == 0, row->name,
                     "a wrong result");
            }
}

static void measure(rank_state *r, const rank_row *row, int reps)
{
    double local[MOST_REPS], all[MOST_REPS];
    const uint64_t n = (uint64_t)r->mine.n * (uint64_t)r->size;
    fill(&r->mine, row, (uint64_t)r->rank * r->mine.n, n);
    if (r->rank == 0) {
        fill(&r->all, row, 0, n);
        call_local(&r->all, row);
    }
    call_all(r, row);
    check(r, row);
    if (r->rank == 0)
        fill(&r->all, row, 0, n);
    for (int k = 0; k < reps; k++) {
        double begin = rank_milliseconds();
        if (r->rank == 0) {
            call_local(&r->all, row);
            local[k] = rank_milliseconds() - begin;
        }
        meet();
        begin = rank_milliseconds();
        call_all(r, row);
        MPI_Barrier(MPI_COMM_WORLD);
        all[k] = rank_milliseconds() - begin;
    }
    if (r->rank > 0)
        return;
    const double one = rank_median(local, reps), together = rank_median(all, reps);
    printf("%s,%s,%d,%zu,%.3f,%.3f,%.3f,%.2f,right\n", row->name, row->data_name, r->size,
           (size_t)n, one, together, (double)n / together * 1e-6, one / together);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *only = NULL;
    int log2n = 26, threads = 1, reps = 11, level;
    const rank_option list[] = {{"log2", &log2n, 10, 32},
                                {"threads", &threads, 1, 4096},
                                {"reps", &reps, 1, MOST_REPS},
                                {0}};
    rank_state r = {0};
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &r.size);
    must(rank_parse(argc, argv, list, &only), "wrong usage",
         "--log2 10 to 32, --threads 1 or more, --reps 1 to 101");
    const size_t n = ((size_t)1 << log2n) / (size_t)r.size;
    open_arrays(&r.mine, n, (unsigned)threads);
    if (r.rank == 0)
        open_arrays(&r.all, n * (size_t)r.size, (unsigned)(threads * r.size));
    must(parscan_comm_create_mpi(&r.comm, r.mine.context, MPI_COMM_WORLD) == PARSCAN_OK, "a comm",
         parscan_context_error(r.mine.context));
    if (r.rank == 0)
        printf("# %d ranks of %d threads, MPI; medians of %d\n"
               "work,data,ranks,elements,one_process_ms,ms,giga_elements_s,ratio,result\n",
               r.size, threads, reps);
    for (const rank_row *row = rank_rows; row->name != NULL; row++)
        if (rank_row_wanted(row, only))
            measure(&r, row, reps);
    parscan_comm_destroy(r.comm);
    close_arrays(&r.mine);
    if (r.rank == 0)
        close_arrays(&r.all);
    return MPI_Finalize();
}
