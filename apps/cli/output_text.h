/* Writes an array as text, one element per line. */
#ifndef PARSCAN_CLI_OUTPUT_TEXT_H
#define PARSCAN_CLI_OUTPUT_TEXT_H

#include "apps/cli/array.h"
#include "apps/cli/byte_sink.h"
#include "apps/cli/progress.h"

bool output_text(byte_sink *sink, const array *elements, unsigned threads, progress *bar,
                 failure *why);

#endif
