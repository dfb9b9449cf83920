/*
 * Moves records in shares of equal work. A share may start and end inside a large record; the
 * kernels move the whole records between (pack_kernels.c).
 */
#include "apps/allocate/allocate_call.h"
#include "apps/allocate/load_balance.h"
#include "apps/allocate/pack_kernels.h"
#include "scan/cpu/isa.h"
#include "scan/cpu/team.h"
#include "scan/cpu/tiles.h"

/* What a record costs beyond its bytes, in bytes. */
#define RECORD_COST 32u

/* The least work of a share, and the most shares of a thread. There are several for each thread,
   since the cost of work differs. */
#define SHARE_FROM (256u << 10)
#define SHARES_OF_THREAD 16u

typedef struct pack_pass {
    const load_balance *shared;
    const pack_kernels *kernels;
    pack_records records;
    uint64_t work, count, share; /* in all; the number of shares; of one share */
} pack_pass;

static const pack_kernels *pack_kernels_of(parscan_isa isa)
{
    return PARSCAN_BY_ISA(isa, &parscan_pack_portable, &parscan_pack_avx2, &parscan_pack_avx512);
}

/* Moves the bytes begin to end - 1 of a record, as far as it has them. */
static void move_part(const pack_pass *pass, size_t record, uint64_t begin, uint64_t end)
{
    const pack_records *const r = &pass->records;
    uint64_t from = 0, to = 0, size = 0;
    if (begin >= end)
        return;
    WITH_OFFSET_TYPE(r->offset_type, from = size_at(OFFSET, r->in_offsets, record);
                     to = size_at(OFFSET, r->out_offsets, record))
    WITH_SIZE_TYPE(r->size_type, size = size_at(SIZE, r->sizes, record))
    if (size < end) /* it may have changed since the sizes were summed */
        end = size;
    if (begin >= end)
        return;
    pass->kernels->copy(r->out + to + begin, r->in + from + begin, (size_t)(end - begin),
                        r->stream);
}

static void move_share(const pack_pass *pass, balance_point from, balance_point to)
{
    if (from.item == to.item) {
        move_part(pass, from.item, from.rank, to.rank);
        return;
    }
    size_t first = from.item;
    if (from.rank > 0) {
        move_part(pass, first, from.rank, UINT64_MAX);
        first++;
    }
    pass->kernels->move(&pass->records, first, to.item); /* none if sizes have changed so */
    if (to.rank > 0)
        move_part(pass, to.item, 0, to.rank);
}

static void move_next_share(void *state, size_t k, unsigned worker)
{
    const pack_pass *const pass = state;
    (void)worker;
    move_share(pass, parscan_load_balance_at(pass->shared, k * pass->share),
               parscan_load_balance_at(pass->shared,
                                       k + 1 < pass->count ? (k + 1) * pass->share : pass->work));
    if (pass->records.stream)
        pass->kernels->fence();
}

static void move_all(pack_pass *pass, parscan_context *context)
{
    pass->work = parscan_load_balance_work(pass->shared);
    const uint64_t most = pass->work / SHARE_FROM + 1;
    const unsigned threads = most > 1 ? context->threads : 1;
    pass->count = most < threads * SHARES_OF_THREAD ? most : threads * SHARES_OF_THREAD;
    pass->share = pass->work / pass->count;
    parscan_team_for(context, threads, pass->count, 1, move_next_share, pass);
}

parscan_status parscan_pack_cpu(parscan_context *context, const pack_records *records, size_t n)
{
    load_balance shared;
    const parscan_status status = parscan_load_balance_begin(
        context, records->size_type, records->sizes, n, RECORD_COST, &shared);
    if (status != PARSCAN_OK || context->measures)
        return status;
    pack_pass pass = {
        .shared = &shared, .kernels = pack_kernels_of(context->isa), .records = *records};
    pass.records.stream = shared.total >= STREAM_FROM_BYTES;
    move_all(&pass, context);
    return PARSCAN_OK;
}
