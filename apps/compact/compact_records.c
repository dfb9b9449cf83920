/* Records of any size, moved whole: neighbours that are kept go together. */
#include <string.h>

#include "apps/compact/compact_cpu.h"

size_t parscan_compact_records(const char *in, size_t size, size_t n, const uint64_t *keep,
                               char *to)
{
    char *const begin = to;
    for (size_t i = 0; i < n; i += KEEP_BITS) {
        for (uint64_t bits = keep[i / KEEP_BITS]; bits != 0;) {
            const size_t first = (size_t)__builtin_ctzll(bits);
            const uint64_t holes = ~(bits >> first);
            const size_t run = holes == 0 ? KEEP_BITS : (size_t)__builtin_ctzll(holes);
            /* In place a record may move by less than its size. */
            memmove(to, in + (i + first) * size, run * size);
            to += run * size;
            bits = first + run == KEEP_BITS ? 0 : bits & UINT64_MAX << (first + run);
        }
    }
    return (size_t)(to - begin) / size;
}
