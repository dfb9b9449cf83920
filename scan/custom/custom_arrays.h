/*
 * The arrays of a call with an operator of the caller's, as the CPU engine sees them: elements in the
 * order of combination, through the maps, if the operator has any.
 */
#ifndef PARSCAN_SCAN_CUSTOM_CUSTOM_ARRAYS_H
#define PARSCAN_SCAN_CUSTOM_CUSTOM_ARRAYS_H

#include "scan/custom/panel_kernels.h"
#include "scan/scan_call.h"

typedef struct custom_arrays {
    const parscan_operator *op;
    const panel_kernels *kernels;
    const char *in;
    char *out;
    size_t n; /* of both, unless out is that of a reduction */
    bool reverse;
    bool stream; /* store past the caches */
} custom_arrays;

/* The memory of a thread that takes panels of a shape. */
typedef struct custom_work {
    char *panels;         /* `count` of them */
    char *buffer, *other; /* for the elements of one panel each */
    char *results;        /* the same: until traffic has stored them */
    panel_work panel;
} custom_work;

custom_arrays parscan_custom_arrays_of(const parscan_scan_call *call);

size_t parscan_custom_work_bytes(const panel_shape *shape, size_t count);
custom_work parscan_custom_work_at(const panel_shape *shape, size_t count, char *memory);

/* Elements begin to begin + n - 1, aligned, n at most those of a panel: as they are in the array, or in
   work->buffer. */
const char *parscan_custom_elements(const custom_arrays *arrays, size_t begin, size_t n,
                                    custom_work *work);

/* The same to a panel. */
void parscan_custom_load_panel(const custom_arrays *arrays, const panel_shape *shape, size_t begin,
                               size_t n, char *panel, custom_work *work);

/* Stores the results of a panel from element begin on; rows: where its first row of them is. Past the
   caches they are stored in the steps that follow, at last by parscan_custom_end(). */
void parscan_custom_store_panel(const custom_arrays *arrays, const panel_shape *shape,
                                const char *rows, size_t begin, size_t n, custom_work *work);

/* One element: number i of in; of out, where no map has stored it; to number i of out; to a place
   in memory of out. */
custom_value parscan_custom_load_one(const custom_arrays *arrays, size_t i);
custom_value parscan_custom_load_stored(const custom_arrays *arrays, size_t i);
void parscan_custom_store_one(const custom_arrays *arrays, size_t i, const void *element);
void parscan_custom_store_at(const custom_arrays *arrays, size_t place, const void *element);

/* Stores what is left to be, and orders that with what follows. */
void parscan_custom_end(const custom_arrays *arrays, custom_work *work);

/* From now on the elements from begin on are prefetched, where they are in an array; `steps`: the rows that
   will be taken until they are needed. */
void parscan_custom_fetch(const custom_arrays *arrays, size_t begin, size_t n, size_t steps,
                          custom_work *work);

/* What an exclusive scan has first and a reduction of nothing gives: init, or the identity; it is there,
   since calls without it are refused. */
custom_value parscan_custom_start(const parscan_scan_call *call);

#endif
