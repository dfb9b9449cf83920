/*
 * Bits made of offsets (apps/segments/mark_offsets.cu) in the emulator, and cleared before as far as a length in
 * device memory needs it: every element that starts a segment has its bit, no other element has one, and what is
 * behind stays.
 */
#include "apps/segments/mark_offsets.cu"
#include "tests/emulated/device_memory.h"

/* Bytes that a tile reads after the last element's bit, as if it had 1024 elements. */
enum { TILE = 1024, BEYOND = TILE / 8 + 16 };

struct mark_test {
    size_t most, most_count; /* that the launch knows */
    uint64_t n, count;
    unsigned head_padding, blocks;
    bool wide;
};

static void fail(const mark_test &t, const char *what, size_t place)
{
    char words[200];
    snprintf(words, sizeof words, "marks of %zu in %zu, %zu segments, padding %u%s: %s at %zu",
             (size_t)t.n, t.most, (size_t)t.count, t.head_padding, t.wide ? ", u64" : "", what,
             place);
    emulator::fail(words);
}

/* So many segments of n elements, empty ones among them. */
static std::vector<uint64_t> offsets_of(const mark_test &t)
{
    std::vector<uint64_t> offsets(t.count + 1, 0);
    for (uint64_t k = 1; k < t.count; k++)
        offsets[k] = emulator::running.random() % (t.n + 1);
    offsets[t.count] = t.n;
    std::sort(offsets.begin(), offsets.end());
    return offsets;
}

static size_t bytes_of(const mark_test &t, size_t n)
{
    return (t.head_padding + n + TILE - 1) / TILE * (TILE / 8) + 16;
}

static void test(const mark_test &t, bool in_order)
{
    const std::vector<uint64_t> offsets = offsets_of(t);
    const std::vector<uint32_t> narrow(offsets.begin(), offsets.end());
    guarded_array<uint8_t> bits(bytes_of(t, t.most), 0);
    uint64_t deferred[2] = {0, 0};
    std::fill(bits.begin, bits.end, 0xff);
    segment_offsets segments = {};
    segments.data = t.wide ? (const void *)offsets.data() : (const void *)narrow.data();
    segments.wide = t.wide;
    segments.count = t.most_count;
    segments.n = t.most;
    segments.bits = (uint64_t *)bits.data;
    segments.deferred = {deferred};
    segments.n_at = &t.n;
    segments.count_at = &t.count;
    const offsets_params params = {segments, t.head_padding};
    const clear_params clear = {params, bytes_of(t, t.most), BEYOND};
    emulator::launch(t.blocks, MARK_THREADS, 0, in_order, [&] { clear_bits(clear); });
    emulator::launch(t.blocks, MARK_THREADS, 0, in_order, [&] {
        if (t.wide)
            mark_offsets<uint64_t, uint64_t>(params);
        else
            mark_offsets<uint32_t, uint32_t>(params);
    });
    std::vector<uint8_t> right(bytes_of(t, t.n), 0);
    for (const uint64_t offset : offsets)
        if (offset < t.n)
            right[(t.head_padding + offset) / 8] |= (uint8_t)(1u << (t.head_padding + offset) % 8);
    for (size_t i = 0; i < right.size(); i++)
        if (bits.data[i] != right[i])
            fail(t, "wrong bits", i);
    const size_t most_cleared = (t.head_padding + t.n) / 8 + BEYOND + 16;
    for (size_t i = most_cleared; i < bytes_of(t, t.most); i++)
        if (bits.data[i] != 0xff)
            fail(t, "cleared", i);
    if (!bits.is_intact())
        fail(t, "something else was written", 0);
    if (deferred[0] != 0)
        fail(t, "an offset is called wrong", (size_t)deferred[1]);
}

int main()
{
    for (int in_order = 0; in_order < 2; in_order++)
        for (const bool wide : {false, true})
            for (const uint64_t n : {0, 1, 31, 1000, 1023, 1024, 1025, 9999, 20000})
                for (const uint64_t count : {1, 2, 17, 1500})
                    test({20000, 1500, n, count, (unsigned)(n % 32), 2, wide}, in_order != 0);
    return 0;
}
