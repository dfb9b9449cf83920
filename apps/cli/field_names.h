/* Fields by their names in a header. */
#ifndef PARSCAN_CLI_FIELD_NAMES_H
#define PARSCAN_CLI_FIELD_NAMES_H

#include "apps/cli/field_lines.h"

/* Finds the numbers of the fields that have names, in the header [line, end). */
bool field_names_find(field_rules *rules, const char *line, const char *end, failure *why);

/* The number of the field of that name in a header, behind field number `after`; 0: it is not there. */
unsigned field_name_find(const field_rules *rules, const char *line, const char *name,
                         unsigned after);

/* Finds the field of the header that was chosen, the first one if none was. False: there is none. */
bool field_choice_find(const field_rules *rules, const field_choice *choice, const char *head,
                       text_span *field);

/* What to say of a name that is not found, if it looks like a key of sort; or "". */
const char *field_name_hint(const char *name);

/* "field 3" or "field 'price'". */
enum { FIELD_WORDS = 128 };
void field_choice_words(const field_choice *choice, char words[FIELD_WORDS]);

#endif
