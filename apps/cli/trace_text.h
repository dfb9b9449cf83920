/*
 * Writes a recorded scan as text, a line for each step.
 */
#ifndef PARSCAN_CLI_TRACE_TEXT_H
#define PARSCAN_CLI_TRACE_TEXT_H

#include <stdio.h>

#include "apps/cli/trace_record.h"

/* The title: "brent-kung, inclusive sum of 8 i64, one block of ...". */
void trace_title(const trace_record *record, char *title, size_t size);

/* The caller checks the stream with ferror(). */
void trace_write_text(const trace_record *record, FILE *stream);

#endif
