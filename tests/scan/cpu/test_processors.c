/* threads = 0: what the affinity of the process and the quota of its control group allow. */
#define _GNU_SOURCE /* sched_setaffinity, mkdtemp */
#include <criterion/criterion.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scan/cpu/processors.h"
#include "tests/scan/cpu/every_primitive.h"

/* ---- affinity ---- */

#ifdef __linux__

/* Leaves the process the first `most` of its processors. Returns how many it has. */
static unsigned keep_processors(int most)
{
    cpu_set_t set;
    cr_assert_eq(sched_getaffinity(0, sizeof set, &set), 0);
    int kept = 0;
    for (int k = 0; k < CPU_SETSIZE; k++)
        if (CPU_ISSET(k, &set) && kept++ >= most)
            CPU_CLR(k, &set);
    cr_assert_eq(sched_setaffinity(0, sizeof set, &set), 0);
    return (unsigned)CPU_COUNT(&set);
}

Test(processors, follow_the_affinity_of_the_process)
{
    const unsigned before = parscan_processors();
    cr_assert_geq(before, 1);
    for (int most = 2; most >= 1; most--) {
        const unsigned allowed = keep_processors(most);
        const unsigned expected = allowed < before ? allowed : before;
        cr_assert_eq(parscan_processors(), expected);
        parscan_context *const context = cpu_context(0);
        cr_assert_eq(parscan_context_threads(context), expected);
        primitive_inputs *const in = primitive_inputs_begin(300000);
        const char *const wrong = first_wrong_of_few(context, in);
        cr_assert_null(wrong, "%s", wrong);
        primitive_inputs_end(in);
        parscan_context_destroy(context);
    }
    cr_assert_eq(parscan_processors(), 1);
    parscan_context *const context = cpu_context(5);
    cr_assert_eq(parscan_context_threads(context), 5, "a number that the caller gives is kept");
    parscan_context_destroy(context);
}

#endif

/* ---- control groups ---- */

static char root[64];

static void make_root(void)
{
    strcpy(root, "/tmp/parscan_groups_XXXXXX");
    cr_assert_not_null(mkdtemp(root));
}

static void remove_root(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    cr_assert_eq(system(command), 0);
}

TestSuite(quota, .init = make_root, .fini = remove_root);

/* Writes a file below root; makes the folders above it. */
static void put(const char *path, const char *words)
{
    char whole[PATH_MAX];
    snprintf(whole, sizeof whole, "%s/%s", root, path);
    for (char *at = whole + strlen(root) + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = '\0';
        mkdir(whole, 0700);
        *at = '/';
    }
    FILE *const file = fopen(whole, "w");
    cr_assert_not_null(file, "%s", whole);
    cr_assert_geq(fputs(words, file), 0);
    fclose(file);
}

static unsigned quota(void)
{
    char membership[128];
    snprintf(membership, sizeof membership, "%s/membership", root);
    return parscan_quota(membership, root);
}

static void expect_quota(const char *membership, unsigned expected)
{
    put("membership", membership);
    cr_assert_eq(quota(), expected, "%u for %s", quota(), membership);
}

Test(quota, of_version_2_is_that_of_the_group)
{
    static const struct {
        const char *words;
        unsigned processors;
    } cases[] = {
        {"max 100000\n", 0},     {"100000 100000\n", 1}, {"200000 100000\n", 2},
        {"150000 100000\n", 2},  {"1 100000\n", 1},      {"1000 100000\n", 1},
        {"100001 100000\n", 2},  {"50000 10000\n", 5},   {"9999999999999999999999 1\n", UINT_MAX},
        {"6400000 100000\n", 64}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        put("shop/cpu.max", cases[k].words);
        expect_quota("0::/shop\n", cases[k].processors);
    }
}

Test(quota, of_version_2_is_the_least_of_the_group_and_those_above)
{
    put("a/b/c/cpu.max", "700000 100000\n");
    put("a/b/cpu.max", "max 100000\n");
    put("a/cpu.max", "300000 100000\n");
    expect_quota("0::/a/b/c\n", 3);
    expect_quota("0::/a/b\n", 3);
    put("a/b/c/cpu.max", "200000 100000\n");
    expect_quota("0::/a/b/c\n", 2);
    put("cpu.max", "100000 100000\n");
    expect_quota("0::/a/b/c\n", 1);
    expect_quota("0::/\n", 1);
    /* A group that this process does not see, as in a container: those above it count. */
    expect_quota("0::/not/here\n", 1);
}

