/*
 * One element type for files of the CUDA engine that are compiled once for each type. CMake must
 * define PARSCAN_ELEMENT (U8), PARSCAN_ELEMENT_NAME (u8) and PARSCAN_ELEMENT_CLASS (INTEGER), as for
 * the CPU engine. This file defines
 *     Stored   the element type
 *     T        the type in which its elements are computed: float for floats of 16 bits, else the same
 */
#ifndef PARSCAN_SCAN_CUDA_CUDA_ELEMENT_CUH
#define PARSCAN_SCAN_CUDA_CUDA_ELEMENT_CUH

#include "scan/cuda/operators.cuh"
#include "scan/type_traits.h"

#define ELEMENT_TYPE PARSCAN_PASTE(PARSCAN_, PARSCAN_ELEMENT)
#define ELEMENT_OPS PARSCAN_PASTE(PARSCAN_OPS_, PARSCAN_ELEMENT_CLASS)
#define IS_FLOAT_INTEGER 0
#define IS_FLOAT_FLOAT 1
#define IS_FLOAT_HALF 1
#define ELEMENT_IS_FLOAT PARSCAN_PASTE(IS_FLOAT_, PARSCAN_ELEMENT_CLASS)

typedef parscan_type_numbered<ELEMENT_TYPE>::T Stored;
typedef parscan_type_numbered<parscan_compute_type(ELEMENT_TYPE)>::T T;

#endif
