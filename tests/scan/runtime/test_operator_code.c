#define _GNU_SOURCE /* memmem() */

/*
 * What compiles operators of the caller's for CUDA (scan/runtime/), without a GPU: NVRTC needs none. Skipped
 * where there is no NVRTC.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scan/runtime/custom_code.h"
#include "scan/runtime/nvrtc.h"
#include "tests/support/counting.h"
#include "tests/support/fewer_cases.h"

TestSuite(operator_code, .timeout = 240);

#define NO_NVRTC "/nonexistent/libnvrtc.so"

static const char pair_source[] = "struct pair { float low, high; };\n"
                                  "__device__ pair join(pair a, pair b, const void *state)\n"
                                  "{\n"
                                  "    pair c = {fminf(a.low, b.low), fmaxf(a.high, b.high)};\n"
                                  "    return c;\n"
                                  "}\n";
static const float pair_identity[2] = {3e38f, -3e38f};

static custom_text pair_text(void)
{
    return (custom_text){.source = pair_source,
                         .type = "pair",
                         .function = "join",
                         .size = 8,
                         .alignment = 8,
                         .identity = pair_identity,
                         .commutes = true};
}

static void nothing_is_loaded(void *library)
{
    cr_assert(false, "a library %p was freed", library);
}

static void need_nvrtc(void)
{
    nvrtc_library nvrtc;
    const char *const wrong = parscan_nvrtc_open(&nvrtc, 0, NULL);
    if (wrong != NULL)
        cr_skip_test("%s\n", wrong);
    parscan_nvrtc_close(&nvrtc);
}

/* An operator's code, and what the last call has told of it. */
typedef struct bench {
    counting counted;
    custom_code *code;
    code_key key;
    const void *bytes;
    size_t size;
    char words[512];
} bench;

/* The allocation `fails_at` fails: then there may be no code. */
static parscan_status bench_begin(bench *b, custom_text text, const char *folder, double seconds,
                                  size_t fails_at)
{
    memset(b, 0, sizeof *b);
    b->counted = counting_begin(fails_at);
    const parscan_allocator allocator = counting_options(&b->counted).allocator;
    return parscan_custom_code_create(&b->code, &text, folder, seconds, &allocator,
                                      nothing_is_loaded);
}

static void bench_create(bench *b, custom_text text, const char *folder)
{
    cr_assert_eq(bench_begin(b, text, folder, 0, NEVER), PARSCAN_OK);
}

static void bench_destroy(bench *b)
{
    parscan_custom_code_release(b->code);
    counting_end(&b->counted);
}

/* The code of a program; nvrtc: the library's name, NULL: the machine's. */
static parscan_status get_kind(bench *b, custom_program_kind kind, const char *nvrtc)
{
    const custom_request request = {
        .program = {.kind = kind,
                    .architecture = 90,
                    .algorithm = kind == CUSTOM_BLOCKS ? PARSCAN_BRENT_KUNG : PARSCAN_AUTO,
                    .vectors = kind == CUSTOM_SCAN,
                    .aligned = kind == CUSTOM_SCAN},
        .nvrtc = nvrtc};
    parscan_custom_code_lock(b->code);
    const parscan_status status = parscan_custom_code_get(b->code, &request, &b->key, &b->bytes,
                                                          &b->size, b->words, sizeof b->words);
    parscan_custom_code_unlock(b->code);
    return status;
}

/* The program that compiles in the least time. */
static parscan_status get(bench *b, const char *nvrtc)
{
    return get_kind(b, CUSTOM_SEQUENTIAL, nvrtc);
}

static bool has_words(const void *bytes, size_t size, const char *words)
{
    return memmem(bytes, size, words, strlen(words)) != NULL;
}

static void expect_code(const bench *b, const char *kernel)
{
    cr_assert(has_words(b->bytes, b->size, "ELF"), "no code of a device");
    cr_assert(has_words(b->bytes, b->size, kernel), "there is no kernel %s", kernel);
}

