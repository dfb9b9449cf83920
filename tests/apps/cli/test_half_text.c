/* Floats of 16 bits as text: all 65,536 of each type, and what lies half-way between two. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "apps/cli/number_float.h"
#include "apps/cli/shortest_float.h"
#include "parscan/types.h"
#include "scan/half.h"

TestSuite(half_text, .init = shortest_decimal_prepare);

typedef struct kind {
    float_parser *parse;
    float_formatter *format;
    uint16_t infinity;
    bool is_bf16;
} kind;

static const kind kinds[] = {{parse_f16, format_f16, 0x7c00, false},
                             {parse_bf16, format_bf16, 0x7f80, true}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static double value_of(const kind *of, uint16_t bits)
{
    return of->is_bf16 ? parscan_widen_BF16_F64((parscan_bf16){bits})
                       : parscan_widen_F16_F64((parscan_f16){bits});
}

static uint16_t parsed(const kind *of, const char *text, bool *fits)
{
    uint16_t bits = 0;
    const char *const end = of->parse(text, &bits, fits);
    cr_assert_eq(*end, '\0', "%s", text);
    return bits;
}

/* Of a NaN, its sign. */
Test(half_text, every_number_reads_back)
{
    for (int k = 0; k < KINDS; k++) {
        for (unsigned i = 0; i <= UINT16_MAX; i++) {
            char text[NUMBER_MAX_LENGTH + 1];
            const uint16_t bits = (uint16_t)i;
            *kinds[k].format(&bits, text) = '\0';
            bool fits;
            const uint16_t back = parsed(&kinds[k], text, &fits);
            cr_assert(fits, "%s", text);
            if ((bits & 0x7fff) <= kinds[k].infinity) {
                cr_assert_eq(back, bits, "%04x: %s", bits, text);
            } else {
                cr_assert_eq(back & 0x8000, bits & 0x8000, "%04x: %s", bits, text);
                cr_assert_gt(back & 0x7fff, kinds[k].infinity, "%04x: %s", bits, text);
            }
        }
    }
}

/* The nearest decimal with one digit less reads as another number. */
Test(half_text, numbers_have_the_fewest_digits)
{
    for (int k = 0; k < KINDS; k++) {
        for (uint16_t bits = 1; bits < kinds[k].infinity; bits++) {
            char text[NUMBER_MAX_LENGTH + 1], shorter[64];
            *kinds[k].format(&bits, text) = '\0';
            int digits = 0, zeros = 0;
            for (const char *p = text; *p != '\0' && *p != 'e'; p++) {
                if (*p == '.' || (*p == '0' && digits == 0))
                    continue;
                zeros = *p == '0' ? zeros + 1 : 0;
                digits++;
            }
            if (digits - zeros < 2)
                continue;
            snprintf(shorter, sizeof shorter, "%.*e", digits - zeros - 2,
                     value_of(&kinds[k], bits));
            bool fits;
            cr_assert_neq(parsed(&kinds[k], shorter, &fits), bits, "%s, but %s", text, shorter);
        }
    }
}

/* Written with all digits; a digit far beyond what a double holds decides. */
Test(half_text, a_number_half_way_goes_to_the_even_one_and_is_rounded_once)
{
    for (int k = 0; k < KINDS; k++) {
        for (uint16_t low = 0; low < kinds[k].infinity - 1; low++) {
            const uint16_t high = (uint16_t)(low + 1), even = low % 2 == 0 ? low : high;
            const double middle =
                (value_of(&kinds[k], low) + value_of(&kinds[k], high)) / 2; /* exact */
            char text[400], written[400];
            bool fits;
            snprintf(written, sizeof written, "%.160f", middle);
            strcpy(text, written);
            cr_assert_eq(parsed(&kinds[k], text, &fits), even, "%s", text);
            strcat(text, "0000000001");
            cr_assert_eq(parsed(&kinds[k], text, &fits), high, "%s", text);
            char negative[401] = "-";
            strcat(negative, text);
            cr_assert_eq(parsed(&kinds[k], negative, &fits), high | 0x8000, "%s", negative);
            /* One less in the last place of the half-way number's own digits, then nines. */
            strcpy(text, written);
            char *last = text + strlen(text) - 1;
            for (; *last == '0' || *last == '.'; last--)
                *last = *last == '.' ? '.' : '9';
            --*last;
            cr_assert_eq(parsed(&kinds[k], text, &fits), low, "%s", text);
        }
    }
}

static void expect_bits(const kind *of, const char *text, uint16_t bits)
{
    bool fits;
    cr_assert_eq(parsed(of, text, &fits), bits, "%s", text);
    cr_assert(fits, "%s", text);
}

static void expect_no_fit(const kind *of, const char *text)
{
    bool fits;
    parsed(of, text, &fits);
    cr_assert_not(fits, "%s", text);
}

Test(half_text, numbers_at_the_ends_of_a_type)
{
    const kind *const f16 = &kinds[0], *const bf16 = &kinds[1];
    expect_bits(f16, "65504", 0x7bff);
    expect_bits(f16, "65519.99999999999999999999999", 0x7bff);
    expect_bits(f16, "0x1.ffdffffffffffffffffffp15", 0x7bff);
    expect_no_fit(f16, "65520");
    expect_no_fit(f16, "-1e400");
    expect_bits(f16, "5.9604644775390625e-8", 1);
    expect_bits(f16, "2.98023223876953125e-8", 0);
    expect_bits(f16, "2.980232238769531250000000000000001e-8", 1);
    expect_bits(f16, "-1e-400", 0x8000);
    expect_bits(f16, "0x1.0020000000000000000001p0", 0x3c01);
    expect_bits(f16, "0x1.002p0", 0x3c00);
    expect_bits(bf16, "3.3895313892515355e38", 0x7f7f);
    expect_no_fit(bf16, "3.3961775292304601e38");
    expect_no_fit(bf16, "1e39");
    expect_bits(bf16, "1e-46", 0);
    expect_bits(bf16, "9.1835e-41", 1);
    for (int k = 0; k < KINDS; k++) {
        expect_bits(&kinds[k], "inf", kinds[k].infinity);
        expect_bits(&kinds[k], "-infinity", kinds[k].infinity | 0x8000);
        expect_bits(&kinds[k], "-0", 0x8000);
    }
}
