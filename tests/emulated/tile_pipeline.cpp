/*
 * The pipeline of tiles (scan/cuda/tile_pipeline.cuh) in the emulator, in both of its forms: plain
 * scans, segmented scans and segmented reductions, beside a loop. Threads run in random order and
 * copies land late, so a wait that is missing or that never ends shows. Blocks are small, so that
 * a block has many tiles, and uses its stages again.
 */
#include "apps/segmented/segmented_few.cuh"
#include "scan/single_pass/few_kernel.cuh"
#include "scan/single_pass/single_pass_kernels.cuh"
#include "tests/emulated/device_memory.h"

enum form { PLAIN, BY_FLAGS, BY_OFFSETS, BY_WIDE_OFFSETS, REDUCED_BY_FLAGS };
static const char *const forms[] = {"scan", "by flags", "by u32 offsets", "by u64 offsets",
                                    "reduced by flags"};

enum pattern { ONE, EACH, SHORT, EMPTY };
static const char *const patterns[] = {"one", "each its own", "short", "many empty"};

/* Of init 7, if it is exclusive; else there is no init. */
struct pass_test {
    form of;
    pattern segments;
    bool reverse, exclusive;
    unsigned blocks, stages;
    size_t n;
    unsigned shift; /* of the arrays, in elements past an aligned address */
    /* A length in device memory, of which n is done: what the launch knows, or 0; and what it is. */
    size_t most = 0;
    uint64_t length = 0;
};

static void fail(const pass_test &t, const char *what, size_t place)
{
    char words[200];
    snprintf(words, sizeof words,
             "%s, segments: %s%s%s, %u blocks, n %zu in %zu, shift %u: %s at %zu", forms[t.of],
             patterns[t.segments], t.reverse ? ", reverse" : "", t.exclusive ? ", exclusive" : "",
             t.blocks, t.n, t.most, t.shift, what, place);
    emulator::fail(words);
}

/* One for all launches of a shape. */
static chain_memory chain;

/* The offsets of the segments; there are fewer than 2^32. */
static std::vector<uint64_t> offsets_of(const pass_test &t)
{
    const unsigned LENGTHS = 7, CROWD = 20000;
    std::vector<uint64_t> offsets{0};
    switch (t.segments) {
    case ONE:
        break;
    case EACH:
        for (size_t i = 1; i < t.n; i++)
            offsets.push_back(i);
        break;
    case SHORT:
        for (size_t i = 0; (i += emulator::running.random() % LENGTHS) < t.n;)
            offsets.push_back(i);
        break;
    case EMPTY:
        offsets.insert(offsets.end(), CROWD, t.n / 3);
        for (size_t i = t.n / 3 + 1; i < t.n; i++)
            offsets.push_back(i);
        offsets.insert(offsets.end(), CROWD, t.n - 1);
        break;
    }
    offsets.push_back(t.n);
    return offsets;
}

/* Whether element i starts a segment; element n does. */
static std::vector<uint8_t> flags_of(const pass_test &t, const std::vector<uint64_t> &offsets)
{
    std::vector<uint8_t> flags(t.n + 1, 0);
    for (const uint64_t offset : offsets)
        flags[t.of == PLAIN ? 0 : offset] = 1;
    flags[t.n] = 1;
    return flags;
}

template <typename S>
static std::vector<typename S::T> expected(const pass_test &t, const typename S::T *in,
                                           typename S::T start, const std::vector<uint8_t> &flags)
{
    typedef typename S::T T;
    std::vector<T> out;
    T sum = start;
    for (size_t k = 0; k < t.n; k++) {
        const size_t i = t.reverse ? t.n - 1 - k : k;
        if (flags[t.reverse ? i + 1 : i])
            sum = start;
        const T before = sum;
        sum = (T)(sum + in[i]);
        if (t.of != REDUCED_BY_FLAGS)
            out.push_back(t.exclusive ? before : sum);
        else if (flags[i + 1])
            out.push_back(sum);
    }
    if (t.reverse)
        std::reverse(out.begin(), out.end());
    return out;
}

/* A shape of one vector is that of the form for few, whose blocks have one tile each. */
template <typename S>
static constexpr bool is_few = !S::WARP_SPECIALISED && S::VECTORS == 1;

