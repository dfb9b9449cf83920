/* Scans and reductions by an operator of the caller's on CUDA, beside a loop. */
#ifndef PARSCAN_TESTS_OPERATOR_QUESTIONS_H
#define PARSCAN_TESTS_OPERATOR_QUESTIONS_H

#include "tests/cuda/on_device.h"
#include "tests/cuda/operator_subjects.h"

/* Where the arrays of a call lie. */
typedef enum operator_place { ON_DEVICE, ON_HOST, IN_PLACE } operator_place;

typedef struct operator_question {
    scan_kind kind;
    parscan_scan_options options;
    size_t n;
    unsigned in_offset, out_offset; /* elements after an aligned address */
    operator_place place;
    bool init, init_on_device, length_on_device;
} operator_question;

/* An operator on a context. */
typedef struct operator_bench {
    const operator_subject *subject;
    parscan_context *context;
    parscan_operator *op;
    size_t size;
} operator_bench;

/* Skips where there is no device, or no NVRTC. */
operator_bench operator_bench_create(const operator_subject *subject);
/* The same with resident_blocks: a block has many tiles. */
operator_bench operator_bench_of_blocks(const operator_subject *subject, unsigned blocks);
void operator_bench_destroy(operator_bench *b);

/* Skips so, where a test makes its own contexts. */
void need_operator_compiler(void);

/* Makes the call. init and length: in host memory or on the device; NULL: there is none. */
parscan_status ask_operator(const operator_bench *b, const operator_question *q, const void *in,
                            void *out, const void *init, const uint64_t *length);

void expect_operator_bytes(const operator_bench *b, const operator_question *q,
                           const void *expected, const void *out, size_t count);

/* The call on the first q->n elements at `in`, in host memory, is right and writes nothing beside its output. */
void expect_operator(const operator_bench *b, const operator_question *q, const void *in);

/* Calls of one algorithm, with whatever may differ. */
void expect_operator_algorithm(const operator_bench *b, parscan_algorithm algorithm,
                               const size_t *lengths, size_t count, const void *in);

#endif
