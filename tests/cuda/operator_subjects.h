/*
 * Operators of the tests, by one text for both engines: each is associative to the bit, so that results are the
 * same in every grouping, and most do not commute.
 */
#ifndef PARSCAN_TESTS_OPERATOR_SUBJECTS_H
#define PARSCAN_TESTS_OPERATOR_SUBJECTS_H

#include <stdbool.h>

#include "parscan/operator.h"
#include "parscan/parscan.h"

typedef struct operator_subject {
    const char *name;
    parscan_operator_options options;
    unsigned alignment; /* of its elements in arrays */
    /* Tests place in and out at different addresses after an aligned one, for which more is compiled where
       elements go in vectors. */
    bool apart;
} operator_subject;

enum { OPERATOR_SUBJECTS = 10 };
extern const operator_subject operator_subjects[OPERATOR_SUBJECTS];

/* The subject of 8 bytes that has an identity and does not commute, and one without identity. */
enum { AFFINE_SUBJECT = 0, BARE_SUBJECT = 1 };

/* An operator that must be right. */
parscan_operator *subject_operator(const operator_subject *subject);
parscan_operator *made_operator(const parscan_operator_options *options);

/* n random elements, for free(). */
void *subject_elements(const operator_subject *subject, size_t n);

/* What a call gives, by a loop, to out: n elements, or one. init: NULL, or one element. */
void subject_expected(const operator_subject *subject, int kind, bool reverse, const void *init,
                      const void *in, void *out, size_t n);

#endif
