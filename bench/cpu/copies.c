#include "copies.h"

#include <stdatomic.h>
#include <string.h>

typedef struct part {
    char *to;
    const char *from;
    size_t bytes;
} part;

static part part_of(const bench_copies *c, unsigned share)
{
    const unsigned shares = workers_count(c->team);
    const size_t begin = bench_share_begin(c->bytes, shares, share);
    return (part){(char *)c->out + begin, (const char *)c->in + begin,
                  bench_share_begin(c->bytes, shares, share + 1) - begin};
}

static void memcpy_share(void *context, unsigned share)
{
    const part p = part_of(context, share);
    memcpy(p.to, p.from, p.bytes);
}

static void nt_copy_share(void *context, unsigned share)
{
    const part p = part_of(context, share);
    bench_nt_copy_share(p.to, p.from, p.bytes);
}

static void read_share(void *context, unsigned share)
{
    bench_copies *const c = context;
    const part p = part_of(c, share);
    atomic_fetch_add(&c->sum, bench_read_share(p.from, p.bytes));
}

static bool verify_copy(bench_copies *c, void (*run)(void *context))
{
    memset(c->out, 0xa5, c->bytes);
    run(c);
    return memcmp(c->in, c->out, c->bytes) == 0;
}

#define COPY(kind)                               \
    static void run_##kind(void *context)        \
    {                                            \
        bench_copies *const c = context;         \
        workers_run(c->team, kind##_share, c);   \
    }                                            \
    static bool verify_##kind(void *context)     \
    {                                            \
        return verify_copy(context, run_##kind); \
    }
COPY(memcpy)
COPY(nt_copy)

static void run_read(void *context)
{
    bench_copies *const c = context;
    atomic_store(&c->sum, 0);
    workers_run(c->team, read_share, c);
}

static bool verify_read(void *context)
{
    bench_copies *const c = context;
    const uint64_t *const words = c->in;
    uint64_t sum = 0;
    for (size_t i = 0; i < c->bytes / sizeof sum; i++)
        sum += words[i];
    run_read(context);
    return atomic_load(&c->sum) == sum;
}

void bench_add_copies(bench_group *group, bench_copies *copies, bool one)
{
    const double bytes = (double)copies->bytes;
    const bench_pool pool = workers_count(copies->team) > 1 ? BENCH_POOL_PROCESS : BENCH_POOL_NONE;
    const struct {
        const char *name;
        void (*run)(void *);
        bool (*verify)(void *);
        double bytes;
        bench_role role;
    } all[] = {{one ? "memcpy-1" : "memcpy", run_memcpy, verify_memcpy, 2 * bytes, BENCH_COPY},
               {one ? "nt-copy-1" : "nt-copy", run_nt_copy, verify_nt_copy, 2 * bytes, BENCH_COPY},
               {one ? "read-1" : "read", run_read, verify_read, bytes, BENCH_REFERENCE}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        bench_add(group, (bench_case){.name = all[k].name,
                                      .run = all[k].run,
                                      .verify = all[k].verify,
                                      .context = copies,
                                      .bytes = all[k].bytes,
                                      .role = all[k].role,
                                      .pool = pool});
}
