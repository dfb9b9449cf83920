/*
 * The reduction of an array (scan/single_pass/reduce_kernels.cuh) in the emulator: lengths and inits that the
 * host knows, and those in device memory.
 */
#include "scan/single_pass/reduce_kernels.cuh"
#include "tests/emulated/device_memory.h"

static chain_memory chain;

struct reduce_test {
    size_t n, room; /* room: not 0: n is in device memory, and at most this */
    unsigned blocks, shift;
    bool starts, on_device; /* there is an init; it is in device memory */
    bool reverse;
};

template <typename In, typename T, typename OPERATOR>
static void test(const reduce_test &t, T neutral, bool in_order)
{
    const OPERATOR op = OPERATOR();
    const T init = 5;
    const uint64_t length = t.n;
    guarded_array<In> in(t.n, t.shift);
    guarded_array<T> out(1, 0);
    uint64_t deferred[2] = {};
    T expected = t.starts ? init : neutral;
    for (size_t i = 0; i < t.n; i++) {
        in.data[i] = (In)(emulator::running.random() % 100);
        expected = combine(op, expected, (T)in.data[i]);
    }
    reduce_params<In, T> params = {};
    params.in = in.data;
    params.out = out.data;
    params.set_length(t.room != 0 ? t.room : t.n);
    params.length = {t.room != 0 ? &length : NULL, {deferred, 1}};
    params.reverse = t.reverse;
    params.starts = t.starts;
    params.start = params.of_nothing = t.starts && !t.on_device ? init : neutral;
    params.init.at = t.starts && t.on_device ? &init : NULL;
    params.chain = chain.before_launch();
    const auto run = [&](auto shape) {
        typedef decltype(shape) SHAPE;
        emulator::launch(t.blocks, SHAPE::THREADS, 0, in_order,
                         [&] { reduce_blocks<In, T, OPERATOR, T, SHAPE>(params); });
    };
    if (t.n % 2 == 0)
        run(reduce_many());
    else
        run(reduce_few());
    if (*out.data != expected || !out.is_intact() || deferred[0] != 0) {
        char words[200];
        snprintf(
            words, sizeof words,
            "a reduction of %zu of %zu by %u blocks, init %d, on the device %d: %lld, not %lld",
            t.n, t.room, t.blocks, t.starts, t.on_device, (long long)*out.data,
            (long long)expected);
        emulator::fail(words);
    }
}

int main()
{
    const size_t lengths[] = {0, 1, 2, 511, 4096, 9001};
    unsigned k = 0;
    for (const size_t n : lengths)
        for (unsigned way = 0; way < 8; way++, k++) {
            const bool known = (way & 1) == 0;
            const reduce_test t = {
                n,         known ? (size_t)0 : 9001, known && n == 0 ? 1 : 1 + k % 3,
                k % 5,     (way & 2) != 0,           (way & 4) != 0,
                k % 2 == 1};
            test<uint32_t, uint32_t, parscan_operator_SUM>(t, 0, k % 3 == 0);
            test<uint8_t, uint64_t, parscan_operator_SUM>(t, 0, k % 3 == 1);
        }
    return 0;
}
