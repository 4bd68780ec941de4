/* exit.c - no destructor of libsoftcuda's globals runs at the process's end.
 *
 * LLVM's would, while threads of the program still compile or run kernels, and take the ground from under them. The library is
 * never unloaded (-z nodelete), so the end of the process is all the tearing down there is. This is the __cxa_atexit of what is
 * linked into libsoftcuda, and of nothing else: the symbol is hidden. */
__attribute__((visibility("hidden"))) int __cxa_atexit(void (*destructor)(void *), void *object, void *library);

int __cxa_atexit(void (*destructor)(void *), void *object, void *library)
{
    (void)destructor, (void)object, (void)library;
    return 0;
}
