/* Numbers and segments for the emulator's tests of extremes, and which of two is the better or the lesser one. */
#ifndef PARSCAN_TESTS_EMULATED_EXTREMES_H
#define PARSCAN_TESTS_EMULATED_EXTREMES_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

template <typename T>
static bool is_nan(T x)
{
    return x != x;
}

template <typename T>
static bool is_negative(T x)
{
    return std::is_floating_point<T>::value ? std::signbit((double)x) : x < 0;
}

/* Whether b, after a, is the better extreme. */
template <typename T>
static bool is_better(bool max, T a, T b)
{
    if (is_nan(a) || is_nan(b))
        return !is_nan(a);
    if (a == 0 && b == 0)
        return max ? is_negative(a) && !is_negative(b) : !is_negative(a) && is_negative(b);
    return max ? a < b : b < a;
}

/* Whether a comes before b, in ascending order: NaNs last, -0 before +0. */
template <typename T>
static bool is_less(T a, T b)
{
    if constexpr (std::is_floating_point<T>::value) {
        if (a != a || b != b)
            return a == a && b != b;
        if (a == 0 && b == 0)
            return std::signbit(a) && !std::signbit(b);
    }
    return a < b;
}

/* Offsets of segments of n elements: a quarter is empty, others have up to twice the mean. */
static std::vector<uint32_t> random_offsets(size_t n, unsigned mean)
{
    std::vector<uint32_t> offsets{0};
    while (offsets.back() < n) {
        const uint64_t random = emulator::running.random();
        const uint64_t length = random % 4 == 0 ? 0 : (random >> 8) % (2 * mean);
        offsets.push_back((uint32_t)std::min<uint64_t>(n, offsets.back() + length));
    }
    offsets.push_back((uint32_t)n);
    return offsets;
}

/* One of so many values, of floats a NaN with or without sign sometimes. */
template <typename T>
static T value_of(unsigned values, bool nans)
{
    const uint64_t random = emulator::running.random();
    const T x = (T)((long long)(random % values) - (long long)(values / 2));
    if constexpr (std::is_floating_point<T>::value) {
        const T special[] = {(T)-0.0, (T)INFINITY, (T)-INFINITY, (T)NAN, (T)-NAN};
        return random >> 40 & 7 ? x : special[(random >> 50) % (nans ? 5 : 3)];
    }
    return x;
}

#endif
