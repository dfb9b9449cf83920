/* Exact sums of units, to which sizes are rounded up. */
#ifndef PARSCAN_APPS_UNITS_SUM_CUH
#define PARSCAN_APPS_UNITS_SUM_CUH

#include "apps/allocate/allocate_cuda.h"
#include "scan/cuda/deferred.cuh"
#include "scan/cuda/operators.cuh"

/* A sum modulo 2^64, and whether the exact sum is larger. */
struct units_sum {
    uint32_t low, high, beyond;
    __device__ __forceinline__ uint64_t sum() const { return (uint64_t)high << 32 | low; }
};

struct units_operator {
    static const bool commutes = true;
};

static __device__ __forceinline__ units_sum units_of(uint64_t sum)
{
    return units_sum{(uint32_t)sum, (uint32_t)(sum >> 32), 0};
}

static __device__ __forceinline__ units_sum units_of(units_sum sum)
{
    return sum;
}

static __device__ __forceinline__ units_sum combine(units_operator, units_sum a, units_sum b)
{
    units_sum sum = units_of(a.sum() + b.sum());
    sum.beyond = a.beyond | b.beyond | (sum.sum() < a.sum());
    return sum;
}

static __device__ __forceinline__ void identity_of(units_operator, units_sum *value)
{
    *value = units_of(0);
}

/* For sums that are known to fit. */
static __device__ __forceinline__ uint64_t combine(units_operator, uint64_t a, uint64_t b)
{
    return a + b;
}

static __device__ __forceinline__ void identity_of(units_operator, uint64_t *value)
{
    *value = 0;
}

static __device__ __forceinline__ uint64_t sum_of(uint64_t sum, uint64_t units)
{
    return sum + units;
}

static __device__ __forceinline__ units_sum sum_of(units_sum sum, uint64_t units)
{
    return combine(units_operator(), sum, units_of(units));
}

/* The number of units of a size. */
template <typename In>
static __device__ __forceinline__ uint64_t units_of_size(const allocate_sum_params &params, In size)
{
    const uint64_t mask = ((uint64_t)1 << params.shift) - 1;
    if (sizeof(In) == 8 && params.largest < (uint64_t)size)
        params.state[UNITS_LARGE] = 1;
    if (sizeof(In) == 8)
        return ((uint64_t)size >> params.shift) + (((uint64_t)size & mask) != 0);
    return (uint32_t)((uint64_t)size >> params.shift) + ((uint32_t)(size & (uint32_t)mask) != 0);
}

/* Stores the results after the last tile: the total in bytes, and its status. */
static __device__ __forceinline__ void finish_units(const allocate_sum_params &params,
                                                    units_sum all)
{
    const bool beyond = all.beyond != 0 || all.sum() > UINT64_MAX >> params.shift;
    const uint64_t total = beyond ? UINT64_MAX : all.sum() << params.shift;
    const parscan_status status = beyond || total > params.most ? PARSCAN_ERROR_OVERFLOW
                                  : total > params.capacity     ? PARSCAN_ERROR_CAPACITY
                                                                : PARSCAN_OK;
    if (params.state != NULL) {
        params.state[UNITS_STATUS] = status;
        params.state[UNITS_TOTAL] = total;
        params.state[UNITS_COUNT] = params.n;
    }
    if (params.total != NULL)
        *params.total = total;
    if (status == PARSCAN_ERROR_CAPACITY)
        leave_capacity(params.deferred, total);
    else if (status != PARSCAN_OK)
        leave_error(params.deferred, status, total);
    if (!params.ends)
        return;
    if (params.offset_type == PARSCAN_U32)
        ((uint32_t *)params.offsets)[params.n] = (uint32_t)total;
    else
        ((uint64_t *)params.offsets)[params.n] = total;
}

/* Returns whether there is an error. The first thread leaves it. */
static __device__ __forceinline__ bool says_error(const uint64_t *state, uint64_t status,
                                                  const parscan_deferred &deferred)
{
    if (status == PARSCAN_OK || blockIdx.x != 0 || threadIdx.x != 0)
        return status != PARSCAN_OK;
    if (status == PARSCAN_ERROR_CAPACITY)
        leave_capacity(deferred, state[UNITS_TOTAL]);
    else
        leave_error(deferred, (parscan_status)status, state[UNITS_TOTAL]);
    return status != PARSCAN_OK;
}

/* Element i of an array of an unsigned type that is known only at run time. */
static __device__ __forceinline__ uint64_t size_at(parscan_type type, const void *array, size_t i)
{
    switch (type) {
    case PARSCAN_U8:
        return ((const uint8_t *)array)[i];
    case PARSCAN_U16:
        return ((const uint16_t *)array)[i];
    case PARSCAN_U32:
        return ((const uint32_t *)array)[i];
    default:
        return ((const uint64_t *)array)[i];
    }
}

#endif
