/* Puts the library's messages into the words of the command line. */
#ifndef PARSCAN_CLI_OPTION_WORDS_H
#define PARSCAN_CLI_OPTION_WORDS_H

#include "apps/cli/failure.h"

/* Replaces the names of the API's arguments by the names of options: "block_threads = 7: ..."
   becomes "--block-threads 7: ...". */
void option_words(failure *why);

/* Where the words advise --type, puts the option that chooses the type of a second file. NULL:
   there is no such option, and the advice is removed. */
void type_option_words(failure *why, const char *type_option);

#endif
