/* The launches of top-k. Compiled once for each size of an element, with PARSCAN_ELEMENT. */
#include "apps/select/top_k_blocks.cuh"
#include "apps/select/top_k_kernels.cuh"
#include "apps/select/top_k_list.cuh"
#include "apps/select/top_k_rows.cuh"
#include "apps/select/top_k_segments.cuh"
#include "apps/select/top_k_warps.cuh"
#include "scan/cuda/cuda_element.cuh"
#include "scan/cuda/launch_chain.cuh"

static_assert(TOP_K_MOST_CHOSEN <= code_of<wide_code>::ROOM / 2, "a block has room for its choice");
static_assert(TOP_K_MOST_CHOSEN <= code_of<uint64_t>::ROOM / 2, "a block has room for its choice");

static_assert(sizeof(stream_shared<wide_code>) <= TOP_K_STREAM_BYTES &&
                  sizeof(stream_shared<uint64_t>) <= TOP_K_STREAM_BYTES,
              "a block has so much shared memory");
static_assert(select_chunks<Stored>::BYTES == TOP_K_CHUNK_BYTES, "as the plan says");
static_assert(ROWS_THREADS == TOP_K_ROWS_OF_BLOCK, "as the plan says");

template <typename CODE>
static top_params<Stored, CODE> params_of(const top_k_cuda_call *call)
{
    typedef typename code_of<CODE>::PART PART;
    top_params<Stored, CODE> params;
    params.elements.in = (const Stored *)call->in;
    params.elements.ranks.set(call->order);
    params.length = length_at(call->context, call->n_at);
    params.set_length(call->n);
    params.samples = call->plan.samples;
    params.room = call->plan.room;
    params.row = call->row;
    params.shortest = call->plan.variant == TOP_K_SEGMENT_BOTH ? TOP_K_WARP_ELEMENTS + 1 : 0;
    params.to = {(const Stored *)call->in,
                 (Stored *)call->values,
                 call->indices,
                 call->wide,
                 call->k,
                 call->counts,
                 call->count,
                 call->segments};
    params.offsets = call->offsets;
    params.sampled = (CODE *)call->sampled;
    params.state = call->state;
    params.ranks = (PART *)call->ranks;
    params.places = (PART *)call->places;
    params.sorted = (const PART *)call->sorted;
    params.segment_of = call->segment_of;
    params.chain = chain_of(call->chain);
    return params;
}

/* A thread for each of n. */
template <typename CODE>
static cudaError_t launch_flat(const top_k_cuda_call *call,
                               void (*kernel)(const top_params<Stored, CODE>), size_t n)
{
    return launch_dependent_persistent(kernel, call->context->cuda, n / TOP_FLAT_THREADS + 1,
                                       TOP_FLAT_THREADS, 0, params_of<CODE>(call));
}

/* Codes of rows up to TOP_K_WARP_ELEMENTS are narrow, if elements are. */
typedef code_of_rank<rank_type<Stored>::RANK>::CODE Row_code;

template <unsigned K>
static cudaError_t launch_row_threads(const top_k_cuda_call *call)
{
    const auto rows = row_params<Stored>::of(params_of<Row_code>(call), K);
    return launch_dependent_persistent(top_k_choose_by_threads<K, Stored>, call->context->cuda,
                                       rows.rows / ROWS_THREADS + 1, ROWS_THREADS,
                                       rows.shared_bytes(), rows);
}

static cudaError_t launch_row_warps(const top_k_cuda_call *call)
{
    const unsigned V = 16 / sizeof(Stored), SHORT = 256 / 32 < V ? V : 256 / 32;
    const auto rows = params_of<Row_code>(call);
    const bool vectors = (uintptr_t)call->in % 16 == 0 && call->row % V == 0;
    const auto kernel = vectors && call->row == 1024
                            ? top_k_rows_by_warps<32, V, true, Stored, Row_code>
                        : call->row > 32 * SHORT
                            ? (vectors ? top_k_rows_by_warps<32, V, false, Stored, Row_code>
                                       : top_k_rows_by_warps<32, 1, false, Stored, Row_code>)
                            : (vectors ? top_k_rows_by_warps<SHORT, V, false, Stored, Row_code>
                                       : top_k_rows_by_warps<SHORT, 1, false, Stored, Row_code>);
    return launch_dependent_persistent(kernel, call->context->cuda,
                                       rows.n / rows.row / (WARPS_THREADS / 32) + 1, WARPS_THREADS,
                                       0, rows);
}

