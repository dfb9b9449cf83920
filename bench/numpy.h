/*
 * NumPy as a peer: a Python process (peers_numpy.py) that makes the calls and times them itself, on
 * arrays of its own, when its case in a group is due. The environment variable PARSCAN_BENCH_PYTHON
 * names the Python that has NumPy, if python3 does not.
 */
#ifndef PARSCAN_BENCH_NUMPY_H
#define PARSCAN_BENCH_NUMPY_H

#include "harness.h"

/* The context of such a case. It must outlive the group. */
typedef struct bench_numpy_work {
    const char *call; /* a function of peers_numpy.py */
    parscan_type type;
    const void *in;
    size_t n;
    uint64_t argument;         /* the number of bins, or the limit of a filter */
    void *out;                 /* room for n elements of the result, and more for counts */
    uint64_t count;            /* the number of elements of the result */
    bool (*check)(void *user); /* whether `out` is right */
    void *user;
    const char *failure; /* a message, or NULL */
} bench_numpy_work;

/* Adds the case "numpy" for the work. Without NumPy it is missing. */
void bench_add_numpy(bench_group *group, const char *work_name, double bytes,
                     bench_numpy_work *work);

/* "NumPy VERSION", or that there is none. The string is static. */
const char *bench_numpy_version(void);

/* Ends the process, if there is one. */
void bench_numpy_stop(void);

#endif
