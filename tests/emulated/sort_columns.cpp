/*
 * The kernels of a sort by columns (apps/sort/sort_columns_kernels.cuh) in the emulator: columns of several
 * types and strings of any alignment, many rounds, both widths of indices, lengths in device memory, keys that
 * take the last bits first. The sorts between them are std::stable_sort().
 */
#include "apps/sort/sort_columns_kernels.cuh"

#include "tests/emulated/device_memory.h"

struct columns_test {
    size_t n;
    unsigned listers, blocks;
    bool narrow; /* the first keys */
    unsigned kind;
    size_t room = 0;     /* not 0: the most that n can be, which is in device memory */
    uint64_t beyond = 0; /* so much is the length there above the room */
    unsigned sampled_equal = 0;
    bool last_first = false; /* keys are expected to take the last bits first */
};

struct test_column {
    sorted_column sorted;
    bool descending;
    std::vector<char> data;
};

static test_column make_column(size_t n, uint32_t key, size_t size, unsigned values, size_t shift)
{
    test_column c = {};
    c.descending = emulator::running.random() % 2 != 0;
    c.data.resize(n * size + shift + 1);
    for (size_t i = 0; i < n; i++)
        for (size_t b = 0; b < size; b++)
            c.data[shift + i * size + b] = (char)(b + 2 < size && key == KEY_CLASSES
                                                      ? 'x'
                                                      : emulator::running.random() % values * 37);
    c.sorted.data = c.data.data() + shift;
    c.sorted.size = (uint32_t)size;
    c.sorted.key = key;
    c.sorted.flip = c.descending ? ~0ull : 0;
    return c;
}

/* Words of which most are 0, so that most rows have an equal one. */
static test_column make_rare(size_t n)
{
    test_column c = make_column(n, KEY_U64, 8, 256, 0);
    for (size_t i = 0; i < n; i++)
        if (emulator::running.random() % 8 != 0)
            memset(c.data.data() + 8 * i, 0, 8);
    return c;
}

template <typename T>
static int compared(T a, T b)
{
    return a < b ? -1 : b < a;
}

template <typename T>
static int compare_at(const char *data, size_t a, size_t b)
{
    T x, y;
    memcpy(&x, data + a * sizeof x, sizeof x);
    memcpy(&y, data + b * sizeof y, sizeof y);
    if constexpr (std::is_floating_point<T>::value) {
        if (std::isnan(x) || std::isnan(y))
            return (int)std::isnan(x) - (int)std::isnan(y);
        if (x == y)
            return (int)std::signbit(y) - (int)std::signbit(x);
    }
    return compared(x, y);
}

static int compare_in(const test_column &c, size_t a, size_t b)
{
    const char *const data = c.sorted.data;
    const size_t size = c.sorted.size;
    switch (c.sorted.key) {
    case KEY_U8:
        return compare_at<uint8_t>(data, a, b);
    case KEY_U32:
        return compare_at<uint32_t>(data, a, b);
    case KEY_U64:
        return compare_at<uint64_t>(data, a, b);
    case KEY_F32:
        return compare_at<float>(data, a, b);
    default:
        return memcmp(data + a * size, data + b * size, size);
    }
}

static std::vector<test_column> columns_of(const columns_test &t, size_t n)
{
    std::vector<test_column> columns;
    if (t.kind == 1) { /* one word of few values decides little */
        columns.push_back(make_column(n, KEY_U8, 1, 2, 0));
        columns.push_back(make_column(n, KEY_F32, 4, 256, 0));
        columns.push_back(make_column(n, KEY_U32, 4, 2, 0));
    } else if (t.kind == 2) {
        for (size_t k = 0; k < 6; k++)
            columns.push_back(make_column(n, KEY_CLASSES, 11 + 7 * k, 2, k % 3));
    } else if (t.kind == 4) {
        for (size_t k = 0; k < 5; k++)
            columns.push_back(make_rare(n));
        columns.push_back(make_column(n, KEY_U8, 1, 256, 0));
    } else {
        columns.push_back(make_column(n, KEY_CLASSES, 8, 3, 0));
        columns.push_back(make_column(n, KEY_U64, 8, 3, 0));
        columns.push_back(make_column(n, KEY_U64, 8, t.kind == 3 ? 1 : 256, 0));
        columns.push_back(make_column(n, KEY_CLASSES, 12, 2, 4));
    }
    return columns;
}

