/*
 * Exchanges of a transport over the fake (fake_nccl.h): all-to-all and all-gather, of host and of device memory, under
 * way at once. What is sent comes late: when the stream that is given has done its work.
 */
#ifndef PARSCAN_TESTS_TRANSPORT_CASE_H
#define PARSCAN_TESTS_TRANSPORT_CASE_H

#include "apps/nccl/nccl_transport.h"
#include "tests/apps/nccl/fake_nccl.h"

/* More than are under way elsewhere, and fewer than postings. */
enum { CASE_AT_ONCE = 12 };

/* A transport of a rank, ready. `seconds`: its limit until the first wait. */
nccl_transport *transport_case_open(struct ncclComm *nccl, double seconds);

/* `count` exchanges at once, up to CASE_AT_ONCE; messages have 0 to 3 units of so many bytes. Ends the program
   if a byte is wrong, or a call fails. */
void transport_case_exchange(nccl_transport *transport, int round, int count, size_t unit);

/* Exchanges of small and large messages, alone and many at once. large: the unit of those. */
void transport_case_run(nccl_transport *transport, size_t large);

/* All calls of parscan/distributed.h on the CPU, over the transport. Frees it. */
void transport_case_run_calls(nccl_transport *transport);

/* Ends the program with the words, unless the condition holds. */
void require(int condition, const char *words);

#endif
