/*
 * The launches of a radix sort on CUDA for one class of keys. The source file of each class
 * includes this.
 */
#ifndef PARSCAN_APPS_RADIX_RADIX_LAUNCHES_CUH
#define PARSCAN_APPS_RADIX_RADIX_LAUNCHES_CUH

#include "apps/radix/block_sort_kernels.cuh"
#include "apps/radix/digit_histogram_kernels.cuh"
#include "apps/radix/digit_pass_kernels.cuh"
#include "apps/radix/launch_radix.cuh"
#include "apps/radix/ordered_kernels.cuh"
#include "apps/radix/radix_tuning.cuh"

template <typename KEY>
static radix_sort_plan plan_of(const parscan_sort_cuda_call *call)
{
    const parscan_cuda *const cuda = call->context->cuda;
    const radix_sort_facts facts = {call->n,
                                    sizeof(typename KEY::Bits),
                                    call->value_size,
                                    KEY::IS_FLOAT,
                                    call->whole_keys,
                                    call->count != NULL,
                                    KEY::HAS_ABSENT,
                                    call->only_nans,
                                    call->bins.from == OFFSETS_OF_RANGES};
    const radix_sort_plan plan = parscan_radix_sort_plan(&cuda->plan_device, &facts);
    if (cuda->prints_plans)
        parscan_plan_print(&parscan_radix_sort_plans, plan.variant,
                           "%zu elements, keys of %zu bytes, values of %zu, %u passes, %s tiles",
                           facts.n, facts.key_size, facts.value_size, call->passes,
                           plan.large_tiles ? "large" : "small");
    return plan;
}

template <typename KEY, bool MANY, typename RAW>
static cudaError_t launch_histogram_of(const parscan_sort_cuda_call *call, const RAW *,
                                       const radix_sort_plan &plan,
                                       digit_histogram_params<KEY> *params)
{
    typedef digit_histogram_shape<KEY, MANY> shape;
    parscan_cuda *const cuda = call->context->cuda;
    const size_t useful = blocks_that_count<KEY, MANY, RAW>(*params, call->n, plan.counting_blocks);
    if constexpr (shape::HAS_RANGES)
        if (call->bins.from == OFFSETS_OF_RANGES) {
            params->ranges = (unsigned)bin_ranges(call->bins.bins);
            return launch_dependent(digit_histogram<KEY, MANY, RAW>, cuda, useful + params->ranges,
                                    shape::THREADS, shape::BYTES, *params);
        }
    return launch_dependent_persistent(digit_histogram<KEY, MANY, RAW>, cuda, useful,
                                       shape::THREADS, shape::BYTES, *params);
}

template <typename KEY, bool MANY>
static cudaError_t launch_histogram(const parscan_sort_cuda_call *call, const radix_sort_plan &plan,
                                    digit_histogram_params<KEY> *params)
{
    cudaError_t error = cudaSuccess;
    const auto launch = [&](auto *keys) {
        error = launch_histogram_of<KEY, MANY>(call, keys, plan, params);
    };
    if constexpr (KEY::HAS_ABSENT)
        as_given<typename KEY::Bits>(call->bins.size, params->keys, launch);
    else
        launch(params->keys);
    return error;
}

template <typename KEY>
static digit_histogram_params<KEY> digits_to_count(const parscan_sort_cuda_call *call)
{
    digit_histogram_params<KEY> params = {};
    params.keys = (const typename KEY::Bits *)call->keys[SORT_IN];
    params.n = call->n;
    params.count = call->count;
    params.length = length_at(call->context, call->n_at);
    params.plan = call->plan;
    params.passes = call->passes;
    params.bins = call->bins;
    params.flip = (typename KEY::Bits)call->flip;
    params.whole = true;
    params.only_nans = call->only_nans;
    for (unsigned p = 0; p < sizeof params.digit / sizeof *params.digit; p++) {
        if (p == call->passes || call->digits[p].mask == 0)
            break;
        params.digit[p] = digit_of<KEY>::make(call->digits[p], call->flip);
        params.digits = p + 1;
        params.whole = params.whole && call->digits[p].low == p * SORT_DIGIT_BITS &&
                       call->digits[p].mask == SORT_DIGITS - 1;
    }
    params.whole = params.whole && params.digits == sizeof(typename KEY::Bits);
    return params;
}

