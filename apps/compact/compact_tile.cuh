/*
 * A tile of compaction on CUDA: its extent in the array, and how its elements are tested and
 * counted. compact_store.cuh writes the output of a tile; compact_tiles.cuh has the kernels.
 *
 * A tile consists of CHUNKS chunks, a chunk of WORDS words, a word of 32 elements. A word is tested
 * by a ballot, which gives one bit for each element: whether it is kept. Of elements of two bytes a
 * lane tests a whole word (compact_eights.cuh). Only the width of elements matters: a predicate is a
 * range of keys (compact_range.h), and runs compare bits. Tiles start at addresses that are multiples
 * of 128 bytes. So the first and the last tile have positions outside of the array: `head_padding` of
 * them are before its first element.
 */
#ifndef PARSCAN_APPS_COMPACT_TILE_CUH
#define PARSCAN_APPS_COMPACT_TILE_CUH

#include "apps/compact/compact_eights.cuh"
#include "scan/cuda/length.cuh"
#include "scan/cuda/tile_pipeline.cuh"

/* Which elements are kept: those in a range; the same, and the others follow them (a partition);
   those that start a run, without or with the lengths of runs; those with a flag that is not
   zero. */
enum compact_test { COMPACT_RANGE, COMPACT_PARTS, COMPACT_HEADS, COMPACT_RUNS, COMPACT_FLAGS };

template <unsigned WIDTH>
struct compact_word;
template <>
struct compact_word<1> {
    typedef uint8_t U;
};
template <>
struct compact_word<2> {
    typedef uint16_t U;
};
template <>
struct compact_word<4> {
    typedef uint32_t U;
};
template <>
struct compact_word<8> {
    typedef uint64_t U;
};
template <>
struct compact_word<16> { /* for two elements at once */
    typedef ulonglong2 U;
};

/* The aggregate of elements: how many of them are kept. */
struct kept_operator {
    static const bool commutes = true;
};
template <typename N>
static __device__ __forceinline__ N combine(kept_operator, N a, N b)
{
    return a + b;
}

/* For runs also where the last of them starts: the low 32 bits of its index. */
struct run_count {
    uint32_t kept, last;
};
struct runs_operator {
    static const bool commutes = false;
};
static __device__ __forceinline__ run_count combine(runs_operator, run_count a, run_count b)
{
    return run_count{a.kept + b.kept, b.kept != 0 ? b.last : a.last};
}

struct kept_identity {
    __device__ operator uint32_t() const { return 0; }
    __device__ operator uint64_t() const { return 0; }
    __device__ operator run_count() const { return run_count{0, 0}; }
};
static __device__ __forceinline__ kept_identity identity(kept_operator)
{
    return kept_identity();
}
static __device__ __forceinline__ kept_identity identity(runs_operator)
{
    return kept_identity();
}

static __device__ __forceinline__ uint32_t kept_of(uint32_t aggregate)
{
    return aggregate;
}
static __device__ __forceinline__ uint32_t kept_of(run_count aggregate)
{
    return aggregate.kept;
}

template <compact_test TEST>
struct compact_aggregate {
    typedef uint32_t type;
    typedef kept_operator OPERATOR;
};
template <>
struct compact_aggregate<COMPACT_RUNS> {
    typedef run_count type;
    typedef runs_operator OPERATOR;
};

/* The shape of a block; compact_tuning.cuh has the choices. With one stage the kernel is
   unspecialised. */
template <unsigned WIDTH_, compact_test TEST_, unsigned COMPACTORS_, unsigned REDUCERS_,
          unsigned CHUNKS_, unsigned WORDS_, unsigned STAGES_>
