#include "apps/histogram/histogram_plan.h"

enum {
    WORDS_BINS,
    HALVES_FROM,
    HALVES_FROM_MOST,
    HALVES_BYTES,
    FEW_ELEMENTS,
    FEW_SLOTS,
    CACHED_SLOTS,
    CODES_FROM,
    MANY_BINS_CODES_FROM,
    ALONE_BYTES,
    ALONE_BINS,
    BYTES_BLOCKS,
    WORDS_TIME,
    HALVES_TIME,
    BINS_ADDED,
    LIMITS
};

static const parscan_plan_limit limits[LIMITS] = {
    [WORDS_BINS] = {"words_bins", WORDS_TABLE, PARSCAN_ABSOLUTE, "bins", "", ""},
    [HALVES_FROM] = {"halves_from", 64, PARSCAN_ABSOLUTE, "elements a bin", "", ""},
    /* With the length on the device, which may be a 16th of the most. */
    [HALVES_FROM_MOST] = {"halves_from_most", 1024, PARSCAN_ABSOLUTE, "elements a bin at most", "",
                          ""},
    [HALVES_BYTES] = {"halves_bytes", 227 << 10, PARSCAN_PER_SHARED_BYTE, "bytes", "", ""},
    [FEW_ELEMENTS] = {"few_elements", 1 << 21, PARSCAN_PER_MULTIPROCESSOR, "elements", "H200",
                      "histogram.md"},
    [FEW_SLOTS] = {"few_slots", 1 << 12, PARSCAN_ABSOLUTE, "slots", "H200", "histogram.md"},
    [CACHED_SLOTS] = {"cached_slots", 1 << 14, PARSCAN_ABSOLUTE, "slots", "H200", "histogram.md"},
    [CODES_FROM] = {"codes_from", 1 << 24, PARSCAN_PER_MULTIPROCESSOR, "elements", "", ""},
    [MANY_BINS_CODES_FROM] = {"many_bins_codes_from", 1 << 26, PARSCAN_PER_MULTIPROCESSOR,
                              "elements", "", ""},
    /* One block that sets the counts of bytes, or one kernel that clears them and one that adds. */
    [ALONE_BYTES] = {"alone_bytes", 1 << 14, PARSCAN_ABSOLUTE, "bytes", "H200", "histogram.md"},
    [ALONE_BINS] = {"alone_bins", 4096, PARSCAN_ABSOLUTE, "bins", "", ""},
    /* Few bytes go to more blocks, of fewer vectors. */
    [BYTES_BLOCKS] = {"bytes_blocks", 64, PARSCAN_PER_MULTIPROCESSOR, "blocks", "H200",
                      "histogram.md"},
    [WORDS_TIME] = {"words_time", 300, PARSCAN_ABSOLUTE, "ps an element", "H200", "histogram.md"},
    [HALVES_TIME] = {"halves_time", 260, PARSCAN_ABSOLUTE, "ps an element", "H200", "histogram.md"},
    [BINS_ADDED] = {"bins_added", 208, PARSCAN_ABSOLUTE, "bins a ns", "H200", "histogram.md"},
};

static const parscan_plan_variant variants[HISTOGRAM_VARIANTS] = {
    [HISTOGRAM_ONLY_CLEARED] = {"cleared", "no elements"},
    [HISTOGRAM_IN_BYTES] = {"bytes", "elements of one byte: a counter for each value and lane"},
    [HISTOGRAM_IN_CODES] = {"codes", "many elements of two bytes: a 16-bit counter for each value"},
    [HISTOGRAM_IN_WORDS] = {"words", "up to words_bins bins: 32-bit counters, in copies"},
    [HISTOGRAM_IN_HALVES] = {"halves", "16-bit counters that fit halves_bytes, enough elements"},
    [HISTOGRAM_CACHED_FEW] = {"cached_few", "as cached, blocks of 256 threads"},
    [HISTOGRAM_CACHED] = {"cached", "counters in memory, slots for frequent bins, 1024 threads"},
};

const parscan_plan_table parscan_histogram_plans = {"histogram", variants, HISTOGRAM_VARIANTS,
                                                    limits, LIMITS};

/* The batches of elements that a block's threads load at once. */
static size_t batches_of(const histogram_facts *facts, unsigned threads)
{
    return facts->n / (threads * LOADED_VECTORS * (16 / facts->element_size)) + 1;
}

/* How many blocks pay, up to `most`. Adding the tables of b blocks to the counts takes b * bins
   / BINS_ADDED ns, and counting takes n * `picoseconds` / b ps. The sum is least where b * b is `square`. */
