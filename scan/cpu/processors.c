#define _GNU_SOURCE
#include "scan/cpu/processors.h"

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the quota of a control group ---- */

enum { WORD_BYTES = 32 }; /* a longer word is not a number */

/* Reads the first two words of a file. Returns how many there are. */
static int read_words(const char *folder, const char *group, const char *file,
                      char words[2][WORD_BYTES])
{
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s%s/%s", folder, group, file);
    FILE *const stream = length > 0 && (size_t)length < sizeof path ? fopen(path, "re") : NULL;
    if (stream == NULL)
        return 0;
    char line[2 * WORD_BYTES + 2];
    const bool read = fgets(line, sizeof line, stream) != NULL;
    fclose(stream);
    /* What does not end here has a word that is too long. */
    if (!read || strlen(line) == sizeof line - 1)
        return 0;
    char *rest, *word = strtok_r(line, " \t\n", &rest);
    int count = 0;
    for (; word != NULL && count < 2 && strlen(word) < WORD_BYTES; count++) {
        strcpy(words[count], word);
        word = strtok_r(NULL, " \t\n", &rest);
    }
    return count;
}

/* Returns quota / period, rounded up; 0: no limit. "max" and -1 are no limit. */
static unsigned processors_of(const char *quota, const char *period)
{
    long long used, of;
    if (sscanf(quota, "%lld", &used) != 1 || sscanf(period, "%lld", &of) != 1 || used <= 0 ||
        of <= 0)
        return 0;
    const long long processors = used / of + (used % of != 0);
    return processors < UINT_MAX ? (unsigned)processors : UINT_MAX;
}

static unsigned group_quota(const char *folder, const char *group, bool version_2)
{
    char words[2][WORD_BYTES], period[2][WORD_BYTES];
    if (version_2)
        return read_words(folder, group, "cpu.max", words) == 2 ? processors_of(words[0], words[1])
                                                                : 0;
    if (read_words(folder, group, "cpu.cfs_quota_us", words) < 1 ||
        read_words(folder, group, "cpu.cfs_period_us", period) < 1)
        return 0;
    return processors_of(words[0], period[0]);
}

/* The least quota of a group and of those above it. Shortens `group`. */
static unsigned path_quota(const char *folder, char *group, bool version_2)
{
    unsigned least = 0;
    for (;;) {
        const unsigned quota = group_quota(folder, group, version_2);
        if (quota != 0 && (least == 0 || quota < least))
            least = quota;
        char *const cut = strrchr(group, '/');
        if (cut == NULL)
            return least;
        *cut = '\0';
    }
}

/* Whether a list like "cpu,cpuacct" has "cpu". */
static bool controls_processors(const char *list)
{
    while (strncmp(list, "cpu", 3) != 0 || (list[3] != ',' && list[3] != '\0')) {
        list = strchr(list, ',');
        if (list == NULL)
            return false;
        list++;
    }
    return true;
}

unsigned parscan_quota(const char *membership, const char *groups)
{
    FILE *const stream = fopen(membership, "re");
    if (stream == NULL)
        return 0;
    unsigned least = 0;
    char line[PATH_MAX];
    while (fgets(line, sizeof line, stream) != NULL) {
        /* number:controllers:path; version 2 has no controllers here */
        line[strcspn(line, "\n")] = '\0';
        char *const controllers = strchr(line, ':');
        char *const path = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (path == NULL)
            continue;
        *path = '\0';
        const bool version_2 = controllers[1] == '\0';
        if (!version_2 && !controls_processors(controllers + 1))
            continue;
        char folder[PATH_MAX];
        snprintf(folder, sizeof folder, version_2 ? "%s" : "%s/cpu", groups);
        const unsigned quota = path_quota(folder, path + 1, version_2);
        if (quota != 0 && (least == 0 || quota < least))
            least = quota;
    }
    fclose(stream);
    return least;
}

/* ---- the processors ---- */

static unsigned allowed_by_affinity(void)
{
#ifdef __linux__
    /* The system refuses a set that is smaller than its own. */
    for (int most = CPU_SETSIZE; most <= 1 << 16; most *= 2) {
        cpu_set_t *const set = CPU_ALLOC(most);
        if (set == NULL)
            break;
        const size_t size = CPU_ALLOC_SIZE(most);
        const int count = sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 0;
        CPU_FREE(set);
        if (count > 0)
            return (unsigned)count;
    }
#endif
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

unsigned parscan_processors(void)
{
    const unsigned allowed = allowed_by_affinity();
    const unsigned quota = parscan_quota("/proc/self/cgroup", "/sys/fs/cgroup");
    return quota != 0 && quota < allowed ? quota : allowed;
}

size_t parscan_l2_bytes(void)
{
    const size_t usual = 512 << 10, least = 64 << 10, most = 4 << 20;
#ifdef _SC_LEVEL2_CACHE_SIZE
    const long size = sysconf(_SC_LEVEL2_CACHE_SIZE);
    if (size > 0)
        return (size_t)size < least ? least : (size_t)size < most ? (size_t)size : most;
#endif
    (void)least;
    (void)most;
    return usual;
}

bool parscan_prefetch_stores(void)
{
    const char *const asked = getenv("PARSCAN_PREFETCH_STORES");
    if (asked != NULL && (strcmp(asked, "0") == 0 || strcmp(asked, "1") == 0))
        return *asked == '1';
#if defined __x86_64__
    __builtin_cpu_init();
    return __builtin_cpu_is("intel");
#else
    return false;
#endif
}