/* Whether the kernels look for keys in order: of whole keys, whose digits are counted anyway. */
template <typename KEY>
static bool notices_order(const digit_histogram_params<KEY> &params, const radix_sort_plan &plan)
{
    return !KEY::HAS_ABSENT && plan.notices && params.whole && params.count == NULL &&
           !params.only_nans;
}

template <typename KEY, typename Value, bool HAS_VALUES>
static cudaError_t launch_ordered_of(const parscan_sort_cuda_call *call,
                                     const digit_histogram_params<KEY> &counted)
{
    typedef typename KEY::Bits Bits;
    ordered_params<KEY> params = {};
    (digit_histogram_params<KEY> &)params = counted;
    params.keys_out = call->drops_keys ? NULL : (Bits *)call->keys[SORT_OUT];
    params.values_in = call->values[SORT_IN];
    params.values_out = call->values[SORT_OUT];
    params.indices = call->indices;
    params.head = call->head;
    const size_t batches = call->n / ordered_batch<Bits, Value, HAS_VALUES>::ELEMENTS + 1;
    return launch_dependent_persistent(copy_if_ordered<KEY, Value, HAS_VALUES>, call->context->cuda,
                                       batches, ORDERED_THREADS, 0, params);
}

/* Copies elements that are in order, in place of all passes. */
template <typename KEY>
static cudaError_t launch_ordered(const parscan_sort_cuda_call *call,
                                  const digit_histogram_params<KEY> &counted)
{
    if constexpr (KEY::HAS_ABSENT || sizeof(typename KEY::Bits) < 4)
        return cudaSuccess;
    else
        return call->value_size == 0   ? launch_ordered_of<KEY, uint32_t, false>(call, counted)
               : call->value_size == 4 ? launch_ordered_of<KEY, uint32_t, true>(call, counted)
                                       : launch_ordered_of<KEY, uint64_t, true>(call, counted);
}

template <typename KEY>
static cudaError_t count_digits(const parscan_sort_cuda_call *call, const radix_sort_plan &plan,
                                unsigned rows)
{
    const parscan_cuda *const cuda = call->context->cuda;
    digit_histogram_params<KEY> params = digits_to_count<KEY>(call);
    const bool keys_stay = call->keys[SORT_IN] == call->keys[SORT_OUT];
    const bool values_stay =
        call->value_size != 0 && !call->indices && call->values[SORT_IN] == call->values[SORT_OUT];
    params.aliased = keys_stay || values_stay;
    params.settled = keys_stay && (call->value_size == 0 || values_stay);
    params.notices = notices_order<KEY>(params, plan);
    const cudaError_t error = call->cleared ? cudaSuccess : clear_plans(cuda, call->plan, 1, rows);
    if (error != cudaSuccess)
        return error;
    if (!plan.many_counters)
        return launch_histogram<KEY, false>(call, plan, &params);
    const cudaError_t counted = launch_histogram<KEY, true>(call, plan, &params);
    return counted == cudaSuccess && params.notices ? launch_ordered<KEY>(call, params) : counted;
}

template <typename S>
struct prepared_pass {
    parscan_cuda_kernel kernel;
    digit_pass_params<S> params;
    unsigned blocks;
    unsigned rows; /* of status words */
    bool together; /* cooperative: a block may have several tiles */
};

template <typename S>
static size_t tiles_of(size_t n)
{
    return n / S::TILE + (n % S::TILE != 0);
}

