/*
 * The launches of segmented scans and reductions for one accumulated type. Compiled once for each
 * type, with PARSCAN_ELEMENT, like the CPU engine's files.
 */
#include "apps/segmented/segmented_direct.cuh"
#include "apps/segmented/segmented_pass.cuh"
#include "apps/segmented/segmented_reduce_merge_path.cuh"
#include "scan/cuda/launch_chain.cuh"
#include "scan/launch_element.cuh"

/* The stages that a block has room for, where a mark has so many bytes. */
template <typename S>
static unsigned stages_of(unsigned mark_bytes)
{
    const unsigned fit = segmented_room<S>::bytes / segmented_layout<S>(mark_bytes).bytes;
    return fit < S::STAGES ? fit : (unsigned)S::STAGES;
}

/* Blocks make the flags of their tiles themselves if they have at most so many tiles, and if there
   are at most so many offsets, in all and for each element: all of them may be a single tile's. */
#define MOST_OWN_TILES 8u
#define MOST_OFFSETS_IN_BLOCKS ((size_t)1 << 22)
#define MOST_OFFSETS_OF_ELEMENT 32u

/* Where blocks go on to load, more stages make loads run too far ahead of stores. */
#define MOST_STAGES_LOADED 6u

/* Turns offsets into flags in the stages, if every block has a stage for each of its tiles;
   otherwise into bits, by a launch before. */
template <typename S, typename Kernel>
static cudaError_t mark_offsets(const parscan_segmented_cuda_call *call, Kernel *pass,
                                segmented_pass_params<S> *params)
{
    mark_params *const marks = &params->marks;
    const size_t tiles = params->plain.tiles;
    parscan_cuda_kernel kernel;
    const cudaError_t error =
        parscan_cuda_kernel_of(call->scan.call->context->cuda, (const void *)pass, S::THREADS,
                               segmented_room<S>::bytes, &kernel);
    if (error != cudaSuccess)
        return error;
    const size_t own = tiles == 0 ? 1 : (tiles - 1) / kernel.blocks + 1;
    const size_t most = stages_of<S>(1) < MOST_OWN_TILES ? stages_of<S>(1) : MOST_OWN_TILES;
    *marks = mark_params{NULL, (unsigned)own, call->offsets, SEGMENT_FLAGS, 1, 0};
    if (tiles > 0 && own <= most && call->offsets.count <= MOST_OFFSETS_IN_BLOCKS &&
        call->offsets.count / MOST_OFFSETS_OF_ELEMENT <= tiles * S::TILE)
        return cudaSuccess;
    *marks = mark_params{(const char *)call->offsets.bits, 0, call->offsets, SEGMENT_BITS, 0, 0};
    return parscan_mark_offsets_cuda(&call->offsets,
                                     tiles * (S::TILE / 8) + SEGMENT_BITS_BEYOND / 8,
                                     params->plain.head_padding, call->scan.stream);
}

template <typename S, typename OPERATOR, bool REVERSE, bool REDUCES>
static cudaError_t segments_shaped(const parscan_segmented_cuda_call *call)
{
    typedef typename S::In In;
    static_assert(S::TILE * sizeof(T) >= SEGMENTED_LEAST_TILE_BYTES, "room for status words");
    static_assert(S::TILE <= SEGMENTED_MOST_TILE, "room for bits");
    static_assert(tile_words<segment_sum<T>>::count == SEGMENT_WORDS(sizeof(T)),
                  "room for the words of an aggregate");
    const parscan_scan_call *const scan = call->scan.call;
    segmented_pass_params<S> params;
    single_pass_params<S> *const plain = &params.plain;
    plain->in = (const In *)call->scan.in;
    plain->out = (T *)call->scan.out;
    plain->n = scan->n;
    plain->head_padding = REDUCES ? (unsigned)((uintptr_t)plain->in % 128 / sizeof(In))
                                  : (unsigned)((uintptr_t)plain->out % 128 / sizeof(T));
    plain->misalignment =
        (unsigned)(((uintptr_t)plain->in - plain->head_padding * sizeof(In)) % 128);
    plain->tiles = plain->n == 0 ? 0 : (plain->head_padding + plain->n + S::TILE - 1) / S::TILE;
    plain->exclusive = scan->kind == PARSCAN_KIND_EXCLUSIVE;
    plain->keeps = scan->init == NULL;
    plain->start = start_of<OPERATOR>(&call->scan, &plain->first);
    plain->chain = chain_of(call->scan.chain);
    params.continues = call->open != NULL;
    params.open = plain->start;
    if (params.continues)
        memcpy(&params.open, call->open, sizeof params.open);
    params.marks = mark_params{
        (const char *)call->marks,
        0,
        {},
        call->mark,
        call->mark_bytes,
        (unsigned)(((uintptr_t)call->marks - plain->head_padding * call->mark_bytes) % 128)};
    params.count = call->count;
    const auto pass = segmented_pass<S, REVERSE, REDUCES, OPERATOR>;
    if (call->offsets.data != NULL) {
        const cudaError_t error = mark_offsets(call, pass, &params);
        if (error != cudaSuccess || plain->n == 0)
            return error;
    }
    const segmented_layout<S> layout(params.marks.bytes);
    params.marks_at = layout.marks_at;
    params.heads_at = layout.heads_at;
    params.stage_bytes = layout.bytes;
    params.stages = stages_of<S>(params.marks.bytes);
    if (params.marks.marks != NULL && params.stages > MOST_STAGES_LOADED)
        params.stages = MOST_STAGES_LOADED;
    return launch_chain(pass, scan->context->cuda, params, plain->tiles, S::THREADS,
                        segmented_room<S>::bytes);
}

