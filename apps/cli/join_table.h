/* The table that `parscan join` looks up: all of its lines in memory, in groups of equal keys. */
#ifndef PARSCAN_CLI_JOIN_TABLE_H
#define PARSCAN_CLI_JOIN_TABLE_H

#include "apps/cli/key_table.h"
#include "apps/cli/session.h"

/* Start with JOIN_TABLE. */
typedef struct join_table {
    key_table keys;
    array
        offsets; /* u64: where the lines of each key begin in `lines`, and where the last ones end */
    array lines; /* u32: the numbers of lines, by their keys */
    array rests,
        ends; /* u8: of each line the fields beside the key, a separator before each; u64: where they end */
    array head;    /* u8: the same of the header */
    bool paired;   /* lines are written beside each other: each has the fields of the first one */
    size_t fields; /* of the header, else of the first line */
    size_t width;  /* the same beside the key */
} join_table;

#define JOIN_TABLE                                  \
    ((join_table){.keys = KEY_TABLE,                \
                  .offsets = {.type = PARSCAN_U64}, \
                  .lines = {.type = PARSCAN_U32},   \
                  .rests = {.type = PARSCAN_U8},    \
                  .ends = {.type = PARSCAN_U64},    \
                  .head = {.type = PARSCAN_U8}})

void join_table_release(join_table *table);

/* Reads the file at path, of which field `key` is the key of a line. Returns an exit status. */
int join_table_read(join_table *table, session *job, const char *path, const field_choice *key,
                    failure *why);

/* Whether line i of the store is one of `fields` fields, or may be: LINE_IS_LEFT_OUT if it has fewer and such are,
   LINE_IS_SHORT if they are filled up. A line that is wrong: false, with words. */
bool join_check_line(const session *job, const char *path, const line_store *lines, size_t i,
                     size_t has, size_t fields, line_verdict *verdict, failure *why);

/* Adds so many fields that are empty: NA between white space. */
bool join_add_empty(const session *job, size_t count, array *to);

/* What is written of line i. */
text_span join_table_rest(const join_table *table, size_t i);

#endif
