#include "apps/cli/option_words.h"

#include <string.h>

typedef struct word {
    const char *argument, *option;
} word;

static const word words[] = {
    {"op = ", "--op "},
    {"algorithm = ", "--algorithm "},
    {"a shape: algorithm must be auto", "--axis: it must be auto"},
    {"out_type = ", "--out-type "},
    {"reproducible = 1", "--reproducible"},
    {"reproducible with type = ", "--reproducible for "},
    {"block_threads = ", "--block-threads "},
    {"items_per_thread = ", "--items "},
    {"threads = ", "--threads "},
    {"backend = ", "--backend "},
    {"begin_bit = ", "--begin-bit "},
    {"end_bit = ", "--end-bit "},
    {"bins = ", "--bins "},
    {"alignment = ", "--align "},
    {"capacity = ", "--capacity "},
    {"memory_limit = ", "--memory "},
    {"parscan_comm_set_timeout()", "--timeout"},
    {0},
};

/* Replaces the arguments of the list, where a word starts with one. The list ends in an entry of
   zeros. */
static void replace(failure *why, const word *list)
{
    const struct failure from = *why;
    size_t length = 0;
    for (const char *p = from.text; *p != '\0';) {
        const bool begins = p == from.text || p[-1] == ' ' || p[-1] == '(';
        const word *found = list;
        while (found->argument != NULL &&
               (!begins || strncmp(p, found->argument, strlen(found->argument)) != 0))
            found++;
        const bool is_found = found->argument != NULL;
        const char *const put = is_found ? found->option : p;
        const size_t size = is_found ? strlen(put) : 1;
        if (length + size >= sizeof why->text)
            break;
        memcpy(why->text + length, put, size);
        length += size;
        p += is_found ? strlen(found->argument) : 1;
    }
    why->text[length] = '\0';
}

void option_words(failure *why)
{
    replace(why, words);
}

void type_option_words(failure *why, const char *type_option)
{
    char *const advice = strstr(why->text, " (--type ");
    if (type_option != NULL)
        replace(why, (const word[]){{"--type", type_option}, {0}});
    else if (advice != NULL)
        *advice = '\0';
}
