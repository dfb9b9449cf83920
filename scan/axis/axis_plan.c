#include "scan/axis/axis_plan.h"

#include "scan/context/size_math.h"
#include "scan/reproducible/tree_carry.h"

enum {
    NARROW_BYTES,
    SET_BYTES,
    SERIAL_LINES,
    ROW_SCANNED,
    ROW_SCANNED_PIPED,
    ROW_REDUCED,
    NEIGHBOUR_ROWS,
    NEIGHBOUR_REDUCED,
    NEIGHBOUR_REDUCED_MANY,
    NEIGHBOUR_GROUPS,
    VECTOR_LINES,
    VECTOR_BYTES,
    WARP_LINES,
    WARP_LINES_PIPED,
    WARP_BYTES,
    WARP_REDUCED,
    REDUCE_SECTOR,
    REDUCE_EACH,
    REDUCE_SHORT,
    PIPED_TILES,
    PIPED_BYTES,
    LIMITS
};

static const parscan_plan_limit limits[LIMITS] = {
    /* Rows that fill a cache line are read as they are. */
    [NARROW_BYTES] = {"narrow_bytes", 127, PARSCAN_ABSOLUTE, "bytes of a row", "", ""},
    [SET_BYTES] = {"set_bytes", 128, PARSCAN_ABSOLUTE, "bytes of a row of a tile", "", ""},
    [SERIAL_LINES] = {"serial_lines", 256 * 132, PARSCAN_PER_MULTIPROCESSOR, "lines", "", ""},
    [ROW_SCANNED] = {"row_scanned", 1 << 20, PARSCAN_ABSOLUTE, "bytes of a row scanned alone",
                     "H200", "axis.md"},
    [ROW_SCANNED_PIPED] = {"row_scanned_piped", 1 << 26, PARSCAN_ABSOLUTE,
                           "bytes of the same, if warps with roles could take it", "H200",
                           "axis.md"},
    [ROW_REDUCED] = {"row_reduced", 1 << 25, PARSCAN_ABSOLUTE, "bytes of a row reduced alone",
                     "H200", "axis.md"},
    [NEIGHBOUR_ROWS] = {"neighbour_rows", AXIS_NEIGHBOURS_ROWS, PARSCAN_ABSOLUTE, "elements a line",
                        "", ""},
    [NEIGHBOUR_REDUCED] = {"neighbour_reduced", 32, PARSCAN_ABSOLUTE, "elements a line reduced", "",
                           ""},
    [NEIGHBOUR_REDUCED_MANY] = {"neighbour_reduced_many", 256, PARSCAN_ABSOLUTE,
                                "elements a line reduced, of many lines", "", ""},
    /* Half of the threads that a multiprocessor holds: each has eight vectors on their way. */
    [NEIGHBOUR_GROUPS] = {"neighbour_groups", 512 * 132, PARSCAN_PER_MULTIPROCESSOR,
                          "vectors of many lines", "", ""},
    /* Fewer rows, or longer ones, are too few for all warps. */
    [VECTOR_LINES] = {"vector_lines", 16 * 132, PARSCAN_PER_MULTIPROCESSOR, "rows reduced", "", ""},
    [VECTOR_BYTES] = {"vector_bytes", 1 << 16, PARSCAN_ABSOLUTE, "bytes of a row reduced", "", ""},
    /* Half of the warps that a multiprocessor holds, or there are too few loads on their way. */
    [WARP_LINES] = {"warp_lines", 16 * 132, PARSCAN_PER_MULTIPROCESSOR, "lines", "", ""},
    [WARP_LINES_PIPED] = {"warp_lines_piped", 48 * 132, PARSCAN_PER_MULTIPROCESSOR,
                          "lines, if warps with roles could take them", "H200", "axis.md"},
    [WARP_BYTES] = {"warp_bytes", 8192, PARSCAN_ABSOLUTE, "bytes of a warp's lines", "", ""},
    /* Threads side by side reduce longer rows in less time. */
    [WARP_REDUCED] = {"warp_reduced", 64, PARSCAN_ABSOLUTE, "bytes of a row that is reduced",
                      "H200", "axis.md"},
    [REDUCE_SECTOR] = {"reduce_sector", 32, PARSCAN_ABSOLUTE, "bytes side by side", "", ""},
    [REDUCE_EACH] = {"reduce_each", 16, PARSCAN_ABSOLUTE, "elements of a thread", "", ""},
    [REDUCE_SHORT] = {"reduce_short", 64, PARSCAN_ABSOLUTE, "bytes of all lines side by side", "",
                      ""},
    [PIPED_TILES] = {"piped_tiles", 2 * 132, PARSCAN_PER_MULTIPROCESSOR, "tiles", "", ""},
    [PIPED_BYTES] = {"piped_bytes", AXIS_PIPED_BYTES, PARSCAN_ABSOLUTE, "bytes a block", "", ""},
};

