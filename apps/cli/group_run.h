/* Groups of lines that have the same word in a field, and what is tallied of them. */
#ifndef PARSCAN_CLI_GROUP_RUN_H
#define PARSCAN_CLI_GROUP_RUN_H

#include "apps/cli/key_table.h"
#include "apps/cli/session.h"
#include "apps/cli/stream.h"
#include "apps/cli/tally.h"

/* Start with GROUP_RUN and the list; the input is open, and keeps keys, or the values that are the keys. */
typedef struct group_run {
    tally_list list;
    key_table keys;
    tallies groups;
    array numbers; /* u32: of a piece */
    char *head;    /* the header, which ends in a newline, or NULL */
} group_run;

#define GROUP_RUN ((group_run){.keys = KEY_TABLE, .numbers = {.type = PARSCAN_U32}})

/* Reads the input to its end. Returns an exit status. */
int group_read(group_run *run, session *job, stream_totals *totals, failure *why);

/* Adds a field of the output, which is this text, in quotes if it needs them; or, unless it is NULL, call(text). False:
   memory ran out. */
bool group_add_field(const session *job, const char *call, text_span text, array *to);

/* Adds call(name), or the name alone: that of a field in the header; of the first, if none was chosen. */
bool group_add_call(const session *job, const char *head, const field_choice *choice,
                    const char *call, array *to);

/* Adds the key of that number so. */
bool group_add_key(const key_table *keys, const session *job, uint32_t number, array *to);

/* Adds characters. False: memory ran out. */
bool group_add_text(array *to, const char *text, size_t size);

/* What separates fields of the output: as in the input, or a tab. */
char group_separator(const session *job);

void group_release(group_run *run);

#endif
