/* The fields that lines are sorted by, as options give them. */
#ifndef PARSCAN_CLI_SORT_KEYS_H
#define PARSCAN_CLI_SORT_KEYS_H

#include "apps/cli/common_options.h"

enum { MOST_SORT_KEYS = 16, SORT_KEY_NAME = 256 };

/* clang-format off */
#define SORT_KEYS_HELP                                                                          \
    {"\nKeys of lines, -k FIELD[:word or :TYPE][:desc], up to 16 times: lines that are equal in one\n" \
     "are in the order of the next. A word is compared as group orders them (integers by value,\n" \
     "then others by their bytes), a number as one of the TYPE; desc turns the order round. With\n" \
     "several keys, or words, -0 equals 0.\n", NULL}
/* clang-format on */

/* A field, and how it is compared. */
typedef struct sort_key {
    char text[SORT_KEY_NAME]; /* of the choice */
    field_choice field;
    bool word;         /* it is no number */
    parscan_type type; /* of numbers; 0: not given */
    bool descending;
} sort_key;

/* The first one counts most. They stay where they are: choices point into them. */
typedef struct sort_keys {
    sort_key keys[MOST_SORT_KEYS];
    size_t count;
} sort_keys;

/* Adds the key that a value of -k is: FIELD, and behind it :word or :TYPE, and :desc. The first one is the field of the
   options. */
bool sort_keys_take(sort_keys *keys, common_options *options, const char *value, failure *why);

/* Whether lines are sorted by one number of each, as all subcommands have it. */
static inline bool sort_keys_are_plain(const sort_keys *keys)
{
    return keys->count == 0 || (keys->count == 1 && !keys->keys[0].word);
}

/* Then: makes of what the key says of its type and order what options say of all numbers. */
void sort_keys_apply(const sort_keys *keys, common_options *options, bool *descending);

/* The command that sorts lines so, with the fields as they were chosen: "parscan sort -k chr:word -k 2"; without keys
   "parscan sort". Behind it, where it needs them, that these options say how lines are read. */
enum { SORT_COMMAND = 512 };
void sort_keys_command(const sort_keys *keys, bool descending, const common_options *options,
                       char words[SORT_COMMAND]);

#endif
