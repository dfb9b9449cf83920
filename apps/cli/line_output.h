/* Output that is lines of the input, as they stand there. */
#ifndef PARSCAN_CLI_LINE_OUTPUT_H
#define PARSCAN_CLI_LINE_OUTPUT_H

#include "apps/cli/session.h"

/* The memory of a gathering. Start with LINE_GATHERING. */
typedef struct line_gathering {
    array begins, sizes, offsets; /* u64, one for each line */
} line_gathering;

#define LINE_GATHERING \
    ((line_gathering){{.type = PARSCAN_U64}, {.type = PARSCAN_U64}, {.type = PARSCAN_U64}})

void line_gathering_release(line_gathering *gathering);

/* Adds to out, bytes, the n lines that have these indices. *why is "out of memory", or the library's. */
bool lines_gather(session *job, line_gathering *gathering, const line_store *lines,
                  const uint64_t *indices, size_t n, array *out, failure *why);

/* The same of the lines at n places of the store (line_place()). */
bool lines_gather_at(session *job, line_gathering *gathering, const line_store *lines,
                     const uint64_t *places, size_t n, array *out, failure *why);

/* Adds the header to out. False: memory ran out. */
bool lines_add_head(const session *job, const line_store *lines, array *out, failure *why);

/* Opens the output for lines: bytes, of which the number is not known. */
output_writer *lines_open_output(session *job, failure *why);

/* Writes bytes as the whole output. */
bool lines_write(session *job, const array *bytes, failure *why);

#endif
