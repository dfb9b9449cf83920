/*
 * Bytes as text; their number chooses the type. A reader that takes 64 bytes at a time must read
 * the same as the program's, unless a word is longer: numbers, and words as keys.
 */
#include <stdint.h>
#include <string.h>

#include "apps/cli/byte_source.h"
#include "apps/cli/foreign_codec.h"
#include "apps/cli/input_formats.h"
#include "apps/cli/number_text.h"
#include "apps/cli/text_hints.h"
#include "apps/cli/unzip.h"
#include "scan/tables.h"
#include "tests/fuzz/fuzz_files.h"

enum { SMALL_CHUNK = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
text_reader *text_reader_open_by_64(byte_source *source, parscan_type type,
                                    const input_request *request);
bool text_reader_next_by_64(text_reader *reader, size_t most, source_reader *read, array *elements,
                            line_store *lines, failure *why);
void text_reader_close_by_64(text_reader *reader);

static size_t longest_word(const uint8_t *bytes, size_t size)
{
    size_t longest = 0, length = 0;
    for (size_t i = 0; i < size; i++) {
        length = is_space((char)bytes[i]) ? 0 : length + 1;
        longest = length > longest ? length : longest;
    }
    return longest;
}

typedef bool next_function(text_reader *reader, size_t most, source_reader *read, array *elements,
                           line_store *lines, failure *why);

/* Reads all elements, at most `most` at a time. */
static bool read_all(text_reader *reader, next_function *next, size_t most, source_reader *read,
                     array *elements, failure *why)
{
    size_t before;
    MUST(reader != NULL);
    do {
        before = elements->n;
        if (!next(reader, most, read, elements, NULL, why))
            return false;
        MUST(elements->n - before <= most);
    } while (elements->n > before);
    return true;
}

static bool read_by_64(byte_source *source, text_words words, line_rule rule, array *elements,
                       failure *why)
{
    text_reader *const reader = text_reader_open_by_64(
        source, elements->type, &(input_request){.words = words, .lines = rule, .threads = 1});
    const bool done = read_all(reader, text_reader_next_by_64, 5, source_read_some, elements, why);
    text_reader_close_by_64(reader);
    return done;
}

static bool read_as_the_program(byte_source *source, text_words words, line_rule rule,
                                array *elements, failure *why)
{
    text_reader *const reader = text_reader_open(
        source, elements->type, &(input_request){.words = words, .lines = rule, .threads = 1});
    const bool done = read_all(reader, text_reader_next, SIZE_MAX, source_read, elements, why);
    text_reader_close(reader);
    return done;
}

static void expect_the_same_by_64(const uint8_t *bytes, size_t size, const array *elements,
                                  bool done, const failure *why)
{
    array again = {.type = elements->type};
    progress bar = {.quiet = true};
    failure why_again;
    byte_source *const source = source_open(file_of(bytes, size), NULL, 1, &bar, &why_again);
    MUST(source != NULL);
    MUST(read_by_64(source, WORDS_ARE_NUMBERS, LINES_ARE_FREE, &again, &why_again) == done);
    if (done) {
        const size_t size_of_all = elements->n * parscan_type_size(elements->type);
        MUST(again.n == elements->n);
        MUST(again.n == 0 || memcmp(again.data, elements->data, size_of_all) == 0);
    } else {
        fail_in(&why_again, "-");
        MUST(same_words(&why_again, why));
    }
    array_release(&again);
    source_close(source);
}

/* Whether each line has one word, or all words are on one line and no other is complete. */
static bool lines_are_elements(const uint8_t *bytes, size_t size)
{
    size_t words = 0, filled = 0;
    bool several = false;
    for (size_t i = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0, first = i; i < size;
         i++) {
        if (!is_space((char)bytes[i])) {
            words += i == first || is_space((char)bytes[i - 1]);
            filled += words == 1 && (i == first || is_space((char)bytes[i - 1]));
            several = several || words > 1;
        } else if (bytes[i] == '\n') {
            if (words == 0)
                return false;
            words = 0;
        }
    }
    return !several || filled == 1;
}

/* Words are keys whatever they are: reading them can fail only for their lines. */
static void expect_the_same_keys_by_64(const uint8_t *bytes, size_t size, text_words words,
                                       line_rule rule)
{
    const bool right = rule != LINES_ARE_ELEMENTS || lines_are_elements(bytes, size);
    array keys[2] = {{.type = PARSCAN_U8}, {.type = PARSCAN_U8}};
    for (int small = 0; small < 2; small++) {
        progress bar = {.quiet = true};
        failure why;
        byte_source *const source = source_open(file_of(bytes, size), NULL, 1, &bar, &why);
        MUST(source != NULL);
        MUST((small ? read_by_64 : read_as_the_program)(source, words, rule, &keys[small], &why) ==
             right);
        source_close(source);
    }
    if (right) {
        MUST(keys[0].n == keys[1].n);
        MUST(keys[0].n == 0 || memcmp(keys[0].data, keys[1].data, keys[0].n) == 0);
        MUST(keys[0].n == 0 || *(const uint8_t *)keys[0].data == 1);
    }
    array_release(&keys[0]);
    array_release(&keys[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
#define LISTED(ctx, NAME, ...) PARSCAN_##NAME,
    static const parscan_type types[] = {PARSCAN_TYPES(LISTED, )};
    const parscan_type type = types[size % (sizeof types / sizeof types[0])];
    array elements;
    failure why;
    /* gzip data are another target's matter; other data within data are none. */
    if ((size > 0 && bytes[0] == 0x1f) || unzip_recognises(bytes, size) ||
        codec_recognises(bytes, size))
        return 0;
    const bool done = read_file_and_pipe(bytes, size, FORMAT_TEXT, type, &elements, &why);
    elements.type = type;
    failure other;
    const bool is_text = check_is_text(bytes, size, &other);
    MUST(is_text || !done);
    if (is_text && longest_word(bytes, size) < SMALL_CHUNK) {
        expect_the_same_by_64(bytes, size, &elements, done, &why);
        expect_the_same_keys_by_64(bytes, size, WORDS_ARE_KEYS, LINES_ARE_FREE);
        expect_the_same_keys_by_64(bytes, size, WORDS_ARE_EXACT_KEYS, LINES_ARE_FREE);
        expect_the_same_keys_by_64(bytes, size, WORDS_ARE_KEYS, LINES_ARE_ELEMENTS);
    }
    if (done) {
        MUST(elements.n <= size / 2 + 1);
        expect_round_trip(&elements, FORMAT_TEXT);
        expect_round_trip(&elements, FORMAT_NPY);
    }
    array_release(&elements);
    return 0;
}
