/*
 * The processor's instructions as functions, on x86-64 and 64-bit Arm.
 *
 * <immintrin.h> has all that there are: gcc reads it for half a second, in each of the files that are compiled once a type
 * and SIMD set. Of the portable set, and of all that is compiled for any x86-64, <emmintrin.h> has what can be called.
 */
#ifndef PARSCAN_SCAN_CPU_INTRINSICS_H
#define PARSCAN_SCAN_CPU_INTRINSICS_H

#if defined __x86_64__ && defined __SSE3__
#include <immintrin.h>
#elif defined __x86_64__
#include <emmintrin.h>
#elif defined __aarch64__
#include <arm_neon.h>
#endif

#endif
