#include "scan/cpu/isa.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#if defined __x86_64__
#include <cpuid.h>
#endif

static bool is_built(parscan_isa isa)
{
    switch (isa) {
#ifdef PARSCAN_HAVE_AVX2
    case PARSCAN_ISA_AVX2:
        return true;
#endif
#ifdef PARSCAN_HAVE_AVX512
    case PARSCAN_ISA_AVX512:
        return true;
#endif
    default:
        return isa == PARSCAN_ISA_PORTABLE;
    }
}

#if defined __x86_64__
/* Whether it converts floats of 16 bits. Not every compiler's __builtin_cpu_supports() knows it. */
static bool has_f16c(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}
#endif

/* The best set that the processor has, built or not. */
static parscan_isa processor_isa(void)
{
#if defined __x86_64__
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") ||
        !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("popcnt") || !has_f16c())
        return PARSCAN_ISA_PORTABLE;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl") ||
        !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512vbmi") ||
        !__builtin_cpu_supports("avx512vbmi2"))
        return PARSCAN_ISA_AVX2;
    return PARSCAN_ISA_AVX512;
#else
    return PARSCAN_ISA_PORTABLE;
#endif
}

parscan_status parscan_choose_isa(parscan_context *context, parscan_isa *isa)
{
    const parscan_isa processor = processor_isa();
    *isa = processor;
    while (!is_built(*isa))
        --*isa;
    const char *const asked = getenv("PARSCAN_SIMD");
    if (asked == NULL || *asked == '\0')
        return PARSCAN_OK;
    for (int k = PARSCAN_ISA_PORTABLE; k <= PARSCAN_ISA_AVX512; k++) {
        if (strcmp(asked, parscan_isa_name((parscan_isa)k)) != 0)
            continue;
        *isa = (parscan_isa)k;
        if (*isa > processor)
            return parscan_fail(context, PARSCAN_ERROR_BACKEND,
                                "PARSCAN_SIMD = %s: this processor has %s at best", asked,
                                parscan_isa_name(processor));
        if (!is_built(*isa))
            return parscan_fail(context, PARSCAN_ERROR_BACKEND,
                                "PARSCAN_SIMD = %s: this library was built without it", asked);
        return PARSCAN_OK;
    }
    return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                        "PARSCAN_SIMD = %s: it must be portable, avx2 or avx512", asked);
}