template <typename KEY, typename INDEX>
static void sort_pairs(KEY *keys, INDEX *rows, size_t n)
{
    std::vector<std::pair<KEY, INDEX>> pairs(n);
    for (size_t i = 0; i < n; i++)
        pairs[i] = {keys[i], rows[i]};
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const auto &a, const auto &b) { return a.first < b.first; });
    for (size_t i = 0; i < n; i++) {
        keys[i] = pairs[i].first;
        rows[i] = pairs[i].second;
    }
}

/* Launches kernels, one after another. */
struct launcher {
    const columns_test &t;
    const columns_at_length &params;
    bool in_order;

    void operator()(void (*kernel)(columns_at_length), unsigned blocks, unsigned threads) const
    {
        emulator::launch(blocks, threads, 0, in_order, [&] { kernel(params); });
    }
};

template <typename KEY, typename INDEX>
static void list(const launcher &run, unsigned blocks)
{
    run(count_ties<KEY>, blocks, COLUMN_THREADS);
    run(begin_round, 1, ROUND_THREADS);
    run(list_ties<KEY, INDEX>, blocks, COLUMN_THREADS);
}

template <typename KEY, typename INDEX>
static unsigned sort_rows(const columns_test &t, columns_at_length &params, bool in_order)
{
    const launcher run = {t, params, in_order};
    const size_t most = params.n;
    const unsigned listing = (t.listers + COLUMN_THREADS / 32 - 1) / (COLUMN_THREADS / 32);
    std::vector<uint64_t> keys[2] = {std::vector<uint64_t>(most + 1),
                                     std::vector<uint64_t>(most + 1)};
    std::vector<INDEX> places[2] = {std::vector<INDEX>(most + 1), std::vector<INDEX>(most + 1)};
    std::vector<INDEX> rows(most + 1);
    columns_state &state = *params.state;
    params.keys = keys[0].data();
    params.room = 8 * sizeof(KEY);
    run(find_varying, t.blocks, COLUMN_THREADS);
    run(begin_rounds, 1, COLUMN_SAMPLE);
    run(make_keys<KEY>, t.blocks, COLUMN_THREADS);
    INDEX *const order = (INDEX *)params.order;
    std::iota(order, order + state.n, (INDEX)0);
    sort_pairs((KEY *)params.keys, order, state.n);
    params.sorted = params.keys;
    params.marked = NULL;
    run(mark_heads<KEY, INDEX>, t.blocks, COLUMN_THREADS);
    unsigned round = 1;
    for (; state.n > 0 && round < 100; round++) {
        params.sorted = keys[(round + 1) % 2].data();
        params.keys = keys[round % 2].data();
        params.places_in = round == 1 ? NULL : places[round % 2].data();
        params.places_out = places[(round + 1) % 2].data();
        params.rows = rows.data();
        params.room = 64;
        if (round == 1)
            list<KEY, INDEX>(run, listing);
        else
            list<uint64_t, INDEX>(run, listing);
        sort_pairs((uint64_t *)params.keys, rows.data(), state.n);
        run(return_rows<INDEX>, t.blocks, COLUMN_THREADS);
        params.sorted = params.keys;
        params.marked = params.places_out;
        run(mark_heads<uint64_t, INDEX>, t.blocks, COLUMN_THREADS);
    }
    return round;
}

