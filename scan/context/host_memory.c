#define _GNU_SOURCE /* syscall */
#include "scan/context/host_memory.h"

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#if defined __linux__
#include <sys/syscall.h>

/* The size of a signal set in the kernel. */
#define SIGNAL_SET_BYTES 8u

/* A system call that reads through a bad pointer returns EFAULT, where a load would end the
   process. This system call fails in any case, because its first argument is invalid, and changes
   nothing. */
bool parscan_host_can_read(const void *pointer)
{
    const int before = errno;
    const uintptr_t aligned = (uintptr_t)pointer / SIGNAL_SET_BYTES * SIGNAL_SET_BYTES;
    const long result =
        syscall(SYS_rt_sigprocmask, ~0, (const void *)aligned, NULL, SIGNAL_SET_BYTES);
    const bool readable = result == 0 || errno != EFAULT;
    errno = before;
    return readable;
}

#else

bool parscan_host_can_read(const void *pointer)
{
    (void)pointer;
    return true;
}

#endif

bool parscan_host_near_device(void)
{
    return access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0;
}
