/* plugin.h - what the program asks of a plugin. Each call returns NULL, or why it failed. */
#include <gpudl/gpudl.h>

struct plugin {
    /* Open a loader, which shares what it loads or does not; load an image, or NULL: none. */
    const char *(*start)(int share, const char *image);
    const char *(*run)(unsigned *x);
    /* What the driver was given by this plugin, and what it found loaded by another. */
    const char *(*count)(gpudl_loader_stats *);
    /* The driver's own handle of the kernel, for whoever can launch one, until it is taken back. */
    const char *(*lend)(CUkernel *);
    void (*take_back)(void);
    const char *(*run_lent)(CUkernel, unsigned *x);
    void (*stop)(void);
};
