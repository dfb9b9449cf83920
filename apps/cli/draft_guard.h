/* Removes unfinished files when a signal ends the program. The only state of the program that is
   global: a signal handler has no other way to know. */
#ifndef PARSCAN_CLI_DRAFT_GUARD_H
#define PARSCAN_CLI_DRAFT_GUARD_H

/* As many files as a subcommand writes. */
enum { MOST_DRAFTS = 2 };

/* Creates the file at path, which must not be there yet, for writing. From then on SIGINT, SIGTERM,
   SIGHUP and SIGQUIT remove it before they end the program. The string must stay until
   draft_guard_end(). Signals that are ignored stay so. -1 and errno when there is no such file, and
   it is not guarded; also when MOST_DRAFTS are. */
int draft_guard_create(const char *path);

/* The file that draft_guard_create() was given this string for is finished or gone. After the last
   one the signals do again what they did before. */
void draft_guard_end(const char *path);

#endif
