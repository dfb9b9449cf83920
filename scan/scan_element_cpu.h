/* The scans of the CPU engine for one element type: their files are compiled once for each type. */
#ifndef PARSCAN_SCAN_ELEMENT_CPU_H
#define PARSCAN_SCAN_ELEMENT_CPU_H

#include "scan/cpu/element.h"
#include "scan/scan_call.h"

parscan_status NAMED(parscan_sequential_cpu)(const parscan_scan_call *call);
parscan_status NAMED(parscan_hierarchical_cpu)(const parscan_scan_call *call);
parscan_status NAMED(parscan_single_pass_cpu)(const parscan_scan_call *call);
parscan_status NAMED(parscan_reproducible_cpu)(const parscan_scan_call *call);
parscan_status NAMED(parscan_axis_cpu)(const parscan_scan_call *call);

#endif
