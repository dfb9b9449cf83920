/* Sizes of items to be allocated. */
#ifndef PARSCAN_CLI_SIZES_H
#define PARSCAN_CLI_SIZES_H

#include "apps/cli/array.h"
#include "apps/cli/failure.h"
#include "parscan/context.h"

/* Checks that no size is negative: NumPy makes signed integers, and those that are not negative have
   the bits of the unsigned ones. `what`: the word for one. `first` is the index of the first size in the file of that
   name. Returns an exit status. */
int sizes_check(parscan_context *context, const array *sizes, uint64_t first, const char *what,
                const char *name, failure *why);

#endif
