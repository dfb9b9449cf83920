/*
 * The kernels of differences (apps/difference/difference_kernels.cuh) in the emulator: every size, both directions,
 * in place and not, aligned alike and not, with a length in device memory and without.
 */
#include "apps/difference/difference_kernels.cuh"
#include "tests/emulated/device_memory.h"

struct difference_test {
    size_t n;
    unsigned shift, out_shift;
    bool in_place, reverse, has_init, on_device, xor_bits;
};

static float value_of(parscan_f16 x)
{
    return parscan_widen_F16_F32(x);
}

template <typename T>
static T value_of(T x)
{
    return x;
}

/* Small numbers, whose differences are exact. */
template <typename T>
static T element(unsigned k)
{
    if constexpr (is_stored<T>::value)
        return parscan_narrow_F16((float)k);
    else
        return (T)k;
}

template <typename T>
static bool is_difference(T found, T x, T y, bool xor_bits)
{
    if constexpr (std::is_integral<T>::value)
        return found == (xor_bits ? (T)(x ^ y) : (T)(x - y));
    else
        return value_of(found) == value_of(x) - value_of(y);
}

template <typename T>
static void test(const difference_test &t, bool in_order)
{
    const auto fail = [&](const char *what, size_t i) {
        char words[200];
        snprintf(words, sizeof words,
                 "%zu bytes, n %zu, shifts %u %u, in place %d, reverse %d, init %d: %s, %zu",
                 sizeof(T), t.n, t.shift, t.out_shift, t.in_place, t.reverse, t.has_init, what, i);
        emulator::fail(words);
    };
    const size_t room = t.n + (t.on_device ? 900 : 0);
    guarded_array<T> in(t.n, t.shift), apart(t.n, t.out_shift);
    guarded_array<T> &out = t.in_place ? in : apart;
    std::vector<T> before(t.n), borders(room * sizeof(T) / DIFFERENCE_TILE_BYTES + 2);
    for (size_t i = 0; i < t.n; i++)
        before[i] = in.data[i] = element<T>(emulator::running.random() % 200);
    const T init = element<T>(77);
    const uint64_t length = t.n;
    uint64_t told[2] = {};
    difference_at_length params = {};
    params.in = in.data;
    params.out = out.data;
    params.n = room;
    params.has_init = t.has_init;
    memcpy(&params.init, &init, sizeof init);
    params.init_at = t.shift % 2 == 0 ? NULL : &init;
    params.reverse = t.reverse;
    params.xor_bits = t.xor_bits;
    params.borders = t.in_place ? borders.data() : NULL;
    if (t.on_device)
        params.length = {&length, {told, 3}};
    if (t.in_place)
        emulator::launch(1, DIFFERENCE_THREADS, 0, in_order, [&] { save_borders<T>(params); });
    emulator::launch(2, DIFFERENCE_THREADS, 0, in_order, [&] {
        if (params.borders == NULL && t.n % 2 == 0)
            subtract_neighbours<T, 1>(params);
        else
            subtract_neighbours<T, DIFFERENCE_EACH>(params);
    });
    for (size_t i = 0; i < t.n; i++) {
        const bool first = i == (t.reverse ? t.n - 1 : 0);
        const T y = first ? init : before[t.reverse ? i + 1 : i - 1];
        if (first && !t.has_init ? memcmp(&out.data[i], &before[i], sizeof(T)) != 0
                                 : !is_difference(out.data[i], before[i], y, t.xor_bits))
            fail("a wrong difference", i);
    }
    if (!out.is_intact())
        fail("something beside the output was written", 0);
}

template <typename T>
static void test_type(bool in_order)
{
    const size_t TILE = DIFFERENCE_TILE_BYTES / sizeof(T), LANE = 16 / sizeof(T);
    const size_t lengths[] = {0, 1, 2, LANE, LANE + 1, TILE - 1, TILE, TILE + 1, 4 * TILE + 5};
    unsigned k = (unsigned)sizeof(T);
    for (const size_t n : lengths)
        for (unsigned way = 0; way < 4; way++, k++) {
            const bool in_place = way % 2 == 0;
            test<T>({n, k % 5, k / 3 % 4, in_place, way / 2 == 0, k % 3 != 0, k % 7 < 3 || n == 0,
                     std::is_integral<T>::value && k % 4 == 3},
                    in_order);
        }
}

int main()
{
    for (int in_order = 0; in_order < 2; in_order++) {
        test_type<uint8_t>(in_order != 0);
        test_type<uint16_t>(in_order != 0);
        test_type<uint32_t>(in_order != 0);
        test_type<uint64_t>(in_order != 0);
        test_type<float>(in_order != 0);
        test_type<double>(in_order != 0);
        test_type<parscan_f16>(in_order != 0);
    }
    return 0;
}
