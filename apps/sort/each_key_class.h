/*
 * Includes KEY_TEMPLATE, a file's name, once for each class of keys, with its KEY_NAME, KEY_BITS and KEY_FLOAT. These are
 * PARSCAN_KEY_CLASSES of scan/tables.h once more, as a macro cannot include a file; tables that expand that list do not
 * compile if a class is missing here. The template undefines the three.
 */
#define KEY_NAME u8
#define KEY_BITS 8
#define KEY_FLOAT 0
#include KEY_TEMPLATE

#define KEY_NAME u16
#define KEY_BITS 16
#define KEY_FLOAT 0
#include KEY_TEMPLATE

#define KEY_NAME u32
#define KEY_BITS 32
#define KEY_FLOAT 0
#include KEY_TEMPLATE

#define KEY_NAME u64
#define KEY_BITS 64
#define KEY_FLOAT 0
#include KEY_TEMPLATE

#define KEY_NAME f32
#define KEY_BITS 32
#define KEY_FLOAT 1
#include KEY_TEMPLATE

#define KEY_NAME f64
#define KEY_BITS 64
#define KEY_FLOAT 1
#include KEY_TEMPLATE

#define KEY_NAME f16
#define KEY_BITS 16
#define KEY_FLOAT 1
#include KEY_TEMPLATE

#define KEY_NAME bf16
#define KEY_BITS 16
#define KEY_FLOAT 1
#include KEY_TEMPLATE

#undef KEY_TEMPLATE
