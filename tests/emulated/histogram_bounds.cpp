/*
 * Histograms with bounds in device memory (apps/histogram/histogram_bounds.cuh) in the emulator, beside a loop
 * over the edges of bins; and the map itself, beside that of parscan/histogram.h's words for a few bounds.
 */
#include "apps/histogram/histogram_kernels.cuh"

#include "tests/emulated/device_memory.h"

enum { N = 3001, MOST_BINS = 1000 };

/* As widened by the words of the standard: exact in long double. */
template <typename T>
static long double number(T x)
{
    return x;
}
static long double number(parscan_f16 x)
{
    const int exponent = x.bits >> 10 & 31, fraction = x.bits & 1023;
    if (exponent == 31)
        return fraction != 0 ? NAN : x.bits >> 15 ? -INFINITY : INFINITY;
    const long double magnitude =
        ldexpl(fraction + (exponent == 0 ? 0 : 1024), (exponent == 0 ? 1 : exponent) - 25);
    return x.bits >> 15 ? -magnitude : magnitude;
}

/* The bin of x, or `bins`. */
static unsigned expected_bin(bool is_float, long double x, long double lower, long double upper,
                             unsigned bins)
{
    if (!(x >= lower && x < upper))
        return bins;
    if (!is_float)
        return (unsigned)((unsigned __int128)(x - lower) * bins /
                          (unsigned __int128)(upper - lower));
    const double low = (double)lower, step = ((double)upper - low) / bins;
    unsigned bin = 0;
    while (bin + 1 < bins && low + (bin + 1) * step <= (double)x)
        bin++;
    return bin;
}

template <typename T>
struct bounds_test {
    parscan_type type;
    T lower, upper;
    bool has_lower, has_upper, lower_there, upper_there;
    unsigned bins;
};

template <typename E, typename T>
static void test(const bounds_test<T> &t, const std::vector<T> &in)
{
    const parscan_type_traits traits = parscan_type_traits_of(t.type);
    const long double lower = t.has_lower ? number(t.lower) : 0;
    const long double upper = t.has_upper ? number(t.upper) : t.bins;
    const bool right = lower < upper && std::isfinite(lower) && std::isfinite(upper);
    guarded_array<uint32_t> counts(t.bins, 2);
    std::vector<uint32_t> expected(t.bins);
    uint64_t error[2] = {0, 0};
    const uint64_t none[2] = {0, 0};
    histogram_made made;
    for (const T &x : in) {
        const unsigned bin = expected_bin(traits.is_float, number(x), lower, upper, t.bins);
        if (right && bin < t.bins)
            expected[bin]++;
    }
    std::fill(counts.data, counts.data + t.bins, 0);
    count_params params = {};
    params.map.bins = t.bins;
    params.made = &made;
    params.type = t.type;
    params.elements = traits.key;
    params.is_signed = traits.is_signed;
    params.lower = {t.lower_there ? &t.lower : NULL, 0, t.has_lower};
    params.upper = {t.upper_there ? &t.upper : NULL, 0, t.has_upper};
    memcpy(&params.lower.bits, &t.lower, sizeof t.lower);
    memcpy(&params.upper.bits, &t.upper, sizeof t.upper);
    params.deferred = {error, 7};
    params.in = in.data();
    params.n = in.size();
    params.counts = counts.data;
    params.half_shift = 10;
    params.half_factor = 0x1p1008;
    emulator::launch(1, 32, 0, true, [&] { make_bounds(params); }); /* all make the same */
    emulator::launch(1, WORDS_THREADS, WORDS_TABLE * sizeof(uint32_t), true, [&] {
        const count_params own = at_its_bounds(params);
        run_count<E, words_table>(own, own_block().shared);
    });
    expect_right(counts, expected, none, [&](const char *what, size_t bin) {
        char words[200];
        snprintf(words, sizeof words, "type %d, [%Lg, %Lg), %u bins: %s, bin %zu", (int)t.type,
                 lower, upper, t.bins, what, bin);
        emulator::fail(words);
    });
    if (right ? error[0] != 0
              : error[0] != (7ull << 32 | PARSCAN_ERROR_INVALID_ARGUMENT) ||
                    error[1] != PARSCAN_IS_BOUND)
        emulator::fail("an error of bounds is told where there is none, or not told");
}

/* All pairs of bounds, wrong ones too; some are known to the host, some missing, for integers. */
template <typename E, typename T>
static void test_type(parscan_type type, const std::vector<T> &bounds)
{
    const bool is_float = parscan_is_float(type);
    std::vector<T> in(N);
    for (size_t i = 0; i < in.size(); i++) {
        const uint64_t random = emulator::running.random() << 20 ^ emulator::running.random();
        memcpy(&in[i], &random, sizeof in[i]);
        if (i % 3 == 0)
            in[i] = bounds[random % bounds.size()];
    }
    for (const T &lower : bounds)
        for (const T &upper : bounds)
            for (const unsigned bins : {1u, 10u, 128u, (unsigned)MOST_BINS}) {
                test<E>(bounds_test<T>{type, lower, upper, true, true, true, bins % 4 != 0, bins},
                        in);
                if (bins == 10)
                    test<E>(bounds_test<T>{type, lower, upper, true, true, false, true, bins}, in);
                if (bins == 10 && !is_float) {
                    test<E>(bounds_test<T>{type, lower, upper, true, false, true, false, bins}, in);
                    test<E>(bounds_test<T>{type, lower, upper, false, true, false, true, bins}, in);
                }
            }
}

int main()
{
    test_type<elements_16, uint16_t>(PARSCAN_U16, {0, 5, 133, 65535});
    test_type<elements_16, int16_t>(PARSCAN_I16, {-32768, -5, 0, 5, 123, 32767});
    test_type<elements_32, int32_t>(PARSCAN_I32, {INT32_MIN, -5, 0, 5, 1 << 20, INT32_MAX});
    test_type<elements_32, uint32_t>(PARSCAN_U32, {0, 7, 1u << 31, UINT32_MAX});
    test_type<elements_64, int64_t>(PARSCAN_I64, {INT64_MIN, -5, 0, 5, 1ll << 40, INT64_MAX});
    test_type<elements_64, uint64_t>(PARSCAN_U64, {0, 7, 1ull << 52, UINT64_MAX});
    test_type<elements_f32, float>(PARSCAN_F32, {-1e30f, -1, 0, 0.1f, 1, 3, NAN, INFINITY});
    test_type<elements_f64, double>(PARSCAN_F64, {-1e300, -0.7, 0, 0.1, 1, 3, NAN, -INFINITY});
    test_type<elements_halves, parscan_f16>(
        PARSCAN_F16, {{0xbc00}, {0x8000}, {0}, {0x2e66}, {0x3c00}, {0x7bff}, {0x7e00}, {0x7c00}});
    return 0;
}
