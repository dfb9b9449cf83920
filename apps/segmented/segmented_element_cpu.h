/* The CPU engine of segmented scans and reductions. Each function is compiled once for each
   element type. */
#ifndef PARSCAN_APPS_SEGMENTED_ELEMENT_CPU_H
#define PARSCAN_APPS_SEGMENTED_ELEMENT_CPU_H

#include "apps/segmented/segmented_call.h"
#include "scan/cpu/element.h"

/* A scan, or a reduction by flags or keys: in tiles of elements. */
parscan_status NAMED(parscan_segmented_tiles_cpu)(const segmented_call *call);

/* A reduction by offsets: in ranges of elements and segments. */
parscan_status NAMED(parscan_segmented_ranges_cpu)(const segmented_call *call);

#endif
