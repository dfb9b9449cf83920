/* Parses lines of a text whose fields are elements, in pieces on all threads. */
#ifndef PARSCAN_CLI_LINE_PARSER_H
#define PARSCAN_CLI_LINE_PARSER_H

#include "apps/cli/line_store.h"
#include "apps/cli/matrix_market.h"

typedef struct line_parser line_parser;

/* NULL: memory ran out. */
line_parser *line_parser_open(const element_traits *traits, const field_rules *rules,
                              kept_part keep, unsigned threads);
void line_parser_close(line_parser *parser);

/* Adds the elements of [text, text + size), which is not empty and ends in a newline; and, unless it is NULL,
   what is kept of their lines to a store. The message of a failure names the line. */
bool line_parser_add(line_parser *parser, const char *text, size_t size, array *elements,
                     line_store *lines, failure *why);

/* Says that nothing follows: a Matrix Market file must have had all of its entries, and a text the header that has the
   name of a field. */
bool line_parser_end(const line_parser *parser, failure *why);

/* Whether a text without a newline may be the first line: its lines do not end in carriage returns. text[size]: a newline,
   or what stands for one. */
bool line_parser_check_first(const line_parser *parser, const char *text, size_t size,
                             failure *why);

/* The header with its newline, as a string; NULL: none has been read. */
const char *line_parser_head(const line_parser *parser);

/* What the head of a Matrix Market file says; NULL: it is another text. */
const matrix_market *line_parser_matrix(const line_parser *parser);

/* Makes a header other than this one a failure, and keeps none in stores. False: memory ran out. */
bool line_parser_expect(line_parser *parser, const char *head);

/* Makes a Matrix Market file of another format than that at path a failure. */
void line_parser_expect_matrix(line_parser *parser, const matrix_market *matrix, const char *path);

/* The number of the line that comes next, counted from 1. */
uint64_t line_parser_line(const line_parser *parser);

#endif
