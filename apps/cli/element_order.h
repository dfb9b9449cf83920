/* The order of elements, as sorts have it, as the order of 64-bit numbers: -0 before 0, NaN at the end. */
#ifndef PARSCAN_CLI_ELEMENT_ORDER_H
#define PARSCAN_CLI_ELEMENT_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "parscan/types.h"

/* The number of NaN: the largest. */
#define ORDER_OF_NAN UINT64_MAX

/* Gives the numbers of n elements. Elements that are equal as sorts have it have the same number. */
void element_orders(parscan_type type, const void *elements, size_t n, uint64_t *orders);

/* The same, where -0 is 0: in the elements too, so that equal ones have one form. */
void element_orders_of_values(parscan_type type, void *elements, size_t n, uint64_t *orders);

/* The element that has that number. */
void element_of_order(parscan_type type, uint64_t order, void *element);

/* The value of an element, rounded to a double. */
double element_as_double(parscan_type type, const void *element);

/* The number of 0 for that of -0: equal as == has it. */
uint64_t order_without_sign_of_0(parscan_type type, uint64_t order);

#endif
