/* Operators, elements and maps of callers, and forms of the single pass, for the kernels of scan/runtime/ in the emulator. */
#ifndef PARSCAN_TESTS_CUSTOM_CALLERS_H
#define PARSCAN_TESTS_CUSTOM_CALLERS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What all callers have, but for what they define themselves. */
template <typename Element, unsigned ALIGNED_TO, bool IDENTITY, bool COMMUTATIVE>
struct plain_caller {
    typedef Element E;
    enum : unsigned { SIZE = sizeof(E), ALIGNMENT = ALIGNED_TO };
    static const bool HAS_IDENTITY = IDENTITY, COMMUTES = COMMUTATIVE, LOADS = false,
                      STORES = false;
};

/* x -> a x + b in integers modulo 2^32: f, then g. It does not commute. */
struct affine {
    uint32_t a, b;
};
static bool operator!=(const affine &f, const affine &g)
{
    return f.a != g.a || f.b != g.b;
}
template <unsigned ALIGNED_TO, bool IDENTITY>
struct affine_caller : plain_caller<affine, ALIGNED_TO, IDENTITY, false> {
    static affine combine(affine f, affine g) { return {g.a * f.a, g.a * f.b + g.b}; }
    static affine identity() { return {1, 0}; }
    static affine make(size_t i) { return {(uint32_t)(2 * i + 1), (uint32_t)(i * i)}; }
};

/* The first and the last of a range, and how many: bytes, of which no vector is made. */
struct range {
    uint8_t first, last, count;
};
static bool operator!=(const range &a, const range &b)
{
    return a.first != b.first || a.last != b.last || a.count != b.count;
}
struct range_caller : plain_caller<range, 1, false, false> {
    static range combine(range a, range b)
    {
        return {a.first, b.last, (uint8_t)(a.count + b.count)};
    }
    static range make(size_t i) { return {(uint8_t)(i * 7), (uint8_t)(i * 7), 1}; }
};

struct byte_caller : plain_caller<uint8_t, 1, false, false> {
    static uint8_t combine(uint8_t a, uint8_t b) { return a + b; }
    static uint8_t make(size_t i) { return (uint8_t)(i * 7); }
};

template <unsigned WORDS>
struct sums {
    uint32_t of[WORDS];
};
template <unsigned WORDS>
static bool operator!=(const sums<WORDS> &a, const sums<WORDS> &b)
{
    return memcmp(&a, &b, sizeof a) != 0;
}
template <unsigned WORDS, unsigned ALIGNED_TO, bool IDENTITY>
struct sums_caller : plain_caller<sums<WORDS>, ALIGNED_TO, IDENTITY, true> {
    static sums<WORDS> combine(sums<WORDS> a, const sums<WORDS> &b)
    {
        for (unsigned k = 0; k < WORDS; k++)
            a.of[k] += b.of[k];
        return a;
    }
    static sums<WORDS> identity() { return {}; }
    static sums<WORDS> make(size_t i)
    {
        sums<WORDS> x;
        for (unsigned k = 0; k < WORDS; k++)
            x.of[k] = (uint32_t)(i * (k + 3));
        return x;
    }
};

/* Elements that are made of their place and of bytes, and stored as their b. */
template <bool STORED>
struct mapped_caller : affine_caller<8, true> {
    static const bool LOADS = true, STORES = STORED;
    static affine load(const void *in, size_t i)
    {
        return {((const uint8_t *)in)[i] * 2u + 1, (uint32_t)i};
    }
    static void store(const affine &f, void *out, size_t i) { ((uint32_t *)out)[i] = f.b; }
};

template <unsigned SCANNERS_, unsigned VECTORS_, unsigned STAGES_, unsigned UNIT_, bool ALIGNED_,
          bool REVERSE_>
struct which {
    enum : unsigned {
        SCANNERS = SCANNERS_,
        REDUCERS = SCANNERS_ > 1 ? SCANNERS_ / 2 : 1,
        VECTORS = VECTORS_,
        STAGES = STAGES_,
        UNIT = UNIT_,
        THREADS = (SCANNERS_ + (STAGES_ > 1 ? REDUCERS + 2 : 0)) * 32
    };
    static const bool ALIGNED = ALIGNED_, REVERSE = REVERSE_;
};

#endif
