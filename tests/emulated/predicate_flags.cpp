/* Flags by a predicate (apps/compact/predicate_kernels.cuh), whose values are in device memory or in the call, in
   the emulator. */
#include "apps/compact/predicate_kernels.cuh"
#include "tests/emulated/device_memory.h"

#include <cmath>

static float value_of(parscan_f16 x)
{
    return parscan_widen_F16_F32(x);
}

template <typename T>
static T value_of(T x)
{
    return x;
}

/* By the words of parscan/compact.h. */
template <typename V>
static bool is_kept(parscan_comparison comparison, V x, V value, V upper)
{
    const bool less = x<value, equal = x == value, more = x> value;
    const bool kept[] = {x != 0,        equal, !equal,        less,
                         less || equal, more,  more || equal, (more || equal) && x <= upper};
    return kept[comparison];
}

template <typename T>
static void test_type(const std::vector<T> &values, size_t n, size_t room)
{
    unsigned shift = 0;
    for (int comparison = PARSCAN_NONZERO; comparison <= PARSCAN_BETWEEN; comparison++)
        for (const T &value : values) {
            guarded_array<T> in(n, shift++ % 5);
            for (size_t i = 0; i < n; i++)
                in.data[i] = values[emulator::running.random() % values.size()];
            const T upper = values[emulator::running.random() % values.size()];
            const uint64_t length = n;
            guarded_array<uint8_t> flags(n, shift % 7);
            predicate_at_length params = {};
            params.comparison = (parscan_comparison)comparison;
            params.in = in.data;
            if (shift % 3 == 0) {
                memcpy(&params.bits[0], &value, sizeof value);
                memcpy(&params.bits[1], &upper, sizeof upper);
            } else {
                params.value = &value;
                params.upper = &upper;
            }
            params.flags = flags.data;
            params.n = room != 0 ? room : n;
            params.length = {room != 0 ? &length : NULL, {}};
            emulator::launch(2, PREDICATE_THREADS, 0, true, [&] { set_flags<T>(params); });
            for (size_t i = 0; i < n; i++)
                if (flags.data[i] != is_kept(params.comparison, value_of(in.data[i]),
                                             value_of(value), value_of(upper)))
                    emulator::fail("a wrong flag");
            if (!flags.is_intact())
                emulator::fail("something beside the flags was written");
        }
}

int main()
{
    const float nan = NAN, most = INFINITY;
    for (const size_t room : {0u, 900u}) {
        test_type<uint8_t>({0, 1, 127, 128, 255}, room == 0 ? 8500 : 700, room);
        test_type<int16_t>({0, 1, -1, 32767, -32768}, 511, room);
        test_type<uint64_t>({0, 1, 1ull << 63, ~0ull}, 513, room);
        test_type<int64_t>({0, 1, -1, INT64_MIN, INT64_MAX}, 1, room);
        test_type<float>({0, -0.0f, 1, -1, nan, most, -most}, 600, room);
        test_type<double>({0, -0.0, 1, -1, nan, most, -most}, 600, room);
        test_type<parscan_f16>({{0}, {0x8000}, {0x3c00}, {0xbc00}, {0x7e00}, {0x7c00}, {1}}, 600,
                               room);
    }
    for (size_t n = 0; n < 9; n++) {
        test_type<uint32_t>({3, 0}, n, 900);
        test_type<uint32_t>({3, 0}, n == 0 ? 9 : n, 0);
    }
    return 0;
}
