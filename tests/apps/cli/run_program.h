/*
 * Runs the program parscan as a user does, and looks at what it leaves: exit status, both outputs,
 * files. Every test works in a fresh folder of its own: TestSuite(name, .init = enter_folder,
 * .fini = leave_folder).
 */
#ifndef PARSCAN_TESTS_RUN_PROGRAM_H
#define PARSCAN_TESTS_RUN_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/support/sanitizer.h"

void enter_folder(void);
void leave_folder(void);

/* Bytes, followed by a zero so that they can be taken as a string. They live as long as the test.
 */
typedef struct blob {
    char *bytes;
    size_t size;
} blob;

blob new_blob(size_t size); /* zeros */
blob text_blob(const char *text);
void write_file(const char *name, blob content);
blob read_file(const char *name);
bool same_bytes(blob a, blob b);
blob gzip_blob(blob content);

/* Whether the program can write files without a name here, and name them later. */
bool has_unnamed_files(void);

/* The number of files in the folder, drafts with names that start with '.' too. */
int count_files(void);

/* An npy file of version major.0 with that dictionary, as it stands, and those elements. */
blob npy_blob(int major, const char *dictionary, const void *elements, size_t size);

typedef struct program_run {
    int status; /* -1: it did not exit by itself */
    blob out, err;
} program_run;

/* The program: PARSCAN_PROGRAM in the environment, as an absolute path, or the one that was built
   with the tests. */
const char *program_path(void);

/* The path of a file of data/, which PARSCAN_DATA in the environment may place elsewhere. */
const char *data_path(const char *name);

/* Runs a line of the shell in which $0 is the program; its exit status, or -1. */
int run_shell(const char *line);
void expect_shell(const char *line); /* that status is 0 */

/* Runs parscan with the arguments, a list that ends in NULL, and the input. */
program_run run_arguments(blob input, const char *const *arguments);

/* The same with the standard output opened at that path. */
program_run run_to(const char *path, blob input, const char *const *arguments);

/* Runs parscan, which must succeed, with nothing on its standard input. Returns the most memory that
   it had beyond what it has for no elements, in KiB. (The driver of a GPU has much of its own.) */
long most_memory(const char *const *arguments);

#define ARGUMENTS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define RUN(input, ...) run_arguments(text_blob(input), ARGUMENTS(__VA_ARGS__))

/* The claims. A success prints nothing on standard error; a failure exits 1 and wrong usage 2, with
   one line on standard error that holds the words, nothing on standard output and no new file. */
void expect_output(program_run run, const char *output);
void expect_done(program_run run);
void expect_failure(program_run run, const char *words);
void expect_usage(program_run run, const char *words);

/* That a file holds this text. */
void expect_content(const char *name, const char *text);

/* Everything about drafts of output files holds of both kinds, without names and with them. The
   environment is then as before, since the plain runner has the next test in the same process. */
#define EACH_KIND_OF_DRAFT(named) for (int named = 0; choose_draft(named); named++)
bool choose_draft(int named);

#endif
