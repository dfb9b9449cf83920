/* parscan's algorithms, the peers and the copies. */
#include "scan_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "copy.h"

/* Block algorithms are for study: on the CPU they are slow. */
enum { MAX_LOG2N_BLOCK = 22, MAX_LOG2N = 64 };

typedef struct parscan_case {
    const char *name;
    bench_meaning meaning;
    parscan_scan_options options;
    bool in_place, floats_only;
    unsigned max_log2n;
} parscan_case;

#define OPTIONS(...)                                             \
    {                                                            \
        .struct_size = sizeof(parscan_scan_options), __VA_ARGS__ \
    }

static const parscan_case parscan_cases[] = {
    {"auto", BENCH_INCLUSIVE, OPTIONS(.op = PARSCAN_SUM), false, false, MAX_LOG2N},
    {"auto-exclusive", BENCH_EXCLUSIVE, OPTIONS(.op = PARSCAN_SUM), false, false, MAX_LOG2N},
    {"auto-reverse", BENCH_REVERSE, OPTIONS(.reverse = 1), false, false, MAX_LOG2N},
    {"auto-in-place", BENCH_INCLUSIVE, OPTIONS(.op = PARSCAN_SUM), true, false, MAX_LOG2N},
    {"auto-max", BENCH_MAX, OPTIONS(.op = PARSCAN_MAX), false, false, MAX_LOG2N},
    {"sequential", BENCH_INCLUSIVE, OPTIONS(.algorithm = PARSCAN_SEQUENTIAL), false, false,
     MAX_LOG2N},
    {"reproducible", BENCH_INCLUSIVE, OPTIONS(.reproducible = 1), false, true, MAX_LOG2N},
    {"kogge-stone", BENCH_INCLUSIVE, OPTIONS(.algorithm = PARSCAN_KOGGE_STONE), false, false,
     MAX_LOG2N_BLOCK},
    {"brent-kung", BENCH_INCLUSIVE, OPTIONS(.algorithm = PARSCAN_BRENT_KUNG), false, false,
     MAX_LOG2N_BLOCK},
    {"three-phase", BENCH_INCLUSIVE, OPTIONS(.algorithm = PARSCAN_THREE_PHASE), false, false,
     MAX_LOG2N_BLOCK},
    {"warp", BENCH_INCLUSIVE, OPTIONS(.algorithm = PARSCAN_WARP), false, false, MAX_LOG2N_BLOCK},
    {"reduce", BENCH_REDUCTION, OPTIONS(.op = PARSCAN_SUM), false, false, MAX_LOG2N},
};

static void must(parscan_status status, const scan_work *work)
{
    if (status == PARSCAN_OK)
        return;
    fprintf(stderr, "bench_scan: %s\n", parscan_context_error(work->engine));
    exit(EXIT_FAILURE);
}

/* In place means in the output array, over whatever the case before left there: sums of sums take
   as long as sums. Floats grow towards infinity then, which costs nothing either. */
static void run_parscan(void *context)
{
    const scan_call_case *const c = context;
    scan_work *const w = c->work;
    const void *const in = c->in_place ? w->out : w->in;
    parscan_status status;
    if (c->meaning == BENCH_REDUCTION)
        status = parscan_reduce(w->engine, w->type, in, w->result, w->n, &c->options);
    else if (c->meaning == BENCH_EXCLUSIVE)
        status = parscan_exclusive_scan(w->engine, w->type, in, w->out, w->n, &c->options);
    else
        status = parscan_inclusive_scan(w->engine, w->type, in, w->out, w->n, &c->options);
    must(status, w);
}

static void run_peer(void *context)
{
    const scan_call_case *const c = context;
    c->peer(c->work->in, c->work->out, c->work->n, c->threads);
}

static void run_memcpy(void *context)
{
    const scan_call_case *const c = context;
    bench_memcpy(c->work->out, c->work->in, c->work->bytes, c->threads);
}

static void run_nt_copy(void *context)
{
    const scan_call_case *const c = context;
    bench_nt_copy(c->work->out, c->work->in, c->work->bytes, c->threads);
}

static void run_read(void *context)
{
    const scan_call_case *const c = context;
    c->work->result[0] = bench_read(c->work->in, c->work->bytes, c->threads);
}

/* So that no case passes for what another has left. */
static void spoil(scan_work *work)
{
    memset(work->result, 0xa5, sizeof work->result);
    memset(work->out, 0xa5, work->bytes);
}

static bool verify_parscan(void *context)
{
    const scan_call_case *const c = context;
    scan_work *const w = c->work;
    spoil(w);
    if (c->in_place)
        memcpy(w->out, w->in, w->bytes);
    run_parscan(context);
    return w->element->check(c->meaning, w->in,
                             c->meaning == BENCH_REDUCTION ? (void *)w->result : w->out, w->n);
}

