/* --backend: every subcommand gives the same bytes on CUDA as on the CPU; where there is no GPU it
   says so, and leaves nothing behind. */
#include "tests/apps/cli/run_program.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "parscan/context.h"

/* A process on a GPU takes a while to start, and several tests share one. */
TestSuite(backend, .init = enter_folder, .fini = leave_folder, .timeout = 120);

enum { N = 100003 };

static bool has_cuda(void)
{
    parscan_context *context;
    const parscan_status status =
        parscan_context_create(&context, &PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CUDA));
    parscan_context_destroy(context);
    cr_assert(status == PARSCAN_OK || status == PARSCAN_ERROR_BACKEND, "%s",
              parscan_status_string(status));
    return status == PARSCAN_OK;
}

/* in: N u32. flags: N u8, one in 32 is not 0. keys: N u16 in runs. offsets: u64, segments of up to
   1000 elements, some of none. in.txt: small integers. */
static void write_files(void)
{
    uint64_t state = 1;
    const blob in = new_blob(N * sizeof(uint32_t)), flags = new_blob(N);
    const blob keys = new_blob(N * sizeof(uint16_t)), text = new_blob(3000);
    uint64_t offsets[N / 8 + 2];
    size_t cuts = 0;
    uint16_t key = 0;
    for (size_t i = 0; i < N; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint32_t bits = (uint32_t)(state >> 32);
        memcpy(in.bytes + i * sizeof bits, &bits, sizeof bits);
        flags.bytes[i] = (bits >> 7 & 31) == 0;
        key += (bits & 15) == 0;
        memcpy(keys.bytes + i * sizeof key, &key, sizeof key);
    }
    for (uint64_t at = 0; at < N; at += cuts % 5 == 0 ? 0 : cuts * 37 % 1000)
        offsets[cuts++] = at;
    offsets[cuts++] = N;
    for (size_t i = 0; i < 1000; i++)
        snprintf(text.bytes + 3 * i, 4, "%02zu\n", i * 7 % 100);
    write_file("in", in);
    write_file("flags", flags);
    write_file("keys", keys);
    write_file("offsets", (blob){(char *)offsets, cuts * sizeof *offsets});
    write_file("in.txt", text);
}

static program_run run_on(const char *backend, const char *const *arguments)
{
    const char *list[24];
    size_t count = 0;
    for (; arguments[count] != NULL; count++)
        list[count] = arguments[count];
    cr_assert(count + 3 <= sizeof list / sizeof *list);
    list[count++] = "--backend";
    list[count++] = backend;
    list[count] = NULL;
    return run_arguments(text_blob(""), list);
}

/* The output, and what was written to the file aside.gz if it is there then. */
static void expect_same_on_cuda(const char *const *arguments)
{
    const int files = count_files();
    const program_run on_cuda = run_on("cuda", arguments);
    if (!has_cuda()) {
        expect_failure(on_cuda, "parscan: --backend cuda: ");
        cr_assert_eq(count_files(), files, "%s left a file", arguments[0]);
        return;
    }
    const bool aside = count_files() > files;
    const blob aside_on_cuda = aside ? read_file("aside.gz") : text_blob("");
    const program_run on_cpu = run_on("cpu", arguments);
    expect_done(on_cpu);
    cr_assert_eq(on_cuda.status, 0, "%s %s %s: exit status %d: %s", arguments[0], arguments[1],
                 arguments[2], on_cuda.status, on_cuda.err.bytes);
    cr_assert(on_cpu.out.size > 0 || aside);
    cr_assert(same_bytes(on_cuda.out, on_cpu.out), "%s %s %s: the output differs", arguments[0],
              arguments[1], arguments[2]);
    cr_assert(!aside || same_bytes(aside_on_cuda, read_file("aside.gz")),
              "%s %s %s: the second output differs", arguments[0], arguments[1], arguments[2]);
    remove("aside.gz");
}

#define ON_CUDA(...) expect_same_on_cuda(ARGUMENTS(__VA_ARGS__))
#define U32 "--format=raw", "--type=u32"

Test(backend, scan_is_the_same)
{
    write_files();
    ON_CUDA("scan", U32, "in");
    ON_CUDA("scan", "--type=i32", "--format=raw", "--exclusive", "--reverse", "--op=max",
            "--init=7", "in");
    ON_CUDA("scan", U32, "--out-type=u64", "in");
    ON_CUDA("scan", U32, "--algorithm=brent-kung", "in");
    ON_CUDA("scan", "--type=f32", "--reproducible", "in.txt");
    ON_CUDA("scan", "--output-format=text", "in.txt");
}

Test(backend, segscan_is_the_same)
{
    write_files();
    ON_CUDA("segscan", U32, "--flags=flags", "in");
    ON_CUDA("segscan", U32, "--keys=keys", "--keys-type=u16", "--exclusive", "in");
    ON_CUDA("segscan", U32, "--offsets=offsets", "--offsets-type=u64", "--op=min", "--reverse",
            "in");
}

