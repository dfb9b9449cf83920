/*
 * Segmented scans and reductions of elements of a caller: the single pass (custom_scan.cuh) of pairs, an element and its
 * marks, with an operator that leaves out what is before a head. It is associative as the caller's is. Maps make pairs of
 * elements, and store what is wanted: all elements of a scan, or the last one of each segment, which is the reduction.
 *
 * A reduction goes forward, since heads are counted there. In reverse its operator has its operands the other way round.
 */
#ifndef PARSCAN_SCAN_RUNTIME_CUSTOM_SEGMENTS_CUH
#define PARSCAN_SCAN_RUNTIME_CUSTOM_SEGMENTS_CUH

#include "scan/runtime/custom_scan.cuh"

/* What the maps read, in shared memory. n, count: the lengths of the call. */
struct segment_view {
    const custom_segments *given;
    size_t n, count;
};

static __device__ __forceinline__ bool is_head(const segment_view &view, size_t i)
{
    const custom_segments &given = *view.given;
    if (i == 0)
        return true;
    return given.bits != nullptr ? (given.bits[i / 8] >> i % 8 & 1) != 0 : given.heads[i] != 0;
}

static __device__ __forceinline__ bool is_end(const segment_view &view, size_t i)
{
    return i + 1 == view.n || is_head(view, i + 1);
}

static __device__ __forceinline__ size_t offset_of(const custom_segments &given, size_t segment)
{
    return given.wide != 0 ? (size_t)((const uint64_t *)given.offsets)[segment]
                           : (size_t)((const uint32_t *)given.offsets)[segment];
}