Test(quota, of_version_1_is_that_of_the_cpu_controller)
{
    put("cpu/shop/cpu.cfs_quota_us", "250000\n");
    put("cpu/shop/cpu.cfs_period_us", "100000\n");
    put("memory/shop/cpu.cfs_quota_us", "100000\n");
    put("memory/shop/cpu.cfs_period_us", "100000\n");
    expect_quota("5:cpu,cpuacct:/shop\n", 3);
    expect_quota("5:cpuacct,cpu:/shop\n", 3);
    expect_quota("5:cpu:/shop\n", 3);
    expect_quota("7:memory:/shop\n4:cpuset:/shop\n9:cpu,cpuacct:/shop\n1:name=systemd:/x\n", 3);
    expect_quota("4:cpuset:/shop\n5:cpuacct:/shop\n7:memory:/shop\n", 0);
    put("cpu/shop/cpu.cfs_quota_us", "-1\n");
    expect_quota("5:cpu,cpuacct:/shop\n", 0);
    /* The group above counts. */
    put("cpu/cpu.cfs_quota_us", "100000\n");
    put("cpu/cpu.cfs_period_us", "50000\n");
    expect_quota("5:cpu,cpuacct:/shop\n", 2);
}

Test(quota, of_both_versions_is_the_lesser)
{
    put("cpu/shop/cpu.cfs_quota_us", "400000\n");
    put("cpu/shop/cpu.cfs_period_us", "100000\n");
    put("shop/cpu.max", "300000 100000\n");
    expect_quota("5:cpu:/shop\n0::/shop\n", 3);
    put("shop/cpu.max", "max 100000\n");
    expect_quota("5:cpu:/shop\n0::/shop\n", 4);
}

Test(quota, is_none_where_files_are_missing)
{
    cr_assert_eq(quota(), 0, "no membership");
    expect_quota("0::/shop\n", 0);
    expect_quota("5:cpu:/shop\n", 0);
    put("cpu/shop/cpu.cfs_quota_us", "100000\n");
    expect_quota("5:cpu:/shop\n", 0);
    cr_assert_eq(parscan_quota("/nowhere/at/all", "/nowhere"), 0);
    cr_assert_eq(parscan_quota(root, root), 0, "a folder is no file");
}

Test(quota, is_none_where_files_are_malformed)
{
    static const char *const words[] = {"",      "\n",        "max",      "100000",      "100000 ",
                                        "x y\n", "100000 0",  "0 100000", "-5 100000\n", "5 -1",
                                        "+ +",   "100000 x\n"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        put("shop/cpu.max", words[k]);
        put("cpu/shop/cpu.cfs_quota_us", words[k]);
        put("cpu/shop/cpu.cfs_period_us", k % 2 == 0 ? "x" : "0");
        expect_quota("0::/shop\n5:cpu:/shop\n", 0);
    }
    put("shop/cpu.max", "100000 100000");
    static const char *const lines[] = {
        "", "\n", "0", ":", "0:", "shop", "\n\n", "0:cpu/shop", "::::::::\n", "5:memory"};
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
        expect_quota(lines[k], 0);
    expect_quota("0::/shop", 1); /* a last line without its end is read */
}

Test(quota, survives_long_words_and_paths)
{
    static char words[3 * PATH_MAX];
    /* A number that does not fit a word of the reader is no number. */
    memset(words, '9', 5000);
    for (size_t length = 25; length <= 5000; length = length < 40 ? length + 1 : length * 2) {
        strcpy(words + length, " 100000\n");
        put("shop/cpu.max", words);
        expect_quota("0::/shop\n", length < 32 ? UINT_MAX : 0);
        memset(words + length, '9', 10);
    }
    /* A path that is as long as a path can be, or longer. The root's quota counts if it is read. */
    put("cpu.max", "200000 100000\n");
    for (size_t length = PATH_MAX - 100; length < PATH_MAX + 100; length++) {
        memcpy(words, "0::/", 4);
        memset(words + 4, 'x', length);
        strcpy(words + 4 + length, "\n");
        put("membership", words);
        const unsigned got = quota();
        cr_assert(got == 0 || got == 2, "%u for a path of %zu", got, length);
    }
    for (size_t k = 4; k + 2 < PATH_MAX; k += 2)
        memcpy(words + k, "x/", 2);
    strcpy(words + PATH_MAX - 6, "\n");
    put("membership", words);
    cr_assert_eq(quota(), 2, "many short names");
    memset(words, 'g', sizeof words - 1);
    words[sizeof words - 1] = '\0';
    cr_assert_eq(parscan_quota("/proc/self/cgroup", words), 0, "a long name of the folder");
}

Test(processors, has_a_second_level_cache)
{
    cr_assert_geq(parscan_l2_bytes(), 64u << 10);
    cr_assert_leq(parscan_l2_bytes(), 64u << 20);
}

Test(processors, fetch_lines_for_stores_as_the_environment_says)
{
    const bool usual = parscan_prefetch_stores();
    cr_assert_eq(setenv("PARSCAN_PREFETCH_STORES", "1", 1), 0);
    cr_assert(parscan_prefetch_stores());
    cr_assert_eq(setenv("PARSCAN_PREFETCH_STORES", "0", 1), 0);
    cr_assert_not(parscan_prefetch_stores());
    cr_assert_eq(setenv("PARSCAN_PREFETCH_STORES", "yes", 1), 0);
    cr_assert_eq(parscan_prefetch_stores(), usual);
    unsetenv("PARSCAN_PREFETCH_STORES");
    cr_assert_eq(parscan_prefetch_stores(), usual);
}
