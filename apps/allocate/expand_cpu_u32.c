/* Indices of 32 bits. Compiled once an instruction set. */
#define PARSCAN_ELEMENT U32
#define PARSCAN_ELEMENT_NAME u32
#define PARSCAN_ELEMENT_CLASS INTEGER
#define PARSCAN_ELEMENT_BITS 32
#include "apps/allocate/expand_cpu_template.h"