/* The kernel of the form that no architecture of the emulator has is empty, so its steps are run
   here. */
template <typename S, bool REVERSE>
static void run_plain(const single_pass_params<S> &given)
{
    typedef parscan_operator_SUM sum;
    if constexpr (S::WARP_SPECIALISED) {
        single_pass_scan<S, REVERSE, sum>(given);
    } else if constexpr (is_few<S>) {
        scan_few<S, REVERSE, sum>(given);
    } else {
        const single_pass_params<S> params = at_its_length(given);
        auto &shared = own_variable<single_pass_shared<S>>(__FILE__, __LINE__);
        run_unspecialised(
            single_pass_steps<S, REVERSE, sum>{{params, own_block().shared}, params, shared});
    }
}

template <typename S, bool REVERSE, bool REDUCES>
static void run_segmented(const segmented_pass_params<S> &given)
{
    typedef parscan_operator_SUM sum;
    if constexpr (S::WARP_SPECIALISED) {
        segmented_pass<S, REVERSE, REDUCES, sum, true>(given);
    } else if constexpr (is_few<S> && REDUCES) {
        reduce_few_segments<S, sum>(given);
    } else if constexpr (is_few<S>) {
        scan_few_segments<S, REVERSE, sum>(given);
    } else {
        segmented_pass_params<S> params = segments_at_their_lengths(given);
        read_init(params);
        auto &shared = own_variable<segmented_shared<S>>(__FILE__, __LINE__);
        run_unspecialised(segmented_steps<S, REVERSE, REDUCES, sum>{
            {params.plain, own_block().shared}, params, shared});
    }
}

template <typename S>
static void run(const pass_test &t, bool in_order, const segmented_pass_params<S> &params)
{
    const unsigned bytes = t.of == PLAIN ? S::SHARED_BYTES : params.stages * params.stage_bytes;
    const auto kernel = [&] {
        if (t.of == PLAIN)
            return t.reverse ? run_plain<S, true>(params.plain) : run_plain<S, false>(params.plain);
        if (t.of == REDUCED_BY_FLAGS)
            return run_segmented<S, false, true>(params);
        return t.reverse ? run_segmented<S, true, false>(params)
                         : run_segmented<S, false, false>(params);
    };
    emulator::launch((unsigned)std::min<size_t>(t.blocks, params.plain.tiles), S::THREADS, bytes,
                     in_order, kernel);
}

/* A launch, and what it reads and writes. */
template <typename S>
struct pass_arrays {
    typedef typename S::T T;
    guarded_array<T> in, out;
    std::vector<uint64_t> offsets;
    std::vector<uint32_t> narrow;
    guarded_array<uint8_t> flags;
    uint64_t deferred[2] = {0, 0}, count = ~0ull, length, segments;
    const T init = 7;
    segmented_pass_params<S> params = {};

    pass_arrays(const pass_test &t, const std::vector<uint64_t> &given)
        : in(t.n, t.shift), out(t.n, t.of == REDUCED_BY_FLAGS ? 0 : t.shift / 2), offsets(given),
          narrow(given.begin(), given.end()), flags(t.n, t.shift), length(t.length),
          segments(given.size() - 1)
    {
        const bool reduces = t.of == REDUCED_BY_FLAGS;
        for (size_t i = 0; i < t.n; i++)
            in.data[i] = (T)emulator::running.random();
        single_pass_params<S> &plain = params.plain;
        plain.in = in.data;
        plain.out = out.data;
        plain.head_padding =
            (unsigned)((uintptr_t)(reduces ? in.data : out.data) % 128 / sizeof(T));
        plain.misalignment =
            (unsigned)(((uintptr_t)in.data - plain.head_padding * sizeof(T)) % 128);
        plain.set_length(t.most != 0 ? t.most : t.n);
        plain.exclusive = t.exclusive;
        plain.keeps = !t.exclusive;
        plain.start = plain.first = params.open = t.exclusive ? 7 : 0;
        if (t.exclusive && (t.of == PLAIN || sizeof(T) <= 4)) { /* from device memory */
            plain.start = plain.first = params.open = 99;
            plain.init_at = &init;
        }
        plain.chain = chain.before_launch();
        plain.length = device_length{t.of == PLAIN && t.most != 0 ? &length : NULL, {deferred}};
        if (plain.tiles * SEGMENT_WORDS(sizeof(T)) > chain_memory::WORDS)
            fail(t, "no room for status words", plain.tiles);
        if (t.of != PLAIN)
            set_marks(t);
    }

