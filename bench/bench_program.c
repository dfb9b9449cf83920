/*
 * bench_program: the program parscan, compared with commonly used programs: `parscan sort` with
 * coreutils' sort -n, `parscan pack` with pigz and gzip, on a file of 2^log2n integers, one in each
 * line. A call is a process from its start to its end; it reads and writes files in the system's
 * cache.
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

/* A program, its command, and the command that tells whether the output is right. */
typedef struct command {
    const char *name, *program;
    bench_role role;
    double bytes;
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

/* Measures `count` commands, whose outputs must pass `check`, and copies of the file. */
static bool measure(const bench_options *options, const char *work, const files *f, unsigned log2n,
                    unsigned threads, command *commands, size_t count, const char *check)
{
    bench_group *const group = bench_new_group(options, work, "text", "integers", log2n, threads);
    command copy = {.name = "cat", .program = "cat", .role = BENCH_COPY, .bytes = 2 * f->bytes};
    snprintf(copy.run, sizeof copy.run, "cat %s >%s", f->in, f->out);
    snprintf(copy.check, sizeof copy.check, "cmp -s %s %s", f->in, f->out);
    for (size_t k = 0; k <= count; k++) {
        command *const c = k < count ? &commands[k] : &copy;
        if (k < count)
            snprintf(c->check, sizeof c->check, "%s", check);
        bench_add(group, (bench_case){.name = c->name,
                                      .run = installed(c->program) ? run_command : NULL,
                                      .verify = verify_command,
                                      .context = c,
                                      .bytes = c->bytes,
                                      .role = c->role,
                                      .pool = BENCH_POOL_PROCESS});
    }
    const bool right = bench_measure(group);
    free(group);
    return right;
}

static bool measure_sort(const bench_options *options, const files *f, unsigned log2n,
                         unsigned threads)
{
    command commands[] = {
        {.name = "parscan-sort", .program = BENCH_PROGRAM, .role = BENCH_PARSCAN},
        {.name = "coreutils-sort", .program = "sort", .role = BENCH_PEER},
    };
    char check[WORDS];
    snprintf(check, sizeof check, "cmp -s %s %s", f->sorted, f->out);
    snprintf(commands[0].run, WORDS, "%s sort --quiet --threads %u -o %s %s", BENCH_PROGRAM,
             threads, f->out, f->in);
    snprintf(commands[1].run, WORDS, "LC_ALL=C sort -n --parallel=%u -o %s %s", threads, f->out,
             f->in);
    commands[0].bytes = commands[1].bytes = 2 * f->bytes;
    return measure(options, "program-sort", f, log2n, threads, commands, 2, check);
}

/* All at level 6, which is their default. */
static bool measure_gzip(const bench_options *options, const files *f, unsigned log2n,
                         unsigned threads)
{
    command commands[] = {
        {.name = "parscan-pack", .program = BENCH_PROGRAM, .role = BENCH_PARSCAN},
        {.name = "pigz", .program = "pigz", .role = BENCH_PEER},
        {.name = "gzip", .program = "gzip", .role = BENCH_PEER},
    };
    char check[WORDS];
    snprintf(check, sizeof check, "gzip -dc <%s | cmp -s - %s", f->out, f->in);
    snprintf(commands[0].run, WORDS, "%s pack --quiet --threads %u -o %s %s", BENCH_PROGRAM,
             threads, f->out, f->in);
    snprintf(commands[1].run, WORDS, "pigz -p %u -c %s >%s", threads, f->in, f->out);
    snprintf(commands[2].run, WORDS, "gzip -c %s >%s", f->in, f->out);
    for (size_t k = 0; k < 3; k++)
        commands[k].bytes = f->bytes;
    return measure(options, "program-gzip", f, log2n, threads, commands, 3, check);
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
    return bench_finish(&options, right);
}
