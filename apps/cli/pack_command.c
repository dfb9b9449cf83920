/* parscan pack: a file to a gzip file, deflated by several threads; and back. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/cli/byte_sink.h"
#include "apps/cli/byte_source.h"
#include "apps/cli/command.h"
#include "apps/cli/gzip_writer.h"
#include "apps/cli/input.h"
#include "apps/cli/output_file.h"
#include "apps/cli/output_name.h"
#include "apps/cli/session.h"

enum { PART = 256 * 1024 };

typedef struct pack_command {
    common_options common;
    int level;   /* -1: not given */
    bool blocks; /* those of BGZF */
    bool unpacks;
    uint64_t size; /* bytes that were read */
} pack_command;

enum { OPTION_LEVEL = OPTION_OWN, OPTION_BLOCKS };

static const struct option option_list[] = {{"level", required_argument, NULL, OPTION_LEVEL},
                                            {"blocks", no_argument, NULL, OPTION_BLOCKS},
                                            {"decompress", no_argument, NULL, 'd'},
                                            {"member", required_argument, NULL, OPTION_MEMBER},
                                            {"output", required_argument, NULL, 'o'},
                                            {"backend", required_argument, NULL, OPTION_BACKEND},
                                            {"threads", required_argument, NULL, OPTION_THREADS},
                                            {"stats", no_argument, NULL, OPTION_STATS},
                                            {"quiet", no_argument, NULL, OPTION_QUIET},
                                            {0}};

static const help_part help[] = {
    {"usage: parscan pack [options] [FILE]\n"
     "\n"
     "Compresses FILE to gzip: blocks are deflated in parallel, and a scan of their sizes places\n"
     "them.\n"
     "\n"
     "  FILE                  the input, any bytes (default, or '-': standard input)\n"
     "  --level N             0 (no compression), 1 (fastest) to 9 (smallest); default 6. -1 to -9 "
     "are\n"
     "                        the same\n"
     "  --blocks              write the blocks of BGZF, which several threads decompress; files "
     "are a\n"
     "                        few percent larger. A name that ends in .bgz chooses them\n"
     "  -d, --decompress      write what a gzip, zstd, xz or zip file has\n"
     "  --member NAME         with -d, of a zip file of several members\n"
     "  -o, --output FILE     the output (default, or '-': standard output, unless that is a\n"
     "                        terminal)\n",
     NULL},
    BACKEND_HELP,
    {"                        cuda: the GPU places the blocks; the CPU deflates them on both "
     "engines\n" THREADS_HELP
     "  --stats               print bytes, seconds, GB/s and engine on standard error\n" QUIET_HELP
         HELP_HELP,
     NULL},
    EXAMPLE_HELP("parscan pack -o mandelbrot.gz data/mandelbrot.u8.raw"),
    {0}};

static bool take_pack_option(int id, const char *value, void *user, failure *why)
{
    pack_command *const command = user;
    if (id == 'd')
        command->unpacks = true;
    if (id >= '0' && id <= '9')
        command->level = id - '0';
    command->blocks |= id == OPTION_BLOCKS;
    if (id == 'd' || id == OPTION_BLOCKS || (id >= '0' && id <= '9'))
        return true;
    if (id != OPTION_LEVEL)
        return common_take(&command->common, id, value, why);
    if (value[0] < '0' || value[0] > '9' || value[1] != '\0')
        return fail(why, "'%.100s' is not a level of 0 to %d", value, GZIP_MOST_LEVEL);
    command->level = value[0] - '0';
    return true;
}

/* Copies all of the source to the sink. The message of a failure starts with the name of the file. */
static bool pump(pack_command *command, byte_source *source, byte_sink *sink, char *part,
                 failure *why)
{
    for (size_t got = PART; got == PART; command->size += got) {
        if (!source_read(source, part, PART, &got, why))
            return fail_in(why, input_name(command->common.input));
        if (!sink_write(sink, part, got, why))
            return fail_in(why, output_file_name(command->common.output));
    }
    return sink_finish(sink, why) || fail_in(why, output_file_name(command->common.output));
}

static bool pack_to(pack_command *command, byte_source *source, int fd, parscan_context *context,
                    failure *why)
{
    if (!command->unpacks && isatty(fd))
        return fail(why, "%s: compressed data are not written to a terminal",
                    output_file_name(command->common.output));
    char *const part = malloc(PART);
    const char *const name = command->common.output != NULL ? command->common.output : "";
    const sink_compression compression = {
        .blocks = command->blocks || name_ends_in(name, strlen(name), ".bgz"),
        .level = command->level >= 0 ? command->level : GZIP_DEFAULT_LEVEL,
        .threads = parscan_context_threads(context),
        .placer = parscan_context_backend(context) == PARSCAN_BACKEND_CUDA ? context : NULL};
    byte_sink *const sink = sink_open(fd, command->unpacks ? NULL : &compression);
    bool packed = part != NULL && sink != NULL;
    if (packed) {
        packed = pump(command, source, sink, part, why);
    } else {
        fail_out_of_memory(why);
        fail_in(why, input_name(command->common.input));
    }
    sink_close(sink);
    free(part);
    return packed;
}

static bool pack(pack_command *command, session *job, failure *why)
{
    const common_options *const common = &command->common;
    byte_source *const source =
        command->unpacks
            ? source_open(common->input, common->member, session_threads(job), &job->progress, why)
            : source_open_as_is(common->input, &job->progress, why);
    if (source == NULL)
        return fail_in(why, input_name(common->input));
    if (command->unpacks && !source_is_unpacked(source)) {
        fail(why, "not a gzip, zstd, xz or zip file");
        source_close(source);
        return fail_in(why, input_name(common->input));
    }
    output_file file;
    bool packed = output_file_open(&file, common->output, why);
    if (packed) {
        packed = !output_file_is_file_of(&file, source_descriptor(source)) ||
                 fail_output_is_input(input_name(common->input), why);
        packed = packed && pack_to(command, source, file.fd, job->context, why);
        if (packed)
            packed = output_file_commit(&file, common->output, why);
        else
            output_file_discard(&file);
    }
    source_close(source);
    return packed;
}

static int run_pack(session *job, void *user, failure *why)
{
    pack_command *const command = user;
    const double begin = seconds_now();
    if ((command->level >= 0 || command->blocks) && command->unpacks) {
        fail(why, "%s and --decompress exclude each other",
             command->level >= 0 ? "--level" : "--blocks");
        return STATUS_USAGE;
    }
    if (command->common.member != NULL && !command->unpacks) {
        fail(why, "--member needs --decompress");
        return STATUS_USAGE;
    }
    const char *const output = command->common.output;
    if (command->unpacks ? !output_name_check_plain("--output", output, why)
                         : !output_name_check("--output", output, FORMAT_UNKNOWN, why))
        return STATUS_USAGE;
    if (!pack(command, job, why))
        return STATUS_FAILED;
    session_print_stats(job, command->size, (double)command->size, seconds_now() - begin, true);
    return STATUS_DONE;
}

int command_pack(int argc, char **argv)
{
    pack_command command = {.common = {.any_output_name = true}, .level = -1};
    const usage spec = {.command = "pack",
                        .help = help,
                        .options = option_list,
                        .short_options = COMMON_SHORT_OPTIONS "0123456789d",
                        .take = take_pack_option,
                        .user = &command};
    return session_command(&spec, &command.common, run_pack, argc, argv);
}
