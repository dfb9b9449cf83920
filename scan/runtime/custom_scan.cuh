/* The single pass over elements of a caller. tile_pipeline.cuh has the order of the steps. */
#ifndef PARSCAN_SCAN_RUNTIME_CUSTOM_SCAN_CUH
#define PARSCAN_SCAN_RUNTIME_CUSTOM_SCAN_CUH

#include "scan/runtime/custom_tile.cuh"

/* What a scan's elements have beside themselves, and what its results become: nothing, and the output. */
template <typename CALLER>
struct no_marks {
    typedef custom_operator<CALLER> combining;
    static const bool MARKED = false;
    template <typename S>
    struct room {
    };

    template <typename S, bool REVERSE, unsigned GROUP>
    __device__ __forceinline__ void mark_first(room<S> &, unsigned, size_t, unsigned,
                                               typename S::T (&)[GROUP][S::LANE]) const
    {
    }
    template <typename S, bool REVERSE, unsigned GROUP>
    __device__ __forceinline__ void mark(const room<S> &, unsigned, size_t, unsigned,
                                         typename S::T (&)[GROUP][S::LANE]) const
    {
    }
    template <typename S, bool REVERSE>
    __device__ __forceinline__ void store(room<S> &, unsigned, const single_pass_params<S> &params,
                                          const tile_extent<S, REVERSE> &extent, unsigned vector,
                                          const typename S::T (&y)[S::GROUP][S::LANE]) const
    {
        store_custom(CALLER(), params, extent, vector, y);
    }
};

template <typename CALLER, typename S, bool REVERSE, typename MARKS = no_marks<CALLER>>
struct custom_steps : single_pass_steps<S, REVERSE, typename MARKS::combining> {
    typedef typename S::T prefix;
    const custom_call &call;
    const MARKS &marks;
    typename MARKS::template room<S> &room;

    __device__ __forceinline__ typename MARKS::combining op() const { return {}; }

    /* With a map nothing is copied: the step that reduces fills the stage. */
    __device__ __forceinline__ tile_source source(unsigned, unsigned stage, size_t tile) const
    {
        if constexpr (CALLER::LOADS)
            return tile_source{this->stage_at(stage), nullptr, {0, 0, 0, 0, true}};
        else
            return source_of(this->params, tile_extent<S, REVERSE>(this->params, tile),
                             this->stage_at(stage));
    }

    /* A warp's part of the stage, by the map: neighbouring lanes have neighbouring elements. All loads of a lane are in
       flight at once, so nothing may branch between them. */
    __device__ __forceinline__ void fill_by_map(unsigned stage,
                                                const tile_extent<S, REVERSE> &extent,
                                                unsigned part, unsigned lane) const
    {
        typedef typename S::In E;
        const unsigned EACH = S::PART / 32, UNIT = unit_size(CALLER::SIZE, 16);
        const size_t begin = extent.at * S::TILE - this->params.head_padding;
        const unsigned first = (REVERSE ? S::SCANNERS - 1 - part : part) * S::PART + lane;
        E *const to = (E *)this->stage_at(stage);
        if (__builtin_expect(!extent.partial(), 1)) {
            E x[EACH];
#pragma unroll
            for (unsigned k = 0; k < EACH; k++)
                x[k] = CALLER::load(call.in, begin + first + k * 32);
#pragma unroll
            for (unsigned k = 0; k < EACH; k++)
                write_units<UNIT>(to + first + k * 32, x[k]);
        } else {
#pragma unroll 1
            for (unsigned k = first; k < first + S::PART - lane; k += 32)
                if (k >= extent.begin && k < extent.end)
                    write_units<UNIT>(to + k, CALLER::load(call.in, begin + k));
        }
        __syncwarp();
    }

    __device__ __forceinline__ void load_ends(unsigned stage, size_t tile, unsigned thread,
                                              unsigned threads) const
    {
        if constexpr (S::NEUTRAL_EDGES) {
            load_edges<S>(op(), source(0, stage, tile), this->params.misalignment, thread, threads);
        } else {
            typedef typename unit_of<unit_size(CALLER::SIZE, CALLER::ALIGNMENT)>::type U;
            ::load_ends<U>(source(0, stage, tile), thread, threads);
        }
    }

    /* FIRST: by the step that reduces, which the one that scans follows. */
    template <bool FIRST, unsigned GROUP>
    __device__ __forceinline__ void load(unsigned stage, const tile_extent<S, REVERSE> &extent,
                                         unsigned vector, prefix (&x)[GROUP][S::LANE]) const
    {
        const size_t begin = extent.at * S::TILE - this->params.head_padding;
        load_custom<S, REVERSE>(this->elements_of(stage), this->params.misalignment, vector, x);
        if constexpr (FIRST)
            marks.template mark_first<S, REVERSE>(room, stage, begin, vector, x);
        else
            marks.template mark<S, REVERSE>(room, stage, begin, vector, x);
        if constexpr (!S::NEUTRAL_EDGES)
            clear_edges(op(), extent, vector, x);
    }

