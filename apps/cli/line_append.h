/* Lines of the input with a number behind each, as a further field. */
#ifndef PARSCAN_CLI_LINE_APPEND_H
#define PARSCAN_CLI_LINE_APPEND_H

#include "apps/cli/session.h"

/* Adds to out, bytes, the lines of a store, each with its number behind it: what separates fields, the number, and
   what ended the line. All have as many fields as the header, else the first line: *fields, 0 before it is known. */
bool lines_append(const session *job, const line_store *lines, const array *numbers, size_t *fields,
                  array *out, failure *why);

/* Says that line i of the file at path has another number of fields than the header, else the first line. advice: or
   NULL. Returns false. */
bool lines_fail_width(const session *job, const char *path, const line_store *lines, size_t i,
                      size_t has, size_t fields, const char *advice, failure *why);

/* Adds the header in the same way, with the name op(field): of the field that is read. */
bool lines_append_head(const session *job, const line_store *lines, const char *op, array *out);

#endif
