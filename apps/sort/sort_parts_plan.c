#include "apps/sort/sort_parts_plan.h"

enum {
    LARGE_BYTES,
    BUCKET_BYTES,
    SMALL_BUCKET,
    ROUNDS,
    LEAST_ROUND,
    SAMPLES,
    ORDERED,
    PIECE,
    LIMITS
};

static const parscan_plan_limit limits[LIMITS] = {
    [LARGE_BYTES] = {"large_bytes", SORT_LARGE_BYTES, PARSCAN_ABSOLUTE, "bytes a block", "", ""},
    [BUCKET_BYTES] = {"bucket_bytes", 1 << 20, PARSCAN_ABSOLUTE, "bytes", "", ""},
    [SMALL_BUCKET] = {"small_bucket", 1 << 18, PARSCAN_ABSOLUTE, "elements", "", ""},
    /* Of which each but the first travels while another one is sorted. */
    [ROUNDS] = {"rounds", 8, PARSCAN_ABSOLUTE, "rounds", "H200", "several-gpus.md"},
    /* Elements that keep the device busy. */
    [LEAST_ROUND] = {"least_round", 1 << 20, PARSCAN_PER_MULTIPROCESSOR, "elements", "", ""},
    [SAMPLES] = {"samples", 4096, PARSCAN_ABSOLUTE, "keys", "", ""},
    /* They may be sorted in one block, which needs their order by all bits. */
    [ORDERED] = {"ordered", 1 << 20, PARSCAN_ABSOLUTE, "elements", "", ""},
    /* Of what few ranks merge: a piece takes the host some 40 us. */
    [PIECE] = {"piece", 1 << 24, PARSCAN_ABSOLUTE, "elements", "H200", "several-gpus.md"},
};

static const parscan_plan_variant variants[PARTS_VARIANTS] = {
    [PARTS_IN_PIECES] = {"in_pieces", "a round's buckets share passes, which read their pieces"},
    [PARTS_JOINED] = {"joined", "pieces are copied first: too little shared memory, other values"},
};

const parscan_plan_table parscan_sort_parts_plans = {"sort_parts", variants, PARTS_VARIANTS, limits,
                                                     LIMITS};

sort_parts_plan parscan_sort_parts_plan(const parscan_plan_device *device,
                                        const sort_parts_facts *facts)
{
    const size_t part = facts->n / parscan_plan_limit_of(device, limits, ROUNDS),
                 least = parscan_plan_limit_of(device, limits, LEAST_ROUND);
    const size_t round = part + part / 8; /* a round ends with a bucket */
    const bool large = device->shared_bytes >= parscan_plan_limit_of(device, limits, LARGE_BYTES);
    return (sort_parts_plan){
        .variant = large && facts->moves ? PARTS_IN_PIECES : PARTS_JOINED,
        .bucket_bytes = parscan_plan_limit_of(device, limits, BUCKET_BYTES),
        .small = parscan_plan_limit_of(device, limits, SMALL_BUCKET),
        .round = round > least ? round : least,
        .samples = parscan_plan_limit_of(device, limits, SAMPLES),
        .ordered = parscan_plan_limit_of(device, limits, ORDERED),
        .piece = parscan_plan_limit_of(device, limits, PIECE),
    };
}