/* The segment of element i, which is in the `heads`-th that has elements. */
static __device__ __forceinline__ size_t segment_of(const segment_view &view, size_t heads,
                                                    size_t i)
{
    size_t at = heads - 1 < view.count ? heads - 1 : view.count - 1, step = 1;
    for (; at + step < view.count && offset_of(*view.given, at + step) <= i; step *= 2)
        at += step;
    for (; step != 0; step /= 2)
        if (at + step < view.count && offset_of(*view.given, at + step) <= i)
            at += step;
    return at;
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

/* What element i has for a reduction, up to which `heads` segments have elements: the result, if it is its segment's
   last; the key, if it is the first. */
template <typename CALLER>
static __device__ __forceinline__ void
store_sum(const segment_view &view, const typename CALLER::E &sum, size_t heads, size_t i)
{
    const custom_segments &given = *view.given;
    const bool ends = is_end(view, i);
    if (given.offsets != nullptr) {
        if (ends && view.count > 0)
            put_element<CALLER>(given.pass.call.out, segment_of(view, heads, i), sum);
        return;
    }
    if (ends && heads <= given.capacity)
        put_element<CALLER>(given.pass.call.out, heads - 1, sum);
    if (given.keys_out != nullptr && heads <= given.capacity && is_head(view, i))
        copy_key(given, heads - 1, i);
    if (i + 1 != view.n)
        return;
    *given.number = heads;
    if (heads > given.capacity)
        leave_capacity(given.exceeded, heads);
}

/* marks, bit 0: there is an element; above it the number of heads, of a scan 0 or 1. */
template <typename CALLER, bool REDUCES>
struct marked_type {
    typedef uint32_t M;
};
template <typename CALLER>
struct marked_type<CALLER, true> {
    typedef uint64_t M;
};
template <typename CALLER, bool REDUCES>
static constexpr unsigned marked_alignment()
{
    const unsigned least = sizeof(typename marked_type<CALLER, REDUCES>::M);
    return CALLER::ALIGNMENT > least ? (unsigned)CALLER::ALIGNMENT : least;
}
template <typename CALLER, bool REDUCES>
struct alignas(marked_alignment<CALLER, REDUCES>()) marked_element {
    typename CALLER::E value;
    typename marked_type<CALLER, REDUCES>::M marks;
};

/* As CALLER of custom_value.cuh. `in` and `out` of its maps are the view. */
template <typename CALLER, bool REDUCES, bool REVERSE>
struct segmented_caller {
    typedef marked_element<CALLER, REDUCES> E;
    enum : unsigned { SIZE = sizeof(E), ALIGNMENT = marked_alignment<CALLER, REDUCES>() };
    static const bool HAS_IDENTITY = true, COMMUTES = false, LOADS = true, STORES = true;

    static __device__ __forceinline__ E identity()
    {
        E none;
        none.marks = 0;
        return none;
    }
    static __device__ __forceinline__ E combine(const E &a, const E &b)
    {
        E sum = b;
        if (b.marks == 0)
            sum.value = a.value;
        else if (b.marks == 1 && a.marks != 0)
            sum.value = REDUCES && REVERSE ? CALLER::combine(b.value, a.value)
                                           : CALLER::combine(a.value, b.value);
        sum.marks = REDUCES ? (a.marks / 2 + b.marks / 2) * 2 | ((a.marks | b.marks) & 1)
                            : a.marks | b.marks;
        return sum;
    }
    static __device__ __forceinline__ typename CALLER::E start(const custom_call &call)
    {
        return (typename CALLER::E)start_of<CALLER, typename combined_type<CALLER>::T>(call);
    }
    /* Whether element i is the first of its segment in the order of combination. */
    static __device__ __forceinline__ bool is_first(const segment_view &view, size_t i)
    {
        return REVERSE ? is_end(view, i) : is_head(view, i);
    }
    static __device__ __forceinline__ E load(const void *in, size_t i)
    {
        const segment_view &view = *(const segment_view *)in;
        const custom_call &call = view.given->pass.call;
        const bool first = is_first(view, i);
        E x;
        x.value = fetch_element<CALLER>(call.in, i);
        x.marks = (REDUCES && REVERSE ? is_head(view, i) : first) ? 3 : 1;
        if (first && call.has_init != 0)
            x.value = CALLER::combine(start(call), x.value);
        return x;
    }
    static __device__ __forceinline__ void store(const E &x, void *out, size_t i)
    {
        const segment_view &view = *(const segment_view *)out;
        const custom_call &call = view.given->pass.call;
        if constexpr (REDUCES)
            store_sum<CALLER>(view, x.value, (size_t)(x.marks / 2), i);
        else if (call.exclusive != 0 && is_first(view, i))
            put_element<CALLER>(call.out, i, start(call));
        else
            put_element<CALLER>(call.out, i, x.value);
    }
};

/* What the pass finds no element for: segments without any, which offsets alone can tell, and a number of 0. By all
   threads of all blocks. */
template <typename CALLER>
static __device__ __forceinline__ void store_empty(const segment_view &view, unsigned threads)
{
    const custom_segments &given = *view.given;
    const custom_call &call = given.pass.call;
    const size_t own = (size_t)blockIdx.x * threads + threadIdx.x;
    if (given.offsets == nullptr && view.n == 0 && own == 0)
        *given.number = 0;
    if (given.offsets == nullptr || (call.has_init == 0 && !CALLER::HAS_IDENTITY))
        return;
#pragma unroll 1
    for (size_t k = own; k < view.count; k += (size_t)gridDim.x * threads)
        if (offset_of(given, k) >= offset_of(given, k + 1))
            put_element<CALLER>(call.out, k, segmented_caller<CALLER, true, false>::start(call));
}

template <typename WHICH, bool REDUCES>
struct segmented_which : WHICH {
    static const bool REVERSE = WHICH::REVERSE && !REDUCES;
};

template <typename CALLER, typename WHICH, bool REDUCES>
static __device__ __forceinline__ void custom_segmented(const custom_segments &given)
{
    __shared__ segment_view view;
    wait_for_previous_kernel();
    if (threadIdx.x == 0) {
        view.given = &given;
        view.n = elements_of(given.pass.call);
        view.count = given.count;
        if (given.count_at != nullptr && load_length(given.count_at) < given.count)
            view.count = (size_t)load_length(given.count_at);
    }
    __syncthreads();
    if constexpr (REDUCES)
        store_empty<CALLER>(view, WHICH::SCANNERS * 32);
    custom_pass pass = given.pass;
    pass.call.in = pass.call.out = &view;
    pass.call.has_init = 0; /* the maps have put it in */
    custom_scan<segmented_caller<CALLER, REDUCES, WHICH::REVERSE>, segmented_which<WHICH, REDUCES>>(
        pass);
}

#endif
