/* Removes a file when a signal ends the program. The only state of the program that is global: a
   signal handler has no other way to know. */
#ifndef PARSCAN_CLI_DRAFT_GUARD_H
#define PARSCAN_CLI_DRAFT_GUARD_H

/* From now on SIGINT, SIGTERM and SIGHUP remove the file at path before they end the program. The
   string must stay until draft_guard_end(). Signals that are ignored stay so. */
void draft_guard_begin(const char *path);

/* The signals do again what they did before. */
void draft_guard_end(void);

#endif
