/*
 * Allocation in one pass over memory, like the CPU's single-pass scan
 * (scan/single_pass/single_pass_cpu.c): a thread reduces a tile of sizes, learns from the look-back
 * the sum of all tiles before, and scans the tile, which is still in its caches. The sums are exact,
 * so a total that wraps around is never mistaken for one that fits.
 */
#include "apps/allocate/allocate_call.h"
#include "apps/allocate/allocate_kernels.h"

#include <string.h>

#include "scan/context/check.h"
#include "scan/context/context_state.h"
#define SUMMARY size_sum
#define PREFIX size_sum
#include "scan/cpu/isa.h"
#include "scan/cpu/look_back.h"

typedef struct allocate_pass {
    const allocate_call *call;
    const allocate_kernels *kernels;
    size_t length;  /* sizes in a tile */
    unsigned shift; /* the kernels sum units of 1 << shift bytes */
    bool narrow;    /* the kernels write u64, but the offsets are u32 */
    bool stream;
    tile_plan plan;
    look_back look_back;
} allocate_pass;

/* Where the sizes of a whole tile lie, for the kernels to prefetch. */
static const void *tile_memory(const allocate_pass *pass, size_t tile)
{
    const allocate_call *const call = pass->call;
    const size_t bytes = parscan_type_size(call->size_type);
    return tile < call->n / pass->length ? (const char *)call->sizes + tile * pass->length * bytes
                                         : NULL;
}

static allocate_tile tile_of(const allocate_pass *pass, size_t tile)
{
    const allocate_call *const call = pass->call;
    const size_t bytes = parscan_type_size(call->size_type);
    const size_t left = call->n - tile * pass->length;
    const char *const sizes = call->sizes;
    return (allocate_tile){
        .size_type = call->size_type,
        .sizes = sizes + tile * pass->length * bytes,
        .n = left < pass->length ? left : pass->length,
        .shift = pass->shift,
        .mask = call->alignment - 1,
        .stream = pass->stream,
    };
}

static size_sum scan_tile(const allocate_pass *pass, size_t tile, allocate_tile *work,
                          uint64_t *buffer)
{
    const allocate_call *const call = pass->call;
    char *const offsets =
        (char *)call->offsets + tile * pass->length * parscan_type_size(call->offset_type);
    work->offsets = pass->narrow ? (void *)buffer : offsets;
    const size_sum sum = pass->kernels->scan(work);
    if (pass->narrow)
        pass->kernels->narrow(buffer, offsets, work->n);
    return sum;
}

static size_sum add_tile(const void *pass, const size_sum *before, const size_sum *sum)
{
    (void)pass;
    return size_sum_add(*before, *sum);
}

static size_sum sum_tile(const void *state, void *work, size_t tile)
{
    const allocate_pass *const pass = state;
    (void)work;
    const allocate_tile sizes = tile_of(pass, tile);
    return pass->kernels->reduce(&sizes);
}

static const tile_functions tile_sums = {.add = add_tile, .summarise = sum_tile};

/* The work of one thread. */
static void allocate_tiles(void *state, size_t part)
{
    allocate_pass *const pass = state;
    look_back *const l = &pass->look_back;
    uint64_t *const buffer = (uint64_t *)(pass->plan.work + part * pass->plan.work_bytes);
    size_t tile = look_back_claim(l);
    while (tile < l->tiles) {
        const size_t next = look_back_early(l);
        allocate_tile work = tile_of(pass, tile);
        work.next = tile_memory(pass, next);
        const size_sum sum = pass->kernels->reduce(&work);
        look_back_publish(l, tile, &sum);
        const size_sum before = look_back_prefix(l, tile, &tile_sums, pass, NULL);
        const size_sum through = size_sum_add(before, sum);
        look_back_pass(l, tile, &through);
        work.before = before.sum;
        if (pass->call->offsets != NULL)
            scan_tile(pass, tile, &work, buffer);
        tile = look_back_next(l, next);
    }
    if (pass->stream)
        pass->kernels->fence();
}

/* What comes before the first tile, in units. */
static size_sum first_of(const allocate_pass *pass)
{
    return (size_sum){pass->call->start >> pass->shift, false};
}

/* The same on one thread, which needs no reduction to know a tile's prefix. */
static size_sum allocate_tiles_alone(allocate_pass *pass)
{
    alignas(64) uint64_t buffer[TILE_BYTES / sizeof(uint64_t)];
    size_sum before = first_of(pass);
    for (size_t tile = 0; tile * pass->length < pass->call->n; tile++) {
        allocate_tile work = tile_of(pass, tile);
        work.before = before.sum;
        before = size_sum_add(before, pass->call->offsets == NULL
                                          ? pass->kernels->reduce(&work)
                                          : scan_tile(pass, tile, &work, buffer));
    }
    if (pass->stream)
        pass->kernels->fence();
    return before;
}