static const parscan_plan_variant variants[AXIS_VARIANTS] = {
    [AXIS_SERIAL] = {"serial", "many or short lines: one thread a line"},
    [AXIS_ROW_CALLS] = {"row_calls", "long rows: a scan or reduction of each"},
    [AXIS_NEIGHBOURS] = {"neighbours", "short lines side by side: a vector of them a thread"},
    [AXIS_COLUMNS] = {"columns", "wide rows, gaps: tiles of some columns, with a look-back"},
    [AXIS_STAGED] = {"staged", "rows below a cache line, no gaps: through shared memory"},
    [AXIS_PIPED_COLUMNS] = {"piped_columns", "many tiles of columns: warps with roles"},
    [AXIS_PIPED_STAGED] = {"piped_staged", "many tiles of narrow rows: warps with roles"},
    [AXIS_WARPS] = {"warps", "many rows, no gaps; reductions, short ones: a warp a row"},
    [AXIS_ROW_VECTORS] = {"row_vectors", "reductions of rows without gaps: vectors side by side"},
    [AXIS_REDUCE] = {"reduce", "a reduction: threads side by side, parts of long lines"},
    [AXIS_TREE] = {"tree", "reproducible floats: sums of tiles, their counter, the tiles"},
};

const parscan_plan_table parscan_axis_plans = {"axis", variants, AXIS_VARIANTS, limits, LIMITS};

/* Both are above 0. */
static size_t parts_of(size_t whole, size_t part)
{
    return whole / part + (whole % part != 0);
}

static size_t element_size(const axis_facts *call)
{
    return size_max(call->in_size, call->out_size);
}

/* Of a thread of a scan. */
static unsigned rows_of(const axis_facts *call)
{
    return AXIS_ROWS(element_size(call), call->sum_size);
}

/* Rows of all lines after each other. A tile of whole lines needs no look-back: it is taken if it fills
   most of the block. */
static void plan_staged(const axis_facts *call, axis_plan *plan)
{
    const size_t all = call->outer * call->n;
    plan->variant = AXIS_STAGED;
    plan->width = (unsigned)call->inner;
    plan->rows = rows_of(call);
    plan->tile_rows = plan->threads / plan->width * plan->rows;
    const size_t whole = plan->tile_rows / call->n * call->n;
    if (whole >= plan->tile_rows - plan->tile_rows / 8)
        plan->tile_rows = whole;
    plan->sets = 1;
    plan->tiles = parts_of(all, plan->tile_rows);
    plan->chained = plan->tiles > 1 && plan->tile_rows % call->n != 0;
}

static void plan_columns(const parscan_plan_device *device, const axis_facts *call, axis_plan *plan)
{
    const size_t lines = call->outer * call->inner;
    const size_t most =
        parscan_plan_limit_of(device, limits, SET_BYTES) / size_max(element_size(call), 1);
    plan->variant = AXIS_COLUMNS;
    plan->sets = size_max(lines / most, 1);
    plan->width = (unsigned)parts_of(lines, plan->sets);
    plan->sets = parts_of(lines, plan->width);
    const size_t groups = plan->threads / plan->width;
    plan->tiles = parts_of(call->n, groups * rows_of(call));
    plan->rows = (unsigned)parts_of(call->n, plan->tiles * groups);
    plan->tile_rows = groups * plan->rows;
    plan->tiles = parts_of(call->n, plan->tile_rows);
    plan->chained = plan->tiles > 1;
}

