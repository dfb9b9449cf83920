/*
 * The histogram of elements of two bytes by their values (apps/histogram/histogram_codes.cuh) in the
 * emulator, beside a loop over the edges of bins. Counters reach 2^14 in some, and bins have room in shared
 * memory or not.
 */
#include "apps/histogram/histogram_codes.cuh"

#include "tests/emulated/device_memory.h"

enum kind { UNSIGNED, SIGNED, F16, BF16, KINDS };
enum pattern { ANY, ONE, TWO, NEAR, SEVEN, PATTERNS };

struct codes_test {
    kind elements;
    pattern in;
    size_t n;
    unsigned shift, blocks, bins;
    double lower, upper;
    bool binned, wide;
};

/* The number that 16 bits are. */
static double number_of(kind elements, uint16_t bits)
{
    const unsigned exponent_bits = elements == F16 ? 5 : 8, fraction_bits = 15 - exponent_bits;
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const unsigned exponent = bits >> fraction_bits & ((1u << exponent_bits) - 1);
    const unsigned fraction = bits & ((1u << fraction_bits) - 1);
    if (elements == UNSIGNED || elements == SIGNED)
        return elements == SIGNED ? (double)(int16_t)bits : bits;
    if (exponent == (1u << exponent_bits) - 1)
        return fraction != 0 ? NAN : bits >> 15 ? -INFINITY : INFINITY;
    const double whole = fraction + (exponent == 0 ? 0 : 1u << fraction_bits);
    const double magnitude =
        ldexp(whole, (exponent == 0 ? 1 : (int)exponent) - bias - (int)fraction_bits);
    return bits >> 15 ? -magnitude : magnitude;
}

/* The bin, or `bins`. */
static unsigned expected_bin(const codes_test &t, uint16_t bits)
{
    const double x = number_of(t.elements, bits);
    if (!(x >= t.lower && x < t.upper))
        return t.bins;
    if (t.elements == UNSIGNED || t.elements == SIGNED)
        return (unsigned)((uint64_t)(x - t.lower) * t.bins / (uint64_t)(t.upper - t.lower));
    unsigned bin = (unsigned)((x - t.lower) / (t.upper - t.lower) * t.bins);
    const auto edge = [&](unsigned b) { return t.lower + b * ((t.upper - t.lower) / t.bins); };
    while (bin > 0 && edge(bin) > x)
        bin--;
    while (bin + 1 < t.bins && edge(bin + 1) <= x)
        bin++;
    return bin;
}

static uint16_t element(const codes_test &t, size_t i)
{
    const uint64_t random = emulator::running.random();
    switch (t.in) {
    case ONE:
        return 0x3c01;
    case TWO:
        return (uint16_t)(random % 2 * 0x7ff + 0x3c00);
    case NEAR:
        return (uint16_t)(0x4000 + i % 8);
    case SEVEN:
        return (uint16_t)(random % 7 * 9363);
    default:
        return (uint16_t)random;
    }
}

/* What parscan_bin_map_f32 and _u16 prepare. */
static void map_of(const codes_test &t, count_params *params)
{
    bin_map &map = params->map;
    const double width = t.upper - t.lower;
    map.bins = t.bins;
    map.scale = t.bins / width;
    if (t.elements == UNSIGNED || t.elements == SIGNED) {
        params->is_signed = t.elements == SIGNED;
        params->elements = KEY_U16;
        map.lower = (uint64_t)(int64_t)t.lower;
        map.width = (uint64_t)width;
        map.kind = BIN_MAP_SCALE;
        map.scale = nextafter(map.scale, INFINITY);
        return;
    }
    map.float_lower = t.lower;
    map.float_upper = t.upper;
    map.step = width / t.bins;
    map.start = 0x1p28 - t.lower * map.scale;
    map.doubt = 1u << 16;
    map.doubt_span = 2u << 16;
    params->half_shift = t.elements == F16 ? 10 : 13;
    params->half_factor = t.elements == F16 ? 0x1p1008 : 0x1p896;
    params->half_scale = map.scale * params->half_factor;
    if (std::isinf(params->half_scale)) {
        params->half_scale = 0;
        map.doubt_span = UINT32_MAX;
    }
    bool found = false;
    for (int key = -0x8000; key < 0x8000; key++) {
        const double x = number_of(t.elements, (uint16_t)(key < 0 ? key ^ 0x7fff : key));
        if (!(x >= t.lower && x < t.upper))
            continue;
        if (!found)
            params->half_lower = key;
        found = true;
        params->half_width = (uint32_t)(key + 1 - params->half_lower);
    }
}

