/*
 * Segmented scans and reductions of elements of a caller: the single pass (custom_scan.cuh) of pairs, an element and its
 * marks, with an operator that leaves out what is before a head. It is associative as the caller's is. Elements lie in the
 * stages as the caller has them; they are marked in registers, from heads that are read where they are, once by each of the
 * two steps. Stored is what is wanted: all elements of a scan, or the last one of each segment, which is the reduction.
 *
 * A reduction goes forward, since heads are counted there. In reverse its operator has its operands the other way round.
 */
#ifndef PARSCAN_SCAN_RUNTIME_CUSTOM_SEGMENTS_CUH
#define PARSCAN_SCAN_RUNTIME_CUSTOM_SEGMENTS_CUH

#include "scan/runtime/custom_marked.cuh"
#include "scan/runtime/custom_scan.cuh"

static __device__ __forceinline__ size_t offset_of(const custom_segments &given, size_t segment)
{
    return given.wide != 0 ? (size_t)((const uint64_t *)given.offsets)[segment]
                           : (size_t)((const uint32_t *)given.offsets)[segment];
}

/* Copies a key of 1, 2, 4 or 8 bytes. */
static __device__ __forceinline__ void copy_key(const custom_segments &given, size_t to, size_t i)
{
    switch (given.key_bytes) {
    case 1:
        ((uint8_t *)given.keys_out)[to] = ((const uint8_t *)given.keys)[i];
        break;
    case 2:
        ((uint16_t *)given.keys_out)[to] = ((const uint16_t *)given.keys)[i];
        break;
    case 4:
        ((uint32_t *)given.keys_out)[to] = ((const uint32_t *)given.keys)[i];
        break;
    default:
        ((uint64_t *)given.keys_out)[to] = ((const uint64_t *)given.keys)[i];
    }
}

/* A bit for each element of a vector. */
template <bool WIDE>
struct mask_of {
    typedef uint8_t type;
};
template <>
struct mask_of<true> {
    typedef uint16_t type;
};

/* As no_marks of custom_scan.cuh. REVERSE: the order of combination; a reduction goes forward nevertheless. */
template <typename CALLER, bool REDUCES, bool REVERSE>
struct segment_marks {
    typedef custom_operator<segmented_caller<CALLER, REDUCES, REVERSE>> combining;
    typedef typename CALLER::E E;
    static const bool MARKED = true;
    const custom_segments &given;
    size_t n, count;      /* the lengths of the call */
    mutable size_t heads; /* up to the last element that this thread has stored */

    /* The step that reduces leaves the heads of each vector, or a scan's firsts. Results of a warp's vectors gather where
       they are stored one after another: where an element has less than 16 bytes. */
    template <typename S>
    struct room {
        enum : bool { GATHERED = REDUCES && S::LANE > 1 };
        typename mask_of<(S::LANE > 8)>::type heads[S::STAGES][S::TILE / S::LANE];
        E results[GATHERED ? S::SCANNERS : 1][GATHERED ? 32 * S::LANE : 1];
        uint16_t begins[GATHERED ? S::SCANNERS : 1][GATHERED ? 32 * S::LANE : 1];
    };

    __device__ __forceinline__ segment_marks(const custom_segments &all)
        : given(all), n(elements_of(all.pass.call)), count(all.count), heads(0)
    {
        if (given.count_at != nullptr && load_length(given.count_at) < count)
            count = (size_t)load_length(given.count_at);
    }
    __device__ __forceinline__ E start() const
    {
        return (E)start_of<CALLER, typename combined_type<CALLER>::T>(given.pass.call);
    }

