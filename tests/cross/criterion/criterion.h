/*
 * A stand-in for Criterion, as much of it as the tests use, where Criterion does not exist or its
 * processes do not work: under qemu's user emulation, under some sanitizers. Chosen by
 * PARSCAN_TEST_RUNNER=plain.
 *
 * The tests of a program run in one process, in the order in which they are written; a test that
 * fails ends there, and the next one starts. A test that is to die (.signal, .exit_code) is
 * skipped. There is no time limit other than ctest's.
 */
#ifndef PARSCAN_TESTS_CRITERION_H
#define PARSCAN_TESTS_CRITERION_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct plain_options {
    void (*init)(void);
    void (*fini)(void);
    int signal, exit_code;
    bool disabled;
    double timeout; /* not kept */
    const char *description;
    int end; /* so that no options are needed */
} plain_options;

typedef struct plain_test {
    const char *suite, *name; /* a suite's own entry has no name */
    void (*run)(void);
    plain_options options;
    struct plain_test *next;
} plain_test;

void plain_register(plain_test *test);

/* A check did not hold: goes on, or ends the test. The words, format and arguments, may be empty.
 */
void plain_fail(const char *file, int line, const char *check, const char *format, ...);
__attribute__((noreturn)) void plain_fail_now(const char *file, int line, const char *check,
                                              const char *format, ...);
__attribute__((noreturn)) void plain_skip(const char *format, ...);
void plain_log(const char *format, ...);

