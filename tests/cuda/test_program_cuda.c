/* The program on a device whose memory this process has taken: one line with the bytes that are needed, exit
   status 1, and no output. */
#define _POSIX_C_SOURCE 200809L
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/apps/cli/run_program.h"
#include "tests/cuda/on_device.h"

TestSuite(program, .init = enter_folder, .fini = leave_folder, .timeout = 180);

#define MIB ((size_t)1 << 20)
#define SIZE (1536 * MIB)
#define TEXT_OF_SIZE "1610612736"

/* Leaves about so many bytes of the device's memory; a context of another process has its share of
   them. */
static void *hog(size_t left)
{
    size_t available = 0, all = 0;
    void *hogged = NULL;
    parscan_context_destroy(context_on(NULL)); /* skips where there is no device */
    CUDA(cudaMemGetInfo(&available, &all));
    cr_assert_gt(available, left);
    size_t size = available - left;
    while (cudaMalloc(&hogged, size) != cudaSuccess)
        size -= 2 * MIB;
    cudaGetLastError();
    return hogged;
}

/* A file of zeros that takes no room on a disk. */
static void write_zeros(const char *name, size_t size)
{
    write_file(name, text_blob(""));
    cr_assert_eq(truncate(name, (off_t)size), 0);
}

static void expect_too_large(const char *needed, const char *const *arguments)
{
    const int files = count_files();
    const program_run run = run_arguments(text_blob(""), arguments);
    expect_failure(run, ": the device has no memory for ");
    expect_failure(run, needed);
    expect_failure(run, " bytes are free");
    cr_assert_eq(count_files(), files, "%s left a file", arguments[0]);
}

#define ON_CUDA "--backend=cuda", "--format=raw"

Test(program, tells_the_bytes_that_an_array_needs)
{
    void *const hogged = hog(1024 * MIB);
    write_zeros("in", SIZE);
    write_zeros("flags", SIZE);
    write_file("small", text_blob("1 2 3"));
    /* In place: one array on the device. */
    expect_too_large(" " TEXT_OF_SIZE " bytes: ",
                     ARGUMENTS("scan", ON_CUDA, "--type=u32", "-o", "out", "in"));
    expect_too_large("", ARGUMENTS("scan", ON_CUDA, "--type=u32", "--out-type=u64", "in"));
    expect_too_large("", ARGUMENTS("segscan", ON_CUDA, "--type=u8", "--flags=flags", "in"));
    expect_too_large("", ARGUMENTS("sort", ON_CUDA, "--type=u32", "-o", "out.npy", "in"));
    expect_too_large("", ARGUMENTS("compact", ON_CUDA, "--type=u64", "in"));
    expect_too_large("", ARGUMENTS("histogram", ON_CUDA, "--type=u8", "--bins=256", "in"));
    expect_too_large("", ARGUMENTS("allocate", ON_CUDA, "--type=u64", "in"));
    expect_too_large("", ARGUMENTS("bench", "--backend=cuda", "--megabytes=512"));
    expect_output(RUN("", "scan", "--backend=cuda", "small"), "1\n3\n6\n");
    CUDA(cudaFree(hogged));
}

/* Not even a context has room. */
Test(program, tells_that_the_device_is_full)
{
    void *const hogged = hog(8 * MIB);
    const program_run run = RUN("1 2 3", "scan", "--backend=cuda");
    expect_failure(run, "memory");
    CUDA(cudaFree(hogged));
}
