/*
 * Integers along an axis on CUDA: kernels of a few operators on unsigned elements serve all calls.
 *
 *   the order      a maximum is a minimum of inverted elements, and signed integers have the order of unsigned ones
 *                  whose highest bit is inverted
 *   AND and OR     OR is AND of inverted elements
 *   in words       AND and XOR do not depend on where elements end. Sums, minima and products of elements of 1 and 2
 *                  bytes only need to know where. So neighbours are one unsigned integer of 2, 4 or 8 bytes, or two of
 *                  8. Products are rare: they have no kernel for a single one of 8
 */
#ifndef PARSCAN_SCAN_AXIS_AXIS_BITS_H
#define PARSCAN_SCAN_AXIS_AXIS_BITS_H

#include "scan/axis/axis_cuda.h"

/* Sets on_device->call, which base.call points to, as kernels take `call`, and the bits that they invert. */
void parscan_axis_take_call(parscan_axis_launch_call *on_device, const parscan_scan_call *call);

/* Makes an element of on_device->pack neighbours one or two words, if the operator allows it. */
void parscan_axis_join_words(parscan_axis_launch_call *on_device);

/* The bytes of what is combined at once: an element, or a part of a word. */
size_t parscan_axis_part_size(const parscan_axis_launch_call *on_device);

#endif
