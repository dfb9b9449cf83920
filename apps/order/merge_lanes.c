#include "apps/order/merge_lanes.h"

#include "scan/cpu/copy_small.h"
#include "scan/tables.h"

enum {
    AT_AN_END =
        8, /* results that are taken with care before it is found out again how many need none */
    AHEAD_STEPS = 4,
    AHEAD_BYTES = 256
};

/* The lanes of a call, those that are not done: of runs a and b what is taken next, and where they end. */
typedef struct running {
    const char *at[2][MERGE_LANES], *end[2][MERGE_LANES];
    char *out[MERGE_LANES];
} running;

/* The first element at `at` for a comparison; of a run that is used up some other, whose comparison is not
   used. */
static inline const char *readable(const char *at, const char *end, const char *other, size_t size)
{
    return at < end ? at : other - size;
}

/* Where the head of a lane's run is: those of run a are heads[0..lanes), those of b from MERGE_LANES on. The run is an
   index: a branch would be mispredicted every other time. */
static inline __attribute__((always_inline)) char *head_of(char *heads, size_t run, size_t k,
                                                           const size_t size)
{
    return heads + (run * MERGE_LANES + k) * size;
}

/* One result of each lane. */
static inline __attribute__((always_inline)) void take_one(running *r, size_t lanes, char *heads,
                                                           const uint8_t *flags, const size_t size)
{
    for (size_t k = 0; k < lanes; k++) {
        const bool b_left = r->at[1][k] < r->end[1][k], a_done = r->at[0][k] >= r->end[0][k];
        const size_t run = ((flags[k] != 0) & b_left) | a_done;
        char *const head = head_of(heads, run, k, size);
        const char *const next = r->at[run][k] + size, *const end = r->end[run][k];
        copy_element(r->out[k], head, size);
        r->out[k] += size;
        r->at[run][k] = next;
        copy_element(head, next < end ? next : end - size, size);
    }
}

/* The same where no run ends with this result: number `done` since r->out was right. */
static inline __attribute__((always_inline)) void take_inner(running *r, size_t lanes, size_t done,
                                                             char *heads, const uint8_t *flags,
                                                             const size_t size)
{
    for (size_t k = 0; k < lanes; k++) {
        const size_t run = flags[k] != 0;
        char *const head = head_of(heads, run, k, size);
        const char *const next = r->at[run][k] + size;
        copy_element(r->out[k] + done * size, head, size);
        r->at[run][k] = next;
        copy_element(head, next, size);
    }
}

/* How many results no run of any lane can end with: at least one element of each is left behind them. */
static inline __attribute__((always_inline)) size_t inner_results(const running *r, size_t lanes,
                                                                  const size_t size)
{
    size_t bytes = SIZE_MAX;
    for (size_t run = 0; run < 2; run++)
        for (size_t k = 0; k < lanes; k++) {
            const size_t left = (size_t)(r->end[run][k] - r->at[run][k]);
            bytes = left < bytes ? left : bytes;
        }
    return bytes == 0 ? 0 : bytes / size - 1;
}

/* More streams than the processor follows by itself. written: bytes since r->out was right. */
static inline void fetch_ahead(const running *r, size_t lanes, size_t written)
{
    for (size_t k = 0; k < lanes; k++) {
        __builtin_prefetch(r->out[k] + written + AHEAD_BYTES, 1);
        __builtin_prefetch(r->at[0][k] + AHEAD_BYTES);
        __builtin_prefetch(r->at[1][k] + AHEAD_BYTES);
    }
}

static inline __attribute__((always_inline)) void take_many(const parscan_operator *less,
                                                            running *r, size_t lanes, size_t count,
                                                            char *work, const size_t size)
{
    uint8_t flags[MERGE_LANES];
    while (count > 0) {
        const size_t found = inner_results(r, lanes, size), inner = found < count ? found : count;
        for (size_t done = 0; done < inner; done++) {
            less->relate(work + MERGE_LANES * size, work, flags, lanes, less->state);
            take_inner(r, lanes, done, work, flags, size);
            if (done % AHEAD_STEPS == 0)
                fetch_ahead(r, lanes, done * size);
        }
        for (size_t k = 0; k < lanes; k++)
            r->out[k] += inner * size;
        count -= inner;
        for (size_t edge = 0; edge < AT_AN_END && count > 0; edge++, count--) {
            less->relate(work + MERGE_LANES * size, work, flags, lanes, less->state);
            take_one(r, lanes, work, flags, size);
        }
    }
}

/* The sizes for which the compiler knows how many bytes it copies. */
/* clang-format off */
#define COMMON_SIZES(X) X(4) X(8) X(12) X(16) X(24) X(32) X(48) X(64)
/* clang-format on */

static void take_all(const parscan_operator *less, running *r, size_t lanes, size_t count,
                     char *work)
{
    switch (less->size) {
#define X(bytes)                                       \
    case bytes:                                        \
        take_many(less, r, lanes, count, work, bytes); \
        break;
        COMMON_SIZES(X)
#undef X
    default:
        take_many(less, r, lanes, count, work, less->size);
        break;
    }
}

static void move_lane(running *r, char *heads, size_t from, size_t to, size_t size)
{
    for (size_t run = 0; run < 2; run++) {
        r->at[run][to] = r->at[run][from];
        r->end[run][to] = r->end[run][from];
        memmove(heads + (run * MERGE_LANES + to) * size, heads + (run * MERGE_LANES + from) * size,
                size);
    }
    r->out[to] = r->out[from];
}

static void begin_lane(running *r, char *heads, size_t k, const merge_lane *lane, size_t size)
{
    r->at[0][k] = lane->a;
    r->at[1][k] = lane->b;
    r->end[0][k] = lane->a_end;
    r->end[1][k] = lane->b_end;
    r->out[k] = lane->out;
    memcpy(heads + k * size, readable(lane->a, lane->a_end, lane->b_end, size), size);
    memcpy(heads + (MERGE_LANES + k) * size, readable(lane->b, lane->b_end, lane->a_end, size),
           size);
}

/* The lanes go on side by side until the shortest ones are done, which leave. */
void PARSCAN_PASTE(parscan_merge_lanes_, PARSCAN_ISA)(const parscan_operator *less,
                                                      const merge_lane *lane, size_t lanes,
                                                      char *work)
{
    size_t left[MERGE_LANES], active = 0;
    running r;
    for (size_t k = 0; k < lanes; k++)
        if (lane[k].count > 0) {
            left[active] = lane[k].count;
            begin_lane(&r, work, active++, &lane[k], less->size);
        }
    while (active > 0) {
        size_t count = left[0], kept = 0;
        for (size_t k = 1; k < active; k++)
            count = left[k] < count ? left[k] : count;
        take_all(less, &r, active, count, work);
        for (size_t k = 0; k < active; k++) {
            left[k] -= count;
            if (left[k] > 0) {
                left[kept] = left[k];
                move_lane(&r, work, k, kept++, less->size);
            }
        }
        active = kept;
    }
}