    /* Bit k: element i + k is the first of its segment. Bits may be read up to 16 elements behind them. */
    template <unsigned COUNT>
    __device__ __forceinline__ unsigned bits_at(size_t i) const
    {
        const uint8_t *const from = given.bits + i / 8;
        unsigned bits = from[0];
#pragma unroll
        for (unsigned b = 1; b < (COUNT + 14) / 8; b++)
            bits |= (unsigned)from[b] << 8 * b;
        return bits >> i % 8 & ((1u << COUNT) - 1);
    }
    template <unsigned COUNT, bool WORDS>
    __device__ __forceinline__ unsigned bytes_at(size_t i) const
    {
        const unsigned AT_ONCE = WORDS ? 4 : 1;
        unsigned found = 0;
#pragma unroll
        for (unsigned k = 0; k < COUNT; k += AT_ONCE) {
            const uint32_t some =
                WORDS ? *(const uint32_t *)(given.heads + i + k) : given.heads[i + k];
#pragma unroll
            for (unsigned b = 0; b < AT_ONCE; b++)
                found |= (some >> 8 * b & 255) != 0 ? 1u << (k + b) : 0;
        }
        return found;
    }
    /* The same at the ends of the array; 1 behind the last element, where a segment ends. */
    template <unsigned COUNT>
    __device__ __forceinline__ unsigned heads_at(size_t i) const
    {
        unsigned found = 0;
#pragma unroll 1
        for (unsigned k = 0; k < COUNT; k++) {
            const size_t at = i + k;
            if (at == 0 || at == n ||
                (at < n && (given.bits != nullptr ? bits_at<1>(at) : bytes_at<1, false>(at)) != 0))
                found |= 1u << k;
        }
        return found;
    }
    /* Those of a lane's vectors, all loads before the first use. begin: the element at the tile's position 0. */
    template <typename S, bool BACKWARDS, unsigned GROUP>
    __device__ __forceinline__ void find_heads(size_t begin, unsigned vector,
                                               unsigned (&found)[GROUP]) const
    {
        const size_t first = begin + (REVERSE && !REDUCES); /* a segment's last one is first */
        const bool inside = begin != 0 && begin < n && n - begin > S::TILE + 16;
        const bool words = S::LANE % 4 == 0 && (uintptr_t)(given.heads + first) % 4 == 0;
        const auto find = [&](auto look) {
#pragma unroll
            for (unsigned g = 0; g < GROUP; g++)
                found[g] = look(first + position_of<S, BACKWARDS>(vector + g * 32));
        };
        if (!inside)
            find([&](size_t i) { return heads_at<S::LANE>(i); });
        else if (given.bits != nullptr)
            find([&](size_t i) { return bits_at<S::LANE>(i); });
        else if (words)
            find([&](size_t i) { return bytes_at<S::LANE, S::LANE % 4 == 0>(i); });
        else
            find([&](size_t i) { return bytes_at<S::LANE, false>(i); });
    }

    template <typename S, bool BACKWARDS, unsigned GROUP>
    __device__ __forceinline__ void mark_first(room<S> &room, unsigned stage, size_t begin,
                                               unsigned vector,
                                               typename S::T (&x)[GROUP][S::LANE]) const
    {
        unsigned found[GROUP];
        find_heads<S, BACKWARDS>(begin, vector, found);
#pragma unroll
        for (unsigned g = 0; g < GROUP; g++) {
            room.heads[stage][position_of<S, BACKWARDS>(vector + g * 32) / S::LANE] =
                (typename mask_of<(S::LANE > 8)>::type) found[g];
            mark_vector<S, BACKWARDS>(begin, vector + g * 32, found[g], x[g]);
        }
    }
    template <typename S, bool BACKWARDS, unsigned GROUP>
    __device__ __forceinline__ void mark(const room<S> &room, unsigned stage, size_t begin,
                                         unsigned vector, typename S::T (&x)[GROUP][S::LANE]) const
    {
#pragma unroll
        for (unsigned g = 0; g < GROUP; g++)
            mark_vector<S, BACKWARDS>(
                begin, vector + g * 32,
                room.heads[stage][position_of<S, BACKWARDS>(vector + g * 32) / S::LANE], x[g]);
    }
    /* x is in the order of the pass, which is BACKWARDS. */
    template <typename S, bool BACKWARDS>
    __device__ __forceinline__ void mark_vector(size_t begin, unsigned vector, unsigned found,
                                                typename S::T (&x)[S::LANE]) const
    {
        unsigned starts = 0; /* what init comes before */
        if (given.pass.call.has_init != 0)
            starts = REDUCES && REVERSE
                         ? heads_at<S::LANE>(begin + position_of<S, BACKWARDS>(vector) + 1)
                         : found;
#pragma unroll
        for (unsigned e = 0; e < S::LANE; e++) {
            const unsigned at = BACKWARDS ? S::LANE - 1 - e : e;
            x[e].marks = (found >> at & 1) * 2 + 1;
            if ((starts >> at & 1) != 0)
                x[e].value = CALLER::combine(start(), x[e].value);
        }
    }

