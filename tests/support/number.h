/*
 * Elements of any type as numbers, exactly: integers in 128 bits, floats in double. For oracles.
 */
#ifndef PARSCAN_TESTS_NUMBER_H
#define PARSCAN_TESTS_NUMBER_H

#include <stdbool.h>

#include "parscan/types.h"

__extension__ typedef __int128 int128;

typedef struct number {
    bool is_float;
    int128 integer;
    double real;
} number;

typedef enum number_order {
    NUMBER_LESS,
    NUMBER_EQUAL,
    NUMBER_GREATER,
    NUMBER_UNORDERED
} number_order;

/* array[i], of any alignment. */
number number_read(parscan_type type, const void *array, size_t i);

/* array[i] = the integer, or the double, as C converts it to type. */
void number_write_integer(parscan_type type, void *array, size_t i, int128 value);
void number_write_real(parscan_type type, void *array, size_t i, double value);

/* n elements of an integer type with these values, for free(). */
void *numbers_as(parscan_type type, const uint64_t *values, size_t n);

/* How a stands to b, of one type. */
number_order number_compare(number a, number b);

/* The least and the greatest of an integer type. */
int128 number_lowest(parscan_type type);
int128 number_highest(parscan_type type);

/* Values that comparisons get wrong, any[0..return value): zeros of both signs, ones, extremes,
   their neighbours, NaNs of both signs, infinities, denormals. At most NUMBER_SPECIALS. */
#define NUMBER_SPECIALS 24
size_t number_specials(parscan_type type, void *any);

#endif