Test(operator_code, each_kind_of_program_compiles)
{
    bench b;
    need_nvrtc();
    bench_create(&b, pair_text(), NULL);
    for (int kind = CUSTOM_SCAN; kind <= CUSTOM_SEQUENTIAL; kind++) {
        cr_assert_eq(get_kind(&b, (custom_program_kind)kind, NULL), PARSCAN_OK, "%s: %s", b.words,
                     parscan_custom_code_log(b.code));
        expect_code(&b, "parscan_custom");
        cr_assert_str_eq(parscan_custom_code_log(b.code), "",
                         "the compiler warns of the library's text");
    }
    cr_assert_eq(get_kind(&b, CUSTOM_BLOCKS, NO_NVRTC), PARSCAN_OK, "compiled again");
    expect_code(&b, "parscan_custom_scan_sums");
    bench_destroy(&b);
}

Test(operator_code, elements_of_any_size_state_and_maps_compile)
{
    static const size_t sizes[] = {1, 3, 16, 24, 64};
    need_nvrtc();
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int with_maps = 0; with_maps < 2; with_maps++) {
            char source[512];
            bench b;
            snprintf(source, sizeof source,
                     "struct all { unsigned char of[%zu]; };\n"
                     "__device__ all later(all a, all b, const void *state)\n"
                     "{ b.of[0] += a.of[0] + ((const int *)state)[2]; return b; }\n",
                     sizes[k]);
            custom_text text = {.source = source,
                                .type = "all",
                                .function = "later",
                                .size = sizes[k],
                                .alignment = sizes[k] % 8 == 0 ? 8 : 1,
                                .state = pair_source,
                                .state_size = 13};
            if (with_maps) {
                text.load = "make";
                text.load_source = "__device__ all make(const void *in, size_t i, const void *)\n"
                                   "{ all x = {}; x.of[0] = ((const uint8_t *)in)[i]; return x; }";
                text.store = "put";
                text.store_source = "__device__ void put(all x, void *out, size_t i, const void *)"
                                    "{ ((uint8_t *)out)[i] = x.of[0]; }";
            }
            bench_create(&b, text, NULL);
            cr_assert_eq(get(&b, NULL), PARSCAN_OK, "%zu bytes: %s", sizes[k],
                         parscan_custom_code_log(b.code));
            expect_code(&b, "parscan_custom");
            bench_destroy(&b);
        }
}

/* A predicate's function has one element; bool and int are both flags. */
/* A function that answers by an int or a bool, of elements of so many bytes and a state. */
static void create_with_answer(bench *b, const char *declared, const char *answer,
                               const char *function, size_t size, bool is_int)
{
    char source[512];
    snprintf(source, sizeof source,
             "struct all { unsigned char of[%zu]; };\n"
             "__device__ %s %s\n"
             "{ return %s; }\n",
             size, is_int ? "int" : "bool", declared, answer);
    const custom_text text = {.source = source,
                              .type = "all",
                              .function = function,
                              .size = size,
                              .alignment = size % 8 == 0 ? 8 : 1,
                              .state = pair_source,
                              .state_size = 13};
    bench_create(b, text, NULL);
}

Test(operator_code, predicates_compile)
{
    static const size_t sizes[] = {1, 3, 8, 16, 64};
    need_nvrtc();
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        bench b;
        create_with_answer(&b, "kept(all x, const void *state)",
                           "x.of[0] < ((const int *)state)[1]", "kept", sizes[k], k % 2 != 0);
        cr_assert_eq(get_kind(&b, CUSTOM_TEST, NULL), PARSCAN_OK, "%zu bytes: %s", sizes[k],
                     parscan_custom_code_log(b.code));
        expect_code(&b, "parscan_custom");
        cr_assert_str_eq(parscan_custom_code_log(b.code), "");
        bench_destroy(&b);
    }
}

/* An order's and an equality's function has two elements: of every number of elements a thread. */
Test(operator_code, relations_compile)
{
    static const size_t sizes[] = {1, 8, 24, 64};
    need_nvrtc();
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        bench b;
        if (!takes_larger_case())
            continue;
        create_with_answer(&b, "before(all a, all b, const void *state)",
                           "a.of[0] + ((const int *)state)[1] < b.of[0]", "before", sizes[k],
                           k % 2 != 0);
        for (int kind = CUSTOM_HEADS; kind <= CUSTOM_SORT; kind++) {
            cr_assert_eq(get_kind(&b, (custom_program_kind)kind, NULL), PARSCAN_OK, "%zu bytes: %s",
                         sizes[k], parscan_custom_code_log(b.code));
            expect_code(&b, "parscan_custom");
            cr_assert_str_eq(parscan_custom_code_log(b.code), "");
        }
        expect_code(&b, "parscan_custom_merge_runs");
        bench_destroy(&b);
    }
}

