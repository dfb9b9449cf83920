/*
 * main() of the tests that Criterion runs. Criterion's own exits with 0 when tests were skipped;
 * here a program all of whose tests were skipped exits with SKIPPED_STATUS, so that ctest need not
 * search the output for words that a failing program may print too.
 */
#include <criterion/criterion.h>
#include <criterion/hooks.h>
#include <criterion/stats.h>
#include <stdlib.h>

#include "tests/support/missing_engine.h"

static size_t ended_well, skipped, ended_badly;

ReportHook(POST_ALL)(struct criterion_global_stats *stats)
{
    ended_well = stats->tests_passed;
    skipped = stats->tests_skipped;
    ended_badly = stats->tests_failed + stats->tests_crashed + stats->errors;
}

#ifdef PARSCAN_TEST_NO_GIT
int git_libgit2_init(void);
#endif

/* Criterion's worker processes look for it among the symbols that the program exports. */
__attribute__((visibility("default"))) int main(int count, char **arguments)
{
#ifdef PARSCAN_TEST_NO_GIT
    git_libgit2_init(); /* the linker keeps a library that is called: tests/support/no_git.c */
#endif
    if (engine_is_missing())
        return SKIPPED_STATUS;
    struct criterion_test_set *const tests = criterion_initialize();
    int status = EXIT_SUCCESS;
    if (criterion_handle_args(count, arguments, true) && !criterion_run_all_tests(tests))
        status = EXIT_FAILURE;
    criterion_finalize(tests);
    if (ended_badly > 0)
        status = EXIT_FAILURE;
    else if (status == EXIT_SUCCESS && skipped > 0 && ended_well == 0)
        status = SKIPPED_STATUS;
    return status;
}