template <typename INDEX>
static void test(const columns_test &t, bool in_order)
{
    const size_t most = t.room != 0 ? t.room : t.n;
    const std::vector<test_column> columns = columns_of(t, most);
    std::vector<columns_state> state(1);
    guarded_array<INDEX> order(most, 1);
    guarded_array<uint8_t> heads(most, 3);
    uint64_t told[2] = {};
    const uint64_t length = t.n + t.beyond;
    columns_at_length params = {};
    params.state = state.data();
    params.n = most;
    params.wide = sizeof(INDEX) == 8;
    params.order = order.data;
    params.heads = heads.data;
    params.listers = t.listers;
    params.sampled_equal = t.sampled_equal;
    params.count = (unsigned)columns.size();
    for (size_t k = 0; k < columns.size(); k++)
        params.columns[k] = columns[k].sorted;
    if (t.room != 0)
        params.length = {&length, {told, 3}};
    const unsigned rounds = t.narrow ? sort_rows<uint32_t, INDEX>(t, params, in_order)
                                     : sort_rows<uint64_t, INDEX>(t, params, in_order);
    std::vector<INDEX> expected(t.n);
    std::iota(expected.begin(), expected.end(), (INDEX)0);
    const auto is_before = [&](INDEX a, INDEX b) {
        int found = 0;
        for (size_t k = 0; k < columns.size() && found == 0; k++)
            found = compare_in(columns[k], a, b) * (columns[k].descending ? -1 : 1);
        return found < 0;
    };
    std::stable_sort(expected.begin(), expected.end(), is_before);
    std::vector<uint8_t> expected_heads(t.n);
    for (size_t i = 0; i < t.n; i++)
        expected_heads[i] = i == 0 || is_before(expected[i - 1], expected[i]);
    const auto fail = [&](const char *what, size_t i) {
        char words[200];
        snprintf(words, sizeof words, "%zu rows, kind %u, %u listers, %u rounds: %s, %zu", t.n,
                 t.kind, t.listers, rounds, what, i);
        emulator::fail(words);
    };
    const uint64_t none[2] = {};
    expect_right(order, expected, none, fail);
    if (!t.last_first) /* then heads are not told */
        expect_right(heads, expected_heads, none, fail);
    if (told[0] != (t.beyond != 0 ? 3ull << 32 | PARSCAN_ERROR_CAPACITY : 0))
        fail("another error of the length", (size_t)told[0]);
    if (state[0].last_first != t.last_first)
        fail("another way", state[0].last_first);
    if (rounds == 100)
        fail("rounds without an end", 0);
}

int main()
{
    static const size_t lengths[] = {1, 2, 31, 33, 64, 300};
    for (int in_order = 0; in_order < 2; in_order++) {
        for (size_t k = 0; k < 24; k++) {
            const columns_test t = {lengths[k / 4], 1 + (unsigned)k % 7, 1 + (unsigned)k % 2,
                                    (k + in_order) % 2 == 0, (unsigned)k % 4};
            if (k % 3 == 0)
                test<uint64_t>(t, in_order != 0);
            else
                test<uint32_t>(t, in_order != 0);
        }
        for (size_t n : {(size_t)0, (size_t)1, (size_t)40, (size_t)70})
            test<uint32_t>({n, 9, 1, true, 2, 70, n == 70 ? 5u : 0u}, in_order != 0);
        test<uint32_t>({100, 2000, 1, false, 2}, in_order != 0); /* several counts a thread */
        for (unsigned kind = 3; kind <= 4; kind++) {
            const bool rare = kind == 4;
            test<uint32_t>({700, 5, 1, true, kind, 0, 0, 128, rare}, in_order != 0);
            test<uint64_t>({512, 5, 1, true, kind, 600, 0, 128, rare}, in_order != 0);
            test<uint32_t>({511, 5, 1, true, kind, 600, 0, 128, false},
                           in_order != 0); /* too few */
        }
    }
    return 0;
}
