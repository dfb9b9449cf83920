/* The parts of a segmented reduction by offsets on CUDA (segmented_reduce_merge_path.cuh): how elements and
   ends of segments are divided. */
#ifndef PARSCAN_APPS_MERGE_PATH_PARTS_CUH
#define PARSCAN_APPS_MERGE_PATH_PARTS_CUH

#include "apps/segments/segment_search.cuh"
#include "apps/segments/segment_starts.cuh"
#include "scan/cuda/tile_prefix.cuh"

#define PARTS_OF_TILE 5u  /* one for each warp */
#define SLICE_BYTES 8192u /* bytes of the elements of a slice, at most */
/* Loads start at multiples of so many bytes: of 16, half of them touched twice as many sectors. */
#define SLICE_ALIGNMENT 128u
#define PARTS_THREADS (PARTS_OF_TILE * 32)
#define NO_SEGMENT (~(size_t)0)
/* Blocks on a multiprocessor, for which there are registers; size: the bytes of a sum. */
#define PART_BLOCKS(size) ((size) > 8 ? 3u : 5u)
#define LEAST_PART 128u /* elements and ends in a part, at least */
/* The elements that one lane reduces. A longer piece is reduced by the warp. */
#define LONG_PIECE 32u

template <typename In>
struct slice_size {
    static const unsigned most = (SLICE_BYTES - SLICE_ALIGNMENT) / sizeof(In); /* starts anywhere */
};

/* What a reduction makes of an element, and of the sum of a segment. Other reductions have a type of their
   own with the same functions. */
template <typename In, typename T, typename Out>
struct segment_results : segment_starts<T, Out> {
    Out *out;

    /* Element i of a slice x, which starts with element `first` of the array. */
    static __device__ __forceinline__ T element(const In *x, size_t first, unsigned i)
    {
        (void)first;
        return widened<T>(x[i]);
    }

    /* Stores the sum of a segment of `in` that starts with element `from`. any: it has elements. */
    template <typename OPERATOR>
    __device__ __forceinline__ void store(OPERATOR op, const In *in, size_t segment, size_t from,
                                          T sum, bool any) const
    {
        (void)in;
        (void)from;
        out[segment] =
            rounded<Out>(any && !this->keeps ? combine(op, this->start_of_segment(), sum) : sum);
    }
};

template <typename In, typename T, typename Out = T, typename RESULTS = segment_results<In, T, Out>>
struct merge_path_params : RESULTS {
    const In *in;
    segment_offsets offsets;
    unsigned slice; /* elements and ends in a slice, at most slice_size<In>::most */
    size_t part;    /* elements and ends in a part */
    size_t tiles;   /* among which the elements and ends are divided, at most */
    tile_chain chain;

    __host__ __device__ size_t items() const { return offsets.n + offsets.count; }

    /* Sets what follows from the lengths: parts that are even. */
    __host__ __device__ void cut()
    {
        const size_t even = items() / (tiles * PARTS_OF_TILE) / 32 * 32 + 32;
        part = even < LEAST_PART ? LEAST_PART : even;
        const size_t slices = (part - 1) / slice_size<In>::most + 1;
        slice = (unsigned)((part - 1) / slices + 1);
    }
};

/* What a part leaves to the segments that it shares with other parts. */
template <typename T>
struct part_ends {
    T head, tail;   /* the sums before its first end and after its last end */
    size_t segment; /* that ends first, if it started before the part; else NO_SEGMENT */
    bool opened;    /* the first segment started before the part */
    bool any;       /* some segment ends in the part */
};

template <typename In, typename T>
struct parts_shared {
    __align__(16) unsigned char stage[PARTS_OF_TILE][SLICE_BYTES];
    part_ends<T> ends[PARTS_OF_TILE];
    uint32_t epoch;
};

/* Where a part or slice starts: the index of its first element, and of the first segment that ends
   in it. */
struct part_begin {
    size_t element, segment;
};

/* Finds both ends of a part. */
template <typename OFFSET>
static __device__ __forceinline__ void cut_part(const segment_offsets &offsets,
                                                const size_t (&at)[2], part_begin (&begins)[2],
                                                unsigned lane)
{
    const OFFSET *const ends = (const OFFSET *)offsets.data + 1;
    search_range ranges[2];
#pragma unroll
    for (unsigned k = 0; k < 2; k++)
        ranges[k] = search_range{at[k] > offsets.n ? at[k] - offsets.n : 0,
                                 at[k] < offsets.count ? at[k] : offsets.count};
    search_all(ranges, lane,
               [&](unsigned k, size_t segment) { return ends[segment] + segment < at[k]; });
#pragma unroll
    for (unsigned k = 0; k < 2; k++)
        begins[k] = part_begin{at[k] - ranges[k].low, ranges[k].low};
}

#endif
