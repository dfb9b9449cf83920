/*
 * The arrays of a call, each between two guard pages (guarded.h) and against one of them, with known
 * bytes on its other side: a call that reads or writes past an array dies, or is found out.
 * What arrays are placed in is kept for the next case.
 */
#ifndef PARSCAN_TESTS_PLOT_H
#define PARSCAN_TESTS_PLOT_H

#include "tests/support/guarded.h"

typedef struct plot {
    guarded memory;
    char *array;
    size_t bytes;
} plot; /* {0} is one without memory, which grows as needed */

/* Where an array lies: so many bytes from the guard before it, or after it. */
typedef struct plot_place {
    bool at_end;
    unsigned gap; /* below PLOT_GAPS */
} plot_place;
#define PLOT_GAPS 64u

/* Any of all places, most often against a guard. */
plot_place plot_anywhere(void);

/* An array of bytes with what is at `from`, which cannot be written from now on. */
void *plot_input(plot *p, const void *from, size_t bytes, plot_place place);

/* An array of bytes that are not what a call is likely to write. */
void *plot_output(plot *p, size_t bytes, plot_place place);

/* The output starts with these elements, and the bytes around it are what they were; else the test
   fails with the name of an element and words. */
void plot_expect(const plot *p, const char *name, const void *elements, size_t count, size_t size,
                 const char *words);

#endif
