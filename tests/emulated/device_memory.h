/* Memory of emulated launches, and what is expected of it. `fail` takes words and a place. */
#ifndef PARSCAN_TESTS_DEVICE_MEMORY_H
#define PARSCAN_TESTS_DEVICE_MEMORY_H

#include "parscan/types.h"
#include "scan/cuda/tile_prefix.cuh"

/* An array `shift` elements past an aligned address, with bytes before and after it that nobody
   may write. */
template <typename T>
struct guarded_array {
    std::vector<unsigned char> room;
    unsigned char *begin, *end;
    T *data;

    guarded_array(size_t n, unsigned shift) : room((n + shift) * sizeof(T) + 512, GUARD)
    {
        const uintptr_t at = ((uintptr_t)room.data() + 255) / 128 * 128;
        data = (T *)at + shift;
        begin = (unsigned char *)data;
        end = (unsigned char *)(data + n);
    }
    bool is_intact() const
    {
        const auto is_guard = [](unsigned char byte) { return byte == GUARD; };
        return std::all_of(room.data(), (const unsigned char *)begin, is_guard) &&
               std::all_of((const unsigned char *)end, room.data() + room.size(), is_guard);
    }

  private:
    static constexpr unsigned char GUARD = 0xc3;
};

/* The status words of launches after each other, which start with the last epoch but two. */
struct chain_memory {
    static const size_t WORDS = 1024;
    unsigned long long control = (unsigned long long)(LAST_EPOCH - 2) << 32;
    unsigned wrapping = 0;
    uint64_t status[WORDS] = {};
    unsigned wrapped = 0; /* how many launches had the last epoch */

    tile_chain before_launch()
    {
        wrapped += control >> 32 == LAST_EPOCH;
        return tile_chain{&control, &wrapping, status, WORDS};
    }
};

/* The output is right, nothing beside it was written, and no error was left. */
template <typename T, typename Fail>
static void expect_right(const guarded_array<T> &out, const std::vector<T> &expected,
                         const uint64_t (&deferred)[2], Fail fail)
{
    for (size_t i = 0; i < expected.size(); i++)
        if (out.data[i] != expected[i])
            fail("wrong element", i);
    if (!out.is_intact())
        fail("something beside the output was written", 0);
    if (deferred[0] != 0)
        fail("an offset is called wrong", (size_t)deferred[1]);
}

/* Offset `at` was found to be wrong, and nothing beside the output was written. */
template <typename T, typename Fail>
static void expect_told(const guarded_array<T> &out, const uint64_t (&deferred)[2], size_t at,
                        Fail fail)
{
    if (!out.is_intact())
        fail("something beside the output was written", 0);
    if (deferred[0] != PARSCAN_ERROR_INVALID_ARGUMENT)
        fail("a wrong offset was not found", at);
    if (deferred[1] != at && deferred[1] != at + 1)
        fail("another offset is called wrong", (size_t)deferred[1]);
}

#endif
