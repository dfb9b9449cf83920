/* Contexts: creation, errors, threads. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/sanitizer.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

Test(context, runs_on_the_engine_asked_for)
{
    parscan_context *const context = test_context();
    cr_assert_eq(parscan_context_backend(context), test_backend());
    cr_assert_geq(parscan_context_threads(context), 1);
    cr_assert_str_eq(parscan_context_error(context), "");
    cr_assert_eq(parscan_synchronize(context), PARSCAN_OK);
    parscan_context_destroy(context);
}

Test(context, of_no_options_runs_on_some_engine)
{
    parscan_context *context = NULL;
    cr_assert_eq(parscan_context_create(&context, NULL), PARSCAN_OK);
    cr_assert_neq(parscan_context_backend(context), PARSCAN_BACKEND_AUTO);
    parscan_context_destroy(context);
}

Test(context, uses_the_number_of_threads_asked_for)
{
    for (unsigned threads = 1; threads <= 1024; threads = threads * 2 + 1) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = threads});
        cr_assert_eq(parscan_context_threads(context), threads);
        parscan_context_destroy(context);
    }
}

Test(context, may_be_told_to_use_its_own_stream)
{
    parscan_context *const context = test_context();
    cr_assert_eq(parscan_context_set_stream(context, NULL), PARSCAN_OK);
    parscan_context_destroy(context);
}

Test(context, has_a_status_word_on_a_device_alone)
{
    static const uint32_t here = 0;
    parscan_context *const context = test_context();
    const uint32_t *word = &here;
    const parscan_status status = parscan_context_status_word(context, &word);
    if (test_backend() == PARSCAN_BACKEND_CUDA) {
        cr_assert_eq(status, PARSCAN_OK);
        cr_assert_not_null(word);
        cr_assert_neq(word, &here);
    } else {
        cr_assert_eq(status, PARSCAN_ERROR_UNSUPPORTED);
        cr_assert_null(word);
        cr_assert_not_null(strstr(parscan_context_error(context), "CPU"));
    }
    cr_assert_eq(parscan_context_status_word(context, NULL), PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_str_eq(parscan_context_error(context), "word is NULL");
    word = &here;
    cr_assert_eq(parscan_context_status_word(NULL, &word), PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_null(word);
    parscan_context_destroy(context);
}

Test(context, that_is_null_is_told_from_one)
{
    cr_assert_eq(parscan_context_set_stream(NULL, NULL), PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(parscan_context_create(NULL, NULL), PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(parscan_synchronize(NULL), PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(parscan_context_backend(NULL), PARSCAN_BACKEND_AUTO);
    cr_assert_eq(parscan_context_threads(NULL), 0);
    cr_assert_gt(strlen(parscan_context_error(NULL)), 0);
    parscan_context_destroy(NULL);
}

static void *unused_allocate(size_t size, void *user)
{
    (void)size;
    (void)user;
    return NULL;
}

static void unused_release(void *pointer, void *user)
{
    (void)pointer;
    (void)user;
}

static void *unused_device_memory(size_t size, void *stream, void *user)
{
    (void)size;
    (void)stream;
    (void)user;
    return NULL;
}

static void unused_device_release(void *pointer, size_t size, void *stream, void *user)
{
    (void)pointer;
    (void)size;
    (void)stream;
    (void)user;
}

typedef struct bad_creation {
    parscan_status status;
    const char *name, *value; /* in the words, where options->error can be trusted */
    parscan_context_options options;
} bad_creation;

#define INVALID PARSCAN_ERROR_INVALID_ARGUMENT
#define OPTIONS(...) PARSCAN_CONTEXT_OPTIONS(__VA_ARGS__)

Test(context, names_the_option_that_is_bad)
{
    const parscan_device_allocator of_device =
        PARSCAN_DEVICE_ALLOCATOR(.allocate = unused_device_memory,
                                 .release = unused_device_release);
    const bad_creation creations[] = {
        {INVALID, "backend", "99", OPTIONS(.backend = (parscan_backend)99)},
        {INVALID, "backend", "-1", OPTIONS(.backend = (parscan_backend)-1)},
        {INVALID, "threads", "1025", OPTIONS(.threads = 1025)},
        {INVALID, "threads", "4294967295", OPTIONS(.threads = 4294967295u)},
        {INVALID, "allocator", "release", OPTIONS(.allocator.allocate = unused_allocate)},
        {INVALID, "allocator", "allocate", OPTIONS(.allocator.release = unused_release)},
        {INVALID, "device_allocator", "cpu",
         OPTIONS(.backend = PARSCAN_BACKEND_CPU, .device_allocator = &of_device)},
        {PARSCAN_ERROR_OUT_OF_MEMORY, "memory", "context",
         OPTIONS(.backend = PARSCAN_BACKEND_CPU,
                 .allocator = {unused_allocate, unused_release, NULL})},
    };
    for (size_t k = 0; k < COUNT_OF(creations); k++) {
        char words[256] = "";
        parscan_context_options options = creations[k].options;
        options.error = words;
        options.error_size = sizeof words;
        parscan_context *context = (parscan_context *)words;
        cr_assert_eq(parscan_context_create(&context, &options), creations[k].status, "%s = %s",
                     creations[k].name, creations[k].value);
        cr_assert_null(context);
        cr_assert(strstr(words, creations[k].name) && strstr(words, creations[k].value),
                  "\"%s\" does not name %s = %s", words, creations[k].name, creations[k].value);
    }
}

