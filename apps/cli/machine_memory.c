#define _DEFAULT_SOURCE /* _SC_PHYS_PAGES */
#include "apps/cli/machine_memory.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The files of a cgroup, in its folder below `mount`. */
typedef struct group_files {
    const char *controllers; /* how /proc/self/cgroup names the hierarchy, between colons */
    const char *mount, *limit, *used, *cached;
} group_files;

static const group_files versions[] = {
    {"::", "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "},
    {":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
     "total_inactive_file "},
};

/* The address space of some threads: stacks, and what malloc() reserves for each, used or not. */
#define OF_THREADS ((uint64_t)192 << 20)

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Reads the number after a key, in the first line that starts with it. */
static bool read_number(const char *folder, const char *name, const char *key, uint64_t *number)
{
    char path[PATH_MAX], line[512];
    bool found = false;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return false;
    FILE *const file = fopen(path, "re");
    if (file == NULL)
        return false;
    while (!found && fgets(line, sizeof line, file) != NULL)
        found = strncmp(line, key, strlen(key)) == 0 &&
                sscanf(line + strlen(key), "%" SCNu64, number) == 1;
    fclose(file);
    return found;
}

static void lower(machine_memory *memory, uint64_t limit, uint64_t used)
{
    memory->all = least(memory->all, limit);
    memory->available = least(memory->available, limit > used ? limit - used : 0);
}

/* Pages of files that nobody has used for a while go first when a cgroup meets its limit. */
static void apply_group(const group_files *files, const char *folder, machine_memory *memory)
{
    uint64_t limit, used = 0, cached = 0;
    if (!read_number(folder, files->limit, "", &limit))
        return;
    read_number(folder, files->used, "", &used);
    read_number(folder, "memory.stat", files->cached, &cached);
    lower(memory, limit, used > cached ? used - cached : 0);
}

/* A cgroup and all that it is in. Inside of a container the path may be one that only its outside
   has; the container's own limit is then that of the mount itself. */
static void apply_groups(const group_files *files, const char *root, const char *path,
                         machine_memory *memory)
{
    char folder[PATH_MAX];
    const int length = snprintf(folder, sizeof folder, "%s%s", root, files->mount);
    if (length >= (int)sizeof folder || snprintf(folder + length, sizeof folder - (size_t)length,
                                                 "%s", path) >= (int)sizeof folder - length)
        return;
    for (char *end; (end = strrchr(folder + length, '/')) != NULL; *end = '\0')
        apply_group(files, folder, memory);
    apply_group(files, folder, memory);
}

static void apply_cgroups(const char *root, machine_memory *memory)
{
    char path[PATH_MAX], line[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/proc/self/cgroup", root) >= (int)sizeof path)
        return;
    FILE *const list = fopen(path, "re");
    if (list == NULL)
        return;
    /* Lines as 4:memory:/a/b, and 0::/a/b of version 2. */
    while (fgets(line, sizeof line, list) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
            const char *const named = strstr(line, versions[i].controllers);
            if (named != NULL && named == strchr(line, ':'))
                apply_groups(&versions[i], root, named + strlen(versions[i].controllers), memory);
        }
    }
    fclose(list);
}

static void apply_limits(machine_memory *memory)
{
    static const int limits[] = {RLIMIT_AS, RLIMIT_DATA};
    struct rlimit limit;
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        if (getrlimit(limits[i], &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
            lower(memory, limit.rlim_cur > OF_THREADS ? limit.rlim_cur - OF_THREADS : 0, 0);
}

machine_memory machine_memory_read(const char *root)
{
    char folder[PATH_MAX];
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    machine_memory memory = {.all = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0};
    uint64_t kibibytes;
    snprintf(folder, sizeof folder, "%.4000s/proc", root);
    if (read_number(folder, "meminfo", "MemTotal:", &kibibytes))
        memory.all = kibibytes * 1024;
    memory.available = memory.all;
    if (read_number(folder, "meminfo", "MemAvailable:", &kibibytes))
        memory.available = kibibytes * 1024;
    apply_cgroups(root, &memory);
    apply_limits(&memory);
    return memory;
}
