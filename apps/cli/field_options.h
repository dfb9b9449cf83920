/* The options that make fields of the lines of a text, and a list of an npy array. */
#ifndef PARSCAN_CLI_FIELD_OPTIONS_H
#define PARSCAN_CLI_FIELD_OPTIONS_H

#include "apps/cli/field_lines.h"

/* Entries for the options, the short options and the help of a subcommand. Their ids are common_options.h's. */
/* clang-format off */
#define FIELD_OPTIONS                                             \
    {"field", required_argument, NULL, 'k'},                      \
    {"separator", required_argument, NULL, 't'},                  \
    {"header", no_argument, NULL, OPTION_HEADER},                 \
    {"comment", required_argument, NULL, OPTION_COMMENT},         \
    {"decimal", required_argument, NULL, OPTION_DECIMAL},         \
    {"thousands", required_argument, NULL, OPTION_THOUSANDS},     \
    {"missing", required_argument, NULL, OPTION_MISSING},         \
    {"quotes", required_argument, NULL, OPTION_QUOTES},           \
    {"flatten", no_argument, NULL, OPTION_FLATTEN},               \
    {"member", required_argument, NULL, OPTION_MEMBER}
#define FIELD_SHORT_OPTIONS "k:t:"
#define TEXT_FIELD_HELP                                                                \
    {"\nA text whose lines have fields:\n"                                             \
     "  -k, --field N         the elements are field N of each line, counted from 1, or the field\n" \
     "                        that has that name in the header\n"                      \
     "  -t, --separator C     the character between fields, or tab (default: white space)\n" \
     "  --header              the first line has the names of the fields\n"            \
     "  --comment TEXT        leave out lines that begin with this text; may be given 8 times\n" \
     "  --decimal C           the decimal point of numbers (default: .)\n"             \
     "  --thousands C         a character before groups of three digits, which is left out\n" \
     "  --missing RULE        where a number is missing: fail (default), skip the line, or 0\n" \
     "  --quotes RULE         csv: fields may stand in double quotes (default, with -t other than\n" \
     "                        tab); none: quotes are as other characters\n", NULL}
#define ARRAYS_HELP                                                                    \
    {"\nnpy and npz:\n"                                                               \
     "  --flatten             read an npy array of several dimensions as one list, in the order of\n" \
     "                        the file\n"                                              \
     "  --member NAME         read this array of an npz file (or file of a zip file); an only one\n" \
     "                        needs no name\n", NULL}
#define FIELD_HELP TEXT_FIELD_HELP, ARRAYS_HELP
/* Of a subcommand that reads texts alone. */
#define TEXT_MEMBER_HELP                                                               \
    {"\nzip files:\n"                                                                  \
     "  --member NAME         read this file of a zip file; an only one needs no name\n"  \
     "  --flatten             is refused: it is for npy arrays\n", NULL}
/* The same of subcommands that ask for no order of lines. */
#define MIRROR_OPTION {"mirror", no_argument, NULL, OPTION_MIRROR}
#define MIRROR_HELP                                                                    \
    {"\nMatrix Market:\n"                                                              \
     "  --mirror              read both of two entries that mirror each other, of which the file\n" \
     "                        of a symmetric, skew-symmetric or Hermitian matrix has one\n", NULL}
/* clang-format on */

/* Stores the value of one of the options of fields. */
bool field_take(field_rules *rules, int id, const char *value, failure *why);

/* Reads the value of that option, which chooses a field. */
bool field_take_choice(const char *option, const char *value, field_choice *choice, failure *why);

/* Completes the rules when all options have been read. */
bool field_rules_complete(field_rules *rules, failure *why);

#endif
