/* Moves records on CUDA by pieces: a piece is what an aligned vector of 16 bytes of the output
   holds of a record. A lane moves one piece; neighbouring lanes move neighbouring pieces. */
#ifndef PARSCAN_APPS_PACK_PIECES_CUH
#define PARSCAN_APPS_PACK_PIECES_CUH

#include "apps/allocate/units_sum.cuh"

#define PACK_AT_ONCE 4u /* a lane loads so many pieces before it stores any */

/* A record: its source, its target and its size. */
struct pack_record {
    const char *in;
    char *out;
    uint64_t size; /* 0: no record */
    __device__ __forceinline__ pack_record() : in(NULL), out(NULL), size(0) {}
    __device__ __forceinline__ pack_record(const pack_params &params, size_t item)
        : in(params.in + size_at(params.offset_type, params.in_offsets, item)),
          out(params.out + size_at(params.offset_type, params.out_offsets, item)),
          size(size_at(params.size_type, params.sizes, item))
    {
    }
    /* The number of aligned vectors of 16 bytes that it touches. */
    __device__ __forceinline__ uint64_t pieces() const
    {
        const unsigned ends = (unsigned)size % 16 + (unsigned)(uintptr_t)out % 16;
        return size == 0 ? 0 : size / 16 + (ends + 15) / 16;
    }
    /* The number of bytes of the record before its piece `number`; negative for the first piece,
       if that is not full. */
    __device__ __forceinline__ int64_t before(uint64_t number) const
    {
        return (int64_t)(16 * number - (uintptr_t)out % 16);
    }
};

/* The bytes `shift` to `shift` + 15 of two vectors. */
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

/* What a lane moves: up to 16 bytes, which belong to one aligned vector of the output. */
struct pack_piece {
    const char *from;
    char *to;
    unsigned bytes; /* 0: nothing */
    unsigned room;  /* bytes from there to the end of the record, but at most 32 */
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

/* Loads the bytes of a piece. It may also load bytes around them, if they share an aligned word
   with a byte of the piece, or belong to the record. Nothing behind a record is read. */
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

/* Moves PACK_AT_ONCE rows of pieces of a record, from the lane's piece `number` on. None of them
   may be the record's first piece or one of its last two. */
static __device__ __forceinline__ void move_inner(const pack_record &record, uint64_t number)
{
    const int64_t before = record.before(number);
    const char *const from = record.in + before;
    uint4 *const to = (uint4 *)(record.out + before);
    const unsigned shift = (unsigned)((uintptr_t)from % 16);
    uint4 raw[PACK_AT_ONCE];
#pragma unroll
    for (unsigned k = 0; k < PACK_AT_ONCE; k++)
        raw[k] = *(const uint4 *)(from - shift + k * 512);
    if (shift != 0) {
        uint4 next[PACK_AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < PACK_AT_ONCE; k++)
            next[k] = *(const uint4 *)(from - shift + k * 512 + 16);
#pragma unroll
        for (unsigned k = 0; k < PACK_AT_ONCE; k++)
            raw[k] = shifted(raw[k], next[k], shift);
    }
#pragma unroll
    for (unsigned k = 0; k < PACK_AT_ONCE; k++)
        __stwb(to + k * 32, raw[k]);
}

static __device__ __forceinline__ void move_pieces(const pack_piece (&pieces)[PACK_AT_ONCE])
{
    uint4 values[PACK_AT_ONCE];
#pragma unroll
    for (unsigned k = 0; k < PACK_AT_ONCE; k++)
        values[k] = load_piece(pieces[k]);
#pragma unroll
    for (unsigned k = 0; k < PACK_AT_ONCE; k++)
        store_piece(pieces[k], values[k]);
}

#endif