/* Segmented scans and reductions, and reproducible ones, of every kind of element. */
Test(operator_code, segments_and_the_tree_compile)
{
    static const size_t sizes[] = {1, 24};
    need_nvrtc();
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        char source[512];
        bench b;
        snprintf(source, sizeof source,
                 "struct all { unsigned char of[%zu]; };\n"
                 "__device__ all later(all a, all b, const void *)\n"
                 "{ b.of[0] += a.of[0]; return b; }\n",
                 sizes[k]);
        const custom_text text = {.source = source,
                                  .type = "all",
                                  .function = "later",
                                  .size = sizes[k],
                                  .alignment = sizes[k] % 16 == 0 ? 16 : 1,
                                  .identity = k % 2 == 0 ? pair_source : NULL};
        bench_create(&b, text, NULL);
        for (int kind = CUSTOM_SEGMENTED_SCAN; kind <= CUSTOM_TREE; kind++) {
            if (!takes_larger_case())
                continue;
            cr_assert_eq(get_kind(&b, (custom_program_kind)kind, NULL), PARSCAN_OK, "%zu bytes: %s",
                         sizes[k], parscan_custom_code_log(b.code));
            expect_code(&b, "parscan_custom");
            cr_assert_str_eq(parscan_custom_code_log(b.code), "");
        }
        bench_destroy(&b);
    }
}

/* The words of the compiler's come back whole, with the lines of the caller's text, and the next call is
   right. */
static void expect_wrong(custom_text text, const char *line, const char *words)
{
    bench b;
    bench_create(&b, text, NULL);
    cr_assert_eq(get(&b, NULL), PARSCAN_ERROR_INVALID_ARGUMENT, "%s", b.words);
    const char *const log = parscan_custom_code_log(b.code);
    cr_assert_not_null(strstr(log, line), "no \"%s\" in: %s", line, log);
    cr_assert_not_null(strstr(log, words), "no \"%s\" in: %s", words, log);
    cr_assert_not_null(strstr(b.words, "does not compile"), "%s", b.words);
    cr_assert_not_null(strstr(b.words, "error"), "%s", b.words);
    bench_destroy(&b);
    bench_create(&b, pair_text(), NULL);
    cr_assert_eq(get(&b, NULL), PARSCAN_OK, "%s", b.words);
    bench_destroy(&b);
}

Test(operator_code, a_wrong_text_is_told_with_its_line)
{
    custom_text text = pair_text();
    need_nvrtc();
    text.source = "struct pair { float low, high; };\n\n"
                  "__device__ pair join(pair a, pair b, const void *state)\n"
                  "{ return a + ; }\n";
    expect_wrong(text, "operator(4)", "expected an expression");
    text.source = "#include <vector>\n";
    expect_wrong(text, "operator(1)", "vector");
    text.source = pair_source;
    text.load = "make";
    text.load_source = "\n__device__ pair make(const void *in, size_t i, const void *state)\n"
                       "{ return nothing; }\n";
    expect_wrong(text, "load(3)", "nothing");
}

Test(operator_code, a_wrong_type_or_name_is_told)
{
    custom_text text = pair_text();
    need_nvrtc();
    text.size = 16;
    text.identity = NULL;
    expect_wrong(text, "error", "element_size is not the size of cuda_type");
    text = pair_text();
    text.alignment = 2;
    expect_wrong(text, "error", "alignment is less than that of cuda_type");
    text = pair_text();
    text.type = "other";
    expect_wrong(text, "error", "other");
    text = pair_text();
    text.function = "other";
    expect_wrong(text, "error", "other");
    text = pair_text();
    text.source = "struct pair { float low, high; };\n"
                  "__device__ int *join(pair a, pair b, const void *state) { return 0; }\n";
    expect_wrong(text, "error", "int *");
}

