/*
 * One call of a scan or a reduction, run and compared with the oracle; and the lists of everything
 * that a test may loop over.
 */
#ifndef PARSCAN_TESTS_SCAN_CASE_H
#define PARSCAN_TESTS_SCAN_CASE_H

#include "scan/tables.h"
#include "tests/support/oracle.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define ONE_MORE(...) +1
enum {
    ARITHMETIC_TYPES = 0 PARSCAN_ARITHMETIC_TYPES(ONE_MORE, ),
    TYPES = ARITHMETIC_TYPES PARSCAN_STORED_TYPES(ONE_MORE, ),
    OPS = 0 PARSCAN_OPS(ONE_MORE, ),
    ALGORITHMS = 0 PARSCAN_ALGORITHMS(ONE_MORE, )
};
/* The first ARITHMETIC_TYPES of them are those in which the processor computes. */
extern const parscan_type all_types[TYPES];
extern const parscan_op all_ops[OPS];
extern const parscan_algorithm all_algorithms[ALGORITHMS];

/* Whether type has the operator. */
bool type_has(parscan_type type, parscan_op op);

/* Whether the operator rounds floats, so that results depend on how they are grouped. */
bool op_rounds(parscan_op op);

/* Where the arrays of a call lie: in the program's memory, which CUDA stages, or in the engine's. */
typedef enum memory_space { HOST_MEMORY, ENGINE_MEMORY } memory_space;

typedef struct scan_case {
    scan_kind kind;
    parscan_type type;
    parscan_scan_options options; /* struct_size is filled in */
    size_t n;
    unsigned in_offset, out_offset; /* bytes that the arrays start past an aligned address; in the
                                       engine's memory, where they are aligned, elements */
    bool in_place;
    memory_space space; /* of scan_is_right_in() */
} scan_case;

#define CASE_WORDS 512

/* Makes the call that kind names, in and out as they are. */
parscan_status call_scan(parscan_context *context, scan_kind kind, parscan_type type,
                         const void *in, void *out, size_t n, const parscan_scan_options *options);

/* Runs a case on the n elements at `in`, copied to its space, and compares: the answer with the
   oracle's, the input and the bytes around the output with what they were. Words tell what was
   wrong. */
bool scan_is_right_in(parscan_context *context, const scan_case *scan, const void *in,
                      char words[CASE_WORDS]);

/* The same in every space that differs from the others on the context's engine. */
bool scan_is_right(parscan_context *context, const scan_case *scan, const void *in,
                   char words[CASE_WORDS]);

/* Compares an answer to a case, out, with the oracle's, given the input as it was. */
bool answer_is_right(const scan_case *scan, const void *in, const void *out,
                     char words[CASE_WORDS]);

/* A case in words, and what is said of it. */
void describe_case(const scan_case *scan, const char *what, char words[CASE_WORDS]);

/* As scan_is_right(); the test fails when the answer is wrong. */
void expect_scan(parscan_context *context, scan_case scan, const void *in);

/* n random elements of type that suit op, for free(). */
void *random_array(parscan_type type, parscan_op op, size_t n);

#endif
