#include "apps/sort/sort_plan.h"

enum {
    COUNTED_BYTES,
    COUNTED_HALVES,
    COUNTED_MOST_HALVES,
    COUNTER_BYTES,
    APPENDED_FROM,
    LEAST_COPY,
    CHUNKS,
    LEAST_CHUNK,
    MOST_BUCKETS,
    SAMPLE,
    SAMPLED_RUN,
    LIMITS
};

static const parscan_plan_limit limits[LIMITS] = {
    /* Below it, digit passes take less time. The histogram counts fewer keys of 2 bytes in memory. */
    [COUNTED_BYTES] = {"counted_bytes", 1 << 19, PARSCAN_ABSOLUTE, "keys of 1 byte", "H100",
                       "sort-cuda.md"},
    [COUNTED_HALVES] = {"counted_halves", 1 << 22, PARSCAN_ABSOLUTE, "keys of 2 bytes", "H100",
                        "sort-cuda.md"},
    /* With the length on the device, which may be a 16th of the most. */
    [COUNTED_MOST_HALVES] = {"counted_most_halves", 1 << 26, PARSCAN_ABSOLUTE,
                             "keys of 2 bytes at most", "", ""},
    [COUNTER_BYTES] = {"counter_bytes", 1 << 17, PARSCAN_ABSOLUTE, "bytes a block", "", ""},
    /* A launch more takes 1%. */
    [APPENDED_FROM] = {"appended_from", 1 << 25, PARSCAN_PER_MULTIPROCESSOR, "elements", "H200",
                       "sort-cuda.md"},
    [LEAST_COPY] = {"least_copy", (size_t)64 << 20, PARSCAN_ABSOLUTE, "bytes of a chunk", "", ""},
    [CHUNKS] = {"chunks", 32, PARSCAN_ABSOLUTE, "chunks", "", ""},
    [LEAST_CHUNK] = {"least_chunk", 1024, PARSCAN_ABSOLUTE, "elements", "", ""},
    [MOST_BUCKETS] = {"most_buckets", (MOST_SPLITTERS + 1) / 2, PARSCAN_ABSOLUTE, "buckets", "",
                      ""},
    [SAMPLE] = {"sample", 16384, PARSCAN_ABSOLUTE, "keys", "", ""},
    [SAMPLED_RUN] = {"sampled_run", 64, PARSCAN_ABSOLUTE, "keys", "", ""},
};

static const parscan_plan_variant variants[SORT_VARIANTS] = {
    [SORT_WITH_VALUES] = {"with_values", "radix_sort; values of 4, 8 bytes move with keys"},
    [SORT_APPENDED] = {"appended",
                       "the same; a tail after sorted elements is sorted apart, merged"},
    [SORT_BY_INDICES] = {"by_indices",
                         "radix_sort of keys and indices, other values gathered by them"},
    [SORT_BY_COUNTING] = {"by_counting",
                          "from counted_... on, whole keys alone: counted, and written anew"},
    [SORT_IN_BUCKETS] = {"in_buckets", "host arrays beyond the device's memory: buckets of chunks"},
};

const parscan_plan_table parscan_sort_plans = {"sort", variants, SORT_VARIANTS, limits, LIMITS};

/* Counters of 2 bytes for all keys of 2 bytes must fit a block, or they are counted in memory, in more
   time than digit passes take. */
static bool counts_keys(const parscan_plan_device *device, const sort_facts *facts)
{
    if (!facts->keys_alone || !facts->whole_keys)
        return false;
    if (facts->key_size == 1)
        return facts->n >= parscan_plan_limit_of(device, limits, COUNTED_BYTES);
    return facts->key_size == 2 &&
           facts->n >= parscan_plan_limit_of(device, limits,
                                             facts->length_on_device ? COUNTED_MOST_HALVES
                                                                     : COUNTED_HALVES) &&
           device->shared_bytes >= parscan_plan_limit_of(device, limits, COUNTER_BYTES);
}

sort_variant parscan_sort_plan(const parscan_plan_device *device, const sort_facts *facts)
{
    if (facts->in_chunks)
        return SORT_IN_BUCKETS;
    if (counts_keys(device, facts))
        return SORT_BY_COUNTING;
    if (!facts->moves)
        return SORT_BY_INDICES;
    return facts->apart && facts->whole_keys && facts->key_size >= 4 && !facts->length_on_device &&
                   facts->n >= parscan_plan_limit_of(device, limits, APPENDED_FROM)
               ? SORT_APPENDED
               : SORT_WITH_VALUES;
}

size_t parscan_sort_plan_chunk(const parscan_plan_device *device, const sort_chunk_facts *facts)
{
    const size_t taken = facts->fixed_bytes + ((size_t)64 << 10) + facts->room / 64;
    size_t n = facts->room > taken ? (facts->room - taken) / facts->each_bytes : 0;
    /* The first copy up and the last one down are alone, so they are short. */
    const size_t part = facts->n / parscan_plan_limit_of(device, limits, CHUNKS);
    const size_t least = parscan_plan_limit_of(device, limits, LEAST_COPY) / facts->bytes;
    const size_t enough = part > least ? part : least;
    n = n < enough ? n : enough;
    return n < parscan_plan_limit_of(device, limits, LEAST_CHUNK) ? 0 : n / 256 * 256;
}

sort_bucket_plan parscan_sort_plan_buckets(const parscan_plan_device *device, size_t n, size_t most)
{
    /* A bucket may have a third more elements than it should, and still fits. */
    const size_t fit = most - most / 4,
                 most_buckets = parscan_plan_limit_of(device, limits, MOST_BUCKETS);
    const size_t buckets = (n + fit - 1) / fit,
                 sample = parscan_plan_limit_of(device, limits, SAMPLE);
    const size_t run = parscan_plan_limit_of(device, limits, SAMPLED_RUN), runs = n / run * run;
    return (sort_bucket_plan){.buckets = buckets < 2              ? 2
                                         : buckets > most_buckets ? most_buckets
                                                                  : buckets,
                              .sample = runs < sample ? runs : sample,
                              .run = run};
}
