/*
 * Set operations of one class of keys. A step compares the next elements of a and b and passes the lesser
 * one, or both of equal ones, without a branch that depends on elements. Each step waits for the one
 * before it, so several parts proceed side by side.
 */
#include "apps/join/set_kernels.h"

#include <string.h>

#include "apps/merge/class_rank.h"
#include "scan/context/size_math.h"

KERNEL KEY rank_at(const key_order *order, const char *keys, size_t i)
{
    return rank(order, key(keys, i));
}

/* How many of keys[begin..end) are before the first one of at least that rank, plus begin. */
static size_t first_of(const key_order *order, const char *keys, size_t begin, size_t end, KEY rank)
{
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        if (rank_at(order, keys, middle) < rank)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* The merge path takes all of a's elements of a key before b's. This takes a's and b's in turn as long as
   both have some: the balanced path (S. Baxter, moderngpu, 2013). */
static set_cut cut(const key_order *order, const char *a, size_t n, const char *b, size_t n2,
                   size_t size)
{
    const size_t i = merge_cross(order, rank, a, n, b, n2, size), j = size - i;
    if (j == n2)
        return (set_cut){i, j};
    const KEY next = rank_at(order, b, j);
    const size_t a_first = first_of(order, a, 0, i, next), b_first = first_of(order, b, 0, j, next);
    const size_t of_a = i - a_first, taken = of_a + (j - b_first);
    size_t of_b = size_max(taken / 2, taken - of_a);
    /* One more of b's may be the partner of a's last one. */
    const size_t b_end = size_min(n2, b_first + of_b + 1);
    size_t b_run = j;
    while (b_run < b_end && rank_at(order, b, b_run) == next)
        b_run++;
    b_run -= b_first;
    of_b = size_min(of_b, b_run);
    const size_t a_taken = taken - of_b;
    return (set_cut){a_first + a_taken, b_first + of_b + (a_taken == of_b + 1 && of_b < b_run)};
}

typedef struct set_chain {
    size_t i, j, k; /* elements that were passed, of the result that were found */
} set_chain;

/* There is room for `room` elements; others are written aside. */
KERNEL void set_step(const key_order *order, const set_rule rule, const bool writes,
                     const set_part *p, set_chain *c)
{
    KEY aside;
    const KEY a = key(p->a, c->i), b = key(p->b, c->j);
    const KEY of_a = rank(order, a), of_b = rank(order, b);
    const bool up_to_b = of_a <= of_b, up_to_a = of_b <= of_a;
    if (writes) {
        const KEY taken = rule.of_b ? (KEY)(a ^ ((a ^ b) & (KEY)(0 - (KEY)!up_to_b))) : a;
        char *const to = c->k < p->room ? p->out + c->k * sizeof(KEY) : (char *)&aside;
        memcpy(to, &taken, sizeof taken);
    }
    c->k += (rule.of_both & up_to_b & up_to_a) | (rule.of_a & !up_to_a) | (rule.of_b & !up_to_b);
    c->i += up_to_b;
    c->j += up_to_a;
}

KERNEL size_t set_steps(const set_part *p, const set_chain *c)
{
    return size_min(p->n - c->i, p->n2 - c->j);
}

/* What is left of one array. */
KERNEL size_t put_rest(const set_part *p, const bool writes, const char *from, size_t n, size_t k)
{
    if (writes && k < p->room && n > 0)
        memcpy(p->out + k * sizeof(KEY), from, size_min(n, p->room - k) * sizeof(KEY));
    return k + n;
}

KERNEL void set_finish(const key_order *order, const set_rule rule, const bool writes, set_part *p,
                       set_chain c)
{
    for (size_t steps = set_steps(p, &c); steps > 0; steps = set_steps(p, &c))
        for (; steps > 0; steps--)
            set_step(order, rule, writes, p, &c);
    if (rule.of_a && c.i < p->n)
        c.k = put_rest(p, writes, p->a + c.i * sizeof(KEY), p->n - c.i, c.k);
    if (rule.of_b && c.j < p->n2)
        c.k = put_rest(p, writes, p->b + c.j * sizeof(KEY), p->n2 - c.j, c.k);
    p->count = c.k;
}

KERNEL size_t least_steps(const set_part *parts, const set_chain *chains)
{
    size_t steps = SIZE_MAX;
    for (size_t k = 0; k < SET_PARTS; k++)
        steps = size_min(steps, set_steps(&parts[k], &chains[k]));
    return steps;
}

KERNEL void run_parts(const key_order *order, const set_rule rule, const bool writes,
                      set_part *parts)
{
    const key_order by = *order;
    const set_part p0 = parts[0], p1 = parts[1], p2 = parts[2], p3 = parts[3];
    set_chain chains[SET_PARTS] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (size_t steps = least_steps(parts, chains); steps > 0; steps = least_steps(parts, chains)) {
        set_chain c0 = chains[0], c1 = chains[1], c2 = chains[2], c3 = chains[3];
        for (; steps > 0; steps--) {
            set_step(&by, rule, writes, &p0, &c0);
            set_step(&by, rule, writes, &p1, &c1);
            set_step(&by, rule, writes, &p2, &c2);
            set_step(&by, rule, writes, &p3, &c3);
        }
        chains[0] = c0, chains[1] = c1, chains[2] = c2, chains[3] = c3;
    }
    for (size_t k = 0; k < SET_PARTS; k++)
        set_finish(&by, rule, writes, &parts[k], chains[k]);
}

#define RUN(name, operation)                                        \
    static void name(const key_order *order, set_part *parts)       \
    {                                                               \
        if (parts[0].out != NULL)                                   \
            run_parts(order, set_rule_of(operation), true, parts);  \
        else                                                        \
            run_parts(order, set_rule_of(operation), false, parts); \
    }
RUN(run_union, SET_UNION)
RUN(run_intersection, SET_INTERSECTION)
RUN(run_difference, SET_DIFFERENCE)
RUN(run_symmetric, SET_SYMMETRIC_DIFFERENCE)

const set_kernels NAMED(parscan_set_kernels) = {
    .cut = cut,
    .run = {[SET_UNION] = run_union,
            [SET_INTERSECTION] = run_intersection,
            [SET_DIFFERENCE] = run_difference,
            [SET_SYMMETRIC_DIFFERENCE] = run_symmetric},
};
