/* Data within other files: members of zip and npz files, zstd and xz. */
#include "tests/apps/cli/run_program.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include <criterion/criterion.h>

TestSuite(layers, .init = enter_folder, .fini = leave_folder);

/* t.txt and u.txt, deflated to a pipe by Python's zipfile: the sizes are behind the data. */
static const char deflated[] = "\x50\x4b\x03\x04\x14\x00\x08\x00\x08\x00\x00\x00\x21\x5c\x00\x00"
                               "\x00\x00\x00\x00\x00\x00\x00\x00"
                               "\x00\x00\x05\x00\x00\x00\x74\x2e\x74\x78\x74\x33\x54\x30\x52\x30"
                               "\xe6\x32\x44\x22\x01\x50\x4b\x07"
                               "\x08\x0b\xd9\x79\xf6\x0a\x00\x00\x00\x12\x00\x00\x00\x50\x4b\x03"
                               "\x04\x14\x00\x08\x00\x08\x00\x00"
                               "\x00\x21\x5c\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x05"
                               "\x00\x00\x00\x75\x2e\x74\x78\x74"
                               "\x33\x51\x30\xe5\x02\x00\x50\x4b\x07\x08\xa2\xdd\xa4\x24\x06\x00"
                               "\x00\x00\x04\x00\x00\x00\x50\x4b"
                               "\x01\x02\x14\x03\x14\x00\x08\x00\x08\x00\x00\x00\x21\x5c\x0b\xd9"
                               "\x79\xf6\x0a\x00\x00\x00\x12\x00"
                               "\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x01"
                               "\x00\x00\x00\x00\x74\x2e\x74\x78"
                               "\x74\x50\x4b\x01\x02\x14\x03\x14\x00\x08\x00\x08\x00\x00\x00\x21"
                               "\x5c\xa2\xdd\xa4\x24\x06\x00\x00"
                               "\x00\x04\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
                               "\x00\x80\x01\x3d\x00\x00\x00\x75"
                               "\x2e\x74\x78\x74\x50\x4b\x05\x06\x00\x00\x00\x00\x02\x00\x02\x00"
                               "\x66\x00\x00\x00\x76\x00\x00\x00"
                               "\x00\x00";

/* "1 2 3" and a newline. */
static const char zst[] = "\x28\xb5\x2f\xfd\x20\x06\x31\x00\x00\x31\x20\x32\x20\x33\x0a";
static const char xz[] = "\xfd\x37\x7a\x58\x5a\x00\x00\x01\x69\x22\xde\x36\x02\x00\x21\x01\x16\x00"
                         "\x00\x00\x74\x2f\xe5\xa3"
                         "\x01\x00\x05\x31\x20\x32\x20\x33\x0a\x00\x00\x00\x4b\xa0\xf4\xc9\x00\x01"
                         "\x1a\x06\xc5\xea\xc8\x79"
                         "\x90\x42\x99\x0d\x01\x00\x00\x00\x00\x01\x59\x5a";

