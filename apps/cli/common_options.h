/* The options that every subcommand with an input file has. */
#ifndef PARSCAN_CLI_COMMON_OPTIONS_H
#define PARSCAN_CLI_COMMON_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "apps/cli/field_options.h"
#include "apps/cli/file_format.h"
#include "apps/cli/usage.h"
#include "parscan/types.h"

/* An axis of an npy array: one from 0 on, or from the last one, -1, back. */
typedef struct axis_option {
    bool given;
    int number;
} axis_option;

#define ANY_INPUTS SIZE_MAX

typedef struct common_options {
    const char *input;   /* the first FILE; NULL or "-": standard input */
    char *const *inputs; /* all of them */
    size_t input_count;
    size_t most_inputs; /* of the subcommand; 0: one */
    file_format format;
    parscan_type type; /* 0: not given */
    const char *output;
    file_format output_format;
    parscan_backend backend;
    unsigned threads;     /* 0: not given */
    bool any_output_name; /* of pack, which has rules of its own */
    bool stats, quiet;
    axis_option axis;   /* of subcommands that have AXIS_OPTIONS */
    bool flatten;       /* of subcommands that have FIELD_OPTIONS */
    const char *member; /* the same; or NULL */
    field_rules fields; /* of subcommands that have FIELD_OPTIONS */
    double timeout;     /* of parscan-mpi, in seconds; 0: not given */
} common_options;

enum {
    OPTION_FORMAT = OPTION_FIRST,
    OPTION_TYPE,
    OPTION_OUTPUT_FORMAT,
    OPTION_BACKEND,
    OPTION_THREADS,
    OPTION_STATS,
    OPTION_QUIET,
    OPTION_TIMEOUT,
    OPTION_AXIS,
    OPTION_HEADER,
    OPTION_COMMENT,
    OPTION_DECIMAL,
    OPTION_THOUSANDS,
    OPTION_MISSING,
    OPTION_QUOTES,
    OPTION_MIRROR,
    OPTION_FLATTEN,
    OPTION_MEMBER,
    OPTION_OWN /* a subcommand's own ids start here */
};

/* Entries for the options, the short options and the help of a subcommand. */
/* clang-format off */
#define BACKEND_HELP                               \
    {"  --backend ENGINE      ", backend_name_of}, \
    {" (default: auto, which is the CPU)\n", NULL}
#define THREADS_HELP "  --threads N           number of CPU threads (default: one per processor)\n"
#define QUIET_HELP "  --quiet               show no progress bar and no notes\n"
#define HELP_HELP "  -h, --help            print this page\n"
#define COMMON_OPTIONS                                              \
    {"format", required_argument, NULL, OPTION_FORMAT},             \
    {"type", required_argument, NULL, OPTION_TYPE},                 \
    {"output", required_argument, NULL, 'o'},                       \
    {"output-format", required_argument, NULL, OPTION_OUTPUT_FORMAT}, \
    {"backend", required_argument, NULL, OPTION_BACKEND},           \
    {"threads", required_argument, NULL, OPTION_THREADS},           \
    {"stats", no_argument, NULL, OPTION_STATS},                     \
    {"quiet", no_argument, NULL, OPTION_QUIET}
#define COMMON_SHORT_OPTIONS "o:"
/* The parts of a page's section on input and output. Subcommands refuse what is of no use to them, and say so. */
#define INPUT_HELP                                                                     \
    "\nInput and output:\n"                                                            \
    "  FILE                  the input (default, or '-': standard input). Gzip, zstd and xz\n" \
    "                        files are decompressed\n"
#define FORMAT_HELP                                                                    \
    {INPUT_HELP "  --format FORMAT       the format of the input: ", format_name_of},  \
    {"\n"                                                                              \
     "                        (default: npy if it begins like an npy file, else text)\n", NULL}
#define TEXT_ONLY_HELP                                                                 \
    {INPUT_HELP "  --format FORMAT       the format of the input: text, no other here\n", NULL}
#define TYPE_HELP(type, names)                                                         \
    {"  --type T              the element type of text (default " type ") and raw (no default):\n" \
     "                        ", names},                                               \
    {"\n", NULL}
#define OUTPUT_HELP                                                                    \
    {"  -o, --output FILE     the output (default, or '-': standard output). A name that ends in\n" \
     "                        .gz or .bgz is compressed; .npy and .txt choose the format; .zst,\n" \
     "                        .xz, .npz and others that are not written are refused\n" \
     "  --output-format FORMAT  the format of the output (default: by its name, else the\n" \
     "                        format of the input)\n", NULL}
#define NO_OUTPUT_HELP                                                                 \
    {"  -o, --output, --output-format  are refused: nothing is written\n", NULL}
#define RUN_HELP                                                                       \
    BACKEND_HELP,                                                                      \
    {THREADS_HELP                                                                      \
     "  --stats               print elements, seconds, GB/s and engine on standard error\n" \
     QUIET_HELP HELP_HELP, NULL}
#define COMMON_HELP FORMAT_HELP, TYPE_HELP("i64", type_name_of), OUTPUT_HELP, RUN_HELP
/* Of a subcommand of sizes and the like. */
#define INTEGERS_HELP FORMAT_HELP, TYPE_HELP("u64", integer_name_of), OUTPUT_HELP, RUN_HELP
#define AXIS_OPTIONS {"axis", required_argument, NULL, OPTION_AXIS}
/* Of a subcommand whose output has a line of these elements for each line of the array. */
#define AXIS_HELP(elements)                                                                    \
    {"  --axis N              of an npy array of several dimensions: along dimension N, counted\n" \
     "                        from 0, or from the last one back as -1, -2, ... An npy array is\n" \
     "                        written: " elements "\n", NULL}
/* At the end of a page: a line that runs as it stands in the repository's folder. */
#define EXAMPLE_HELP(command) {"\nExample:\n  " command "\n", NULL}
/* clang-format on */

/* Stores the value of a common option. */
bool common_take(common_options *options, int id, const char *value, failure *why);

/* Reads the value of --axis. */
bool take_axis(const char *value, axis_option *axis, failure *why);

/* Reads the value of an option that is an element type. */
bool take_type(const char *value, parscan_type *type, failure *why);

/* Of a subcommand that reads texts alone: refuses what is for arrays. */
bool common_reads_text(const common_options *options, failure *why);

/* Whether path stands for standard input or output. */
bool is_standard_file(const char *path);

/* Reads the arguments after the options: at most one FILE, or as many as the subcommand takes. Checks the output's
   name, now that all options are known. */
bool common_take_input(common_options *options, int argc, char **argv, failure *why);

#endif
