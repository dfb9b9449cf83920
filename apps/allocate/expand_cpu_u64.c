/* Indices of 64 bits. Compiled once an instruction set. */
#define PARSCAN_ELEMENT U64
#define PARSCAN_ELEMENT_NAME u64
#define PARSCAN_ELEMENT_CLASS INTEGER
#define PARSCAN_ELEMENT_BITS 64
#include "apps/allocate/expand_cpu_template.h"
