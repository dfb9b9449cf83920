/*
 * A sort by a heap, in place: never slow, and bounded by the array whatever it holds. Before: T, the elements.
 *
 * Source: J. W. J. Williams, Algorithm 232: Heapsort, 1964; R. W. Floyd, Algorithm 245: Treesort 3, 1964.
 */
#ifndef PARSCAN_APPS_MERGE_HEAP_SORT_H
#define PARSCAN_APPS_MERGE_HEAP_SORT_H

#include <stddef.h>

static inline void sift(T *keys, size_t i, size_t n)
{
    const T key = keys[i];
    for (size_t child = 2 * i + 1; child < n; child = 2 * i + 1) {
        child += child + 1 < n && keys[child] < keys[child + 1];
        if (keys[child] <= key)
            break;
        keys[i] = keys[child];
        i = child;
    }
    keys[i] = key;
}

static void sort_by_heap(T *keys, size_t n)
{
    for (size_t i = n / 2; i-- > 0;)
        sift(keys, i, n);
    while (n-- > 1) {
        const T key = keys[0];
        keys[0] = keys[n];
        keys[n] = key;
        sift(keys, 0, n);
    }
}

#endif
