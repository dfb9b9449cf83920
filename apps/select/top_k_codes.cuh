/* Codes: the rank of an element, and below that its place, in one integer. No two elements have the same code. */
#ifndef PARSCAN_APPS_TOP_K_CODES_CUH
#define PARSCAN_APPS_TOP_K_CODES_CUH

#include <stdint.h>

#define TOP_CODE_BYTES 32768u /* of shared memory for codes */

__extension__ typedef unsigned __int128 wide_code;

/* A code of 8 bytes has ranks and places of 4, one of 16 has those of 8. */
template <typename CODE>
struct code_part {
    typedef uint32_t PART;
    typedef uint32_t COUNT; /* of elements */
};
template <>
struct code_part<wide_code> {
    typedef uint64_t PART;
    typedef uint64_t COUNT;
};

/* The narrowest code of a rank and a place below 2^32. */
template <typename RANK>
struct code_of_rank {
    typedef uint64_t CODE;
};
template <>
struct code_of_rank<uint64_t> {
    typedef wide_code CODE;
};

template <typename CODE>
struct code_of {
    typedef typename code_part<CODE>::PART PART;
    typedef typename code_part<CODE>::COUNT COUNT;
    static const unsigned PART_BITS = 8 * sizeof(PART);
    static const unsigned ROOM = TOP_CODE_BYTES / sizeof(CODE);
    static const unsigned DIGIT_BITS = 11, DIGITS = 1u << DIGIT_BITS;

    static __device__ __forceinline__ CODE make(PART rank, PART place)
    {
        return (CODE)rank << PART_BITS | place;
    }
    static __device__ __forceinline__ PART rank(CODE code) { return (PART)(code >> PART_BITS); }
    static __device__ __forceinline__ PART place(CODE code) { return (PART)code; }
    /* Behind all elements. */
    static __device__ __forceinline__ CODE last() { return (CODE) ~(CODE)0; }
    static __device__ __forceinline__ CODE above(CODE code, unsigned bits)
    {
        return bits >= 2 * PART_BITS ? 0 : code >> bits;
    }
};

#endif
