/* What is compared of lines that are sorted by several fields, or by words. */
#ifndef PARSCAN_CLI_KEY_COLUMNS_H
#define PARSCAN_CLI_KEY_COLUMNS_H

#include "apps/cli/number_float.h"
#include "apps/cli/session.h"
#include "apps/cli/sort_keys.h"

/* Reads fields of lines. */
typedef struct key_reader {
    session *job;
    const sort_keys *keys;
    bool descending; /* the order of all keys is turned round */
    bool named;      /* the fields have their numbers */
    field_rules rules[MOST_SORT_KEYS];
    const element_traits *traits[MOST_SORT_KEYS]; /* of numbers */
} key_reader;

/* The keys of lines that have been read together. Start with KEY_COLUMNS. */
typedef struct key_columns {
    array orders[MOST_SORT_KEYS]; /* u64: of numbers; they ascend in the order of the lines */
    array words[MOST_SORT_KEYS];  /* u8: a text_span for each word, in the lines or in `copies` */
    array copies;                 /* u8: words that stand otherwise in their lines */
    array left_out;               /* u8: 1 for a line that is left out */
    size_t n;
} key_columns;

#define KEY_COLUMNS \
    ((key_columns){.copies = {.type = PARSCAN_U8}, .left_out = {.type = PARSCAN_U8}})

/* Begins: type is that of numbers that have none of their own. False with words: a name needs a header. */
bool key_reader_begin(key_reader *reader, session *job, const sort_keys *keys, bool descending,
                      parscan_type type, failure *why);

/* Whether that key comes in descending order. */
bool key_reader_descends(const key_reader *reader, size_t key);

/* Reads the keys of the lines of a store from number `first` on, which were read last from that input. Lines that are
   left out leave the store. The columns hold until the store changes. */
bool key_columns_read(key_reader *reader, const input_reader *input, line_store *lines,
                      size_t first, key_columns *columns, failure *why);

static inline const text_span *key_words(const key_columns *columns, size_t key)
{
    return columns->words[key].data;
}

static inline const uint64_t *key_orders(const key_columns *columns, size_t key)
{
    return columns->orders[key].data;
}

/* Compares line i with line j of others: below, equal to or above 0, as it comes before, with or after that. */
int key_columns_compare(const key_reader *reader, const key_columns *columns, size_t i,
                        const key_columns *others, size_t j);

/* The first key in which they differ, else the number of keys. */
size_t key_columns_difference(const key_reader *reader, const key_columns *columns, size_t i,
                              const key_columns *others, size_t j);

/* Writes what key k of line i is, in messages: "'word'", which may be cut, or "12". Numbers that are floats need
   shortest_decimal_prepare(). */
enum { KEY_TEXT = NUMBER_MAX_LENGTH + 2 > 72 ? NUMBER_MAX_LENGTH + 2 : 72 };
void key_columns_format(const key_reader *reader, const key_columns *columns, size_t i, size_t k,
                        char text[KEY_TEXT]);

void key_columns_release(key_columns *columns);

#endif
