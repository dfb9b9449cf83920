/* Lines of the input with a number behind each, as a further field. */
#ifndef PARSCAN_CLI_LINE_APPEND_H
#define PARSCAN_CLI_LINE_APPEND_H

#include "apps/cli/session.h"

/* Adds to out, bytes, the lines of a store, each with its number behind it: what separates fields, the number, and
   what ended the line. False: memory ran out. */
bool lines_append(const session *job, const line_store *lines, const array *numbers, array *out);

/* Adds the header in the same way, with the name op(field): of the field that is read. */
bool lines_append_head(const session *job, const line_store *lines, const char *op, array *out);

#endif