/* Elements that sums are of too; a warp's lanes have the columns of narrow rows; wide rows are of words and of whole
   sets of columns, unless there is one place along outer. */
static bool takes_pipeline(const parscan_plan_device *device, const axis_facts *call, bool narrow)
{
    const size_t size = call->out_size;
    return PARSCAN_WARP_SPECIALISED(device->architecture) &&
           device->shared_bytes >= parscan_plan_limit_of(device, limits, PIPED_BYTES) &&
           size <= 8 && call->in_size == size && (call->sum_size == size || call->has_runs) &&
           call->has_near &&
           (narrow ? call->inner <= 32
                   : size >= 4 &&
                         (call->outer == 1 || call->inner % (AXIS_PIPED_ROW_BYTES / size) == 0));
}

/* Whether there are enough tiles for warps with roles. */
static bool plan_piped(const parscan_plan_device *device, const axis_facts *call, bool narrow,
                       axis_plan *plan)
{
    const size_t lines = call->outer * call->inner;
    const unsigned pieces = AXIS_PIPED_SCANNERS * 32;
    if (!takes_pipeline(device, call, narrow))
        return false;
    axis_plan piped = *plan;
    piped.variant = narrow ? AXIS_PIPED_STAGED : AXIS_PIPED_COLUMNS;
    piped.width = (unsigned)(narrow ? call->inner : AXIS_PIPED_ROW_BYTES / call->out_size);
    piped.threads = pieces; /* that scan */
    piped.rows = rows_of(call);
    piped.tile_rows = pieces / piped.width * piped.rows;
    piped.sets = parts_of(lines, piped.width);
    piped.tiles = parts_of(call->n, piped.tile_rows);
    piped.chained = true;
    const size_t missing = piped.tiles * piped.tile_rows - call->n; /* rows of the last tile */
    if (piped.tiles < 2 || (narrow && call->outer > 1 && missing > call->n / 3) ||
        piped.sets * piped.tiles >> 32 != 0 ||
        piped.sets * piped.tiles < parscan_plan_limit_of(device, limits, PIPED_TILES))
        return false;
    *plan = piped;
    return true;
}

/* Whether a lane of a warp keeps to one column: of elements of 16 bytes in rows below a cache line. */
static bool has_columns_of_lanes(const axis_facts *call)
{
    return call->inner == 1 || (call->has_sixteen && (call->inner == 2 || call->inner == 4));
}

/* Rows of one array after each other, enough of them for all warps, and vectors of 16 bytes; of elements of 16 bytes
   scans alone. Places in a warp's rows have 32 bits. */
static bool takes_warps(const parscan_plan_device *device, const axis_facts *call)
{
    if (call->reduces &&
        (call->inner > 1 || call->has_sixteen ||
         call->n * call->in_size > parscan_plan_limit_of(device, limits, WARP_REDUCED)))
        return false;
    return call->packed && call->alike && has_columns_of_lanes(call) && call->n > 0 &&
           call->n * call->inner <= 1u << 30 &&
           call->outer >= parscan_plan_limit_of(device, limits, WARP_LINES);
}

static void plan_warps(const parscan_plan_device *device, const axis_facts *call, axis_plan *plan)
{
    const size_t warps = 2 * parscan_plan_limit_of(device, limits, WARP_LINES);
    const size_t bytes = parscan_plan_limit_of(device, limits, WARP_BYTES);
    plan->variant = AXIS_WARPS;
    plan->threads = AXIS_WARPS_THREADS;
    plan->rows = (unsigned)size_max(
        size_min(bytes / (call->n * call->inner * element_size(call)), call->outer / warps), 1);
}

