/* Reads and writes elements of any type as text, one or many at a time. */
#ifndef PARSCAN_CLI_NUMBER_TEXT_H
#define PARSCAN_CLI_NUMBER_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "apps/cli/element_traits.h"
#include "apps/cli/failure.h"

/* What isspace() says in the C locale. */
static inline bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Reads the numbers of [text, end), where end[-1] is white space, into out, which has room for all.
   Returns NULL, or the first word that is not an element of the type. */
const char *numbers_parse(const element_traits *traits, const char *text, const char *end,
                          void *out);

/* Reads the number at text, which goes on behind it: its end, or NULL if there is none of the type. A newline
   must follow somewhere. */
const char *number_read(const element_traits *traits, const char *text, void *out);

/* Reads a whole string as one element. */
bool number_parse(const element_traits *traits, const char *text, void *out, failure *why);

/* Reads two elements, [text, end) and the string second. */
bool number_parse_two(const element_traits *traits, const char *text, const char *end,
                      const char *second, void *out, void *second_out, failure *why);

/* Says why a word of that length is not an element of the type. White space or a zero must follow
   the word. Returns false. */
bool fail_number(failure *why, const element_traits *traits, const char *word, size_t length);

/* Writes count elements, each followed by a newline: at most count * (NUMBER_MAX_LENGTH + 1)
   characters. Returns the end. */
char *numbers_format(const element_traits *traits, const void *elements, size_t count, char *to);

/* Exchanges the decimal points of numbers that have been written so for another character; 0: they stay. */
void numbers_set_point(char *text, const char *end, char point);

#endif
