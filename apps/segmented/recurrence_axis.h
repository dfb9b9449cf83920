/* Recurrences along an axis (parscan/shape.h): line by line, after lines with gaps have been copied to rows. */
#ifndef PARSCAN_APPS_SEGMENTED_RECURRENCE_AXIS_H
#define PARSCAN_APPS_SEGMENTED_RECURRENCE_AXIS_H

#include "apps/segmented/segmented_call.h"
#include "parscan/shape.h"
#include "scan/context/call_lengths.h"

/* call: its n is the length of a line, and its arrays are not checked. Errors: INVALID_ARGUMENT; UNSUPPORTED;
   OUT_OF_MEMORY. */
parscan_status parscan_recurrence_axis(const recurrence_call *call, const parscan_shape *given,
                                       call_lengths *lengths);

#endif
