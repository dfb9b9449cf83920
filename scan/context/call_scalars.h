/*
 * Scalars that a call takes by pointer: init, a predicate's bounds, a histogram's, x0. The host reads them
 * during the call, but not those in memory that only the device has: a call whose kernels read a scalar
 * there hands it to them, and has all others fetched, which waits for the stream.
 */
#ifndef PARSCAN_SCAN_CONTEXT_CALL_SCALARS_H
#define PARSCAN_SCAN_CONTEXT_CALL_SCALARS_H

#include "scan/context/context_state.h"

/* Whether a scalar of `size` bytes (NULL: there is none) is in memory that only the device has. Errors:
   INVALID_ARGUMENT, neither the host nor the context's device can read it, or it is there and not aligned
   to its size, or to what divides that; DEVICE. */
parscan_status parscan_find_scalar(parscan_context *context, const char *name, const void *scalar,
                                   size_t size, bool *on_device);

/* Makes *scalar, which is there, a pointer to a copy that the context keeps until its next call. which: its
   number among the scalars of the call, below PARSCAN_SCALARS. Errors: UNSUPPORTED, the stream is
   captured; DEVICE. */
parscan_status parscan_fetch_scalar(parscan_context *context, const char *name, unsigned which,
                                    const void **scalar, size_t size);

/* Both: the host can read *scalar then. */
parscan_status parscan_scalar_on_host(parscan_context *context, const char *name, unsigned which,
                                      const void **scalar, size_t size);

#endif
