/*
 * The launches of segmented scans and reductions for one output type. Compiled once for each
 * type, with PARSCAN_ELEMENT, like the CPU engine's files.
 */
#include <type_traits>

#include "apps/segmented/segmented_block_each.cuh"
#include "apps/segmented/segmented_direct.cuh"
#include "apps/segmented/segmented_few.cuh"
#include "apps/segmented/segmented_pass.cuh"
#include "apps/segments/launch_parts.cuh"
#include "scan/cuda/launch_chain.cuh"
#include "scan/launch_element.cuh"

/* The stages that a block has room for, where a mark has so many bytes. */
template <typename S>
static unsigned stages_of(unsigned mark_bytes)
{
    const unsigned fit = segmented_room<S>::bytes / segmented_layout<S>(mark_bytes).bytes;
    return fit < S::STAGES ? fit : (unsigned)S::STAGES;
}

/* For plans that depend on how many blocks the device holds. */
static void print_plan(const parscan_segmented_cuda_call *call, segmented_variant variant)
{
    const parscan_scan_call *const scan = call->scan.call;
    if (scan->context->cuda->prints_plans)
        parscan_plan_print(&parscan_segmented_plans, variant, "%zu elements, %zu segments", scan->n,
                           call->offsets.count);
}

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
    const segmented_marks_facts facts = {tiles, S::TILE, own, stages_of<S>(1), call->offsets.count};
    const segmented_variant variant =
        parscan_segmented_marks_plan(&call->scan.call->context->cuda->plan_device, &facts);
    print_plan(call, variant);
    *marks = mark_params{NULL, (unsigned)own, call->offsets, SEGMENT_FLAGS, 1, 0};
    if (variant == SEGMENTED_FLAGS_OF_TILES)
        return cudaSuccess;
    *marks = mark_params{(const char *)call->offsets.bits, 0, call->offsets, SEGMENT_BITS, 0, 0};
    const size_t beyond = SEGMENT_BITS_BEYOND / 8;
    return parscan_mark_offsets_cuda(call->scan.call->context->cuda, &call->offsets,
                                     tiles * (S::TILE / 8) + beyond, S::TILE / 8 + beyond,
                                     params->plain.head_padding);
}

/* In kernels of f64 no registers are left for an init in device memory: it has kernels of its own. */
template <typename S, bool REVERSE, bool REDUCES, typename OPERATOR>
static auto pass_of(bool reads)
{
    if constexpr (std::is_same<T, double>::value)
        if (!reads)
            return segmented_pass<S, REVERSE, REDUCES, OPERATOR, false>;
    return segmented_pass<S, REVERSE, REDUCES, OPERATOR, true>;
}

/* The parameters of a kernel of tiles, but for its stages. */
template <typename S, typename OPERATOR, bool REDUCES>
static segmented_pass_params<S> pass_params_of(const parscan_segmented_cuda_call *call)
{
    typedef typename S::In In;
    static_assert(S::TILE <= SEGMENTED_MOST_TILE, "room for bits");
    static_assert(tile_words<segment_sum<T>>::count == SEGMENT_WORDS(sizeof(T)),
                  "room for the words of an aggregate");
    const parscan_scan_call *const scan = call->scan.call;
    segmented_pass_params<S> params;
    single_pass_params<S> *const plain = &params.plain;
    plain->in = (const In *)call->scan.in;
    plain->out = (Stored *)call->scan.out;
    plain->head_padding = REDUCES ? (unsigned)((uintptr_t)plain->in % 128 / sizeof(In))
                                  : (unsigned)((uintptr_t)plain->out % 128 / sizeof(Stored));
    plain->misalignment =
        (unsigned)(((uintptr_t)plain->in - plain->head_padding * sizeof(In)) % 128);
    plain->length = device_length{NULL, NULL}; /* in params.marks.offsets */
    plain->set_length(scan->n);
    plain->exclusive = scan->kind == PARSCAN_KIND_EXCLUSIVE;
    plain->keeps = !parscan_has_init(scan);
    plain->init_at = (const Stored *)scan->init_at;
    plain->start = start_of<OPERATOR>(&call->scan);
    round_to(first_of(&call->scan, plain->start), &plain->first);
    plain->chain = chain_of(call->scan.chain);
    params.continues = call->open != NULL;
    params.open = plain->start;
    if (params.continues)
        memcpy(&params.open, call->open, sizeof params.open);
    params.marks = mark_params{
        (const char *)call->marks,
        0,
        call->offsets,
        call->mark,
        call->mark_bytes,
        (unsigned)(((uintptr_t)call->marks - plain->head_padding * call->mark_bytes) % 128)};
    params.count = call->count;
    params.capacity = call->capacity;
    params.through = (T *)call->through;
    params.keys_out = call->keys_out;
    params.keys = call->mark == SEGMENT_FLAGS ? (const char *)call->keys : NULL;
    params.key_bytes = call->key_bytes;
    return params;
}

