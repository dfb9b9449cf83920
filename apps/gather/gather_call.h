/* A checked call of gather or scatter: what gather.c passes to an engine. The caller owns all arrays. */
#ifndef PARSCAN_APPS_GATHER_CALL_H
#define PARSCAN_APPS_GATHER_CALL_H

#include "parscan/gather.h"
#include "scan/context/context_state.h"

typedef struct gather_call {
    parscan_context *context;
    const char *in;
    char *out;
    const void *indices;
    size_t n;             /* of the indices, and of the elements that follow their order */
    const uint64_t *n_at; /* the length in device memory, at most n; NULL: it is n */
    size_t count;         /* of the elements that indices say: in_count, out_count */
    uint64_t limit;       /* an index is below it: count, or what a signed type can hold */
    size_t value_size;    /* 1 or more */
    parscan_type index_type;
    bool wide;      /* indices have 8 bytes, else 4. Signed ones are read as unsigned */
    bool scatters;  /* else it gathers */
    bool last_wins; /* of equal indices of a scatter */
} gather_call;

/* An index that is out of range. */
typedef struct index_fault {
    bool found;
    size_t place; /* in the indices */
    uint64_t index;
} index_fault;

/* Index i, of indices that the host can read. */
uint64_t parscan_index_at(const gather_call *call, size_t i);

/* Stores the message for it, and returns INVALID_ARGUMENT; OK if there is none. */
parscan_status parscan_fail_index(const gather_call *call, const index_fault *fault);

/* The engines. n is not 0, but on CUDA it may be if the length was in device memory. Errors: INVALID_ARGUMENT, an index is out of range; on CUDA also
   OUT_OF_MEMORY, DEVICE. */
parscan_status parscan_gather_cpu(const gather_call *call);
parscan_status parscan_gather_by_index_cuda(const gather_call *call);

#endif
