/* The launches of compaction on CUDA: one kernel for each width of element and kind of test, and those for
   floats of 16 bits. */
#include "apps/compact/compact_cuda.h"
#include "apps/compact/compact_few.cuh"
#include "apps/compact/compact_launch.cuh"
#include "apps/compact/compact_plan.h"
#include "apps/merge/key_order.h"
#include "scan/type_traits.h"

/* The parameters that do not depend on the kernel. */
static compact_params device_call_of(const compact_cuda_call *from)
{
    const compact_call *const call = from->call;
    const bool tests_elements = call->flags == NULL; /* flags that are tested have a range */
    compact_params to = {};
    to.in = from->in;
    to.flags = from->flags;
    to.records = from->records;
    to.records_out = from->records_out;
    to.unit = (unsigned)from->unit;
    to.units = from->unit != 0 ? from->record_size / from->unit : 0;
    to.n = call->n;
    to.first = call->range.first;
    to.width = call->range.width;
    to.outside = call->range.outside;
    to.floats = tests_elements && parscan_is_float(call->type);
    if (tests_elements && parscan_compute_type(call->type) != call->type)
        to.infinity = (uint16_t)key_infinity(parscan_type_traits_of(call->type).key);
    to.wide = call->index_type == PARSCAN_U64;
    to.continues = call->continues;
    to.first_index = call->first_index;
    to.values = from->values;
    to.indices = from->indices;
    to.lengths = from->lengths;
    to.row_offsets = from->row_offsets;
    to.rows = call->rows;
    to.columns = call->columns;
    to.count = from->count;
    to.error = from->error;
    to.capacity = parscan_compact_room(call);
    to.exceeded = from->exceeded;
    to.length = length_at(call->context, call->n_at);
    to.column_length = length_at(call->context, call->columns_at);
    return to;
}

/* Plans a call; SMALL has small tiles. */
template <typename SMALL>
static parscan_status plan_compact(parscan_context *context, const compact_params &params,
                                   compact_variant *variant)
{
    parscan_cuda *const cuda = context->cuda;
    const parscan_plan_device *const device = &cuda->plan_device;
    compact_facts facts = {};
    facts.n = params.n;
    facts.width = SMALL::WIDTH;
    facts.more = params.lengths != NULL || params.row_offsets != NULL;
    facts.few_blocks = parscan_cuda_few_blocks(cuda);
    facts.small_tile = SMALL::TILE;
    if (parscan_compact_may_be_small(device, &facts)) {
        parscan_cuda_kernel kernel;
        const cudaError_t error =
            parscan_cuda_kernel_of(cuda, (const void *)compact_kernel<SMALL>, SMALL::THREADS,
                                   SMALL::SHARED_BYTES, &kernel);
        if (error != cudaSuccess)
            return parscan_cuda_fail(context, error, "a kernel");
        facts.small_blocks = kernel.blocks;
    }
    *variant = parscan_compact_plan(device, &facts);
    if (cuda->prints_plans)
        parscan_plan_print(&parscan_compact_plans, *variant, "%zu elements of %u bytes", facts.n,
                           (unsigned)SMALL::WIDTH);
    return PARSCAN_OK;
}

/* A block for each tile: the plan has asked whether the device holds them. */
template <typename S>
static parscan_status launch_few(const compact_cuda_call *call, compact_params &params)
{
    parscan_context *const context = call->call->context;
    parscan_chain_memory chain;
    const auto launch = [&] {
        parscan_cuda_kernel kernel;
        const cudaError_t error = parscan_cuda_kernel_of(
            context->cuda, (const void *)compact_few<S>, S::THREADS, 0, &kernel);
        return error != cudaSuccess
                   ? error
                   : launch_overlapped(context->cuda, kernel, (unsigned)params.tiles, params,
                                       S::PARTS && params.tiles > 1);
    };
    place_tiles<S>(params);
    const parscan_status status = parscan_cuda_chain_memory(context, params.tiles, &chain);
    if (status != PARSCAN_OK)
        return status;
    params.chain = chain_of(chain);
    return PARSCAN_CUDA_QUEUE(context, launch());
}

/* MANY, SMALL: shapes of the warp-specialised form, with large and small tiles. */
template <bool HALVES, typename MANY, typename SMALL, typename UNSPECIALISED>
static parscan_status launch_planned(const compact_cuda_call *call, compact_params &params)
{
    compact_variant variant;
    const parscan_status status = plan_compact<SMALL>(call->call->context, params, &variant);
    if (status != PARSCAN_OK)
        return status;
    switch (variant) {
    case COMPACT_FEW:
        if constexpr (MANY::TEST != COMPACT_RUNS)
            return launch_few<compact_few_shape<MANY::WIDTH, MANY::TEST, HALVES>>(call, params);
        break;
    case COMPACT_SMALL:
        return launch_shaped<SMALL>(call, params);
    case COMPACT_UNSPECIALISED:
        return launch_shaped<UNSPECIALISED>(call, params);
    default:
        break;
    }
    return launch_shaped<MANY>(call, params);
}

template <unsigned WIDTH, compact_test TEST>
static parscan_status launch_test(const compact_cuda_call *call, compact_params &params)
{
    typedef typename compact_tuned<WIDTH, TEST>::warp_specialised many;
    typedef typename compact_small<WIDTH, TEST>::warp_specialised small;
    typedef typename compact_turns<WIDTH, TEST>::shape unspecialised;
    if constexpr (WIDTH == 2 && TEST != COMPACT_FLAGS)
        if (params.infinity != 0)
            return launch_planned<true, compact_halves<many>, compact_halves<small>,
                                  compact_halves<unspecialised>>(call, params);
    return launch_planned<false, many, small, unspecialised>(call, params);
}

template <unsigned WIDTH>
static parscan_status launch_width(const compact_cuda_call *call, compact_params &params)
{
    if (params.flags != NULL)
        return launch_test<WIDTH, COMPACT_FLAGS>(call, params);
    if (!call->call->runs)
        return call->call->partition ? launch_test<WIDTH, COMPACT_PARTS>(call, params)
                                     : launch_test<WIDTH, COMPACT_RANGE>(call, params);
    return call->lengths != NULL ? launch_test<WIDTH, COMPACT_RUNS>(call, params)
                                 : launch_test<WIDTH, COMPACT_HEADS>(call, params);
}

parscan_status parscan_compact_launch(const compact_cuda_call *call)
{
    compact_params params = device_call_of(call);
    if (call->records != NULL)
        return parscan_compact_launch_records(call, params);
    return launch_of_size(call->width,
                          [&](auto element) { return launch_width<sizeof element>(call, params); });
}
