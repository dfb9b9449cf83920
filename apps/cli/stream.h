/*
 * The work of a subcommand in pieces of its input, in constant memory: while one piece is computed,
 * the next one is read, and the results of the one before are written.
 */
#ifndef PARSCAN_CLI_STREAM_H
#define PARSCAN_CLI_STREAM_H

#include "apps/cli/session.h"

typedef struct stream_piece {
    uint64_t first; /* the index of in's first element in the input */
    array in;
    array second; /* of the second file, if there is one: as many elements */
    array out;    /* room for in.n elements; may be in's memory; of lines: the caller makes room */
    line_store lines; /* what is kept of the lines of the elements */
} stream_piece;

/* Reads what belongs to the piece from the second file. in.n is 0 at the end of the input. */
typedef bool stream_read_second(session *job, void *user, stream_piece *piece, failure *why);

/* Computes a piece: sets out.n. Returns an exit status. */
typedef int stream_compute(session *job, void *user, stream_piece *piece, failure *why);

/* The end of the input: before what was written takes its place. Returns an exit status. */
typedef int stream_finish(session *job, void *user, failure *why);

typedef struct stream_work {
    parscan_type out_type;      /* 0: pieces have no output */
    bool one_each;              /* there is one element of output for each of the input */
    bool new_memory;            /* out is never in's memory */
    bool unwritten;             /* out is not written */
    bool lines;                 /* pieces have their lines. Unless out_type is 0, it is u8, and the
                                        output is lines. A piece of no elements may have a header */
    const second_input *second; /* NULL: there is none */
    stream_read_second *read_second; /* NULL: as many elements as the input has */
    stream_compute *compute;
    stream_finish *finish; /* or NULL */
    void *user;
} stream_work;

/* What a stream has done. */
typedef struct stream_totals {
    uint64_t read, written; /* elements of the input and of the output */
    double seconds;         /* of computing */
} stream_totals;

/* The most elements of a piece whose largest ones are of one of these types; 0: none. */
size_t stream_piece_elements(const session *job, parscan_type second_type, parscan_type out_type);

/* Counts what is left of the input, and adds it to *n. */
bool stream_count_rest(session *job, uint64_t *n, failure *why);

/* Reads the open files of the session to their ends, and writes the output. Returns an exit
   status. */
int stream_run(session *job, const stream_work *work, stream_totals *totals, failure *why);

#endif
