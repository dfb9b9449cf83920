/*
 * parscan: parallel scan (prefix sum) and what is built on it, for C.
 *
 *     parscan_context *context;
 *     parscan_context_create(&context, NULL);
 *     parscan_inclusive_scan(context, PARSCAN_U32, in, out, n, NULL);      sums, as fast as it goes
 *     parscan_context_destroy(context);
 *
 * One header a topic: types.h (enums, names), context.h (engines, errors), memory.h; scan.h,
 * segmented.h, sort.h, compact.h, histogram.h, allocate.h.
 */
#ifndef PARSCAN_PARSCAN_H
#define PARSCAN_PARSCAN_H

#include "parscan/allocate.h"
#include "parscan/compact.h"
#include "parscan/context.h"
#include "parscan/histogram.h"
#include "parscan/memory.h"
#include "parscan/options.h"
#include "parscan/scan.h"
#include "parscan/segmented.h"
#include "parscan/segments.h"
#include "parscan/sort.h"
#include "parscan/types.h"

#endif