template <typename In, typename OPERATOR, bool REVERSE, bool REDUCES>
static cudaError_t segments_directed(const parscan_segmented_cuda_call *call)
{
    typedef typename segmented_shape<In, T, sizeof(T)>::warp_specialised warp_specialised;
    typedef typename segmented_shape<In, T, sizeof(T)>::unspecialised unspecialised;
    bool is_so;
    const cudaError_t error = is_warp_specialised(
        segmented_pass<unspecialised, REVERSE, REDUCES, OPERATOR>, call->scan.call->context->cuda,
        unspecialised::THREADS, segmented_room<unspecialised>::bytes, &is_so);
    if (error != cudaSuccess)
        return error;
    return is_so ? segments_shaped<warp_specialised, OPERATOR, REVERSE, REDUCES>(call)
                 : segments_shaped<unspecialised, OPERATOR, REVERSE, REDUCES>(call);
}

/* dispatch() for the operators that commute: segmented_cuda.c refuses the others. */
template <typename Launch>
static cudaError_t dispatch_commuting(const parscan_scan_call *scan, Launch launch)
{
    return dispatch(scan->in_type, scan->op, [=](auto in, auto op) {
        if constexpr (decltype(op)::commutes)
            return launch(in, op);
        else
            return cudaErrorNotSupported;
    });
}

/* A direct call's segments are divided evenly over at most so many blocks, unless a block would have
   more than DIRECT_EACH. */
#define DIRECT_FINDERS ((size_t)264)
/* The least elements of a tile, and the most elements for which there are no tile blocks: up to there
   a block alone is faster, whatever the lengths of segments. For a scan both are smaller, since it
   reads what is shared among warps twice. */
#define DIRECT_SCAN_TILE ((size_t)4096)
#define DIRECT_SCAN_ALONE ((size_t)8192)
#define DIRECT_REDUCE_TILE ((size_t)16384)
#define DIRECT_REDUCE_ALONE ((size_t)32768)

/* There are as many tile blocks as there may be tiles: fewer than 2 n / tile, since only what is
   longer than a tile is cut into tiles. They are fewer than the blocks that the device holds. If a
   tile would have all elements, there are none. */