struct compact_shape {
    typedef typename compact_word<WIDTH_>::U U;
    typedef typename compact_aggregate<TEST_>::type Aggregate;
    typedef typename compact_aggregate<TEST_>::OPERATOR OPERATOR;
    static const compact_test TEST = TEST_;
    static const bool PARTS = TEST == COMPACT_PARTS;
    static const bool IN_RANGE = TEST == COMPACT_RANGE || PARTS;
    static const bool HEADS = TEST == COMPACT_HEADS || TEST == COMPACT_RUNS;
    static const bool WARP_SPECIALISED = STAGES_ > 1;
    /* Whether the elements may be floats (params.floats), and whether all are floats of 16 bits. */
    static const bool FLOATS = WIDTH_ >= 4, HALVES = false;
    /* What is written beside the elements: indices and rows; records (compact_records.cuh). */
    static const bool MATRIX = TEST == COMPACT_RANGE, RECORDS = false, GATHERS = false;
    enum : unsigned {
        WIDTH = WIDTH_,
        COMPACTORS = COMPACTORS_,
        REDUCERS = WARP_SPECIALISED ? REDUCERS_ : COMPACTORS_,
        CHUNKS = CHUNKS_, /* in a tile, at most 32 */
        WORDS = WORDS_,   /* in a chunk: 8, 16, 24 or 32 */
        STAGES = STAGES_,
        /* The least number on a multiprocessor. With four, an unspecialised partition would spill
           twice as many bytes (compute capability 8.0: 548); ranges were not timed with four. Two
           blocks of small tiles fit beside each other, of this kernel or the next, where that takes
           no spills. */
        BESIDE = STAGES == 2 && (TEST == COMPACT_HEADS || TEST == COMPACT_FLAGS),
        BLOCKS = WARP_SPECIALISED ? (BESIDE ? 2 : 1)
                 : IN_RANGE       ? 3
                                  : 4,
        THREADS = (COMPACTORS + (WARP_SPECIALISED ? REDUCERS + 2 : 0)) * 32,
        CHUNK = 32 * WORDS,
        TILE = CHUNKS * CHUNK,
        MARGIN = HEADS ? 128 : 0,         /* bytes before a tile that the tests read */
        FLAGS_AT = MARGIN + TILE * WIDTH, /* offset of the flags in a stage */
        STAGE_BYTES = FLAGS_AT + (TEST == COMPACT_FLAGS ? TILE + 128 : 0),
        SHARED_BYTES = STAGES * STAGE_BYTES + COMPACTORS * CHUNK * 2 /* and the listed places */
    };
    static_assert(CHUNKS <= 32 && WORDS <= 32 && WORDS % 8 == 0 && CHUNKS % COMPACTORS == 0, "");
};

/* The same shape for floats of 16 bits: params.infinity tells which. */
template <typename SHAPE>
struct compact_halves : SHAPE {
    static const bool FLOATS = true, HALVES = true;
};

/* The shared memory of a block that gathers records. */
enum : unsigned { GATHERED_BYTES = 216 << 10 };

/* The same shape for records that are moved beside what is tested, or in place of it (compact_records.cuh). */
template <typename SHAPE>
struct compact_with_records : SHAPE {
    static const bool MATRIX = false, RECORDS = true;
};

/* For records of at most RECORD bytes, which are gathered in the stage of their tile. There are as many stages
   as fit, at most STAGES: with small records more. */
template <typename SHAPE>
struct compact_gathering : compact_with_records<SHAPE> {
    static const bool GATHERS = true;
    enum : unsigned {
        RECORD = 8,
        RECORDS_AT = SHAPE::STAGE_BYTES,
        PLACES_BYTES = SHAPE::SHARED_BYTES - SHAPE::STAGES * SHAPE::STAGE_BYTES,
        ROOM = GATHERED_BYTES - PLACES_BYTES, /* for stages */
        SHARED_BYTES = GATHERED_BYTES
    };
    static __host__ __device__ unsigned stage_bytes(size_t record)
    {
        return SHAPE::STAGE_BYTES + SHAPE::TILE * (unsigned)record;
    }
    static __host__ __device__ unsigned stages(size_t record)
    {
        const unsigned fit = ROOM / stage_bytes(record);
        return fit < SHAPE::STAGES ? fit : (unsigned)SHAPE::STAGES;
    }
};

/* The parameters of a kernel. All pointers are to device memory. */
struct compact_params {
    const void *in;
    const uint8_t *flags;
    size_t n, tiles;
    unsigned head_padding;      /* positions before the first element of the first tile */
    unsigned flag_misalignment; /* misalignment of a tile's flags, in bytes */
    /* x is in the range if key(x) - first <= width; `outside` keeps all others. compact_range.h
       defines the key of a float. */
    uint64_t first, width;
    bool outside, floats;
    bool wide;            /* indices, lengths and offsets have 64 bits */
    bool continues;       /* for runs: the first element does not start one */
    uint16_t infinity;    /* the bits of infinity, of floats of 16 bits */
    uint64_t first_index; /* the index of the first element */
    void *values;
    void *indices, *lengths;
    void *row_offsets; /* not NULL: indices are columns */
    size_t rows, columns;
    /* Of a shape with records: they have any size, and are moved as `units` pieces of `unit` bytes. */
    const void *records;
    void *records_out;
    size_t units;
    unsigned unit;
    uint64_t *count;
    parscan_deferred error;    /* no words: there can be none */
    size_t capacity;           /* so many results are written at most */
    parscan_deferred exceeded; /* where more are told; no words: nowhere */
    device_length length;      /* of the elements, or of the rows */
    device_length column_length;
    tile_chain chain;
    parscan_meeting *meeting; /* for a partition */
};

