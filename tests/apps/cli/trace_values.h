/* What the tests of parscan trace have in common. */
#ifndef PARSCAN_TESTS_TRACE_VALUES_H
#define PARSCAN_TESTS_TRACE_VALUES_H

#include <string.h>

#include <criterion/criterion.h>

#include "tests/apps/cli/run_program.h"

#define TEXTBOOK_VALUES "4", "6", "7", "1", "2", "8", "5", "2"
#define FOUR_BLOCKS "2", "1", "3", "1", "0", "4", "1", "2", "0", "3", "1", "2", "5", "3", "1", "2"

static inline void expect_words(program_run run, const char *words)
{
    expect_done(run);
    cr_assert_not_null(strstr(run.out.bytes, words), "'%s' is not in: %s", words, run.out.bytes);
}

#endif
