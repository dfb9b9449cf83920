/* Reductions of the lanes of a warp that are one instruction: of integers of up to 32 bits, from compute capability 8.0
   on. Five shuffles take four times as long, which short calls feel. */
#ifndef PARSCAN_SCAN_CUDA_WARP_INSTRUCTIONS_CUH
#define PARSCAN_SCAN_CUDA_WARP_INSTRUCTIONS_CUH

#include "scan/cuda/operators.cuh"

/* The word in which such an instruction takes elements of type T. */
template <typename T>
struct warp_word {
    static const bool exists = false;
};
template <typename WORD>
struct warp_word_of {
    static const bool exists = true;
    typedef WORD type;
};
/* clang-format off */
template <> struct warp_word<uint8_t> : warp_word_of<unsigned> {};
template <> struct warp_word<uint16_t> : warp_word_of<unsigned> {};
template <> struct warp_word<uint32_t> : warp_word_of<unsigned> {};
template <> struct warp_word<int8_t> : warp_word_of<int> {};
template <> struct warp_word<int16_t> : warp_word_of<int> {};
template <> struct warp_word<int32_t> : warp_word_of<int> {};
/* clang-format on */

template <typename OPERATOR, typename T>
struct warp_instruction {
    static const bool exists = false;
};

#if __CUDA_ARCH__ >= 800
#define X(NAME, reduce)                                     \
    template <typename T>                                   \
    struct warp_instruction<parscan_operator_##NAME, T> {   \
        static const bool exists = warp_word<T>::exists;    \
        static __device__ __forceinline__ T of(T value)     \
        {                                                   \
            const typename warp_word<T>::type word = value; \
            return (T)reduce(0xffffffffu, word);            \
        }                                                   \
    };
X(SUM, __reduce_add_sync)
X(MIN, __reduce_min_sync)
X(MAX, __reduce_max_sync)
X(AND, __reduce_and_sync)
X(OR, __reduce_or_sync)
X(XOR, __reduce_xor_sync)
#undef X
#endif

#endif
