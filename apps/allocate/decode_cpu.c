/* Run lengths decoded on the CPU: an expansion whose slots receive the values of their items. Elements of 1,
   2, 4 and 8 bytes go through its kernels; others are copied one by one, in the same shares. */
#include <string.h>

#include "apps/allocate/allocate_call.h"
#include "apps/allocate/expand_kernels.h"
#include "scan/cpu/isa.h"
#include "scan/cpu/team.h"

/* The least bytes of a share, and the most shares of a thread. */
enum { SHARE_FROM_BYTES = 1 << 18, SHARES_OF_THREAD = 16 };

static expand_function *kernel_of(size_t size, parscan_isa isa)
{
    switch (size) {
#define X(bits)                                                       \
    case bits / 8:                                                    \
        return PARSCAN_BY_ISA(isa, parscan_expand_u##bits##_portable, \
                              parscan_expand_u##bits##_avx2, parscan_expand_u##bits##_avx512);
        X(8)
        X(16)
        X(32)
        X(64)
#undef X
    default:
        return NULL;
    }
}

/* ---- values of any size ---- */

typedef struct record_pass {
    const decode_call *call;
    const load_balance *shared;
    uint64_t count, share; /* the number of shares, and the work of one */
} record_pass;

/* Writes `count` copies of a value. What is there is doubled: few calls, whatever the size. */
static void repeat_value(char *to, const char *value, size_t size, size_t count)
{
    size_t done = 1;
    memcpy(to, value, size);
    for (; done * 2 <= count && done * size < 4096; done *= 2)
        memcpy(to + done * size, to, done * size);
    for (size_t some; done < count; done += some) {
        some = count - done < done ? count - done : done;
        memcpy(to + done * size, to, some * size);
    }
}

/* Lengths may have changed since they were summed: slots end with the share, items with n, and slots that
   are left are cleared. */
static void write_slots(const record_pass *pass, balance_point at, uint64_t end)
{
    const decode_call *const call = pass->call;
    const size_t size = call->value_size;
    char *const out = call->out;
    for (; at.slot < end && at.item < call->n; at.item++, at.rank = 0) {
        const uint64_t length = size_at(call->size_type, call->sizes, at.item);
        const uint64_t left = length > at.rank ? length - at.rank : 0;
        const size_t some = (size_t)(left < end - at.slot ? left : end - at.slot);
        if (some > 0)
            repeat_value(out + at.slot * size, (const char *)call->values + at.item * size, size,
                         some);
        at.slot += some;
    }
    if (at.slot < end)
        memset(out + at.slot * size, 0, (size_t)(end - at.slot) * size);
}

static void write_share(void *state, size_t k, unsigned worker)
{
    const record_pass *const pass = state;
    (void)worker;
    write_slots(pass, parscan_load_balance_at(pass->shared, k * pass->share),
                k + 1 < pass->count
                    ? parscan_load_balance_at(pass->shared, (k + 1) * pass->share).slot
                    : pass->shared->total);
}

static void decode_records(const decode_call *call, const load_balance *shared)
{
    const uint64_t work = parscan_load_balance_work(shared);
    const uint64_t least = SHARE_FROM_BYTES / call->value_size + 1, most = work / least + 1;
    const unsigned threads = most > 1 ? call->context->threads : 1;
    record_pass pass = {.call = call, .shared = shared};
    pass.count = most < threads * SHARES_OF_THREAD ? most : threads * SHARES_OF_THREAD;
    pass.share = work / pass.count;
    parscan_team_for(call->context, threads, pass.count, 1, write_share, &pass);
}

parscan_status parscan_decode_cpu(const decode_call *call, uint64_t *total)
{
    load_balance shared;
    const parscan_status status = parscan_begin_slots(call->context, call->size_type, call->sizes,
                                                      call->n, call->capacity, &shared, total);
    if (status != PARSCAN_OK || call->n == 0 || call->context->measures)
        return status;
    if (shared.total > call->capacity)
        return parscan_fail_total(call->context, PARSCAN_ERROR_CAPACITY, PARSCAN_U64, shared.total,
                                  call->capacity);
    if (shared.total == 0)
        return PARSCAN_OK;
    expand_function *const kernel = kernel_of(call->value_size, call->context->isa);
    if (kernel != NULL)
        kernel(call->context, &shared, call->values, call->out, NULL);
    else
        decode_records(call, &shared);
    return PARSCAN_OK;
}
