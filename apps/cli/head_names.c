#include "apps/cli/head_names.h"
#include "apps/cli/field_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SUFFIX = 24 };

/* Puts a text into another one before byte `at`. */
static bool insert(array *text, size_t at, const char *part)
{
    const size_t size = strlen(part);
    if (!array_reserve(text, text->n + size))
        return false;
    char *const to = (char *)text->data + at;
    memmove(to + size, to, text->n - at);
    memcpy(to, part, size);
    text->n += size;
    return true;
}

/* Adds a suffix to the name, which has room for it, that makes it one that the header has not. */
static const char *add_suffix(const field_rules *rules, const char *head, char *name)
{
    char *const suffix = name + strlen(name);
    for (unsigned number = 2;; number++) {
        snprintf(suffix, MOST_SUFFIX, "_%u", number);
        if (field_name_find(rules, head, name, 0) == 0)
            return suffix;
    }
}

/* The same for one field, whose name is this word. */
static bool distinguish(const field_rules *rules, array *text, size_t begin, unsigned number,
                        text_span word)
{
    const char *const head = (const char *)text->data + begin;
    char *const name = malloc((size_t)(word.end - word.begin) + MOST_SUFFIX);
    bool done = name != NULL;
    if (!done)
        return false;
    name[field_word_copy(rules, word, name)] = '\0';
    if (field_name_find(rules, head, name, 0) < number) {
        const char *const end = word.end - field_word_is_quoted(rules, word);
        done =
            insert(text, (size_t)(end - (const char *)text->data), add_suffix(rules, head, name));
    }
    free(name);
    return done;
}

bool head_names_distinguish(const field_rules *rules, array *text, size_t begin, size_t first)
{
    text_span word;
    for (unsigned number = (unsigned)first;
         field_find(rules, (const char *)text->data + begin, number, &word); number++)
        if (!distinguish(rules, text, begin, number, word))
            return false;
    return true;
}
