/*
 * Records moved on CUDA: a slot (slots_kernels.cuh) is a piece of 16 aligned bytes of the output, or what a
 * record has of it. A lane moves one, lanes side by side move what lies side by side; where a warp's
 * pieces are all of one record, it moves several of each lane at once.
 */
#ifndef PARSCAN_APPS_PACK_KERNELS_CUH
#define PARSCAN_APPS_PACK_KERNELS_CUH

#include "apps/allocate/slots_kernels.cuh"

enum : unsigned {
    PACK_ROWS = SLOTS_PART / 32, /* pieces of a lane */
    PACK_AT_ONCE = 4,            /* of them are loaded before any is stored */
    PACK_BLOCKS = 3              /* a multiprocessor, at least */
};

/* A record: where it comes from and goes to. */
struct pack_record {
    const char *in;
    char *out;
    uint64_t size;
    __device__ __forceinline__ pack_record(const slots_call &call, size_t item)
        : in(call.in + size_at(call.offset_type, call.in_offsets, item)),
          out(call.out + size_at(call.offset_type, call.out_offsets, item)),
          size(size_at(call.size_type, call.sizes, item))
    {
    }
    /* Bytes of it before its piece `number`, less than none where that is its first. */
    __device__ __forceinline__ int64_t before(uint64_t number) const
    {
        return (int64_t)(16 * number - (uintptr_t)out % 16);
    }
};