static void put(blob *to, const void *bytes, size_t size)
{
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

static void put_number(blob *to, uint64_t number, size_t size)
{
    for (; size > 0; size--, number >>= 8)
        put(to, &(char){(char)number}, 1);
}

/* A zip file of stored members, as np.savez() writes them: sizes in the extra field of zip64. The directory at the end
   is left out, but for its last record. */
static blob zip_blob(const char *const *names, const blob *members, size_t count)
{
    blob zip = new_blob(8192);
    zip.size = 0;
    for (size_t i = 0; i < count; i++) {
        const uLong crc = crc32(0, (const Bytef *)members[i].bytes, (uInt)members[i].size);
        put(&zip, "PK\3\4\x2d\0\0\0\0\0\0\0\x21\0", 14);
        put_number(&zip, crc, 4);
        put_number(&zip, UINT64_MAX, 8);
        put_number(&zip, strlen(names[i]), 2);
        put_number(&zip, 20, 2);
        put(&zip, names[i], strlen(names[i]));
        put(&zip, "\1\0\x10\0", 4);
        put_number(&zip, members[i].size, 8);
        put_number(&zip, members[i].size, 8);
        put(&zip, members[i].bytes, members[i].size);
    }
    put(&zip, "PK\5\6\0\0\0\0", 8);
    put_number(&zip, count, 2);
    put_number(&zip, count, 2);
    put_number(&zip, 0, 10);
    return zip;
}

static blob bytes_npy(const char *bytes, size_t size)
{
    const char *const header = size == 3
                                   ? "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }"
                                   : "{'descr': '|u1', 'fortran_order': False, 'shape': (0,), }";
    return npy_blob(1, header, bytes, size);
}

Test(layers, members_of_npz_are_read)
{
    const blob members[] = {bytes_npy("\1\2\3", 3), bytes_npy("", 0), text_blob("7 8\n")};
    const char *const names[] = {"a.npy", "empty.npy", "t.txt"};
    const blob three = zip_blob(names, members, 3);
    write_file("three.npz", three);
    expect_output(RUN("", "reduce", "--member=a", "three.npz"), "6\n");
    expect_output(RUN("", "reduce", "--op=count", "--member", "empty.npy", "three.npz"), "0\n");
    expect_output(run_arguments(three, ARGUMENTS("reduce", "--member=t.txt")), "15\n");
    expect_output(RUN("", "trace", "--member=t.txt", "--file=three.npz"),
                  RUN("", "trace", "7", "8").out.bytes);
    const char *const several = "several members: --member NAME reads one: a.npy, empty.npy, t.txt";
    expect_failure(RUN("", "scan", "three.npz"), several);
    expect_failure(run_arguments(three, ARGUMENTS("reduce")), several);
    expect_failure(RUN("", "reduce", "--member=b", "three.npz"),
                   "there is no b: a.npy, empty.npy, t.txt");
    write_file("one.npz", zip_blob(names, members, 1));
    expect_output(RUN("", "scan", "--output-format=text", "one.npz"), "1\n3\n6\n");
    expect_failure(RUN("1 2", "reduce", "--member=a"), "--member: this is not a zip file");
    expect_usage(RUN("", "trace", "--member=a", "1"), "--member a needs --file FILE");
}

Test(layers, deflated_members_without_sizes_are_read)
{
    const blob zip = {(char *)(uintptr_t)deflated, sizeof deflated - 1};
    expect_output(run_arguments(zip, ARGUMENTS("reduce", "--member=t.txt", "--quiet")), "18\n");
    expect_output(run_arguments(zip, ARGUMENTS("reduce", "--member=u.txt", "--quiet")), "9\n");
    expect_failure(run_arguments(zip, ARGUMENTS("reduce")), "reads one: t.txt, u.txt");
}

Test(layers, damaged_zip_files_are_refused)
{
    const char *const names[] = {"t.txt"};
    blob zip = zip_blob(names, (const blob[]){text_blob("7 8\n")}, 1);
    const size_t data = zip.size - 22 - 4, whole = zip.size;
    for (zip.size = 5; zip.size < data + 4; zip.size += 7)
        expect_failure(run_arguments(zip, ARGUMENTS("reduce")), "the zip file is cut short");
    zip.size = whole;
    zip.bytes[data]++;
    expect_failure(run_arguments(zip, ARGUMENTS("reduce")),
                   "t.txt is corrupt: its checksum is wrong");
    zip.bytes[data]--;
    zip.bytes[8] = 12;
    expect_failure(run_arguments(zip, ARGUMENTS("reduce")), "t.txt is compressed by method 12");
    zip.bytes[8] = 0;
    zip.bytes[6] = 1;
    expect_failure(run_arguments(zip, ARGUMENTS("reduce")), "t.txt is encrypted");
    zip.bytes[6] = 8;
    expect_failure(run_arguments(zip, ARGUMENTS("reduce")), "t.txt is stored without its size");
    expect_failure(run_arguments(zip_blob(NULL, NULL, 0), ARGUMENTS("reduce")), "has no members");
}

/* The library may not be there; then the line says what to do. */
static void expect_unpacked(blob packed, const char *library, const char *kind)
{
    char words[96];
    void *const found = dlopen(library, RTLD_NOW);
    if (found == NULL) {
        snprintf(words, sizeof words, "%s is not found: %s -dc FILE | parscan", library, kind);
        expect_failure(run_arguments(packed, ARGUMENTS("reduce")), words);
        return;
    }
    dlclose(found);
    expect_output(run_arguments(packed, ARGUMENTS("reduce")), "6\n");
    const blob twice = new_blob(2 * packed.size);
    memcpy(twice.bytes, packed.bytes, packed.size);
    memcpy(twice.bytes + packed.size, packed.bytes, packed.size);
    expect_output(run_arguments(twice, ARGUMENTS("scan", "--quiet")), "1\n3\n6\n7\n9\n12\n");
    snprintf(words, sizeof words, "the %s data are cut short", kind);
    for (size_t cut = 1; cut < packed.size - 6; cut += 5)
        expect_failure(run_arguments((blob){packed.bytes, packed.size - cut}, ARGUMENTS("reduce")),
                       words);
    snprintf(words, sizeof words, "corrupt %s data (", kind);
    if (strcmp(kind, "xz") == 0)
        twice.bytes[28] ^= 0x55;
    else
        twice.bytes[packed.size + 6] ^= 0x56; /* the block's type */
    expect_failure(run_arguments(twice, ARGUMENTS("reduce", "-o", "out")), words);
}

Test(layers, zstd_and_xz_are_read_by_their_libraries)
{
    expect_unpacked((blob){(char *)(uintptr_t)zst, sizeof zst - 1}, "libzstd.so.1", "zstd");
    expect_unpacked((blob){(char *)(uintptr_t)xz, sizeof xz - 1}, "liblzma.so.5", "xz");
}
