#include "apps/gather/gather_plan.h"

enum { AT_ONCE, NARROW_PLACES, LIMITS };

/* Stores of one number are not divided; those of a vector of numbers may be. */
static const parscan_plan_limit limits[LIMITS] = {
    [AT_ONCE] = {"at_once", 8, PARSCAN_ABSOLUTE, "bytes of an element", "", ""},
    [NARROW_PLACES] = {"narrow_places", UINT32_MAX, PARSCAN_ABSOLUTE, "indices", "", ""},
};

static const parscan_plan_variant variants[GATHER_VARIANTS] = {
    [GATHER_ELEMENTS] = {"elements", "gather of 1 to 16 bytes, aligned: a thread an element"},
    [GATHER_UNITS] = {"units", "gather of all others: a warp 32 elements, unit by unit"},
    [GATHER_SCATTER] = {"scatter", "up to at_once, aligned, any of equal indices: one launch"},
    [GATHER_WINNERS] = {"winners", "all others: the last place of each index, then its element"},
};

const parscan_plan_table parscan_gather_plans = {"gather", variants, GATHER_VARIANTS, limits,
                                                 LIMITS};

static gather_variant variant_of(const parscan_plan_device *device, const gather_facts *call)
{
    const bool whole = call->alignment == call->value_size;
    if (!call->scatters)
        return whole ? GATHER_ELEMENTS : GATHER_UNITS;
    return whole && !call->last_wins &&
                   call->value_size <= parscan_plan_limit_of(device, limits, AT_ONCE)
               ? GATHER_SCATTER
               : GATHER_WINNERS;
}

gather_plan parscan_gather_plan(const parscan_plan_device *device, const gather_facts *call)
{
    return (gather_plan){
        .variant = variant_of(device, call),
        .unit = (unsigned)call->alignment,
        .wide_winners = call->n > parscan_plan_limit_of(device, limits, NARROW_PLACES),
    };
}
