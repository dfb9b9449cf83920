/*
 * A recorded scan as a picture: a column a step, from left to right, and an arrow an operation.
 */
#ifndef PARSCAN_CLI_NETWORK_SVG_H
#define PARSCAN_CLI_NETWORK_SVG_H

#include <stdio.h>

#include "apps/cli/trace_record.h"

/* Writes an SVG document. False: no memory, and the document is not whole. Errors of the stream are
   left to be found with ferror(). */
bool network_svg_write(const trace_record *record, FILE *stream);

#endif
