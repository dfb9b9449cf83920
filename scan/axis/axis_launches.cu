/* The launches of scans and reductions along an axis on CUDA for one output type. Compiled once for each type. */
#include "scan/axis/axis_launch.cuh"
#include "scan/axis/axis_launch_params.cuh"

template <typename S, typename OPERATOR>
static cudaError_t launch_elements(const parscan_axis_launch_call *call)
{
    parscan_cuda *const cuda = call->base.call->context->cuda;
    axis_params<S> params = params_of<S, OPERATOR>(call);
    const bool reduces = call->base.call->kind == PARSCAN_KIND_REDUCE;
    switch (call->plan.variant) {
    case AXIS_NEIGHBOURS:
        return reduces ? launch_axis_neighbours<true, OPERATOR>(cuda, params)
                       : launch_axis_neighbours<false, OPERATOR>(cuda, params);
    case AXIS_ROW_VECTORS:
        return launch_axis_row_vectors<OPERATOR>(cuda, params);
    case AXIS_SERIAL:
    case AXIS_COLUMNS:
    case AXIS_STAGED:
        return launch_axis_scan<OPERATOR>(cuda, params);
    case AXIS_PIPED_COLUMNS:
    case AXIS_PIPED_STAGED:
        return launch_axis_piped<OPERATOR>(cuda, params);
    case AXIS_WARPS:
        return reduces ? launch_axis_warps<true, OPERATOR>(cuda, params)
                       : launch_axis_warps<false, OPERATOR>(cuda, params);
    case AXIS_REDUCE:
        return launch_axis_reduction<OPERATOR>(cuda, params);
    case AXIS_TREE:      /* axis_tree_launches.cu */
    case AXIS_ROW_CALLS: /* axis_cuda.c */
    case AXIS_VARIANTS:
        break;
    }
    return cudaErrorInvalidValue;
}

/* The operator of the kernels for one of a call. There are few on integers, and none on signed ones (axis_bits.h). */
template <typename OPERATOR, bool INTEGER = std::is_integral<T>::value>
struct axis_operator {
    typedef OPERATOR type;
    static const bool exists = true;
};
template <typename OPERATOR>
struct axis_operator<OPERATOR, true> {
    template <typename... AMONG>
    static constexpr bool is = (std::is_same<OPERATOR, AMONG>::value || ...);
    static const bool inverts = is<parscan_operator_MIN, parscan_operator_AND>;
    typedef std::conditional_t<inverts, axis_inverted<OPERATOR>, OPERATOR> type;
    static const bool exists = !is<parscan_operator_MAX, parscan_operator_OR> &&
                               (std::is_unsigned<T>::value || !is<parscan_operator_MIN>);
};

/* Whether several neighbours of type T are an element: where takes_words() of axis_bits.c has no words for them. */
template <typename OPERATOR>
static constexpr bool
    has_packs = sizeof(T) == 8 ||
                (sizeof(T) == 4 && !in_parts<OPERATOR> &&
                 !std::is_same<OPERATOR, axis_inverted<parscan_operator_AND>>::value &&
                 !std::is_same<OPERATOR, parscan_operator_XOR>::value);
/* Whether several rows of a narrow type are a word of a scan, as they are of a reduction. parscan_axis_join_rows()
   asks the same. */
template <typename OPERATOR>
static constexpr bool scans_runs = !std::is_same<OPERATOR, parscan_operator_PRODUCT>::value &&
                                   !std::is_same<OPERATOR, axis_parts_product>::value;