Test(backend, sort_is_the_same)
{
    write_files();
    ON_CUDA("sort", U32, "in");
    ON_CUDA("sort", "--type=f32", "--format=raw", "--descending", "in");
    ON_CUDA("sort", U32, "--argsort", "--begin-bit=8", "--end-bit=20", "in");
    ON_CUDA("sort", U32, "--values=keys", "--values-type=u16", "--values-output=aside.gz", "in");
    ON_CUDA("sort", "--descending", "--quiet", "in.txt");
}

Test(backend, compact_is_the_same)
{
    write_files();
    ON_CUDA("compact", U32, "--where=<1000000000", "in");
    ON_CUDA("compact", U32, "--flags=flags", "in");
    ON_CUDA("compact", U32, "--where=0..2000000000", "--indices", "in");
    ON_CUDA("compact", U32, "--count", "in");
}

Test(backend, histogram_is_the_same)
{
    write_files();
    ON_CUDA("histogram", "--bins=256", "--type=u8", "--format=raw", "in");
    ON_CUDA("histogram", U32, "--quiet", "--bins=70000", "--range=1000:4000000000", "in");
    ON_CUDA("histogram", "--quiet", "--bins=10", "--range=0:100", "in.txt");
}

Test(backend, allocate_is_the_same)
{
    write_files();
    ON_CUDA("allocate", U32, "in");
    ON_CUDA("allocate", "--align=16", "--type=u8", "--format=raw", "in");
    ON_CUDA("allocate", "--type=i64", "in.txt");
}

Test(backend, pack_is_the_same)
{
    write_files();
    ON_CUDA("pack", "--threads=2", "in");
    ON_CUDA("pack", "--level=0", "in.txt");
}

/* Compression, on the way out, is the CPU's whatever the engine is. */
Test(backend, compressed_output_is_the_same)
{
    write_files();
    ON_CUDA("scan", U32, "--output=aside.gz", "in");
}

Test(backend, bench_finds_its_results_right_on_cuda)
{
    const program_run run = RUN("", "bench", "--megabytes=1", "--backend=cuda");
    if (!has_cuda()) {
        expect_failure(run, "parscan: --backend cuda: ");
        return;
    }
    expect_done(run);
    cr_assert_not_null(strstr(run.out.bytes, ", cuda, "), "%s", run.out.bytes);
    cr_assert_not_null(strstr(run.out.bytes, "\npack "), "%s", run.out.bytes);
    cr_assert_null(strstr(run.out.bytes, "WRONG"), "%s", run.out.bytes);
}

Test(backend, auto_is_the_cpu)
{
    const char *const *const runs[] = {ARGUMENTS("scan", "--stats"),
                                       ARGUMENTS("scan", "--stats", "--backend=auto"),
                                       ARGUMENTS("sort", "--stats", "--backend=auto")};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        const program_run run = run_arguments(text_blob("1 2 3"), runs[i]);
        cr_assert_eq(run.status, 0);
        cr_assert_not_null(strstr(run.err.bytes, ", cpu, "), "%s", run.err.bytes);
    }
}

Test(backend, info_tells_of_one_engine)
{
    const program_run cpu = RUN("", "info", "--backend=cpu");
    expect_done(cpu);
    cr_assert_eq(strncmp(cpu.out.bytes, "cpu: ", 5), 0, "%s", cpu.out.bytes);
    cr_assert(strchr(cpu.out.bytes, '\n') == cpu.out.bytes + cpu.out.size - 1, "%s", cpu.out.bytes);
    const program_run cuda = RUN("", "info", "--backend=cuda");
    if (has_cuda()) {
        expect_done(cuda);
        cr_assert_eq(strncmp(cuda.out.bytes, "cuda:       device 0: ", 22), 0, "%s",
                     cuda.out.bytes);
    } else {
        expect_failure(cuda, "parscan: --backend cuda: ");
    }
}

Test(backend, of_trace_is_the_cpu)
{
    expect_usage(RUN("", "trace", "--backend=cuda", "1", "2"),
                 "--backend: cuda: trace runs on the CPU");
    expect_usage(RUN("", "trace", "--backend=gpu", "1", "2"), "--backend: 'gpu' is not known");
    const program_run plain = RUN("", "trace", "1", "2");
    expect_output(RUN("", "trace", "--backend=cpu", "1", "2"), plain.out.bytes);
    expect_output(RUN("", "trace", "--backend", "auto", "1", "2"), plain.out.bytes);
}

Test(backend, that_is_not_known_is_wrong_usage)
{
    const char *const commands[] = {"scan",     "segscan", "sort",  "compact", "histogram",
                                    "allocate", "pack",    "bench", "info"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        expect_usage(RUN("", commands[i], "--backend=gpu"), "--backend: 'gpu' is not known");
}