  private:
    void set_flags(const pass_test &t, mark_params &marks)
    {
        const std::vector<uint8_t> heads = flags_of(t, offsets);
        std::copy(heads.begin(), heads.begin() + (ptrdiff_t)t.n, flags.data);
        if (t.n > 0)
            flags.data[0] = 0; /* element 0 starts a segment whatever its flag says */
        marks.marks = (const char *)flags.data;
        marks.misalignment = (unsigned)(((uintptr_t)flags.data - params.plain.head_padding) % 128);
    }

    void set_offsets(const pass_test &t, mark_params &marks)
    {
        marks.own = (unsigned)((params.plain.tiles - 1) / t.blocks + 1);
        if (marks.own > t.stages)
            fail(t, "no stage for each tile", marks.own);
        marks.offsets.wide = t.of == BY_WIDE_OFFSETS;
        marks.offsets.data =
            marks.offsets.wide ? (const void *)offsets.data() : (const void *)narrow.data();
        marks.offsets.count = offsets.size() - 1;
        if (t.most != 0) {
            marks.offsets.count += segments / 2 + 1;
            marks.offsets.count_at = &segments;
        }
    }

    void set_marks(const pass_test &t)
    {
        params.marks.mark = SEGMENT_FLAGS;
        params.marks.bytes = 1;
        if (t.of == BY_OFFSETS || t.of == BY_WIDE_OFFSETS)
            set_offsets(t, params.marks);
        else
            set_flags(t, params.marks);
        params.marks.offsets.n = params.plain.n;
        params.marks.offsets.n_at = t.most != 0 ? &length : NULL;
        params.marks.offsets.deferred = {deferred};
        const segmented_layout<S> layout(params.marks.bytes);
        params.stages = t.stages;
        params.count = t.of == REDUCED_BY_FLAGS ? &count : NULL;
        params.capacity = UINT64_MAX;
        params.marks_at = layout.marks_at;
        params.heads_at = layout.heads_at;
        params.stage_bytes = layout.bytes;
    }
};

/* A reduction that writes the first elements of its segments as keys, or its flags, which are the marks; of
   `room` segments. */
template <typename S, typename K>
static void test_keys(const pass_test &t, bool in_order, size_t room)
{
    const std::vector<uint64_t> offsets = offsets_of(t);
    const std::vector<uint8_t> heads = flags_of(t, offsets);
    const bool marks = sizeof(K) == 1;
    pass_arrays<S> arrays(t, offsets);
    std::vector<K> keys;
    for (size_t i = 0; i < t.n && keys.size() < room; i++)
        if (heads[i] || i == 0)
            keys.push_back(marks ? (K)arrays.flags.data[i] : (K)arrays.in.data[i]);
    guarded_array<K> out(keys.size(), 1);
    arrays.params.keys_out = out.data;
    arrays.params.keys = marks ? NULL : (const char *)arrays.in.data;
    arrays.params.key_bytes = sizeof(K);
    arrays.params.capacity = room;
    run(t, in_order, arrays.params);
    const uint64_t none[2] = {0, 0};
    expect_right(out, keys, none, [&](const char *what, size_t place) { fail(t, what, place); });
}

template <typename S>
static void test(const pass_test &t, bool in_order)
{
    const std::vector<uint64_t> offsets = offsets_of(t);
    pass_arrays<S> arrays(t, offsets);
    run(t, in_order, arrays.params);
    const std::vector<typename S::T> out =
        expected<S>(t, arrays.in.data, t.exclusive ? arrays.init : 0, flags_of(t, offsets));
    expect_right(arrays.out, out, arrays.deferred,
                 [&](const char *what, size_t place) { fail(t, what, place); });
    if (t.of == REDUCED_BY_FLAGS && arrays.count != out.size())
        fail(t, "wrong number of segments", (size_t)arrays.count);
}

