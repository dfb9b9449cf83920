/* The subcommands. Each gets its own arguments, with its name as argv[0], and returns the exit
   status of the program. */
#ifndef PARSCAN_CLI_COMMAND_H
#define PARSCAN_CLI_COMMAND_H

enum { STATUS_DONE = 0, STATUS_FAILED = 1, STATUS_USAGE = 2 };

typedef int subcommand_main(int argc, char **argv);

subcommand_main command_scan, command_segscan, command_sort, command_compact, command_histogram,
    command_allocate, command_pack, command_trace, command_bench, command_info, command_reduce,
    command_check, command_unique, command_group, command_top, command_quantile, command_merge,
    command_join, command_search, command_bin, command_expand, command_depth;

#endif
