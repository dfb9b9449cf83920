#define PARSCAN_ELEMENT U64
#define PARSCAN_ELEMENT_NAME u64
#define PARSCAN_ELEMENT_CLASS INTEGER
#include "apps/allocate/expand_cpu_template.h"
