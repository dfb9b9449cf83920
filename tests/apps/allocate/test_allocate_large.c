/* More than 2^32 sizes, nearly all of them zero, which are pages that were never written; a record
   of more than 2^32 bytes. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <criterion/criterion.h>
#include <stdio.h>
#include <sys/mman.h>

#include "parscan/allocate.h"
#include "tests/support/test_engine.h"

#define N ((UINT64_C(1) << 32) + 5)
#define NEEDED_KIB (UINT64_C(10) << 20)

#if defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define UNDER_SANITIZER 1
#endif
#elif defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define UNDER_SANITIZER 1
#endif

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

static unsigned char *large_array(void)
{
#if defined UNDER_SANITIZER
    cr_skip_test("2^32 elements: not under a sanitizer\n");
#endif
    if (sizeof(size_t) < 8)
        cr_skip_test("2^32 elements: not with 32-bit sizes\n");
    if (available_kib() < NEEDED_KIB)
        cr_skip_test("2^32 elements: %llu MiB of memory are available, %llu are needed\n",
                     (unsigned long long)available_kib() >> 10,
                     (unsigned long long)NEEDED_KIB >> 10);
    void *const array = mmap(NULL, N, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(array, MAP_FAILED);
    return array;
}

Test(large, sizes_are_summed_and_expanded)
{
    unsigned char *const sizes = large_array();
    parscan_context *const context = test_context();
    sizes[0] = 2;
    sizes[UINT64_C(1) << 31] = 1;
    sizes[N - 6] = 3;
    sizes[N - 1] = 250;
    uint64_t total = 0, owner[256], rank[256];
    cr_assert_eq(parscan_allocate(context, PARSCAN_U8, sizes, N, PARSCAN_U64, NULL, &total, NULL),
                 PARSCAN_OK);
    cr_assert_eq(total, 256);
    total = 0;
    cr_assert_eq(
        parscan_expand(context, PARSCAN_U8, sizes, N, PARSCAN_U64, owner, rank, 256, &total),
        PARSCAN_OK);
    cr_assert_eq(total, 256);
    for (uint64_t slot = 0; slot < 256; slot++) {
        const uint64_t first = slot < 2 ? 0 : slot < 3 ? 2 : slot < 6 ? 3 : 6;
        const uint64_t item = slot < 2   ? 0
                              : slot < 3 ? UINT64_C(1) << 31
                              : slot < 6 ? N - 6
                                         : N - 1;
        cr_assert_eq(owner[slot], item, "slot %llu", (unsigned long long)slot);
        cr_assert_eq(rank[slot], slot - first, "slot %llu", (unsigned long long)slot);
    }
    parscan_context_destroy(context);
    munmap(sizes, N);
}

Test(large, record_is_moved)
{
    unsigned char *const in = large_array(), *const out = large_array();
    parscan_context *const context = test_context();
    for (uint64_t at = 0; at < N; at += 4093)
        in[at] = (unsigned char)(at >> 12 | 1);
    const uint64_t in_offset = 3, out_offset = 1, size = N - 4;
    cr_assert_eq(
        parscan_pack(context, in, PARSCAN_U64, &in_offset, PARSCAN_U64, &size, out, &out_offset, 1),
        PARSCAN_OK);
    for (uint64_t at = 0; at < size; at += at < 5000 || size - at < 5000 ? 1 : 1013)
        cr_assert_eq(out[1 + at], in[3 + at], "byte %llu", (unsigned long long)at);
    cr_assert(out[0] == 0 && out[size + 1] == 0);
    parscan_context_destroy(context);
    munmap(in, N);
    munmap(out, N);
}
