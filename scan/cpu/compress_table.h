#ifndef PARSCAN_SCAN_CPU_COMPRESS_TABLE_H
#define PARSCAN_SCAN_CPU_COMPRESS_TABLE_H

#include <stdint.h>

/* For each byte, the indices of the bits that are set in it, ascending, then of those that are not, one in each byte
   of the entry. */
extern const uint64_t parscan_compress_table[256];

#endif