static size_sum allocate_in_parallel(allocate_pass *pass)
{
    const size_t tiles = pass->call->n / pass->length + (pass->call->n % pass->length != 0);
    look_back_begin(&pass->look_back, &pass->plan, tiles, pass->plan.tile_bytes, first_of(pass),
                    pass->call->sizes == pass->call->offsets);
    parscan_team_run(pass->call->context, pass->plan.threads, allocate_tiles, pass);
    return look_back_end(&pass->look_back);
}

const allocate_kernels *parscan_allocate_kernels(parscan_type offset_type, parscan_isa isa)
{
    if (offset_type == PARSCAN_U32)
        return PARSCAN_BY_ISA(isa, &parscan_allocate_u32_portable, &parscan_allocate_u32_avx2,
                              &parscan_allocate_u32_avx512);
    return PARSCAN_BY_ISA(isa, &parscan_allocate_u64_portable, &parscan_allocate_u64_avx2,
                          &parscan_allocate_u64_avx512);
}

static unsigned log2_of(uint64_t power)
{
    unsigned log2 = 0;
    while (power >> log2 > 1)
        log2++;
    return log2;
}

static allocate_pass pass_of(const allocate_call *call)
{
    const unsigned shift = log2_of(call->alignment);
    const size_t size_bytes = parscan_type_size(call->size_type);
    const size_t offset_bytes = parscan_type_size(call->offset_type);
    /* Neither the sizes nor the alignment may be too wide for the kernels. */
    const bool wide = offset_bytes == 8 || size_bytes == 8 || shift >= 32;
    const size_t width = wide ? sizeof(uint64_t) : sizeof(uint32_t);
    /* A tile of TILE_BYTES has so many sizes or offsets of the kernels' width. */
    const tile_demand demand = {
        .bytes = call->n * width,
        .slot_bytes = sizeof(tile_slot),
        .work_eighths = wide && offset_bytes == 4 ? 8 : 0,
    };
    const tile_plan plan = parscan_plan_tiles(call->context, &demand);
    allocate_pass pass = {
        .call = call,
        .kernels = parscan_allocate_kernels(wide ? PARSCAN_U64 : PARSCAN_U32, call->context->isa),
        .plan = plan,
        .length = plan.tile_bytes / width,
        /* Narrower sizes, rounded up to at most half of the bits, cannot overflow in a tile. */
        .shift = size_bytes < width && shift <= 4 * width ? 0 : shift,
        .narrow = wide && offset_bytes == 4,
    };
    /* In place the line is in the cache. */
    pass.stream = call->offsets != NULL && call->offsets != call->sizes && !pass.narrow &&
                  call->n >= STREAM_FROM_BYTES / offset_bytes &&
                  (uintptr_t)call->offsets % offset_bytes == 0;
    return pass;
}

/* Writes the offsets and returns the exact total. The offsets are right if the total fits their
   type. */
static size_sum allocate_all(const allocate_call *call)
{
    allocate_pass pass = pass_of(call);
    size_sum total =
        pass.plan.threads == 1 ? allocate_tiles_alone(&pass) : allocate_in_parallel(&pass);
    total.beyond |= total.sum > UINT64_MAX >> pass.shift;
    total.sum <<= pass.shift;
    return total;
}

static void close_offsets(const allocate_call *call, uint64_t total)
{
    const uint32_t narrow = (uint32_t)total;
    const size_t size = parscan_type_size(call->offset_type);
    memcpy((char *)call->offsets + call->n * size,
           size == sizeof narrow ? (const void *)&narrow : (const void *)&total, size);
}

parscan_status parscan_allocate_cpu(const allocate_call *call, uint64_t capacity, uint64_t *total)
{
    if (call->context->measures) {
        pass_of(call);
        *total = parscan_most_total(call, capacity);
        return PARSCAN_OK;
    }
    const size_sum sum = allocate_all(call);
    parscan_status status = PARSCAN_OK;
    *total = sum.beyond ? UINT64_MAX : sum.sum;
    if (sum.beyond || sum.sum > parscan_most_index(call->offset_type))
        status = PARSCAN_ERROR_OVERFLOW;
    else if (sum.sum > capacity)
        status = PARSCAN_ERROR_CAPACITY;
    if (call->close && call->offsets != NULL && status != PARSCAN_ERROR_OVERFLOW)
        close_offsets(call, sum.sum);
    return parscan_fail_total(call->context, status, call->offset_type, *total, capacity);
}
