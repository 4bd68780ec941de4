/* In the place of NVIDIA's nvrtc.h. */
#include <gpudl/nvrtc_compat.h>
