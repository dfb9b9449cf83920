/* Arrays from files, in pieces or whole: text, raw or npy, gzip or not. */
#ifndef PARSCAN_CLI_INPUT_H
#define PARSCAN_CLI_INPUT_H

#include "apps/cli/array.h"
#include "apps/cli/byte_source.h"
#include "apps/cli/failure.h"
#include "apps/cli/file_format.h"
#include "apps/cli/line_store.h"
#include "apps/cli/matrix_market.h"
#include "apps/cli/npy_header.h"
#include "apps/cli/progress.h"

/* What the words of a text file are. */
typedef enum text_words {
    WORDS_ARE_NUMBERS = 0,
    WORDS_ARE_KEYS,      /* equal if they are the same word or integers of the same value */
    WORDS_ARE_EXACT_KEYS /* equal if they are the same word */
} text_words;

/* What the lines of a text file are. */
typedef enum line_rule {
    LINES_ARE_FREE = 0, /* of any number of elements: input_lists() tells of several */
    LINES_ARE_ELEMENTS /* one element each, unless there is one line only, which is then a list: other
                          elements are those of other places */
} line_rule;

/* Is called with the type of the elements before they are read. False with a message: nothing is read.
   */
typedef bool input_check(void *user, parscan_type type, failure *why);

typedef struct input_reader input_reader;

typedef struct input_request {
    const char *path;  /* NULL or "-": standard input */
    char *const *more; /* files that follow: their elements come after those of path, and
                                  have the same type, their lines the same header */
    size_t more_count;
    int descriptor; /* not 0: an open file, which is read as it is in place of that at path, its name in messages, and
                       closed with the reader, or if it cannot be opened */
    bool small; /* of text: one of many files that are read at a time. A line has 64 KiB at most */
    const char *member;        /* of a zip file; NULL: the only one */
    file_format format;        /* FORMAT_UNKNOWN: npy by its magic bytes, else `otherwise` */
    file_format otherwise;     /* the format of what is not npy; FORMAT_UNKNOWN: text */
    parscan_type type;         /* 0: what the npy file says, text_type for text; raw needs one */
    parscan_type text_type;    /* 0: i64 */
    parscan_type raw_type;     /* 0: raw has no type by default */
    line_rule lines;           /* of text */
    text_words words;          /* keys: a text file is read as u8 flags, 1 where a word differs from
                               the one before it; type and text_type are then 0 */
    const field_rules *fields; /* of text: an element is a field of a line; NULL: it is not */
    const char *fields_hint;   /* words to the user who asks for fields of what has none; or NULL */
    kept_part keep;            /* of such lines */
    const input_reader
        *beside;       /* a file of which a part has been read: a text must have its header,
                                   which is then not kept, and its Matrix Market format; or NULL */
    shape_rule shapes; /* of npy */
    unsigned threads;
    progress *progress;
    bool *is_mask;      /* gets whether the elements are NumPy's booleans, before check is called;
                           or NULL */
    input_check *check; /* or NULL */
    void *user;
} input_request;

/* An input_reader reads a file in pieces. Messages of failures start with the file's name, unless they come from
   check. Opens the file, and reads what is before its elements. Returns NULL if that fails. */
input_reader *input_open(const input_request *request, failure *why);
void input_close(input_reader *reader);

file_format input_format(const input_reader *reader);
parscan_type input_type(const input_reader *reader);

/* The header of a text that has been read, with its newline; NULL: none. */
const char *input_head(const input_reader *reader);

/* What the head of a Matrix Market file says, the first one from which fields have been read, and its path; NULL:
   none. */
const matrix_market *input_matrix(const input_reader *reader, const char **path);

/* Checks that the lines of a Matrix Market file have that field, too. The message begins with the file's name. */
bool input_check_field(const input_reader *reader, const field_choice *choice, failure *why);

/* The shape of an npy file; NULL: it is another file. */
const npy_shape *input_shape(const input_reader *reader);

/* Whether the number of elements is known before they are read: *n, if the file does not change. */
bool input_length(const input_reader *reader, uint64_t *n);

/* Whether it is known that there are no more than *n elements, if the file does not change. */
bool input_most(const input_reader *reader, uint64_t *n);

/* Whether it is known that no elements are left. */
bool input_at_end(const input_reader *reader);

/* The elements that are left of a raw or npy file that is not compressed and has a whole number of them:
   *n, from byte *at on. False if it is another file. */
bool input_place(const input_reader *reader, int *fd, uint64_t *at, uint64_t *n);

/* Makes elements that were read from there, those after the first ones, what input_next() gives. */
void input_convert(const input_reader *reader, array *elements, size_t first);

/* The descriptor of a regular file that was not empty; -1 if it is another file. */
int input_descriptor(const input_reader *reader);

/* The first text of which a line, so far, has several elements, where other lines have some too; NULL: none. */
const char *input_lists(const input_reader *reader);

/* Shows on that bar what is read from now on. */
void input_show(input_reader *reader, progress *bar);

/* Adds the next elements, at most `most`, to an array of the file's type. None are added at the end
   only. Those of a pipe are passed on as they come. */
bool input_next(input_reader *reader, size_t most, array *elements, failure *why);

/* The same for lines with fields: adds what is kept of their lines to a store too. */
bool input_next_lines(input_reader *reader, size_t most, array *elements, line_store *lines,
                      failure *why);

/* Puts before the message of a failure the name of the file, and the line of it that has that element of the store, of
   those that were read last. Returns false. */
bool input_fail_line(const input_reader *reader, const line_store *lines, size_t element,
                     failure *why);

/* Adds all elements that are left. */
bool input_rest(input_reader *reader, array *elements, failure *why);

/* Ends an input_next() that waits for another program: it fails. Any thread may call it. */
void input_interrupt(input_reader *reader);

/*
 * Reads a whole file into *elements; array_release() frees it. *found gets the format of the file,
 * unless found is NULL. If it fails, *elements is empty, and the message starts with the file's name
 * unless they come from check.
 */
bool input_read(const input_request *request, array *elements, file_format *found, failure *why);
#endif
