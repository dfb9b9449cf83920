/* Fills data, and checks results with a plain loop. Compiled once for each element type
   (scan/cpu/element.h). */
#include "elements.h"
#include "scan/cpu/element.h"

#include "element_functions.h"

/* SplitMix64 (Steele, Lea, Flood 2014) at position i. */
static uint64_t random_bits(uint64_t seed, size_t i)
{
    uint64_t z = (seed << 40) + (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void NAMED(bench_fill)(void *data, size_t n, uint64_t seed)
{
    T *const values = data;
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = random_bits(seed, i);
        const int sixteenths = (int)(bits & 127) - (int)(bits >> 7 & 127);
        values[i] = PARSCAN_ELEMENT_IS_FLOAT ? (T)((T)sixteenths / (T)16) : (T)bits;
    }
}

static T add(T a, T b)
{
    return (T)((A)a + (A)b);
}

static bool check_sums(const T *in, const T *out, size_t n, bool exclusive)
{
    T sum = 0;
    for (size_t i = 0; i < n; i++) {
        const T before = sum;
        sum = add(sum, in[i]);
        if (out[i] != (exclusive ? before : sum))
            return false;
    }
    return true;
}

static bool check_reverse(const T *in, const T *out, size_t n)
{
    T sum = 0;
    for (size_t i = n; i-- > 0;) {
        sum = add(sum, in[i]);
        if (out[i] != sum)
            return false;
    }
    return true;
}

static bool check_max(const T *in, const T *out, size_t n)
{
    T most = in[0];
    for (size_t i = 0; i < n; i++) {
        most = in[i] > most ? in[i] : most;
        if (out[i] != most)
            return false;
    }
    return true;
}

static bool check_reduction(const T *in, const T *out, size_t n)
{
    T sum = 0;
    for (size_t i = 0; i < n; i++)
        sum = add(sum, in[i]);
    return *out == sum;
}

bool NAMED(bench_check)(bench_meaning meaning, const void *in, const void *out, size_t n)
{
    switch (meaning) {
    case BENCH_INCLUSIVE:
    case BENCH_EXCLUSIVE:
        return check_sums(in, out, n, meaning == BENCH_EXCLUSIVE);
    case BENCH_REVERSE:
        return check_reverse(in, out, n);
    case BENCH_MAX:
        return check_max(in, out, n);
    case BENCH_REDUCTION:
        return check_reduction(in, out, n);
    }
    return false;
}
