/* Sorts. Keys are functions of their positions, so a check needs no random access: it computes again which key
   an index or a value stands for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"

enum { FEW_VALUES = 16, SEGMENT_MEAN = 1000 };

#ifdef BENCH_HAVE_STD
#define IF_STD(function) function
#else /* no C++ compiler */
#define IF_STD(function) NULL
#endif

/* The bits of key i; row->input tells the distribution. */
static uint64_t key_at(const row_data *d, size_t i)
{
    const uint64_t random = random_at(d->seed, i);
    switch (d->row->input[0]) {
    case 'z': /* zipf: a key with a probability of about 1 / key */
        return (uint64_t)exp((double)(random >> 11) * 0x1p-53 * log((double)d->n));
    case 'f': { /* few */
        uint64_t value = random % FEW_VALUES;
        return bench_random(&value);
    }
    case 's': /* sorted */
        return i;
    case 'n': /* nearly sorted: one in 100 anywhere */
        return random % 100 == 0 ? bench_random(&(uint64_t){random}) % d->n : i;
    case 'r': /* reversed */
        return d->n - i;
    default:
        return random;
    }
}

static uint64_t mixed(uint64_t key)
{
    return bench_random(&key);
}

#define KEY_BITS(T, bits) ((T)(bits))
#define KEY_SIGNED(T, bits) ((T)(int32_t)(bits))

/* Keys of one type. A result is in order, and has the sum of a hash of the input's keys. d->sum: input less
   output. */
