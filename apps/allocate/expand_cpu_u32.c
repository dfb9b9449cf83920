#define PARSCAN_ELEMENT U32
#define PARSCAN_ELEMENT_NAME u32
#define PARSCAN_ELEMENT_CLASS INTEGER
#include "apps/allocate/expand_cpu_template.h"