static bool verify_peer(void *context)
{
    const scan_call_case *const c = context;
    spoil(c->work);
    run_peer(context);
    return c->work->element->check(BENCH_INCLUSIVE, c->work->in, c->work->out, c->work->n);
}

static bool copied(const scan_work *work)
{
    return memcmp(work->in, work->out, work->bytes) == 0;
}

static bool verify_memcpy(void *context)
{
    const scan_call_case *const c = context;
    spoil(c->work);
    run_memcpy(context);
    return copied(c->work);
}

static bool verify_nt_copy(void *context)
{
    const scan_call_case *const c = context;
    spoil(c->work);
    run_nt_copy(context);
    return copied(c->work);
}

static bool verify_read(void *context)
{
    const scan_call_case *const c = context;
    const uint64_t *const words = c->work->in;
    uint64_t sum = 0;
    for (size_t i = 0; i < c->work->bytes / sizeof sum; i++)
        sum += words[i];
    run_read(context);
    return c->work->result[0] == sum;
}

/* Adds a case with a copy of call for its context. */
static void add(bench_group *group, scan_work *work, bench_case added, scan_call_case call)
{
    call.work = work;
    work->cases[work->count] = call;
    added.context = &work->cases[work->count++];
    if (added.bytes == 0)
        added.bytes = 2.0 * (double)work->bytes;
    if (call.threads == 1)
        added.pool = BENCH_POOL_NONE;
    bench_add(group, added);
}

static void add_parscan(bench_group *group, scan_work *work)
{
    const bool floats = work->type == PARSCAN_F32 || work->type == PARSCAN_F64;
    for (size_t k = 0; k < sizeof parscan_cases / sizeof *parscan_cases; k++) {
        const parscan_case *const c = &parscan_cases[k];
        if ((c->floats_only && !floats) || group->log2n > c->max_log2n)
            continue;
        const bool reduction = c->meaning == BENCH_REDUCTION;
        add(group, work,
            (bench_case){.name = c->name,
                         .run = run_parscan,
                         .verify = verify_parscan,
                         .bytes = reduction ? (double)work->bytes : 0,
                         .pool = BENCH_POOL_OPENMP},
            (scan_call_case){.options = c->options,
                             .meaning = c->meaning,
                             .in_place = c->in_place,
                             .threads = work->threads});
    }
}

static void add_peer(bench_group *group, scan_work *work, const char *name,
                     bench_scan_function *peer, unsigned threads, bench_pool pool)
{
    add(group, work,
        (bench_case){.name = name,
                     .run = peer != NULL ? run_peer : NULL,
                     .verify = verify_peer,
                     .pool = pool},
        (scan_call_case){.peer = peer, .threads = threads});
}

static void add_copies(bench_group *group, scan_work *work, unsigned threads, bool one)
{
    const scan_call_case call = {.threads = threads};
    const bench_pool pool = BENCH_POOL_OPENMP;
    add(group, work,
        (bench_case){.name = one ? "memcpy-1" : "memcpy",
                     .run = run_memcpy,
                     .verify = verify_memcpy,
                     .role = one ? BENCH_PLAIN : BENCH_MEMCPY,
                     .pool = pool},
        call);
    add(group, work,
        (bench_case){.name = one ? "nt-copy-1" : "nt-copy",
                     .run = run_nt_copy,
                     .verify = verify_nt_copy,
                     .role = one ? BENCH_PLAIN : BENCH_NT_COPY,
                     .pool = pool},
        call);
    add(group, work,
        (bench_case){.name = one ? "read-1" : "read",
                     .run = run_read,
                     .verify = verify_read,
                     .bytes = (double)work->bytes,
                     .pool = pool},
        call);
}

void scan_add_cases(bench_group *group, scan_work *work)
{
    const unsigned threads = work->threads;
    const bench_element *const element = work->element;
    add_parscan(group, work);
    add_peer(group, work, "openmp-simd", element->openmp_simd, 1, BENCH_POOL_NONE);
    add_peer(group, work, "openmp-parallel",
             bench_openmp_parallel_fits(work->bytes) ? element->openmp_parallel : NULL, threads,
             BENCH_POOL_OPENMP);
    add_peer(group, work, "std", bench_std_scan(work->type), 1, BENCH_POOL_NONE);
    add_copies(group, work, threads, false);
    if (threads > 1)
        add_copies(group, work, 1, true);
    add_peer(group, work, "std-par-unseq", bench_std_par_unseq(work->type), threads,
             BENCH_POOL_TBB);
}
