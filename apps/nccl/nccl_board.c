#define _GNU_SOURCE
#include "apps/nccl/nccl_board.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(ATOMIC_LONG_LOCK_FREE == 2 && sizeof(size_t) == sizeof(long),
               "processes share these without locks");

/* ---- layout: for each rank its slot, places, opened, parts ---- */

static size_t whole_lines(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static size_t places_at(void)
{
    return whole_lines(sizeof(nccl_slot));
}

static size_t opened_at(int size)
{
    return places_at() + whole_lines((size_t)size * NCCL_POSTINGS * sizeof(size_t));
}

static size_t parts_at(int size)
{
    return opened_at(size) + whole_lines((size_t)size * NCCL_BUFFERS * sizeof(atomic_size_t));
}

static size_t bytes_of_rank(int size)
{
    return parts_at(size) + (size_t)NCCL_POSTINGS * NCCL_PART;
}

static size_t bytes_of_all(int size)
{
    return (size_t)size * bytes_of_rank(size);
}

static char *at(const nccl_board *board, int rank, size_t offset)
{
    return (char *)board->memory + (size_t)rank * bytes_of_rank(board->size) + offset;
}

nccl_slot *parscan_board_slot(const nccl_board *board, int rank)
{
    return (nccl_slot *)(void *)at(board, rank, 0);
}

size_t *parscan_board_places(const nccl_board *board, int rank, size_t posting)
{
    return (size_t *)(void *)at(board, rank, places_at()) + posting * (size_t)board->size;
}

atomic_size_t *parscan_board_opened(const nccl_board *board, int rank, int other)
{
    return (atomic_size_t *)(void *)at(board, rank, opened_at(board->size)) +
           (size_t)other * NCCL_BUFFERS;
}

char *parscan_board_part(const nccl_board *board, int rank, size_t posting)
{
    return at(board, rank, parts_at(board->size)) + posting * NCCL_PART;
}

/* ---- who the ranks are ---- */

/* Processes find each other by their numbers if they agree in the boot of their system and in its namespace of
   processes. Unknown: no two ranks agree. */
static void name_host(uint64_t host[3], const void *unique)
{
    char boot[17] = "";
    struct stat namespace;
    FILE *const file = fopen("/proc/sys/kernel/random/boot_id", "r");
    const bool known = file != NULL && fread(boot, 1, 16, file) == 16 &&
                       stat("/proc/self/ns/pid", &namespace) == 0;
    if (file != NULL)
        fclose(file);
    memcpy(host, boot, 16);
    host[2] = known ? (uint64_t) namespace.st_ino : (uint64_t)(uintptr_t)unique;
}

bool parscan_board_same_host(const nccl_record *a, const nccl_record *b)
{
    return memcmp(a->host, b->host, sizeof a->host) == 0;
}

bool parscan_board_same_process(const nccl_record *a, const nccl_record *b)
{
    return parscan_board_same_host(a, b) && a->process == b->process;
}

/* All of it has memory then: a page that cannot be had later would end the process. */
static void make_file(nccl_record *record, int size)
{
    struct stat about;
    record->file = memfd_create("parscan", MFD_CLOEXEC);
    if (record->file < 0)
        return;
    if (posix_fallocate(record->file, 0, (off_t)bytes_of_all(size)) != 0 ||
        fstat(record->file, &about) != 0) {
        close(record->file);
        record->file = -1;
        return;
    }
    record->file_device = (uint64_t)about.st_dev;
    record->file_number = (uint64_t)about.st_ino;
}

nccl_record parscan_board_record(const nccl_transport *transport)
{
    nccl_record record;
    memset(&record, 0, sizeof record);
    name_host(record.host, transport);
    record.process = (int64_t)getpid();
    record.device = transport->device;
    record.file = -1;
    if (transport->rank == 0)
        make_file(&record, transport->size);
    return record;
}

void parscan_board_close(const nccl_record *own)
{
    if (own->file >= 0)
        close(own->file);
}

/* ---- the mapping ---- */

static int open_file(const nccl_record *first)
{
    char name[64];
    struct stat about;
    snprintf(name, sizeof name, "/proc/%lld/fd/%d", (long long)first->process, first->file);
    const int file = open(name, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return -1;
    if (fstat(file, &about) == 0 && (uint64_t)about.st_dev == first->file_device &&
        (uint64_t)about.st_ino == first->file_number)
        return file;
    close(file);
    return -1;
}

bool parscan_board_map(nccl_board *board, const nccl_record *records, int rank, int size)
{
    const bool same = parscan_board_same_process(&records[0], &records[rank]);
    const int file = same ? records[0].file : open_file(&records[0]);
    board->size = size;
    if (file < 0)
        return false;
    void *const memory =
        mmap(NULL, bytes_of_all(size), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (!same)
        close(file);
    board->memory = memory != MAP_FAILED ? memory : NULL;
    return board->memory != NULL;
}

void parscan_board_unmap(nccl_board *board)
{
    if (board->memory != NULL)
        munmap(board->memory, bytes_of_all(board->size));
    board->memory = NULL;
}
