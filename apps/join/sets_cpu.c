/*
 * Set operations on the CPU. Both arrays are cut into parts of equal length, so that no pair of equal
 * elements is cut. One pass counts the results of the parts, a second one writes them. What changes
 * between the two moves no write beyond the part's count.
 */
#include "apps/join/set_kernels.h"

#include "apps/join/join_call.h"
#include "scan/context/size_math.h"
#include "scan/cpu/team.h"
#include "scan/cpu/tiles.h"

enum {
    SHARES = 8,        /* of SET_PARTS parts, for each thread */
    SHARE_FROM = 8192, /* the least elements of a share */
    MOST_SHARES = 4096
};

typedef struct set_pass {
    const set_call *call;
    const set_kernels *kernels;
    key_order order;
    size_t shares;
    set_part *parts; /* SET_PARTS of each share */
} set_pass;

static const set_kernels *kernels_of(key_class kind)
{
    static const set_kernels *const kernels[KEY_CLASSES] = {
#define X(ctx, NAME, bits, name, ...) [KEY_##NAME] = &SET_KERNELS_OF(name),
        PARSCAN_KEY_CLASSES(X, )
#undef X
    };
    return kernels[kind];
}

/* Each part begins where the one before it ends, so parts never meet, also in arrays that are not in
   order. */
static void cut_parts(const set_pass *p)
{
    const set_call *const call = p->call;
    const size_t count = p->shares * SET_PARTS, n = call->a.n, n2 = call->b.n;
    size_t i = 0, j = 0;
    for (size_t k = 0; k < count; k++) {
        const char *const a = call->a.keys + i * call->size, *const b =
                                                                 call->b.keys + j * call->size;
        const size_t end = k + 1 < count ? (n + n2) / count * (k + 1) : n + n2;
        const size_t size = end > i + j ? end - (i + j) : 0;
        const set_cut cut = p->kernels->cut(&p->order, a, n - i, b, n2 - j, size);
        p->parts[k] = (set_part){.a = a, .b = b, .n = cut.a, .n2 = cut.b};
        i += cut.a;
        j += cut.b;
    }
}

static void run_share(void *state, size_t share, unsigned worker)
{
    const set_pass *const p = state;
    (void)worker;
    p->kernels->run[p->call->operation](&p->order, p->parts + share * SET_PARTS);
}

/* Gives each part its place in out. */
static uint64_t place_parts(const set_pass *p)
{
    const set_call *const call = p->call;
    uint64_t before = 0;
    for (size_t k = 0; k < p->shares * SET_PARTS; k++) {
        set_part *const part = &p->parts[k];
        const uint64_t left = before < call->capacity ? call->capacity - before : 0;
        part->room = part->count < left ? part->count : (size_t)left;
        part->out = call->out;
        if (part->out != NULL && part->room > 0)
            part->out += before * call->size;
        before += part->count;
    }
    return before;
}

static size_t shares_of(const set_call *call, unsigned threads)
{
    const size_t most = size_min((size_t)threads * SHARES, MOST_SHARES);
    return size_min((call->a.n + call->b.n) / SHARE_FROM + 1, most);
}

static size_t parts_bytes(const void *call, unsigned threads)
{
    return shares_of(call, threads) * SET_PARTS * sizeof(set_part);
}

parscan_status parscan_set_cpu(const set_call *call, uint64_t *count)
{
    parscan_context *const context = call->context;
    const size_t elements = call->a.n + call->b.n;
    *count = 0;
    if (elements == 0)
        return PARSCAN_OK;
    unsigned threads = parscan_threads_for(context, elements * call->size);
    void *memory;
    const parscan_status status =
        parscan_scratch_of_threads(context, &threads, parts_bytes, call, &memory);
    if (status != PARSCAN_OK)
        return status;
    if (context->measures) {
        *count = parscan_most_of_set(call);
        return PARSCAN_OK;
    }
    set_call operands = *call;
    set_pass p = {.call = &operands,
                  .kernels = kernels_of(parscan_type_traits_of(call->type).key),
                  .order = parscan_key_order(call->type, false, 0, 8 * (unsigned)call->size),
                  .shares = shares_of(call, threads),
                  .parts = memory};
    /* A place without elements may be NULL, which nothing is added to. */
    if (call->a.n == 0)
        operands.a.keys = call->b.keys;
    if (call->b.n == 0)
        operands.b.keys = call->a.keys;
    cut_parts(&p);
    parscan_team_for(context, threads, p.shares, 1, run_share, &p);
    *count = place_parts(&p);
    if (call->out != NULL && *count > 0 && call->capacity > 0)
        parscan_team_for(context, threads, p.shares, 1, run_share, &p);
    return parscan_check_set_capacity(call, *count);
}
