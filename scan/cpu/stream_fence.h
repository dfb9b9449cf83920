/* Stores that bypass the caches (streaming stores) become visible to other cores by a fence of their own. */
#ifndef PARSCAN_SCAN_CPU_STREAM_FENCE_H
#define PARSCAN_SCAN_CPU_STREAM_FENCE_H

/* Orders the streaming stores before it with all stores after it. */
static inline __attribute__((always_inline)) void stream_fence(void)
{
#ifdef __x86_64__
    __builtin_ia32_sfence();
#endif
}

#endif