/* Prepares the kernel of all passes and the rows of status words for its tiles. */
template <typename S>
static cudaError_t prepare_pass(const parscan_sort_cuda_call *call, size_t tiles,
                                prepared_pass<S> *pass)
{
    digit_pass_params<S> *const params = &pass->params;
    params->n = call->n;
    params->tiles = tiles;
    params->flip = (typename S::Bits)call->flip;
    params->beyond = S::Key::beyond(params->flip);
    params->indices = call->indices;
    params->drops_keys = call->drops_keys;
    params->bins = call->bins;
    for (unsigned k = 0; k < SORT_PLACES; k++) {
        params->keys[k] = (typename S::Bits *)call->keys[k];
        params->values[k] = call->values[k];
    }
    const cudaError_t error =
        parscan_cuda_kernel_of(call->context->cuda, (const void *)digit_pass<S>, S::THREADS,
                               sizeof(digit_pass_shared<S>), &pass->kernel);
    if (error != cudaSuccess)
        return error;
    const unsigned most = (SORT_ROWS - 1) / 3;
    const unsigned held = pass->kernel.blocks < most ? pass->kernel.blocks : most;
    pass->together = params->tiles > held;
    pass->blocks = pass->together ? held : (unsigned)params->tiles;
    params->chain.words = call->plan->rows;
    params->chain.rows = 1;
    while (params->chain.rows <= 3 * pass->blocks && params->chain.rows < params->tiles)
        params->chain.rows *= 2;
    /* At most 341 tiles then: 512 rows and 21 for groups. */
    params->in_groups = S::GROUPED && !pass->together;
    pass->rows =
        params->in_groups ? digit_group_rows(params->chain.rows, pass->blocks) : params->chain.rows;
    return cudaSuccess;
}

template <typename S>
static cudaError_t launch_pass(const parscan_sort_cuda_call *call, unsigned p,
                               prepared_pass<S> *pass)
{
    const sort_digit digit = call->digits[p];
    /* The bits that earlier passes have put in order. */
    const uint64_t below = ((uint64_t)1 << digit.low) - ((uint64_t)1 << call->digits[0].low);
    digit_pass_params<S> *const params = &pass->params;
    params->pass = &call->plan->passes[p];
    params->chain.launch = p + 1;
    params->tiles_taken = pass->together ? NULL : &call->plan->tiles_taken[p];
    params->digit = digit_of<typename S::Key>::make(digit, call->flip);
    params->known =
        digit.mask == 0 ? 0 : (typename S::Bits)((uint64_t)digit.mask << digit.low | below);
    return launch_overlapped(call->context->cuda, pass->kernel, pass->blocks, *params,
                             pass->together);
}

template <typename S>
static cudaError_t sort_tiles(const parscan_sort_cuda_call *call, const radix_sort_plan &plan)
{
    prepared_pass<S> pass = {};
    cudaError_t error = prepare_pass(call, tiles_of<S>(call->n), &pass);
    if (call->only_nans) {
        pass.params.nans = &call->plan->nans;
        pass.params.takes_nans = true;
    }
    if (error == cudaSuccess)
        error = count_digits<typename S::Key>(call, plan, pass.rows);
    for (unsigned p = 0; p < call->passes && error == cudaSuccess; p++)
        error = launch_pass(call, p, &pass);
    return error;
}

/* Sorts floats. Both variants are launched, one for arrays with NaNs and one for those without; each
   kernel looks on the device whether it is the one to run. */
template <typename KEY, typename NANS, typename NUMBERS>
static cudaError_t sort_floats(const parscan_sort_cuda_call *call, const radix_sort_plan &plan)
{
    prepared_pass<NANS> nans = {};
    prepared_pass<NUMBERS> numbers = {};
    cudaError_t error = prepare_pass(call, tiles_of<NANS>(call->n), &nans);
    if (error == cudaSuccess)
        error = prepare_pass(call, tiles_of<NUMBERS>(call->n), &numbers);
    const unsigned rows = numbers.rows > nans.rows ? numbers.rows : nans.rows;
    nans.params.nans = numbers.params.nans = &call->plan->nans;
    nans.params.takes_nans = true;
    if (error == cudaSuccess)
        error = count_digits<KEY>(call, plan, rows);
    for (unsigned p = 0; p < call->passes && error == cudaSuccess; p++) {
        error = launch_pass(call, p, &numbers);
        if (error == cudaSuccess)
            error = launch_pass(call, p, &nans);
    }
    return error;
}

