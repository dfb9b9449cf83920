/* The launches of compaction that moves records (compact_records.cuh), and of the copy of those that are
   gathered in scratch. */
#include "apps/compact/compact_launch.cuh"
#include "apps/compact/compact_plan.h"

template <typename GATHERING, typename MANY, typename UNSPECIALISED>
static parscan_status launch_planned(const compact_cuda_call *call, compact_params &params)
{
    const parscan_cuda *const cuda = call->call->context->cuda;
    compact_facts facts = {};
    facts.n = params.n;
    facts.records = true;
    const compact_variant variant = parscan_compact_plan(&cuda->plan_device, &facts);
    if (cuda->prints_plans)
        parscan_plan_print(&parscan_compact_plans, variant, "%zu records of %zu bytes", params.n,
                           call->record_size);
    if (variant == COMPACT_UNSPECIALISED)
        return launch_shaped<compact_with_records<UNSPECIALISED>>(call, params);
    if (call->record_size <= compact_gathering<GATHERING>::RECORD)
        return launch_shaped<compact_gathering<GATHERING>>(call, params);
    return launch_shaped<compact_with_records<MANY>>(call, params);
}

template <unsigned WIDTH, compact_test TEST>
static parscan_status launch_test(const compact_cuda_call *call, compact_params &params)
{
    typedef typename compact_gathered<WIDTH, TEST>::warp_specialised gathering;
    typedef typename compact_tuned<WIDTH, TEST>::warp_specialised many;
    typedef typename compact_turns<WIDTH, TEST>::shape unspecialised;
    if constexpr (WIDTH == 2)
        if (params.infinity != 0)
            return launch_planned<compact_halves<gathering>, compact_halves<many>,
                                  compact_halves<unspecialised>>(call, params);
    return launch_planned<gathering, many, unspecialised>(call, params);
}

template <unsigned WIDTH>
static parscan_status launch_width(const compact_cuda_call *call, compact_params &params)
{
    return call->call->runs ? launch_test<WIDTH, COMPACT_HEADS>(call, params)
                            : launch_test<WIDTH, COMPACT_RANGE>(call, params);
}

parscan_status parscan_compact_launch_records(const compact_cuda_call *call, compact_params &params)
{
    return launch_of_size(call->width,
                          [&](auto element) { return launch_width<sizeof element>(call, params); });
}

template <typename Unit>
static cudaError_t launch_copy(const compact_cuda_call *call, const void *from, void *to,
                               const uint64_t *after)
{
    const parscan_cuda *const cuda = call->call->context->cuda;
    size_t units = call->record_size / sizeof(Unit);
    auto count = call->count;
    size_t most = parscan_compact_room(call->call);
    void *arguments[] = {&from, &to, &count, &most, &units, &after};
    return cudaLaunchKernel((const void *)copy_back<Unit>, dim3(cuda->multiprocessors * 4),
                            dim3(512), arguments, 0, cuda->stream);
}

static cudaError_t launch_copy_of(const compact_cuda_call *call, const void *from, void *to,
                                  const uint64_t *after)
{
    return launch_of_unit(
        call->unit, [&](auto unit) { return launch_copy<decltype(unit)>(call, from, to, after); });
}

parscan_status parscan_compact_copy_back(const compact_cuda_call *call, const void *from, void *to,
                                         const uint64_t *after)
{
    return PARSCAN_CUDA_QUEUE(call->call->context, launch_copy_of(call, from, to, after));
}