/* Rows so long that a launch is little beside them. */
static bool takes_row_calls(const parscan_plan_device *device, const axis_facts *call)
{
    const size_t least =
        parscan_plan_limit_of(device, limits,
                              call->reduces                        ? ROW_REDUCED
                              : takes_pipeline(device, call, true) ? ROW_SCANNED_PIPED
                                                                   : ROW_SCANNED);
    return call->has_row_calls && call->packed && call->inner == 1 &&
           call->n >= least / (call->reduces ? call->in_size : element_size(call));
}

/* Lines of a few elements. Results of a scan fill cache lines. */
static bool takes_neighbours(const parscan_plan_device *device, const axis_facts *call)
{
    const size_t groups = call->outer * call->inner / AXIS_NEIGHBOURS(element_size(call));
    const bool many = groups >= parscan_plan_limit_of(device, limits, NEIGHBOUR_GROUPS);
    return call->has_neighbours && call->n > 0 &&
           call->n <= parscan_plan_limit_of(device, limits,
                                            !call->reduces ? NEIGHBOUR_ROWS
                                            : many         ? NEIGHBOUR_REDUCED_MANY
                                                           : NEIGHBOUR_REDUCED) &&
           (call->reduces ||
            call->inner > parscan_plan_limit_of(device, limits, NARROW_BYTES) / element_size(call));
}

static bool takes_row_vectors(const parscan_plan_device *device, const axis_facts *call)
{
    const size_t bytes = call->n * call->inner * call->in_size;
    return call->reduces && call->has_row_vectors && has_columns_of_lanes(call) && call->n > 0 &&
           (bytes % 16 == 0 || 16 % bytes == 0) &&
           bytes <= parscan_plan_limit_of(device, limits, VECTOR_BYTES) &&
           call->outer >= parscan_plan_limit_of(device, limits, VECTOR_LINES);
}

static unsigned power_of_two_up_to(size_t most)
{
    unsigned power = 1;
    while (2 * (size_t)power <= most)
        power *= 2;
    return power;
}

/* Threads side by side have neighbouring vectors. They read whole cache lines, but are few, since joining them takes
   instructions: many if sums have narrow parts, so that shorter rows have half of the threads. */
static void plan_row_vectors(const axis_facts *call, axis_plan *plan)
{
    const size_t vectors = size_max(call->n * call->inner * call->in_size / 16, 1);
    const bool many_parts = call->has_sixteen && call->part_size < 4;
    const size_t together = size_max(vectors / (many_parts ? 8 : 4),
                                     many_parts ? size_max(size_min(vectors / 2, 8), call->inner)
                                                : size_min(vectors, 8));
    plan->variant = AXIS_ROW_VECTORS;
    plan->threads = AXIS_VECTORS_THREADS;
    plan->together = power_of_two_up_to(size_min(2 * together - 1, 32));
}

/* Threads side by side read whole sectors, along inner or along a line; a thread of a long line has some
   elements. What is left of the block takes other lines along outer. Short lines that follow each other are in the same
   sectors, so each has one thread, and none waits for others. */
static void plan_reduction(const parscan_plan_device *device, const axis_facts *call,
                           axis_plan *plan)
{
    const size_t n = size_max(call->n, 1), threads = AXIS_REDUCE_THREADS;
    const size_t each = parscan_plan_limit_of(device, limits, REDUCE_EACH);
    const size_t sector = parscan_plan_limit_of(device, limits, REDUCE_SECTOR) / call->in_size;
    plan->variant = AXIS_REDUCE;
    plan->threads = AXIS_REDUCE_THREADS;
    plan->near = (unsigned)size_min(call->inner, call->n > threads ? 4 * sector : threads);
    const size_t room = threads / plan->near;
    size_t together = size_max(n / each, sector / size_min(sector, plan->near));
    if (call->packed &&
        n * call->inner * call->in_size <= parscan_plan_limit_of(device, limits, REDUCE_SHORT))
        together = 1;
    together = size_min(size_min(together, room), n);
    plan->together = together == room ? (unsigned)room : power_of_two_up_to(together);
    plan->far = (unsigned)size_min(room / plan->together, call->outer);
    plan->many = n <= 8 * (size_t)plan->together;
    const size_t blocks = parts_of(call->inner, plan->near) * parts_of(call->outer, plan->far);
    const size_t resident = device->multiprocessors * AXIS_REDUCE_BLOCKS(call->sum_size);
    plan->splits = size_max(resident / blocks, 1);
    plan->splits = size_min(plan->splits, parts_of(n, plan->together * each));
    plan->tile_rows = parts_of(n, plan->splits);
    plan->splits = parts_of(n, plan->tile_rows);
    plan->chained = plan->splits > 1;
}

