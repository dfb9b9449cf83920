/*
 * What segmented scans and reductions by operators of the caller's combine: an element and its marks, which tell how many
 * segments begin in what it is the sum of.
 */
#ifndef PARSCAN_SCAN_RUNTIME_CUSTOM_MARKED_CUH
#define PARSCAN_SCAN_RUNTIME_CUSTOM_MARKED_CUH

#include "scan/runtime/custom_value.cuh"

/* Bits of the number of heads that an element has in its marks: the number, modulo. */
#ifndef CUSTOM_HEAD_BITS
#define CUSTOM_HEAD_BITS 31
#endif

template <typename CALLER>
static constexpr unsigned marked_alignment()
{
    return CALLER::ALIGNMENT > 4 ? (unsigned)CALLER::ALIGNMENT : 4u;
}
/* marks, bit 0: there is an element; above it the number of heads, of a scan 0 or 1. */
template <typename CALLER>
struct alignas(marked_alignment<CALLER>()) marked_element {
    typedef typename CALLER::E E;
    E value;
    uint32_t marks;
    marked_element() = default;
    __device__ marked_element(const E &x) : value(x), marks(1) {}
    __device__ operator E() const { return value; }
};

/* Pairs, and their operator: as CALLER of custom_value.cuh. */
template <typename CALLER, bool REDUCES, bool REVERSE>
struct segmented_caller {
    typedef marked_element<CALLER> E;
    static const bool HAS_IDENTITY = true, COMMUTES = false;

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
        sum.marks = REDUCES ? ((a.marks & ~1u) + (b.marks & ~1u) | ((a.marks | b.marks) & 1)) &
                                  (2u << (CUSTOM_HEAD_BITS - 1) << 1) - 1
                            : a.marks | b.marks;
        return sum;
    }
};

#endif