Test(context, of_an_unknown_struct_size_is_refused_and_its_error_buffer_not_trusted)
{
    enum { LEAST = 80 }; /* in parscan 0.1.0 */
    static const size_t sizes[] = {0, 1, LEAST - 1, 4097, SIZE_MAX};
    for (size_t k = 0; k < COUNT_OF(sizes); k++) {
        char words[16] = "untouched";
        const parscan_context_options options = {
            .struct_size = sizes[k], .error = words, .error_size = sizeof words};
        parscan_context *context = (parscan_context *)words;
        cr_assert_eq(parscan_context_create(&context, &options), INVALID);
        cr_assert_null(context);
        cr_assert_str_eq(words, "untouched");
    }
}

Test(context, keeps_to_the_size_of_the_error_buffer)
{
    char words[16];
    for (size_t size = 0; size < sizeof words; size++) {
        memset(words, 'x', sizeof words);
        const parscan_context_options options =
            PARSCAN_CONTEXT_OPTIONS(.threads = 5000, .error = words, .error_size = size);
        parscan_context *context;
        cr_assert_eq(parscan_context_create(&context, &options), INVALID);
        for (size_t i = size; i < sizeof words; i++)
            cr_assert_eq(words[i], 'x');
        if (size > 0)
            cr_assert_eq(strlen(words), size - 1);
    }
    const parscan_context_options without = PARSCAN_CONTEXT_OPTIONS(.threads = 5000);
    parscan_context *context;
    cr_assert_eq(parscan_context_create(&context, &without), INVALID);
}

Test(context, keeps_the_words_of_the_last_failure)
{
    parscan_context *const context = test_context();
    char in = 1, out = 1;
    cr_assert_neq(parscan_inclusive_scan(context, (parscan_type)55, &in, &out, 1, NULL),
                  PARSCAN_OK);
    cr_assert_eq(parscan_inclusive_scan(context, PARSCAN_U8, &in, &out, 1, NULL), PARSCAN_OK);
    cr_assert_not_null(strstr(parscan_context_error(context), "55"));
    cr_assert_neq(parscan_inclusive_scan(context, PARSCAN_U8, NULL, &out, 1, NULL), PARSCAN_OK);
    cr_assert_null(strstr(parscan_context_error(context), "55"));
    parscan_context_destroy(context);
}

/* A context of its own and scans of every type on it, in one thread. */
typedef struct worker {
    void *in[TYPES];
    parscan_context_options options;
    bool right;
    char words[CASE_WORDS];
} worker;

static void *scan_again_and_again(void *argument)
{
    worker *const w = argument;
    parscan_context *context = NULL;
    w->right = parscan_context_create(&context, &w->options) == PARSCAN_OK;
    for (int round = 0; round < 40 && w->right;
         round += LESS_IN_EMULATOR(LESS_UNDER_THREAD_SANITIZER(1, 8), 8))
        for (size_t k = 0; k < (size_t)TYPES * ALGORITHMS && w->right; k++) {
            const size_t t = k / ALGORITHMS;
            scan_case scan = {.kind = (scan_kind)(round % 3), .type = all_types[t]};
            scan.options.algorithm = all_algorithms[k % ALGORITHMS];
            scan.n = (size_t)(round + 1) * 997;
            w->right = scan_is_right(context, &scan, w->in[t], w->words);
        }
    parscan_context_destroy(context);
    return NULL;
}

Test(contexts, in_two_threads_are_independent)
{
    static worker workers[2];
    pthread_t threads[2];
    for (int w = 0; w < 2; w++) {
        workers[w].options = PARSCAN_CONTEXT_OPTIONS(.backend = test_backend(), .threads = 2);
        for (size_t t = 0; t < TYPES; t++)
            workers[w].in[t] = random_array(all_types[t], PARSCAN_SUM, 40 * 997);
    }
    for (int w = 0; w < 2; w++)
        cr_assert_eq(pthread_create(&threads[w], NULL, scan_again_and_again, &workers[w]), 0);
    for (int w = 0; w < 2; w++) {
        pthread_join(threads[w], NULL);
        cr_assert(workers[w].right, "%s", workers[w].words);
        for (size_t t = 0; t < TYPES; t++)
            free(workers[w].in[t]);
    }
}

Test(contexts, in_one_thread_do_not_share_errors)
{
    parscan_context *const first = test_context(), *const second = test_context();
    cr_assert_neq(parscan_inclusive_scan(first, PARSCAN_U8, NULL, NULL, 1, NULL), PARSCAN_OK);
    cr_assert_str_eq(parscan_context_error(second), "");
    cr_assert_str_neq(parscan_context_error(first), "");
    parscan_context_destroy(first);
    parscan_context_destroy(second);
}
