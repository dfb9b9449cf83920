/* Processes that only spin: other work on the same processors. */
#ifndef PARSCAN_BENCH_SPINNERS_H
#define PARSCAN_BENCH_SPINNERS_H

typedef struct spinners spinners;

/* Forks `most` processes, which sleep. Call it before any thread exists, and before the arrays do:
   pages that parent and child share would be copied when they are written. They end with their
   parent. Ends the program if the system refuses one. */
spinners *spinners_create(unsigned most);

/* Lets `count` of them spin, and returns when each of them has run. */
void spinners_start(spinners *all, unsigned count);

/* Returns when all sleep again. */
void spinners_stop(spinners *all);

/* Ends the processes. */
void spinners_destroy(spinners *all);

#endif
