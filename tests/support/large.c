#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, madvise */
#include "tests/support/large.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <sys/mman.h>

#include "tests/support/sanitizer.h"

static uint64_t available_kib(void)
{
    unsigned long long kib = 0;
    char line[128];
    FILE *const file = fopen("/proc/meminfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return kib;
}

void large_fits_or_skip(uint64_t kib)
{
    if (UNDER_SANITIZER)
        cr_skip_test("2^32 elements: not under a sanitizer\n");
    if (sizeof(size_t) < 8)
        cr_skip_test("2^32 elements: not with 32-bit sizes\n");
    if (available_kib() < kib)
        cr_skip_test("2^32 elements: %llu MiB of memory are available, %llu are needed\n",
                     (unsigned long long)available_kib() >> 10, (unsigned long long)kib >> 10);
}

void *large_zeros(size_t bytes)
{
    void *const memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    cr_assert_neq(memory, MAP_FAILED);
    madvise(memory, bytes, MADV_HUGEPAGE); /* fewer page faults; as well without */
    return memory;
}

void large_free(void *memory, size_t bytes)
{
    munmap(memory, bytes);
}
