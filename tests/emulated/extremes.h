/* Numbers for the emulator's tests of extremes, and which of two is the better one. */
#ifndef PARSCAN_TESTS_EMULATED_EXTREMES_H
#define PARSCAN_TESTS_EMULATED_EXTREMES_H

#include <cmath>
#include <type_traits>

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