/* Elements of N neighbours along inner. */
template <unsigned N, typename OPERATOR>
static cudaError_t launch_packs(const parscan_axis_launch_call *call)
{
    typedef axis_pack<T, N> pack;
    typedef axis_types<pack, pack, pack> S;
    parscan_cuda *const cuda = call->base.call->context->cuda;
    if constexpr (sizeof(pack) < 16)
        return launch_elements<S, OPERATOR>(call);
    else if (call->plan.variant == AXIS_WARPS)
        return launch_axis_warps<false, OPERATOR>(cuda, params_of<S, OPERATOR>(call));
    else if (call->plan.variant == AXIS_ROW_VECTORS)
        return launch_axis_row_vectors<OPERATOR>(cuda, params_of<S, OPERATOR>(call));
    else
        return cudaErrorInvalidValue;
}

/* Several rows of one narrow element in a word. */
template <typename OPERATOR>
static cudaError_t launch_rows(const parscan_axis_launch_call *call)
{
    if constexpr (sizeof(T) < 4) {
        const unsigned R = 4 / sizeof(T);
        typedef axis_types<axis_pack<T, R>, axis_pack<T, R>, T> reduced;
        typedef axis_types<axis_run<T, R>, T, axis_run<T, R>> scanned;
        parscan_cuda *const cuda = call->base.call->context->cuda;
        if (call->base.call->kind == PARSCAN_KIND_REDUCE) {
            axis_params<reduced> params = params_of<reduced, OPERATOR>(call);
            return launch_axis_reduction<OPERATOR>(cuda, params);
        }
        if constexpr (scans_runs<OPERATOR>) {
            axis_params<scanned> params = params_of<scanned, OPERATOR>(call);
            return call->plan.variant == AXIS_WARPS
                       ? launch_axis_warps<false, OPERATOR>(cuda, params)
                       : launch_axis_piped<OPERATOR>(cuda, params);
        }
    }
    return cudaErrorInvalidValue;
}

template <unsigned BYTES, typename OPERATOR>
static cudaError_t launch_packs_of_bytes(const parscan_axis_launch_call *call)
{
    if constexpr (has_packs<OPERATOR> && BYTES > sizeof(T) && BYTES % sizeof(T) == 0)
        return launch_packs<BYTES / sizeof(T), OPERATOR>(call);
    else
        return cudaErrorInvalidValue;
}

template <typename In, typename OPERATOR>
static cudaError_t launch(const parscan_axis_launch_call *call)
{
    if (call->pack == 1 && call->run == 1)
        return launch_elements<axis_types<In, T, Stored>, OPERATOR>(call);
    if constexpr (std::is_same<In, T>::value && std::is_same<T, Stored>::value) {
        if (call->run > 1)
            return launch_rows<OPERATOR>(call);
        switch (call->pack * sizeof(T)) {
        case 8:
            return launch_packs_of_bytes<8, OPERATOR>(call);
        case 16:
            return launch_packs_of_bytes<16, OPERATOR>(call);
        }
    }
    return cudaErrorInvalidValue;
}

/* Narrow elements that are parts of words of type T. */
static cudaError_t launch_parts(const parscan_axis_launch_call *call)
{
    const parscan_op op = call->base.call->op;
    if constexpr (std::is_unsigned<T>::value && sizeof(T) > 1) {
        if (op == PARSCAN_SUM)
            return launch<T, axis_parts_sum>(call);
        if (op == PARSCAN_MIN)
            return launch<T, axis_inverted<axis_parts_min>>(call);
        if (op == PARSCAN_PRODUCT)
            if constexpr (sizeof(T) == 8) /* only two of them are an element */
                return launch_packs<2, axis_parts_product>(call);
            else
                return launch<T, axis_parts_product>(call);
    }
    return cudaErrorInvalidValue;
}

cudaError_t NAMED(parscan_axis_cuda)(const parscan_axis_launch_call *call)
{
    if (call->ends != 0)
        return launch_parts(call);
    return dispatch(call->base.call->in_type, call->base.call->op, [=](auto in, auto op) {
        typedef axis_operator<decltype(op)> kernels;
        if constexpr (decltype(op)::commutes && kernels::exists)
            return launch<decltype(in), typename kernels::type>(call);
        else
            return cudaErrorInvalidValue;
    });
}
