/* The lines of a text whose fields are elements: which field of a line is read, and how the fields are
   written. */
#ifndef PARSCAN_CLI_FIELD_LINES_H
#define PARSCAN_CLI_FIELD_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/cli/element_traits.h"
#include "apps/cli/failure.h"

/* What stands for an element that is not there. */
typedef enum missing_rule { MISSING_FAILS = 0, MISSING_IS_SKIPPED, MISSING_IS_ZERO } missing_rule;

/* What double quotes are. */
typedef enum quote_rule { QUOTES_BY_DEFAULT = 0, QUOTES_ARE_CSV, QUOTES_ARE_NONE } quote_rule;

/* A field by its number, counted from 1, or by its name in the header. */
typedef struct field_choice {
    unsigned number;    /* 0: by its name, or not given */
    const char *name;   /* or NULL */
    const char *option; /* that chose it; or NULL */
    const char *digits; /* the number as it is written; or NULL: a column 1960 has no other name */
    const char *advice; /* where a header or a line has no such field; or NULL */
} field_choice;

enum { MOST_COMMENTS = 8 };

typedef struct field_rules {
    bool given;                          /* any of the options that make fields of lines */
    field_choice value;                  /* not given: a line has one field only */
    field_choice key;                    /* a second field, a word; not given: there is none */
    bool keyed;                          /* the key is read */
    bool worded;                         /* the value is a word, not a number */
    bool every_word;                     /* every word of a line is a value: there are no fields */
    char separator;                      /* 0: fields are separated by white space */
    const char *comments[MOST_COMMENTS]; /* lines that begin with one of them are left out */
    unsigned comment_count;
    char decimal;   /* the decimal point; 0: '.' */
    char thousands; /* stands between digits, and is left out; 0: nothing does */
    bool header;    /* the first line has the names */
    size_t width;   /* of the header, where a line with more fields is wrong; else 0 */
    bool
        mirrors; /* the file is a Matrix Market file, and entries that it leaves out are read, too */
    quote_rule quote_rule;
    bool quotes; /* a field may stand in double quotes, as in CSV */
    bool
        copied; /* numbers are read from copies: with another point, or cut at a separator that may be in them */
    missing_rule missing;
} field_rules;

/* Bytes of a text. */
typedef struct text_span {
    const char *begin, *end;
} text_span;

/* What became of a line. */
typedef enum line_verdict {
    LINE_IS_TAKEN = 0,
    LINE_IS_LEFT_OUT, /* a comment, white space only, or a value that is missing and skipped */
    LINE_IS_SHORT,    /* the field is not there, or empty */
    LINE_HAS_NO_KEY,  /* the same of the key */
    LINE_IS_LONG,     /* it has several fields, and none was chosen */
    LINE_IS_WIDE,     /* it has more fields than the header */
    LINE_IS_OPEN,     /* a quote is not closed */
    LINE_IS_CUT,      /* a carriage return is within it, where other programs end a line */
    LINE_IS_WRONG,    /* the field is not a number */
    LINE_IS_OUTSIDE   /* a row or column outside of a matrix */
} line_verdict;

static inline bool field_is_given(const field_choice *choice)
{
    return choice->number != 0 || choice->name != NULL;
}

static inline bool field_is_named(const field_rules *rules)
{
    return rules->value.name != NULL || rules->key.name != NULL;
}

/* Whether the line of that first character that is no white space is left out: empty, or a comment. It ends in a
   newline. */
static inline bool field_line_is_none(const field_rules *rules, const char *first)
{
    bool none = *first == '\n';
    for (unsigned i = 0; i < rules->comment_count && !none; i++) {
        const char *p = first, *comment = rules->comments[i];
        while (*comment != '\0' && *p == *comment) {
            p++;
            comment++;
        }
        none = *comment == '\0';
    }
    return none;
}

/* Finds the field of that number in a line, which ends in a newline: without white space around it, and without quotes
   unless there are others between them. False: there is none. */
bool field_find(const field_rules *rules, const char *line, unsigned number, text_span *field);

/* The same with its quotes. */
bool field_place(const field_rules *rules, const char *line, unsigned number, text_span *field);

/* Whether a word that was found so stands in quotes, and is another one without them. */
static inline bool field_word_is_quoted(const field_rules *rules, text_span word)
{
    return rules->quotes && word.begin < word.end && *word.begin == '"';
}

/* Copies a word that was found so as what it stands for: without quotes around it, with one quote for each two between
   them. Returns its length, not more than that of the word. Source: RFC 4180; of what follows the closing quote, which
   it forbids, Python's csv module. */
size_t field_word_copy(const field_rules *rules, text_span word, char *to);

/* Whether two words that were found so stand for the same. */
bool field_words_equal(const field_rules *rules, text_span a, text_span b);

/* Makes a field of a number that is written at [number, end): with the decimal point of the rules, in quotes if it
   separates fields. The end, FIELD_QUOTES bytes further at most. */
enum { FIELD_QUOTES = 2 };
char *field_number(const field_rules *rules, char *number, char *end);

/* Whether a field of the line begins with a quote that is not closed before `end`, its newline. */
bool field_line_is_open(const field_rules *rules, const char *line, const char *end);

/* Whether a carriage return is within the line up to `end`, its newline: not in quotes, and before something else than
   white space. Where it separates fields there is none. */
bool field_line_is_cut(const field_rules *rules, const char *line, const char *end);

/* The number of fields of a line, which ends in a newline and is not left out. */
size_t field_count(const field_rules *rules, text_span line);

/* Whether the field is empty, or what people write where a number is not there. */
bool field_is_missing(text_span field);

/* Copies a number as the parsers read it: without what stands between thousands, with a point. False: it
   is none. */
enum { LONGEST_FIELD = 400 }; /* longer than any number that is written for a type */
bool field_copy_number(const field_rules *rules, text_span field, char to[LONGEST_FIELD]);

/* Reads the line at `line`, in a text that ends in a newline before `limit`: its number to out (unless it is a
   word), and where its value and, if it is keyed, its key are. *next: after its newline. `quoted`: quotes are
   looked for. On a line that is wrong, *value is the field, or the line if it has too many. */
line_verdict field_line_read(const field_rules *rules, const element_traits *traits, bool quoted,
                             const char *line, const char *limit, void *out, text_span *value,
                             text_span *key, const char **next);

/* Reads another field of such a line, a word or a number, by the same rules of what is missing. *word, *field: without
   white space and quotes around it. */
line_verdict field_read_word(const field_rules *rules, const char *line, unsigned number,
                             text_span *word);
line_verdict field_read_number(const field_rules *rules, const element_traits *traits,
                               const char *line, unsigned number, void *out, text_span *field);

/* Says that a line has another number of fields than the header, else the first line. advice: or NULL. Returns
   false. */
bool fail_width(failure *why, const field_rules *rules, size_t has, size_t fields,
                const char *advice);

/* Says what is wrong with the field of a line that is not taken. */
bool fail_field(failure *why, const field_rules *rules, const element_traits *traits,
                line_verdict verdict, text_span field);

#endif
