/*
 * Floats of 16 bits: every value widened, and every value, what lies half way between two and what is next
 * to that narrowed, on every set of SIMD instructions, in every floating-point mode.
 */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <criterion/criterion.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/context.h"
/* The kernels by which scans in float read and write elements of 16 bits. */
#define PARSCAN_ELEMENT F32
#define PARSCAN_ELEMENT_NAME f32
#define PARSCAN_ELEMENT_CLASS FLOAT
#define PARSCAN_ELEMENT_BITS 32
#include "scan/cpu/tile_kernels.h"
#include "scan/half.h"
#include "tests/support/allocated.h"
#include "tests/support/half_number.h"
#include "tests/support/rounding_modes.h"

enum { VALUES = 1 << 16 };
static const parscan_type types[] = {PARSCAN_F16, PARSCAN_BF16};

/* Converts in a mode, and goes back to the default one. */
static void widen_in(const tile_kernels *kernels, unsigned mode, parscan_type type, float *to,
                     const void *from, size_t n)
{
    const VIEW view = {(void *)from, type, n, false};
    set_mode(mode);
    kernels->gather(&view, 0, n, to);
    set_mode(0);
}

static void narrow_in(const tile_kernels *kernels, unsigned mode, parscan_type type, void *to,
                      const float *from, size_t n)
{
    const VIEW view = {to, type, n, false};
    set_mode(mode);
    kernels->scatter(&view, 0, n, from, false);
    set_mode(0);
}

/* The kernels of the sets that this build and this machine have; returns how many. */
static size_t every_set(const tile_kernels *sets[3])
{
    static const char *const names[] = {"portable", "avx2", "avx512"};
    size_t count = 0;
    for (size_t k = 0; k < 3; k++) {
        parscan_context *context = NULL;
        setenv("PARSCAN_SIMD", names[k], 1);
        if (parscan_context_create(
                &context, &PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU)) == PARSCAN_OK)
            sets[count++] = parscan_tile_kernels_f32((parscan_isa)k);
        parscan_context_destroy(context);
    }
    unsetenv("PARSCAN_SIMD");
    return count;
}

static bool is_nan(parscan_type type, unsigned bits)
{
    return (bits & 0x7fff) > (type == PARSCAN_F16 ? 0x7c00u : 0x7f80u);
}

static unsigned quiet_bit(parscan_type type)
{
    return type == PARSCAN_F16 ? 0x200 : 0x40;
}

/* The bits of the float that a value is widened to: of a NaN the sign and the payload stay. */
static uint32_t widened(parscan_type type, unsigned bits)
{
    const unsigned fraction = type == PARSCAN_F16 ? 10 : 7, low = bits & ((1u << fraction) - 1);
    if (!is_nan(type, bits))
        return bits_of_float((float)half_to_number(type, (uint16_t)bits));
    return (uint32_t)(bits >> 15) << 31 | 0x7fc00000u | (uint32_t)low << (23 - fraction);
}

Test(half, every_value_is_widened_exactly_on_every_set_in_every_mode)
{
    const tile_kernels *sets[3];
    const size_t count = every_set(sets);
    uint16_t *const values = allocated(VALUES * sizeof *values);
    float *const found = allocated(VALUES * sizeof *found);
    uint32_t *const expected = allocated(VALUES * sizeof *expected);
    for (unsigned k = 0; k < VALUES; k++)
        values[k] = (uint16_t)k;
    cr_assert_gt(count, 0);
    for (size_t t = 0; t < 2; t++) {
        for (unsigned k = 0; k < VALUES; k++)
            expected[k] = widened(types[t], k);
        for (size_t s = 0; s < count; s++)
            for (unsigned mode = 0; mode < MODES; mode++) {
                memset(found, 0xa5, VALUES * sizeof *found);
                widen_in(sets[s], mode, types[t], found, values, VALUES);
                cr_assert_eq(memcmp(found, expected, VALUES * sizeof *found), 0,
                             "set %zu, mode %u, type %zu", s, mode, t);
            }
    }
    free(values);
    free(found);
    free(expected);
}

Test(half, every_value_is_widened_to_double_exactly_in_every_mode)
{
    static double found[2][VALUES];
    for (unsigned mode = 0; mode < MODES; mode++) {
        set_mode(mode);
        for (unsigned k = 0; k < VALUES; k++) {
            found[0][k] = parscan_widen_F16_F64((parscan_f16){(uint16_t)k});
            found[1][k] = parscan_widen_BF16_F64((parscan_bf16){(uint16_t)k});
        }
        set_mode(0);
        for (unsigned k = 0; k < VALUES; k++)
            for (size_t t = 0; t < 2; t++) {
                const double expected = half_to_number(types[t], (uint16_t)k);
                cr_assert(is_nan(types[t], k) ? isnan(found[t][k]) : found[t][k] == expected,
                          "%04x", k);
                cr_assert_eq(signbit(found[t][k]) != 0, k >> 15 != 0, "%04x", k);
            }
    }
}