#define KEY_FUNCTIONS(name, TYPE, T, key_of)                           \
    ROW_FILL(fill_##name, ((T *)d->in)[i] = key_of(T, key_at(d, i)))   \
    static uint64_t hash_##name(T key)                                 \
    {                                                                  \
        uint64_t bits = 0;                                             \
        memcpy(&bits, &key, sizeof key);                               \
        return mixed(bits);                                            \
    }                                                                  \
    static void check_block_##name(void *context, size_t block)        \
    {                                                                  \
        row_data *const d = context;                                   \
        const T *const in = d->in, *const out = d->out;                \
        uint64_t sum = 0;                                              \
        EACH_OF_BLOCK(i, block, d->n) {                                \
            expect(d, i == 0 || out[i - 1] <= out[i]);                 \
            sum += hash_##name(in[i]) - hash_##name(out[i]);           \
        }                                                              \
        atomic_fetch_add(&d->sum, sum);                                \
    }                                                                  \
    static bool check_##name(row_data *d)                              \
    {                                                                  \
        atomic_store(&d->sum, 0);                                      \
        return none_wrong(d, d->n, check_block_##name) && d->sum == 0; \
    }                                                                  \
    ROW_CALL(sort_##name, parscan_sort_keys(engine, PARSCAN_##TYPE, d->in, d->out, d->n, NULL))

KEY_FUNCTIONS(u8, U8, uint8_t, KEY_BITS)
KEY_FUNCTIONS(u16, U16, uint16_t, KEY_BITS)
KEY_FUNCTIONS(u32, U32, uint32_t, KEY_BITS)
KEY_FUNCTIONS(u64, U64, uint64_t, KEY_BITS)
KEY_FUNCTIONS(f32, F32, float, KEY_SIGNED)
KEY_FUNCTIONS(f64, F64, double, KEY_SIGNED)

static void fill_pairs(row_data *d)
{
    fill_u32(d);
    fill_indices(d);
}

static void fill_segments(row_data *d)
{
    /* The keys' low bits would tell where segments start: another seed. */
    d->seed++;
    fill_u32(d);
    d->seed--;
    fill_flags(d);
}

ROW_CALL(sort_pairs, parscan_sort_pairs(engine, PARSCAN_U32, d->in, d->out, sizeof(uint32_t),
                                        d->more_in, d->more_out, d->n, NULL))
ROW_CALL(argsort, parscan_argsort(engine, PARSCAN_U32, d->in, PARSCAN_U32, d->more_out, d->n, NULL))
ROW_CALL(sort_segments,
         parscan_sort_segments(engine, PARSCAN_U32, d->in, d->out, 0, NULL, NULL, d->n,
                               &PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_FLAGS,
                                                 .data = d->more_in),
                               NULL))

/* Key and index ascend, so that no index occurs twice, and each is below n: all occur. */
static void check_indices_block(void *context, size_t block)
{
    row_data *const d = context;
    const uint32_t *const indices = d->more_out;
    EACH_OF_BLOCK(i, block, d->n) {
        const uint32_t index = indices[i], before = i > 0 ? indices[i - 1] : 0;
        if (index >= d->n || before >= d->n) {
            expect(d, false);
            continue;
        }
        const uint32_t key = (uint32_t)key_at(d, index), key_before = (uint32_t)key_at(d, before);
        expect(d, i == 0 || key > key_before || (key == key_before && index > before));
    }
}

static bool check_indices(row_data *d)
{
    return none_wrong(d, d->n, check_indices_block);
}

PER_ELEMENT(check_keys_of_pairs, d->n,
            expect(d, ((const uint32_t *)d->out)[i] ==
                          (uint32_t)key_at(d, ((const uint32_t *)d->more_out)[i])))

static bool check_pairs(row_data *d)
{
    return check_indices(d) && none_wrong(d, d->n, check_keys_of_pairs);
}

/* Checks the segments that start in the block. */
static void check_segments_block(void *context, size_t block)
{
    row_data *const d = context;
    const uint8_t *const heads = d->more_in;
    const uint32_t *const in = d->in, *const out = d->out;
    size_t i = block * ROW_BLOCK;
    const size_t end = block_end(block, d->n);
    while (i < end && !heads[i])
        i++;
    while (i < end) {
        uint64_t sum = mixed(in[i]) - mixed(out[i]);
        for (i++; i < d->n && !heads[i]; i++) {
            sum += mixed(in[i]) - mixed(out[i]);
            expect(d, out[i - 1] <= out[i]);
        }
        expect(d, sum == 0);
    }
}

static bool check_segments(row_data *d)
{
    return none_wrong(d, d->n, check_segments_block);
}

ROW_BYTES(pairs_bytes, 16.0 * (double)d->n)
ROW_BYTES(segments_bytes, 9.0 * (double)d->n)

#ifdef BENCH_HAVE_STD
static void plain_u32(row_data *d)
{
    memcpy(d->out, d->in, d->n * sizeof(uint32_t));
    std_sort_u32(d->out, d->n);
}

static void plain_u64(row_data *d)
{
    memcpy(d->out, d->in, d->n * sizeof(uint64_t));
    std_sort_u64(d->out, d->n);
}

/* Key and value as one number, which std::sort sorts; values are indices, so that is stable. */
static void plain_pairs(row_data *d)
{
    const uint32_t *const keys = d->in, *const values = d->more_in;
    uint64_t *const pairs = d->out;
    for (size_t i = 0; i < d->n; i++)
        pairs[i] = (uint64_t)keys[i] << 32 | values[i];
    std_sort_u64(pairs, d->n);
    for (size_t i = 0; i < d->n; i++) {
        const uint64_t pair = pairs[i];
        const uint32_t key = (uint32_t)(pair >> 32);
        memcpy((char *)d->out + i * sizeof key, &key, sizeof key);
        ((uint32_t *)d->more_out)[i] = (uint32_t)pair;
    }
}

static void plain_argsort(row_data *d)
{
    uint32_t *const indices = d->more_out;
    for (size_t i = 0; i < d->n; i++)
        indices[i] = (uint32_t)i;
    std_sort_indices(d->in, indices, d->n);
}

static void plain_segments(row_data *d)
{
    const uint8_t *const heads = d->more_in;
    uint32_t *const out = d->out;
    memcpy(out, d->in, d->n * sizeof *out);
    for (size_t begin = 0, end = 1; begin < d->n; begin = end++) {
        while (end < d->n && !heads[end])
            end++;
        std_sort_u32(out + begin, end - begin);
    }
}
#endif

#define KEYS_ROW(name, size, input, plain)                                                        \
    {                                                                                             \
        "sort-keys", #name, input, 0, 2 * size, size, fill_##name, read_and_written, sort_##name, \
            plain, .check = check_##name                                                          \
    }
/* A sorter with less memory than the elements take: row->parameter is its limit in percent of their bytes. Runs are
   in the folder that PARSCAN_BENCH_FOLDER names, else in /tmp. */
static parscan_status sorter(row_data *d, parscan_context *engine)
{
    enum { PIECE = 1 << 20, LEAST_LIMIT = 16 << 20 };
    const char *const given = getenv("PARSCAN_BENCH_FOLDER"), *const folder =
                                                                  given != NULL ? given : "/tmp";
    const size_t limit = d->n * sizeof(uint32_t) / 100 * d->row->parameter;
    const parscan_sorter_options options =
        PARSCAN_SORTER_OPTIONS(.key_type = PARSCAN_U32, .folder_count = 1, .folders = &folder,
                               .memory_limit = limit > LEAST_LIMIT ? limit : LEAST_LIMIT);
    const uint32_t *const in = d->in;
    uint32_t *const out = d->out;
    parscan_sorter *s = NULL;
    parscan_status status = parscan_sorter_create(&s, engine, &options);
    for (size_t i = 0; status == PARSCAN_OK && i < d->n; i += PIECE)
        status = parscan_sorter_push(s, in + i, NULL, d->n - i < PIECE ? d->n - i : PIECE);
    for (size_t i = 0, got; status == PARSCAN_OK && i < d->n; i += got)
        status = parscan_sorter_pull(s, out + i, NULL, d->n - i < PIECE ? d->n - i : PIECE, &got);
    parscan_sorter_destroy(s);
    return status;
}

#define SORTER_ROW(percent)                                                                 \
    {                                                                                       \
        "sorter", "u32", "memory-" #percent "%", percent, 8, 4, fill_u32, read_and_written, \
            sorter, IF_STD(plain_u32), .check = check_u32                                   \
    }
#define PAIRS_ROW(input)                                                          \
    {                                                                             \
        "sort-pairs", "u32", input, 0, 8, 4, fill_pairs, pairs_bytes, sort_pairs, \
            IF_STD(plain_pairs), .check = check_pairs                             \
    }

const bench_row rows_sort[] = {KEYS_ROW(u32, 4, "uniform", IF_STD(plain_u32)),
                               KEYS_ROW(u32, 4, "zipf", IF_STD(plain_u32)),
                               KEYS_ROW(u32, 4, "few", IF_STD(plain_u32)),
                               KEYS_ROW(u32, 4, "sorted", IF_STD(plain_u32)),
                               KEYS_ROW(u32, 4, "nearly-sorted", IF_STD(plain_u32)),
                               KEYS_ROW(u32, 4, "reversed", IF_STD(plain_u32)),
                               KEYS_ROW(u64, 8, "uniform", IF_STD(plain_u64)),
                               KEYS_ROW(u64, 8, "zipf", IF_STD(plain_u64)),
                               KEYS_ROW(u8, 1, "uniform", NULL),
                               KEYS_ROW(u16, 2, "uniform", NULL),
                               KEYS_ROW(f32, 4, "uniform", NULL),
                               KEYS_ROW(f64, 8, "uniform", NULL),
                               PAIRS_ROW("uniform"),
                               PAIRS_ROW("zipf"),
                               PAIRS_ROW("few"),
                               {"argsort", "u32", "uniform", 0, 8, 4, fill_pairs, read_and_written,
                                argsort, IF_STD(plain_argsort), .check = check_indices},
                               SORTER_ROW(200),
                               SORTER_ROW(50),
                               SORTER_ROW(12),
                               {"sort-segments", "u32", "mean-1000", SEGMENT_MEAN, 8, 4,
                                fill_segments, segments_bytes, sort_segments,
                                IF_STD(plain_segments), .check = check_segments},
                               {0}};
