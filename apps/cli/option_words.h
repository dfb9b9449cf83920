/* Failures of the library in the words of the command line. */
#ifndef PARSCAN_CLI_OPTION_WORDS_H
#define PARSCAN_CLI_OPTION_WORDS_H

#include "apps/cli/failure.h"

/* Replaces the names of the API's arguments by those of the options: "block_threads = 7: ..."
   becomes "--block-threads 7: ...". */
void option_words(failure *why);

#endif
