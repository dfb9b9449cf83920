/* The CPU engine of scans and reductions with an operator of the caller's. */
#ifndef PARSCAN_SCAN_CUSTOM_CUSTOM_CPU_H
#define PARSCAN_SCAN_CUSTOM_CUSTOM_CPU_H

#include "scan/scan_call.h"

/* Runs a checked call with an operator; n = 0 only for a reduction. Errors: OUT_OF_MEMORY. */
parscan_status parscan_custom_cpu(const parscan_scan_call *call);

/* Its algorithms. n > 0, and the context does not measure in sequential. */
parscan_status parscan_custom_sequential_cpu(const parscan_scan_call *call);
parscan_status parscan_custom_single_pass_cpu(const parscan_scan_call *call);
parscan_status parscan_custom_tree_cpu(const parscan_scan_call *call);
parscan_status parscan_custom_blocks_cpu(const parscan_scan_call *call);

#endif
