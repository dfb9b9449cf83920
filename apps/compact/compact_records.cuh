/*
 * Records of any size that are moved beside what is tested: those of the elements that are kept, or the
 * values of the first elements of runs. Only those are read, and with them the rest of their sectors of memory.
 *
 * Small records, of compact_gathering: a warp that tests a chunk gathers them at once in the tile's stage, side
 * by side, by asynchronous copies, so they are there when the prefix is known. Others are read where they are,
 * when they are stored; a warp that tests a chunk fetches them into L2.
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

template <typename S>
static __device__ __forceinline__ unsigned char *gathered_in(const compact_params &params,
                                                             unsigned char *stage, unsigned chunk)
{
    return stage + S::RECORDS_AT + chunk * S::CHUNK * (unsigned)(params.units * params.unit);
}

template <typename Unit>
static __device__ __forceinline__ void gather_record(unsigned char *to, const char *from,
                                                     unsigned units)
{
#pragma unroll 1
    for (unsigned k = 0; k < units; k++)
        copy_unit<sizeof(Unit)>(to + k * sizeof(Unit), from + k * sizeof(Unit));
}

/* Copies the records of a chunk's kept elements: dense, a lane for each element of a word; else a lane
   takes its own word. word, first: as count_chunk() gives them. */
template <typename S, typename Unit>
static __device__ __forceinline__ void gather_units(unsigned char *to, const char *from,
                                                    unsigned units, uint32_t word, uint32_t first,
                                                    unsigned lane)
{
    const unsigned size = units * sizeof(Unit);
    if (__any_sync(0xffffffffu, __popc(word) > COMPACT_SPARSE)) {
#pragma unroll 4
        for (unsigned w = 0; w < S::WORDS; w++) {
            const uint32_t bits = __shfl_sync(0xffffffffu, word, w);
            const uint32_t before = __shfl_sync(0xffffffffu, first, w);
            const uint32_t rank = before + (uint32_t)__popc(bits & ((1u << lane) - 1));
            if ((bits >> lane & 1) != 0)
                gather_record<Unit>(to + rank * size, from + (32 * w + lane) * size, units);
        }
        return;
    }
#pragma unroll 1
    for (; word != 0; word &= word - 1)
        gather_record<Unit>(to + first++ * size, from + (32 * lane + __ffs((int)word) - 1) * size,
                            units);
}

/* Called by a warp that has tested the chunk. */
template <typename S>
static __device__ __forceinline__ void
gather_records(const compact_params &params, const compact_extent<S> &extent, unsigned char *stage,
               uint32_t word, uint32_t first, unsigned chunk, unsigned lane)
{
    const unsigned units = (unsigned)params.units;
    unsigned char *const to = gathered_in<S>(params, stage, chunk);
    const char *const from =
        (const char *)params.records + (extent.index + chunk * S::CHUNK) * (units * params.unit);
    switch (params.unit) {
    case 8:
        gather_units<S, uint64_t>(to, from, 1, word, first, lane);
        break;
    case 4:
        if (units == 1)
            gather_units<S, uint32_t>(to, from, 1, word, first, lane);
        else
            gather_units<S, uint32_t>(to, from, units, word, first, lane);
        break;
    case 2:
        gather_units<S, uint16_t>(to, from, units, word, first, lane);
        break;
    default:
        gather_units<S, uint8_t>(to, from, units, word, first, lane);
        break;
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

/* Stores value(k) to out[k] for 0 <= k < count. The warp's stores start where lines start, and
   several are in flight. */
template <typename T, typename Value>
static __device__ __forceinline__ void store_run(T *out, unsigned count, unsigned lane, Value value)
{
    const int before = (int)((uintptr_t)out / sizeof(T) % 32), end = (int)count;
    int r = (int)lane - before;
    if (r >= 0 && r < end)
        out[r] = (T)value((unsigned)r);
    r += 32;
#pragma unroll 1
    for (; r + 96 < end; r += 128) {
        T values[4];
#pragma unroll
        for (int k = 0; k < 4; k++)
            values[k] = (T)value((unsigned)(r + 32 * k));
#pragma unroll
        for (int k = 0; k < 4; k++)
            out[r + 32 * k] = values[k];
    }
#pragma unroll 1
    for (; r < end; r += 32)
        out[r] = (T)value((unsigned)r);
}

template <typename Unit>
static __device__ __forceinline__ void store_gathered(const unsigned char *from, void *out,
                                                      unsigned units, unsigned lane)
{
    store_run((Unit *)out, units, lane, [=](unsigned r) { return ((const Unit *)from)[r]; });
}

static __device__ __forceinline__ void store_gathered_units(const unsigned char *from, void *out,
                                                            unsigned count, unsigned units,
                                                            unsigned unit, unsigned lane)
{
    switch (unit) {
    case 8:
        store_gathered<uint64_t>(from, out, count * units, lane);
        break;
    case 4:
        store_gathered<uint32_t>(from, out, count * units, lane);
        break;
    case 2:
        store_gathered<uint16_t>(from, out, count * units, lane);
        break;
    default:
        store_gathered<uint8_t>(from, out, count * units, lane);
        break;
    }
}

/* places: listed unless the records are gathered. */
template <typename S>
static __device__ __forceinline__ void
store_records(const compact_params &params, const compact_chunk &chunk, unsigned char *stage,
              unsigned number, const uint16_t *places, unsigned lane)
{
    const size_t size = params.units * params.unit;
    char *const out = (char *)params.records_out + chunk.before.kept * size;
    if constexpr (S::GATHERS)
        store_gathered_units(gathered_in<S>(params, stage, number), out, chunk.stored,
                             (unsigned)params.units, params.unit, lane);
    else
        move_pieces((const char *)params.records + chunk.index * size, out, chunk.stored,
                    params.units, params.unit, places, lane);
}

#endif
