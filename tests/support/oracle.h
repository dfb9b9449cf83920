/*
 * What parscan must answer, by plain loops that share nothing with it but the lists of tables.h.
 *
 * Integers are computed modulo 2^64 and cut to their width. Floats are computed in double, doubles in long
 * double; an answer may be off by what rounding allows: eps for each operation, of the sum of magnitudes
 * (of the product's, for a product). Everything else must agree to the bit, signs of zeros too;
 * any NaN is as good as another.
 *
 * Sums of floats of 16 bits are accumulated in float, and a result is rounded once. So one is right that
 * lies in [narrow(e - off), narrow(e + off)], where e is the sum in double and off what the
 * accumulation in float allows.
 */
#ifndef PARSCAN_TESTS_ORACLE_H
#define PARSCAN_TESTS_ORACLE_H

#include <stdbool.h>

#include "parscan/scan.h"

typedef enum scan_kind { SCAN_INCLUSIVE, SCAN_EXCLUSIVE, SCAN_REDUCE } scan_kind;

typedef struct oracle_scan {
    scan_kind kind;
    parscan_type type, out_type;
    parscan_op op;
    bool reverse;
    const void *init; /* of out_type, or NULL */
    const void *in;   /* of any alignment, as all arrays here */
    size_t n;
} oracle_scan;

#define ORACLE_AGREES SIZE_MAX
#define ORACLE_WORDS 160

/* The first element, in the order of combination, in which out is wrong, and words for what was
   expected and found; ORACLE_AGREES when there is none. */
size_t oracle_disagrees_at(const oracle_scan *scan, const void *out, char words[ORACLE_WORDS]);

/* The types are integers or floats; 1 or 0. */
bool oracle_is_float(parscan_type type);

#endif
