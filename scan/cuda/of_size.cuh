/* Launches of kernels that are compiled for elements of some sizes, whatever their type is. */
#ifndef PARSCAN_SCAN_OF_SIZE_CUH
#define PARSCAN_SCAN_OF_SIZE_CUH

#include <stddef.h>
#include <stdint.h>

/* Calls launch() with an integer of 1, 2, 4 or 8 bytes, of which only the type counts. */
template <typename LAUNCH>
static auto launch_of_size(size_t size, const LAUNCH &launch)
{
    switch (size) {
    case 1:
        return launch(uint8_t());
    case 2:
        return launch(uint16_t());
    case 4:
        return launch(uint32_t());
    default:
        return launch(uint64_t());
    }
}

/* The same, also of 16 bytes. */
template <typename LAUNCH>
static auto launch_of_unit(size_t size, const LAUNCH &launch)
{
    return size == 16 ? launch(uint4()) : launch_of_size(size, launch);
}

#endif
