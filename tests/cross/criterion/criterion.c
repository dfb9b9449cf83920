/*
 * The plain runner: the program's main().
 *     PROGRAM [--verbose] [--filter SUITE/NAME]    as Criterion's; the pattern may hold * and ?
 * Every test's name and what it says is always shown. The exit status is 0 if every test passed or
 * was skipped, SKIPPED_STATUS if every one was skipped, 1 if any failed or there was none.
 */
#include <criterion/criterion.h>
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "tests/support/missing_engine.h"

typedef enum verdict { PASSED, FAILED, SKIPPED } verdict;

static plain_test *first, **last = &first;
static jmp_buf end_of_test;
static verdict running;

void plain_register(plain_test *test)
{
    *last = test;
    last = &test->next;
}

static void say(const char *format, va_list words)
{
    vprintf(format, words);
    putchar('\n');
    fflush(stdout);
}

static void say_failed(const char *file, int line, const char *check, const char *format,
                       va_list words)
{
    running = FAILED;
    printf("%s:%d: %s%s", file, line, check, *check != '\0' && *format != '\0' ? ": " : "");
    say(format, words);
}

void plain_fail(const char *file, int line, const char *check, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    say_failed(file, line, check, format, words);
    va_end(words);
}

void plain_fail_now(const char *file, int line, const char *check, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    say_failed(file, line, check, format, words);
    va_end(words);
    longjmp(end_of_test, 1);
}

void plain_skip(const char *format, ...)
{
    va_list words;
    va_start(words, format);
    say(format, words);
    va_end(words);
    running = SKIPPED;
    longjmp(end_of_test, 1);
}

void plain_log(const char *format, ...)
{
    va_list words;
    va_start(words, format);
    say(format, words);
    va_end(words);
}

/* The options of a test's suite: none when it has none. */
static plain_options suite_of(const plain_test *test)
{
    for (const plain_test *suite = first; suite != NULL; suite = suite->next)
        if (suite->name == NULL && strcmp(suite->suite, test->suite) == 0)
            return suite->options;
    return (plain_options){0};
}

static verdict run(const plain_test *test)
{
    const plain_options own = test->options, suite = suite_of(test);
    if (own.disabled || suite.disabled)
        return SKIPPED;
    if (own.signal != 0 || own.exit_code != 0) {
        puts("skipped: it needs a process of its own");
        return SKIPPED;
    }
    void (*const init)(void) = own.init != NULL ? own.init : suite.init;
    void (*const fini)(void) = own.fini != NULL ? own.fini : suite.fini;
    running = PASSED;
    if (setjmp(end_of_test) == 0) {
        if (init != NULL)
            init();
        test->run();
    }
    if (fini != NULL && setjmp(end_of_test) == 0)
        fini();
    return running;
}

int main(int count, char **arguments)
{
    const char *filter = "*";
    for (int k = 1; k < count; k++) {
        if (strcmp(arguments[k], "--filter") == 0 && k + 1 < count) {
            filter = arguments[++k];
        } else if (strcmp(arguments[k], "--verbose") != 0) {
            fprintf(stderr, "usage: %s [--verbose] [--filter SUITE/NAME]\n", arguments[0]);
            return 2;
        }
    }
    if (engine_is_missing())
        return SKIPPED_STATUS;
    static const char *const words[] = {"passed", "FAILED", "[SKIP]"};
    unsigned counts[3] = {0};
    for (const plain_test *test = first; test != NULL; test = test->next) {
        char name[512];
        snprintf(name, sizeof name, "%s/%s", test->suite, test->name != NULL ? test->name : "");
        if (test->name == NULL || fnmatch(filter, name, 0) != 0)
            continue;
        /* Before it runs, so that a crash has a name. */
        printf("%s\n", name);
        fflush(stdout);
        const clock_t begin = clock();
        const verdict ended = run(test);
        counts[ended]++;
        printf("    %s, %.2f s of processor time\n", words[ended],
               (double)(clock() - begin) / CLOCKS_PER_SEC);
    }
    printf("%u passed, %u failed, %u skipped\n", counts[PASSED], counts[FAILED], counts[SKIPPED]);
    if (counts[FAILED] > 0 || counts[PASSED] + counts[SKIPPED] == 0)
        return 1;
    return counts[PASSED] > 0 ? 0 : SKIPPED_STATUS;
}