    template <typename Event>
    __device__ __forceinline__ void reduce(unsigned stage, size_t tile, Event landed,
                                           unsigned reducer, unsigned lane) const
    {
        const tile_extent<S, REVERSE> extent(this->params, tile);
        landed.wait();
        for (unsigned part = reducer; part < S::SCANNERS; part += S::REDUCERS) {
            prefix x[S::VECTORS][S::LANE];
            if constexpr (CALLER::LOADS)
                fill_by_map(stage, extent, part, lane);
            load<true>(stage, extent, part * S::VECTORS * 32 + lane, x);
            const prefix sum = reduce_loaded<S>(op(), x);
            if (lane == 0)
                this->shared.sums[stage][part] = sum;
        }
    }

    __device__ __forceinline__ prefix first() const
    {
        if constexpr (MARKS::MARKED)
            return identity(op());
        else
            return start_of<CALLER, prefix>(call);
    }

    /* What is combined with the identity might not keep its bits: the first element and init do. */
    __device__ __forceinline__ void store_first(unsigned stage,
                                                const tile_extent<S, REVERSE> &extent,
                                                unsigned part, unsigned lane) const
    {
        const unsigned first = REVERSE ? extent.end - 1 : extent.begin;
        const unsigned order = REVERSE ? S::TILE - 1 - first : first;
        const bool copied = call.exclusive == 0 && call.has_init == 0;
        if (order / S::PART != part || !(call.exclusive != 0 || copied))
            return;
        __syncwarp();
        if (lane == 0)
            put_element<CALLER>(call.out, extent.at * S::TILE - this->params.head_padding + first,
                                copied ? this->elements_of(stage)[first]
                                       : (typename S::Out)start_of<CALLER, prefix>(call));
    }

    template <typename Event>
    __device__ __forceinline__ void scan(unsigned stage, size_t tile, Event prefixed, unsigned part,
                                         unsigned lane) const
    {
        const tile_extent<S, REVERSE> extent(this->params, tile);
        const prefix local = sum_before_part<S>(op(), this->shared.sums[stage], part);
        prefixed.wait_first();
        const auto before_part = [&] {
            prefixed.wait_late();
            return combine(op(), (prefix)this->shared.before[stage], local);
        };
        prefix before = identity(op());
#pragma unroll 1
        for (unsigned v = 0; v < S::VECTORS; v += S::GROUP) {
            const unsigned vector = (part * S::VECTORS + v) * 32 + lane;
            prefix x[S::GROUP][S::LANE];
            load<false>(stage, extent, vector, x);
            before = scan_loaded<S, REVERSE>(
                op(), call.exclusive != 0, x,
                [&](const auto &) { return v == 0 ? before_part() : before; },
                [&](const prefix(&y)[S::GROUP][S::LANE]) {
                    marks.store(room, stage, this->params, extent, vector, y);
                },
                lane);
        }
        if constexpr (!MARKS::MARKED)
            if (tile == 0)
                store_first(stage, extent, part, lane);
    }
};

template <typename CALLER, typename S, bool REVERSE, typename MARKS>
static __device__ __forceinline__ void run_custom_pass(const custom_pass &given, const MARKS &marks)
{
    extern __shared__ __align__(128) unsigned char stages[];
    __shared__ single_pass_shared<S> shared;
    __shared__ typename MARKS::template room<S> room;
    single_pass_params<S> params;
    params.in = (const typename S::In *)given.call.in;
    params.out = (typename S::Out *)given.call.out;
    params.head_padding = given.head_padding;
    params.misalignment = given.misalignment;
    params.exclusive = given.call.exclusive != 0;
    params.chain = chain_of(given.chain);
    params.set_length(elements_of(given.call));
    const custom_steps<CALLER, S, REVERSE, MARKS> steps{
        {{params, stages}, params, shared}, given.call, marks, room};
    if constexpr (S::WARP_SPECIALISED)
        run_warp_specialised(steps);
    else
        run_unspecialised(steps);
}

template <typename CALLER, typename WHICH>
static __device__ __forceinline__ void custom_scan(const custom_pass &given)
{
    run_custom_pass<CALLER, custom_shape<CALLER, WHICH>, WHICH::REVERSE>(given, no_marks<CALLER>());
}

#endif
