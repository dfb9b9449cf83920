/* The subcommands: each takes its own arguments, argv[0] being its name, and returns the exit
   status of the program. */
#ifndef PARSCAN_CLI_COMMAND_H
#define PARSCAN_CLI_COMMAND_H

enum { STATUS_DONE = 0, STATUS_FAILED = 1, STATUS_USAGE = 2 };

int command_scan(int argc, char **argv);
int command_pack(int argc, char **argv);
int command_trace(int argc, char **argv);
int command_info(int argc, char **argv);

#endif
