/*
 * Scans from the last element to the first, in constant memory. A scan in reverse is the scan of the
 * reversed array, reversed. Pieces of the input are read from the end, which gives the carry that each
 * piece goes on with. Then they are read once more, from the front, scanned with these carries and
 * written. What cannot be read from its end, such as a pipe or a text, is first copied to a spool.
 */
#ifndef PARSCAN_CLI_REVERSE_H
#define PARSCAN_CLI_REVERSE_H

#include "apps/cli/scan_options.h"

/* As scan_stream(). by_keys: the second file has keys, not flags or offsets. */
int scan_reverse(scan_arguments *scan, session *job, const second_input *second, bool by_keys,
                 failure *why);

#endif
