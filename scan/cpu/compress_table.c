#include "scan/cpu/compress_table.h"

#define BIT(m, k) ((m) >> (k)&1u)
#define SET_BELOW(m, k) __builtin_popcount((m) & ((1u << (k)) - 1))
#define PLACE(m, k) (BIT(m, k) ? SET_BELOW(m, k) : __builtin_popcount(m) + (k)-SET_BELOW(m, k))
#define NUMBER(m, k) ((uint64_t)(k) << 8 * PLACE(m, k))
#define NUMBERS(m)                                                                             \
    (NUMBER(m, 0) | NUMBER(m, 1) | NUMBER(m, 2) | NUMBER(m, 3) | NUMBER(m, 4) | NUMBER(m, 5) | \
     NUMBER(m, 6) | NUMBER(m, 7))
#define ROW_4(m) NUMBERS(m), NUMBERS((m) + 1u), NUMBERS((m) + 2u), NUMBERS((m) + 3u)
#define ROW_16(m) ROW_4(m), ROW_4((m) + 4u), ROW_4((m) + 8u), ROW_4((m) + 12u)
#define ROW_64(m) ROW_16(m), ROW_16((m) + 16u), ROW_16((m) + 32u), ROW_16((m) + 48u)

const uint64_t parscan_compress_table[256] = {ROW_64(0u), ROW_64(64u), ROW_64(128u), ROW_64(192u)};
