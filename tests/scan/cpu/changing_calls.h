/*
 * Calls of the primitives whose inputs are changed meanwhile (test_changing_input.c). Each call names
 * its arrays, and what another thread stores to them.
 */
#ifndef PARSCAN_TESTS_CHANGING_CALLS_H
#define PARSCAN_TESTS_CHANGING_CALLS_H

#include "parscan/parscan.h"

/* What an array has at first, and what is stored to it during calls. */
typedef enum array_content {
    UNUSED,   /* there is no such array */
    OUTPUT,   /* anything; nothing is stored */
    KEYS,     /* any bits; all zeros, all ones and any bits */
    FEW,      /* words of 0 to 15; the same as to KEYS */
    BINS,     /* words below the number of bins; any bits */
    OFFSETS,  /* words that ascend from 0 to n; words below 2 n, but for the first and the last */
    LONG,     /* the same, and all but a few are 0 or n */
    SIZES,    /* words of 0 to MOST_BYTES; the same */
    MULTIPLES /* word i is i * MOST_BYTES; nothing is stored */
} array_content;

enum {
    MOST_BYTES = 72, /* of a record; more than is copied without a call */
    CHANGING_ARRAYS = 6,
    WIDE_BINS = 70000 /* so many go through buckets */
};

/* An array has an_element * n + more bytes. */
typedef struct changing_array {
    array_content content;
    size_t an_element, more;
} changing_array;

/* The arrays of a call as they lie in memory, and the number of elements. */
typedef struct changing_arguments {
    parscan_context *context;
    char *array[CHANGING_ARRAYS];
    size_t n;
} changing_arguments;

typedef struct changing_call {
    const char *name;
    changing_array arrays[CHANGING_ARRAYS];
    parscan_status (*run)(const changing_arguments *a);
} changing_call;

extern const changing_call changing_calls[];
extern const size_t changing_call_count;

#endif
