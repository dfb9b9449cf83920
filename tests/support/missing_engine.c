#define _POSIX_C_SOURCE 200809L /* fork */
#include "tests/support/missing_engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "parscan/context.h"

static int probe(void)
{
    char words[256] = "";
    parscan_context *context = NULL;
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CUDA, .error = words,
                                .error_size = sizeof words);
    const parscan_status status = parscan_context_create(&context, &options);
    if (status != PARSCAN_ERROR_BACKEND)
        return EXIT_SUCCESS;
    printf("skipped: no CUDA device: %s\n", words);
    fflush(stdout);
    return SKIPPED_STATUS;
}

/* In a child process: a context on CUDA would leave this one with memory of the device. */
bool engine_is_missing(void)
{
    const char *const backend = getenv("PARSCAN_TEST_BACKEND");
    if (backend == NULL || strcmp(backend, "cuda") != 0)
        return false;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
        _exit(probe());
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == SKIPPED_STATUS;
}
