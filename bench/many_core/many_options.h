/* The command line of the programs for many cores. */
#ifndef PARSCAN_BENCH_MANY_OPTIONS_H
#define PARSCAN_BENCH_MANY_OPTIONS_H

#include "harness.h"

typedef struct many_options {
    bench_options common; /* threads, rows, list, timings, seed, huge_pages, table */
    unsigned log2n[BENCH_MAX_LIST], spin[BENCH_MAX_LIST];
    size_t sizes, spins;
    size_t bytes; /* of the large arrays; 0: none are measured */
    bool openmp;
    const char *peer;
} many_options;

/* Reads the command line into *options, which holds the defaults; an option that is given for the
   first time replaces a default list. Ends the program on wrong usage and for --help, which prints
   `usage` with the program's name for its %s. */
void many_parse(many_options *options, int argc, char **argv, const char *usage);

#endif
