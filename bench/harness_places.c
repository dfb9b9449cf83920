/* The processor of the thread that calls OpenMP. */
#include <omp.h>
#include <sched.h>

#include "harness.h"

static void add_place(int place, cpu_set_t *processors)
{
    int numbers[CPU_SETSIZE];
    const int count = omp_get_place_num_procs(place);
    if (count > CPU_SETSIZE)
        return;
    omp_get_place_proc_ids(place, numbers);
    for (int k = 0; k < count; k++)
        if (numbers[k] < CPU_SETSIZE)
            CPU_SET(numbers[k], processors);
}

void bench_bind_caller(bool binds)
{
    cpu_set_t processors;
    CPU_ZERO(&processors);
    if (omp_get_proc_bind() == omp_proc_bind_false)
        return;
    for (int place = 0; place < (binds ? 1 : omp_get_num_places()); place++)
        add_place(place, &processors);
    sched_setaffinity(0, sizeof processors, &processors); /* otherwise figures are noisier */
}