template <typename S>
static __host__ __device__ __forceinline__ size_t tiles_of(const compact_params &params)
{
    return params.n == 0 ? 0 : (params.head_padding + params.n + S::TILE - 1) / S::TILE;
}

/* The parameters with the lengths that are in device memory. `rows` and `columns` stay the most that they
   can be: as more variables they would take registers. *columns is what they are. Ranges of bytes spill
   without the early return, partitions of bytes with it. */
template <typename S>
static __device__ __forceinline__ compact_params at_its_lengths(const compact_params &given,
                                                                size_t *columns)
{
    compact_params params = given;
    *columns = given.columns;
    if (S::MATRIX && given.length.at == NULL && given.column_length.at == NULL)
        return params;
    if (S::MATRIX && given.row_offsets != NULL) {
        const size_t rows = length_of(given.length, given.rows);
        *columns = length_of(given.column_length, given.columns);
        params.n = rows * *columns;
    } else {
        params.n = length_of(given.length, given.n);
    }
    params.tiles = tiles_of<S>(params);
    return params;
}

/* The extent of a tile in memory: the array has its positions begin to end - 1. */
template <typename S>
struct compact_extent {
    size_t index; /* the index of its position 0; in the first tile 0 - head_padding */
    unsigned begin, end;
    __device__ compact_extent(const compact_params &params, size_t tile)
        : index(tile * S::TILE - params.head_padding), begin(tile == 0 ? params.head_padding : 0)
    {
        const size_t rest = params.head_padding + params.n - tile * S::TILE;
        end = rest < S::TILE ? (unsigned)rest : (unsigned)S::TILE;
    }
};

template <typename S>
static __device__ __forceinline__ typename S::U *elements_in(unsigned char *stage)
{
    return (typename S::U *)(stage + S::MARGIN);
}

/* Whether x, which follows `before`, starts a run: compares as != does, except that NaN equals
   NaN. */
template <bool FLOATS, typename U>
static __device__ __forceinline__ bool begins_run(U before, U x)
{
    bool differs = before != x;
    if constexpr (FLOATS) {
        const U magnitude = (U)-1 >> 1;
        const U infinity = sizeof(U) == 4 ? (U)0x7f800000u : (U)0x7ff0000000000000ull;
        const U a = before & magnitude, b = x & magnitude;
        differs = differs && (a | b) != 0 && !(a > infinity && b > infinity);
    }
    return differs;
}

/* Whether a key lies in the range. */
template <bool FLOATS, bool HALVES = false, typename U>
static __device__ __forceinline__ bool in_range(const compact_params &params, U key)
{
    if constexpr (HALVES)
        key ^= (U)((int16_t)key >> 15) & (U)0x7fffu;
    if constexpr (FLOATS && sizeof(U) == 4)
        key ^= (U)((int32_t)key >> 31) & (U)0x7fffffffu;
    if constexpr (FLOATS && sizeof(U) == 8)
        key ^= (U)((int64_t)key >> 63) & (U)0x7fffffffffffffffull;
    return (U)(key - (U)params.first) <= (U)params.width;
}

/* Tests the words of a chunk: lane w gets the 32 bits of word w. */
template <typename S, bool FLOATS>
static __device__ __forceinline__ uint32_t test_words(const compact_params &params,
                                                      const typename S::U *x, const uint8_t *flags)
{
    const unsigned lane = threadIdx.x % 32;
    uint32_t mine = 0;
#pragma unroll
    for (unsigned w = 0; w < S::WORDS; w++) {
        bool keeps;
        if constexpr (S::TEST == COMPACT_FLAGS)
            keeps = flags[32 * w] != 0;
        else if constexpr (S::HEADS)
            keeps = begins_run<FLOATS>(x[(int)(32 * w) - 1], x[32 * w]);
        else
            keeps = in_range<FLOATS>(params, x[32 * w]);
        const uint32_t word = __ballot_sync(0xffffffffu, keeps);
        mine = lane == w ? word : mine;
    }
    return mine;
}

/* The same for elements of two bytes, unless they have flags. `x` is where the chunk starts. */
template <typename S>
static __device__ __forceinline__ uint32_t test_words_of_two(const compact_params &params,
                                                             const uint16_t *x, unsigned lane)
{
    const uint16_t *const own = x + 32 * (lane % S::WORDS);
    if constexpr (S::HEADS)
        return find_heads<S::HALVES>(own, lane, params.infinity);
    else
        return find_in_range<S::HALVES>(own, lane, (uint32_t)params.first, (uint32_t)params.width);
}