#define Test(...) PLAIN_TEST(__VA_ARGS__, .end = 0)
#define PLAIN_TEST(Suite, Name, ...)                                   \
    static void Suite##_##Name##_run(void);                            \
    PLAIN_ENTRY(Suite, Name, #Name, Suite##_##Name##_run, __VA_ARGS__) \
    static void Suite##_##Name##_run(void)

/* A suite's options: an entry without a name. */
#define TestSuite(...) PLAIN_SUITE(__VA_ARGS__, .end = 0)
#define PLAIN_SUITE(Suite, ...)                              \
    PLAIN_ENTRY(Suite, plain_suite, NULL, NULL, __VA_ARGS__) \
    typedef int Suite##_plain_suite_end

#define PLAIN_ENTRY(Suite, Name, text, function, ...)                              \
    static plain_test Suite##_##Name##_entry = {                                   \
        .suite = #Suite, .name = text, .run = function, .options = {__VA_ARGS__}}; \
    __attribute__((constructor)) static void Suite##_##Name##_register(void)       \
    {                                                                              \
        plain_register(&Suite##_##Name##_entry);                                   \
    }

/* "" ends the arguments, so that a check need not have words; printf() lets more be there. */
#define PLAIN_CHECK(fail, holds, ...)                      \
    do {                                                   \
        if (!(holds))                                      \
            fail(__FILE__, __LINE__, #holds, __VA_ARGS__); \
    } while (0)
#define PLAIN_TRUE(fail, a, ...) PLAIN_CHECK(fail, a, __VA_ARGS__)
#define PLAIN_FALSE(fail, a, ...) PLAIN_CHECK(fail, !(a), __VA_ARGS__)
#define PLAIN_NULL(fail, a, ...) PLAIN_CHECK(fail, (a) == NULL, __VA_ARGS__)
#define PLAIN_NOT_NULL(fail, a, ...) PLAIN_CHECK(fail, (a) != NULL, __VA_ARGS__)
#define PLAIN_EQ(fail, a, b, ...) PLAIN_CHECK(fail, (a) == (b), __VA_ARGS__)
#define PLAIN_NEQ(fail, a, b, ...) PLAIN_CHECK(fail, (a) != (b), __VA_ARGS__)
#define PLAIN_LT(fail, a, b, ...) PLAIN_CHECK(fail, (a) < (b), __VA_ARGS__)
#define PLAIN_LEQ(fail, a, b, ...) PLAIN_CHECK(fail, (a) <= (b), __VA_ARGS__)
#define PLAIN_GT(fail, a, b, ...) PLAIN_CHECK(fail, (a) > (b), __VA_ARGS__)
#define PLAIN_GEQ(fail, a, b, ...) PLAIN_CHECK(fail, (a) >= (b), __VA_ARGS__)
#define PLAIN_STR_EQ(fail, a, b, ...) PLAIN_CHECK(fail, strcmp(a, b) == 0, __VA_ARGS__)
#define PLAIN_STR_NEQ(fail, a, b, ...) PLAIN_CHECK(fail, strcmp(a, b) != 0, __VA_ARGS__)
#define PLAIN_ARR_EQ(fail, a, b, n, ...) PLAIN_CHECK(fail, memcmp(a, b, n) == 0, __VA_ARGS__)

#define cr_assert(...) PLAIN_TRUE(plain_fail_now, __VA_ARGS__, "")
#define cr_assert_not(...) PLAIN_FALSE(plain_fail_now, __VA_ARGS__, "")
#define cr_assert_null(...) PLAIN_NULL(plain_fail_now, __VA_ARGS__, "")
#define cr_assert_not_null(...) PLAIN_NOT_NULL(plain_fail_now, __VA_ARGS__, "")
#define cr_assert_eq(...) PLAIN_EQ(plain_fail_now, __VA_ARGS__, "")
#define cr_assert_neq(...) PLAIN_NEQ(plain_fail_now, __VA_ARGS__, "")
#define cr_assert_lt(...) PLAIN_LT(plain_fail_now, __VA_ARGS__, "")
#define cr_assert_leq(...) PLAIN_LEQ(plain_fail_now, __VA_ARGS__, "")
#define cr_assert_gt(...) PLAIN_GT(plain_fail_now, __VA_ARGS__, "")
#define cr_assert_geq(...) PLAIN_GEQ(plain_fail_now, __VA_ARGS__, "")
#define cr_assert_str_eq(...) PLAIN_STR_EQ(plain_fail_now, __VA_ARGS__, "")
#define cr_assert_str_neq(...) PLAIN_STR_NEQ(plain_fail_now, __VA_ARGS__, "")
#define cr_assert_arr_eq(...) PLAIN_ARR_EQ(plain_fail_now, __VA_ARGS__, "")
#define cr_assert_fail(...) plain_fail_now(__FILE__, __LINE__, "", __VA_ARGS__, "")

#define cr_expect(...) PLAIN_TRUE(plain_fail, __VA_ARGS__, "")
#define cr_expect_not(...) PLAIN_FALSE(plain_fail, __VA_ARGS__, "")
#define cr_expect_null(...) PLAIN_NULL(plain_fail, __VA_ARGS__, "")
#define cr_expect_not_null(...) PLAIN_NOT_NULL(plain_fail, __VA_ARGS__, "")
#define cr_expect_eq(...) PLAIN_EQ(plain_fail, __VA_ARGS__, "")
#define cr_expect_neq(...) PLAIN_NEQ(plain_fail, __VA_ARGS__, "")
#define cr_expect_lt(...) PLAIN_LT(plain_fail, __VA_ARGS__, "")
#define cr_expect_leq(...) PLAIN_LEQ(plain_fail, __VA_ARGS__, "")
#define cr_expect_gt(...) PLAIN_GT(plain_fail, __VA_ARGS__, "")
#define cr_expect_geq(...) PLAIN_GEQ(plain_fail, __VA_ARGS__, "")
#define cr_expect_str_eq(...) PLAIN_STR_EQ(plain_fail, __VA_ARGS__, "")
#define cr_expect_str_neq(...) PLAIN_STR_NEQ(plain_fail, __VA_ARGS__, "")
#define cr_expect_arr_eq(...) PLAIN_ARR_EQ(plain_fail, __VA_ARGS__, "")
#define cr_expect_fail(...) plain_fail(__FILE__, __LINE__, "", __VA_ARGS__, "")

#define cr_fail cr_expect_fail
#define cr_fatal cr_assert_fail
#define cr_skip_test(...) plain_skip(__VA_ARGS__, "")
#define cr_skip cr_skip_test
#define cr_log_info(...) plain_log(__VA_ARGS__, "")
#define cr_log_warn cr_log_info
#define cr_log_error cr_log_info

#endif
