/* The words of CUDA C++ that the kernels use, for the emulator. Included before everything else. */
#ifndef PARSCAN_TESTS_CUDA_ON_CPU_H
#define PARSCAN_TESTS_CUDA_ON_CPU_H

#include <cfenv>
#include <cmath>

#include <cuda_runtime_api.h>
#include <vector_functions.h>

#include "tests/emulated/emulator.h"

#define __CUDA_ARCH__ 900
#undef __noinline__
#define __noinline__ __attribute__((noinline))
#undef __shared__
#define __shared__ run_sh_has_not_replaced_this
/* Compiles in less time. */
#undef __forceinline__
#define __forceinline__ inline
#undef __launch_bounds__
#define __launch_bounds__(...)
#ifndef __grid_constant__
#define __grid_constant__
#endif

struct one_dimension {
    unsigned x;
};
#define threadIdx (one_dimension{emulator::running.current->thread})
#define blockIdx (one_dimension{emulator::running.current->block->index})
#define gridDim (one_dimension{emulator::running.blocks})
#define blockDim (one_dimension{emulator::running.current->block->threads})

static inline void __syncwarp(unsigned = ~0u)
{
    emulator::exchange(0);
}

static inline void __syncthreads()
{
    emulator::block &own = *emulator::running.current->block;
    emulator::arrive_and_wait(own.all, own.threads);
}

/* What `source` of this warp's lanes gives. */
template <typename T>
static inline T value_of_lane(T value, unsigned source)
{
    uint64_t given = 0;
    memcpy(&given, &value, sizeof value);
    const uint64_t *const all = emulator::exchange(given);
    memcpy(&value, &all[source], sizeof value);
    return value;
}

template <typename T>
static inline T __shfl_sync(unsigned, T value, int source)
{
    return value_of_lane(value, (unsigned)source % 32);
}

template <typename T>
static inline T __shfl_up_sync(unsigned, T value, unsigned distance)
{
    const unsigned lane = threadIdx.x % 32;
    return value_of_lane(value, lane >= distance ? lane - distance : lane);
}

template <typename T>
static inline T __shfl_down_sync(unsigned, T value, unsigned distance)
{
    const unsigned lane = threadIdx.x % 32;
    return value_of_lane(value, lane + distance < 32 ? lane + distance : lane);
}

template <typename T>
static inline T __shfl_xor_sync(unsigned, T value, unsigned mask)
{
    return value_of_lane(value, threadIdx.x % 32 ^ mask);
}

static inline unsigned __match_any_sync(unsigned, unsigned value)
{
    const uint64_t *const all = emulator::exchange(value);
    unsigned same = 0;
    for (unsigned lane = 0; lane < 32; lane++)
        same |= (unsigned)(all[lane] == value) << lane;
    return same;
}

static inline unsigned __ballot_sync(unsigned, bool vote)
{
    const uint64_t *const all = emulator::exchange(vote);
    unsigned votes = 0;
    for (unsigned lane = 0; lane < 32; lane++)
        votes |= (unsigned)(all[lane] != 0) << lane;
    return votes;
}

static inline bool __any_sync(unsigned lanes, bool vote)
{
    return __ballot_sync(lanes, vote) != 0;
}

/* What all lanes give, joined. */
template <typename Join>
static inline unsigned reduced(unsigned value, Join join)
{
    const uint64_t *const all = emulator::exchange(value);
    unsigned joined = (unsigned)all[0];
    for (unsigned lane = 1; lane < 32; lane++)
        joined = join(joined, (unsigned)all[lane]);
    return joined;
}

#define X(name, type, expression)                                          \
    static inline type __reduce_##name##_sync(unsigned, type value)        \
    {                                                                      \
        return (type)reduced((unsigned)value, [](unsigned x, unsigned y) { \
            const type a = (type)x, b = (type)y;                           \
            return (unsigned)(expression);                                 \
        });                                                                \
    }
X(add, unsigned, a + b)
X(add, int, (unsigned)a + (unsigned)b)
X(min, unsigned, a < b ? a : b)
X(min, int, a < b ? a : b)
X(max, unsigned, a > b ? a : b)
X(max, int, a > b ? a : b)
X(and, unsigned, a &b)
X(or, unsigned, a | b)
X(xor, unsigned, a ^ b)
#undef X

static inline int __syncthreads_count(int vote)
{
    emulator::block &own = *emulator::running.current->block;
    return (int)emulator::arrive_and_count(own.all, own.threads, vote != 0);
}

