/* Offsets of 32 bits, from sizes of 8, 16 and 32. Compiled once an instruction set. */
#define PARSCAN_ELEMENT U32
#define PARSCAN_ELEMENT_NAME u32
#define PARSCAN_ELEMENT_CLASS INTEGER
#define PARSCAN_ELEMENT_BITS 32
#include "apps/allocate/allocate_kernels_template.h"
