/* data.h - the images of data/, inside the test's executable. */
#ifndef TESTS_LOADER_DATA_H
#define TESTS_LOADER_DATA_H

#include <gpudl/gpudl.h>

#define DATA(name) extern const unsigned char data_##name[], data_##name##_end[]
DATA(names_ptx);
DATA(names_cubin);
DATA(names_fatbin);
DATA(globals_ptx);
DATA(globals_cubin);
DATA(globals_fatbin);
#undef DATA

#define DATA_SIZE(name) ((size_t)(data_##name##_end - data_##name))
#define DATA_SOURCE(name) GPUDL_MEMORY(data_##name, DATA_SIZE(name))

#endif