Test(operator_code, a_text_of_a_megabyte)
{
    enum { SIZE = 1 << 20 };
    char *const source = malloc(SIZE + sizeof pair_source + 8);
    custom_text text = pair_text();
    bench b;
    need_nvrtc();
    text.source = source;
    memset(source, '(', SIZE);
    source[SIZE] = '\0';
    expect_wrong(text, "operator(", "error");
    memset(source, ' ', SIZE);
    memcpy(source, "//", 2);
    source[SIZE / 2] = '\n';
    memcpy(source + SIZE, pair_source, sizeof pair_source);
    bench_create(&b, text, NULL);
    cr_assert_eq(get(&b, NULL), PARSCAN_OK, "%s", b.words);
    bench_destroy(&b);
    free(source);
}

/* Needs no NVRTC. */
Test(operator_code, without_nvrtc_it_is_told)
{
    bench b;
    bench_create(&b, pair_text(), NULL);
    cr_assert_eq(get(&b, NO_NVRTC), PARSCAN_ERROR_UNSUPPORTED);
    cr_assert_not_null(strstr(b.words, "there is no NVRTC"), "%s", b.words);
    bench_destroy(&b);
}

Test(operator_code, a_compilation_can_be_ended)
{
    nvrtc_library nvrtc;
    bench b;
    need_nvrtc();
    cr_assert_null(parscan_nvrtc_open(&nvrtc, 0, NULL));
    const bool can_end = nvrtc.set_flow_callback != NULL;
    parscan_nvrtc_close(&nvrtc);
    if (!can_end)
        cr_skip_test("this NVRTC cannot be ended\n");
    cr_assert_eq(bench_begin(&b, pair_text(), NULL, 1e-6, NEVER), PARSCAN_OK);
    cr_assert_eq(get_kind(&b, CUSTOM_SCAN, NULL), PARSCAN_ERROR_UNSUPPORTED, "%s", b.words);
    cr_assert_not_null(strstr(b.words, "compile_seconds"), "%s", b.words);
    bench_destroy(&b);
}

/* The blob of an operator of which two programs are compiled; to be freed. */
static char *make_blob(size_t *size)
{
    size_t least;
    bench b;
    bench_create(&b, pair_text(), NULL);
    cr_assert_eq(get(&b, NULL), PARSCAN_OK, "%s", b.words);
    cr_assert_eq(get_kind(&b, CUSTOM_REDUCE, NULL), PARSCAN_OK, "%s", b.words);
    cr_assert_eq(parscan_custom_code_save(b.code, NULL, 0, size), PARSCAN_ERROR_CAPACITY);
    char *const blob = malloc(*size + 1);
    blob[*size] = 77;
    cr_assert_eq(parscan_custom_code_save(b.code, blob, *size - 1, &least), PARSCAN_ERROR_CAPACITY);
    cr_assert_eq(least, *size);
    cr_assert_eq(parscan_custom_code_save(b.code, blob, *size, &least), PARSCAN_OK);
    cr_assert_eq(blob[*size], 77, "written past the end");
    bench_destroy(&b);
    return blob;
}

Test(operator_code, a_blob_takes_the_place_of_nvrtc)
{
    const char *words;
    size_t size;
    bench b;
    need_nvrtc();
    char *const blob = make_blob(&size);
    bench_create(&b, pair_text(), NULL);
    cr_assert_eq(get(&b, NO_NVRTC), PARSCAN_ERROR_UNSUPPORTED);
    cr_assert_eq(parscan_custom_code_load(b.code, blob, size, &words), PARSCAN_OK, "%s", words);
    cr_assert_eq(parscan_custom_code_load(b.code, blob, size, &words), PARSCAN_OK, "%s", words);
    cr_assert_eq(get(&b, NO_NVRTC), PARSCAN_OK, "%s", b.words);
    expect_code(&b, "parscan_custom");
    cr_assert_eq(get_kind(&b, CUSTOM_REDUCE, NO_NVRTC), PARSCAN_OK, "%s", b.words);
    cr_assert_eq(get_kind(&b, CUSTOM_SCAN, NO_NVRTC), PARSCAN_ERROR_UNSUPPORTED);
    bench_destroy(&b);
    free(blob);
}

