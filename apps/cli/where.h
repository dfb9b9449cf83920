/* The conditions of compact --where: nonzero, ==V, !=V, <V, <=V, >V, >=V, A..B. */
#ifndef PARSCAN_CLI_WHERE_H
#define PARSCAN_CLI_WHERE_H

#include "apps/cli/failure.h"
#include "parscan/compact.h"

/* A predicate and its values. */
typedef struct where {
    parscan_predicate predicate;
    long double value[2], upper[2]; /* room and alignment for an element of any type */
} where;

/* Reads a condition on elements of that type. The predicate points into *condition, which must not
   move. */
bool where_parse(where *condition, const char *text, parscan_type type, failure *why);

#endif
