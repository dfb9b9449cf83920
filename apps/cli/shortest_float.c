#include "apps/cli/shortest_float.h"

#include <string.h>

__extension__ typedef unsigned __int128 uint128;

/* 10^k for every k that a double needs, as 128 bits rounded up, the highest set:
   10^k = g * 2^(floor(log2(10^k)) - 127). */
enum { LEAST_POWER = -292, MOST_POWER = 324 };
typedef struct power {
    uint64_t high, low;
} power;
static power powers[MOST_POWER - LEAST_POWER + 1];
static bool prepared;

/* A large natural number, exact: enough for 10^324, and for 2^1152 / 10^292 with 180 bits. */
enum { LIMBS = 36 };
typedef struct natural {
    uint32_t limb[LIMBS]; /* the least significant first */
} natural;

static void multiply_by_ten(natural *x)
{
    uint64_t carry = 0;
    for (int i = 0; i < LIMBS; i++) {
        carry += (uint64_t)x->limb[i] * 10;
        x->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static void divide_by_ten(natural *x)
{
    uint64_t rest = 0;
    for (int i = LIMBS - 1; i >= 0; i--) {
        rest = rest << 32 | x->limb[i];
        x->limb[i] = (uint32_t)(rest / 10);
        rest %= 10;
    }
}

static unsigned bit_of(const natural *x, int position)
{
    return position < 0 ? 0 : x->limb[position / 32] >> (position % 32) & 1;
}

/* The 128 highest bits; plus one unless the bits below, and what was lost before, are all zero. */
static power highest_bits(const natural *x, bool lost)
{
    int top = LIMBS * 32 - 1;
    while (bit_of(x, top) == 0)
        top--;
    uint128 bits = 0;
    for (int i = 0; i < 128; i++)
        bits = bits << 1 | bit_of(x, top - i);
    for (int i = top - 128; i >= 0 && !lost; i--)
        lost = bit_of(x, i) != 0;
    bits += lost;
    return (power){(uint64_t)(bits >> 64), (uint64_t)bits};
}

void shortest_decimal_prepare(void)
{
    if (prepared)
        return;
    natural x = {.limb = {1}};
    for (int k = 0; k <= MOST_POWER; k++) {
        powers[k - LEAST_POWER] = highest_bits(&x, false);
        multiply_by_ten(&x);
    }
    x = (natural){.limb = {0}};
    x.limb[LIMBS - 1] = (uint32_t)1 << 31;
    for (int k = -1; k >= LEAST_POWER; k--) {
        divide_by_ten(&x);
        powers[k - LEAST_POWER] = highest_bits(&x, true);
    }
    prepared = true;
}

/* floor(x / 2^shift), for a negative x too. */
static int floor_shift(int x, int shift)
{
    return x >= 0 ? x >> shift : -((-x + (1 << shift) - 1) >> shift);
}

/* floor(log2(10^k)) */
static int log2_of_power(int k)
{
    return floor_shift(k * 1741647, 19);
}

/* g * x / 2^128, rounded to odd: the last bit tells whether something was cut off. */
static uint64_t multiply_round_to_odd(power g, uint64_t x)
{
    const uint128 low = (uint128)g.low * x;
    const uint128 product = (uint128)g.high * x + (uint64_t)(low >> 64);
    return (uint64_t)(product >> 64) | ((uint64_t)product > 1);
}

decimal shortest_decimal(uint64_t significand, int exponent, bool narrow_below)
{
    /* An integer below 2^53 is its own shortest decimal, trailing zeros aside. */
    if (exponent <= 0 && exponent > -53 && (significand & (((uint64_t)1 << -exponent) - 1)) == 0)
        return (decimal){significand >> -exponent, 0};

    /* Everything in quarters of 10^k: the number v, and the ends of the interval that rounds to it,
       which belong to it when the significand is even. */
    const int k = floor_shift(exponent * 1262611 - (narrow_below ? 524031 : 0), 22);
    const int shift = exponent + log2_of_power(-k) + 1;
    const power g = powers[-k - LEAST_POWER];
    const uint64_t odd = significand & 1;
    const uint64_t below = 4 * significand - 2 + narrow_below;
    const uint64_t lower = multiply_round_to_odd(g, below << shift) + odd;
    const uint64_t upper = multiply_round_to_odd(g, (4 * significand + 2) << shift) - odd;
    const uint64_t v = multiply_round_to_odd(g, (4 * significand) << shift);

    const uint64_t s = v / 4;
    if (s >= 10) {
        const uint64_t tens = s / 10;
        const bool down = lower <= 40 * tens;
        const bool up = 40 * tens + 40 <= upper;
        if (down != up)
            return (decimal){tens + up, k + 1};
    }
    const bool down = lower <= 4 * s;
    const bool up = 4 * s + 4 <= upper;
    if (down != up)
        return (decimal){s + up, k};
    const uint64_t middle = 4 * s + 2;
    return (decimal){s + (v > middle || (v == middle && (s & 1) == 1)), k};
}
