#include "apps/join/merge_plan.h"

enum { LEAST_SPAN, NETWORK, NETWORK_WORDS, LIMITS };

/* Fewer elements are not worth a block's two searches. */
static const parscan_plan_limit limits[LIMITS] = {
    [LEAST_SPAN] = {"least_span", 512, PARSCAN_ABSOLUTE, "elements of a block", "", ""},
    [NETWORK] = {"network", 1 << 16, PARSCAN_PER_MULTIPROCESSOR, "keys of 4 bytes or less", "H200",
                 "merge.md"},
    [NETWORK_WORDS] = {"network_words", 1 << 23, PARSCAN_PER_MULTIPROCESSOR, "keys of 4 bytes",
                       "H200", "merge.md"},
};

static const parscan_plan_variant variants[MERGE_VARIANTS] = {
    [MERGE_KEYS] = {"keys", "keys alone: spans of the output, tile by tile"},
    [MERGE_NETWORK] = {"network", "many short keys alone: warps merge by a network in registers"},
    [MERGE_PAIRS] = {"pairs", "keys and values: which elements they are, then both are moved"},
};

const parscan_plan_table parscan_merge_plans = {"merge", variants, MERGE_VARIANTS, limits, LIMITS};

merge_plan parscan_merge_plan(const parscan_plan_device *device, const merge_facts *call)
{
    const bool pairs = call->value_size > 0;
    const size_t most = call->key_size > 4   ? 0
                        : call->key_size < 4 ? SIZE_MAX
                                             : parscan_plan_limit_of(device, limits, NETWORK_WORDS);
    const bool network = device->shared_bytes >= MERGE_NETWORK_BYTES && call->count <= most &&
                         call->count >= parscan_plan_limit_of(device, limits, NETWORK);
    return (merge_plan){
        .variant = pairs     ? MERGE_PAIRS
                   : network ? MERGE_NETWORK
                             : MERGE_KEYS,
        .unit = pairs ? (unsigned)call->alignment : 0,
        .least_span = parscan_plan_limit_of(device, limits, LEAST_SPAN),
    };
}
