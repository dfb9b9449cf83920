/* A line_parser, for the two files that it is in. */
#ifndef PARSCAN_CLI_LINE_PARSER_STATE_H
#define PARSCAN_CLI_LINE_PARSER_STATE_H

#include "apps/cli/line_parser.h"

/* A thread's part of a text: whole lines. */
typedef struct line_piece {
    const char *begin, *end;
    size_t newlines, taken; /* lines, and elements */
    size_t none;            /* lines that are empty or comments */
    size_t room;            /* there are not more elements */
    char *out;              /* the place of its first element */
    uint64_t *places[2];    /* the same of what is kept, or NULL */
    bool returns;           /* a carriage return is not directly before a newline */
    bool quoted;            /* a word that is kept stands for another one */
    line_verdict verdict;   /* of the last line */
    text_span wrong;        /* the field of the last line, which is wrong */
} line_piece;

struct line_parser {
    const element_traits *traits;
    field_rules rules;
    kept_part keep;
    unsigned threads;
    uint64_t newlines; /* before the text */
    uint64_t entries;  /* of a Matrix Market file: lines that are neither empty nor comments */
    bool begun;        /* the header has been read, or there is none */
    bool looked;       /* for the head of a Matrix Market file */
    matrix_market matrix;
    matrix_market beside; /* of the file at beside_path, or NULL */
    const char *beside_path;
    array mirrored;     /* u8: the text with entries that it leaves out */
    text_span original; /* that text, or nothing */
    size_t made;        /* the entries that were added to it */
    char *head;         /* the header, or the one that is expected */
    bool expects;       /* the header is one that another file had */
    const char *origin; /* where the text of the store begins that holds the current text */
    line_piece *pieces;
};

/* Whether lines are entries of a matrix that have a row and a column. */
static inline bool line_parser_has_places(const line_parser *parser)
{
    return parser->matrix.is_there && !parser->matrix.is_array;
}

/* Puts the number of a line before the message. Returns false. */
bool line_parser_fail(uint64_t number, failure *why);

/* Reads the banner with which the text begins: its other lines of this kind are comments, and the first line that is
   none has sizes. */
bool line_parser_banner(line_parser *parser, const char *text, size_t size, failure *why);

/* Reads the header, the first line that is not left out. *used: the bytes up to its end. */
bool line_parser_header(line_parser *parser, const char *text, size_t size, line_store *lines,
                        size_t *used, failure *why);

/* Checks that a Matrix Market file has no more entries than its line of sizes says. The text is the one that has been
   parsed; `line` lines and `entries` entries were before it. */
bool line_parser_check_entries(line_parser *parser, text_span text, uint64_t line, uint64_t entries,
                               failure *why);

/* Exchanges the text for one that has mirrored entries, too, if they are asked for; their rows and columns must
   be those of the matrix. */
bool line_parser_mirror(line_parser *parser, const char **text, size_t *size, failure *why);

#endif
