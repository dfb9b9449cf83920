/* The options of scans, plain and segmented. */
#ifndef PARSCAN_CLI_SCAN_OPTIONS_H
#define PARSCAN_CLI_SCAN_OPTIONS_H

#include "apps/cli/offset_flags.h"
#include "apps/cli/overflow_check.h"
#include "apps/cli/session.h"
#include "apps/cli/stream.h"
#include "parscan/chunked.h"
#include "parscan/scan.h"
#include "scan/tables.h"

typedef struct scan_arguments {
    parscan_scan_options options;
    bool exclusive;
    const char *init;          /* as given: its type is known only when the input is read */
    long double init_value[2]; /* room and alignment for an element of any type */
    parscan_chunked *chunked;  /* what goes on from piece to piece */
    offset_flags *offsets;     /* NULL: the second file has no offsets */
    bool append;               /* each line is written with its result behind it */
    array results;             /* of a piece, which are appended */
    size_t fields;             /* of each line that they are appended to; 0: nothing is read yet */
    bool checked;              /* sums and products of integers may not wrap around */
    overflow_check check;      /* its state */
} scan_arguments;

#define SCAN_ARGUMENTS ((scan_arguments){.options = PARSCAN_SCAN_OPTIONS(.op = PARSCAN_SUM)})

enum {
    OPTION_OP = OPTION_OWN,
    OPTION_EXCLUSIVE,
    OPTION_INIT,
    OPTION_REVERSE,
    OPTION_ALGORITHM,
    OPTION_OUT_TYPE,
    OPTION_REPRODUCIBLE,
    OPTION_BLOCK_THREADS,
    OPTION_ITEMS,
    OPTION_CHECKED,
    OPTION_APPEND,
    OPTION_AFTER_SCAN /* a subcommand's own ids start here */
};

/* Entries for the options and the help of a subcommand. */
/* clang-format off */
#define SCAN_OPTIONS                                                \
    {"op", required_argument, NULL, OPTION_OP},                     \
    {"exclusive", no_argument, NULL, OPTION_EXCLUSIVE},             \
    {"init", required_argument, NULL, OPTION_INIT},                 \
    {"reverse", no_argument, NULL, OPTION_REVERSE},                 \
    {"algorithm", required_argument, NULL, OPTION_ALGORITHM},       \
    {"out-type", required_argument, NULL, OPTION_OUT_TYPE},         \
    {"reproducible", no_argument, NULL, OPTION_REPRODUCIBLE},       \
    {"block-threads", required_argument, NULL, OPTION_BLOCK_THREADS}, \
    {"items", required_argument, NULL, OPTION_ITEMS}
/* Of scans that read in pieces. */
#define PIECES_OPTIONS                                              \
    {"checked", no_argument, NULL, OPTION_CHECKED},                 \
    {"append", no_argument, NULL, OPTION_APPEND}
#define PIECES_HELP                                                                            \
    {"  --checked             fail where a sum or product of integers wraps around\n"             \
     "  --append              write each line of the text, with its result as a further field\n", NULL}
#define SCAN_HELP                                                                              \
    SCAN_HELP_OPERATOR,                                                                        \
    {"  --algorithm NAME      (default auto, the fastest)\n"                                   \
     "                        ", algorithm_name_of},                                           \
    {"\n" SCAN_HELP_OUT_TYPE SCAN_HELP_MASKS                                                   \
     "  --reproducible        give floats the same bits on both engines and for any number of\n" \
     "                        threads\n"                                                       \
     "  --block-threads N     threads per block, for a block algorithm\n"                      \
     "  --items N             elements per thread, for a block algorithm\n", NULL}
/* The same for scans of segments, which the block algorithms do not do. */
#define SCAN_SEGMENTS_HELP                                                                     \
    SCAN_HELP_OPERATOR,                                                                        \
    {"  --algorithm NAME      auto (default, the fastest), sequential or single-pass\n"         \
     SCAN_HELP_OUT_TYPE SCAN_HELP_MASKS                                                        \
     "  --reproducible, --block-threads N, --items N\n"                                        \
     "                        for parscan scan only; integers are always reproducible\n", NULL}
#define SCAN_HELP_OP(ctx, NAME, number, name, ...) " " #name
#define SCAN_HELP_OPERATOR                                                                     \
    {"  --op NAME             the operator (default sum; for integers only:"                   \
     PARSCAN_BIT_OPS(SCAN_HELP_OP, ) "):\n"                                                    \
     "                        ", op_name_of},                                                  \
    {"\n"                                                                                      \
     "  --exclusive           combine the elements before i, without element i\n"              \
     "  --init V              combine V first, before all elements\n"                          \
     "  --reverse             go from the last element to the first. What cannot be read from its\n" \
     "                        end, such as a pipe or text, is copied to a file in TMPDIR, else /tmp\n", NULL}
#define SCAN_HELP_OUT_TYPE                                                                     \
    "  --out-type T          compute the sum in a wider type, and write it: u8, u16 -> u32, u64;\n" \
    "                        u32 -> u64; i8, i16 -> i32, i64; i32 -> i64; f32 -> f64;\n" \
    "                        f16, bf16 -> f32, f64\n"
#define SCAN_HELP_MASKS                                                                        \
    "                        (default: the type of the input; u64 for sums of npy's booleans)\n"
/* clang-format on */

/* Stores the value of an option of scans, or of a common one. */
bool scan_take(scan_arguments *scan, common_options *common, int id, const char *value,
               failure *why);

/* The type of the output for an input of that type. */
parscan_type scan_out_type(const scan_arguments *scan, parscan_type type);

/* Sums of NumPy's booleans are u64 by default: theirs are not modulo 256 either. */
void scan_take_mask(scan_arguments *scan, bool is_mask);

/* Reads --init as an element of the output's type. Returns an exit status. */
int scan_read_init(scan_arguments *scan, parscan_type type, failure *why);

/* Checks --append, and prepares what --checked asks for, if they were given: call it after scan_read_init(). Returns an exit status. */
int scan_begin_check(scan_arguments *scan, const session *job, parscan_type type, failure *why);

/* Scans the open files of the session in pieces with scan->chunked, and prints the statistics.
   Returns an exit status. */
int scan_stream(scan_arguments *scan, session *job, const second_input *second, failure *why);

void scan_print_stats(const scan_arguments *scan, session *job, const second_input *second,
                      const stream_totals *totals);

#endif
