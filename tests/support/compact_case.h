/*
 * One call of compaction, run and compared with the oracle. Every array lies against a guard page
 * and has room for what is to be written and no more; inputs cannot be written.
 */
#ifndef PARSCAN_TESTS_COMPACT_CASE_H
#define PARSCAN_TESTS_COMPACT_CASE_H

#include "parscan/compact.h"
#include "tests/support/scan_case.h"

typedef enum compact_kind {
    COMPACT_FLAGS,     /* parscan_compact() */
    COMPACT_IF,        /* parscan_compact_if() */
    COMPACT_INDICES,   /* parscan_compact_indices() */
    COMPACT_BOTH,      /* parscan_compact_with_indices() */
    COMPACT_PARTITION, /* parscan_partition() */
    COMPACT_UNIQUE,    /* parscan_unique() */
    COMPACT_RUNS,      /* parscan_run_length_encode() */
    COMPACT_CSR        /* parscan_dense_to_csr() */
} compact_kind;

typedef struct compact_case {
    compact_kind kind;
    parscan_type type;
    size_t element_size;           /* FLAGS, which has no type */
    const uint8_t *flags;          /* FLAGS */
    const parscan_predicate *keep; /* IF, INDICES, BOTH, PARTITION */
    parscan_type index_type;       /* INDICES, BOTH, CSR; the count_type of RUNS */
    bool no_values, no_indices;    /* RUNS (indices: lengths), CSR, BOTH: NULL for this output */
    bool in_place;
    size_t n;             /* CSR: rows * columns */
    size_t rows, columns; /* CSR */
} compact_case;

/* Runs a case twice on the n elements at `in`, arrays against the guards after them and anywhere;
   the test fails when an answer is wrong. */
void expect_compact(parscan_context *context, const compact_case *c, const void *in);

/* Makes the call; `out` is values, then indices (lengths, row offsets), then column indices. */
parscan_status call_compact(parscan_context *context, const compact_case *c, const void *in,
                            const uint8_t *flags, void *const out[3], uint64_t *count);

/* A predicate whose values are kept at odd addresses: write them with predicate_of(). */
typedef struct odd_predicate {
    parscan_predicate keep;
    char odd[2][17];
} odd_predicate;

/* `of` becomes x <comparison> *value (upper, which may be NULL, for BETWEEN). */
void predicate_of(odd_predicate *of, parscan_type type, parscan_comparison comparison,
                  const void *value, const void *upper);

/* Which elements are to be kept, as i goes through n. */
typedef enum pattern {
    NONE,
    ALL,
    RARE,
    HALF,
    MOST,
    ALTERNATING,
    FIRST,
    LAST,
    LONG_RUNS,
    PATTERNS
} pattern;
bool pattern_keeps(pattern p, size_t i, size_t n);
pattern any_pattern(void);

/* n random elements that the predicate holds for just where the pattern says, as far as there are
   such elements; for free(). */
void *patterned_array(parscan_type type, const parscan_predicate *keep, pattern p, size_t n);

/* n random elements in runs that end with a chance of one in `length`; NaNs and zeros of a run
   differ in their bits; for free(). */
void *array_of_runs(parscan_type type, size_t length, size_t n);

#endif
