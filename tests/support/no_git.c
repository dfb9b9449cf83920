/*
 * Criterion needs libgit2, for the difference of two texts alone, and that needs libraries of networks and secrets, which
 * each process loads and starts, and Criterion starts one for each test: more than half of the processor time of a short
 * test. This library has libgit2's name, so it is taken for it. What is new in Criterion 2.4 would show no difference
 * where texts are not equal (`cr_assert(eq(str, a, b))`, which no test here uses).
 */
#define EXPORTED __attribute__((visibility("default")))
EXPORTED int git_libgit2_init(void);
EXPORTED int git_libgit2_shutdown(void);
EXPORTED int git_diff_buffers(void);

int git_libgit2_init(void)
{
    return 1;
}

int git_libgit2_shutdown(void)
{
    return 0;
}

int git_diff_buffers(void)
{
    return -1;
}
