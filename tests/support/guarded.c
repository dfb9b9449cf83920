#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, sigaction */
#include "tests/support/guarded.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

guarded guarded_create_beyond(size_t bytes, size_t beyond)
{
    const size_t page = page_size();
    const size_t inside = (bytes + page - 1) / page * page;
    const size_t after = (beyond + page - 1) / page * page;
    char *const all =
        mmap(NULL, page + inside + after, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED ||
        (inside > 0 && mprotect(all + page, inside, PROT_READ | PROT_WRITE) != 0))
        abort();
    return (guarded){all + page, all + page + inside, after};
}

guarded guarded_create(size_t bytes)
{
    return guarded_create_beyond(bytes, 1);
}

void guarded_destroy(guarded memory)
{
    const size_t page = page_size();
    munmap(memory.begin - page, page + (size_t)(memory.end - memory.begin) + memory.after);
}

void guarded_read_only(guarded memory, bool read_only)
{
    const int allowed = read_only ? PROT_READ : PROT_READ | PROT_WRITE;
    if (mprotect(memory.begin, (size_t)(memory.end - memory.begin), allowed) != 0)
        abort();
}

void *guarded_array(guarded memory, size_t bytes, bool at_end)
{
    if (bytes > (size_t)(memory.end - memory.begin))
        abort();
    return at_end ? memory.end - bytes : memory.begin;
}

static const char *watched;

static void say_what_ran(int number)
{
    const char words[] = "a guard page was touched by: ";
    if (write(STDERR_FILENO, words, sizeof words - 1) < 0 ||
        write(STDERR_FILENO, watched, strlen(watched)) < 0 || write(STDERR_FILENO, "\n", 1) < 0)
        _exit(1);
    signal(number, SIG_DFL); /* and the same instruction once more */
}

void guarded_watch(const char *words)
{
    const struct sigaction action = {.sa_handler = say_what_ran};
    watched = words;
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}