/* Narrows n floats on every set in every mode. They become `expected`. */
static void expect_narrow(parscan_type type, const float *from, const uint16_t *expected, size_t n)
{
    const tile_kernels *sets[3];
    const size_t count = every_set(sets);
    uint16_t *const found = allocated(n * sizeof *found);
    for (size_t s = 0; s < count; s++)
        for (unsigned mode = 0; mode < MODES; mode++) {
            memset(found, 0xa5, n * sizeof *found);
            narrow_in(sets[s], mode, type, found, from, n);
            for (size_t k = 0; k < n && memcmp(found, expected, n * sizeof *found) != 0; k++)
                cr_assert_eq(found[k], expected[k], "set %zu, mode %u: %08x gives %04x, not %04x",
                             s, mode, bits_of_float(from[k]), found[k], expected[k]);
        }
    free(found);
}

Test(half, every_value_comes_back_and_nans_become_quiet)
{
    float *const from = allocated(VALUES * sizeof *from);
    uint16_t *const expected = allocated(VALUES * sizeof *expected);
    for (size_t t = 0; t < 2; t++) {
        for (unsigned k = 0; k < VALUES; k++) {
            const uint32_t bits = widened(types[t], k);
            memcpy(from + k, &bits, sizeof bits);
            expected[k] = (uint16_t)(is_nan(types[t], k) ? k | quiet_bit(types[t]) : k);
        }
        expect_narrow(types[t], from, expected, VALUES);
    }
    free(from);
    free(expected);
}

Test(half, what_lies_half_way_goes_to_the_even_one_and_its_neighbours_to_the_nearest)
{
    enum { AROUND = 5 };
    float *const from = allocated(AROUND * VALUES * sizeof *from);
    uint16_t *const expected = allocated(AROUND * VALUES * sizeof *expected);
    for (size_t t = 0; t < 2; t++) {
        size_t n = 0;
        for (unsigned k = 0; k < VALUES; k++) {
            if (is_nan(types[t], k) || is_nan(types[t], k + 1))
                continue;
            /* Of the greatest number, half its last place above it, where infinity begins. */
            const double value = half_to_number(types[t], (uint16_t)k);
            const double next = half_to_number(types[t], (uint16_t)(k + 1));
            const double below = half_to_number(types[t], (uint16_t)(k - 1));
            if (isinf(value))
                continue;
            const float middle =
                (float)(isinf(next) ? value + (value - below) / 2 : (value + next) / 2);
            for (int step = 0; step < AROUND; step++) {
                const uint32_t bits = bits_of_float(middle) + (uint32_t)step - AROUND / 2;
                memcpy(from + n, &bits, sizeof bits);
                if (!isnan(from[n]))
                    expected[n] = half_from_number(types[t], from[n]), n++;
            }
        }
        cr_assert_gt(n, 4 * (VALUES - 4096));
        expect_narrow(types[t], from, expected, n);
    }
    free(from);
    free(expected);
}

/* A step that is prime to 2^32, so that exponents, fractions and NaNs of all kinds come up. */
Test(half, floats_of_every_kind_are_narrowed_to_the_nearest)
{
    enum { N = 1 << 21 };
    const uint32_t step = 2047;
    float *const from = allocated(N * sizeof *from);
    uint16_t *const expected = allocated(N * sizeof *expected);
    for (size_t t = 0; t < 2; t++) {
        const unsigned shift = types[t] == PARSCAN_F16 ? 13 : 16;
        for (uint32_t k = 0; k < N; k++) {
            const uint32_t bits = k * step, payload = bits & 0x7fffff;
            memcpy(from + k, &bits, sizeof bits);
            expected[k] = half_from_number(types[t], from[k]);
            if ((bits & 0x7fffffff) > 0x7f800000)
                expected[k] = (uint16_t)(expected[k] | payload >> shift);
        }
        expect_narrow(types[t], from, expected, N);
    }
    free(from);
    free(expected);
}

Test(half, arrays_of_every_short_length_and_alignment_are_converted_and_no_more)
{
    enum { MOST = 70, ROOM = MOST + 2 };
    const tile_kernels *sets[3];
    const size_t count = every_set(sets);
    for (size_t s = 0; s < count; s++)
        for (size_t t = 0; t < 2; t++)
            for (size_t n = 0; n <= MOST; n++)
                for (size_t offset = 0; offset < 2; offset++) {
                    char halves[2 * ROOM], back[2 * ROOM];
                    _Alignas(float) char floats[4 * ROOM];
                    memset(back, 0x11, sizeof back);
                    memset(floats, 0x22, sizeof floats);
                    for (size_t k = 0; k < sizeof halves; k++)
                        halves[k] = (char)(k * 7 % 0x3c);
                    float *const wide = (float *)(void *)floats + 1;
                    widen_in(sets[s], 0, types[t], wide, halves + offset, n);
                    narrow_in(sets[s], 0, types[t], back + offset, wide, n);
                    cr_assert_eq(memcmp(back + offset, halves + offset, 2 * n), 0);
                    cr_assert(back[offset + 2 * n] == 0x11 && (offset == 0 || back[0] == 0x11));
                    cr_assert(floats[3] == 0x22 && floats[4 + 4 * n] == 0x22);
                }
}
