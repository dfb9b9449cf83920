/*
 * Records moved at once, by shares of equal work. A share begins and ends inside a record where the
 * record is worth it; whole ones between are the kernels' (pack_kernels.c).
 */
#include "apps/allocate/allocate_call.h"
#include "apps/allocate/pack_kernels.h"
#include "apps/allocate/shares.h"
#include "parscan/allocate.h"
#include "scan/context/check.h"
#include "scan/context/context.h"
#include "scan/single_pass/tuning.h"

/* What a record costs beyond its bytes, in bytes. */
#define RECORD_COST 32u

/* Work of a share, at least, and shares a thread, at most: the cost of work differs. */
#define SHARE_FROM (256u << 10)
#define SHARES_OF_THREAD 16u

typedef struct pack_job {
    const shares *shared;
    const pack_kernels *kernels;
    pack_records records;
} pack_job;

static parscan_status check_arguments(parscan_context *context, const pack_records *records,
                                      size_t n)
{
    parscan_status status = parscan_check_offset_type(context, "offset_type", records->offset_type);
    if (status == PARSCAN_OK)
        status = parscan_check_size_type(context, "size_type", records->size_type);
    if (status != PARSCAN_OK)
        return status;
    const size_t offset_bytes = parscan_type_size(records->offset_type);
    const size_t size_bytes = parscan_type_size(records->size_type);
    status = parscan_check_array(context, "in", records->in, n, 1);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "in_offsets", records->in_offsets, n, offset_bytes);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "sizes", records->sizes, n, size_bytes);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "out", records->out, n, 1);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "out_offsets", records->out_offsets, n, offset_bytes);
    return status;
}

static const pack_kernels *kernels_of(parscan_isa isa)
{
#define KERNELS(set) &parscan_pack_##set
    return PARSCAN_OF_ISA(isa, KERNELS);
}

/* The bytes begin to end of a record. */
static void move_part(const pack_job *job, size_t record, uint64_t begin, uint64_t end)
{
    const pack_records *const r = &job->records;
    uint64_t from = 0, to = 0;
    WITH_OFFSET_TYPE(r->offset_type, from = size_at(OFFSET, r->in_offsets, record);
                     to = size_at(OFFSET, r->out_offsets, record))
    job->kernels->copy(r->out + to + begin, r->in + from + begin, (size_t)(end - begin), r->stream);
}

static void move_share(const pack_job *job, share_point from, share_point to)
{
    if (from.item == to.item) {
        move_part(job, from.item, from.rank, to.rank);
        return;
    }
    size_t first = from.item;
    if (from.rank > 0) {
        uint64_t size = 0;
        WITH_SIZE_TYPE(job->records.size_type, size = size_at(SIZE, job->records.sizes, first))
        move_part(job, first, from.rank, size);
        first++;
    }
    job->kernels->move(&job->records, first, to.item);
    if (to.rank > 0)
        move_part(job, to.item, 0, to.rank);
}

static void move_all(const pack_job *job, unsigned all_threads)
{
    const shares *const shared = job->shared;
    const uint64_t work = parscan_shares_work(shared);
    const uint64_t most = work / SHARE_FROM + 1;
    const unsigned threads = most > 1 ? all_threads : 1;
    const uint64_t count = most < threads * SHARES_OF_THREAD ? most : threads * SHARES_OF_THREAD;
    const uint64_t share = work / count;
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
#pragma omp for schedule(dynamic)
        for (uint64_t k = 0; k < count; k++)
            move_share(job, parscan_shares_at(shared, k * share),
                       parscan_shares_at(shared, k + 1 < count ? (k + 1) * share : work));
        if (job->records.stream)
            job->kernels->fence();
    }
}

parscan_status parscan_pack(parscan_context *context, const void *in, parscan_type offset_type,
                            const void *in_offsets, parscan_type size_type, const void *sizes,
                            void *out, const void *out_offsets, size_t n)
{
    if (context == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    pack_records records = {in, out, offset_type, size_type, in_offsets, out_offsets, sizes, false};
    parscan_status status = check_arguments(context, &records, n);
    if (status != PARSCAN_OK || n == 0)
        return status;
    if (context->cuda != NULL)
        return parscan_pack_cuda(context, &records, n);
    shares shared;
    status = parscan_shares_begin(context, size_type, sizes, n, RECORD_COST, &shared);
    if (status != PARSCAN_OK)
        return status;
    records.stream = shared.total >= STREAM_FROM_BYTES;
    const pack_job job = {&shared, kernels_of(context->isa), records};
    move_all(&job, context->threads);
    return PARSCAN_OK;
}
