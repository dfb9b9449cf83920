/*
 * The floating-point mode of a thread: how results are rounded, whether subnormal numbers are
 * flushed to zero, and which exceptions trap. A caller may have set any (fesetround(),
 * feenableexcept(), the start code of -ffast-math), and a thread of a team has that of the thread
 * which started it.
 *
 * A call on the CPU works in one mode on all its threads, and no exception traps in it:
 *
 *     FLOAT_CALLERS   as the caller rounds and flushes: sums and products of floats, recurrences
 *     FLOAT_DEFAULT   to the nearest, subnormal numbers kept: what has the same bits everywhere
 *
 * parscan_float_begin() puts the calling thread into a mode; parscan_float_end() gives it back all
 * that it had, its status flags too. Members of a team take over the mode of the thread that gives
 * them a job (scan/cpu/team.c). What only moves elements, or compares them as integers, needs no
 * mode.
 */
#ifndef PARSCAN_SCAN_CONTEXT_FLOAT_MODE_H
#define PARSCAN_SCAN_CONTEXT_FLOAT_MODE_H

#include <stdint.h>

#if !defined __x86_64__ && !defined __aarch64__
#include <fenv.h>
#endif

typedef enum parscan_float_mode { FLOAT_CALLERS, FLOAT_DEFAULT } parscan_float_mode;

/* A thread's mode and status flags. parscan_float_state_of() is a state in one of the modes, without
   traps; parscan_float_same_mode() does not look at the flags. Writing is slow, so it is done only
   where something differs. */
#if defined __x86_64__

typedef uint32_t parscan_float_state; /* MXCSR */
enum { MXCSR_FLAGS = 0x3f, MXCSR_NO_TRAPS = 0x1f80 };

static inline parscan_float_state parscan_float_read(void)
{
    parscan_float_state state;
    __asm__ volatile("stmxcsr %0" : "=m"(state) : : "memory");
    return state;
}

static inline void parscan_float_write(parscan_float_state state)
{
    __asm__ volatile("ldmxcsr %0" : : "m"(state) : "memory");
}

static inline parscan_float_state parscan_float_state_of(parscan_float_state callers,
                                                         parscan_float_mode mode)
{
    return (mode == FLOAT_CALLERS ? callers : callers & MXCSR_FLAGS) | MXCSR_NO_TRAPS;
}

static inline int parscan_float_same(parscan_float_state a, parscan_float_state b)
{
    return a == b;
}

static inline int parscan_float_same_mode(parscan_float_state a, parscan_float_state b)
{
    return ((a ^ b) & ~(parscan_float_state)MXCSR_FLAGS) == 0;
}

#elif defined __aarch64__

typedef struct parscan_float_state {
    uint64_t control, status; /* FPCR, FPSR */
} parscan_float_state;
enum { FPCR_TRAPS = 0x9f00 };

static inline parscan_float_state parscan_float_read(void)
{
    parscan_float_state state;
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr"
                     : "=r"(state.control), "=r"(state.status)
                     :
                     : "memory");
    return state;
}

static inline void parscan_float_write(parscan_float_state state)
{
    __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1"
                     :
                     : "r"(state.control), "r"(state.status)
                     : "memory");
}

static inline parscan_float_state parscan_float_state_of(parscan_float_state callers,
                                                         parscan_float_mode mode)
{
    callers.control = mode == FLOAT_CALLERS ? callers.control & ~(uint64_t)FPCR_TRAPS : 0;
    return callers;
}

static inline int parscan_float_same(parscan_float_state a, parscan_float_state b)
{
    return a.control == b.control && a.status == b.status;
}

static inline int parscan_float_same_mode(parscan_float_state a, parscan_float_state b)
{
    return a.control == b.control;
}

#else /* by C's own functions, which cannot tell whether two states differ */

typedef fenv_t parscan_float_state;

static inline parscan_float_state parscan_float_read(void)
{
    parscan_float_state state;
    fegetenv(&state);
    return state;
}

static inline void parscan_float_write(parscan_float_state state)
{
    fesetenv(&state);
}

static inline parscan_float_state parscan_float_state_of(parscan_float_state callers,
                                                         parscan_float_mode mode)
{
    parscan_float_state held;
    if (mode == FLOAT_DEFAULT)
        fesetenv(FE_DFL_ENV);
    feholdexcept(&held); /* goes on without traps */
    held = parscan_float_read();
    fesetenv(&callers);
    return held;
}

static inline int parscan_float_same(parscan_float_state a, parscan_float_state b)
{
    (void)a, (void)b;
    return 0;
}

static inline int parscan_float_same_mode(parscan_float_state a, parscan_float_state b)
{
    (void)a, (void)b;
    return 0;
}

#endif

/* The state that the members of a team take over from this thread. */
static inline parscan_float_state parscan_float_of_job(void)
{
    return parscan_float_state_of(parscan_float_read(), FLOAT_CALLERS);
}

static inline void parscan_float_take_over(parscan_float_state state)
{
    if (!parscan_float_same_mode(parscan_float_read(), state))
        parscan_float_write(state);
}

/* Puts this thread into a mode. Returns what parscan_float_end() gives back. */
static inline parscan_float_state parscan_float_begin(parscan_float_mode mode)
{
    const parscan_float_state before = parscan_float_read();
    const parscan_float_state during = parscan_float_state_of(before, mode);
    if (!parscan_float_same(before, during))
        parscan_float_write(during);
    return before;
}

static inline void parscan_float_end(parscan_float_state before)
{
    if (!parscan_float_same(parscan_float_read(), before))
        parscan_float_write(before);
}

#endif
