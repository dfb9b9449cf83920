/* Reductions along an axis (--axis). */
#ifndef PARSCAN_CLI_REDUCE_AXIS_H
#define PARSCAN_CLI_REDUCE_AXIS_H

#include "apps/cli/session.h"
#include "apps/cli/tally.h"

/* Whether the operators go with --axis, if that is given: an npy file has elements of one type. Returns an
   exit status. */
int reduce_axis_usage(const tally_list *list, const axis_option *axis, failure *why);

/* Reduces each line of the open input to one element. Returns an exit status. */
int reduce_axis(session *job, tally_op op, failure *why);

#endif
