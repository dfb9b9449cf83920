/*
 * The shape of a block of a radix sort's pass (digit_pass_kernels.cuh), its shared memory, and the
 * parameters of a launch.
 */
#ifndef PARSCAN_APPS_RADIX_DIGIT_PASS_SHAPE_CUH
#define PARSCAN_APPS_RADIX_DIGIT_PASS_SHAPE_CUH

#include "apps/radix/digit_keys.cuh"
#include "scan/cuda/block_prefix.cuh"
#include "scan/cuda/tile_prefix.cuh"

/* The type that values are moved as. Without values it is not used. */
template <unsigned BYTES>
struct value_type {
    typedef uint32_t Value;
};
template <>
struct value_type<8> {
    typedef uint64_t Value;
};

/* How the order of keys with the same digit in a warp is found. RANK_BY_VOTES: by votes, in the
   order of lanes. RANK_BY_COUNTS: by the counters alone, in any order; the result is checked and
   repaired afterwards. Keys without values must then be sorted by all their bits; with values the
   check is by the places that the elements came from. */
enum rank_method { RANK_BY_VOTES, RANK_BY_COUNTS };

/* RANKERS ranking warps, ITEMS keys a lane, at least BLOCKS blocks a multiprocessor. A look-back
   reads AT_ONCE tiles at once. Of every MATCHED keys of a lane, the first MASKED are matched by
   masks in shared memory, the others by votes. CLEARED: the plan may have been cleared before the
   call, with no rows for groups of tiles. PIECED: a sort of buckets, whose elements lie in pieces. */
template <typename KEY, unsigned VALUE_BYTES, rank_method METHOD_, unsigned RANKER_WARPS,
          unsigned ITEMS_, unsigned BLOCKS_, unsigned AT_ONCE_ = 4, unsigned MASKED_ = 0,
          bool CLEARED = false, bool PIECED_ = false>
struct digit_pass_shape {
    typedef KEY Key;
    typedef typename KEY::Bits Bits;
    typedef typename value_type<VALUE_BYTES>::Value AnyValue;
    static const rank_method METHOD = METHOD_;
    static const bool HAS_VALUES = VALUE_BYTES != 0;
    /* The values of a tile stay in shared memory in the order of the input, and each place of the
       ordered tile has the index of its element there. */
    static const bool INDEXED = HAS_VALUES && METHOD_ == RANK_BY_COUNTS;
    static const bool PIECED = PIECED_;
    /* 8-byte keys are slower with it: 14.0 against 13.0 ms. */
    static const bool PREFETCHES = METHOD == RANK_BY_COUNTS && sizeof(Bits) == 4;
    static const unsigned RANKERS = RANKER_WARPS, ITEMS = ITEMS_, BLOCKS = BLOCKS_;
    static const unsigned TURNS =
        METHOD == RANK_BY_COUNTS ? 2 : 1; /* latest tiles, to be repaired */
    static const unsigned AT_ONCE = AT_ONCE_, MASKED = MASKED_, MATCHED = 4;
    /* Whether the shape is for few tiles, so that a block may have one only: small tiles by votes. */
    static const bool GROUPED = BLOCKS_ > 1 && METHOD_ == RANK_BY_VOTES && !CLEARED;
    static const unsigned RANKING = 32 * RANKERS;  /* threads that rank */
    static const unsigned PAIRS = SORT_DIGITS / 2; /* threads of the chain */
    static const unsigned THREADS = RANKING + PAIRS;
    static const unsigned TILE = RANKING * ITEMS;
    static_assert(ITEMS % MATCHED == 0, "keys are matched in groups");
    static_assert(TILE >= SORT_LEAST_TILE, "rows are cleared for tiles of at least this size");
    static_assert(TILE <= 32768, "a prefix is known up to 2^26, of at most 341 blocks");
    static_assert(METHOD == RANK_BY_VOTES || INDEXED || !KEY::IS_FLOAT,
                  "equal digits are put in order by the keys' other bits");
    static_assert(!INDEXED || (!KEY::HAS_ABSENT && TILE <= 65536), "an index has 16 bits");
};

