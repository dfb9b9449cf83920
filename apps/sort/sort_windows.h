/* Keys of a sort in parts that are shown to the host (sort_parts_call.h: sort_window), by one kernel. */
#ifndef PARSCAN_APPS_SORT_SORT_WINDOWS_H
#define PARSCAN_APPS_SORT_SORT_WINDOWS_H

#include "scan/cuda/cuda_context.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WINDOWS_AT_ONCE = 64 };

/* `count` of the keys, from `first` on, `step` apart, go to to[at] and what follows. */
typedef struct shown_window {
    size_t first, step;
    uint32_t at, count;
} shown_window;

/* to: pinned host memory, which the kernel writes itself. */
typedef struct shown_windows {
    const void *keys;
    void *to;
    shown_window window[WINDOWS_AT_ONCE];
} shown_windows;

/* size: of a key, 1, 2, 4 or 8 bytes. */
cudaError_t parscan_show_windows_launch(parscan_cuda *cuda, const shown_windows *windows,
                                        size_t count, size_t size);

#ifdef __cplusplus
}
#endif

#endif