template <typename In, typename OPERATOR, bool SCANS>
static cudaError_t launch_directly(const parscan_segmented_cuda_call *call)
{
    const parscan_scan_call *const scan = call->scan.call;
    const size_t n = scan->n, count = call->offsets.count, each = (count - 1) / DIRECT_FINDERS + 1;
    const auto function = segments_directly<In, T, OPERATOR, SCANS>;
    parscan_cuda_kernel kernel;
    const cudaError_t error = parscan_cuda_kernel_of(scan->context->cuda, (const void *)function,
                                                     DIRECT_THREADS, 0, &kernel);
    if (error != cudaSuccess)
        return error;
    static_assert(SEGMENTED_DIRECT_SEGMENTS / DIRECT_EACH <= DIRECT_THREADS &&
                      DIRECT_FINDERS <= DIRECT_THREADS,
                  "a thread of a tile block for each finder");
    static_assert(SEGMENTED_DIRECT_SEGMENTS / DIRECT_EACH >= DIRECT_FINDERS &&
                      SEGMENTED_DIRECT_SEGMENTS / DIRECT_EACH +
                              2 * SEGMENTED_DIRECT_MOST / DIRECT_SCAN_TILE * tile_words<T>::count <=
                          SEGMENTED_DIRECT_WORDS,
                  "room for status words");
    direct_params<In, T> params;
    params.in = (const In *)call->scan.in;
    params.out = (T *)call->scan.out;
    params.offsets = call->offsets;
    params.start = start_of<OPERATOR>(&call->scan, &params.empty);
    params.keeps = scan->init == NULL;
    params.exclusive = scan->kind == PARSCAN_KIND_EXCLUSIVE;
    params.reverse = scan->reverse;
    params.each = (unsigned)(each < DIRECT_EACH ? each : DIRECT_EACH);
    params.finders = (unsigned)((count - 1) / params.each + 1);
    params.chain = chain_of(call->scan.chain);
    const size_t least = SCANS ? DIRECT_SCAN_TILE : DIRECT_REDUCE_TILE;
    size_t tile = n, tile_blocks = 0;
    if (n > (SCANS ? DIRECT_SCAN_ALONE : DIRECT_REDUCE_ALONE) && kernel.blocks > 1) {
        const size_t share = (2 * n - 1) / (kernel.blocks - 1) + 1;
        tile = share < least ? least : share < n ? share : n;
        tile_blocks = tile < n ? (2 * n - 1) / tile : 0;
    }
    params.tile = (uint32_t)tile;
    return launch_overlapped(scan->context->cuda, kernel, params.finders + (unsigned)tile_blocks,
                             params);
}

cudaError_t NAMED(parscan_segmented_scan_cuda)(const parscan_segmented_cuda_call *call)
{
    const parscan_scan_call *const scan = call->scan.call;
    return dispatch_commuting(scan, [=](auto in, auto op) {
        if (call->is_direct)
            return launch_directly<decltype(in), decltype(op), true>(call);
        return scan->reverse ? segments_directed<decltype(in), decltype(op), true, false>(call)
                             : segments_directed<decltype(in), decltype(op), false, false>(call);
    });
}

/* At most as many tiles as the device holds blocks, one each. So a block waits for blocks before it in
   the grid only (launch_chain.cuh). */
template <typename In, typename OPERATOR>
static cudaError_t launch_parts(const parscan_segmented_cuda_call *call)
{
    const size_t most = slice_size<In>::most;
    parscan_cuda *const cuda = call->scan.call->context->cuda;
    const auto function = call->offsets.wide ? reduce_parts<In, T, OPERATOR, uint64_t>
                                             : reduce_parts<In, T, OPERATOR, uint32_t>;
    parscan_cuda_kernel kernel;
    const cudaError_t error =
        parscan_cuda_kernel_of(cuda, (const void *)function, PARTS_THREADS, 0, &kernel);
    if (error != cudaSuccess)
        return error;
    const size_t items = call->scan.call->n + call->offsets.count;
    const size_t blocks =
        kernel.blocks < SEGMENTED_REDUCE_TILES ? kernel.blocks : SEGMENTED_REDUCE_TILES;
    const size_t part = items / (blocks * PARTS_OF_TILE) / 32 * 32 + 32;
    merge_path_params<In, T> params;
    params.in = (const In *)call->scan.in;
    params.out = (T *)call->scan.out;
    params.offsets = call->offsets;
    params.start = start_of<OPERATOR>(&call->scan, &params.empty);
    params.keeps = call->scan.call->init == NULL;
    params.part = part < LEAST_PART ? LEAST_PART : part;
    const size_t slices = (params.part - 1) / most + 1;
    params.slice = (unsigned)((params.part - 1) / slices + 1);
    params.chain = chain_of(call->scan.chain);
    const size_t tiles = items == 0 ? 1 : (items - 1) / (params.part * PARTS_OF_TILE) + 1;
    return launch_overlapped(cuda, kernel, (unsigned)tiles, params);
}

/* The direction of a reduction would matter only for an operator that does not commute; there is
   none on CUDA. */
cudaError_t NAMED(parscan_segmented_reduce_cuda)(const parscan_segmented_cuda_call *call)
{
    const parscan_scan_call *const scan = call->scan.call;
    return dispatch_commuting(scan, [=](auto in, auto op) {
        if (call->is_direct)
            return launch_directly<decltype(in), decltype(op), false>(call);
        return call->offsets.data != NULL
                   ? launch_parts<decltype(in), decltype(op)>(call)
                   : segments_directed<decltype(in), decltype(op), false, true>(call);
    });
}
