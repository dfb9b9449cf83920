/* What a message says beside the word or the file that cannot be read: the remedy. */
#ifndef PARSCAN_CLI_TEXT_HINTS_H
#define PARSCAN_CLI_TEXT_HINTS_H

#include "apps/cli/failure.h"
#include "apps/cli/field_lines.h"

/* Adds to a message about a word that is not a number, or is missing, what the word or its line looks like, in
   parentheses, if it is known. rules: of its fields, or NULL; first: where the line begins, or the word, if its line is not known; limit: the end of the text; line: its number,
   from 1. Returns false. */
bool fail_with_hint(failure *why, const field_rules *rules, const char *first, text_span word,
                    const char *limit, uint64_t line);

/* Says that the first bytes of a text are those of another kind of file, and how to read it. True: they are
   not. */
bool check_is_text(const unsigned char *head, size_t size, failure *why);

#endif
