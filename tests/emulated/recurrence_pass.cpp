/*
 * Recurrences (apps/segmented/recurrence_pass.cuh) in the emulator, of an array a and of one a, in both forms of the
 * pipeline, beside a loop. Factors are 1, 0 or -1, so results are exact.
 */
#include "apps/segmented/recurrence_pass.cuh"
#include "tests/emulated/device_memory.h"

struct recurrence_test {
    size_t n;
    unsigned blocks, shift;
    bool in_place, on_device; /* the constant, and the length */
};

static chain_memory chain;

template <typename S, bool CONSTANT>
static void run(const recurrence_pass_params<S> &given)
{
    recurrence_pass_params<S> params = given;
    if constexpr (S::WARP_SPECIALISED) {
        recurrence_pass<S, CONSTANT>(params);
    } else {
        params.plain = at_its_length(given.plain);
        if (CONSTANT && params.a != NULL)
            params.constant_a = widened<typename S::T>(*params.a);
        auto &shared = own_variable<recurrence_shared<S>>(__FILE__, __LINE__);
        run_unspecialised(
            recurrence_steps<S, CONSTANT>{{params.plain, own_block().shared}, params, shared});
    }
}

template <typename S, bool CONSTANT>
static void test(const recurrence_test &t, bool in_order)
{
    typedef typename S::T T;
    const auto fail = [&](const char *what, size_t i) {
        char words[200];
        snprintf(words, sizeof words, "%zu bytes, n %zu, one a %d, in place %d, %u blocks: %s, %zu",
                 sizeof(T), t.n, CONSTANT, t.in_place, t.blocks, what, i);
        emulator::fail(words);
    };
    guarded_array<T> a(t.n, t.shift / 2), b(t.n, t.shift), apart(t.n, t.shift / 3);
    guarded_array<T> &out = t.in_place ? b : apart;
    std::vector<T> expected(t.n);
    const T one = t.n % 2 == 0 ? (T)-1 : (T)1;
    const uint64_t length = t.n;
    uint64_t told[2] = {};
    T x = 5;
    for (size_t i = 0; i < t.n; i++) {
        a.data[i] = CONSTANT ? one : (T)(int)(emulator::running.random() % 3) - 1;
        b.data[i] = (T)(int)(emulator::running.random() % 9) - 4;
        expected[i] = x = a.data[i] * x + b.data[i];
    }
    recurrence_pass_params<S> params = {};
    params.plain.in = b.data;
    params.plain.out = out.data;
    params.plain.head_padding = (unsigned)((uintptr_t)out.data % 128 / sizeof(T));
    params.plain.misalignment =
        (unsigned)(((uintptr_t)b.data - params.plain.head_padding * sizeof(T)) % 128);
    params.plain.length = device_length{t.on_device ? &length : NULL, {told, 3}};
    params.plain.set_length(t.n + (t.on_device ? 700 : 0));
    params.plain.keeps = true;
    params.plain.start = params.plain.first = 5;
    params.plain.chain = chain.before_launch();
    params.a = CONSTANT ? (t.on_device ? &one : NULL) : a.data;
    params.constant_a = CONSTANT && !t.on_device ? one : (T)99;
    params.a_misalignment =
        (unsigned)(((uintptr_t)a.data - params.plain.head_padding * sizeof(T)) % 128);
    if (params.plain.tiles * tile_words<recurrence_map<T>>::count > chain_memory::WORDS)
        fail("no room for status words", params.plain.tiles);
    emulator::launch((unsigned)std::min<size_t>(t.blocks, params.plain.tiles), S::THREADS,
                     S::STAGES * 2 * S::STAGE_BYTES, in_order, [&] { run<S, CONSTANT>(params); });
    for (size_t i = 0; i < t.n; i++)
        if (out.data[i] != expected[i])
            fail("a wrong element", i);
    if (!out.is_intact())
        fail("something beside the output was written", 0);
}

template <typename S>
static void test_shape(bool in_order)
{
    const size_t TILE = S::TILE;
    const size_t lengths[] = {1, 2, 33, TILE - 3, TILE, TILE + 1, 4 * TILE + 9, 7 * TILE - 2};
    unsigned k = 0;
    for (const size_t n : lengths)
        for (int way = 0; way < 2; way++, k++) {
            const recurrence_test t = {n, 1 + k % 3, k % 7, way == 0, k % 4 < 2};
            test<S, true>(t, in_order);
            test<S, false>({n, 1 + k % 3, k % 7, way == 0, k % 4 >= 2}, in_order);
        }
}

int main()
{
    for (int in_order = 0; in_order < 2; in_order++) {
        test_shape<single_pass_shape<float, float, 2, 2, 2, 2>>(in_order != 0);
        test_shape<single_pass_shape<double, double, 2, 1, 2, 2>>(in_order != 0);
        test_shape<single_pass_shape<float, float, 2, 0, 2, 1>>(in_order != 0);
    }
    return 0;
}
