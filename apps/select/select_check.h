/* What the public functions of selections share: they read their options, set what is their own in the call, and
   pass it on. */
#ifndef PARSCAN_APPS_SELECT_CHECK_H
#define PARSCAN_APPS_SELECT_CHECK_H

#include "apps/select/select_call.h"
#include "scan/context/call_lengths.h"

/* Takes the lengths, and reads the options `given` into `options`, of `size` bytes now and `oldest` once. */
parscan_status parscan_begin_selection(parscan_context *context, const void *given, size_t oldest,
                                       void *options, size_t size, call_lengths *lengths);

/* Checks types, arrays and `segments`, which are those of the options, that no output overlaps another array,
   and what check() is for. Then runs the call on the engine of its context. The context is not NULL. */
parscan_status parscan_run_selection(select_call *call, const parscan_segments *segments,
                                     parscan_status (*check)(const select_call *call),
                                     parscan_status (*const engines[])(const select_call *call),
                                     call_lengths *lengths);

#endif
