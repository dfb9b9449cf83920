/* What a user would write with OpenMP, compiled for this machine. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "peers.h"

/* The scan of OpenMP 5.0. */
#define SCANS(name, T)                                                                             \
    static void simd_##name(peer_job *job)                                                         \
    {                                                                                              \
        const T *const in = job->in;                                                               \
        T *const out = job->out, sum = 0;                                                          \
        _Pragma("omp simd reduction(inscan, + : sum)") for (size_t i = 0; i < job->n; i++)         \
        {                                                                                          \
            sum += in[i];                                                                          \
            _Pragma("omp scan inclusive(sum)") out[i] = sum;                                       \
        }                                                                                          \
    }                                                                                              \
    __attribute__((unused)) static void parallel_##name(peer_job *job)                             \
    {                                                                                              \
        const T *const in = job->in;                                                               \
        const size_t n = job->n;                                                                   \
        const unsigned team = job->threads;                                                        \
        T *const out = job->out, sum = 0;                                                          \
        _Pragma(                                                                                   \
            "omp parallel for simd num_threads(team) reduction(inscan, + : sum)") for (size_t i =  \
                                                                                           0;      \
                                                                                       i < n; i++) \
        {                                                                                          \
            sum += in[i];                                                                          \
            _Pragma("omp scan inclusive(sum)") out[i] = sum;                                       \
        }                                                                                          \
    }
SCANS(u8, uint8_t)
SCANS(u32, uint32_t)
SCANS(u64, uint64_t)
SCANS(f32, float)
SCANS(f64, double)

/* Each thread counts its share, then copies it after the shares before. */
static void compact(peer_job *job)
{
    enum { MOST = 1024 };
    const uint32_t *const in = job->in, limit = job->limit;
    uint32_t *const out = job->out;
    const size_t n = job->n;
    size_t kept[MOST + 1] = {0};
#pragma omp parallel num_threads(job->threads < MOST ? job->threads : MOST)
    {
        const size_t me = (size_t)omp_get_thread_num(), team = (size_t)omp_get_num_threads();
        const size_t begin = n / team * me, end = me + 1 == team ? n : n / team * (me + 1);
        size_t mine = 0;
        for (size_t i = begin; i < end; i++)
            mine += in[i] < limit;
        kept[me + 1] = mine;
#pragma omp barrier
#pragma omp single
        {
            for (size_t k = 1; k <= team; k++)
                kept[k] += kept[k - 1];
            job->result = kept[team];
        }
        size_t to = kept[me];
        for (size_t i = begin; i < end; i++)
            if (in[i] < limit)
                out[to++] = in[i];
    }
}

/* Histograms: private counts by a reduction, and eight tables for each thread, in rotation. */
enum { EIGHT_BINS = 4096 };

#define HISTOGRAMS(name, T)                                                                       \
    static void reduction_##name(peer_job *job)                                                   \
    {                                                                                             \
        const T *const in = job->in;                                                              \
        const size_t n = job->n, bins = job->bins;                                                \
        uint32_t *const counts = job->counts;                                                     \
        memset(counts, 0, bins * sizeof *counts);                                                 \
        _Pragma("omp parallel for num_threads(job->threads) reduction(+ : counts[:bins])") for (  \
            size_t i = 0; i < n; i++) counts[in[i]]++;                                            \
    }                                                                                             \
    static void eight_##name(peer_job *job)                                                       \
    {                                                                                             \
        const size_t n = job->n, bins = job->bins;                                                \
        uint32_t *const counts = job->counts;                                                     \
        memset(counts, 0, bins * sizeof *counts);                                                 \
        _Pragma("omp parallel num_threads(job->threads)")                                         \
        {                                                                                         \
            const size_t me = (size_t)omp_get_thread_num(), team = (size_t)omp_get_num_threads(); \
            const size_t end = me + 1 == team ? n : n / team * (me + 1);                          \
            const T *const in = job->in;                                                          \
            uint32_t tables[8][EIGHT_BINS];                                                       \
            for (size_t t = 0; t < 8; t++)                                                        \
                memset(tables[t], 0, bins * sizeof **tables);                                     \
            size_t i = n / team * me;                                                             \
            for (; i + 8 <= end; i += 8)                                                          \
                for (size_t t = 0; t < 8; t++)                                                    \
                    tables[t][in[i + t]]++;                                                       \
            for (; i < end; i++)                                                                  \
                tables[0][in[i]]++;                                                               \
            _Pragma("omp critical(eight)") for (size_t t = 0; t < 8; t++) for (size_t bin = 0;    \
                                                                               bin < bins; bin++) \
                counts[bin] += tables[t][bin];                                                    \
        }                                                                                         \
    }
HISTOGRAMS(u8, uint8_t)
HISTOGRAMS(u32, uint32_t)

#define OF_TYPE(function, type)                  \
    (strcmp(type, "u8") == 0    ? function##_u8  \
     : strcmp(type, "u32") == 0 ? function##_u32 \
     : strcmp(type, "u64") == 0 ? function##_u64 \
     : strcmp(type, "f32") == 0 ? function##_f32 \
     : strcmp(type, "f64") == 0 ? function##_f64 \
                                : NULL)

peer_function *peer_openmp_simd(const char *work, const char *type)
{
    (void)work;
    return OF_TYPE(simd, type);
}

peer_function *peer_openmp(const char *work, const char *type)
{
    if (strcmp(work, "compact-if") == 0)
        return compact;
    if (strncmp(work, "histogram", 9) == 0)
        return strcmp(type, "u8") == 0 ? reduction_u8 : reduction_u32;
#ifdef __clang__ /* which allocates a buffer as long as the array on the stack */
    return NULL;
#else
    return OF_TYPE(parallel, type);
#endif
}

peer_function *peer_openmp_eight(const char *work, const char *type)
{
    (void)work;
    return strcmp(type, "u8") == 0 ? eight_u8 : eight_u32;
}
