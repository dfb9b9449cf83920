/* Whether an input is sorted. */
#ifndef PARSCAN_CLI_ORDER_CHECK_H
#define PARSCAN_CLI_ORDER_CHECK_H

#include "apps/cli/number_float.h"
#include "apps/cli/session.h"

typedef struct order_rules {
    bool descending;
    bool strict; /* no two elements are equal */
} order_rules;

/* Reads the input, which is open, up to the first element that is not in order: a failure, whose message names
   its line. Returns an exit status. */
int order_check(session *job, const order_rules *rules, failure *why);

/* Writes the element of an order (element_order.h), as text that ends in a zero. */
void order_format(parscan_type type, uint64_t order, char text[NUMBER_MAX_LENGTH + 2]);

/* Says that an element is not in order: number `number` of the lines, or the elements, of the file of that name. The
   orders are its own and that of the one before (element_order.h). advice: the command that helps, or NULL. Returns
   false. */
bool order_fail(const char *name, bool lines, uint64_t number, parscan_type type, uint64_t order,
                uint64_t before, const char *advice, failure *why);

#endif