    template <typename S, bool BACKWARDS>
    __device__ __forceinline__ void store(room<S> &room, unsigned stage,
                                          const single_pass_params<S> &params,
                                          const tile_extent<S, BACKWARDS> &extent, unsigned vector,
                                          const typename S::T (&y)[S::GROUP][S::LANE]) const
    {
        if constexpr (REDUCES)
            store_sums(room, stage, params, extent, vector, y);
        else if (given.pass.call.exclusive != 0)
            store_exclusive(room, stage, params, extent, vector, y);
        else
            store_custom(CALLER(), params, extent, vector, y);
    }
    template <typename S, bool BACKWARDS>
    __device__ __forceinline__ void
    store_exclusive(const room<S> &room, unsigned stage, const single_pass_params<S> &params,
                    const tile_extent<S, BACKWARDS> &extent, unsigned vector,
                    const typename S::T (&y)[S::GROUP][S::LANE]) const
    {
        typename S::T z[S::GROUP][S::LANE];
#pragma unroll
        for (unsigned g = 0; g < S::GROUP; g++) {
            const unsigned firsts =
                room.heads[stage][position_of<S, BACKWARDS>(vector + g * 32) / S::LANE];
#pragma unroll
            for (unsigned e = 0; e < S::LANE; e++)
                z[g][e] = (firsts >> e & 1) != 0 ? typename S::T(start()) : y[g][e];
        }
        store_custom(CALLER(), params, extent, vector, z);
    }

    /* A reduction's results: the sums of elements that are their segments' last ones. */
    template <typename S>
    __device__ __forceinline__ void store_sums(room<S> &own, unsigned stage,
                                               const single_pass_params<S> &params,
                                               const tile_extent<S, false> &extent, unsigned vector,
                                               const typename S::T (&y)[S::GROUP][S::LANE]) const
    {
        const size_t begin = extent.at * S::TILE - params.head_padding;
#pragma unroll
        for (unsigned g = 0; g < S::GROUP; g++) {
            const unsigned at = vector + g * 32;
            const size_t i = begin + at * S::LANE;
            const unsigned next =
                at + 1 < S::TILE / S::LANE ? own.heads[stage][at + 1] : heads_at<1>(i + S::LANE);
            unsigned begins = own.heads[stage][at];
            const unsigned ends = begins >> 1 | (next & 1) << (S::LANE - 1);
            if (i >= n || n - i < S::LANE)
                begins &= i < n ? (1u << (n - i)) - 1 : 0;
            if (room<S>::GATHERED && given.offsets == nullptr)
                store_vector(own, vector / (32 * S::VECTORS), i, begins, ends, y[g]);
            else
#pragma unroll
                for (unsigned e = 0; e < S::LANE; e++)
                    if (i + e < n)
                        store_sum(y[g][e].value, count_heads(y[g][e].marks), i + e,
                                  (begins >> e & 1) != 0, (ends >> e & 1) != 0);
        }
    }
    /* The number of heads up to an element, of which less than 2^CUSTOM_HEAD_BITS are new since this thread's last one. */
    __device__ __forceinline__ size_t count_heads(uint32_t marks) const
    {
        return heads += counted((marks >> 1) - (uint32_t)heads);
    }
    static __device__ __forceinline__ uint32_t counted(uint32_t difference)
    {
        return difference & ((2u << (CUSTOM_HEAD_BITS - 1)) - 1);
    }
    /* A warp gathers what its vectors have of results, and where their segments begin, and stores it one after another. */
    template <typename S>
    __device__ __forceinline__ void store_vector(room<S> &room, unsigned part, size_t i,
                                                 unsigned begins, unsigned ends,
                                                 const typename S::T (&y)[S::LANE]) const
    {
        const unsigned lane = threadIdx.x % 32;
        const uint32_t last = y[S::LANE - 1].marks;
        const size_t through = count_heads(last);
        const size_t first = through - counted((last >> 1) - (y[0].marks >> 1)) - 1;
        const size_t base = warp_shuffle(first, 0), row = i - lane * S::LANE;
        const unsigned before =
            warp_shuffle((begins & 1) ^ 1, 0); /* it begins before these elements */
        unsigned results = 0, found = 0;
#pragma unroll
        for (unsigned e = 0; e < S::LANE; e++) {
            const unsigned place =
                (unsigned)(through - counted((last >> 1) - (y[e].marks >> 1)) - 1 - base);
            if ((ends >> e & 1) != 0)
                room.results[part][place] = y[e].value;
            if ((begins >> e & 1) != 0)
                room.begins[part][place] = (uint16_t)(lane * S::LANE + e);
            results += __popc(__ballot_sync(~0u, ends >> e & 1));
            found += __popc(__ballot_sync(~0u, begins >> e & 1));
        }
        __syncwarp();
        for (unsigned k = lane; k < results; k += 32)
            if (base + k < given.capacity)
                put_element<CALLER>(given.pass.call.out, base + k, room.results[part][k]);
        if (given.keys_out != nullptr)
            for (unsigned k = before + lane; k < before + found; k += 32)
                if (base + k < given.capacity)
                    copy_key(given, base + k, row + room.begins[part][k]);
        __syncwarp();
        if (i < n && n - i <= S::LANE)
            store_number(through);
    }
    __device__ __forceinline__ void store_number(size_t number) const
    {
        *given.number = number;
        if (number > given.capacity)
            leave_capacity(given.exceeded, number);
    }