template <typename S, typename OPERATOR, bool REVERSE, bool REDUCES>
static cudaError_t segments_shaped(const parscan_segmented_cuda_call *call)
{
    static_assert(S::TILE * sizeof(Stored) >= SEGMENTED_LEAST_TILE_BYTES, "room for status words");
    segmented_pass_params<S> params = pass_params_of<S, OPERATOR, REDUCES>(call);
    const single_pass_params<S> *const plain = &params.plain;
    const auto pass = pass_of<S, REVERSE, REDUCES, OPERATOR>(plain->init_at != NULL);
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
    return launch_chain(pass, call->scan.call->context->cuda, params, plain->tiles, S::THREADS,
                        segmented_room<S>::bytes);
}

template <typename In, typename OPERATOR, bool REVERSE, bool REDUCES>
static cudaError_t launch_few(const parscan_segmented_cuda_call *call)
{
    typedef few_segments_shape<In, T, Stored> S;
    static_assert(S::TILE * SEGMENTED_FEW_ELEMENT(sizeof(Stored)) == PARSCAN_FEW_TILE_BYTES,
                  "room for status words");
    const segmented_pass_params<S> params = pass_params_of<S, OPERATOR, REDUCES>(call);
    void (*kernel)(segmented_pass_params<S>);
    if constexpr (REDUCES)
        kernel = reduce_few_segments<S, OPERATOR>;
    else
        kernel = scan_few_segments<S, REVERSE, OPERATOR>;
    return launch_dependent(kernel, call->scan.call->context->cuda, params.plain.tiles, S::THREADS,
                            0, params);
}

