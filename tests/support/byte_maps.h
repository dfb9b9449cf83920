/*
 * Elements of any size for operators of the caller's: every two bytes are a map x -> a x + b modulo 256,
 * a odd, under composition, which is associative and does not commute; the last byte of an odd size is
 * a sum. So every byte of a result depends on the order of what was combined.
 */
#ifndef PARSCAN_TESTS_BYTE_MAPS_H
#define PARSCAN_TESTS_BYTE_MAPS_H

#include <stdbool.h>

#include "parscan/operator.h"

/* The most bytes of an element. */
#define MOST_BYTES 64u

/* *out = earlier, then later; out may be one of them. */
void compose_bytes(size_t size, const uint8_t *earlier, const uint8_t *later, uint8_t *out);

/* The map that changes nothing. */
void neutral_bytes(size_t size, uint8_t *out);

/* n random elements, for free(). */
uint8_t *random_byte_maps(size_t size, size_t n);

/* An operator on them; its function checks that its pointers are aligned to `alignment`. */
parscan_operator *byte_maps_operator(size_t size, unsigned alignment, bool has_identity);

/* The same from these options, whose element_size, state and combine are filled in. The test fails if there is
   none. */
parscan_operator *byte_maps_operator_with(parscan_operator_options options);

#endif
