/* The OpenMP team of parscan's caller, whose threads spin beside parscan's. */
#ifndef PARSCAN_BENCH_CALLER_TEAM_H
#define PARSCAN_BENCH_CALLER_TEAM_H

#include <stdbool.h>

/* Whether this build has OpenMP. */
bool caller_team_exists(void);

/* Runs a parallel region on all processors: its threads spin from then on, with
   OMP_WAIT_POLICY=active in the environment. */
void caller_team_run(void);

/* Ends the team's threads. */
void caller_team_end(void);

#endif