template <typename S>
static block_sort_params<S> in_block_of(const parscan_sort_cuda_call *call)
{
    typedef typename S::Bits Bits;
    block_sort_params<S> params = {};
    params.keys_in = (const Bits *)call->keys[SORT_IN];
    params.keys_out = call->drops_keys ? NULL : (Bits *)call->keys[SORT_OUT];
    params.values_in = call->indices ? NULL : call->values[SORT_IN];
    params.values_out = call->values[SORT_OUT];
    params.value_size = (unsigned)call->value_size;
    params.n = (unsigned)call->n;
    params.length = length_at(call->context, call->n_at);
    params.flip = (Bits)call->flip;
    params.beyond = S::Key::beyond(params.flip);
    for (unsigned p = 0; p < sizeof params.digit / sizeof *params.digit; p++) {
        if (p == call->passes || call->digits[p].mask == 0)
            break;
        params.digit[p] = digit_of<typename S::Key>::make(call->digits[p], call->flip);
        params.keep |= (Bits)((uint64_t)call->digits[p].mask << call->digits[p].low);
        params.passes = p + 1;
    }
    return params;
}

template <typename S>
static cudaError_t sort_in_block(const parscan_sort_cuda_call *call)
{
    return launch_dependent(block_sort<S>, call->context->cuda, 1, S::THREADS,
                            sizeof(block_sort_shared<S>), in_block_of<S>(call));
}

/* Many elements, in large tiles or, where a block has too little shared memory, in small ones. */
template <typename KEY, unsigned VALUE_BYTES, bool LARGE>
static cudaError_t sort_many(const parscan_sort_cuda_call *call, const radix_sort_plan &plan)
{
    typedef typename digit_pass_of<KEY, VALUE_BYTES, RANK_BY_VOTES, LARGE>::shape by_votes;
    if constexpr (VALUE_BYTES == 0 && KEY::IS_FLOAT) {
        typedef number_key<KEY> number;
        typedef typename digit_pass_of<number, 0, RANK_BY_COUNTS, LARGE>::shape by_counts;
        if (plan.variant == RADIX_NUMBERS_BY_COUNTS)
            return sort_floats<KEY, by_votes, by_counts>(call, plan);
    } else if constexpr (VALUE_BYTES == 0 || (LARGE && !KEY::HAS_ABSENT)) {
        typedef typename digit_pass_of<KEY, VALUE_BYTES, RANK_BY_COUNTS, LARGE>::shape by_counts;
        if (plan.variant == RADIX_BY_COUNTS)
            return sort_tiles<by_counts>(call, plan);
    }
    return sort_tiles<by_votes>(call, plan);
}

template <typename KEY, unsigned VALUE_BYTES>
static cudaError_t sort_in_tiles(const parscan_sort_cuda_call *call, const radix_sort_plan &plan)
{
    typedef typename digit_pass_of<KEY, VALUE_BYTES, RANK_BY_VOTES, false>::shape small;
    if (plan.variant == RADIX_FEW)
        return sort_tiles<small>(call, plan);
    return plan.large_tiles ? sort_many<KEY, VALUE_BYTES, true>(call, plan)
                            : sort_many<KEY, VALUE_BYTES, false>(call, plan);
}

template <typename KEY, unsigned VALUE_BYTES>
static cudaError_t sort_digits(const parscan_sort_cuda_call *call)
{
    typedef block_sort_shape<KEY, VALUE_BYTES != 0, 16, 8, 1> in_block;
    static_assert(in_block::MOST == SORT_BLOCK_ELEMENTS, "of a block");
    static_assert(sizeof(block_sort_shared<in_block>) <=
                      (sizeof(typename KEY::Bits) == 8 && VALUE_BYTES != 0 ? SORT_BLOCK_WIDE_BYTES
                                                                           : EVERYWHERE_BYTES),
                  "the block must fit shared memory");
    const radix_sort_plan plan = plan_of<KEY>(call);
    if constexpr (VALUE_BYTES != 0)
        if (plan.variant == RADIX_COUNTED)
            return sort_tiles<
                typename digit_pass_of<KEY, VALUE_BYTES, RANK_BY_VOTES, false>::counted>(call,
                                                                                         plan);
    return plan.variant == RADIX_IN_BLOCK ? sort_in_block<in_block>(call)
                                          : sort_in_tiles<KEY, VALUE_BYTES>(call, plan);
}

template <typename KEY>
static parscan_status sort_keys_of(const parscan_sort_cuda_call *call)
{
    return PARSCAN_CUDA_QUEUE(call->context, call->value_size == 0   ? (sort_digits<KEY, 0>(call))
                                             : call->value_size == 4 ? (sort_digits<KEY, 4>(call))
                                                                     : (sort_digits<KEY, 8>(call)));
}

#endif
