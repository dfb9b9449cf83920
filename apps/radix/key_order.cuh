/* Comparisons of a key and its place with another key and its place, on CUDA. */
#ifndef PARSCAN_APPS_RADIX_KEY_ORDER_CUH
#define PARSCAN_APPS_RADIX_KEY_ORDER_CUH

#include <stdint.h>

/* Whether key a at place i comes before key b at place j. */
template <typename BITS>
static __device__ __forceinline__ bool comes_before(BITS a, unsigned i, BITS b, unsigned j)
{
    if (sizeof(BITS) == 8)
        return a < b || (a == b && i < j);
    return ((uint64_t)a << 32 | i) < ((uint64_t)b << 32 | j);
}

/* Takes 1 from *count if key a at place i comes before key b at place j: the borrow when numbers
   are subtracted whose lowest word is the place. */
template <typename BITS>
static __device__ __forceinline__ void count_before(BITS a, unsigned i, BITS b, unsigned j,
                                                    unsigned *count)
{
    if constexpr (sizeof(BITS) == 8)
        asm("{\n"
            ".reg .u32 rest;\n"
            "sub.cc.u32 rest, %1, %2;\n"
            "subc.cc.u32 rest, %3, %4;\n"
            "subc.cc.u32 rest, %5, %6;\n"
            "subc.u32 %0, %0, 0;\n"
            "}"
            : "+r"(*count)
            : "r"(i), "r"(j), "r"((uint32_t)a), "r"((uint32_t)b), "r"((uint32_t)(a >> 32)),
              "r"((uint32_t)(b >> 32)));
    else
        asm("{\n"
            ".reg .u32 rest;\n"
            "sub.cc.u32 rest, %1, %2;\n"
            "subc.cc.u32 rest, %3, %4;\n"
            "subc.u32 %0, %0, 0;\n"
            "}"
            : "+r"(*count)
            : "r"(i), "r"(j), "r"((uint32_t)a), "r"((uint32_t)b));
}

#endif
