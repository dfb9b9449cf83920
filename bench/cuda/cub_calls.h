/*
 * CUB as a contestant: its calls by the types of a row at run time. The files cub_*.cu are compiled once for
 * each CUB: the toolkit's ("cub"), and that of PARSCAN_BENCH_CCCL ("cub_main"), which is in a namespace of its
 * own. No other file includes CUB.
 */
#ifndef PARSCAN_BENCH_CUB_CALLS_H
#define PARSCAN_BENCH_CUB_CALLS_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#include "parscan/parscan.h"

/* clang-format off */
#define CUB_WORKS(X) \
    X(scan) X(scan_pairs) X(scan_affine) X(scan_squares) X(reduce) X(scan_by_key) X(scan_by_offsets) X(reduce_by_key) X(reduce_by_offsets) \
    X(allocate) X(sort_keys) X(sort_pairs) X(sort_segments) X(sort_segments_radix) X(sort_pairs_of_segments) X(sort_rows) X(sort_records) \
    X(select_below) X(select_flagged) X(select_by) X(select_indices) X(partition) X(unique) \
    X(unique_pairs) X(run_lengths) X(difference) \
    X(histogram) X(copy_batch) X(arg_min) X(top_k) X(merge_keys) \
    X(merge_pairs) X(lower_bound) X(lower_bound_in_order)
/* clang-format on */

#define CUB_WORK_NAME(name) CUB_##name,
enum cub_work { CUB_WORKS(CUB_WORK_NAME) CUB_WORK_COUNT };

/* The arguments of a call. */
struct cub_call {
    parscan_type type = {};       /* of in, out */
    parscan_type other_type = {}; /* of values, offsets */
    parscan_op op = {};
    const void *in = NULL;
    void *out = NULL;
    /* Values of a sort, keys of segments or of a search, flags, addresses of copies. */
    const void *beside = NULL;
    void *beside_out = NULL; /* values of a sort, keys or lengths of runs, addresses of copies */
    uint64_t *count = NULL;  /* of the elements that are kept, of the runs */
    size_t n = 0;
    const uint32_t *offsets = NULL; /* of the segments */
    size_t segments = 0;
    uint64_t limit = 0; /* elements below it are kept; the k of a top-k */
    unsigned bits = 0;  /* of the keys that are sorted */
    unsigned bins = 0, alignment = 0;
    cudaStream_t stream = {};
};

/* work == NULL: sets `room` only. cudaErrorNotSupported: not in this CUB, or not of this type. */
struct cub_peer {
    const char *name;
    int version;
    cudaError_t (*calls[CUB_WORK_COUNT])(void *work, size_t &room, const cub_call &c);
};

/* The second one is there with BENCH_HAVE_CUB_MAIN. */
extern const cub_peer peer_cub, peer_cub_main;

template <typename T>
struct type_of;
#define TYPE_OF(T, TYPE)                            \
    template <>                                     \
    struct type_of<T> {                             \
        static constexpr parscan_type value = TYPE; \
    };
TYPE_OF(uint8_t, PARSCAN_U8)
TYPE_OF(uint16_t, PARSCAN_U16)
TYPE_OF(int16_t, PARSCAN_I16)
TYPE_OF(uint32_t, PARSCAN_U32)
TYPE_OF(uint64_t, PARSCAN_U64)
TYPE_OF(float, PARSCAN_F32)
TYPE_OF(double, PARSCAN_F64)
TYPE_OF(__half, PARSCAN_F16)
TYPE_OF(__nv_bfloat16, PARSCAN_BF16)

/* Calls f(T()) for the T among Types that is `type`. */
template <typename... Types, typename Function>
cudaError_t by_type(parscan_type type, Function f)
{
    cudaError_t error = cudaErrorNotSupported;
    ((type == type_of<Types>::value ? (void)(error = f(Types())) : (void)0), ...);
    return error;
}

/* From here on, for the files cub_*.cu: BENCH_CUB is the name of their peer. */
#ifdef BENCH_CUB
#include <cub/util_namespace.cuh>
#include <cub/version.cuh>
#include <cuda/functional>
#include <cuda/std/functional>

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define BENCH_CUB_CALLS PASTE(BENCH_CUB, _calls)

namespace lib = CUB_NS_QUALIFIER;

/* A function of the table: what CUB returns; the same for T among the types, in brackets. */
#define CUB_CALL(name, ...)                                       \
    cudaError_t name(void *work, size_t &room, const cub_call &c) \
    {                                                             \
        return __VA_ARGS__;                                       \
    }
#define CUB_TYPES(...) __VA_ARGS__
#define CUB_CALL_OF(types, name, ...)                             \
    cudaError_t name(void *work, size_t &room, const cub_call &c) \
    {                                                             \
        return by_type<CUB_TYPES types>(c.type, [&](auto zero) {  \
            typedef decltype(zero) T;                             \
            return __VA_ARGS__;                                   \
        });                                                       \
    }
#define WIDTHS (uint8_t, uint16_t, uint32_t, uint64_t)

namespace BENCH_CUB_CALLS
{
#define DECLARE_CALL(name) cudaError_t name(void *work, size_t &room, const cub_call &c);
CUB_WORKS(DECLARE_CALL)
} // namespace BENCH_CUB_CALLS
#endif

#endif
