/* The headers of the device code that is compiled at run time, as texts (cmake/device_texts.cmake). */
#ifndef PARSCAN_SCAN_RUNTIME_DEVICE_TEXTS_H
#define PARSCAN_SCAN_RUNTIME_DEVICE_TEXTS_H

extern const char *const parscan_device_texts[], *const parscan_device_text_names[];
extern const int parscan_device_text_count;
extern const char parscan_device_text_hash[]; /* of all of them */

#endif
