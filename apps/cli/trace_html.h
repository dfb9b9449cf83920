/*
 * Writes a recorded scan as a page, in which a reader goes through its steps and through those of values of his own.
 */
#ifndef PARSCAN_CLI_TRACE_HTML_H
#define PARSCAN_CLI_TRACE_HTML_H

#include <stdio.h>

#include "apps/cli/trace_record.h"

/* The most values of a page: their picture is drawn whole. */
#define TRACE_HTML_MOST 128

/* Writes an HTML document that needs no other file. Returns true: it takes no memory. The caller checks the stream
   with ferror(). */
bool trace_html_write(const trace_record *record, FILE *stream);

#endif
