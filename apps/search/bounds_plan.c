#include "apps/search/bounds_plan.h"

enum { DIRECT_BYTES, KEYS_A_NEEDLE, TOP_BYTES, FEW_NEEDLES, NEAR_BYTES, STREAM_NEEDLES, LIMITS };

/* Chosen by calculation (bounds-cuda.md). */
static const parscan_plan_limit limits[LIMITS] = {
    [DIRECT_BYTES] = {"direct_bytes", 256 << 10, PARSCAN_ABSOLUTE, "bytes of keys", "", ""},
    [KEYS_A_NEEDLE] = {"keys_a_needle", 32, PARSCAN_ABSOLUTE, "keys a needle", "", ""},
    [TOP_BYTES] = {"top_bytes", 64 << 10, PARSCAN_PER_SHARED_BYTE, "bytes of samples", "", ""},
    [NEAR_BYTES] = {"near_bytes", 32 << 20, PARSCAN_ABSOLUTE, "bytes of keys", "", ""},
    [STREAM_NEEDLES] = {"stream_needles", 1 << 25, PARSCAN_PER_MULTIPROCESSOR, "needles", "H200",
                        "search.md"},
    [FEW_NEEDLES] = {"few_needles", 1 << 19, PARSCAN_PER_MULTIPROCESSOR, "needles", "", ""},
};

static const parscan_plan_variant variants[BOUNDS_VARIANTS] = {
    [BOUNDS_DIRECT] = {"direct", "few keys, or few needles among many: blocks sample the keys"},
    [BOUNDS_TREE] = {"tree", "all others: levels of samples are made, then searched"},
};

const parscan_plan_table parscan_bounds_plans = {"bounds", variants, BOUNDS_VARIANTS, limits,
                                                 LIMITS};

static size_t divided_up(size_t n, size_t by)
{
    return n / by + (n % by != 0);
}

static size_t power_of_two_within(size_t most)
{
    size_t power = 1;
    while (power <= most / 2)
        power *= 2;
    return power;
}

/* Levels are whole nodes long, so that a node can be read whole. */
static void plan_tree(bounds_plan *plan, const bounds_facts *call)
{
    const size_t nodes = BOUNDS_NODE_BYTES / call->key_size;
    const size_t fanout = nodes < BOUNDS_MOST_FANOUT ? nodes : BOUNDS_MOST_FANOUT;
    size_t samples = divided_up(call->count, BOUNDS_BLOCK_BYTES / call->key_size);
    for (;;) {
        plan->level_at[plan->levels++] = plan->tree_keys;
        plan->tree_keys += divided_up(samples, fanout) * fanout;
        if (samples <= plan->top)
            break;
        samples = divided_up(samples, fanout);
    }
}

/* Needles in order are sought first. The tree is made only if some are not. */
static void plan_stream(bounds_plan *plan, const bounds_facts *call)
{
    const size_t tree = divided_up(plan->tree_keys * call->key_size, 256) * 256;
    plan->stream_needles = BOUNDS_STREAM_THREADS * BOUNDS_STREAM_ROWS_OF(call->key_size);
    plan->left_at = tree;
    plan->scratch_bytes = tree + BOUNDS_STREAM_BLOCKS + divided_up(call->n, plan->stream_needles);
}

/* A short call spreads over all multiprocessors. */
static size_t blocks_of(const parscan_plan_device *device, const bounds_facts *call,
                        unsigned batches)
{
    const size_t tiles =
        divided_up(call->n, (size_t)32 * batches * BOUNDS_BATCH_OF(call->key_size));
    const size_t full = divided_up(tiles, BOUNDS_WARPS);
    const size_t spread = tiles < device->multiprocessors ? tiles : device->multiprocessors;
    return full > spread ? full : spread;
}

bounds_plan parscan_bounds_plan(const parscan_plan_device *device, const bounds_facts *call)
{
    const size_t bytes = call->count * call->key_size;
    const size_t sparse = parscan_plan_limit_of(device, limits, KEYS_A_NEEDLE);
    const bool direct = bytes <= parscan_plan_limit_of(device, limits, DIRECT_BYTES) ||
                        call->count / sparse > call->n;
    bounds_plan plan = {
        .variant = direct ? BOUNDS_DIRECT : BOUNDS_TREE,
        .top = BOUNDS_DIRECT_TOP,
        .far = bytes > parscan_plan_limit_of(device, limits, NEAR_BYTES),
        .sectors = call->sorted % BOUNDS_NODE_BYTES == 0,
    };
    if (!direct) {
        plan.top = (unsigned)power_of_two_within(parscan_plan_limit_of(device, limits, TOP_BYTES) /
                                                 call->key_size);
        plan_tree(&plan, call);
        plan.scratch_bytes = plan.tree_keys * call->key_size;
        if (device->shared_bytes >= BOUNDS_STREAM_BYTES && !call->ranges &&
            call->count / call->n <= 1 &&
            call->n >= parscan_plan_limit_of(device, limits, STREAM_NEEDLES))
            plan_stream(&plan, call);
    }
    plan.batches =
        call->n <= parscan_plan_limit_of(device, limits, FEW_NEEDLES) ? 1 : BOUNDS_BATCHES;
    plan.blocks = blocks_of(device, call, plan.batches);
    plan.shared_bytes = plan.top * call->key_size + (size_t)BOUNDS_WARPS * BOUNDS_STAGE_BYTES;
    return plan;
}
