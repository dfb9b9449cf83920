/* parscan's algorithms, the peers and the copies. */
#include "scan_cases.h"

#include <string.h>

/* Block algorithms are for study and slow on the CPU, so they are measured up to this size only. */
enum { MAX_LOG2N_BLOCK = 22, MAX_LOG2N = 64 };

typedef struct parscan_case {
    const char *name, *work;
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
    {"auto", "scan", BENCH_INCLUSIVE, OPTIONS(.op = PARSCAN_SUM), false, false, MAX_LOG2N},
    {"auto-exclusive", "scan-exclusive", BENCH_EXCLUSIVE, OPTIONS(.op = PARSCAN_SUM), false, false,
     MAX_LOG2N},
    {"auto-reverse", "scan-reverse", BENCH_REVERSE, OPTIONS(.reverse = 1), false, false, MAX_LOG2N},
    {"auto-in-place", "scan-in-place", BENCH_INCLUSIVE, OPTIONS(.op = PARSCAN_SUM), true, false,
     MAX_LOG2N},
    {"auto-max", "scan-max", BENCH_MAX, OPTIONS(.op = PARSCAN_MAX), false, false, MAX_LOG2N},
    {"sequential", "scan", BENCH_INCLUSIVE, OPTIONS(.algorithm = PARSCAN_SEQUENTIAL), false, false,
     MAX_LOG2N},
    {"reproducible", "scan", BENCH_INCLUSIVE, OPTIONS(.reproducible = 1), false, true, MAX_LOG2N},
    {"kogge-stone", "scan", BENCH_INCLUSIVE, OPTIONS(.algorithm = PARSCAN_KOGGE_STONE), false,
     false, MAX_LOG2N_BLOCK},
    {"brent-kung", "scan", BENCH_INCLUSIVE, OPTIONS(.algorithm = PARSCAN_BRENT_KUNG), false, false,
     MAX_LOG2N_BLOCK},
    {"three-phase", "scan", BENCH_INCLUSIVE, OPTIONS(.algorithm = PARSCAN_THREE_PHASE), false,
     false, MAX_LOG2N_BLOCK},
    {"warp", "scan", BENCH_INCLUSIVE, OPTIONS(.algorithm = PARSCAN_WARP), false, false,
     MAX_LOG2N_BLOCK},
    {"reduce", "reduce", BENCH_REDUCTION, OPTIONS(.op = PARSCAN_SUM), false, false, MAX_LOG2N},
};

/* In place means in the output array, with what the previous case left there: sums of sums take
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
    bench_must(status, w->engine);
}

static void run_peer(void *context)
{
    const scan_call_case *const c = context;
    c->peer(c->work->in, c->work->out, c->work->n, c->threads);
}

/* Overwrites the output, so that no case is judged by what another has left. */
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

/* Adds a case with a copy of `call` for its context. */
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
                         .work = c->work,
                         .run = run_parscan,
                         .verify = verify_parscan,
                         .bytes = reduction ? (double)work->bytes : 0,
                         .pool = BENCH_POOL_PARSCAN},
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
                     .role = BENCH_PEER,
                     .pool = pool},
        (scan_call_case){.peer = peer, .threads = threads});
}

static bool check_numpy(void *user)
{
    const scan_work *const w = user;
    return w->element->check(BENCH_INCLUSIVE, w->in, w->out, w->n);
}

static void add_numpy(bench_group *group, scan_work *work)
{
    work->numpy = (bench_numpy_work){.call = "cumsum",
                                     .type = work->type,
                                     .in = work->in,
                                     .n = work->n,
                                     .out = work->out,
                                     .check = check_numpy,
                                     .user = work};
    bench_add_numpy(group, "scan", 2.0 * (double)work->bytes, &work->numpy);
}

/* Selects other arrays, but not the next ones, which the hardware may have prefetched already. */
void scan_rotate(void *context)
{
    enum { PAGE = 4096, JUMP = 7919 };
    scan_work *const w = context;
    const size_t room = (w->bytes + PAGE - 1) / PAGE * PAGE, pairs = w->pool_bytes / room;
    w->pair = pairs > 1 ? (w->pair + JUMP) % pairs : 0;
    w->in = w->in_pool + w->pair * room;
    w->out = w->out_pool + w->pair * room;
    w->copies.in = w->copies_1.in = w->in;
    w->copies.out = w->copies_1.out = w->out;
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
    work->copies = (bench_copies){work->in, work->out, work->bytes, threads, 0};
    bench_add_copies(group, &work->copies);
    if (threads > 1) {
        work->copies_1 = (bench_copies){work->in, work->out, work->bytes, 1, 0};
        bench_add_copies_1(group, &work->copies_1);
    }
    add_peer(group, work, "std-par-unseq", bench_std_par_unseq(work->type), threads,
             BENCH_POOL_TBB);
    add_peer(group, work, "thrust-openmp", bench_thrust_scan(work->type), threads,
             BENCH_POOL_OPENMP);
    add_numpy(group, work);
}
