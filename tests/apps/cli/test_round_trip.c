/* Every type through every format and back, to the bit. */
#include "tests/apps/cli/run_program.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "parscan/types.h"

TestSuite(round_trip, .init = enter_folder, .fini = leave_folder);

enum { ELEMENTS = 40000 };

static uint64_t next_random(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15;
    uint64_t z = *state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static bool is_float(parscan_type type)
{
    return type == PARSCAN_F16 || type == PARSCAN_BF16 || type == PARSCAN_F32 ||
           type == PARSCAN_F64;
}

/* Random bits: NaNs, whose payload text does not keep, become ones; some numbers are subnormal. */
static blob random_elements(parscan_type type)
{
    const size_t size = parscan_type_size(type);
    const blob elements = new_blob(ELEMENTS * size);
    uint64_t state = 7;
    for (size_t i = 0; i < ELEMENTS; i++) {
        uint64_t bits = next_random(&state);
        if (i % 16 == 0) /* few exponent bits: subnormal, small */
            bits &= type == PARSCAN_F32 ? 0x807fffff : 0x800fffffffffffff;
        if (type == PARSCAN_F32 && (bits & 0x7f800000) == 0x7f800000)
            bits = 0x3f800000;
        if (type == PARSCAN_F64 && (bits >> 52 & 0x7ff) == 0x7ff)
            bits = 0x3ff0000000000000;
        if (type == PARSCAN_F16 && (bits & 0x7c00) == 0x7c00)
            bits = 0x3c00;
        if (type == PARSCAN_BF16 && (bits & 0x7f80) == 0x7f80)
            bits = 0x3f80;
        memcpy(elements.bytes + i * size, &bits, size);
    }
    return elements;
}

/*
 * A conversion that changes no element: there is no such subcommand, but the scan of one element is
 * that element. So the array is scanned, and the scan taken back to bits must be what the same scan
 * of raw data gives. MAX of floats and XOR of integers keep bits varied.
 */
static const char *operator_of(parscan_type type)
{
    return is_float(type) ? "max" : "xor";
}

static void convert(parscan_type type, const char *from, const char *format, const char *to,
                    const char *to_format)
{
    expect_done(RUN("", "scan", "--op", "max", "--type", parscan_type_name(type), "--format",
                    format, from, "-o", to, "--output-format", to_format));
}

static int compare_f32(const void *a, const void *b)
{
    float x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static int compare_f64(const void *a, const void *b)
{
    double x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* The scan with max leaves a sorted array as it is. */
static blob elements_that_max_keeps(parscan_type type)
{
    blob elements = random_elements(type);
    if (type == PARSCAN_F32)
        qsort(elements.bytes, ELEMENTS, 4, compare_f32);
    else if (type == PARSCAN_F64)
        qsort(elements.bytes, ELEMENTS, 8, compare_f64);
    else {
        write_file("unsorted", elements);
        expect_done(RUN("", "scan", "--op", operator_of(type), "--type", parscan_type_name(type),
                        "--format", "raw", "unsorted", "-o", "elements"));
        elements = read_file("elements");
    }
    return elements;
}

/* However a file has come about, it is the same: so each format is written from each, and compared
   with the file that was written from raw data. */
static void expect_round_trip(parscan_type type)
{
    static const char *const formats[] = {"text", "raw", "npy"};
    const blob elements = elements_that_max_keeps(type);
    write_file("begin", elements);
    /* Integers are not sorted, so the first conversion is a scan; what it gives is kept after. */
    convert(type, "begin", "raw", "start", "raw");
    const blob start = read_file("start");
    if (is_float(type))
        cr_assert(same_bytes(start, elements));
    for (int k = 0; k < 3; k++)
        convert(type, "start", "raw", formats[k], formats[k]);
    cr_assert(same_bytes(read_file("raw"), start));
    for (int from = 0; from < 3; from++) {
        for (int to = 0; to < 3; to++) {
            convert(type, formats[from], formats[from], "end", formats[to]);
            cr_assert(same_bytes(read_file("end"), read_file(formats[to])), "%s from %s to %s",
                      parscan_type_name(type), formats[from], formats[to]);
        }
    }
}

Test(round_trip, keeps_the_bits_of_every_type_in_every_format)
{
    for (int type = 0; type < 64; type++)
        if (parscan_type_name((parscan_type)type) != NULL)
            expect_round_trip((parscan_type)type);
}

Test(round_trip, keeps_every_integer_through_text)
{
    /* Unsorted values: a scan in text of the values must be the scan in raw. */
    for (int i = 0; i < 64; i++) {
        const parscan_type type = (parscan_type)i;
        const char *const name = parscan_type_name(type);
        if (name == NULL || is_float(type))
            continue;
        write_file("values", random_elements(type));
        expect_done(RUN("", "scan", "--op", "xor", "--type", name, "--format", "raw", "values",
                        "-o", "a.txt"));
        expect_done(RUN("", "scan", "--op", "xor", "--type", name, "a.txt", "-o", "b.npy"));
        expect_done(RUN("", "scan", "--op", "xor", "--type", name, "--format", "raw", "values",
                        "-o", "c.raw"));
        expect_done(RUN("", "scan", "--op", "xor", "--type", name, "--format", "raw", "c.raw", "-o",
                        "d.npy", "--output-format", "npy"));
        cr_assert(same_bytes(read_file("b.npy"), read_file("d.npy")), "%s", name);
    }
}
