#include "scan/axis/axis_bits.h"

#include <string.h>

#include "scan/type_traits.h"

/* A pattern of so many bytes in each of 8. */
static uint64_t repeated(uint64_t pattern, size_t size)
{
    for (size_t bytes = size; bytes < 8; bytes *= 2)
        pattern |= pattern << 8 * bytes;
    return pattern;
}

/* The highest bit of each element. */
static uint64_t highest_bits(size_t size)
{
    return repeated((uint64_t)1 << (8 * size - 1), size);
}

void parscan_axis_take_call(parscan_axis_launch_call *on_device, const parscan_scan_call *given)
{
    parscan_scan_call *const call = &on_device->call;
    *call = parscan_scan_signless(given);
    on_device->base.call = call;
    on_device->inverts = on_device->ends = 0;
    on_device->in_words = false;
    if (parscan_is_float(call->out_type))
        return;
    const parscan_type bits = parscan_signless(call->out_type);
    if (call->op == PARSCAN_MAX || call->op == PARSCAN_OR)
        on_device->inverts = UINT64_MAX;
    if (call->op == PARSCAN_MAX || call->op == PARSCAN_MIN) {
        if (call->out_type != bits)
            on_device->inverts ^= highest_bits(parscan_type_size(bits));
        call->op = PARSCAN_MIN;
        call->in_type = call->out_type = bits;
    } else if (call->op == PARSCAN_OR) {
        call->op = PARSCAN_AND;
    }
}

/* Two elements of 4 bytes take fewer instructions as they are, except of operators on bits. has_packs() of
   axis_launches.cu is what remains. */
static bool takes_words(const parscan_scan_call *call)
{
    if (parscan_is_float(call->in_type))
        return false;
    switch (call->op) {
    case PARSCAN_AND:
    case PARSCAN_XOR:
        return parscan_type_size(call->in_type) < 8;
    case PARSCAN_SUM:
    case PARSCAN_MIN:
    case PARSCAN_PRODUCT:
        return parscan_type_size(call->in_type) < 4;
    default:
        return false;
    }
}

void parscan_axis_join_words(parscan_axis_launch_call *on_device)
{
    parscan_scan_call *const call = &on_device->call;
    const size_t size = parscan_type_size(call->in_type), bytes = on_device->pack * size;
    if (!takes_words(call))
        return;
    if (call->op != PARSCAN_AND && call->op != PARSCAN_XOR)
        on_device->ends = highest_bits(size);
    if (call->init != NULL || call->op == PARSCAN_PRODUCT) {
        uint64_t init = call->init == NULL; /* of a product, whose identity depends on the parts */
        if (call->init != NULL)
            memcpy(&init, call->init, size); /* little-endian, as all hosts of CUDA are */
        on_device->init = repeated(init, size);
        call->init = &on_device->init;
    }
    call->in_type = bytes == 2 ? PARSCAN_U16 : bytes == 4 ? PARSCAN_U32 : PARSCAN_U64;
    call->out_type = call->in_type;
    on_device->in_words = true;
    on_device->pack = (unsigned)(bytes / parscan_type_size(call->in_type));
}

size_t parscan_axis_part_size(const parscan_axis_launch_call *on_device)
{
    if (on_device->ends != 0)
        return on_device->ends & 0x80 ? 1 : 2;
    return parscan_type_size(on_device->base.call->in_type);
}
