/* The program on a device whose memory this process has taken: it works in chunks; where there is no room for
   a context, it says so in one line, with exit status 1 and no output. */
#define _POSIX_C_SOURCE 200809L
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/apps/cli/run_program.h"
#include "tests/cuda/on_device.h"

TestSuite(program, .init = enter_folder, .fini = leave_folder, .timeout = 180);

#define MIB ((size_t)1 << 20)
#define SIZE (1536 * MIB)

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

static void expect_whole_output(const char *const *arguments)
{
    struct stat out;
    const program_run run = run_arguments(text_blob(""), arguments);
    cr_assert_eq(run.status, 0, "%s", arguments[0]);
    cr_assert_eq(stat("out", &out), 0);
    cr_assert_eq((size_t)out.st_size, SIZE, "%s", arguments[0]);
    cr_assert_eq(unlink("out"), 0);
}

#define ON_CUDA "--backend=cuda", "--format=raw"

/* Pieces of a file are small; an array that is read whole goes through the device in chunks. */
Test(program, needs_no_memory_of_the_device_for_whole_arrays)
{
    void *const hogged = hog(1024 * MIB);
    write_zeros("in", SIZE);
    write_file("small", text_blob("1 2 3"));
    expect_whole_output(ARGUMENTS("scan", ON_CUDA, "--type=u32", "-o", "out", "in"));
    expect_whole_output(ARGUMENTS("sort", ON_CUDA, "--type=u32", "-o", "out", "in"));
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
