/*
 * Bounds of a histogram in device memory, where a call before has left them: a kernel of one thread makes the
 * map of them, as the host does, and those that count read it. Wrong bounds are an error that
 * parscan_synchronize() returns; nothing is counted then.
 */
#ifndef PARSCAN_APPS_HISTOGRAM_BOUNDS_CUH
#define PARSCAN_APPS_HISTOGRAM_BOUNDS_CUH

#include "apps/histogram/histogram_tables.cuh"
#include "apps/histogram/make_bin_map.h"
#include "scan/cuda/deferred.cuh"
#include "scan/cuda/half.cuh"

/* The key of a bound of 16 bits, as bins_of_halves() compares it. Both zeros have the key of the lower one. */
static __host__ __device__ inline int32_t key_of_half(uint16_t raw)
{
    const int32_t bits = (int16_t)raw;
    return (raw & 0x7fff) == 0 ? -1 : bits ^ (bits >> 31 & 0x7fff);
}

/* Sets what bins_of_halves() reads beside the map. half_factor is known. */
static __host__ __device__ inline void set_half_bounds(count_params *params, uint16_t lower,
                                                       uint16_t upper)
{
    params->half_scale = params->map.scale * params->half_factor;
    if (!bin_map_is_finite(
            params->half_scale)) { /* bins narrower than 2^-15: all edges are asked */
        params->half_scale = 0;
        params->map.doubt_span = UINT32_MAX;
    }
    params->half_lower = key_of_half(lower);
    params->half_width = (uint32_t)(key_of_half(upper) - params->half_lower);
}

template <typename T>
static __device__ __forceinline__ T bound_of(const histogram_bound &bound)
{
    T value;
    if (bound.at != NULL)
        return *(const T *)bound.at;
    memcpy(&value, &bound.bits, sizeof value);
    return value;
}

/* Makes the map of the bounds of a call. Returns whether they are right. The second argument chooses the kind of
   element: one of integers, floats and floats of 16 bits. */
struct of_integers {
};
struct of_floats {
};
struct of_halves {
};

template <typename T>
static __device__ bool make_map(count_params *params, of_integers)
{
    const T lower = params->lower.given ? bound_of<T>(params->lower) : (T)0;
    uint64_t width = (uint64_t)params->map.bins - (uint64_t)lower;
    if (params->upper.given) {
        const T upper = bound_of<T>(params->upper);
        if (lower >= upper)
            return false;
        width = (uint64_t)upper - (uint64_t)lower;
    } else if (lower > (T)0 && (uint64_t)lower >= params->map.bins) {
        return false; /* without a bound it is the number of bins */
    }
    bin_map_of_integers((uint64_t)lower, width, params->map.bins, &params->map);
    return true;
}

template <typename T>
static __device__ bool make_map(count_params *params, of_floats)
{
    const double lower = (double)bound_of<T>(params->lower);
    const double upper = (double)bound_of<T>(params->upper);
    return bin_map_are_bounds(lower, upper) &&
           bin_map_of_floats(lower, upper, params->map.bins, &params->map);
}

template <typename T>
static __device__ bool make_map(count_params *params, of_halves)
{
    const T lower = bound_of<T>(params->lower), upper = bound_of<T>(params->upper);
    const double low = (double)widen_by_bits(lower), high = (double)widen_by_bits(upper);
    if (!bin_map_are_bounds(low, high) ||
        !bin_map_of_floats(low, high, params->map.bins, &params->map))
        return false;
    set_half_bounds(params, lower.bits, upper.bits);
    return true;
}

static __device__ bool make_map_of(count_params *params)
{
    typedef of_integers of_INTEGER;
    typedef of_floats of_FLOAT;
    typedef of_halves of_HALF;
    switch ((int)params->type) {
#define X(ctx, NAME, number, name, type, arithmetic, class_, ...) \
    case PARSCAN_##NAME:                                          \
        return make_map<type>(params, of_##class_());
        PARSCAN_TYPES(X, )
#undef X
    }
    return false;
}

/* One thread. */
static __global__ void make_bounds(const __grid_constant__ count_params given)
{
    count_params params = given;
    histogram_made *const made = given.made;
    made->right = make_map_of(&params);
    if (!made->right)
        leave_error(given.deferred, PARSCAN_ERROR_INVALID_ARGUMENT, PARSCAN_IS_BOUND);
    made->map = params.map;
    made->half_scale = params.half_scale;
    made->half_lower = params.half_lower;
    made->half_width = params.half_width;
}

/* A call with the map that make_bounds() has made, which has ended. */
static __device__ __forceinline__ count_params at_its_bounds(const count_params &given)
{
    const histogram_made &made = *given.made;
    count_params params = given;
    params.map = made.map;
    params.map.bins = given.map.bins;
    params.half_scale = made.half_scale;
    params.half_lower = made.half_lower;
    params.half_width = made.half_width;
    if (!made.right) {
        params.n = 0;
        params.n_at = NULL;
    }
    return params;
}

#endif
