#include "apps/cli/depth_run.h"

/* The heap: the end at i is not above those at 2 i + 1 and 2 i + 2. */
static bool push_end(array *ends, uint64_t end)
{
    size_t i = ends->n;
    if (!array_reserve(ends, i + 1))
        return false;
    uint64_t *const heap = ends->data;
    for (; i > 0 && heap[(i - 1) / 2] > end; i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = end;
    ends->n++;
    return true;
}

static void pop_end(array *ends)
{
    uint64_t *const heap = ends->data;
    const size_t n = --ends->n;
    const uint64_t last = heap[n];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        child += child + 1 < n && heap[child + 1] < heap[child];
        if (heap[child] >= last)
            break;
        heap[i] = heap[child];
    }
    heap[i] = last;
}

/* Goes on to a place: tells of the one before, if the number of intervals has changed there. */
static bool move_to(depth_run *run, uint64_t place)
{
    const bool changed = place != run->place && run->ends.n != run->told;
    if (changed && !run->change(run->user, run->place, run->ends.n))
        return false;
    run->told = place != run->place ? run->ends.n : run->told;
    run->place = place;
    return true;
}

static bool end_until(depth_run *run, uint64_t place)
{
    while (run->ends.n > 0 && *(const uint64_t *)run->ends.data <= place) {
        if (!move_to(run, *(const uint64_t *)run->ends.data))
            return false;
        pop_end(&run->ends);
    }
    return true;
}

bool depth_add(depth_run *run, uint64_t begin, uint64_t end)
{
    return end_until(run, begin) && move_to(run, begin) && push_end(&run->ends, end);
}

bool depth_finish(depth_run *run)
{
    const bool done =
        end_until(run, UINT64_MAX) && (run->told == 0 || run->change(run->user, run->place, 0));
    run->told = 0;
    return done;
}

void depth_release(depth_run *run)
{
    array_release(&run->ends);
}
