#include "tests/scan/plan/plans.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "every_plan.h"

#define DECLARED(name) extern const parscan_plan_table parscan_##name##_plans;
#define LISTED(name) &parscan_##name##_plans,

EVERY_PLAN(DECLARED)
const parscan_plan_table *const every_plan_table[] = {EVERY_PLAN(LISTED) NULL};

const parscan_plan_device plan_devices[PLAN_DEVICES] = {
    [PLAN_H100] = {.multiprocessors = 132, .shared_bytes = 227 << 10, .architecture = 90},
    [PLAN_A100] = {.multiprocessors = 108, .shared_bytes = 163 << 10, .architecture = 80},
    [PLAN_SMALL] = {.multiprocessors = 20, .shared_bytes = 99 << 10, .architecture = 89},
};

size_t plan_limit(const parscan_plan_table *table, const char *name,
                  const parscan_plan_device *device)
{
    for (size_t k = 0; k < table->limit_count; k++)
        if (strcmp(table->limits[k].name, name) == 0)
            return parscan_plan_limit_of(device, table->limits, k);
    fprintf(stderr, "the plans of %s have no limit %s\n", table->primitive, name);
    abort();
}