/* What a pass does, as each block keeps it: the plan is in device memory. */
template <typename S>
struct digit_pass_work {
    typedef typename S::Bits Bits;
    typedef typename S::AnyValue Value;
    const Bits *keys_in;
    Bits *keys_out; /* NULL: keys are dropped */
    const Value *values_in;
    Value *values_out;
    Bits flip;                            /* of the keys that are written */
    bool encodes, decodes, makes_indices; /* indices: they are the values, and are not loaded */
    bool emits;                           /* stores the offsets of bins */
};

/* The elements of a tile. */
struct tile_span {
    uint64_t keys_at, values_at; /* the first one, from keys[pass->from] and values[pass->from] */
    uint32_t count;
};

/* The tiles of a block whose spans are in shared memory, a power of two: the one that is loaded, the
   one that is ranked, and the one before, which may be repaired. */
#define SPANS 4u

template <typename S>
struct digit_pass_shared {
    static const unsigned HEAD = 16 / sizeof(typename S::Bits);
    /* The tile's keys, after a head of 16 bytes. The first key is compared with the head's last
       element. */
    alignas(16) typename S::Bits head_and_keys[HEAD + S::TILE];
    /* In order; INDEXED: as they came, of this tile and of the one before or after it. */
    alignas(16) typename S::AnyValue values[S::INDEXED ? S::TURNS : 1][S::HAS_VALUES ? S::TILE : 1];
    alignas(16) uint16_t head_and_indices[S::INDEXED ? 8 + S::TILE : 1];
    alignas(16) uint32_t rows[S::RANKERS][SORT_DIGITS];
    /* For each digit: where its first element of the tile goes, less that element's place in the
       tile. An index; an address, if there are no values. */
    uint64_t to[S::TURNS][SORT_DIGITS];
    alignas(16) uint32_t masks[S::MASKED > 0 ? S::RANKERS : 1][S::MASKED > 0 ? SORT_DIGITS : 1];
    uint64_t landed[S::TURNS]; /* INDEXED: the mbarriers of the copies of values */
    digit_pass_work<S> work;
    uint32_t warp_sums[S::PAIRS / 32];
    size_t n;            /* elements that the pass reads */
    uint32_t tiles;      /* as many */
    uint32_t whole;      /* without those of PIECED: the first so many have TILE elements */
    uint32_t block;      /* the index of the block's first tile */
    uint32_t disordered; /* the tile that was written last was not in order */
    uint32_t present;    /* elements of the tile, where some may be absent */
    tile_span spans[S::PIECED ? SPANS : 1];

    /* keys()[-1] is the head's last element. */
    __device__ __forceinline__ typename S::Bits *keys() { return head_and_keys + HEAD; }
    __device__ __forceinline__ uint16_t *indices() { return head_and_indices + 8; }
};

template <typename S>
struct digit_pass_params {
    typedef typename S::Bits Bits;
    const sort_pass *pass;
    Bits *keys[SORT_PLACES];
    void *values[SORT_PLACES];
    size_t n, tiles; /* at most, if PIECED exactly */
    digit_of<typename S::Key> digit;
    Bits flip;
    Bits beyond; /* the code in place of a key beyond the end: it ranks last */
    Bits known;  /* RANK_BY_COUNTS: the bits that keys are ordered by after this pass */
    bool indices, drops_keys;
    bool in_groups;       /* a block has one tile; prefixes as in digit_groups.cuh */
    const uint64_t *nans; /* NULL, or whether there are NaNs */
    bool takes_nans;      /* the kernel runs only if *nans != 0 is the same */
    /* NULL, or a counter that gives a block its first tile. Blocks of all earlier tiles then run
       already, whichever blocks the device holds at once. */
    uint32_t *tiles_taken;
    digit_chain<SORT_DIGITS / 2> chain;
    sort_bins bins;
    /* PIECED: the pieces in the order of tiles, and after them one that starts with tile `tiles`;
       and where the digits of each bucket go (sort_pieces_call). */
    const sort_piece *pieces;
    const uint64_t *begins;
};

#endif
