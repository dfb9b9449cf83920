/*
 * The launches of segmented scans and reductions for one accumulated type: compiled once a type, with
 * PARSCAN_ELEMENT, like the CPU engine's files.
 */
#include "apps/segmented/segment_direct.cuh"
#include "apps/segmented/segmented_pass.cuh"
#include "scan/launch_element.cuh"
#include "scan/single_pass/launch_chain.cuh"

/* Offsets become bits first. */
template <typename S>
static cudaError_t mark_offsets(const parscan_segmented_cuda_call *call,
                                segmented_pass_call<S> *on_device, const void *fill_value)
{
    segment_offsets *const offsets = &on_device->offsets;
    segment_fill fill = {offsets->segments != NULL ? call->scan.out : NULL, sizeof(T), 0};
    memcpy(&fill.value, fill_value, sizeof(T));
    on_device->marks.marks = (const char *)offsets->bits;
    /* One word more than the tiles have, which a pass in reverse looks at. */
    offsets->empties = offsets->bits + on_device->plain.tiles * (S::TILE / 64) + 1;
    return parscan_mark_offsets_cuda(offsets, &fill, S::TILE, on_device->plain.tiles,
                                     on_device->plain.lead, call->scan.stream);
}

template <typename S, typename OPERATOR, bool REVERSE, bool REDUCES>
static cudaError_t segments_shaped(const parscan_segmented_cuda_call *call)
{
    typedef typename S::In In;
    static_assert(S::TILE * sizeof(T) >= SEGMENTED_LEAST_TILE_BYTES, "room for status words");
    static_assert(S::TILE <= SEGMENTED_MOST_TILE, "room for bits");
    static_assert(tile_words<segment_sum<T>>::count == SEGMENT_WORDS(sizeof(T)), "room for them");
    const parscan_scan_call *const scan = call->scan.call;
    segmented_pass_call<S> on_device;
    single_pass_call<S> *const plain = &on_device.plain;
    plain->in = (const In *)call->scan.in;
    plain->out = (T *)call->scan.out;
    plain->n = scan->n;
    plain->lead = REDUCES ? (unsigned)((uintptr_t)plain->in % 128 / sizeof(In))
                          : (unsigned)((uintptr_t)plain->out % 128 / sizeof(T));
    plain->skew = (unsigned)(((uintptr_t)plain->in - plain->lead * sizeof(In)) % 128);
    plain->tiles = plain->n == 0 ? 0 : (plain->lead + plain->n + S::TILE - 1) / S::TILE;
    plain->exclusive = scan->kind == PARSCAN_KIND_EXCLUSIVE;
    plain->keeps = scan->init == NULL;
    plain->start = start_of<OPERATOR>(&call->scan, &plain->first);
    plain->chain = chain_of(call->scan.chain);
    on_device.marks.marks = (const char *)call->marks;
    on_device.marks.mark = call->mark;
    on_device.marks.bytes = call->mark_bytes;
    on_device.marks.skew =
        (unsigned)(((uintptr_t)call->marks - plain->lead * call->mark_bytes) % 128);
    on_device.offsets = call->offsets;
    on_device.count = call->count;
    if (call->offsets.data != NULL) {
        const cudaError_t error = mark_offsets(call, &on_device, &plain->first);
        if (error != cudaSuccess || plain->n == 0)
            return error;
    }
    const segmented_layout<S> layout(call->mark_bytes);
    on_device.marks_at = layout.marks_at;
    on_device.heads_at = layout.heads_at;
    on_device.stage_bytes = layout.bytes;
    const unsigned fit = segmented_room<S>::bytes / layout.bytes;
    on_device.stages = fit < S::STAGES ? fit : (unsigned)S::STAGES;
    return launch_chain(segmented_pass<S, REVERSE, REDUCES, OPERATOR>,
                        call->scan.call->context->cuda, on_device, plain->tiles, S::THREADS,
                        segmented_room<S>::bytes);
}

template <typename In, typename OPERATOR, bool REVERSE, bool REDUCES>
static cudaError_t segments_directed(const parscan_segmented_cuda_call *call)
{
    typedef typename segmented_shape<In, T, sizeof(T)>::pipelined pipelined;
    typedef typename segmented_shape<In, T, sizeof(T)>::in_turns in_turns;
    bool is_so;
    const cudaError_t error = is_pipelined(segmented_pass<in_turns, REVERSE, REDUCES, OPERATOR>,
                                           call->scan.call->context->cuda, in_turns::THREADS,
                                           segmented_room<in_turns>::bytes, &is_so);
    if (error != cudaSuccess)
        return error;
    return is_so ? segments_shaped<pipelined, OPERATOR, REVERSE, REDUCES>(call)
                 : segments_shaped<in_turns, OPERATOR, REVERSE, REDUCES>(call);
}

cudaError_t NAMED(parscan_segmented_scan_cuda)(const parscan_segmented_cuda_call *call)
{
    const parscan_scan_call *const scan = call->scan.call;
    return dispatch(scan->in_type, scan->op, [=](auto in, auto op) {
        return scan->reverse ? segments_directed<decltype(in), decltype(op), true, false>(call)
                             : segments_directed<decltype(in), decltype(op), false, false>(call);
    });
}

static bool reduces_directly(const parscan_segmented_cuda_call *call)
{
    const size_t n = call->scan.call->n, count = call->offsets.count;
    return call->offsets.data != NULL && n > 0 && n <= DIRECT_MOST && count > 0 &&
           count <= DIRECT_SEGMENTS;
}

template <typename In, typename OPERATOR>
static cudaError_t launch_directly(const parscan_segmented_cuda_call *call)
{
    direct_call<In, T> on_device;
    const size_t count = call->offsets.count, each = (count - 1) / DIRECT_BLOCKS + 1;
    on_device.in = (const In *)call->scan.in;
    on_device.out = (T *)call->scan.out;
    on_device.offsets = call->offsets;
    on_device.start = start_of<OPERATOR>(&call->scan, &on_device.empty);
    on_device.keeps = call->scan.call->init == NULL;
    on_device.each = (unsigned)(each < DIRECT_WARPS ? each : DIRECT_WARPS);
    void *arguments[] = {&on_device};
    return cudaLaunchKernel((const void *)reduce_directly<In, T, OPERATOR>,
                            dim3((unsigned)((count - 1) / on_device.each + 1)),
                            dim3(DIRECT_WARPS * 32), arguments, 0, call->scan.stream);
}

/* Backwards a reduction only differs by an operator that does not commute: there is none. */
cudaError_t NAMED(parscan_segmented_reduce_cuda)(const parscan_segmented_cuda_call *call)
{
    const parscan_scan_call *const scan = call->scan.call;
    return dispatch(scan->in_type, scan->op, [=](auto in, auto op) {
        return reduces_directly(call)
                   ? launch_directly<decltype(in), decltype(op)>(call)
                   : segments_directed<decltype(in), decltype(op), false, true>(call);
    });
}