/* The length is in device memory. */
template <typename S>
static void test_length(pass_test t, bool in_order, uint64_t length)
{
    const bool is_above = length > t.n;
    t.most = t.n;
    t.length = length;
    t.n = std::min<uint64_t>(length, t.most);
    const std::vector<uint64_t> offsets = offsets_of(t);
    pass_arrays<S> arrays(t, offsets);
    run(t, in_order, arrays.params);
    if (is_above && (arrays.deferred[0] != PARSCAN_ERROR_CAPACITY ||
                     arrays.deferred[1] != (PARSCAN_IS_LENGTH | length)))
        fail(t, "no error of a length above", (size_t)arrays.deferred[1]);
    if (is_above)
        arrays.deferred[0] = 0;
    const std::vector<typename S::T> out =
        expected<S>(t, arrays.in.data, t.exclusive ? arrays.init : 0, flags_of(t, offsets));
    expect_right(arrays.out, out, arrays.deferred,
                 [&](const char *what, size_t place) { fail(t, what, place); });
    if (t.of == REDUCED_BY_FLAGS && arrays.count != out.size())
        fail(t, "wrong number of segments", (size_t)arrays.count);
}

/* More segments than there is room for: those beyond it are not written. */
template <typename S>
static void test_room(const pass_test &t, bool in_order, size_t room)
{
    const std::vector<uint64_t> offsets = offsets_of(t);
    pass_arrays<S> arrays(t, offsets);
    std::vector<typename S::T> out =
        expected<S>(t, arrays.in.data, t.exclusive ? arrays.init : 0, flags_of(t, offsets));
    const size_t count = out.size();
    for (size_t i = room; i < t.n; i++)
        arrays.out.data[i] = 99;
    arrays.params.capacity = room;
    arrays.params.marks.offsets.deferred.of_lengths = 1;
    run(t, in_order, arrays.params);
    if (arrays.count != count || arrays.deferred[0] != PARSCAN_ERROR_CAPACITY ||
        arrays.deferred[1] != (PARSCAN_IS_COUNT | count))
        fail(t, "wrong number of segments", (size_t)arrays.count);
    out.resize(room);
    out.resize(t.n, 99);
    arrays.deferred[0] = 0;
    expect_right(arrays.out, out, arrays.deferred,
                 [&](const char *what, size_t place) { fail(t, what, place); });
}

/* A chunk: its last segment stays open, and its first one, if it `goes_on`, has a sum already. */
template <typename S>
static void test_chunk(const pass_test &t, bool in_order, bool goes_on)
{
    typedef typename S::T T;
    const T NONE = 99, OPEN = 57;
    const std::vector<uint64_t> offsets = offsets_of(t);
    const std::vector<uint8_t> heads = flags_of(t, offsets);
    pass_arrays<S> arrays(t, offsets);
    std::vector<T> out = expected<S>(t, arrays.in.data, 0, heads), keys;
    for (size_t i = 0; i < t.n; i++)
        if (heads[i])
            keys.push_back(i == 0 && goes_on ? NONE : arrays.in.data[i]);
    if (goes_on)
        out[0] = (T)(out[0] + OPEN);
    const size_t count = out.size();
    const T open = out.back();
    out.back() = NONE;
    out.resize(t.n, NONE);
    guarded_array<T> keys_out(keys.size(), 1);
    std::fill(keys_out.data, keys_out.data + keys.size(), NONE);
    std::fill(arrays.out.data, arrays.out.data + t.n, NONE);
    T through = NONE;
    arrays.params.continues = goes_on;
    if (goes_on)
        arrays.params.open = OPEN;
    arrays.params.through = &through;
    arrays.params.keys_out = keys_out.data;
    arrays.params.keys = (const char *)arrays.in.data;
    arrays.params.key_bytes = sizeof(T);
    run(t, in_order, arrays.params);
    const auto failed = [&](const char *what, size_t place) { fail(t, what, place); };
    expect_right(arrays.out, out, arrays.deferred, failed);
    expect_right(keys_out, keys, arrays.deferred, failed);
    if (arrays.count != count || through != open)
        fail(t, "wrong number of segments, or sum of the open one", (size_t)arrays.count);
}

