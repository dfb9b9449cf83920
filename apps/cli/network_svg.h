/*
 * Draws a recorded scan: a column for each step, from left to right, and an arrow for each
 * operation.
 */
#ifndef PARSCAN_CLI_NETWORK_SVG_H
#define PARSCAN_CLI_NETWORK_SVG_H

#include <stdio.h>

#include "apps/cli/trace_record.h"

/* Writes an SVG document. False: memory ran out, and the document is incomplete. The caller checks
   the stream with ferror(). */
bool network_svg_write(const trace_record *record, FILE *stream);

#endif