/* Bytes `shift` to `shift` + 15 of two vectors. */
static __device__ __forceinline__ uint4 shifted(uint4 low, uint4 high, unsigned shift)
{
    uint32_t w[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
    for (unsigned by = 2; by > 0; by /= 2)
#pragma unroll
        for (unsigned k = 0; k + by < 8; k++)
            w[k] = shift & 4 * by ? w[k + by] : w[k];
    return make_uint4(
        __funnelshift_r(w[0], w[1], 8 * (shift & 3)), __funnelshift_r(w[1], w[2], 8 * (shift & 3)),
        __funnelshift_r(w[2], w[3], 8 * (shift & 3)), __funnelshift_r(w[3], w[4], 8 * (shift & 3)));
}

/* What a lane moves: up to 16 bytes, which the output has in one aligned piece. */
struct pack_piece {
    const char *from;
    char *to;
    unsigned bytes; /* 0: nothing */
    unsigned room;  /* bytes of the record from there on, as far as 32 */
    __device__ __forceinline__ pack_piece() : from(NULL), to(NULL), bytes(0), room(0) {}
    __device__ __forceinline__ pack_piece(const pack_record &record, uint64_t number)
    {
        const int64_t before = record.before(number);
        const uint64_t begin = before < 0 ? 0 : (uint64_t)before, behind = (uint64_t)(before + 16);
        const uint64_t rest = record.size - begin;
        from = record.in + begin;
        to = record.out + begin;
        bytes = (unsigned)((behind < record.size ? behind : record.size) - begin);
        room = rest < 32 ? (unsigned)rest : 32;
    }
};

/* The bytes of a piece; those around them as far as they share an aligned word with one of them, or the record
   has them: nothing behind a record is read. */
static __device__ __forceinline__ uint4 load_piece(const pack_piece &piece)
{
    const unsigned shift = (unsigned)((uintptr_t)piece.from % 16), part = shift % 4;
    if (piece.bytes == 16 && (shift == 0 || piece.room == 32)) {
        const uint4 *const at = (const uint4 *)(piece.from - shift);
        const uint4 low = at[0];
        return shift == 0 ? low : shifted(low, at[1], shift);
    }
    const uint32_t *const words = (const uint32_t *)(piece.from - part);
    uint32_t w[5];
#pragma unroll
    for (unsigned k = 0; k < 5; k++) {
        w[k] = 0;
        if (4 * k + 4 <= part + piece.room && 4 * k < part + piece.bytes)
            w[k] = words[k];
#pragma unroll
        for (unsigned b = 0; b < 3; b++)
            if (4 * k + 4 > part + piece.room && 4 * k + b < part + piece.bytes &&
                4 * k + b >= part)
                w[k] |= (uint32_t)((const unsigned char *)(words + k))[b] << 8 * b;
    }
    return make_uint4(__funnelshift_r(w[0], w[1], 8 * part), __funnelshift_r(w[1], w[2], 8 * part),
                      __funnelshift_r(w[2], w[3], 8 * part), __funnelshift_r(w[3], w[4], 8 * part));
}

static __device__ __forceinline__ void store_piece(const pack_piece &piece, uint4 value)
{
    const uint32_t w[4] = {value.x, value.y, value.z, value.w};
    if (piece.bytes == 16) {
        __stwb((uint4 *)piece.to, value);
        return;
    }
    const unsigned in_words = (uintptr_t)piece.to % 4 == 0 ? piece.bytes / 4 * 4 : 0;
#pragma unroll
    for (unsigned k = 0; k < 4; k++) {
        if (4 * k < in_words)
            ((uint32_t *)piece.to)[k] = w[k];
#pragma unroll
        for (unsigned b = 4 * k; b < 4 * k + 4 && b < 15; b++)
            if (b >= in_words && b < piece.bytes)
                piece.to[b] = (char)(w[k] >> 8 * (b % 4));
    }
}

struct pack_use {
    static const unsigned LANE = 1;
    const slots_call &call;

    /* All pieces of a warp, none of which is a record's first or one of its last two; from `number` on. */
    __device__ __forceinline__ void move_inner(const pack_record &record, uint64_t number) const
    {
        const int64_t before = record.before(number);
        const char *const from = record.in + before;
        uint4 *const to = (uint4 *)(record.out + before);
        const unsigned shift = (unsigned)((uintptr_t)from % 16);
#pragma unroll 1
        for (unsigned row = 0; row < PACK_ROWS; row += PACK_AT_ONCE) {
            uint4 raw[PACK_AT_ONCE];
#pragma unroll
            for (unsigned k = 0; k < PACK_AT_ONCE; k++)
                raw[k] = *(const uint4 *)(from - shift + (row + k) * 512);
            if (shift != 0) {
                uint4 next[PACK_AT_ONCE];
#pragma unroll
                for (unsigned k = 0; k < PACK_AT_ONCE; k++)
                    next[k] = *(const uint4 *)(from - shift + (row + k) * 512 + 16);
#pragma unroll
                for (unsigned k = 0; k < PACK_AT_ONCE; k++)
                    raw[k] = shifted(raw[k], next[k], shift);
            }
#pragma unroll
            for (unsigned k = 0; k < PACK_AT_ONCE; k++)
                __stwb(to + (row + k) * 32, raw[k]);
        }
    }

    /* Whether all the warp's pieces are inner ones of one record; then they are moved. */
    __device__ __forceinline__ bool moved_at_once(const slots_shared &shared,
                                                  const slots_tile &tile, unsigned part, int mark,
                                                  unsigned lane) const
    {
        if (part < tile.begin || part + SLOTS_PART > tile.end)
            return false;
        const pack_record record(call, tile.item + (mark < 0 ? 0 : shared.item_at[mark]));
        const uint64_t first = mark < 0 ? tile.first : tile.base + mark;
        const uint64_t number = tile.base + part - first;
        if (number == 0 || record.before(number + SLOTS_PART + 2) > (int64_t)record.size)
            return false;
        move_inner(record, number + lane);
        return true;
    }

    __device__ __forceinline__ pack_piece piece_at(const slots_shared &shared,
                                                   const slots_tile &tile, unsigned at,
                                                   int mark) const
    {
        const pack_record record(call, tile.item + (mark < 0 ? 0 : shared.item_at[mark]));
        const uint64_t first = mark < 0 ? tile.first : tile.base + mark;
        return pack_piece(record, tile.base + at - first);
    }

    __device__ __forceinline__ void operator()(slots_shared &shared, const slots_tile &tile,
                                               unsigned warp, unsigned lane) const
    {
        const unsigned part = warp * SLOTS_PART;
        unsigned marks[PACK_ROWS];
        int last = -1;
#pragma unroll
        for (unsigned row = 0; row < PACK_ROWS; row++) {
            const unsigned at = part + row * 32;
            marks[row] = __ballot_sync(0xffffffffu, shared.item_at[at + lane] != 0);
            last = marks[row] != 0 ? (int)(at + 31 - __clz((int)marks[row])) : last;
        }
        const bool alone = last < 0;
        last = mark_before(call, shared, tile, warp, lane, last);
        if (alone && moved_at_once(shared, tile, part, last, lane))
            return;
#pragma unroll
        for (unsigned row = 0; row < PACK_ROWS; row += PACK_AT_ONCE) {
            pack_piece pieces[PACK_AT_ONCE];
            uint4 values[PACK_AT_ONCE];
#pragma unroll
            for (unsigned k = 0; k < PACK_AT_ONCE; k++) {
                const unsigned at = part + (row + k) * 32, row_marks = marks[row + k];
                const unsigned up_to = row_marks & (0xffffffffu >> (31 - lane));
                const int mark = up_to != 0 ? (int)(at + 31 - __clz((int)up_to)) : last;
                last = row_marks != 0 ? (int)(at + 31 - __clz((int)row_marks)) : last;
                if (at + lane >= tile.begin && at + lane < tile.end)
                    pieces[k] = piece_at(shared, tile, at + lane, mark);
            }
#pragma unroll
            for (unsigned k = 0; k < PACK_AT_ONCE; k++)
                values[k] = load_piece(pieces[k]);
#pragma unroll
            for (unsigned k = 0; k < PACK_AT_ONCE; k++)
                store_piece(pieces[k], values[k]);
        }
    }
};

static __global__ void __launch_bounds__(SLOTS_THREADS, PACK_BLOCKS)
    pack_items(const __grid_constant__ slots_call call)
{
    if (has_failed(call))
        return;
    share_slots(call, pack_use{call});
}

/* Of records in host memory. */
static __global__ void find_extent(const __grid_constant__ extent_call call)
{
    uint64_t begin = UINT64_MAX, end = 0;
    const size_t step = (size_t)gridDim.x * blockDim.x;
#pragma unroll 1
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < call.n; i += step) {
        const uint64_t size = size_at(call.size_type, call.sizes, i);
        const uint64_t offset = size_at(call.offset_type, call.offsets, i);
        if (size == 0)
            continue;
        begin = offset < begin ? offset : begin;
        end = offset + size > end ? offset + size : end;
    }
    if (end == 0)
        return;
    atomicMin((unsigned long long *)call.extent, (unsigned long long)begin);
    atomicMax((unsigned long long *)call.extent + 1, (unsigned long long)end);
}

#endif
