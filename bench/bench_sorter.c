/*
 * bench_sorter: a sorter with less memory than its elements take, beside parscan_sort_keys() on the whole
 * array and beside coreutils' sort on the same numbers. A call pushes 2^log2n keys in pieces and pulls
 * them in pieces. Runs are in the folder that PARSCAN_BENCH_FOLDER names in the environment, else in /tmp. coreutils' sort gets the memory of the smallest sorter, and reads and
 * writes a text file, one number in each line.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

enum { PIECE = 1 << 20, LEAST_LIMIT = 16 << 20, WORDS = 512, MAX_TEXT_LOG2N = 24 };

/* What all cases of a group share. */
typedef struct input {
    parscan_context *engine;
    parscan_type type;
    size_t n, bytes;
    char *in, *out, *sorted;
    const char *folder;
} input;

typedef struct sorter_case {
    const input *data;
    size_t memory_limit;
    char name[32];
} sorter_case;

typedef struct program_case {
    const input *data;
    char run[WORDS], check[WORDS];
} program_case;

static void run_in_memory(void *context)
{
    const input *const data = context;
    bench_must(parscan_sort_keys(data->engine, data->type, data->in, data->out, data->n, NULL),
               data->engine);
}

static bool is_sorted(const input *data)
{
    return memcmp(data->out, data->sorted, data->bytes) == 0;
}

static bool verify_in_memory(void *context)
{
    run_in_memory(context);
    return is_sorted(context);
}

static void run_sorter(void *context)
{
    const sorter_case *const c = context;
    const input *const data = c->data;
    const size_t size = parscan_type_size(data->type);
    const parscan_sorter_options options =
        PARSCAN_SORTER_OPTIONS(.key_type = data->type, .folder_count = 1, .folders = &data->folder,
                               .memory_limit = c->memory_limit);
    parscan_sorter *sorter;
    bench_must(parscan_sorter_create(&sorter, data->engine, &options), data->engine);
    for (size_t i = 0, n; i < data->n; i += n) {
        n = data->n - i < PIECE ? data->n - i : PIECE;
        bench_must(parscan_sorter_push(sorter, data->in + i * size, NULL, n), data->engine);
    }
    for (size_t i = 0, got; i < data->n; i += got) {
        const size_t n = data->n - i < PIECE ? data->n - i : PIECE;
        bench_must(parscan_sorter_pull(sorter, data->out + i * size, NULL, n, &got), data->engine);
    }
    parscan_sorter_destroy(sorter);
}

static bool verify_sorter(void *context)
{
    const sorter_case *const c = context;
    memset(c->data->out, 0, c->data->bytes);
    run_sorter(context);
    return is_sorted(c->data);
}

static void run_program(void *context)
{
    const program_case *const c = context;
    if (system(c->run) != 0) {
        fprintf(stderr, "bench_sorter: %s\n", c->run);
        exit(EXIT_FAILURE);
    }
}

static bool verify_program(void *context)
{
    const program_case *const c = context;
    return system(c->run) == 0 && system(c->check) == 0;
}

static void fill(input *data, const char *pattern, uint64_t seed)
{
    const size_t size = parscan_type_size(data->type);
    for (size_t i = 0; i < data->n; i++) {
        const uint64_t key = bench_random(&seed);
        memcpy(data->in + i * size, &key, size);
    }
    bench_must(parscan_sort_keys(data->engine, data->type, data->in, data->sorted, data->n, NULL),
               data->engine);
    if (strcmp(pattern, "sorted") == 0)
        memcpy(data->in, data->sorted, data->bytes);
}

static void write_text(const input *data, const char *path)
{
    FILE *const file = fopen(path, "w");
    const size_t size = parscan_type_size(data->type);
    bool written = file != NULL;
    for (size_t i = 0; written && i < data->n; i++) {
        uint64_t key = 0;
        memcpy(&key, data->in + i * size, size);
        written = fprintf(file, "%" PRIu64 "\n", key) > 0;
    }
    if (!written || fclose(file) != 0) {
        fprintf(stderr, "bench_sorter: %s cannot be written\n", path);
        exit(EXIT_FAILURE);
    }
}

static void add_coreutils(bench_group *group, program_case *c, unsigned threads, size_t limit,
                          const char *text)
{
    const bool wanted =
        group->log2n <= MAX_TEXT_LOG2N && system("sort --version >/dev/null 2>&1") == 0;
    if (wanted)
        write_text(c->data, text);
    snprintf(c->run, WORDS, "LC_ALL=C sort -n -S %zuk --parallel=%u -T %s -o %s.out %s",
             limit >> 10, threads, c->data->folder, text, text);
    snprintf(c->check, WORDS, "LC_ALL=C sort -n -c %s.out", text);
    bench_add(group, (bench_case){.name = "coreutils-text",
                                  .run = wanted ? run_program : NULL,
                                  .verify = verify_program,
                                  .context = c,
                                  .bytes = 2.0 * (double)c->data->bytes,
                                  .role = BENCH_PEER,
                                  .pool = BENCH_POOL_PROCESS});
}