static void expect_refused(custom_text text, const char *blob, size_t size, const char *told)
{
    const char *words = "";
    bench b;
    bench_create(&b, text, NULL);
    cr_assert_eq(parscan_custom_code_load(b.code, blob, size, &words),
                 PARSCAN_ERROR_INVALID_ARGUMENT, "%zu bytes", size);
    cr_assert_not_null(strstr(words, told), "%s, not %s", words, told);
    cr_assert_eq(get(&b, NO_NVRTC), PARSCAN_ERROR_UNSUPPORTED, "something of it was taken");
    bench_destroy(&b);
}

Test(operator_code, a_blob_that_does_not_fit_is_refused)
{
    custom_text other = pair_text();
    size_t size;
    need_nvrtc();
    char *const blob = make_blob(&size);
    other.commutes = false;
    expect_refused(other, blob, size, "of another operator");
    other = pair_text();
    other.state = blob;
    other.state_size = 8;
    expect_refused(other, blob, size, "of another operator");
    for (size_t at = 0; at < size; at += at < 200 ? 7 : 997) {
        blob[at] ^= 16;
        expect_refused(pair_text(), blob, size, at < 8 ? "none of" : "damaged");
        blob[at] ^= 16;
    }
    for (size_t length = 0; length < size; length += length < 200 ? 13 : 2003)
        expect_refused(pair_text(), blob, length, length < 40 ? "short" : "damaged");
    free(blob);
}

/* A folder of the test's own, which is empty. */
static void make_folder(char path[64])
{
    snprintf(path, 64, "/tmp/parscan-code-XXXXXX");
    cr_assert_not_null(mkdtemp(path));
}

/* The number of its files; the path of one of them. */
static unsigned files_of(const char *folder, char path[512])
{
    unsigned count = 0;
    DIR *const all = opendir(folder);
    cr_assert_not_null(all);
    for (const struct dirent *entry; (entry = readdir(all)) != NULL;)
        if (entry->d_name[0] != '.') {
            snprintf(path, 512, "%s/%s", folder, entry->d_name);
            count++;
        }
    closedir(all);
    return count;
}

static void remove_folder(const char *folder)
{
    char path[512];
    while (files_of(folder, path) > 0)
        cr_assert_eq(unlink(path), 0);
    cr_assert_eq(rmdir(folder), 0);
}

/* What a new operator finds in the folder; nvrtc as in get(). */
static parscan_status get_from(const char *folder, const char *nvrtc)
{
    bench b;
    bench_create(&b, pair_text(), folder);
    const parscan_status status = get(&b, nvrtc);
    if (status == PARSCAN_OK)
        expect_code(&b, "parscan_custom");
    bench_destroy(&b);
    return status;
}

Test(operator_code, a_folder_keeps_code)
{
    char folder[64], path[512];
    need_nvrtc();
    make_folder(folder);
    cr_assert_eq(get_from(folder, NO_NVRTC), PARSCAN_ERROR_UNSUPPORTED);
    cr_assert_eq(get_from(folder, NULL), PARSCAN_OK);
    cr_assert_eq(files_of(folder, path), 1);
    cr_assert_eq(get_from(folder, NO_NVRTC), PARSCAN_OK);
    remove_folder(folder);
    cr_assert_eq(get_from(folder, NULL), PARSCAN_OK, "a folder that is not there");
}

