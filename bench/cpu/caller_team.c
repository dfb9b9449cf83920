#include "caller_team.h"

#ifdef _OPENMP
#include <omp.h>
#include <stdatomic.h>

bool caller_team_exists(void)
{
    return true;
}

void caller_team_run(void)
{
    static _Atomic unsigned sum;
#pragma omp parallel num_threads(omp_get_num_procs())
    atomic_fetch_add(&sum, (unsigned)omp_get_thread_num());
}

void caller_team_end(void)
{
    omp_pause_resource_all(omp_pause_hard);
}
#else
bool caller_team_exists(void)
{
    return false;
}

void caller_team_run(void) {}

void caller_team_end(void) {}
#endif
