/* What the name of an output promises: a format, compression. */
#ifndef PARSCAN_CLI_OUTPUT_NAME_H
#define PARSCAN_CLI_OUTPUT_NAME_H

#include "apps/cli/failure.h"
#include "apps/cli/file_format.h"

/* The format that the name chooses; FORMAT_UNKNOWN: none. *compress: to gzip, *blocks: to that of BGZF. */
file_format output_name_format(const char *path, bool *compress, bool *blocks);

/* Whether what would be written is what the name of the output says; format: that of --output-format. The
   path may be NULL. False with words that name the option and the path. */
bool output_name_check(const char *option, const char *path, file_format format, failure *why);

/* The same of a file that is written as it is, not compressed. */
bool output_name_check_plain(const char *option, const char *path, failure *why);

#endif
