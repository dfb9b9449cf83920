/*
 * The ranks of keys in kernels, of every class of keys (key_rank.h): rank_of_u32(), rank_of_value_of_f16() and
 * their sisters; and for templates a type for each class, u32_keys, f16_keys.
 */
#ifndef PARSCAN_APPS_MERGE_KEY_RANKS_CUH
#define PARSCAN_APPS_MERGE_KEY_RANKS_CUH

#include <string.h>

#include "apps/merge/key_order.h"
#include "scan/tables.h"

#define KERNEL static __device__ __forceinline__ __attribute__((unused))

#define OF_KEY(function) function##_of_u8
#define KEY_BITS 8
#define KEY_FLOAT 0
#define KEY_INFINITY infinity_u8
#include "apps/merge/key_rank.h"
#include "apps/merge/key_rank_end.h"

#define OF_KEY(function) function##_of_u16
#define KEY_BITS 16
#define KEY_FLOAT 0
#define KEY_INFINITY infinity_u16
#include "apps/merge/key_rank.h"
#include "apps/merge/key_rank_end.h"

#define OF_KEY(function) function##_of_u32
#define KEY_BITS 32
#define KEY_FLOAT 0
#define KEY_INFINITY infinity_u32
#include "apps/merge/key_rank.h"
#include "apps/merge/key_rank_end.h"

#define OF_KEY(function) function##_of_u64
#define KEY_BITS 64
#define KEY_FLOAT 0
#define KEY_INFINITY infinity_u64
#include "apps/merge/key_rank.h"
#include "apps/merge/key_rank_end.h"

#define OF_KEY(function) function##_of_f32
#define KEY_BITS 32
#define KEY_FLOAT 1
#define KEY_INFINITY infinity_f32
#include "apps/merge/key_rank.h"
#include "apps/merge/key_rank_end.h"

#define OF_KEY(function) function##_of_f64
#define KEY_BITS 64
#define KEY_FLOAT 1
#define KEY_INFINITY infinity_f64
#include "apps/merge/key_rank.h"
#include "apps/merge/key_rank_end.h"

#define OF_KEY(function) function##_of_f16
#define KEY_BITS 16
#define KEY_FLOAT 1
#define KEY_INFINITY infinity_f16
#include "apps/merge/key_rank.h"
#include "apps/merge/key_rank_end.h"

#define OF_KEY(function) function##_of_bf16
#define KEY_BITS 16
#define KEY_FLOAT 1
#define KEY_INFINITY infinity_bf16
#include "apps/merge/key_rank.h"
#include "apps/merge/key_rank_end.h"

/* A key is read as an integer: keys in device memory are aligned. */
#define X(ctx, NAME, bits, name, ...)                                                       \
    struct name##_keys {                                                                    \
        typedef uint##bits##_t key;                                                         \
        static __device__ __forceinline__ key rank(const key_order &order, key of)          \
        {                                                                                   \
            return rank_of_##name(&order, of);                                              \
        }                                                                                   \
        static __device__ __forceinline__ key rank_of_value(const key_order &order, key of) \
        {                                                                                   \
            return rank_of_value_of_##name(&order, of);                                     \
        }                                                                                   \
    };
PARSCAN_KEY_CLASSES(X, )
#undef X

#undef KERNEL

#endif
