/* Paths that are names of open descriptors: /dev/stdout, /dev/fd/3, /proc/self/fd/3. */
#ifndef PARSCAN_CLI_DESCRIPTOR_PATH_H
#define PARSCAN_CLI_DESCRIPTOR_PATH_H

#include <stdbool.h>

/* Whether path is an entry of a folder of descriptors in /proc. Links in the folder's part of the
   path have been followed, but the path itself has not: such a link must not be followed by name.
   */
bool is_descriptor_path(const char *path);

/* A new descriptor of the file that such a path stands for. It writes where the owner would write
   next, and truncates nothing. -1 and errno if that fails. */
int open_descriptor_path(const char *path);

/* Gives the file of an open descriptor the name path; the file may have no name yet. False and
   errno when that fails, as it does when the name is taken. */
bool link_descriptor(int fd, const char *path);

/* Whether link_descriptor() finds descriptors: /proc is there. */
bool can_link_descriptor(int fd);

#endif