/* An offset that is wrong is found, and nothing beside the output is written. */
template <typename S>
static void test_wrong(const pass_test &t, bool in_order, size_t number, uint64_t offset)
{
    std::vector<uint64_t> offsets = offsets_of(t);
    const size_t at = std::min(number, offsets.size() - 1);
    offsets[at] = offset;
    pass_arrays<S> arrays(t, offsets);
    run(t, in_order, arrays.params);
    expect_told(arrays.out, arrays.deferred, at,
                [&](const char *what, size_t place) { fail(t, what, place); });
}

template <typename S>
static void test_shape(bool in_order)
{
    const size_t TILE = S::TILE;
    chain = chain_memory();
    const unsigned STAGES = S::WARP_SPECIALISED ? 2 : 1, OWN = S::WARP_SPECIALISED ? 4 : 1;
    test<S>({PLAIN, ONE, false, false, 2, STAGES, 11 * TILE - 5, 0}, in_order);
    test<S>({PLAIN, ONE, true, true, 2, STAGES, 10 * TILE + 3, 5}, in_order);
    test<S>({BY_FLAGS, SHORT, false, true, 2, STAGES, 9 * TILE, 0}, in_order);
    test<S>({BY_FLAGS, EACH, true, false, 3, STAGES, 7 * TILE - 1, 3}, in_order);
    test<S>({REDUCED_BY_FLAGS, SHORT, false, false, 2, STAGES, 8 * TILE + 9, 7}, in_order);
    test<S>({REDUCED_BY_FLAGS, ONE, false, false, 2, STAGES, 11 * TILE, 0}, in_order);
    for (const pattern segments : {ONE, EACH, SHORT})
        for (const size_t n : {(size_t)1, TILE - 3, 4 * TILE, 5 * TILE + 9}) {
            const pass_test keys = {REDUCED_BY_FLAGS, segments, false, false, 2, STAGES, n, 3};
            test_keys<S, typename S::T>(keys, in_order, SIZE_MAX);
            test_keys<S, uint8_t>(keys, in_order, n / 3 + 1);
            test_chunk<S>(keys, in_order, false);
            test_chunk<S>(keys, in_order, true);
        }
    test<S>({BY_OFFSETS, SHORT, true, false, 2, OWN, 2 * OWN * TILE - 10, 5}, in_order);
    test<S>({BY_OFFSETS, EMPTY, false, true, 2, OWN, 2 * OWN * TILE, 0}, in_order);
    test<S>({BY_WIDE_OFFSETS, EACH, false, false, 3, OWN, 3 * OWN * TILE - TILE - 1, 1}, in_order);
    test<S>({BY_WIDE_OFFSETS, ONE, true, true, 4, OWN, TILE / 2, 2}, in_order);
    test<S>({BY_WIDE_OFFSETS, EMPTY, true, false, 4, OWN, 4 * TILE - 17, 3}, in_order);
    const pass_test few = {BY_OFFSETS, SHORT, false, false, 2, OWN, 2 * OWN * TILE - 1, 0};
    test_wrong<S>(few, in_order, 0, 3);
    test_wrong<S>(few, in_order, TILE / 5, 0);
    test_wrong<S>(few, in_order, TILE / 4, 0xfffffff0u);
    test_wrong<S>(few, in_order, SIZE_MAX, few.n - 1);
    const size_t lengths[] = {0, 1, TILE - 1, TILE, TILE + 1, 3 * TILE + 7, few.n, 5 * few.n};
    for (const form of : {PLAIN, BY_FLAGS, BY_OFFSETS, BY_WIDE_OFFSETS, REDUCED_BY_FLAGS})
        for (const size_t length : lengths) {
            const bool by_offsets = of == BY_OFFSETS || of == BY_WIDE_OFFSETS;
            const bool reverse = in_order && of != REDUCED_BY_FLAGS;
            test_length<S>({of, SHORT, reverse, !in_order, 2, by_offsets ? OWN : STAGES, few.n, 3},
                           in_order, length);
        }
    test_room<S>({REDUCED_BY_FLAGS, SHORT, false, false, 2, STAGES, 3 * TILE + 9, 7}, in_order,
                 TILE / 3);
    test_room<S>({REDUCED_BY_FLAGS, ONE, false, false, 2, STAGES, TILE, 7}, in_order, 0);
    if (chain.wrapped != 1)
        emulator::fail("the last epoch was not that of one launch");
}

