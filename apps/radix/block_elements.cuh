/* The elements that a block orders in its registers (block_order_kernels.cuh): who has them, what is in shared
   memory meanwhile, and what the lanes of a warp tell each other. */
#ifndef PARSCAN_APPS_RADIX_BLOCK_ELEMENTS_CUH
#define PARSCAN_APPS_RADIX_BLOCK_ELEMENTS_CUH

#include <type_traits>

#include "apps/radix/digit_rank_kernels.cuh"
#include "scan/cuda/lane_totals.cuh"

/* So many elements of a large bucket are loaded together. */
#define BUCKET_GROUP 4u

/* WARPS warps a block, ITEMS elements a lane, BLOCKS blocks a multiprocessor. ORDERS: the indices are
   kept in their order, since values may be moved in place. */
template <typename KEY, bool HAS_INDICES_, unsigned WARPS_, unsigned ITEMS_, unsigned BLOCKS_,
          bool ORDERS_ = HAS_INDICES_>
struct block_sort_shape {
    typedef KEY Key;
    typedef typename KEY::Bits Bits;
    static const bool HAS_INDICES = HAS_INDICES_, ORDERS = ORDERS_, READS_AGAIN = false;
    static const unsigned WARPS = WARPS_, THREADS = 32 * WARPS, MATCHED = 4, MASKED = 0;
    static const unsigned ITEMS = ITEMS_, MOST = THREADS * ITEMS, BLOCKS = BLOCKS_;
    static const unsigned EACH = 8, BUCKETS = EACH * THREADS; /* EACH of a thread */
    static const unsigned BUCKET_BITS = 12;
    static_assert(BUCKETS == 1u << BUCKET_BITS, "the bits of a bucket");
    static_assert(MOST < 65536 && ITEMS % MATCHED == 0, "an index and a place have 16 bits");
    static_assert(WARPS <= 32, "a lane for each warp's sum");
};

/* The sum of the squared sizes of buckets, which is the number of comparisons, and the largest size. */
struct bucket_sizes {
    uint32_t squares, largest;
};

template <typename S>
struct block_sort_shared {
    typedef typename S::Bits Bits;
    alignas(16) Bits keys[S::MOST + BUCKET_GROUP];
    alignas(16) uint16_t indices[S::HAS_INDICES ? S::MOST + BUCKET_GROUP : 8];
    union {
        alignas(16) uint32_t rows[S::WARPS][SORT_DIGITS];
        alignas(16) uint16_t buckets[2][S::BUCKETS + 8]; /* of both divisions */
    };
    uint16_t order[S::ORDERS ? S::MOST : 2]; /* the indices in their order */
    uint32_t warp_sums[S::WARPS];
    bucket_sizes warp_sizes[S::WARPS];
    Bits least[S::WARPS], most[S::WARPS]; /* keys of a warp */
    uint32_t present;                     /* elements, less those that are absent */
};

/* A block's elements in registers. Warp after warp has `items` rows of 32, of which a lane has `own`
   elements. */
template <typename S>
struct block_elements {
    unsigned n, items, own;

    __device__ explicit block_elements(unsigned count)
        : n(count),
          items((count + S::THREADS * S::MATCHED - 1) / (S::THREADS * S::MATCHED) * S::MATCHED)
    {
        const unsigned left = first() < n ? (n - first() + 31) / 32 : 0;
        own = left < items ? left : items;
    }
    /* The index of the lane's first element; its others follow at distances of 32. */
    __device__ unsigned first() const { return threadIdx.x / 32 * 32 * items + threadIdx.x % 32; }
    __device__ bool warp_has_any() const { return threadIdx.x / 32 * 32 * items < n; }
    __device__ bool has(unsigned i) const { return i < own; }
};

#endif