Test(operator_code, a_file_that_is_not_whole_is_compiled_anew)
{
    char folder[64], path[512];
    struct stat whole, again;
    need_nvrtc();
    make_folder(folder);
    cr_assert_eq(get_from(folder, NULL), PARSCAN_OK);
    cr_assert_eq(files_of(folder, path), 1);
    cr_assert_eq(stat(path, &whole), 0);
    const off_t lengths[] = {0, 5, 40, whole.st_size / 2, whole.st_size - 1, whole.st_size + 1};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        cr_assert_eq(truncate(path, lengths[k]), 0);
        cr_assert_eq(get_from(folder, NO_NVRTC), PARSCAN_ERROR_UNSUPPORTED, "%ld bytes",
                     (long)lengths[k]);
        cr_assert_eq(get_from(folder, NULL), PARSCAN_OK);
        cr_assert_eq(get_from(folder, NO_NVRTC), PARSCAN_OK, "it was not written again");
        cr_assert(stat(path, &again) == 0 && again.st_size == whole.st_size);
    }
    for (off_t at = 0; at < whole.st_size; at += at < 48 ? 5 : 1999) {
        const int file = open(path, O_RDWR);
        char byte;
        cr_assert(pread(file, &byte, 1, at) == 1);
        byte ^= 1;
        cr_assert(pwrite(file, &byte, 1, at) == 1);
        cr_assert_eq(get_from(folder, NO_NVRTC), PARSCAN_ERROR_UNSUPPORTED, "byte %ld", (long)at);
        byte ^= 1;
        cr_assert(pwrite(file, &byte, 1, at) == 1);
        close(file);
    }
    cr_assert_eq(get_from(folder, NO_NVRTC), PARSCAN_OK);
    remove_folder(folder);
}

/* Each finds a whole file or none, and one is left. */
Test(operator_code, processes_share_a_folder)
{
    enum { PROCESSES = 4, TURNS = 3 };
    char folder[64], path[512];
    pid_t all[PROCESSES];
    need_nvrtc();
    make_folder(folder);
    for (int turn = 0; turn < TURNS; turn++) {
        for (int k = 0; k < PROCESSES; k++) {
            all[k] = fork();
            cr_assert_geq(all[k], 0);
            if (all[k] == 0)
                _exit(get_from(folder, NULL) == PARSCAN_OK ? 0 : 1);
        }
        for (int k = 0; k < PROCESSES; k++) {
            int status;
            cr_assert_eq(waitpid(all[k], &status, 0), all[k]);
            cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "process %d failed", k);
        }
        cr_assert_eq(files_of(folder, path), 1, "files were left beside");
        cr_assert_eq(get_from(folder, NO_NVRTC), PARSCAN_OK);
        cr_assert_eq(truncate(path, turn * 100), 0);
    }
    remove_folder(folder);
}

/* Each allocation fails once; then all is given back, and the call after it is right. */
Test(operator_code, allocations_fail)
{
    char folder[64];
    size_t fails_at = 0, saved;
    bench b;
    need_nvrtc();
    make_folder(folder);
    for (bool failed = true; failed; fails_at++) {
        parscan_status status = bench_begin(&b, pair_text(), folder, 0, fails_at);
        if (status == PARSCAN_OK)
            status = get(&b, NULL);
        failed = b.counted.calls > fails_at;
        cr_assert(status == PARSCAN_OK || (failed && status == PARSCAN_ERROR_OUT_OF_MEMORY),
                  "allocation %zu: status %d, %s", fails_at, status, b.words);
        if (b.code != NULL && failed) {
            cr_assert_eq(get(&b, NULL), PARSCAN_OK, "allocation %zu: %s", fails_at, b.words);
            cr_assert_eq(parscan_custom_code_save(b.code, NULL, 0, &saved), PARSCAN_ERROR_CAPACITY);
        }
        bench_destroy(&b);
        char path[512];
        if (fails_at % 2 == 0 && files_of(folder, path) > 0)
            unlink(path);
    }
    cr_assert_gt(fails_at, 6, "allocations are not counted");
    remove_folder(folder);
}

Test(operator_code, allocations_of_a_blob_fail)
{
    const char *words;
    size_t size;
    bench b;
    need_nvrtc();
    char *const blob = make_blob(&size);
    bool failed = true;
    for (size_t fails_at = 2; failed; fails_at++) {
        cr_assert_eq(bench_begin(&b, pair_text(), NULL, 0, fails_at), PARSCAN_OK);
        const parscan_status status = parscan_custom_code_load(b.code, blob, size, &words);
        failed = b.counted.calls > fails_at;
        cr_assert_eq(status, failed ? PARSCAN_ERROR_OUT_OF_MEMORY : PARSCAN_OK, "%zu: %s", fails_at,
                     words);
        bench_destroy(&b);
    }
    free(blob);
}
