/* The argument checks of calls with an operator of the caller's. */
#ifndef PARSCAN_SCAN_CUSTOM_CUSTOM_CHECK_H
#define PARSCAN_SCAN_CUSTOM_CUSTOM_CHECK_H

#include "scan/custom/operator_state.h"
#include "scan/scan_call.h"

/* Checks what options and type say of the operator; one of the two is the caller's. call->custom,
   ->kind and ->takes_custom are set. Errors: INVALID_ARGUMENT, UNSUPPORTED. */
parscan_status parscan_check_custom(parscan_context *context, parscan_type type,
                                    const parscan_scan_options *options,
                                    const parscan_scan_call *call);

/* Checks that there is what an exclusive scan has first, and what a reduction of nothing gives. The
   arrays are checked. Errors: INVALID_ARGUMENT. */
parscan_status parscan_check_custom_start(const parscan_scan_call *call);

/* Checks a relation, the argument `name`, which must have something for the context's engine. Errors:
   INVALID_ARGUMENT, UNSUPPORTED. */
parscan_status parscan_check_relation(parscan_context *context, const char *name,
                                      const parscan_operator *op);

/* Whether in or out may be other than arrays of elements. */
static inline bool parscan_has_maps(const parscan_scan_call *call)
{
    return call->custom != NULL && (call->custom->loads || call->custom->stores);
}

#endif
