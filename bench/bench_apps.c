/*
 * bench_apps: parscan's applications beside their peers and beside copies of the same bytes. See
 * harness.h for how it measures, NOTES.md for what was learnt.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps_parts.h"

static const struct {
    const char *name;
    bool (*measure)(const bench_options *options);
} parts[] = {
    {"allocate", bench_allocate},   {"segmented", bench_segmented}, {"compact", bench_compact},
    {"histogram", bench_histogram}, {"sort", bench_apps_sort},      {NULL, NULL},
};

static bool wanted(const bench_options *options, const char *part)
{
    for (size_t k = 0; k < options->part_count; k++)
        if (strcmp(options->parts[k], part) == 0)
            return true;
    return options->part_count == 0;
}

int main(int argc, char **argv)
{
    /* LLVM's OpenMP spins 200 ms by default, longer than the harness waits before TBB's turn. */
    setenv("KMP_BLOCKTIME", "15", 0);
    bench_options options;
    bench_parse(&options, argc, argv);
    bench_write_head("bench_apps", &options);
    bool right = true;
    for (size_t k = 0; parts[k].name != NULL; k++)
        if (wanted(&options, parts[k].name))
            right &= parts[k].measure(&options);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
