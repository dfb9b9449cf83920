/* The launches of the histogram on CUDA, one for each table in which blocks count. */
#include <cmath>

#include "apps/histogram/histogram_codes.cuh"
#include "apps/merge/key_order.h"
#include "scan/cuda/launch.cuh"
#include "scan/half.h"

static size_t element_size(key_class elements)
{
    switch (elements) {
#define X(ctx, NAME, bits, ...) \
    case KEY_##NAME:            \
        return bits / 8;
        PARSCAN_KEY_CLASSES(X, )
#undef X
    default:
        return 0;
    }
}

/* The bits of a bound of 16 bits. */
static uint16_t bits_of_half(key_class elements, double bound)
{
    switch (elements) {
#define X(ctx, NAME, ...) \
    case KEY_##NAME:      \
        return parscan_narrow_##NAME((float)bound).bits;
        PARSCAN_STORED_KEY_CLASSES(X, )
#undef X
    default:
        return 0;
    }
}

/* Says how floats of 16 bits, if the elements are that, become doubles, whose exponent has 11 bits, a bias of 1023 and 20 bits of the
   fraction in the upper word. */
static void widen_halves(count_params *params)
{
    const uint64_t infinity = key_infinity(params->elements);
    unsigned exponent_bits = 0;
    if (infinity == 0 || element_size(params->elements) != sizeof(uint16_t))
        return;
    for (uint64_t bits = infinity; bits != 0; bits &= bits - 1)
        exponent_bits++;
    params->half_shift = 20 - (15 - exponent_bits);
    params->half_factor = std::ldexp(1.0, 1024 - (1 << (exponent_bits - 1)));
    if (params->made == NULL)
        set_half_bounds(params, bits_of_half(params->elements, params->map.float_lower),
                        bits_of_half(params->elements, params->map.float_upper));
}

/* Calls launch(E()), where E is the type that reads the elements. */
template <typename Launch>
static cudaError_t with_elements(key_class elements, Launch launch)
{
    switch (elements) {
    case KEY_U16:
        return launch(elements_16());
    case KEY_U32:
        return launch(elements_32());
    case KEY_U64:
        return launch(elements_64());
#define X(ctx, NAME, ...) case KEY_##NAME:
        PARSCAN_STORED_KEY_CLASSES(X, )
#undef X
        return launch(elements_halves());
    case KEY_F32:
        return launch(elements_f32());
    case KEY_F64:
        return launch(elements_f64());
    default:
        return cudaErrorInvalidValue;
    }
}

static cudaError_t clear_histogram(const parscan_cuda *cuda, const count_params &params)
{
    return cudaMemsetAsync(params.counts, 0, words_of_counts(params) * sizeof(uint32_t),
                           cuda->stream);
}

/* Launches a kernel that counts, after the one that clears the counts, if the plan has that. Both start before
   the kernel before them ends, if they are compiled for an architecture that can do that. */
template <typename Kernel>
static cudaError_t launch_count(Kernel *function, parscan_cuda *cuda, const histogram_plan &plan,
                                unsigned threads, const count_params &params)
{
    if (plan.clears) {
        const cudaError_t error = launch_dependent_persistent(
            clear_counts, cuda, words_of_counts(params) / CLEAR_THREADS + 1, CLEAR_THREADS, 0,
            params);
        if (error != cudaSuccess)
            return error;
    }
    return launch_dependent_persistent(function, cuda, plan.blocks, threads, plan.shared_bytes,
                                       params);
}

template <typename TABLE>
static cudaError_t count_in(parscan_cuda *cuda, const count_params &params,
                            const histogram_plan &plan)
{
    return with_elements(params.elements, [&](auto elements) {
        typedef decltype(elements) E;
        return launch_count(params.made != NULL ? count_elements_within<E, TABLE>
                                                : count_elements<E, TABLE>,
                            cuda, plan, TABLE::THREADS, params);
    });
}

static cudaError_t count_in_codes(parscan_cuda *cuda, const count_params &params,
                                  const histogram_plan &plan)
{
    return key_infinity(params.elements) != 0
               ? launch_count(count_codes<elements_halves>, cuda, plan, CODES_THREADS, params)
               : launch_count(count_codes<elements_16>, cuda, plan, CODES_THREADS, params);
}

static histogram_plan histogram_plan_of(const parscan_cuda *cuda, const count_params &params)
{
    const histogram_facts facts = {params.n,    params.map.bins,     element_size(params.elements),
                                   params.adds, params.n_at != NULL, params.made != NULL};
    const histogram_plan plan = parscan_histogram_plan(&cuda->plan_device, &facts);
    if (cuda->prints_plans)
        parscan_plan_print(&parscan_histogram_plans, plan.variant,
                           "%zu elements of %zu bytes, %zu bins, at most %zu blocks", facts.n,
                           facts.element_size, facts.bins, plan.blocks);
    return plan;
}

cudaError_t parscan_histogram_launch(parscan_cuda *cuda, const histogram_on_device *made)
{
    count_params params = {};
    static_cast<histogram_on_device &>(params) = *made;
    widen_halves(&params);
    const histogram_plan plan = histogram_plan_of(cuda, params);
    params.pairs = !params.wide && (uintptr_t)params.counts % sizeof(uint64_t) == 0;
    params.copies_log2 = plan.copies_log2;
    params.table_words = plan.table_words;
    params.slots_log2 = plan.slots_log2;
    params.vectors = plan.vectors;
    params.alone = plan.alone;
    params.cleared = plan.clears;
    if (params.made != NULL) {
        const cudaError_t error = launch_blocks(make_bounds, cuda, 1, 1, 0, params);
        if (error != cudaSuccess)
            return error;
    }
    switch (plan.variant) {
    case HISTOGRAM_ONLY_CLEARED:
        return plan.clears ? clear_histogram(cuda, params) : cudaSuccess;
    case HISTOGRAM_IN_BYTES:
        return launch_count(params.made != NULL ? count_byte_elements_within : count_byte_elements,
                            cuda, plan, BYTES_THREADS, params);
    case HISTOGRAM_IN_CODES:
        return count_in_codes(cuda, params, plan);
    case HISTOGRAM_IN_WORDS:
        return count_in<words_table>(cuda, params, plan);
    case HISTOGRAM_IN_HALVES:
        return count_in<halves_table>(cuda, params, plan);
    case HISTOGRAM_CACHED_FEW:
        return count_in<cached_table<FEW_THREADS, FEW_BLOCKS>>(cuda, params, plan);
    default:
        return count_in<cached_table<CACHED_THREADS, CACHED_BLOCKS>>(cuda, params, plan);
    }
}

cudaError_t parscan_histogram_narrow(parscan_cuda *cuda, const narrow_counts_params *params)
{
    const unsigned threads = 256;
    return launch_blocks(narrow_counts, cuda, (params->bins + threads - 1) / threads, threads, 0,
                         *params);
}
