/*
 * bench_program: the program parscan beside the programs that people use: `parscan sort` beside
 * coreutils' sort -n, `parscan pack` beside pigz and gzip, on a file of 2^log2n integers, a line
 * each. A call is a process from its start to its end, reading and writing files in the system's cache.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"

enum { WORDS = 1024, MAX_LOG2N = 24 };

typedef struct files {
    char folder[64], in[96], out[96], sorted[96];
    double bytes;
} files;

/* A program, its command, and the command that says whether the output is right. */
typedef struct command {
    char run[WORDS], check[WORDS];
} command;

static void fail(const char *what)
{
    fprintf(stderr, "bench_program: %s\n", what);
    exit(EXIT_FAILURE);
}

static bool done(const char *words)
{
    return system(words) == 0;
}

static void run_command(void *context)
{
    const command *const c = context;
    if (!done(c->run))
        fail(c->run);
}

static bool verify_command(void *context)
{
    const command *const c = context;
    return done(c->run) && done(c->check);
}

static int by_value(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void write_numbers(const char *path, const uint32_t *numbers, size_t n)
{
    FILE *const file = fopen(path, "w");
    if (file == NULL)
        fail(path);
    for (size_t i = 0; i < n; i++)
        fprintf(file, "%" PRIu32 "\n", numbers[i]);
    if (fclose(file) != 0)
        fail(path);
}

static void write_files(files *f, unsigned log2n, uint64_t seed)
{
    const size_t n = (size_t)1 << log2n;
    uint32_t *const numbers = malloc(n * sizeof *numbers);
    struct stat about;
    if (numbers == NULL)
        fail("no memory");
    for (size_t i = 0; i < n; i++)
        numbers[i] = (uint32_t)bench_random(&seed);
    write_numbers(f->in, numbers, n);
    qsort(numbers, n, sizeof *numbers, by_value);
    write_numbers(f->sorted, numbers, n);
    free(numbers);
    if (stat(f->in, &about) != 0)
        fail(f->in);
    f->bytes = (double)about.st_size;
}

static bool installed(const char *program)
{
    char words[WORDS];
    snprintf(words, sizeof words, "command -v %s >/dev/null 2>&1", program);
    return done(words);
}

static void add(bench_group *group, command *c, const char *name, const char *program,
                bench_role role, double bytes)
{
    bench_add(group, (bench_case){.name = name,
                                  .run = installed(program) ? run_command : NULL,
                                  .verify = verify_command,
                                  .context = c,
                                  .bytes = bytes,
                                  .role = role,
                                  .pool = BENCH_POOL_PROCESS});
}

static void add_copy(bench_group *group, command *c, const files *f)
{
    snprintf(c->run, sizeof c->run, "cat %s >%s", f->in, f->out);
    snprintf(c->check, sizeof c->check, "cmp -s %s %s", f->in, f->out);
    add(group, c, "cat", "cat", BENCH_COPY, 2 * f->bytes);
}

static bool measure_sort(const bench_options *options, const files *f, unsigned log2n,
                         unsigned threads)
{
    bench_group *const group =
        bench_new_group(options, "program-sort", "text", "integers", log2n, threads);
    command commands[3];
    for (size_t k = 0; k < 3; k++)
        snprintf(commands[k].check, WORDS, "cmp -s %s %s", f->sorted, f->out);
    snprintf(commands[0].run, WORDS, "%s sort --quiet --threads %u -o %s %s", BENCH_PROGRAM,
             threads, f->out, f->in);
    snprintf(commands[1].run, WORDS, "LC_ALL=C sort -n --parallel=%u -o %s %s", threads, f->out,
             f->in);
    add(group, &commands[0], "parscan-sort", BENCH_PROGRAM, BENCH_PARSCAN, 2 * f->bytes);
    add(group, &commands[1], "coreutils-sort", "sort", BENCH_PEER, 2 * f->bytes);
    add_copy(group, &commands[2], f);
    const bool right = bench_measure(group);
    free(group);
    return right;
}

/* At level 6, everybody's default. */
static bool measure_gzip(const bench_options *options, const files *f, unsigned log2n,
                         unsigned threads)
{
    bench_group *const group =
        bench_new_group(options, "program-gzip", "text", "integers", log2n, threads);
    command commands[4];
    for (size_t k = 0; k < 4; k++)
        snprintf(commands[k].check, WORDS, "gzip -dc <%s | cmp -s - %s", f->out, f->in);
    snprintf(commands[0].run, WORDS, "%s pack --quiet --threads %u -o %s %s", BENCH_PROGRAM,
             threads, f->out, f->in);
    snprintf(commands[1].run, WORDS, "pigz -p %u -c %s >%s", threads, f->in, f->out);
    snprintf(commands[2].run, WORDS, "gzip -c %s >%s", f->in, f->out);
    add(group, &commands[0], "parscan-pack", BENCH_PROGRAM, BENCH_PARSCAN, f->bytes);
    add(group, &commands[1], "pigz", "pigz", BENCH_PEER, f->bytes);
    add(group, &commands[2], "gzip", "gzip", BENCH_PEER, f->bytes);
    add_copy(group, &commands[3], f);
    const bool right = bench_measure(group);
    free(group);
    return right;
}

static bool measure_all(const bench_options *options, files *f)
{
    const bool sort = bench_wanted(options, "program-sort", "text", "integers");
    const bool gzip = bench_wanted(options, "program-gzip", "text", "integers");
    const unsigned top = options->max_log2n < MAX_LOG2N ? options->max_log2n : MAX_LOG2N;
    bool right = true;
    for (unsigned log2n = options->min_log2n; (sort || gzip) && log2n <= top;
         log2n += options->step) {
        write_files(f, log2n, options->seed);
        for (size_t k = 0; k < options->thread_counts; k++) {
            right &= !sort || measure_sort(options, f, log2n, options->threads[k]);
            right &= !gzip || measure_gzip(options, f, log2n, options->threads[k]);
        }
    }
    return right;
}

int main(int argc, char **argv)
{
    files f = {.folder = "/tmp/parscan-bench-XXXXXX"};
    bench_options options = bench_defaults();
    bench_parse(&options, argc, argv);
    if (mkdtemp(f.folder) == NULL)
        fail("no folder in /tmp");
    snprintf(f.in, sizeof f.in, "%s/in", f.folder);
    snprintf(f.out, sizeof f.out, "%s/out", f.folder);
    snprintf(f.sorted, sizeof f.sorted, "%s/sorted", f.folder);
    bench_write_head("bench_program", &options, NULL);
    const bool right = measure_all(&options, &f);
    unlink(f.in);
    unlink(f.out);
    unlink(f.sorted);
    rmdir(f.folder);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
