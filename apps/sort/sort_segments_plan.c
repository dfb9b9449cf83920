#include "apps/sort/sort_segments_plan.h"

enum {
    ALONE_ELEMENTS,
    ALONE_MEAN,
    FEW_ELEMENTS,
    TOGETHER_ELEMENTS,
    IN_TWO_ELEMENTS,
    TOGETHER_MEAN,
    ONE_BY_ONE_LEAST_MEAN,
    ONE_BY_ONE_MOST_MEAN,
    ONE_BY_ONE_ELEMENTS,
    BRIEF_LEAST,
    BRIEF_MOST_MEAN,
    BRIEF_ELEMENTS,
    SHORT_MEAN,
    LARGE_BYTES,
    LIMITS
};

static const parscan_plan_limit limits[LIMITS] = {
    /* A block that finds a long segment sorts it while the others wait. */
    [ALONE_ELEMENTS] = {"alone_elements", 1 << 17, PARSCAN_PER_MULTIPROCESSOR, "elements", "H100",
                        "sort-cuda.md"},
    [ALONE_MEAN] = {"alone_mean", 8192, PARSCAN_ABSOLUTE, "elements a segment", "", ""},
    [FEW_ELEMENTS] = {"few_elements", 2048, PARSCAN_ABSOLUTE, "elements", "H100", "sort-cuda.md"},
    [TOGETHER_ELEMENTS] = {"together_elements", 1 << 22, PARSCAN_PER_MULTIPROCESSOR, "elements",
                           "H100", "sort-cuda.md"},
    [IN_TWO_ELEMENTS] = {"in_two_elements", 1 << 24, PARSCAN_PER_MULTIPROCESSOR, "elements", "H100",
                         "sort-cuda.md"},
    [TOGETHER_MEAN] = {"together_mean", 256, PARSCAN_ABSOLUTE, "elements a segment", "H100",
                       "sort-cuda.md"},
    [ONE_BY_ONE_LEAST_MEAN] = {"one_by_one_least_mean", 256, PARSCAN_ABSOLUTE, "elements a segment",
                               "H100", "sort-cuda.md"},
    [ONE_BY_ONE_MOST_MEAN] = {"one_by_one_most_mean", 4096, PARSCAN_ABSOLUTE, "elements a segment",
                              "H100", "sort-cuda.md"},
    [ONE_BY_ONE_ELEMENTS] = {"one_by_one_elements", 1 << 20, PARSCAN_PER_MULTIPROCESSOR, "elements",
                             "H100", "sort-cuda.md"},
    /* With shorter segments, a window has more of them than its block looks at; with longer ones, too
       many windows have one that is not short. */
    [BRIEF_LEAST] = {"brief_least", 15, PARSCAN_ABSOLUTE, "elements in 2 segments", "H100",
                     "sort-cuda.md"},
    [BRIEF_MOST_MEAN] = {"brief_most_mean", 16, PARSCAN_ABSOLUTE, "elements a segment", "H100",
                         "sort-cuda.md"},
    [BRIEF_ELEMENTS] = {"brief_elements", 1 << 14, PARSCAN_PER_MULTIPROCESSOR, "elements", "H100",
                        "sort-cuda.md"},
    [SHORT_MEAN] = {"short_mean", 128, PARSCAN_ABSOLUTE, "elements a segment", "H100",
                    "sort-cuda.md"},
    [LARGE_BYTES] = {"large_bytes", SORT_LARGE_BYTES, PARSCAN_ABSOLUTE, "bytes a block", "", ""},
};

static const parscan_plan_variant variants[SEGMENTS_VARIANTS] = {
    [SEGMENTS_ONE_BY_ONE] = {"one_by_one",
                             "a block for each segment, mean within one_by_one_..._mean"},
    [SEGMENTS_ONE_BY_ONE_TOGETHER] = {"one_by_one_together",
                                      "the same, all blocks sort longer ones"},
    [SEGMENTS_ALONE] = {"alone", "windows, 1024 threads; a block sorts its long segments itself"},
    [SEGMENTS_ALONE_BRIEF] = {"alone_brief", "the same, 256 threads, short segments first"},
    [SEGMENTS_ALONE_FEW] = {"alone_few", "the same, 512 threads, up to few_elements"},
    [SEGMENTS_TOGETHER] = {"together", "windows; all blocks of the launch sort long ones"},
    [SEGMENTS_IN_TWO] = {"in_two", "windows list long ones, a second launch sorts them together"},
    [SEGMENTS_IN_TWO_BRIEF] = {"in_two_brief", "the same, short segments first"},
    [SEGMENTS_LISTED] = {"listed", "all others: radix sorts by key and segment sort long ones"},
    [SEGMENTS_LISTED_BRIEF] = {"listed_brief", "the same, short segments first"},
    [SEGMENTS_SMALL_ALONE] = {"small_alone", "alone, where a block lacks large_bytes"},
    [SEGMENTS_SMALL_TOGETHER] = {"small_together", "together, where a block lacks large_bytes"},
    [SEGMENTS_SMALL_LISTED] = {"small_listed", "listed, where a block lacks large_bytes"},
};

