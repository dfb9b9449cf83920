/* Offsets of segments that are wrong, for suites of arguments whose calls have BAD_LENGTH elements. */
#ifndef PARSCAN_TESTS_BAD_OFFSETS_H
#define PARSCAN_TESTS_BAD_OFFSETS_H

#include <stddef.h>
#include <stdint.h>

#define BAD_LENGTH 10

/* X(ctype, TYPE, length, value, offsets...): the value that the message names, if it names one. */
#define EACH_BAD_OFFSETS(X)                                                     \
    X(uint32_t, U32, BAD_LENGTH, "1", 1, 5, BAD_LENGTH);                        \
    X(uint32_t, U32, BAD_LENGTH, "9", 0, 5, 9);                                 \
    X(uint32_t, U32, BAD_LENGTH, "11", 0, 5, 11);                               \
    X(uint32_t, U32, BAD_LENGTH, "3", 0, 5, 3, BAD_LENGTH);                     \
    X(uint32_t, U32, BAD_LENGTH, "", 0, 11, BAD_LENGTH);                        \
    X(uint32_t, U32, BAD_LENGTH, "", 0, UINT32_MAX, BAD_LENGTH);                \
    X(uint32_t, U32, BAD_LENGTH, "", 0, UINT32_MAX, 5, UINT32_MAX, BAD_LENGTH); \
    X(uint32_t, U32, BAD_LENGTH, "0", 0);                                       \
    X(uint32_t, U32, 0, "1", 0, 1);                                             \
    X(uint32_t, U32, 0, "2", 2, 2);                                             \
    X(uint64_t, U64, BAD_LENGTH, "1", 1, 5, BAD_LENGTH);                        \
    X(uint64_t, U64, BAD_LENGTH, "4294967306", 0, 5, UINT64_C(4294967306));     \
    X(uint64_t, U64, BAD_LENGTH, "3", 0, 5, 3, BAD_LENGTH);                     \
    X(uint64_t, U64, BAD_LENGTH, "", 0, UINT64_MAX, BAD_LENGTH);                \
    X(uint64_t, U64, BAD_LENGTH, "", 0, UINT64_C(1) << 63, 5, BAD_LENGTH);      \
    X(uint64_t, U64, BAD_LENGTH, "", 0, 5, UINT64_C(1) << 32 | 6, BAD_LENGTH)

/* More offsets than memory can hold. */
static const size_t bad_offset_counts[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 8, SIZE_MAX / 8 + 1,
                                           SIZE_MAX - 1};

#endif
