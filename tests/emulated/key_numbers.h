/* Keys of emulated launches, in patterns and in order, which is told by another definition than the
   kernels': as numbers, but that all NaNs are one above infinity, and -0 is below +0. */
#ifndef PARSCAN_TESTS_KEY_NUMBERS_H
#define PARSCAN_TESTS_KEY_NUMBERS_H

#include "apps/radix/digit_keys.cuh"
#include "tests/emulated/emulator.h"

enum { KEY_NUMBER_PATTERNS = 5 }; /* any bits, few ones, all equal, special ones, long runs */

template <typename BITS>
static BITS patterned_key(unsigned pattern)
{
    static const uint64_t special[] = {
        0, 1, ~0ull, 1ull << 63, 0x7f8ull << 52, 0xff8ull << 52, 0x7ffull << 52, 0xfffull << 52};
    const unsigned shift = 64 - 8 * sizeof(BITS);
    const uint64_t random = emulator::running.random();
    switch (pattern) {
    case 0:
        return (BITS)(random >> shift);
    case 1:
        return (BITS)(random % 500);
    case 2:
        return (BITS)7;
    case 3:
        return (BITS)(special[random % 8] >> shift | (random >> 40 & 3));
    default:
        return (BITS)(random % 3);
    }
}

template <typename KEY>
struct key_numbers;

template <typename BITS, typename BEFORE>
static std::vector<BITS> patterned_keys(size_t n, unsigned pattern, bool sorted, BEFORE before)
{
    std::vector<BITS> keys(n);
    for (BITS &key : keys)
        key = patterned_key<BITS>(pattern);
    if (sorted)
        std::stable_sort(keys.begin(), keys.end(), before);
    return keys;
}

template <typename BITS>
struct key_numbers<integer_key<BITS>> {
    static bool before(BITS a, BITS b) { return a < b; }
    static std::vector<BITS> array(size_t n, unsigned pattern, bool sorted)
    {
        return patterned_keys<BITS>(n, pattern, sorted, before);
    }
};

template <typename BITS, BITS INFINITE>
struct key_numbers<float_key<BITS, INFINITE>> {
    static __int128 number(BITS key)
    {
        const BITS sign = (BITS)1 << (8 * sizeof(BITS) - 1), size = key & (BITS)~sign;
        return size > INFINITE ? (__int128)1 << 70
               : key & sign    ? -(__int128)size - 1
                               : (__int128)size;
    }
    static bool before(BITS a, BITS b) { return number(a) < number(b); }
    static std::vector<BITS> array(size_t n, unsigned pattern, bool sorted)
    {
        return patterned_keys<BITS>(n, pattern, sorted, before);
    }
};

#endif
