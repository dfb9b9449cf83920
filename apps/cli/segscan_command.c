/* parscan segscan: every segment of an array scanned on its own. */
#include <string.h>

#include "apps/cli/command.h"
#include "apps/cli/element_traits.h"
#include "apps/cli/integer_bits.h"
#include "apps/cli/reverse.h"
#include "parscan/segmented.h"

typedef struct segscan_command {
    common_options common;
    scan_arguments scan;
    second_input cuts;
    parscan_segment_kind kind;
    parscan_type offsets_type, keys_type; /* 0: not given */
    text_words key_words;
    unsigned kinds_given;
} segscan_command;

enum {
    OPTION_FLAGS = OPTION_AFTER_SCAN,
    OPTION_OFFSETS,
    OPTION_OFFSETS_TYPE,
    OPTION_KEYS,
    OPTION_KEYS_TYPE
};

static const struct option option_list[] = {
    COMMON_OPTIONS,
    FIELD_OPTIONS,
    SCAN_OPTIONS,
    PIECES_OPTIONS,
    {"flags", required_argument, NULL, OPTION_FLAGS},
    {"offsets", required_argument, NULL, OPTION_OFFSETS},
    {"offsets-type", required_argument, NULL, OPTION_OFFSETS_TYPE},
    {"keys", required_argument, NULL, OPTION_KEYS},
    {"keys-type", required_argument, NULL, OPTION_KEYS_TYPE},
    {0}};

static const help_part help[] = {
    {"usage: parscan segscan [options] --flags FILE | --offsets FILE | --keys FILE [FILE]\n"
     "\n"
     "Scans each segment of an array on its own: element i is the sum of the elements of its "
     "segment\n"
     "up to i.\n"
     "\n"
     "Where the segments are (a file in npy, in raw if --format raw is given, else in text, of "
     "which,\n"
     "as of FILE, each line is one element):\n"
     "  --flags FILE          a u8 per element: a segment starts where it is not 0\n"
     "  --offsets FILE        the start of each segment in ascending order, from 0, and then the\n"
     "                        number of elements\n"
     "  --offsets-type T      the type of offsets in text and raw: u64 (default), u32, i64, i32\n"
     "  --keys FILE           a key per element: a segment starts where the key changes. In text "
     "a\n"
     "                        key is any word; integers are compared by value, so 7 equals 007\n"
     "  --keys-type T         word: compare the keys of a text exactly as they are written; or "
     "the\n"
     "                        element type of keys in text and raw (raw needs it)\n"
     "\n"
     "The scan:\n",
     NULL},
    SCAN_SEGMENTS_HELP,
    PIECES_HELP,
    FIELD_HELP,
    COMMON_HELP,
    EXAMPLE_HELP("parscan segscan --keys data/days.txt data/sizes.txt"),
    {0}};

/* Takes the path of the file of segments. */
static bool take_cuts(segscan_command *command, parscan_segment_kind kind, const char *path,
                      failure *why)
{
    command->kind = kind;
    command->kinds_given++;
    return take_path(path, &command->cuts.path, why);
}

static bool is_offset_type(parscan_type type)
{
    const parscan_type offsets = parscan_signless(type);
    return offsets == PARSCAN_U32 || offsets == PARSCAN_U64;
}

/* A type of elements, or word. */
static bool take_keys_type(segscan_command *command, const char *value, failure *why)
{
    if (strcmp(value, "word") == 0) {
        command->keys_type = 0;
        command->key_words = WORDS_ARE_EXACT_KEYS;
        return true;
    }
    command->key_words = WORDS_ARE_NUMBERS;
    return take_type(value, &command->keys_type, why);
}

static bool take_segscan_option(int id, const char *value, void *user, failure *why)
{
    segscan_command *const command = user;
    switch (id) {
    case OPTION_FLAGS:
        return take_cuts(command, PARSCAN_SEGMENTS_FLAGS, value, why);
    case OPTION_OFFSETS:
        return take_cuts(command, PARSCAN_SEGMENTS_OFFSETS, value, why);
    case OPTION_KEYS:
        return take_cuts(command, PARSCAN_SEGMENTS_KEYS, value, why);
    case OPTION_OFFSETS_TYPE:
        return take_type(value, &command->offsets_type, why) &&
               (is_offset_type(command->offsets_type) ||
                fail(why, "offsets are u32, u64, i32 or i64, not %s", value));
    case OPTION_KEYS_TYPE:
        return take_keys_type(command, value, why);
    default:
        return scan_take(&command->scan, &command->common, id, value, why);
    }
}

