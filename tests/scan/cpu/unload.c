/*
 * Loads libparscan, or a plugin that is linked with it, uses it with several threads and unloads
 * it, again and again. Arguments: the library and the plugin. Neither this program nor what it is
 * linked with uses libparscan, so the last dlclose() removes its code from the process.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "parscan/parscan.h"
#include "tests/support/sanitizer.h"

enum { N = 1 << 20, TIMES = LESS_UNDER_SANITIZER(20, 5) };

static int fail(const char *what)
{
    fprintf(stderr, "unload: %s\n", what);
    return 1;
}

/* Whether code of libparscan or of the plugin is in this process. */
static bool is_loaded(void)
{
    FILE *const maps = fopen("/proc/self/maps", "r");
    if (maps == NULL)
        return false;
    char line[4096];
    bool found = false;
    while (fgets(line, sizeof line, maps) != NULL)
        found |= strstr(line, "libparscan") != NULL || strstr(line, "unload_plugin") != NULL;
    fclose(maps);
    return found;
}

/* Returns the number of this process's threads; 1 if the system does not tell. */
static int threads(void)
{
    DIR *const tasks = opendir("/proc/self/task");
    if (tasks == NULL)
        return 1;
    int count = 0;
    for (const struct dirent *entry; (entry = readdir(tasks)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(tasks);
    return count;
}

typedef struct functions {
    parscan_status (*create)(parscan_context **, const parscan_context_options *);
    void (*destroy)(parscan_context *);
    parscan_status (*scan)(parscan_context *, parscan_type, const void *, void *, size_t,
                           const parscan_scan_options *);
    parscan_status (*sort)(parscan_context *, parscan_type, const void *, void *, size_t,
                           const parscan_sort_options *);
    parscan_status (*histogram)(parscan_context *, parscan_type, const void *, size_t, size_t,
                                parscan_type, void *, const parscan_histogram_options *);
} functions;

/* Whether there are as many threads as this. The system may list a thread for a moment after it has
   been joined, so the answer is waited for. */
static bool threads_become(int count)
{
    for (int again = 0; again < 500 && threads() != count; again++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    return threads() == count;
}

/* ISO C has no conversion from an object pointer to a function pointer. */
static bool find(void *library, const char *name, void *function)
{
    void *const symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool find_all(void *library, functions *f)
{
    return find(library, "parscan_context_create", &f->create) &&
           find(library, "parscan_context_destroy", &f->destroy) &&
           find(library, "parscan_inclusive_scan", &f->scan) &&
           find(library, "parscan_sort_keys", &f->sort) &&
           find(library, "parscan_histogram", &f->histogram);
}

/* Scans N ones, sorts the sums downwards and upwards, counts their lowest bytes. */
static bool use(const functions *f, parscan_context *context, uint32_t *values)
{
    uint32_t counts[256];
    const parscan_sort_options down = PARSCAN_SORT_OPTIONS(.descending = 1);
    for (size_t i = 0; i < N; i++)
        values[i] = 1;
    if (f->scan(context, PARSCAN_U32, values, values, N, NULL) != PARSCAN_OK || values[0] != 1 ||
        f->sort(context, PARSCAN_U32, values, values, N, &down) != PARSCAN_OK || values[0] != N ||
        f->sort(context, PARSCAN_U32, values, values, N, NULL) != PARSCAN_OK ||
        f->histogram(context, PARSCAN_U8, values, N * 4, 256, PARSCAN_U32, counts, NULL) !=
            PARSCAN_OK)
        return false;
    for (size_t i = 0; i < N; i++)
        if (values[i] != i + 1)
            return false;
    size_t all = 0;
    for (size_t k = 0; k < 256; k++)
        all += counts[k];
    return all == (size_t)N * 4;
}

static int use_library(const char *path, uint32_t *values)
{
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    functions f;
    if (library == NULL || !find_all(library, &f))
        return fail(dlerror());
    parscan_context *contexts[2];
    for (unsigned k = 0; k < 2; k++) {
        const parscan_context_options options =
            PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU, .threads = 4 - 2 * k);
        if (f.create(&contexts[k], &options) != PARSCAN_OK || !use(&f, contexts[k], values))
            return fail("a wrong result");
    }
    for (unsigned k = 0; k < 2; k++)
        f.destroy(contexts[k]);
    return dlclose(library) == 0 ? 0 : fail(dlerror());
}

static int use_plugin(const char *path)
{
    void *const plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const char *(*run)(void);
    if (plugin == NULL || !find(plugin, "unload_plugin_run", &run))
        return fail(dlerror());
    const char *const wrong = run();
    if (wrong != NULL)
        return fail(wrong);
    return dlclose(plugin) == 0 ? 0 : fail(dlerror());
}

int main(int argc, char **argv)
{
    uint32_t *const values = malloc(N * sizeof *values);
    if (argc != 3 || values == NULL)
        return fail("arguments: LIBRARY PLUGIN");
    if (is_loaded())
        return fail("libparscan is here before it was loaded");
    const int before = threads();
    int status = 0;
    for (int again = 0; again < TIMES && status == 0; again++) {
        status = again % 2 == 0 ? use_library(argv[1], values) : use_plugin(argv[2]);
        if (status == 0 && is_loaded())
            status = fail("libparscan is still here after dlclose()");
        if (status == 0 && !threads_become(before))
            status = fail("threads are left");
    }
    free(values);
    return status;
}
