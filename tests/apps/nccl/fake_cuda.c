#define _GNU_SOURCE
#include "tests/apps/nccl/fake_cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

fake_world *fake;
char *fake_own, *fake_opened;

void fake_stop(const char *words)
{
    fprintf(stderr, "the fake of CUDA: %s\n", words);
    abort();
}

void fake_lock(void)
{
    pthread_mutex_lock(&fake->lock);
}

void fake_unlock(void)
{
    pthread_mutex_unlock(&fake->lock);
}

static void *map(int file, size_t size)
{
    void *const memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE,
             file < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED | MAP_NORESERVE, file, 0);
    if (memory == MAP_FAILED)
        fake_stop("no memory");
    return memory;
}

void fake_start(void)
{
    pthread_mutexattr_t shared;
    pthread_condattr_t shared_too;
    const int file = memfd_create("device", 0);
    if (file < 0 || ftruncate(file, (off_t)FAKE_DEVICE) != 0)
        fake_stop("no file");
    fake = map(-1, sizeof *fake);
    fake_own = map(file, FAKE_DEVICE);
    fake_opened = map(file, FAKE_DEVICE);
    close(file);
    pthread_mutexattr_init(&shared);
    pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&fake->lock, &shared);
    pthread_condattr_init(&shared_too);
    pthread_condattr_setpshared(&shared_too, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&fake->changed, &shared_too);
}

/* ---- refusals ---- */

static struct {
    const char *function;
    int left, done;
    bool always;
} refusal;

void fake_refuse(const char *function, int nth, bool always)
{
    refusal.function = function;
    refusal.left = nth;
    refusal.always = always;
    refusal.done = 0;
}

bool fake_refused(const char *function)
{
    if (refusal.function == NULL || strcmp(function, refusal.function) != 0)
        return false;
    refusal.left--;
    if (refusal.left > 0 || (refusal.left < 0 && !refusal.always))
        return false;
    refusal.done++;
    return true;
}

int fake_refusals(void)
{
    return refusal.done;
}

static _Thread_local cudaError_t last_error;

cudaError_t fake_error(cudaError_t error)
{
    return last_error = error;
}

/* ---- devices ---- */

static _Thread_local int current_device;
int fake_peers;

cudaError_t cudaGetLastError(void)
{
    const cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = current_device;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    if (device < 0 || device >= FAKE_RANKS)
        return cudaErrorInvalidDevice;
    current_device = device;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    *least = *greatest = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int other)
{
    (void)device, (void)other;
    *can = fake_peers;
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int other, unsigned flags)
{
    (void)other, (void)flags;
    FAKE_REFUSE_OR_GO_ON("cudaDeviceEnablePeerAccess");
    return last_error = cudaErrorPeerAccessAlreadyEnabled;
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaSuccess ? "no error" : "an error of the fake";
}