    /* What element i has for a reduction, up to which `through` segments have elements: the result, if it is its
       segment's last; the key, if it is the first. */
    __device__ __forceinline__ void store_sum(const E &sum, size_t through, size_t i, bool begins,
                                              bool ends) const
    {
        if (given.offsets != nullptr) {
            if (ends && count > 0)
                put_element<CALLER>(given.pass.call.out, segment_of(through, i), sum);
            return;
        }
        if (ends && through <= given.capacity)
            put_element<CALLER>(given.pass.call.out, through - 1, sum);
        if (given.keys_out != nullptr && begins && through <= given.capacity)
            copy_key(given, through - 1, i);
        if (i + 1 == n)
            store_number(through);
    }
    /* The segment of element i, which is in the `through`-th that has elements. */
    __device__ __forceinline__ size_t segment_of(size_t through, size_t i) const
    {
        size_t at = through - 1 < count ? through - 1 : count - 1, step = 1;
        for (; at + step < count && offset_of(given, at + step) <= i; step *= 2)
            at += step;
        for (; step != 0; step /= 2)
            if (at + step < count && offset_of(given, at + step) <= i)
                at += step;
        return at;
    }

    /* What the pass finds no element for: the number of segments by offsets, those without elements, which offsets
       alone can tell, and a number of 0. By all threads of all blocks. */
    __device__ __forceinline__ void store_empty(unsigned threads) const
    {
        const size_t own = (size_t)blockIdx.x * threads + threadIdx.x;
        const bool by_offsets = given.offsets != nullptr;
        if (own == 0 && given.number != nullptr && (by_offsets || n == 0))
            *given.number = by_offsets ? count : 0;
        if (!by_offsets || (given.pass.call.has_init == 0 && !CALLER::HAS_IDENTITY))
            return;
#pragma unroll 1
        for (size_t k = own; k < count; k += (size_t)gridDim.x * threads)
            if (offset_of(given, k) >= offset_of(given, k + 1))
                put_element<CALLER>(given.pass.call.out, k, start());
    }
};

template <typename CALLER, typename WHICH, bool REDUCES>
static __device__ __forceinline__ void custom_segmented(const custom_segments &given)
{
    typedef custom_shape<CALLER, WHICH, marked_element<CALLER>, true> S;
    wait_for_previous_kernel();
    const segment_marks<CALLER, REDUCES, WHICH::REVERSE> marks(given);
    if constexpr (REDUCES)
        marks.store_empty(S::THREADS);
    run_custom_pass<CALLER, S, WHICH::REVERSE && !REDUCES>(given.pass, marks);
}

#endif
