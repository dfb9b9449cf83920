#include "apps/cli/option_words.h"

#include <string.h>

typedef struct word {
    const char *argument, *option;
} word;

static const word words[] = {
    {"op = ", "--op "},
    {"algorithm = ", "--algorithm "},
    {"out_type = ", "--out-type "},
    {"reproducible = 1", "--reproducible"},
    {"block_threads = ", "--block-threads "},
    {"items_per_thread = ", "--items "},
    {"threads = ", "--threads "},
    {"backend = ", "--backend "},
};

/* The argument that the text begins with, or NULL. */
static const word *find(const char *text)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strncmp(text, words[i].argument, strlen(words[i].argument)) == 0)
            return &words[i];
    return NULL;
}

void option_words(failure *why)
{
    const struct failure from = *why;
    size_t length = 0;
    for (const char *p = from.text; *p != '\0';) {
        const bool begins = p == from.text || p[-1] == ' ';
        const word *const found = begins ? find(p) : NULL;
        const char *const put = found != NULL ? found->option : p;
        const size_t size = found != NULL ? strlen(put) : 1;
        if (length + size >= sizeof why->text)
            break;
        memcpy(why->text + length, put, size);
        length += size;
        p += found != NULL ? strlen(found->argument) : 1;
    }
    why->text[length] = '\0';
}
