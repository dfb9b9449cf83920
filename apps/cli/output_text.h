/* Writes arrays as text, one element per line. */
#ifndef PARSCAN_CLI_OUTPUT_TEXT_H
#define PARSCAN_CLI_OUTPUT_TEXT_H

#include "apps/cli/array.h"
#include "apps/cli/byte_sink.h"
#include "apps/cli/progress.h"

typedef struct text_writer text_writer;

/* Writes to the sink elements of that type, with that decimal point; 0: '.'. Returns NULL if memory runs out. */
text_writer *text_writer_open(byte_sink *sink, parscan_type type, char point, unsigned threads,
                              progress *bar);
bool text_writer_add(text_writer *writer, const array *elements, failure *why);
void text_writer_close(text_writer *writer);

#endif