/* Limits of twice the elements' bytes down to an eighth, as far as a sorter takes them. */
static bool measure(const bench_options *options, input *data, const char *pattern, unsigned log2n,
                    unsigned threads, const char *text)
{
    static const struct {
        const char *name;
        unsigned times, of;
    } limits[] = {{"limit-2", 2, 1},
                  {"limit-1", 1, 1},
                  {"limit-1/2", 1, 2},
                  {"limit-1/4", 1, 4},
                  {"limit-1/8", 1, 8}};
    enum { LIMITS = sizeof limits / sizeof *limits };
    sorter_case cases[LIMITS];
    program_case program = {.data = data};
    bench_group *const group =
        bench_new_group(options, "sorter", parscan_type_name(data->type), pattern, log2n, threads);
    bench_add(group, (bench_case){.name = "in-memory",
                                  .run = run_in_memory,
                                  .verify = verify_in_memory,
                                  .context = data,
                                  .bytes = 2.0 * (double)data->bytes,
                                  .role = BENCH_REFERENCE,
                                  .pool = BENCH_POOL_PARSCAN});
    size_t least = LEAST_LIMIT;
    for (size_t k = 0; k < LIMITS; k++) {
        const size_t limit = data->bytes / limits[k].of * limits[k].times;
        if (k > 0 && limit < LEAST_LIMIT)
            break;
        least = limit < LEAST_LIMIT ? (size_t)LEAST_LIMIT : limit;
        cases[k] = (sorter_case){.data = data, .memory_limit = least};
        bench_add(group, (bench_case){.name = limits[k].name,
                                      .run = run_sorter,
                                      .verify = verify_sorter,
                                      .context = &cases[k],
                                      .bytes = 2.0 * (double)data->bytes,
                                      .role = BENCH_PARSCAN,
                                      .pool = BENCH_POOL_PARSCAN});
    }
    add_coreutils(group, &program, threads, least, text);
    const bool right = bench_measure(group);
    free(group);
    return right;
}

static bool measure_size(const bench_options *options, parscan_type type, const char *pattern,
                         unsigned log2n, const char *folder, const char *text)
{
    bool right = true;
    for (size_t k = 0; k < options->thread_counts; k++) {
        input data = {.engine = bench_engine(options->threads[k]),
                      .type = type,
                      .n = (size_t)1 << log2n,
                      .bytes = parscan_type_size(type) << log2n,
                      .folder = folder};
        data.in = bench_memory(data.bytes, 0, options->huge_pages);
        data.out = bench_memory(data.bytes, 1024, options->huge_pages);
        data.sorted = bench_memory(data.bytes, 2048, options->huge_pages);
        fill(&data, pattern, options->seed);
        right &= measure(options, &data, pattern, log2n, options->threads[k], text);
        bench_release(data.in);
        bench_release(data.out);
        bench_release(data.sorted);
        parscan_context_destroy(data.engine);
    }
    return right;
}

int main(int argc, char **argv)
{
    static const parscan_type types[] = {PARSCAN_U32, PARSCAN_U64};
    static const char *const patterns[] = {"uniform", "sorted"};
    char folder[64] = "/tmp/parscan-bench-XXXXXX", text[96], out[96];
    const char *const given = getenv("PARSCAN_BENCH_FOLDER");
    bench_options options = bench_defaults();
    bench_parse(&options, argc, argv);
    if (mkdtemp(folder) == NULL) {
        fprintf(stderr, "bench_sorter: no folder in /tmp\n");
        return EXIT_FAILURE;
    }
    snprintf(text, sizeof text, "%s/text", folder);
    snprintf(out, sizeof out, "%s/text.out", folder);
    bench_write_head("bench_sorter", &options, NULL);
    bool right = true;
    for (size_t t = 0; t < 2; t++)
        for (size_t p = 0; p < 2; p++) {
            if (!bench_type_wanted(&options, types[t]) ||
                !bench_wanted(&options, "sorter", parscan_type_name(types[t]), patterns[p]))
                continue;
            for (unsigned log2n = options.min_log2n; log2n <= options.max_log2n;
                 log2n += options.step)
                right &= measure_size(&options, types[t], patterns[p], log2n,
                                      given != NULL ? given : folder, text);
        }
    unlink(text);
    unlink(out);
    rmdir(folder);
    return bench_finish(&options, right);
}