template <typename CODE>
static cudaError_t launch_rows(const top_k_cuda_call *call)
{
    const auto rows = params_of<CODE>(call);
    if (call->plan.variant == TOP_K_ROW_WARPS)
        return launch_row_warps(call);
    if (call->plan.variant == TOP_K_ROW_THREADS)
        return call->k <= 8 ? launch_row_threads<8>(call) : launch_row_threads<16>(call);
    return launch_dependent_persistent(top_k_rows_by_blocks<Stored, CODE>, call->context->cuda,
                                       rows.n / rows.row, CHUNK_THREADS,
                                       sizeof(stream_shared<CODE>), rows);
}

template <bool SPECIALISED, typename CODE>
static cudaError_t launch_list(const top_k_cuda_call *call)
{
    typedef list_shape<SPECIALISED> S;
    auto params = params_of<CODE>(call);
    const size_t tiles = list_tiles(params.elements.in, params.n);
    return launch_chain(top_k_list<S, Stored, CODE>, call->context->cuda, params,
                        tiles == 0 ? 1 : tiles, S::THREADS, S::SHARED_BYTES);
}

template <typename CODE>
static cudaError_t launch_step(const top_k_cuda_call *call, top_k_step step)
{
    parscan_cuda *const cuda = call->context->cuda;
    const top_params<Stored, CODE> params = params_of<CODE>(call);
    const bool whole = call->offsets.data == NULL;
    switch (step) {
    case TOP_K_CHOOSE:
        return launch_dependent_persistent(top_k_choose<Stored, CODE>, cuda,
                                           whole ? 1 : call->offsets.count + 1, CHOOSE_THREADS, 0,
                                           params);
    case TOP_K_WARPS:
        return launch_dependent_persistent(top_k_choose_by_warps<Stored, CODE>, cuda,
                                           call->offsets.count / (WARPS_THREADS / 32 * 2) + 1,
                                           WARPS_THREADS, 0, params);
    case TOP_K_ROWS:
        return launch_rows<CODE>(call);
    case TOP_K_WHOLE:
        return launch_dependent_persistent(top_k_by_blocks<Stored, CODE>, cuda, call->plan.blocks,
                                           CHUNK_THREADS, sizeof(stream_shared<CODE>), params);
    case TOP_K_SAMPLE:
        return launch_dependent(top_k_sample<Stored, CODE>, cuda,
                                params.samples / TOP_K_SAMPLES_OF_BLOCK, TOP_THREADS, 0, params);
    case TOP_K_FILTER:
        return launch_dependent_persistent(
            top_k_filter<Stored, CODE>, cuda,
            select_chunks<Stored>{params.elements.in, params.n}.count(), CHUNK_THREADS, 0, params);
    case TOP_K_LIST:
        return call->plan.specialised ? launch_list<true, CODE>(call)
                                      : launch_list<false, CODE>(call);
    case TOP_K_FINISH:
        return launch_dependent(top_k_finish<Stored, CODE>, cuda, 1, TOP_THREADS, 0, params);
    case TOP_K_REPAIR:
        return launch_dependent(top_k_repair<Stored, CODE>, cuda, 1, TOP_THREADS, 0, params);
    case TOP_K_DIVIDE:
        return launch_flat(call, top_k_divide<Stored, CODE>, call->n);
    case TOP_K_WRITE:
        return whole ? launch_flat(call, top_k_write<Stored, CODE>, call->k)
                     : launch_flat(call, top_k_write_segments<Stored, CODE>,
                                   32 * call->offsets.count);
    }
    return cudaErrorInvalidValue;
}

cudaError_t NAMED(parscan_top_k_launch)(const top_k_cuda_call *call, top_k_step step)
{
    if constexpr (sizeof(Stored) < sizeof(uint64_t))
        if (!call->plan.wide)
            return launch_step<uint64_t>(call, step);
    return launch_step<wide_code>(call, step);
}
