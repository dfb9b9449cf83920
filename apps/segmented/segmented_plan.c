#include "apps/segmented/segmented_plan.h"

enum {
    FEW_BYTES,
    DIRECT_ELEMENTS,
    SCAN_SEGMENTS,
    SCAN_MEAN,
    SCAN_FEW,
    REDUCE_SEGMENTS,
    REDUCE_LEAST_MEAN,
    REDUCE_MOST_MEAN,
    EACH_SEGMENTS,
    EACH_REDUCED,
    EACH_REDUCED_MEAN,
    EACH_SCANNED,
    EACH_SCANNED_MEAN,
    FINDERS,
    LONG_SEGMENT,
    FEW_WIDE,
    SCAN_ALONE,
    SCAN_TILE,
    REDUCE_ALONE,
    REDUCE_TILE,
    OWN_TILES,
    OFFSETS_IN_BLOCKS,
    OFFSETS_OF_ELEMENT,
    LIMITS
};

#define MEASURED "H100", "segmented.md"

static const parscan_plan_limit limits[LIMITS] = {
    /* Beyond, warps with roles take less time than the look-back over many small tiles. */
    [FEW_BYTES] = {"few_bytes", 1 << 18, PARSCAN_PER_MULTIPROCESSOR,
                   "bytes of output, 4 or more an element", "H200", "segmented.md"},
    /* Beyond, a pass over tiles has more than one tile a block, and the direct kernel no advantage. */
    [DIRECT_ELEMENTS] = {"direct_elements", SEGMENTED_DIRECT_MOST, PARSCAN_PER_MULTIPROCESSOR,
                         "elements", MEASURED},
    [SCAN_SEGMENTS] = {"scan_segments", 12288, PARSCAN_PER_MULTIPROCESSOR, "segments", MEASURED},
    [SCAN_MEAN] = {"scan_mean", 1023, PARSCAN_ABSOLUTE, "elements a segment", MEASURED},
    /* So few elements are scanned directly, whatever their mean is. */
    [SCAN_FEW] = {"scan_few", 8192, PARSCAN_ABSOLUTE, "elements", MEASURED},
    [REDUCE_SEGMENTS] = {"reduce_segments", SEGMENTED_DIRECT_SEGMENTS, PARSCAN_PER_MULTIPROCESSOR,
                         "segments", MEASURED},
    [REDUCE_LEAST_MEAN] = {"reduce_least_mean", 2, PARSCAN_ABSOLUTE, "elements a segment",
                           MEASURED},
    [REDUCE_MOST_MEAN] = {"reduce_most_mean", 16384, PARSCAN_ABSOLUTE, "elements a segment",
                          MEASURED},
    /* As many blocks as stay at once. All elements may be one block's, which reads them twice for a scan. */
    [EACH_SEGMENTS] = {"each_segments", 1056, PARSCAN_PER_MULTIPROCESSOR, "segments", "H200",
                       "segmented.md"},
    [EACH_REDUCED] = {"each_reduced", 1 << 16, PARSCAN_ABSOLUTE, "elements reduced", "H200",
                      "segmented.md"},
    [EACH_REDUCED_MEAN] = {"each_reduced_mean", 16384, PARSCAN_ABSOLUTE, "elements a segment",
                           "H200", "segmented.md"},
    [EACH_SCANNED] = {"each_scanned", 1 << 16, PARSCAN_ABSOLUTE, "elements scanned", "H200",
                      "segmented.md"},
    [EACH_SCANNED_MEAN] = {"each_scanned_mean", 1024, PARSCAN_ABSOLUTE, "elements a segment",
                           "H200", "segmented.md"},
    /* Segments are divided evenly over them, unless one would have more than DIRECT_EACH. */
    [FINDERS] = {"finders", 264, PARSCAN_PER_MULTIPROCESSOR, "blocks", MEASURED},
    [LONG_SEGMENT] = {"long_segment", DIRECT_LONG, PARSCAN_ABSOLUTE, "elements", MEASURED},
    /* u64 2^15 to 2^17 by 8 to 12% faster, up to 2^14 by 9% slower. */
    [FEW_WIDE] = {"few_wide", DIRECT_FEW_WIDE, PARSCAN_ABSOLUTE, "8-byte segments of a finder",
                  MEASURED},
    /* Up to there a block alone is faster than tile blocks, whatever the lengths of segments. For a
       scan this and its tiles are smaller, since it reads what is shared among warps twice. */
    [SCAN_ALONE] = {"scan_alone", 8192, PARSCAN_ABSOLUTE, "elements", MEASURED},
    [SCAN_TILE] = {"scan_tile", 4096, PARSCAN_ABSOLUTE, "elements", MEASURED},
    [REDUCE_ALONE] = {"reduce_alone", 32768, PARSCAN_ABSOLUTE, "elements", MEASURED},
    [REDUCE_TILE] = {"reduce_tile", 16384, PARSCAN_ABSOLUTE, "elements", MEASURED},
    [OWN_TILES] = {"own_tiles", 8, PARSCAN_ABSOLUTE, "tiles of a block", "H200", "segmented.md"},
    /* All offsets may be a single tile's. */
    [OFFSETS_IN_BLOCKS] = {"offsets_in_blocks", (size_t)1 << 22, PARSCAN_ABSOLUTE, "offsets", "",
                           ""},
    [OFFSETS_OF_ELEMENT] = {"offsets_of_element", 32, PARSCAN_ABSOLUTE, "offsets an element", "",
                            ""},
};

