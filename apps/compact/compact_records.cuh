/*
 * Records of any size that are moved beside what is tested: those of the elements that are kept, or the
 * values of the first elements of runs. They are read where they are needed, straight from memory. A
 * warp that tests a chunk fetches those of its kept elements into L2, so that they are there when the
 * prefix is known.
 */
#ifndef PARSCAN_APPS_COMPACT_RECORDS_CUH
#define PARSCAN_APPS_COMPACT_RECORDS_CUH

#include "apps/compact/compact_values.cuh"
#include "scan/cuda/unit_walk.cuh"

/* Records of so many bytes are fetched with all of their chunk, if many are kept; and those of so many alone:
   larger ones are read in whole lines, several at once. */
enum : unsigned { RECORDS_FETCHED_WHOLE = 16, RECORDS_FETCHED = 128 };

/* word: of a lane, as test_chunk() gives it. Called by a warp. */
template <typename S>
static __device__ __forceinline__ void fetch_records(const compact_params &params,
                                                     const compact_extent<S> &extent, uint32_t word,
                                                     unsigned chunk, unsigned lane)
{
    const size_t size = params.units * params.unit;
    const unsigned at = chunk * S::CHUNK;
    const char *const from = (const char *)params.records + (extent.index + at) * size;
    const bool dense = __any_sync(0xffffffffu, __popc(word) > COMPACT_SPARSE);
    if (dense && size <= RECORDS_FETCHED_WHOLE) {
        const unsigned begin = extent.begin > at ? extent.begin - at : 0;
        const unsigned end = extent.end - at < S::CHUNK ? extent.end - at : (unsigned)S::CHUNK;
        const unsigned bytes = (end - begin) * (unsigned)size / 16 * 16;
        if (lane == 0 && bytes > 0)
            prefetch_bulk(from + begin * size, bytes);
    } else if (size <= RECORDS_FETCHED) {
#pragma unroll 1
        for (; word != 0; word &= word - 1)
            prefetch_line(from + (32 * lane + __ffs((int)word) - 1) * size);
    }
}

/* How many units a lane reads before it stores the first of them: they come from memory. */
template <typename Unit>
struct units_at_once {
    static const unsigned count = sizeof(Unit) <= 4 ? 8 : 4;
};

/* Records of one unit. The warp's stores start where lines start. */
template <typename Unit>
static __device__ __forceinline__ void move_units(const Unit *in, Unit *out, unsigned count,
                                                  const uint16_t *places, unsigned lane)
{
    const unsigned AT_ONCE = units_at_once<Unit>::count;
    const unsigned before = (unsigned)((uintptr_t)out / sizeof(Unit) % 32);
#pragma unroll 1
    for (unsigned r = lane - before; (int)r < (int)count; r += 32 * AT_ONCE) {
        Unit units[AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++)
            if (r + 32 * k < count)
                units[k] = in[places[r + 32 * k]];
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++)
            if (r + 32 * k < count)
                out[r + 32 * k] = units[k];
    }
}

/* Records of several units. */
template <typename Unit>
static __device__ __forceinline__ void move_several(const Unit *in, Unit *out, unsigned count,
                                                    size_t each, const uint16_t *places,
                                                    unsigned lane)
{
    unit_walk walk(lane, 32, each);
#pragma unroll 1
    while (walk.record < count) {
        const unsigned AT_ONCE = 4;
        Unit units[AT_ONCE];
        size_t to[AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++, walk.next()) {
            to[k] = walk.record < count ? walk.unit() : SIZE_MAX;
            if (walk.record < count)
                units[k] = in[places[walk.record] * each + walk.part];
        }
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++)
            if (to[k] != SIZE_MAX)
                out[to[k]] = units[k];
    }
}

/* The first `count` of the records that are listed. */
template <typename Unit>
static __device__ __forceinline__ void move_records(const void *in, void *out, unsigned count,
                                                    size_t units, const uint16_t *places,
                                                    unsigned lane)
{
    if (units == 1)
        move_units((const Unit *)in, (Unit *)out, count, places, lane);
    else
        move_several((const Unit *)in, (Unit *)out, count, units, places, lane);
}

/* The same in pieces of the largest size to which they are aligned. Inlined, it would take registers from
   all that the kernel does before. */
static __device__ __noinline__ void move_pieces(const void *in, void *out, unsigned count,
                                                size_t units, unsigned unit, const uint16_t *places,
                                                unsigned lane)
{
    switch (unit) {
    case 16:
        move_records<uint4>(in, out, count, units, places, lane);
        break;
    case 8:
        move_records<uint64_t>(in, out, count, units, places, lane);
        break;
    case 4:
        move_records<uint32_t>(in, out, count, units, places, lane);
        break;
    case 2:
        move_records<uint16_t>(in, out, count, units, places, lane);
        break;
    default:
        move_records<uint8_t>(in, out, count, units, places, lane);
        break;
    }
}

static __device__ __forceinline__ void store_records(const compact_params &params,
                                                     const compact_chunk &chunk,
                                                     const uint16_t *places, unsigned lane)
{
    const size_t size = params.units * params.unit;
    move_pieces((const char *)params.records + chunk.index * size,
                (char *)params.records_out + chunk.before.kept * size, chunk.stored, params.units,
                params.unit, places, lane);
}

#endif
