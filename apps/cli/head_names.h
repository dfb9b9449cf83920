/* Names of a header that is written: fields of one name could not be told apart by it. */
#ifndef PARSCAN_CLI_HEAD_NAMES_H
#define PARSCAN_CLI_HEAD_NAMES_H

#include "apps/cli/array.h"
#include "apps/cli/field_lines.h"

/* Adds _2, _3 and so on to names of the header that begins at byte `begin` of a text and ends in its last newline: to
   those from field `first` on that a field before them has. False: memory ran out. */
bool head_names_distinguish(const field_rules *rules, array *text, size_t begin, size_t first);

#endif
