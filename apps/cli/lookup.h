/* Finds the value of a name in the library's lists of names. */
#ifndef PARSCAN_CLI_LOOKUP_H
#define PARSCAN_CLI_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>

/* All values of the library's enums are smaller. */
enum { LOOKUP_END = 64 };

/* The name of a value; NULL when the value has none. */
typedef const char *name_of(int value);

name_of type_name_of, integer_name_of, op_name_of, algorithm_name_of, backend_name_of,
    format_name_of;

/* The value of that name, or -1. */
int lookup(name_of *names, const char *name);

/* Writes all names, each behind a space, to a string of so many bytes: as many as there is room for. */
void lookup_list(name_of *names, char *to, size_t size);

/* Writes all names to standard output, separated by spaces. A line has at most width columns, of
   which the first line has already used `column`; the next lines start with indent spaces. */
void lookup_print(name_of *names, int column, int indent, int width);

#endif
