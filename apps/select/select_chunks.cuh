/* An array that blocks go through in chunks on CUDA, in aligned vectors of 16 bytes. */
#ifndef PARSCAN_APPS_SELECT_CHUNKS_CUH
#define PARSCAN_APPS_SELECT_CHUNKS_CUH

#include <stdint.h>
#include <string.h>

#define CHUNK_THREADS 512u
#define CHUNK_AT_ONCE 4u /* the number of 16-byte vectors that a thread loads at once */

template <bool LONG>
struct chunk_mask {
    typedef uint32_t mask;
};
template <>
struct chunk_mask<true> {
    typedef uint64_t mask;
};

template <typename BITS, unsigned AT_ONCE = CHUNK_AT_ONCE>
struct select_chunks {
    static const unsigned BYTES = CHUNK_THREADS * AT_ONCE * 16;
    static const unsigned OF_VECTOR = 16 / sizeof(BITS);
    /* A bit for each element of a chunk that a thread has. */
    typedef typename chunk_mask<(OF_VECTOR * AT_ONCE > 32)>::mask mask;
    const BITS *in;
    size_t n;

    /* The elements that the first vector has before the array: the first chunk is not whole then. */
    __host__ __device__ unsigned shift() const
    {
        return (unsigned)((uintptr_t)in % 16 / sizeof(BITS));
    }
    __host__ __device__ size_t count() const
    {
        return n == 0 ? 0 : (n + shift() - 1) / (BYTES / sizeof(BITS)) + 1;
    }
    /* The index of the element at a place of a chunk. */
    __device__ __forceinline__ size_t index(size_t chunk, unsigned place) const
    {
        return chunk * (BYTES / sizeof(BITS)) + place - shift();
    }

    /* The place in a chunk of the thread's element `number`. */
    __device__ __forceinline__ unsigned place(unsigned number) const
    {
        return (number / OF_VECTOR * CHUNK_THREADS + threadIdx.x) * OF_VECTOR + number % OF_VECTOR;
    }

    /* Calls take(number, place, key) for each of the thread's elements of a chunk, in ascending order. */
    template <typename TAKE>
    __device__ __forceinline__ void each(size_t chunk, TAKE take) const
    {
        const unsigned EACH = OF_VECTOR, missing = shift();
        const size_t end = n + missing, first = chunk * CHUNK_THREADS * AT_ONCE;
        const BITS *const base = in - missing;
        uint4 raw[AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++) {
            const size_t v = first + k * CHUNK_THREADS + threadIdx.x;
            if (v * EACH >= missing && (v + 1) * EACH <= end)
                raw[k] = ((const uint4 *)base)[v];
        }
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++) {
            const unsigned place = (k * CHUNK_THREADS + threadIdx.x) * EACH;
            const size_t begin = first * EACH + place;
            if (begin >= missing && begin + EACH <= end) {
                BITS keys[EACH];
                memcpy(keys, &raw[k], sizeof keys);
#pragma unroll
                for (unsigned e = 0; e < EACH; e++)
                    take(k * EACH + e, place + e, keys[e]);
            } else if (begin < end) {
#pragma unroll 1
                for (unsigned e = 0; e < EACH; e++)
                    if (begin + e >= missing && begin + e < end)
                        take(k * EACH + e, place + e, base[begin + e]);
            }
        }
    }
};

#endif
