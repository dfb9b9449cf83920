/* Undefines what key_rank.h takes and defines, so that it may be included for another class of keys. */
#undef OF_KEY
#undef KEY_BITS
#undef KEY_FLOAT
#undef KEY_INFINITY
#undef KEY
#undef KEY_TOP
