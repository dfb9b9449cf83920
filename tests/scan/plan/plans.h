/* The plans of all primitives, and devices to ask them for, for tests. */
#ifndef PARSCAN_TESTS_SCAN_PLAN_PLANS_H
#define PARSCAN_TESTS_SCAN_PLAN_PLANS_H

#include "scan/cuda/plan.h"

/* The tables of all primitives (parscan_NAME_plans), then NULL. CMake lists them (cmake/library.cmake). */
extern const parscan_plan_table *const every_plan_table[];

/* Devices that differ in all that a plan knows. The first is the card that limits were measured on. */
enum { PLAN_H100, PLAN_A100, PLAN_SMALL, PLAN_DEVICES };
extern const parscan_plan_device plan_devices[PLAN_DEVICES];

/* The limit of a table, by its name, on a device. Fails the test if there is none. */
size_t plan_limit(const parscan_plan_table *table, const char *name,
                  const parscan_plan_device *device);

#endif
