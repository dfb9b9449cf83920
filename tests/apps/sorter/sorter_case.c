#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "tests/apps/sorter/sorter_case.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/oracle_sort.h"
#include "tests/support/random.h"
#include "tests/support/sort_case.h"
#include "tests/support/test_engine.h"

void folders_create(sorter_folders *folders, unsigned count)
{
    const char *const base = getenv("TMPDIR");
    folders->count = count;
    for (unsigned k = 0; k < count; k++) {
        snprintf(folders->names[k], sizeof folders->names[k], "%.90s/parscan-sorter-XXXXXX",
                 base != NULL ? base : "/tmp");
        cr_assert_not_null(mkdtemp(folders->names[k]), "%s", folders->names[k]);
        folders->list[k] = folders->names[k];
    }
}

bool folders_are_empty(const sorter_folders *folders)
{
    bool empty = true;
    for (unsigned k = 0; k < folders->count; k++) {
        DIR *const folder = opendir(folders->names[k]);
        cr_assert_not_null(folder);
        for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
            empty = empty && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0);
        closedir(folder);
    }
    return empty;
}

void folders_remove(sorter_folders *folders)
{
    for (unsigned k = 0; k < folders->count; k++)
        cr_assert_eq(rmdir(folders->names[k]), 0, "%s is not empty", folders->names[k]);
    folders->count = 0;
}

/* Pushes all elements, in pieces of any length. */
static void push_all(parscan_context *context, parscan_sorter *sorter, const sorter_case *c,
                     const char *keys, const char *values)
{
    const size_t key_size = parscan_type_size(c->options.key_type);
    for (size_t begin = 0, n; begin < c->n; begin += n) {
        n = 1 + random_below(random_below(4) == 0 ? c->n : c->n / 16 + 1);
        n = n < c->n - begin ? n : c->n - begin;
        cr_assert_eq(
            parscan_sorter_push(sorter, keys + begin * key_size,
                                values == NULL ? NULL : values + begin * c->options.value_size, n),
            PARSCAN_OK, "%s", parscan_context_error(context));
        cr_assert_eq(parscan_sorter_push(sorter, NULL, NULL, 0), PARSCAN_OK);
    }
}

/* Pulls all elements, in pieces of any length. */
static void pull_all(parscan_context *context, parscan_sorter *sorter, const sorter_case *c,
                     char *keys, char *values, size_t value_size)
{
    const size_t key_size = parscan_type_size(c->options.key_type);
    size_t begin = 0, got;
    for (;;) {
        size_t n = 1 + random_below(random_below(3) == 0 ? 2 * c->n + 1 : c->n / 8 + 1);
        n = n < c->n + 5 - begin ? n : c->n + 5 - begin;
        cr_assert_eq(parscan_sorter_pull(sorter, keys == NULL ? NULL : keys + begin * key_size,
                                         values == NULL ? NULL : values + begin * value_size, n,
                                         &got),
                     PARSCAN_OK, "%s", parscan_context_error(context));
        if (got == 0)
            break;
        cr_assert(got == n || begin + got == c->n, "%zu elements of %zu", got, n);
        begin += got;
    }
    cr_assert_eq(begin, c->n, "%zu elements were pulled, not %zu", begin, c->n);
    cr_assert_eq(parscan_sorter_pull(sorter, keys, values, 0, &got), PARSCAN_OK);
    cr_assert_eq(got, 0);
}

/* The 64 bytes after the room for n + 5 elements stay what they were. */
static char *room_for(size_t n, size_t size)
{
    char *const room = malloc((n + 5) * size + 64);
    cr_assert_not_null(room);
    memset(room + n * size, 0x5a, 5 * size + 64);
    return room;
}

static void expect_untouched(const char *room, size_t n, size_t size)
{
    for (size_t i = n * size; i < (n + 5) * size + 64; i++)
        cr_assert_eq(room[i], 0x5a, "memory behind the elements was written");
}

sorter_seen expect_sorter_in(parscan_context *context, sorter_case c, const void *keys,
                             const size_t *order)
{
    const size_t value_size = c.options.argsort ? sizeof(uint64_t) : c.options.value_size;
    sorter_folders folders;
    folders_create(&folders, c.folder_count == 0 ? 1 : c.folder_count);
    c.options.struct_size = sizeof c.options;
    c.options.folders = folders.list;
    c.options.folder_count = folders.count;
    parscan_sorter *sorter;
    cr_assert_eq(parscan_sorter_create(&sorter, context, &c.options), PARSCAN_OK, "%s",
                 parscan_context_error(context));
    void *const values = c.options.argsort || value_size == 0 ? NULL : sort_values(value_size, c.n);
    push_all(context, sorter, &c, keys, values);
    const size_t key_size = parscan_type_size(c.options.key_type);
    char *const keys_out = c.drops_keys ? NULL : room_for(c.n, key_size);
    char *const values_out = value_size == 0 ? NULL : room_for(c.n, value_size);
    pull_all(context, sorter, &c, keys_out, values_out, value_size);
    cr_assert(folders_are_empty(&folders), "a file has a name");
    sorter_seen seen;
    cr_assert_eq(parscan_sorter_counts(sorter, &seen.elements, &seen.runs, &seen.levels,
                                       &seen.bytes_spilled),
                 PARSCAN_OK);
    cr_assert_eq(seen.elements, c.n);
    parscan_sorter_destroy(sorter);
    folders_remove(&folders);

    sort_case sort = {.type = c.options.key_type, .n = c.n, .value_size = c.options.value_size};
    sort.options.descending = c.options.descending;
    char words[SORT_WORDS];
    if (keys_out != NULL) {
        const sort_arrays arrays = {keys, keys_out, NULL, NULL};
        sort.value_size = 0;
        cr_assert(sorted_is_right(&sort, keys, NULL, order, arrays, words), "%s", words);
        expect_untouched(keys_out, c.n, key_size);
    }
    for (size_t k = 0; k < c.n && values_out != NULL; k++) {
        const uint64_t index = order[k];
        const void *const expected =
            c.options.argsort ? (const void *)&index : (const char *)values + index * value_size;
        cr_assert(memcmp(values_out + k * value_size, expected, value_size) == 0,
                  "value %zu is not that of element %zu", k, order[k]);
    }
    if (values_out != NULL)
        expect_untouched(values_out, c.n, value_size);
    free(values);
    free(keys_out);
    free(values_out);
    return seen;
}

sorter_seen expect_sorter(sorter_case c)
{
    parscan_context *const context =
        test_context_with((parscan_context_options){.threads = c.threads});
    void *const keys = patterned_keys(c.options.key_type, c.pattern, c.n);
    sort_case sort = {.type = c.options.key_type, .n = c.n};
    sort.options.descending = c.options.descending;
    size_t *const order = sort_order(&sort, keys);
    const sorter_seen seen = expect_sorter_in(context, c, keys, order);
    free(keys);
    free(order);
    parscan_context_destroy(context);
    return seen;
}
