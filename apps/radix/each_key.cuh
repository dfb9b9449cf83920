/* Reads an array of keys by vectors of 16 bytes, four of a thread at once. */
#ifndef PARSCAN_APPS_RADIX_EACH_KEY_CUH
#define PARSCAN_APPS_RADIX_EACH_KEY_CUH

#include <stdint.h>
#include <string.h>

/* Calls take(key) for the n keys of `in`, shared among `threads` threads, of which this is number
   `self`. There are at least 16 threads. A thread takes its keys in the order of the array. */
template <typename RAW, typename TAKE>
static __device__ __forceinline__ void for_each_key(const RAW *in, size_t n, size_t self,
                                                    size_t threads, const TAKE &take)
{
    const unsigned EACH = 16 / sizeof(RAW), AT_ONCE = 4;
    const size_t to_vector = (0 - (uintptr_t)in) % 16 / sizeof(RAW);
    const size_t head_padding = to_vector < n ? to_vector : n;
    const uint4 *const vectors = (const uint4 *)(in + head_padding);
    const size_t count = (n - head_padding) / EACH;
    const size_t tail = head_padding + count * EACH;
    if (self < head_padding)
        take(in[self]);
#pragma unroll 1
    for (size_t v = self; v < count; v += AT_ONCE * threads) {
        uint4 raw[AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++)
            if (v + k * threads < count)
                raw[k] = __ldcs(vectors + v + k * threads);
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++) {
            if (v + k * threads >= count)
                break;
            RAW keys[EACH];
            memcpy(keys, &raw[k], sizeof keys);
#pragma unroll
            for (unsigned i = 0; i < EACH; i++)
                take(keys[i]);
        }
    }
    if (self < n - tail)
        take(in[tail + self]);
}

#endif
