#include "apps/select/top_k_plan.h"

enum { BLOCK_ELEMENTS, SORTED_PART, SAMPLED_ROOTS, MOST_SAMPLES, APART, LIMITS };

static const parscan_plan_limit limits[LIMITS] = {
    [BLOCK_ELEMENTS] = {"block_elements", 16384, PARSCAN_ABSOLUTE, "elements", "", ""},
    [SORTED_PART] = {"sorted_part", 4, PARSCAN_ABSOLUTE, "elements for each of the k", "", ""},
    [SAMPLED_ROOTS] = {"sampled_roots", 4, PARSCAN_ABSOLUTE, "times the root of n", "", ""},
    [APART] = {"apart", 524288, PARSCAN_ABSOLUTE, "elements of a row for each row", "", ""},
    [MOST_SAMPLES] = {"most_samples", 65536, PARSCAN_ABSOLUTE, "elements of a sample", "", ""},
};

static const parscan_plan_variant variants[TOP_K_VARIANTS] = {
    [TOP_K_COUNTS] = {"counts", "nothing but counts is asked for"},
    [TOP_K_BLOCKS] = {"blocks", "very few results: one launch, each block chooses from its chunks"},
    [TOP_K_ONE_BLOCK] = {"one_block", "few elements and few results: one block"},
    [TOP_K_FEW] = {"few", "a sample's limit, one read, one block chooses from candidates"},
    [TOP_K_MANY] = {"many", "the same, candidates are listed in order and sorted by rank"},
    [TOP_K_SORTED] = {"sorted", "k is much of n: all elements are sorted"},
    [TOP_K_ROW_THREADS] = {"row_threads", "few results of each very short row, a thread each"},
    [TOP_K_ROW_WARPS] = {"row_warps", "few results of each short row, a warp each"},
    [TOP_K_ROW_BLOCKS] = {"row_blocks", "more of each row, or long rows: a block each"},
    [TOP_K_SEGMENT_BLOCKS] = {"segment_blocks", "more of each segment: a block each"},
    [TOP_K_SEGMENT_BOTH] = {"segment_both", "few of each segment: warps short ones, blocks others"},
    [TOP_K_SEGMENTS_SORTED] = {"segments_sorted", "more: all are sorted by rank, by segment"},
};

const parscan_plan_table parscan_top_k_plans = {"top_k", variants, TOP_K_VARIANTS, limits, LIMITS};

static size_t root_of(size_t n)
{
    size_t root = 1;
    while (root < UINT32_MAX && root * root < n)
        root *= 2;
    return root;
}

/* Whole blocks of about 4 sqrt(n) elements. */
static size_t samples_of(const parscan_plan_device *device, size_t n)
{
    const size_t most = parscan_plan_limit_of(device, limits, MOST_SAMPLES);
    const size_t roots = parscan_plan_limit_of(device, limits, SAMPLED_ROOTS) * root_of(n);
    const size_t wanted = roots < most ? roots : most;
    return (wanted - 1) / TOP_K_SAMPLES_OF_BLOCK * TOP_K_SAMPLES_OF_BLOCK + TOP_K_SAMPLES_OF_BLOCK;
}

/* So many elements pass the limit at most, but in few of 10^8 cases (sample_limit() of top_k_choose.cuh). */
static size_t room_of(size_t n, size_t k, size_t samples)
{
    const size_t in_sample = (size_t)((double)k * (double)samples / (double)n) + 1;
    const size_t at = in_sample + 6 * root_of(in_sample) + 5;
    const size_t room = (at + at / 8 + 6 * root_of(at)) * (n / samples + 1);
    const size_t least = TOP_K_SAMPLES_OF_BLOCK;
    return room > n ? n : room < least ? least : room;
}

/* Rows of elements in shared memory, with what lies between them. */
static bool rows_fit(const parscan_plan_device *device, const top_k_facts *call)
{
    const size_t row = (call->row + TOP_K_MOST_OF_THREAD) * call->size + 2 * 16;
    return call->row <= TOP_K_THREAD_ELEMENTS && TOP_K_ROWS_OF_BLOCK * row <= device->shared_bytes;
}

