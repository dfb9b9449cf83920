/* The scans of the CPU engine for one element type. Compiled once for each type
   (scan/cpu/element.h). */
#include "scan/scan_element_cpu.h"

const parscan_cpu_scan NAMED(parscan_cpu_scan) = {
    .sequential = NAMED(parscan_sequential_cpu),
    .hierarchical = NAMED(parscan_hierarchical_cpu),
    .single_pass = NAMED(parscan_single_pass_cpu),
    .reproducible = NAMED(parscan_reproducible_cpu),
    .axis = NAMED(parscan_axis_cpu),
};