static bool check_offsets_type(void *user, parscan_type type, failure *why)
{
    const segscan_command *const command = user;
    return is_offset_type(type) || fail(why, "%s: offsets are u32, u64, i32 or i64, not %s",
                                        command->cuts.path, parscan_type_name(type));
}

/* Completes what is known of the file of segments. */
static int describe_cuts(segscan_command *command, failure *why)
{
    second_input *const cuts = &command->cuts;
    if (command->kinds_given != 1) {
        fail(why, "%s of --flags FILE, --offsets FILE and --keys FILE is needed",
             command->kinds_given > 1 ? "only one" : "one");
        return STATUS_USAGE;
    }
    switch (command->kind) {
    case PARSCAN_SEGMENTS_FLAGS:
        cuts->option = "--flags";
        cuts->type = PARSCAN_U8;
        cuts->one_each = "flags";
        break;
    case PARSCAN_SEGMENTS_OFFSETS:
        cuts->option = "--offsets";
        cuts->type = command->offsets_type;
        cuts->type_option = "--offsets-type";
        cuts->text_type = cuts->raw_type = PARSCAN_U64;
        cuts->check = check_offsets_type;
        cuts->integers = true;
        cuts->user = command;
        break;
    case PARSCAN_SEGMENTS_KEYS:
        cuts->option = "--keys";
        cuts->type = command->keys_type;
        cuts->words = command->key_words;
        cuts->type_option = "--keys-type";
        cuts->one_each = "keys";
        break;
    case PARSCAN_SEGMENTS_ROWS: /* no option asks for them: they need no file */
        break;
    }
    return STATUS_DONE;
}

static parscan_status call_segscan(const segscan_command *command, session *job, parscan_type type,
                                   const parscan_segments *segments)
{
    return (command->scan.exclusive
                ? parscan_segmented_exclusive_scan
                : parscan_segmented_inclusive_scan)(job->context, type, job->in.data, job->out.data,
                                                    job->in.n, segments, &command->scan.options);
}

static int check_segscan_options(session *job, void *user, parscan_type type, failure *why)
{
    segscan_command *const command = user;
    scan_take_mask(&command->scan, job->is_mask);
    const int status = session_check(
        job, call_segscan(command, job, type, &PARSCAN_SEGMENTS(.type = PARSCAN_U8)), why);
    if (status != STATUS_DONE)
        return status;
    const int read = scan_read_init(&command->scan, type, why);
    return read == STATUS_DONE ? scan_begin_check(&command->scan, job, type, why) : read;
}

/* Whether the keys are words, which are read as flags. */
static bool are_words(const segscan_command *command, const session *job)
{
    return command->cuts.words != WORDS_ARE_NUMBERS && job->second_format == FORMAT_TEXT;
}

static int run_segscan(session *job, void *user, failure *why)
{
    segscan_command *const command = user;
    scan_arguments *const scan = &command->scan;
    const second_input *const cuts = &command->cuts;
    offset_flags offsets = {.file = cuts};
    int status = describe_cuts(command, why);
    if (status == STATUS_DONE)
        status = session_begin(job, 0, cuts, check_segscan_options, command, why);
    if (status != STATUS_DONE)
        return status;
    const bool reverse = scan->options.reverse != 0;
    const bool by_keys = command->kind == PARSCAN_SEGMENTS_KEYS && !are_words(command, job);
    scan->options.reverse = 0;
    scan->check.by_keys = by_keys;
    if (command->kind == PARSCAN_SEGMENTS_OFFSETS)
        scan->offsets = &offsets;
    status =
        session_check_result(job,
                             (scan->exclusive ? parscan_chunked_create_segmented_exclusive_scan
                                              : parscan_chunked_create_segmented_inclusive_scan)(
                                 &scan->chunked, job->context, job->in.type,
                                 by_keys ? PARSCAN_SEGMENTS_KEYS : PARSCAN_SEGMENTS_FLAGS,
                                 by_keys ? job->second.type : PARSCAN_U8, &scan->options),
                             why);
    if (status == STATUS_DONE)
        status = reverse ? scan_reverse(scan, job, cuts, by_keys, why)
                         : scan_stream(scan, job, cuts, why);
    parscan_chunked_destroy(scan->chunked);
    offset_flags_release(&offsets);
    return status;
}

int command_segscan(int argc, char **argv)
{
    segscan_command command = {.scan = SCAN_ARGUMENTS, .key_words = WORDS_ARE_KEYS};
    const usage spec = {.command = "segscan",
                        .help = help,
                        .options = option_list,
                        .short_options = COMMON_SHORT_OPTIONS FIELD_SHORT_OPTIONS,
                        .take = take_segscan_option,
                        .user = &command};
    return session_command(&spec, &command.common, run_segscan, argc, argv);
}
