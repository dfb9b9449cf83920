/* How much memory the program finds, in folders that look like /proc and /sys. */
#define _DEFAULT_SOURCE /* _SC_PHYS_PAGES */
#include "apps/cli/machine_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "tests/apps/cli/run_program.h"

static void enter_machine(void)
{
    enter_folder();
    cr_assert_eq(run_shell("mkdir -p proc/self sys/fs/cgroup/memory/a/b sys/fs/cgroup/x/y && "
                           "printf 'MemTotal:  4000 kB\nMemFree: 1 kB\nMemAvailable: 3000 kB\n' "
                           ">proc/meminfo"),
                 0);
}

TestSuite(machine_memory, .init = enter_machine, .fini = leave_folder);

/* In KiB. */
static void expect_memory(uint64_t all, uint64_t available)
{
    const machine_memory memory = machine_memory_read(".");
    cr_assert_eq(memory.all, all * 1024, "all: %" PRIu64, memory.all);
    cr_assert_eq(memory.available, available * 1024, "available: %" PRIu64, memory.available);
}

static void put(const char *path, const char *text)
{
    write_file(path, text_blob(text));
}

Test(machine_memory, is_the_machine_s_without_groups)
{
    expect_memory(4000, 3000);
    put("proc/self/cgroup", "4:memory:/a/b\n0::/x/y\n");
    expect_memory(4000, 3000);
}

Test(machine_memory, is_the_least_of_all_groups_that_the_process_is_in)
{
    put("proc/self/cgroup", "12:cpu:/a\n0::/x/y\n");
    put("sys/fs/cgroup/x/y/memory.max", "max\n");
    put("sys/fs/cgroup/x/y/memory.current", "1024000\n");
    expect_memory(4000, 3000);
    put("sys/fs/cgroup/x/memory.max", "2048000\n");
    put("sys/fs/cgroup/x/memory.current", "1536000\n");
    expect_memory(2000, 500);
    /* Files that can go are available. */
    put("sys/fs/cgroup/x/memory.stat", "anon 7\ninactive_file 512000\n");
    expect_memory(2000, 1000);
    put("sys/fs/cgroup/memory.max", "1024000\n");
    expect_memory(1000, 1000);
    put("sys/fs/cgroup/memory.current", "9999999\n");
    expect_memory(1000, 0);
}

Test(machine_memory, is_limited_by_groups_of_version_1)
{
    put("proc/self/cgroup", "5:cpu,cpuacct:/\n4:memory:/a/b\n");
    put("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
    put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "3072000\n");
    put("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "2048000\n");
    put("sys/fs/cgroup/memory/a/memory.stat", "inactive_file 1\ntotal_inactive_file 1024000\n");
    expect_memory(3000, 2000);
    /* Inside of a container: only the mount is there. */
    put("proc/self/cgroup", "4:memory:/docker/0123\n");
    expect_memory(4000, 3000);
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "1024000\n");
    expect_memory(1000, 1000);
}

Test(machine_memory, of_files_that_are_not_understood_is_the_machine_s)
{
    put("proc/self/cgroup", ":\n::\n0:\nmemory\n4:memory:\n0::../../..\n");
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "none\n");
    expect_memory(4000, 3000);
    put("proc/meminfo", "MemTotal: many\n");
    const machine_memory memory = machine_memory_read(".");
    cr_assert_eq(memory.all, (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));
    cr_assert_eq(memory.available, memory.all);
}