static inline int __syncthreads_or(int vote)
{
    return __syncthreads_count(vote) > 0;
}

static inline int __syncthreads_and(int vote)
{
    return __syncthreads_count(!vote) == 0;
}

static inline int __clzll(long long word)
{
    return word == 0 ? 64 : __builtin_clzll((unsigned long long)word);
}

static inline unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((uint64_t)a * b >> 32);
}

static inline uint64_t __umul64hi(uint64_t a, uint64_t b)
{
    return (uint64_t)((unsigned __int128)a * b >> 64);
}

static inline long long __double_as_longlong(double x)
{
    long long bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline int __double2hiint(double x)
{
    return (int)((uint64_t)__double_as_longlong(x) >> 32);
}

static inline int __double2loint(double x)
{
    return (int)__double_as_longlong(x);
}

static inline unsigned __float_as_uint(float x)
{
    unsigned bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double __hiloint2double(int high, int low)
{
    const uint64_t bits = (uint64_t)(uint32_t)high << 32 | (uint32_t)low;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Rounded down. */
static inline double __fma_rd(double a, double b, double c)
{
    fesetround(FE_DOWNWARD);
    volatile double result = fma(a, b, c);
    fesetround(FE_TONEAREST);
    return result;
}

static inline int __popc(unsigned word)
{
    return __builtin_popcount(word);
}

/* The lesser of each two halves. */
static inline unsigned __vminu2(unsigned a, unsigned b)
{
    const unsigned low = a & 0xffffu, high = a >> 16;
    return (low < (b & 0xffffu) ? low : b & 0xffffu) | (high < b >> 16 ? high : b >> 16) << 16;
}

/* The products of bytes, added to a sum. */
static inline unsigned __dp4a(unsigned a, unsigned b, unsigned sum)
{
    for (unsigned k = 0; k < 32; k += 8)
        sum += (a >> k & 0xff) * (b >> k & 0xff);
    return sum;
}

static inline int __popcll(long long word)
{
    return __builtin_popcountll((unsigned long long)word);
}

static inline int __ffsll(long long word)
{
    return __builtin_ffsll(word);
}

static inline int __clz(int word)
{
    return word == 0 ? 32 : __builtin_clz((unsigned)word);
}

static inline int __ffs(int word)
{
    return __builtin_ffs(word);
}

static inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector)
{
    const uint64_t bytes = (uint64_t)high << 32 | low;
    unsigned word = 0;
    for (unsigned k = 0; k < 4; k++)
        word |= (unsigned)(bytes >> (selector >> 4 * k & 7) * 8 & 0xff) << 8 * k;
    return word;
}

static inline unsigned __brev(unsigned word)
{
    unsigned reversed = 0;
    for (unsigned k = 0; k < 32; k++)
        reversed |= (word >> k & 1) << (31 - k);
    return reversed;
}

static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((uint64_t)high << 32 | low) >> shift % 32);
}

template <typename T>
static inline T __ldcs(const T *from)
{
    return *from;
}

template <typename T>
static inline T __ldcg(const T *from)
{
    return *from;
}

template <typename T>
static inline void __stcs(T *to, T value)
{
    if ((uintptr_t)to % sizeof(T) != 0)
        emulator::fail("a store to an address that is not aligned");
    *to = value;
}

template <typename T>
static inline T __ldg(const T *from)
{
    return *from;
}

static inline void __threadfence() {}

template <typename T>
static inline void __stwb(T *to, T value)
{
    if ((uintptr_t)to % sizeof(T) != 0)
        emulator::fail("a store to an address that is not aligned");
    *to = value;
}

/* Where lanes are served in order, each lets the next one add. */
template <typename T>
static inline T atomicAdd(T *to, T value)
{
    const T before = *to;
    *to += value;
    if (emulator::running.in_order)
        emulator::give_way();
    return before;
}

template <typename T>
static inline T atomicCAS(T *to, T expected, T value)
{
    const T before = *to;
    if (before == expected)
        *to = value;
    return before;
}

template <typename T>
static inline T atomicOr(T *to, T value)
{
    const T before = *to;
    *to |= value;
    return before;
}

template <typename T>
static inline T atomicMin(T *to, T value)
{
    const T before = *to;
    *to = value < before ? value : before;
    return before;
}

template <typename T>
static inline T atomicMax(T *to, T value)
{
    const T before = *to;
    *to = value > before ? value : before;
    return before;
}

#endif
