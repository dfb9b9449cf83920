/* The segmented engine of the CPU for one element type. Compiled once for each type
   (scan/cpu/element.h). */
#include "apps/segmented/segmented_element_cpu.h"
#include "apps/segments/check_segments.h"

/* The direction of a reduction matters only for an operator that does not commute. */
static parscan_status reduce(const segmented_call *call)
{
    segmented_call forward = *call;
    forward.scan.reverse = call->scan.reverse && !commutes(call->scan.op);
    if (parscan_by_offsets(call->segments) && !forward.scan.reverse)
        return NAMED(parscan_segmented_ranges_cpu)(&forward);
    return NAMED(parscan_segmented_tiles_cpu)(&forward);
}

const parscan_cpu_segmented NAMED(parscan_cpu_segmented) = {
    .scan = NAMED(parscan_segmented_tiles_cpu),
    .reduce = reduce,
};
