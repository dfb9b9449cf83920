/* The launches of a sort of buckets (sort_pieces_call) for one class of keys. Compiled once a class,
   with PARSCAN_ELEMENT_NAME (u8, f16). */
#include "apps/radix/piece_kernels.cuh"
#include "apps/radix/radix_launches.cuh"
#include "apps/sort/sort_cuda.h"

/* Gives each piece its first tile, and the place after them the number of tiles, which is returned. */
static size_t number_tiles(sort_piece *pieces, size_t count, size_t tile)
{
    size_t tiles = 0;
    for (size_t k = 0; k < count; k++) {
        pieces[k].first_tile = tiles;
        tiles += pieces[k].n / tile + (pieces[k].n % tile != 0);
    }
    pieces[count] = (sort_piece){0, 0, 0, 0, tiles};
    return tiles;
}

template <typename KEY>
static cudaError_t count_pieces(const sort_pieces_call *call, size_t tiles, size_t tile)
{
    typedef digit_histogram_shape<KEY, true> shape;
    parscan_cuda *const cuda = call->sort.context->cuda;
    const size_t words = call->bucket_count * SORT_PASSES * SORT_DIGITS;
    piece_histogram_params<KEY> params = {};
    params.sort = digits_to_count<KEY>(&call->sort);
    params.pieces = call->on_device;
    params.tiles = tiles;
    params.tile = tile;
    params.after = call->on_device + call->piece_count + 1;
    params.buckets = call->bucket_count;
    params.counts = call->counts;
    params.begins = call->begins;
    const cudaError_t error =
        cudaMemsetAsync(call->counts, 0, words * sizeof *call->counts, cuda->stream);
    return error != cudaSuccess ? error
                                : launch_dependent_persistent(piece_histogram<KEY>, cuda, tiles,
                                                              shape::THREADS, shape::BYTES, params);
}

/* The status words that a pass of as many blocks as the device holds needs. */
template <typename S>
static cudaError_t most_rows(const sort_pieces_call *call, size_t tiles, unsigned *rows)
{
    parscan_cuda *const cuda = call->sort.context->cuda;
    const unsigned left_free = cuda->left_free;
    prepared_pass<S> pass = {};
    cuda->left_free = 0;
    const cudaError_t error = prepare_pass(&call->sort, tiles, &pass);
    cuda->left_free = left_free;
    *rows = pass.params.chain.rows;
    return error;
}

template <typename S>
static cudaError_t launch_pieces(const sort_pieces_call *call, const size_t *tiles)
{
    const sort_piece *const pieces[] = {call->on_device, call->on_device + call->piece_count + 1};
    const size_t most = tiles[0] > tiles[1] ? tiles[0] : tiles[1];
    const unsigned passes = call->sort.passes;
    prepared_pass<S> pass = {};
    unsigned rows = 0;
    cudaError_t error = most_rows<S>(call, most, &rows);
    if (error == cudaSuccess)
        error = clear_plans(call->sort.context->cuda, call->sort.plan, 1, rows);
    if (error == cudaSuccess)
        error = count_pieces<typename S::Key>(call, tiles[0], S::TILE);
    for (unsigned p = 0; p < passes && error == cudaSuccess; p++) {
        if (p > 0 && p + 1 == passes && call->before_last != NULL)
            call->before_last(call->state);
        error = prepare_pass(&call->sort, most, &pass);
        pass.params.chain.rows = rows;
        pass.params.pieces = pieces[p > 0];
        pass.params.tiles = tiles[p > 0];
        pass.params.begins = call->begins + p * SORT_DIGITS;
        if (error == cudaSuccess)
            error = launch_pass(&call->sort, p, &pass);
    }
    return error;
}

template <typename S>
static parscan_status sort_pieces(const sort_pieces_call *call)
{
    parscan_context *const context = call->sort.context;
    const size_t lists[] = {call->piece_count, call->bucket_count};
    const size_t tiles[] = {number_tiles(call->pieces, lists[0], S::TILE),
                            number_tiles(call->pieces + lists[0] + 1, lists[1], S::TILE)};
    const parscan_status status =
        parscan_cuda_send(context, &context->cuda->lanes[PARSCAN_LANE_CALL], call->on_device,
                          call->pieces, (lists[0] + lists[1] + 2) * sizeof *call->pieces, NULL);
    return status == PARSCAN_OK ? PARSCAN_CUDA_QUEUE(context, launch_pieces<S>(call, tiles))
                                : status;
}

template <typename KEY, unsigned VALUE_BYTES>
static parscan_status sort_pieces_by(const sort_pieces_call *call)
{
    if constexpr (VALUE_BYTES == 0 && !KEY::IS_FLOAT)
        if (call->sort.whole_keys)
            return sort_pieces<typename digit_pass_of<KEY, 0, RANK_BY_COUNTS, true>::pieced>(call);
    return sort_pieces<typename digit_pass_of<KEY, VALUE_BYTES, RANK_BY_VOTES, true>::pieced>(call);
}

parscan_status NAMED(parscan_sort_pieces)(const sort_pieces_call *call)
{
    typedef NAMED(key) KEY;
    return call->sort.value_size == 0   ? sort_pieces_by<KEY, 0>(call)
           : call->sort.value_size == 4 ? sort_pieces_by<KEY, 4>(call)
                                        : sort_pieces_by<KEY, 8>(call);
}
