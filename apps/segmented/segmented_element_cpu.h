/* The CPU engine of segmented scans and reductions, each function compiled once an element type. */
#ifndef PARSCAN_APPS_SEGMENTED_ELEMENT_CPU_H
#define PARSCAN_APPS_SEGMENTED_ELEMENT_CPU_H

#include "apps/segmented/segmented_call.h"
#include "scan/cpu/element.h"

/* A scan, or a reduction by flags or keys, tile by tile along the elements. */
parscan_status NAMED(parscan_segmented_tiles_cpu)(const segmented_call *call);

/* A reduction by offsets, range by range along elements and segments. */
parscan_status NAMED(parscan_segmented_ranges_cpu)(const segmented_call *call);

#endif