template <typename E>
static void run(const codes_test &t, const count_params &params, bool in_order)
{
    emulator::launch(t.blocks, CODES_THREADS,
                     CODES_TABLE_BYTES + params.table_words * sizeof(uint32_t), in_order,
                     [&] { run_codes<E>(params, own_block().shared); });
}

template <typename COUNT>
static void test(const codes_test &t, bool in_order)
{
    const uint64_t none[2] = {0, 0};
    guarded_array<uint16_t> in(t.n, t.shift);
    guarded_array<COUNT> counts(t.bins, 2);
    std::vector<COUNT> expected(t.bins, 3);
    for (size_t i = 0; i < t.n; i++) {
        in.data[i] = element(t, i);
        const unsigned bin = expected_bin(t, in.data[i]);
        if (bin < t.bins)
            expected[bin]++;
    }
    std::fill(counts.data, counts.data + t.bins, (COUNT)3);
    count_params params = {};
    map_of(t, &params);
    params.in = in.data;
    /* The host knows the length, or only the device does. */
    const uint64_t there = t.n;
    params.n = t.n;
    if (emulator::running.random() % 2 != 0) {
        params.n += 3 * CODES_BATCH * 8;
        params.n_at = &there;
    }
    params.counts = counts.data;
    params.wide = sizeof(COUNT) == 8;
    params.pairs = !params.wide;
    params.table_words = t.binned ? t.bins : 0;
    if (t.elements == F16 || t.elements == BF16)
        run<elements_halves>(t, params, in_order);
    else
        run<elements_16>(t, params, in_order);
    expect_right(counts, expected, none, [&](const char *what, size_t bin) {
        char words[200];
        snprintf(words, sizeof words, "kind %d, pattern %d, %zu elements, %u bins: %s, bin %zu",
                 t.elements, t.in, t.n, t.bins, what, bin);
        emulator::fail(words);
    });
}

int main()
{
    for (unsigned k = 0; k < PATTERNS * KINDS; k++) {
        const kind elements = (kind)(k % KINDS);
        const bool in_order = k / KINDS % 2 == 0, binned = k % 3 != 0;
        const double lower = elements == UNSIGNED ? 16 : -48;
        codes_test t = {elements, (pattern)(k / KINDS), 100000 + 777 * k, k % 8, 1, 1000,
                        lower,    lower + 125,          binned,           false};
        test<uint32_t>(t, in_order);
        t.wide = true;
        t.n = 70000 + k;
        t.bins = 65537;
        t.upper = lower + 0x4000;
        test<uint64_t>(t, in_order);
        t.n = k;
        test<uint64_t>(t, in_order);
    }
    for (const double width : {0x1p-10, 0x1p-3, 2.0, 3.0}) {
        test<uint32_t>({F16, ANY, 150000, 5, 1, 1000, -width, 0, true, false}, true);
        test<uint32_t>({BF16, ANY, 150000, 2, 1, 1000, 0, width, true, false}, true);
    }
    test<uint32_t>({F16, ONE, 250000, 3, 2, 256, 0, 256, true, false}, false);
    test<uint32_t>({UNSIGNED, ANY, 150000, 3, 2, 65536, 0, 65536, false, false}, false);
    return 0;
}
