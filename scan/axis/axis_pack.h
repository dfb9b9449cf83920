/* Which neighbours are one element of a scan or a reduction along an axis on CUDA (axis_pack.cuh). */
#ifndef PARSCAN_SCAN_AXIS_AXIS_PACK_H
#define PARSCAN_SCAN_AXIS_AXIS_PACK_H

#include "scan/axis/axis_cuda.h"

#define AXIS_MOST_PACKS 4

/* Numbers of neighbours along inner that may be one element, the preferred ones first. Returns how many. */
unsigned parscan_axis_packs(const parscan_axis *axis, size_t size, unsigned packs[AXIS_MOST_PACKS]);

/* Makes them one element: sets on_device->pack and the axis. Returns false where the arrays do not allow it. */
bool parscan_axis_pack(parscan_axis_launch_call *on_device, unsigned pack);

/* The same for rows of less than a word, which follow each other: sets on_device->run and the axis. */
bool parscan_axis_join_rows(parscan_axis_launch_call *on_device);

#endif