static const parscan_plan_variant variants[SEGMENTED_VARIANTS] = {
    [SEGMENTED_DIRECT] = {"direct", "few elements by offsets: a warp a segment, one launch"},
    [SEGMENTED_DIRECT_TILES] = {"direct_tiles", "and blocks for tiles of long segments"},
    [SEGMENTED_BLOCK_EACH] = {"block_each", "few elements by offsets: a block a segment"},
    [SEGMENTED_PASS] = {"pass", "by flags, by keys: one pass over tiles"},
    [SEGMENTED_FEW] = {"few", "the same up to few_bytes: a vector a thread"},
    [SEGMENTED_FLAGS_OF_TILES] = {"flags_of_tiles",
                                  "scan by offsets: blocks make flags of their own_tiles"},
    [SEGMENTED_BITS] = {"bits", "scan by offsets: a launch before makes bits of them"},
    [SEGMENTED_PARTS] = {"parts", "reduction by offsets: a merge path, equal parts"},
};

const parscan_plan_table parscan_segmented_plans = {"segmented", variants, SEGMENTED_VARIANTS,
                                                    limits, LIMITS};

static size_t lesser(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool scans_directly(const parscan_plan_device *device, const segmented_facts *call)
{
    return call->segments <= parscan_plan_limit_of(device, limits, SCAN_SEGMENTS) &&
           (call->n / call->segments <= parscan_plan_limit_of(device, limits, SCAN_MEAN) ||
            call->n <= parscan_plan_limit_of(device, limits, SCAN_FEW));
}

static bool reduces_directly(const parscan_plan_device *device, const segmented_facts *call)
{
    const size_t mean = call->n / call->segments;
    return call->segments <= parscan_plan_limit_of(device, limits, REDUCE_SEGMENTS) &&
           mean >= parscan_plan_limit_of(device, limits, REDUCE_LEAST_MEAN) &&
           mean <= parscan_plan_limit_of(device, limits, REDUCE_MOST_MEAN);
}

static bool has_block_each(const parscan_plan_device *device, const segmented_facts *call)
{
    return !call->continues && !call->carries && call->n > 0 && call->segments > 0 &&
           call->segments <= parscan_plan_limit_of(device, limits, EACH_SEGMENTS) &&
           call->n <=
               parscan_plan_limit_of(device, limits, call->reduces ? EACH_REDUCED : EACH_SCANNED) &&
           call->n / call->segments <=
               parscan_plan_limit_of(device, limits,
                                     call->reduces ? EACH_REDUCED_MEAN : EACH_SCANNED_MEAN);
}

static bool is_direct(const parscan_plan_device *device, const segmented_facts *call)
{
    if (call->continues || call->n == 0 || call->segments == 0 ||
        call->segments > SEGMENTED_DIRECT_SEGMENTS ||
        call->n >
            lesser(parscan_plan_limit_of(device, limits, DIRECT_ELEMENTS), SEGMENTED_DIRECT_MOST))
        return false;
    return call->reduces ? reduces_directly(device, call) : scans_directly(device, call);
}

/* The kernel of a chunk takes and leaves what is open. */
static bool is_few(const parscan_plan_device *device, const segmented_facts *call)
{
    return !call->continues && !call->carries &&
           parscan_plan_is_few(parscan_plan_limit_of(device, limits, FEW_BYTES), call->few_blocks,
                               call->n, SEGMENTED_FEW_ELEMENT(call->out_size));
}

segmented_variant parscan_segmented_plan(const parscan_plan_device *device,
                                         const segmented_facts *call)
{
    if (!call->by_offsets)
        return is_few(device, call) ? SEGMENTED_FEW : SEGMENTED_PASS;
    if (has_block_each(device, call))
        return SEGMENTED_BLOCK_EACH;
    if (is_direct(device, call))
        return SEGMENTED_DIRECT;
    return call->reduces ? SEGMENTED_PARTS : SEGMENTED_BITS;
}

/* There are as many tile blocks as there may be tiles: fewer than 2 n / tile, since only what is
   longer than a tile is cut into tiles. They are fewer than the blocks that the device holds. If a
   tile would have all elements, there are none. */
segmented_direct_plan parscan_segmented_direct_plan(const parscan_plan_device *device,
                                                    const segmented_facts *call, size_t blocks)
{
    const size_t n = call->n, last = call->segments - 1;
    const size_t evenly =
        last / lesser(parscan_plan_limit_of(device, limits, FINDERS), DIRECT_MOST_FINDERS) + 1;
    const size_t each = lesser(evenly, DIRECT_EACH);
    const size_t least =
        parscan_plan_limit_of(device, limits, call->reduces ? REDUCE_TILE : SCAN_TILE);
    segmented_direct_plan plan = {.variant = SEGMENTED_DIRECT,
                                  .each = (unsigned)each,
                                  .finders = (unsigned)(last / each + 1),
                                  .tile = n};
    if (n <= parscan_plan_limit_of(device, limits, call->reduces ? REDUCE_ALONE : SCAN_ALONE) ||
        blocks <= 1)
        return plan;
    const size_t share = (2 * n - 1) / (blocks - 1) + 1;
    plan.tile = lesser(share < least ? least : share, n);
    if (plan.tile < n) {
        plan.variant = SEGMENTED_DIRECT_TILES;
        plan.tile_blocks = (2 * n - 1) / plan.tile;
    }
    return plan;
}

segmented_variant parscan_segmented_marks_plan(const parscan_plan_device *device,
                                               const segmented_marks_facts *call)
{
    const bool own =
        call->tiles > 0 &&
        call->own_tiles <= lesser(call->stages, parscan_plan_limit_of(device, limits, OWN_TILES)) &&
        call->segments <= parscan_plan_limit_of(device, limits, OFFSETS_IN_BLOCKS) &&
        call->segments / parscan_plan_limit_of(device, limits, OFFSETS_OF_ELEMENT) <=
            call->tiles * call->tile;
    return own ? SEGMENTED_FLAGS_OF_TILES : SEGMENTED_BITS;
}
