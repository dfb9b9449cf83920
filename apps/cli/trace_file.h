/* The values of `parscan trace` from a file. */
#ifndef PARSCAN_CLI_TRACE_FILE_H
#define PARSCAN_CLI_TRACE_FILE_H

#include "apps/cli/axis_run.h"

typedef struct trace_file {
    const char *path; /* NULL: there is none */
    axis_option axis;
    bool line_given, flatten;
    uint64_t line;      /* along the axis */
    field_rules fields; /* of a text */
    const char *member; /* of a zip file, or NULL */
} trace_file;

/* Checks what does not depend on the file, where so many values are among the arguments, and completes the
   rules of fields. */
bool trace_file_check(trace_file *file, size_t values, failure *why);

/* Reads the file whole, or one line of it. type: as in an input_request. False with a message. In any case
   array_release() frees the elements. */
bool trace_file_read(const trace_file *file, parscan_type type, array *elements, failure *why);

#endif
