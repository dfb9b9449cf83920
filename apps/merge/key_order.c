#include "apps/merge/key_order.h"

key_traits parscan_key_traits(parscan_type type)
{
    switch (type) {
    case PARSCAN_U8:
        return (key_traits){KEY_U8, 8, false, false};
    case PARSCAN_I8:
        return (key_traits){KEY_U8, 8, false, true};
    case PARSCAN_U16:
        return (key_traits){KEY_U16, 16, false, false};
    case PARSCAN_I16:
        return (key_traits){KEY_U16, 16, false, true};
    case PARSCAN_U32:
        return (key_traits){KEY_U32, 32, false, false};
    case PARSCAN_I32:
        return (key_traits){KEY_U32, 32, false, true};
    case PARSCAN_U64:
        return (key_traits){KEY_U64, 64, false, false};
    case PARSCAN_I64:
        return (key_traits){KEY_U64, 64, false, true};
    case PARSCAN_F32:
        return (key_traits){KEY_F32, 32, true, true};
    case PARSCAN_F64:
        return (key_traits){KEY_F64, 64, true, true};
    }
    return (key_traits){0};
}

static uint64_t low_bits(unsigned bits)
{
    return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

key_order parscan_key_order(key_traits key, bool descending, unsigned begin_bit, unsigned end_bit)
{
    const bool flips_sign = key.is_signed && !key.is_float;
    const uint64_t sign = flips_sign ? (uint64_t)1 << (key.bits - 1) : 0;
    return (key_order){.flip = descending ? sign ^ low_bits(key.bits) : sign,
                       .keep = low_bits(end_bit) & ~low_bits(begin_bit)};
}
