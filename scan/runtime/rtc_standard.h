/*
 * What the device code uses of C's headers, for NVRTC, which has none of them. It is included by the
 * names of all of them (embed_texts.cmake).
 */
#ifndef PARSCAN_SCAN_RUNTIME_RTC_STANDARD_H
#define PARSCAN_SCAN_RUNTIME_RTC_STANDARD_H

typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
typedef unsigned long uintptr_t;
typedef long intptr_t;
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295u
#define INT64_MIN (-9223372036854775807l - 1)
#define INT64_MAX 9223372036854775807l
#define UINT64_MAX 18446744073709551615ul
#define INT32_C(x) x
#define UINT32_C(x) x##u
#define INT64_C(x) x##l
#define UINT64_C(x) x##ul
#define SIZE_MAX UINT64_MAX

#define CHAR_BIT 8
#define CHAR_MIN (-128)
#define INT_MIN INT32_MIN
#define INT_MAX INT32_MAX
#define UINT_MAX UINT32_MAX

#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#define FLT_MAX 3.402823466e+38f
#define DBL_MAX 1.7976931348623157e+308

namespace std
{
template <typename A, typename B>
struct is_same {
    static const bool value = false;
};
template <typename A>
struct is_same<A, A> {
    static const bool value = true;
};
} // namespace std

#endif
