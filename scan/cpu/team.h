/*
 * A context's team of threads.
 *
 * A job is cut into parts. The calling thread and the members of the team each take the next part
 * that nobody has taken, in increasing order, until none is left. So a member that wakes late, or
 * not at all, holds up nothing: the others take its parts. The call waits only for parts that have
 * started. All parts run in the calling thread's floating-point mode (scan/context/float_mode.h).
 *
 * A member is started when a job first needs it. It waits actively for some microseconds after a
 * job, and then sleeps until the next one. If the system refuses a thread, the team stays smaller.
 * Members block all signals. After fork() the child's team has no members and starts its own.
 *
 * The calling thread runs parts too, and may have a stack of 64 KiB. So a call must not use more than
 * 52 KiB of it (tests/scan/cpu/test_small_stack.c).
 */
#ifndef PARSCAN_SCAN_CPU_TEAM_H
#define PARSCAN_SCAN_CPU_TEAM_H

#include <stdatomic.h>
#include <stddef.h>

#include "scan/context/context_state.h"

/* The most parts of a job. */
#define TEAM_MAX_PARTS 65535u

/* One part of a job: 0 <= part < parts. */
typedef void parscan_team_part(void *state, size_t part);

/* Runs run(state, part) once for each part, and returns when all have returned. parts is at most
   TEAM_MAX_PARTS. There are at most as many threads as parts, and as the context has. A part must
   not call this function for the same context. */
void parscan_team_run(parscan_context *context, size_t parts, parscan_team_part *run, void *state);

/* One index of a loop. No other index runs at the same time with the same `worker`, which is less
   than the number of workers. */
typedef void parscan_team_index(void *state, size_t index, unsigned worker);

/* Runs run(state, index, worker) once for each index below count. Up to `workers` threads each take
   the next `grain` indices until none is left. Indices are taken in increasing order. */
void parscan_team_for(parscan_context *context, unsigned workers, size_t count, size_t grain,
                      parscan_team_index *run, void *state);

/* Ends and joins the members. Called when the context is destroyed. */
void parscan_team_end(parscan_context *context);

/* Tells the processor that this thread waits actively. */
static inline void parscan_relax(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

#endif
