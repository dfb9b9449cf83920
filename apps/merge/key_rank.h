/*
 * One class of keys: how a key is read, written and ranked.
 *
 * Before: KEY_BITS, KEY_FLOAT, KEY_INFINITY (key_order.h: infinity_u8, infinity_f32), KERNEL (how a small
 * function is declared), and OF_KEY(function), the name of a function for this class. This file defines
 * KEY, the unsigned integer that holds a key, and KEY_TOP. To include it for another class, include
 * key_rank_end.h first.
 */
#define KEY PARSCAN_PASTE(PARSCAN_PASTE(uint, KEY_BITS), _t)
#define KEY_TOP ((KEY)((KEY)1 << (KEY_BITS - 1)))

/* Reads a key. Arrays may have any alignment. */
KERNEL KEY OF_KEY(key)(const char *keys, size_t i)
{
    KEY key;
    memcpy(&key, keys + i * sizeof key, sizeof key);
    return key;
}

KERNEL void OF_KEY(put_key)(char *keys, size_t i, KEY key)
{
    memcpy(keys + i * sizeof key, &key, sizeof key);
}

/* Returns an unsigned integer that compares as the key does. */
KERNEL KEY OF_KEY(rank)(const key_order *order, KEY key)
{
#if KEY_FLOAT
    const KEY infinity = (KEY)KEY_INFINITY;
    const KEY negative = (KEY)(0 - (key >> (KEY_BITS - 1)));
    const KEY nan = (KEY)(0 - (KEY)((key & (KEY)~KEY_TOP) > infinity));
    return ((key ^ (negative | KEY_TOP)) | nan) ^ (KEY)order->flip;
#else
    return (key ^ (KEY)order->flip) & (KEY)order->keep;
#endif
}

/* The same, of keys that == takes for equal too: -0 has the rank of +0. */
KERNEL KEY OF_KEY(rank_of_value)(const key_order *order, KEY key)
{
#if KEY_FLOAT
    return OF_KEY(rank)(order, key == KEY_TOP ? 0 : key);
#else
    return OF_KEY(rank)(order, key);
#endif
}

/* Returns the key of a rank by all bits; of NaNs, which share a rank, one of them. */
KERNEL KEY OF_KEY(key_of_rank)(const key_order *order, KEY rank)
{
    const KEY ordered = rank ^ (KEY)order->flip;
#if KEY_FLOAT
    const KEY negative = (KEY)((KEY)(ordered >> (KEY_BITS - 1)) - 1);
    return ordered ^ (negative | KEY_TOP);
#else
    return ordered;
#endif
}
