/*
 * bench_program: the program parscan, compared with commonly used programs: `parscan sort` with
 * coreutils' sort -n, `parscan pack` with pigz and gzip (all at level 6, their default), on a file of 2^log2n
 * integers, one in each line. A call is a process from its start to its end; it reads and writes files in the
 * system's cache. What coreutils' sort writes is right.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

enum { MAX_LOG2N = 24 };

/* Commands find the files and the number of threads in the environment. */
typedef struct command {
    const char *work, *name, *program; /* program: what must be installed */
    bench_role role;
    double passes; /* over the file: its bytes that are read and written */
    const char *run, *check;
} command;

#define IS_SORTED "cmp -s $SORTED $OUT"
#define IS_PACKED "gzip -dc <$OUT | cmp -s - $IN"

static const command commands[] = {
    {"program-sort", "parscan-sort", BENCH_PROGRAM, BENCH_PARSCAN, 2,
     BENCH_PROGRAM " sort --quiet --threads $THREADS -o $OUT $IN", IS_SORTED},
    {"program-sort", "coreutils-sort", "sort", BENCH_PEER, 2,
     "LC_ALL=C sort -n --parallel=$THREADS -o $OUT $IN", IS_SORTED},
    {"program-sort", "cat", "cat", BENCH_COPY, 2, "cat $IN >$OUT", "cmp -s $IN $OUT"},
    {"program-gzip", "parscan-pack", BENCH_PROGRAM, BENCH_PARSCAN, 1,
     BENCH_PROGRAM " pack --quiet --threads $THREADS -o $OUT $IN", IS_PACKED},
    {"program-gzip", "pigz", "pigz", BENCH_PEER, 1, "pigz -p $THREADS -c $IN >$OUT", IS_PACKED},
    {"program-gzip", "gzip", "gzip", BENCH_PEER, 1, "gzip -c $IN >$OUT", IS_PACKED},
    {"program-gzip", "cat", "cat", BENCH_COPY, 2, "cat $IN >$OUT", "cmp -s $IN $OUT"},
};

static void run_command(void *context)
{
    const command *const c = context;
    bench_require(system(c->run) == 0, c->run, NULL);
}

static bool verify_command(void *context)
{
    const command *const c = context;
    return system(c->run) == 0 && system(c->check) == 0;
}

/* Returns the bytes of the file. */
static double write_file(unsigned log2n, uint64_t seed)
{
    FILE *const file = fopen(getenv("IN"), "w");
    double bytes = 0;
    bench_require(file != NULL, "no file can be written", NULL);
    for (size_t i = 0; i < (size_t)1 << log2n; i++)
        bytes += fprintf(file, "%" PRIu32 "\n", (uint32_t)bench_random(&seed));
    bench_require(fclose(file) == 0 && system("LC_ALL=C sort -n -o $SORTED $IN") == 0,
                  "no file to sort", NULL);
    return bytes;
}

static bool measure(const bench_options *options, const char *work, double bytes, unsigned log2n,
                    unsigned threads)
{
    bench_group *const group = bench_new_group(options, work, "text", "integers", log2n, threads);
    char words[512];
    snprintf(words, sizeof words, "%u", threads);
    setenv("THREADS", words, 1);
    for (size_t k = 0; k < sizeof commands / sizeof *commands; k++) {
        const command *const c = &commands[k];
        if (strcmp(c->work, work) != 0)
            continue;
        snprintf(words, sizeof words, "command -v %s >/dev/null 2>&1", c->program);
        bench_add(group, (bench_case){.name = c->name,
                                      .run = system(words) == 0 ? run_command : NULL,
                                      .verify = verify_command,
                                      .context = (void *)c,
                                      .bytes = c->passes * bytes,
                                      .role = c->role,
                                      .pool = BENCH_POOL_PROCESS});
    }
    const bool right = bench_measure(group);
    free(group);
    return right;
}

static bool measure_all(const bench_options *options)
{
    const bool sort = bench_wanted(options, "program-sort", "text", "integers");
    const bool gzip = bench_wanted(options, "program-gzip", "text", "integers");
    const unsigned top = options->max_log2n < MAX_LOG2N ? options->max_log2n : MAX_LOG2N;
    bool right = true;
    for (unsigned log2n = options->min_log2n; (sort || gzip) && log2n <= top;
         log2n += options->step) {
        const double bytes = write_file(log2n, options->seed);
        for (size_t k = 0; k < options->thread_counts; k++) {
            const unsigned threads = options->threads[k];
            right &= !sort || measure(options, "program-sort", bytes, log2n, threads);
            right &= !gzip || measure(options, "program-gzip", bytes, log2n, threads);
        }
    }
    return right;
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/parscan-bench-XXXXXX", path[64];
    static const char *const names[] = {"IN", "OUT", "SORTED"};
    bench_options options = bench_defaults();
    bench_parse(&options, argc, argv);
    bench_require(mkdtemp(folder) != NULL, "no folder in /tmp", NULL);
    for (size_t k = 0; k < 3; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[k]);
        setenv(names[k], path, 1);
    }
    bench_write_head("bench_program", &options, NULL);
    const bool right = measure_all(&options);
    for (size_t k = 0; k < 3; k++)
        unlink(getenv(names[k]));
    rmdir(folder);
    return bench_finish(&options, right);
}