static top_k_variant variant_of_rows(const parscan_plan_device *device, const top_k_facts *call)
{
    if (call->k <= TOP_K_MOST_OF_THREAD && rows_fit(device, call))
        return TOP_K_ROW_THREADS;
    if (call->k <= TOP_K_MOST_OF_WARP && call->row <= TOP_K_WARP_ELEMENTS)
        return TOP_K_ROW_WARPS;
    return device->shared_bytes >= TOP_K_STREAM_BYTES ? TOP_K_ROW_BLOCKS : TOP_K_SEGMENT_BLOCKS;
}

static top_k_variant variant_of_segments(const parscan_plan_device *device, const top_k_facts *call)
{
    if (call->k > TOP_K_MOST_CHOSEN)
        return TOP_K_SEGMENTS_SORTED;
    if (call->row > 0)
        return variant_of_rows(device, call);
    return call->k > TOP_K_MOST_OF_WARP ? TOP_K_SEGMENT_BLOCKS : TOP_K_SEGMENT_BOTH;
}

static top_k_variant variant_of(const parscan_plan_device *device, const top_k_facts *call)
{
    const bool few = call->k <= TOP_K_MOST_CHOSEN;
    if (call->n == 0 || call->k == 0 || !call->wanted)
        return TOP_K_COUNTS;
    if (call->has_segments)
        return variant_of_segments(device, call);
    if (call->k <= TOP_K_MOST_OF_BLOCKS && device->shared_bytes >= TOP_K_STREAM_BYTES)
        return TOP_K_BLOCKS;
    if (few && call->n <= parscan_plan_limit_of(device, limits, BLOCK_ELEMENTS))
        return TOP_K_ONE_BLOCK;
    if (call->k > call->n / parscan_plan_limit_of(device, limits, SORTED_PART))
        return TOP_K_SORTED;
    return few ? TOP_K_FEW : TOP_K_MANY;
}

/* A single row, and few long ones: a block for each would leave the others idle. */
static bool are_apart(const parscan_plan_device *device, const top_k_facts *call)
{
    return call->has_segments && call->row > 0 && call->k > 0 && call->wanted && call->n > 0 &&
           (call->n == call->row ||
            call->n / call->row <= call->row / parscan_plan_limit_of(device, limits, APART));
}

/* Two on a multiprocessor, if there is work for them. */
static size_t blocks_of(const parscan_plan_device *device, const top_k_facts *call)
{
    const size_t chunks = call->n * call->size / TOP_K_CHUNK_BYTES + 2;
    return chunks < 2 * device->multiprocessors ? chunks : 2 * device->multiprocessors;
}

bool parscan_top_k_takes_rows(top_k_variant variant)
{
    return variant == TOP_K_ROW_THREADS || variant == TOP_K_ROW_WARPS ||
           variant == TOP_K_ROW_BLOCKS;
}

top_k_plan parscan_top_k_plan(const parscan_plan_device *device, const top_k_facts *call)
{
    if (are_apart(device, call)) {
        const top_k_facts row = {.n = call->row, .k = call->k, .size = call->size, .wanted = true};
        top_k_plan plan = parscan_top_k_plan(device, &row);
        plan.apart = call->n / call->row;
        return plan;
    }
    top_k_plan plan = {.variant = variant_of(device, call)};
    const size_t places = parscan_top_k_takes_rows(plan.variant) ? call->row : call->n;
    plan.wide = call->size > sizeof(uint32_t) || places > UINT32_MAX;
    if (plan.variant == TOP_K_BLOCKS)
        plan.blocks = blocks_of(device, call);
    if (plan.variant == TOP_K_FEW || plan.variant == TOP_K_MANY) {
        plan.samples = samples_of(device, call->n);
        plan.room = room_of(call->n, call->k, plan.samples);
        plan.specialised = PARSCAN_WARP_SPECIALISED(device->architecture);
    }
    return plan;
}
