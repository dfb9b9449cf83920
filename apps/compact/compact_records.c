/* Moves whole records of sizes that no element type has. */
#include <string.h>

#include "apps/compact/compact_cpu.h"

/* Copies each record into a buffer on its own: a few instructions, if the compiler knows that
   the size is small. */
static inline __attribute__((always_inline)) void
copy_singly(const char *in, const size_t size, size_t n, const uint64_t *keep, char *to)
{
    for (size_t i = 0; i < n; i += KEEP_BITS) {
        for (uint64_t bits = keep[i / KEEP_BITS]; bits != 0; bits &= bits - 1) {
            memcpy(to, in + (i + (size_t)__builtin_ctzll(bits)) * size, size);
            to += size;
        }
    }
}

/* Copies neighbouring kept records together. In place, a record may move by less than its size. */
static void move_runs(const char *in, size_t size, size_t n, const uint64_t *keep, char *to)
{
    for (size_t i = 0; i < n; i += KEEP_BITS) {
        for (uint64_t bits = keep[i / KEEP_BITS]; bits != 0;) {
            const size_t first = (size_t)__builtin_ctzll(bits);
            const uint64_t holes = ~(bits >> first);
            const size_t run = holes == 0 ? KEEP_BITS : (size_t)__builtin_ctzll(holes);
            memmove(to, in + (i + first) * size, run * size);
            to += run * size;
            bits = first + run == KEEP_BITS ? 0 : bits & UINT64_MAX << (first + run);
        }
    }
}

void parscan_compact_records(const char *in, size_t size, size_t n, const uint64_t *keep, char *to)
{
    switch (size) {
    case 3:
        copy_singly(in, 3, n, keep, to);
        break;
    case 6:
        copy_singly(in, 6, n, keep, to);
        break;
    case 12:
        copy_singly(in, 12, n, keep, to);
        break;
    case 16:
        copy_singly(in, 16, n, keep, to);
        break;
    case 24:
        copy_singly(in, 24, n, keep, to);
        break;
    case 32:
        copy_singly(in, 32, n, keep, to);
        break;
    default:
        move_runs(in, size, n, keep, to);
        break;
    }
}
