/* The options that every subcommand with an input file has. */
#ifndef PARSCAN_CLI_COMMON_OPTIONS_H
#define PARSCAN_CLI_COMMON_OPTIONS_H

#include "apps/cli/file_format.h"
#include "apps/cli/usage.h"
#include "parscan/types.h"

typedef struct common_options {
    const char *input; /* NULL or "-": standard input */
    file_format format;
    parscan_type type; /* 0: not given */
    const char *output;
    file_format output_format;
    parscan_backend backend;
    unsigned threads; /* 0: not given */
    bool stats, quiet;
} common_options;

enum {
    OPTION_FORMAT = OPTION_FIRST,
    OPTION_TYPE,
    OPTION_OUTPUT_FORMAT,
    OPTION_BACKEND,
    OPTION_THREADS,
    OPTION_STATS,
    OPTION_QUIET,
    OPTION_OWN /* a subcommand's own ids begin here */
};

/* For the usage of a subcommand: entries of its options, its short options, its help. */
/* clang-format off */
#define BACKEND_HELP                                 \
    {"  --backend ENGINE      ", backend_name_of},   \
    {" (default: auto, which is cpu)\n", NULL}
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
#define COMMON_HELP COMMON_HELP_TEXT("i64")
/* Where the elements of text are of another type unless told. */
#define COMMON_HELP_TEXT(type)                                                         \
    {"\nInput and output:\n"                                                           \
     "  FILE                  the input; none or '-' is standard input; gzip or not\n" \
     "  --format FORMAT       the input's format: ", format_name_of},                  \
    {"\n"                                                                              \
     "                        (default: npy by its magic bytes, else text)\n"          \
     "  --type T              the element type of text (default " type ") and raw input:\n" \
     "                        ", type_name_of},                                        \
    {"\n"                                                                              \
     "  -o, --output FILE     the output (default: standard output); FILE.gz is\n"     \
     "                        compressed, .npy and .txt choose the format\n"           \
     "  --output-format FORMAT  the output's format (default: as FILE ends, else as the\n" \
     "                        input's)\n", NULL},                                      \
    BACKEND_HELP,                                                                      \
    {"  --threads N           CPU threads (default: one a processor)\n"                \
     "  --stats               elements, seconds, GB/s and engine on standard error\n"  \
     "  --quiet               no progress bar\n"                                       \
     "  -h, --help            this page\n", NULL}
/* clang-format on */

/* Takes an option of the common ones. */
bool common_take(common_options *options, int id, const char *value, failure *why);

/* The value of an option that is a type. */
bool take_type(const char *value, parscan_type *type, failure *why);

/* Whether a file of that name is a standard one, the input or the output. */
bool is_standard_file(const char *path);

/* Takes the arguments after the options: at most one FILE. */
bool common_take_input(common_options *options, int argc, char **argv, failure *why);

#endif
