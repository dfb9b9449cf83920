/*
 * NumPy as a peer: a process of Python (peers_numpy.py) that makes the calls and times them itself,
 * on arrays of its own, at its turn among the cases of a group. PARSCAN_BENCH_PYTHON in the
 * environment: the Python that has NumPy, if python3 has not.
 */
#ifndef PARSCAN_BENCH_NUMPY_H
#define PARSCAN_BENCH_NUMPY_H

#include "harness.h"

/* Lives as long as the group that its case is in. */
typedef struct bench_numpy_work {
    const char *call; /* a function of peers_numpy.py */
    parscan_type type;
    const void *in;
    size_t n;
    uint64_t argument;         /* bins, or what elements must be below */
    void *out;                 /* room for n elements of the result, and more for counts */
    uint64_t count;            /* of the result's elements */
    bool (*check)(void *user); /* whether `out` is right */
    void *user;
    const char *failure; /* in words; NULL: none */
} bench_numpy_work;

/* Adds the case "numpy" at the work; without NumPy it is missing. */
void bench_add_numpy(bench_group *group, const char *work_name, double bytes,
                     bench_numpy_work *work);

/* "NumPy VERSION", or that there is none. */
const char *bench_numpy_version(void);

/* Ends the process, if there is one. */
void bench_numpy_stop(void);

#endif
