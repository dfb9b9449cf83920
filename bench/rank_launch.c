#include "rank_launch.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

void *rank_shared_memory(size_t bytes)
{
    void *const memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bench_require(memory != MAP_FAILED, "memory", "there is none");
    return memory;
}

void rank_shared_barrier(pthread_barrier_t *barrier, int count)
{
    pthread_barrierattr_t between;
    pthread_barrierattr_init(&between);
    pthread_barrierattr_setpshared(&between, PTHREAD_PROCESS_SHARED);
    bench_require(pthread_barrier_init(barrier, &between, (unsigned)count) == 0, "a barrier",
                  "not made");
    pthread_barrierattr_destroy(&between);
}

static void run_threads(int count, void *(*work)(void *), void *const *arguments)
{
    pthread_t threads[RANK_MOST_LAUNCHED];
    for (int r = 0; r < count; r++)
        bench_require(pthread_create(&threads[r], NULL, work, arguments[r]) == 0, "a thread",
                      "not started");
    for (int r = 0; r < count; r++)
        pthread_join(threads[r], NULL);
}

/* Waits for all. The first that fails ends the others, which would wait for it. */
static bool wait_for_all(pid_t *processes, int count)
{
    bool right = true;
    for (int left = count; left > 0; left--) {
        int status = 1;
        const pid_t ended = wait(&status);
        for (int r = 0; r < count; r++) {
            if (processes[r] == ended)
                processes[r] = 0;
            else if (status != 0 && right && processes[r] > 0)
                kill(processes[r], SIGTERM);
        }
        right = right && status == 0;
    }
    return right;
}

bool rank_launch(int count, bool processes, void *(*work)(void *), void *const *arguments)
{
    pid_t children[RANK_MOST_LAUNCHED];
    if (!processes) {
        run_threads(count, work, arguments);
        return true;
    }
    for (int r = 0; r < count; r++) {
        children[r] = fork();
        bench_require(children[r] >= 0, "a process", "not started");
        if (children[r] == 0) {
            work(arguments[r]);
            exit(EXIT_SUCCESS);
        }
    }
    return wait_for_all(children, count);
}