template <typename In, typename OPERATOR, bool REVERSE, bool REDUCES>
static cudaError_t segments_directed(const parscan_segmented_cuda_call *call)
{
    typedef
        typename segmented_shape<In, T, sizeof(Stored), Stored>::warp_specialised warp_specialised;
    typedef typename segmented_shape<In, T, sizeof(Stored), Stored>::unspecialised unspecialised;
    if (call->variant == SEGMENTED_FEW)
        return launch_few<In, OPERATOR, REVERSE, REDUCES>(call);
    return PARSCAN_WARP_SPECIALISED(call->scan.call->context->cuda->plan_device.architecture)
               ? segments_shaped<warp_specialised, OPERATOR, REVERSE, REDUCES>(call)
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

/* What every launch by offsets gets. */
template <typename PARAMS, typename In, typename OPERATOR>
static PARAMS offset_params_of(const parscan_segmented_cuda_call *call)
{
    PARAMS params = {};
    params.in = (const In *)call->scan.in;
    params.out = (Stored *)call->scan.out;
    params.offsets = call->offsets;
    params.start = start_of<OPERATOR>(&call->scan);
    params.empty = first_of(&call->scan, params.start);
    params.keeps = !parscan_has_init(call->scan.call);
    params.init_at = (const Stored *)call->scan.call->init_at;
    params.chain = chain_of(call->scan.chain);
    return params;
}

/* The same for few elements. */
template <typename In, typename OPERATOR>
static direct_params<In, T, Stored> direct_params_of(const parscan_segmented_cuda_call *call)
{
    typedef direct_params<In, T, Stored> params_type;
    params_type params = offset_params_of<params_type, In, OPERATOR>(call);
    params.exclusive = call->scan.call->kind == PARSCAN_KIND_EXCLUSIVE;
    params.reverse = call->scan.call->reverse;
    return params;
}

template <typename In, typename OPERATOR, bool SCANS>
static cudaError_t launch_block_each(const parscan_segmented_cuda_call *call)
{
    print_plan(call, call->variant);
    return launch_dependent(segments_by_blocks<In, T, OPERATOR, SCANS, Stored>,
                            call->scan.call->context->cuda, (unsigned)call->offsets.count,
                            BLOCK_EACH_THREADS, 0, direct_params_of<In, OPERATOR>(call));
}

template <typename In, typename OPERATOR, bool SCANS>
static cudaError_t launch_directly(const parscan_segmented_cuda_call *call)
{
    const parscan_scan_call *const scan = call->scan.call;
    const auto function = segments_directly<In, T, OPERATOR, SCANS, Stored>;
    parscan_cuda_kernel kernel;
    const cudaError_t error = parscan_cuda_kernel_of(scan->context->cuda, (const void *)function,
                                                     DIRECT_THREADS, 0, &kernel);
    if (error != cudaSuccess)
        return error;
    static_assert(DIRECT_MOST_FINDERS <= DIRECT_THREADS,
                  "a thread of a tile block for each finder");
    segmented_facts facts = {};
    facts.reduces = !SCANS;
    facts.by_offsets = true;
    facts.n = scan->n;
    facts.segments = call->offsets.count;
    facts.out_size = sizeof(Stored);
    const segmented_direct_plan plan =
        parscan_segmented_direct_plan(&scan->context->cuda->plan_device, &facts, kernel.blocks);
    print_plan(call, plan.variant);
    direct_params<In, T, Stored> params = direct_params_of<In, OPERATOR>(call);
    params.each = plan.each;
    params.finders = plan.finders;
    params.tile = (uint32_t)plan.tile;
    return launch_overlapped(scan->context->cuda, kernel, plan.finders + (unsigned)plan.tile_blocks,
                             params);
}

cudaError_t NAMED(parscan_segmented_scan_cuda)(const parscan_segmented_cuda_call *call)
{
    const parscan_scan_call *const scan = call->scan.call;
    return dispatch_commuting(scan, [=](auto in, auto op) {
        if (call->variant == SEGMENTED_DIRECT)
            return launch_directly<decltype(in), decltype(op), true>(call);
        if (call->variant == SEGMENTED_BLOCK_EACH)
            return launch_block_each<decltype(in), decltype(op), true>(call);
        return scan->reverse ? segments_directed<decltype(in), decltype(op), true, false>(call)
                             : segments_directed<decltype(in), decltype(op), false, false>(call);
    });
}

template <typename In, typename OPERATOR>
static cudaError_t launch_parts(const parscan_segmented_cuda_call *call)
{
    static_assert(PARTS_MOST_TILES == SEGMENTED_REDUCE_TILES, "room for status words");
    typedef merge_path_params<In, T, Stored> params_type;
    params_type params = offset_params_of<params_type, In, OPERATOR>(call);
    return launch_reduce_parts<OPERATOR>(call->scan.call->context->cuda, params);
}

/* The direction of a reduction would matter only for an operator that does not commute; there is
   none on CUDA. */
cudaError_t NAMED(parscan_segmented_reduce_cuda)(const parscan_segmented_cuda_call *call)
{
    const parscan_scan_call *const scan = call->scan.call;
    return dispatch_commuting(scan, [=](auto in, auto op) {
        switch (call->variant) {
        case SEGMENTED_DIRECT:
            return launch_directly<decltype(in), decltype(op), false>(call);
        case SEGMENTED_BLOCK_EACH:
            return launch_block_each<decltype(in), decltype(op), false>(call);
        case SEGMENTED_PARTS:
            return launch_parts<decltype(in), decltype(op)>(call);
        default:
            return segments_directed<decltype(in), decltype(op), false, true>(call);
        }
    });
}