const parscan_plan_table parscan_sort_segments_plans = {"sort_segments", variants,
                                                        SEGMENTS_VARIANTS, limits, LIMITS};

/* Whether blocks are to try segment_short_kernels.cuh first. It can sort only keys without values, and only
   where equal keys have the same bits. */
static bool are_brief(const parscan_plan_device *device, const sort_segments_facts *facts)
{
    return facts->value_size == 0 && facts->whole_keys && !facts->floats && facts->offsets &&
           2 * facts->n >= parscan_plan_limit_of(device, limits, BRIEF_LEAST) * facts->count &&
           facts->n <= parscan_plan_limit_of(device, limits, BRIEF_MOST_MEAN) * facts->count;
}

static sort_segments_variant variant_in_windows(const parscan_plan_device *device,
                                                const sort_segments_facts *facts,
                                                const sort_segments_plan *plan)
{
    const bool brief = are_brief(device, facts);
    if (plan->together && facts->n <= parscan_plan_limit_of(device, limits, TOGETHER_ELEMENTS))
        return SEGMENTS_TOGETHER;
    if (plan->together)
        return brief ? SEGMENTS_IN_TWO_BRIEF : SEGMENTS_IN_TWO;
    if (!plan->one_launch)
        return brief ? SEGMENTS_LISTED_BRIEF : SEGMENTS_LISTED;
    if (facts->n <= parscan_plan_limit_of(device, limits, FEW_ELEMENTS))
        return SEGMENTS_ALONE_FEW;
    return brief && facts->n <= parscan_plan_limit_of(device, limits, BRIEF_ELEMENTS)
               ? SEGMENTS_ALONE_BRIEF
               : SEGMENTS_ALONE;
}

sort_segments_plan parscan_sort_segments_plan(const parscan_plan_device *device,
                                              const sort_segments_facts *facts)
{
    const size_t n = facts->n, mean = facts->count > 0 ? n / facts->count : 0;
    const bool alone = n <= parscan_plan_limit_of(device, limits, ALONE_ELEMENTS) &&
                       mean <= parscan_plan_limit_of(device, limits, ALONE_MEAN);
    const bool one_by_one = facts->offsets &&
                            mean >= parscan_plan_limit_of(device, limits, ONE_BY_ONE_LEAST_MEAN) &&
                            mean <= parscan_plan_limit_of(device, limits, ONE_BY_ONE_MOST_MEAN);
    sort_segments_plan plan = {
        .together = !alone && facts->offsets &&
                    (one_by_one ? n <= parscan_plan_limit_of(device, limits, ONE_BY_ONE_ELEMENTS)
                                : n <= parscan_plan_limit_of(device, limits, IN_TWO_ELEMENTS) &&
                                      mean < parscan_plan_limit_of(device, limits, TOGETHER_MEAN)),
        .short_windows =
            facts->offsets && n / parscan_plan_limit_of(device, limits, SHORT_MEAN) < facts->count,
    };
    plan.one_launch = alone || plan.together;
    if (device->shared_bytes < parscan_plan_limit_of(device, limits, LARGE_BYTES))
        plan.variant = plan.together ? SEGMENTS_SMALL_TOGETHER
                       : alone       ? SEGMENTS_SMALL_ALONE
                                     : SEGMENTS_SMALL_LISTED;
    else if (one_by_one && plan.one_launch)
        plan.variant = plan.together ? SEGMENTS_ONE_BY_ONE_TOGETHER : SEGMENTS_ONE_BY_ONE;
    else
        plan.variant = variant_in_windows(device, facts, &plan);
    return plan;
}
