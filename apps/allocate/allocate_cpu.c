/*
 * Allocation in one pass over memory, as the core's single pass (scan/single_pass/single_pass_cpu.c):
 * a core reduces a tile of sizes, learns from the chain what all tiles before take, and scans the
 * tile from its caches. What the chain carries is exact, so that no total that wraps around can be
 * taken for one that fits.
 */
#include "apps/allocate/allocate_cpu.h"

#include <omp.h>

#include "scan/context/context.h"
#define CHAIN_T size_sum
#include "scan/single_pass/chain.h"
#include "scan/single_pass/tuning.h"

typedef struct allocate_job {
    const allocate_call *call;
    const allocate_kernels *kernels;
    size_t length;  /* sizes a tile */
    unsigned shift; /* what the kernels sum are units of 1 << shift */
    bool narrow;    /* the kernels write u64, the offsets are u32 */
    bool stream;
    chain chain;
} allocate_job;

static allocate_tile tile_of(const allocate_job *job, size_t tile, size_t next)
{
    const allocate_call *const call = job->call;
    const size_t bytes = parscan_type_size(call->size_type);
    const size_t left = call->n - tile * job->length;
    const char *const sizes = call->sizes;
    return (allocate_tile){
        .size_type = call->size_type,
        .sizes = sizes + tile * job->length * bytes,
        .n = left < job->length ? left : job->length,
        .shift = job->shift,
        .mask = call->alignment - 1,
        .stream = job->stream,
        .next = next < call->n / job->length ? sizes + next * job->length * bytes : NULL,
    };
}

static size_sum scan_tile(const allocate_job *job, size_t tile, allocate_tile *work,
                          uint64_t *buffer)
{
    const allocate_call *const call = job->call;
    char *const offsets =
        (char *)call->offsets + tile * job->length * parscan_type_size(call->offset_type);
    work->offsets = job->narrow ? (void *)buffer : offsets;
    const size_sum sum = job->kernels->scan(work);
    if (job->narrow)
        job->kernels->narrow(buffer, offsets, work->n);
    return sum;
}

/* One core's share. */
static void allocate_tiles(allocate_job *job)
{
    alignas(64) uint64_t buffer[TILE_BYTES / sizeof(uint64_t)];
    chain *const c = &job->chain;
    const size_t tiles = job->call->n / job->length + (job->call->n % job->length != 0);
    const size_t team = (size_t)omp_get_num_threads();
    size_t tile = (size_t)omp_get_thread_num(), next = tile + team;
    while (tile < tiles) {
        allocate_tile work = tile_of(job, tile, next);
        const size_sum sum = job->kernels->reduce(&work);
        chain_wait(c, tile);
        work.before = c->before.sum;
        c->before = size_sum_add(c->before, sum);
        const size_t claimed = chain_claim(c, team);
        chain_pass(c, tile);
        if (job->call->offsets != NULL)
            scan_tile(job, tile, &work, buffer);
        tile = next;
        next = claimed;
    }
    if (job->stream)
        job->kernels->fence();
}

/* The same on one core, which needs no reduction to know what comes before a tile. */
static void allocate_tiles_alone(allocate_job *job)
{
    alignas(64) uint64_t buffer[TILE_BYTES / sizeof(uint64_t)];
    size_sum before = job->chain.before;
    for (size_t tile = 0; tile * job->length < job->call->n; tile++) {
        allocate_tile work = tile_of(job, tile, SIZE_MAX);
        work.before = before.sum;
        before =
            size_sum_add(before, job->call->offsets == NULL ? job->kernels->reduce(&work)
                                                            : scan_tile(job, tile, &work, buffer));
    }
    job->chain.before = before;
    if (job->stream)
        job->kernels->fence();
}

const allocate_kernels *parscan_allocate_kernels(parscan_type offset_type, parscan_isa isa)
{
#define KERNELS_U32(set) &parscan_allocate_u32_##set
#define KERNELS_U64(set) &parscan_allocate_u64_##set
    return offset_type == PARSCAN_U32 ? PARSCAN_OF_ISA(isa, KERNELS_U32)
                                      : PARSCAN_OF_ISA(isa, KERNELS_U64);
}

static unsigned log2_of(uint64_t power)
{
    unsigned log2 = 0;
    while (power >> log2 > 1)
        log2++;
    return log2;
}

static allocate_job job_of(const allocate_call *call)
{
    const unsigned shift = log2_of(call->alignment);
    const size_t size_bytes = parscan_type_size(call->size_type);
    const size_t offset_bytes = parscan_type_size(call->offset_type);
    /* Neither sizes nor the alignment may be too wide for the kernels. */
    const bool wide = offset_bytes == 8 || size_bytes == 8 || shift >= 32;
    const size_t width = wide ? sizeof(uint64_t) : sizeof(uint32_t);
    allocate_job job = {
        .call = call,
        .kernels = parscan_allocate_kernels(wide ? PARSCAN_U64 : PARSCAN_U32, call->context->isa),
        .length = TILE_BYTES / width,
        /* Two halves of the bits are more than a tile of rounded sizes takes. */
        .shift = size_bytes < width && shift <= 4 * width ? 0 : shift,
        .narrow = wide && offset_bytes == 4,
    };
    job.stream = call->offsets != NULL && !job.narrow &&
                 call->n >= STREAM_FROM_BYTES / offset_bytes &&
                 (uintptr_t)call->offsets % offset_bytes == 0;
    chain_begin(&job.chain, (size_sum){0, false});
    return job;
}

size_sum parscan_allocate_cpu(const allocate_call *call)
{
    allocate_job job = job_of(call);
    const size_t bytes =
        call->n * parscan_type_size(call->offsets != NULL ? call->offset_type : call->size_type);
    const unsigned threads = call->context->threads;
    if (threads == 1 || bytes < THREADS_FROM_BYTES) {
        allocate_tiles_alone(&job);
    } else {
#pragma omp parallel num_threads(threads)
        allocate_tiles(&job);
    }
    size_sum total = job.chain.before;
    total.beyond |= total.sum > UINT64_MAX >> job.shift;
    total.sum <<= job.shift;
    return total;
}