/* All bits from bit k on. */
static __device__ __forceinline__ uint32_t bits_from(int k)
{
    return k <= 0 ? 0xffffffffu : k >= 32 ? 0u : 0xffffffffu << k;
}

/* Finds which elements of a chunk are kept: lane w gets word w. Called by a warp. */
template <typename S>
static __device__ __forceinline__ uint32_t test_chunk(const compact_params &params,
                                                      const compact_extent<S> &place,
                                                      unsigned char *stage, unsigned chunk,
                                                      unsigned lane)
{
    const typename S::U *const x = elements_in<S>(stage) + chunk * S::CHUNK;
    const uint8_t *const flags =
        stage + S::FLAGS_AT + params.flag_misalignment + chunk * S::CHUNK + lane;
    uint32_t mine;
    if constexpr (S::WIDTH == 2 && S::TEST != COMPACT_FLAGS)
        mine = test_words_of_two<S>(params, x, lane);
    else if (S::FLOATS && S::TEST != COMPACT_FLAGS && params.floats)
        mine = test_words<S, S::FLOATS>(params, x + lane, flags);
    else
        mine = test_words<S, false>(params, x + lane, flags);
    if (S::IN_RANGE && params.outside)
        mine = ~mine;
    const int position = (int)(chunk * S::CHUNK + 32 * lane);
    const int begin = (int)place.begin - position, end = (int)place.end - position;
    if (S::HEADS && place.index + place.begin == 0 && begin >= 0 && begin < 32) {
        mine |= 1u << begin; /* the first element of the array starts a run */
        if (params.continues)
            mine -= 1u << begin;
    }
    mine &= bits_from(begin) & ~bits_from(end);
    return lane < S::WORDS ? mine : 0;
}

/* The bits of 32 elements, and how many elements are kept before them in the chunk. */
struct alignas(8) kept_word {
    uint32_t bits, first;
};

/* Returns a chunk's aggregate from the bits that the lanes hold. *first: how many elements are
   kept before a lane's word. */
template <typename S>
static __device__ __forceinline__ typename S::Aggregate count_chunk(const compact_extent<S> &place,
                                                                    uint32_t word, unsigned chunk,
                                                                    unsigned lane, uint32_t *first)
{
    const uint32_t count = (uint32_t)__popc(word);
    const uint32_t through = warp_scan(kept_operator(), count, lane);
    const uint32_t kept = __shfl_sync(0xffffffffu, through, 31);
    *first = through - count;
    if constexpr (S::TEST == COMPACT_RUNS) {
        const uint32_t mine =
            (uint32_t)place.index + chunk * S::CHUNK + 32 * lane + 31 - __clz((int)word);
        const unsigned some = __ballot_sync(0xffffffffu, word != 0);
        const uint32_t last = __shfl_sync(0xffffffffu, mine, 31 - __clz((int)some));
        return run_count{kept, last};
    } else {
        return kept;
    }
}

/* Replaces the chunks' aggregates by what comes before each chunk in the tile, or, `from_end`,
   after it. Returns the tile's aggregate. Called by a warp. */
template <typename S>
static __device__ __forceinline__ typename S::Aggregate
scan_chunks(typename S::Aggregate (&chunks)[S::CHUNKS], bool from_end, unsigned lane)
{
    typedef typename S::Aggregate Aggregate;
    const typename S::OPERATOR op = typename S::OPERATOR();
    const unsigned chunk = from_end ? S::CHUNKS - 1 - lane : lane;
    Aggregate through = identity(op);
    if (lane < S::CHUNKS)
        through = chunks[chunk];
    through = warp_scan(op, through, lane);
    Aggregate before = warp_shuffle_up(through, 1);
    if (lane == 0)
        before = identity(op);
    if (lane < S::CHUNKS)
        chunks[chunk] = before;
    return warp_shuffle(through, 31);
}

/* What comes before a tile or a chunk. */
struct compact_prefix {
    uint64_t kept;
    uint64_t head;  /* for runs: where the last one starts */
    uint64_t total; /* how many are kept in all; for a partition of which no part is turned */
};

/* The prefix after a part of the array that starts at `index` and has fewer than 2^32 elements. */
static __device__ __forceinline__ compact_prefix prefix_after(compact_prefix prefix, uint32_t kept,
                                                              size_t index)
{
    (void)index;
    prefix.kept += kept;
    return prefix;
}

static __device__ __forceinline__ compact_prefix prefix_after(compact_prefix prefix, run_count runs,
                                                              size_t index)
{
    prefix.kept += runs.kept;
    if (runs.kept != 0)
        prefix.head = index + (uint32_t)(runs.last - (uint32_t)index);
    return prefix;
}

#endif
