/* --range LO:HI of histograms. */
#ifndef PARSCAN_CLI_HISTOGRAM_RANGE_H
#define PARSCAN_CLI_HISTOGRAM_RANGE_H

#include "apps/cli/failure.h"
#include "parscan/types.h"

typedef struct histogram_range {
    const char *text;               /* as given; NULL: not given */
    long double lower[2], upper[2]; /* room and alignment for an element of any type */
    parscan_type type; /* of the bounds: the input's, or a wider one that holds them too */
} histogram_range;

/* Reads the text for an input of that type. */
bool histogram_range_read(histogram_range *range, parscan_type type, failure *why);

/* Why the library refuses the bounds. */
const char *histogram_range_wrong(const histogram_range *range);

#endif
