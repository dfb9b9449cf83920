/* Which variant of a search for bounds runs on CUDA (scan/cuda/plan.h). */
#ifndef PARSCAN_APPS_BOUNDS_PLAN_H
#define PARSCAN_APPS_BOUNDS_PLAN_H

#include "scan/cuda/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* parscan_bounds_plans has their meanings. */
typedef enum bounds_variant { BOUNDS_DIRECT, BOUNDS_TREE, BOUNDS_VARIANTS } bounds_variant;

/* The shape: parameters for tuning (bounds_tree.cuh and bounds_kernels.cuh tell what they are). */
enum {
    BOUNDS_THREADS = 512,
    BOUNDS_WARPS = BOUNDS_THREADS / 32,
    BOUNDS_BATCHES = 2,        /* of needles of a lane: those of a batch are searched together */
    BOUNDS_STAGE_BYTES = 2048, /* of keys, for the needles of a warp that are in order */
    BOUNDS_DIRECT_TOP = 2048,  /* samples of DIRECT */
    BOUNDS_BLOCK_BYTES = 128,  /* of the keys of TREE that share a sample */
    BOUNDS_NODE_BYTES = 32,
    BOUNDS_MOST_FANOUT = 8,
    BOUNDS_LEVELS = 12, /* of samples, at most */
    BOUNDS_STREAM_THREADS = 512,
    BOUNDS_STREAM_BLOCKS = 1024,   /* at most */
    BOUNDS_STREAM_BYTES = 81 << 10 /* of shared memory, at most */
};

/* The rows of 32 needles in order that a warp takes at most, and the keys that a block has room for. */
#define BOUNDS_STREAM_ROWS_OF(key_size) ((key_size) > 4 ? 4u : 8u)
#define BOUNDS_STREAM_KEYS_OF(key_size) \
    (BOUNDS_STREAM_THREADS * BOUNDS_STREAM_ROWS_OF(key_size) * 3 / 2)

/* The needles of a batch, by the size of a key. */
#define BOUNDS_BATCH_OF(key_size) ((key_size) > 4 ? 2u : 4u)

/* What of a call decides. */
typedef struct bounds_facts {
    size_t count, n; /* keys and needles; the most, where lengths are on the device */
    size_t key_size;
    uintptr_t sorted; /* where the keys are */
    bool ranges;      /* equal keys are counted, for a join */
} bounds_facts;

typedef struct bounds_plan {
    bounds_variant variant;
    unsigned top;     /* the room for samples in shared memory: a power of two */
    unsigned batches; /* of a lane, 1 or BOUNDS_BATCHES */
    bool far;         /* keys do not fit L2 */
    bool sectors;     /* blocks of keys begin at sectors, which are read whole */
    /* Of TREE: where each level of samples begins, in keys; the last one is taken to shared memory. */
    unsigned levels;
    size_t level_at[BOUNDS_LEVELS];
    size_t tree_keys;
    unsigned stream_needles; /* of a tile, if needles in order come before the tree; or 0 */
    /* Of the tiles that are left to the tree: a byte for each block, then for each tile. */
    size_t left_at;              /* behind the tree, in bytes */
    size_t scratch_bytes;        /* of both */
    size_t shared_bytes, blocks; /* of a search; blocks: that have needles for their warps */
} bounds_plan;

extern const parscan_plan_table parscan_bounds_plans;

bounds_plan parscan_bounds_plan(const parscan_plan_device *device, const bounds_facts *call);

#ifdef __cplusplus
}
#endif
#endif
