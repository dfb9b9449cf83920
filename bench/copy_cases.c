#include "copy_cases.h"

#include <string.h>

#include "copy.h"

static void run_memcpy(void *context)
{
    const bench_copies *const c = context;
    bench_memcpy(c->out, c->in, c->bytes, c->threads);
}

static void run_nt_copy(void *context)
{
    const bench_copies *const c = context;
    bench_nt_copy(c->out, c->in, c->bytes, c->threads);
}

static void run_read(void *context)
{
    bench_copies *const c = context;
    c->sum = bench_read(c->in, c->bytes, c->threads);
}

static bool copied(const bench_copies *c)
{
    return memcmp(c->in, c->out, c->bytes) == 0;
}

static bool verify_memcpy(void *context)
{
    const bench_copies *const c = context;
    memset(c->out, 0xa5, c->bytes);
    run_memcpy(context);
    return copied(c);
}

static bool verify_nt_copy(void *context)
{
    const bench_copies *const c = context;
    memset(c->out, 0xa5, c->bytes);
    run_nt_copy(context);
    return copied(c);
}

static bool verify_read(void *context)
{
    const bench_copies *const c = context;
    const uint64_t *const words = c->in;
    uint64_t sum = 0;
    for (size_t i = 0; i < c->bytes / sizeof sum; i++)
        sum += words[i];
    run_read(context);
    return c->sum == sum;
}

static void add(bench_group *group, bench_copies *copies, const char *const names[3])
{
    const double bytes = (double)copies->bytes;
    const bench_pool pool = copies->threads > 1 ? BENCH_POOL_OPENMP : BENCH_POOL_NONE;
    const struct {
        void (*run)(void *);
        bool (*verify)(void *);
        double bytes;
        bench_role role;
    } all[] = {{run_memcpy, verify_memcpy, 2 * bytes, BENCH_COPY},
               {run_nt_copy, verify_nt_copy, 2 * bytes, BENCH_COPY},
               {run_read, verify_read, bytes, BENCH_REFERENCE}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        bench_add(group, (bench_case){.name = names[k],
                                      .run = all[k].run,
                                      .verify = all[k].verify,
                                      .context = copies,
                                      .bytes = all[k].bytes,
                                      .role = all[k].role,
                                      .pool = pool});
}

void bench_add_copies(bench_group *group, bench_copies *copies)
{
    static const char *const names[] = {"memcpy", "nt-copy", "read"};
    add(group, copies, names);
}

void bench_add_copies_1(bench_group *group, bench_copies *copies)
{
    static const char *const names[] = {"memcpy-1", "nt-copy-1", "read-1"};
    add(group, copies, names);
}
