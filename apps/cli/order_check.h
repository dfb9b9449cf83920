/* Whether an input is sorted. */
#ifndef PARSCAN_CLI_ORDER_CHECK_H
#define PARSCAN_CLI_ORDER_CHECK_H

#include "apps/cli/session.h"

typedef struct order_rules {
    bool descending;
    bool strict; /* no two elements are equal */
} order_rules;

/* Reads the input, which is open, up to the first element that is not in order: a failure, whose message names
   its line. Returns an exit status. */
int order_check(session *job, const order_rules *rules, failure *why);

#endif