/* The form for few: a thread has one vector. */
template <typename S>
static void test_few(bool in_order)
{
    const size_t TILE = S::TILE;
    const unsigned MOST = 12;
    chain = chain_memory();
    for (const size_t n : {(size_t)1, TILE / 2, TILE, TILE + 1, 3 * TILE - 1, 10 * TILE + 3})
        for (unsigned way = 0; way < 4; way++)
            for (const unsigned shift : {0, 5, 8})
                test<S>({PLAIN, ONE, way % 2 != 0, way / 2 != 0, MOST, 1, n, shift}, in_order);
    for (const pattern segments : {ONE, EACH, SHORT})
        for (const size_t n : {(size_t)1, TILE, 2 * TILE + 1, 9 * TILE - 3})
            for (unsigned way = 0; way < 4; way++)
                test<S>({BY_FLAGS, segments, way % 2 != 0, way / 2 != 0, MOST, 1, n, 3 * way},
                        in_order);
    for (const pattern segments : {ONE, EACH, SHORT})
        for (const size_t n : {(size_t)1, TILE - 3, 4 * TILE, 5 * TILE + 9}) {
            const pass_test sums = {REDUCED_BY_FLAGS, segments, false, false, MOST, 1, n, 3};
            test<S>(sums, in_order);
            test_keys<S, typename S::T>(sums, in_order, SIZE_MAX);
            test_keys<S, uint8_t>(sums, in_order, n / 3 + 1);
        }
    test_room<S>({REDUCED_BY_FLAGS, SHORT, false, false, MOST, 1, 3 * TILE + 9, 7}, in_order,
                 TILE / 3);
    test_room<S>({REDUCED_BY_FLAGS, ONE, false, false, MOST, 1, TILE, 7}, in_order, 0);
    for (const form of : {PLAIN, BY_FLAGS, REDUCED_BY_FLAGS})
        for (const size_t length : {(size_t)0, (size_t)1, TILE, 3 * TILE + 7, 8 * TILE, 20 * TILE})
            test_length<S>(
                {of, SHORT, in_order && of != REDUCED_BY_FLAGS, !in_order, MOST, 1, 8 * TILE, 3},
                in_order, length);
    if (chain.wrapped == 0)
        emulator::fail("no launch had the last epoch");
}

/* Stages so large that one tile is loaded at a time. */
static void test_one_load(bool in_order)
{
    typedef single_pass_shape<uint64_t, uint64_t, 6, 2, 8, 4> shape;
    static_assert(shape::STAGE_BYTES >= ONE_LOAD);
    test<shape>({REDUCED_BY_FLAGS, SHORT, false, false, 2, 2, 7 * shape::TILE + 5, 1}, in_order);
}

int main()
{
    for (int in_order = 0; in_order < 2; in_order++) {
        test_one_load(in_order != 0);
        test_few<single_pass_shape<uint32_t, uint32_t, 2, 0, 1, 1>>(in_order != 0);
        test_few<single_pass_shape<uint64_t, uint64_t, 4, 0, 1, 1>>(in_order != 0);
        test_few<single_pass_shape<uint8_t, uint8_t, 2, 0, 1, 1>>(in_order != 0);
        test_few<single_pass_shape<uint8_t, uint8_t, 4, 0, 1, 1, uint8_t, 4>>(in_order != 0);
        test_few<single_pass_shape<uint16_t, uint16_t, 2, 0, 1, 1, uint16_t, 4>>(in_order != 0);
        test_shape<single_pass_shape<uint32_t, uint32_t, 2, 2, 1, 4>>(in_order != 0);
        test_shape<single_pass_shape<uint32_t, uint32_t, 3, 1, 8, 4>>(in_order != 0);
        test_shape<single_pass_shape<uint64_t, uint64_t, 2, 3, 2, 4>>(in_order != 0);
        test_shape<single_pass_shape<uint8_t, uint8_t, 2, 2, 1, 4>>(in_order != 0);
        test_shape<single_pass_shape<uint32_t, uint32_t, 4, 0, 2, 1>>(in_order != 0);
    }
    return 0;
}
