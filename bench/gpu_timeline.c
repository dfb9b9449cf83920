/*
 * Records when kernels and copies of a program ran, by CUPTI. CUDA loads this library into the
 * program:
 *
 *     CUDA_INJECTION64_PATH=libgpu_timeline.so PARSCAN_TIMELINE=FILE PROGRAM...
 *
 * At the end of the program FILE gets a line for each: device, stream, begin and end in
 * nanoseconds, bytes (of a copy, otherwise 0), name (`copy`, or the kernel's, mangled).
 * bench/report/timeline.py draws it and tells how much of the exchanges ran beside kernels.
 */
#include <cupti.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUFFER_BYTES = 8 << 20 };

static FILE *table;

static void CUPTIAPI lend(uint8_t **buffer, size_t *size, size_t *most)
{
    *buffer = aligned_alloc(8, BUFFER_BYTES);
    *size = *buffer == NULL ? 0 : BUFFER_BYTES;
    *most = 0;
}

static void CUPTIAPI take(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size,
                          size_t used)
{
    CUpti_Activity *record = NULL;
    (void)context, (void)stream, (void)size;
    while (cuptiActivityGetNextRecord(buffer, used, &record) == CUPTI_SUCCESS) {
        if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
            const CUpti_ActivityKernel10 *const k = (const CUpti_ActivityKernel10 *)record;
            fprintf(table, "%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",0,%s\n", k->deviceId,
                    k->streamId, k->start, k->end, k->name);
        } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
            const CUpti_ActivityMemcpy6 *const c = (const CUpti_ActivityMemcpy6 *)record;
            fprintf(table, "%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",copy\n",
                    c->deviceId, c->streamId, c->start, c->end, c->bytes);
        }
    }
    free(buffer);
}

static void finish(void)
{
    cuptiActivityFlushAll(1);
    fclose(table);
}

/* Called by CUDA when the program initializes it. */
__attribute__((visibility("default"))) int InitializeInjection(void);
int InitializeInjection(void)
{
    const char *const path = getenv("PARSCAN_TIMELINE");
    table = fopen(path != NULL ? path : "timeline.csv", "w");
    if (table == NULL || cuptiActivityRegisterCallbacks(lend, take) != CUPTI_SUCCESS ||
        cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) != CUPTI_SUCCESS ||
        cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY) != CUPTI_SUCCESS || atexit(finish) != 0) {
        perror("gpu_timeline");
        return 0;
    }
    fprintf(table, "device,stream,begin_ns,end_ns,bytes,name\n");
    return 1;
}
