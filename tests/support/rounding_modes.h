/* The floating-point modes that a caller may have set: four ways to round, with and without subnormal numbers. */
#ifndef PARSCAN_TESTS_ROUNDING_MODES_H
#define PARSCAN_TESTS_ROUNDING_MODES_H

#include <fenv.h>
#include <stdbool.h>
#include <stdint.h>

static const int roundings[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
enum { ROUNDINGS = 4, MODES = 2 * ROUNDINGS };

/* Subnormal numbers, given and computed, become 0: as -ffast-math's start code sets it. */
static inline void flush_to_zero(bool flush)
{
#if defined __x86_64__
    const unsigned ftz_and_daz = 0x8040, control = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(flush ? control | ftz_and_daz : control & ~ftz_and_daz);
#elif defined __aarch64__
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    control = flush ? control | UINT64_C(1) << 24 : control & ~(UINT64_C(1) << 24);
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
#else
    (void)flush;
#endif
}

/* Sets one of MODES for this thread; 0 is the default. */
static inline void set_mode(unsigned mode)
{
    fesetround(roundings[mode % ROUNDINGS]);
    flush_to_zero(mode >= ROUNDINGS);
}

#endif
