/* The options of scans, plain and segmented. */
#ifndef PARSCAN_CLI_SCAN_OPTIONS_H
#define PARSCAN_CLI_SCAN_OPTIONS_H

#include "apps/cli/session.h"
#include "parscan/scan.h"

typedef struct scan_arguments {
    parscan_scan_options options;
    bool exclusive;
    const char *init;          /* its words: the type is known when the input is being read */
    long double init_value[2]; /* room and alignment for an element of any type */
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
    OPTION_AFTER_SCAN /* a subcommand's own ids begin here */
};

/* For the usage of a subcommand: entries of its options and its help. */
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
#define SCAN_HELP                                                                              \
    {"  --op NAME             another operator than the sum: ", op_name_of},                   \
    {"\n"                                                                                      \
     "  --exclusive           the sum of the elements before i\n"                              \
     "  --init V              a first operand before all others\n"                             \
     "  --reverse             from the last element to the first\n"                            \
     "  --algorithm NAME      auto (default) is the fastest:\n"                                \
     "                        ", algorithm_name_of},                                           \
    {"\n"                                                                                      \
     "  --out-type T          sum in, and write, a wider type: u8, u16 -> u32, u64;\n"         \
     "                        u32 -> u64; i8, i16 -> i32, i64; i32 -> i64; f32 -> f64\n"       \
     "  --reproducible        floats to the same bits on every engine, in any number of threads\n" \
     "  --block-threads N     the threads of a block of a block algorithm\n"                   \
     "  --items N             the elements of each of these threads\n", NULL}
/* clang-format on */

/* Takes an option of a scan, or a common one. */
bool scan_take(scan_arguments *scan, common_options *common, int id, const char *value,
               failure *why);

/* The type of the output for an input of that type. */
parscan_type scan_out_type(const scan_arguments *scan, parscan_type type);

/* Reads --init in the type of the output; an exit status. */
int scan_read_init(scan_arguments *scan, parscan_type type, failure *why);

/* Prints the statistics of a scan of the session's input to its output, with that many bytes read
   besides. */
void scan_print_stats(const scan_arguments *scan, session *job, double more_bytes, double seconds);

#endif