/* A block has whole tiles of the tree. Short lines have few rows there, so it has more of them. */
static void plan_tree(const axis_facts *call, axis_plan *plan)
{
    const size_t lines = call->outer * call->inner;
    const size_t rows = parts_of(size_min(call->n, TREE_TILE), ROW);
    plan->variant = AXIS_TREE;
    plan->rows = 1;
    while (plan->rows < rows)
        plan->rows *= 2;
    plan->width = (unsigned)size_min(lines, size_max(256 / plan->rows, call->in_size == 8 ? 4 : 8));
    plan->threads = (plan->width * plan->rows + 31) / 32 * 32;
    plan->sets = parts_of(lines, plan->width);
    plan->tiles = parts_of(call->n, TREE_TILE);
    plan->rows_near = call->rows_near;
}

axis_plan parscan_axis_plan(const parscan_plan_device *device, const axis_facts *call)
{
    axis_plan plan = {.variant = AXIS_SERIAL, .threads = 256};
    const size_t lines = call->outer * call->inner, size = element_size(call);
    if (call->has_tree && call->n > 0) {
        plan_tree(call, &plan);
        return plan;
    }
    if (takes_row_calls(device, call)) {
        plan.variant = AXIS_ROW_CALLS;
        return plan;
    }
    if (takes_neighbours(device, call)) {
        plan.variant = AXIS_NEIGHBOURS;
        plan.threads = AXIS_VECTORS_THREADS;
        return plan;
    }
    if (takes_row_vectors(device, call)) {
        plan_row_vectors(call, &plan);
        return plan;
    }
    const bool narrow =
        call->packed && call->inner <= parscan_plan_limit_of(device, limits, NARROW_BYTES) / size;
    if (takes_warps(device, call)) {
        if (call->reduces || !narrow ||
            call->outer >= parscan_plan_limit_of(device, limits, WARP_LINES_PIPED) ||
            !plan_piped(device, call, true, &plan))
            plan_warps(device, call, &plan);
        return plan;
    }
    if (call->reduces) {
        plan_reduction(device, call, &plan);
        return plan;
    }
    if (narrow) {
        plan.threads = AXIS_THREADS;
        if (!plan_piped(device, call, true, &plan))
            plan_staged(call, &plan);
    } else if (call->n > rows_of(call) &&
               lines < parscan_plan_limit_of(device, limits, SERIAL_LINES)) {
        plan.threads = AXIS_THREADS;
        if (!plan_piped(device, call, false, &plan))
            plan_columns(device, call, &plan);
    }
    return plan;
}

/* A tile of the warps with roles publishes columns one by one; others publish them without gaps. */
size_t parscan_axis_status_words(const axis_plan *plan, size_t outer, size_t inner, size_t sum_size)
{
    const size_t words = parts_of(sum_size, 4);
    if (!plan->chained)
        return 0;
    switch (plan->variant) {
    case AXIS_REDUCE:
        return plan->splits * parts_of(inner, plan->near) * parts_of(outer, plan->far) *
               plan->near * plan->far * words;
    case AXIS_PIPED_COLUMNS:
    case AXIS_PIPED_STAGED:
        return plan->sets * plan->tiles * plan->width * words;
    default:
        return plan->sets * plan->tiles * parts_of(plan->width * sum_size, 4);
    }
}
