/* Keys that are words, in the order in which a reader looks for them: integers by their values, then other
   words by their bytes. */
#ifndef PARSCAN_CLI_WORD_ORDER_H
#define PARSCAN_CLI_WORD_ORDER_H

#include "apps/cli/key_table.h"
#include "parscan/context.h"

/* Writes the numbers of all keys of a table in that order. */
parscan_status word_order(parscan_context *context, const key_table *table, uint32_t *numbers);

/* Compares two words in that order: below, equal to or above 0. */
int word_compare(text_span a, text_span b);

#endif
