/*
 * The arguments of `parscan trace`.
 */
#ifndef PARSCAN_CLI_TRACE_OPTIONS_H
#define PARSCAN_CLI_TRACE_OPTIONS_H

#include <stdbool.h>

#include "apps/cli/trace_file.h"
#include "apps/cli/trace_value.h"
#include "scan/block/block_shape.h"

typedef struct trace_options {
    parscan_type type;
    parscan_op op;
    parscan_block_shape shape; /* complete and valid */
    parscan_block_shape asked; /* as it was given; 0: chosen */
    bool exclusive;
    const char *svg, *html; /* paths, or NULL */
    trace_file file;        /* that the values are from */
    trace_value *values;
    size_t n;
} trace_options;

/* Reads the arguments. False: the subcommand ends with *status, and has printed what is wrong or
   the help. The caller frees the values in any case. */
bool trace_options_read(trace_options *options, int argc, char **argv, int *status);

#endif