static size_t useful_blocks(const parscan_plan_device *device, const histogram_facts *facts,
                            size_t most, unsigned picoseconds)
{
    const double each = (double)parscan_plan_limit_of(device, limits, BINS_ADDED) / 1000 *
                        parscan_plan_limit_of(device, limits, picoseconds);
    const double square = (double)facts->n / facts->bins * each;
    size_t blocks = 1;
    while (blocks < most && (double)blocks * blocks < square)
        blocks++;
    return blocks;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The number of copies, as a power of two, for which a block has enough elements; at most one
   for each lane. */
static unsigned copies_log2(size_t bins, size_t elements_a_block)
{
    unsigned log2 = 0;
    while (log2 < 5 && bins << (log2 + 1) <= WORDS_TABLE && bins << (log2 + 1) <= elements_a_block)
        log2++;
    return log2;
}

static void plan_bytes(histogram_plan *plan, const parscan_plan_device *device,
                       const histogram_facts *facts)
{
    const size_t vector = BYTES_THREADS * 16;
    plan->variant = HISTOGRAM_IN_BYTES;
    plan->alone = !facts->adds && facts->n <= parscan_plan_limit_of(device, limits, ALONE_BYTES) &&
                  facts->bins <= parscan_plan_limit_of(device, limits, ALONE_BINS);
    plan->vectors = plan->alone ? LOADED_VECTORS : 1;
    while (plan->vectors < LOADED_VECTORS &&
           facts->n / (vector * plan->vectors) >=
               parscan_plan_limit_of(device, limits, BYTES_BLOCKS))
        plan->vectors *= 2;
    plan->blocks = facts->n / (vector * plan->vectors) + 1;
}

static void plan_words(histogram_plan *plan, const parscan_plan_device *device,
                       const histogram_facts *facts)
{
    const size_t batches = batches_of(facts, WORDS_THREADS);
    const size_t most = device->multiprocessors * WORDS_BLOCKS;
    plan->variant = HISTOGRAM_IN_WORDS;
    plan->blocks = smaller(batches, useful_blocks(device, facts, most, WORDS_TIME));
    plan->alone = batches == 1 && !facts->adds;
    plan->copies_log2 = copies_log2(facts->bins, facts->n / plan->blocks);
    plan->shared_bytes = WORDS_TABLE * sizeof(uint32_t);
}

/* Whether 16-bit counters fit, and there are enough elements to add so many to the counts. */
static bool plan_halves(histogram_plan *plan, const parscan_plan_device *device,
                        const histogram_facts *facts)
{
    const size_t row = 2 * HALVES_ROW, words = (facts->bins + row - 1) / row * HALVES_ROW;
    const unsigned from = facts->length_on_device ? HALVES_FROM_MOST : HALVES_FROM;
    plan->shared_bytes = parscan_plan_limit_of(device, limits, HALVES_BYTES);
    if (words * sizeof(uint32_t) > plan->shared_bytes ||
        facts->n / parscan_plan_limit_of(device, limits, from) < facts->bins)
        return false;
    plan->variant = HISTOGRAM_IN_HALVES;
    plan->table_words = (unsigned)words;
    plan->blocks = smaller(batches_of(facts, HALVES_THREADS),
                           useful_blocks(device, facts, device->multiprocessors, HALVES_TIME));
    return true;
}

/* Whether elements are counted by value. Adding each value's count to its bin takes longer where bins have no
   room beside the values. These kernels know the bounds at their launch. */
static bool plan_codes(histogram_plan *plan, const parscan_plan_device *device,
                       const histogram_facts *facts)
{
    const bool fits = CODES_TABLE_BYTES + facts->bins * sizeof(uint32_t) <= device->shared_bytes;
    if (facts->bounds_on_device || facts->element_size != sizeof(uint16_t) ||
        device->shared_bytes < CODES_TABLE_BYTES ||
        facts->n < parscan_plan_limit_of(device, limits, fits ? CODES_FROM : MANY_BINS_CODES_FROM))
        return false;
    plan->variant = HISTOGRAM_IN_CODES;
    plan->table_words = fits ? (unsigned)facts->bins : 0;
    plan->shared_bytes = CODES_TABLE_BYTES + plan->table_words * sizeof(uint32_t);
    plan->blocks = device->multiprocessors;
    return true;
}

static void plan_cached(histogram_plan *plan, const parscan_plan_device *device,
                        const histogram_facts *facts)
{
    const bool few = facts->n <= parscan_plan_limit_of(device, limits, FEW_ELEMENTS);
    size_t slots = parscan_plan_limit_of(device, limits, few ? FEW_SLOTS : CACHED_SLOTS);
    while (2 * sizeof(uint32_t) * slots > device->shared_bytes)
        slots /= 2;
    while ((size_t)1 << (plan->slots_log2 + 1) <= slots)
        plan->slots_log2++;
    plan->variant = few ? HISTOGRAM_CACHED_FEW : HISTOGRAM_CACHED;
    plan->blocks = batches_of(facts, few ? FEW_THREADS : CACHED_THREADS);
    plan->shared_bytes = 2 * sizeof(uint32_t) * slots;
}

histogram_plan parscan_histogram_plan(const parscan_plan_device *device,
                                      const histogram_facts *facts)
{
    histogram_plan plan = {.variant = HISTOGRAM_ONLY_CLEARED};
    if (facts->n > 0 && facts->element_size == 1) {
        plan_bytes(&plan, device, facts);
    } else if (facts->n > 0 && !plan_codes(&plan, device, facts)) {
        if (facts->bins <= parscan_plan_limit_of(device, limits, WORDS_BINS))
            plan_words(&plan, device, facts);
        else if (!plan_halves(&plan, device, facts))
            plan_cached(&plan, device, facts);
    }
    plan.clears = !facts->adds && !plan.alone;
    return plan;
}
