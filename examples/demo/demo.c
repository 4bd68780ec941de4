/* demo.c - the main job, told step by step: load a kernel that this program was not built with, look at it, launch it, check what
 * it did; then load a second version of it and see the change.
 * usage: demo VERSION_1 VERSION_2, two images of a kernel paint(int width, int height, unsigned char *picture). */
#include <gpudl/gpudl.h>

#include <stdbool.h>
#include <stdio.h>

enum { WIDTH = 44, HEIGHT = 20, POINTS = WIDTH * HEIGHT };

typedef unsigned char picture[POINTS];  /* brightness of each point, 0 to 9 */

struct screen {
    gpudl_loader *loader;
    const gpudl_driver_table *driver;
    CUdeviceptr memory;         /* POINTS bytes on the device */
};

static bool library_said_no(const char *tried)
{
    fprintf(stderr, "\nThe demo ends here: %s.\n%s\n", tried, gpudl_error_text());
    return false;
}

static bool driver_said_no(const struct screen *screen, const char *tried, int code)
{
    const char *text = "";

    screen->driver->GetErrorString(code, &text);
    fprintf(stderr, "\nThe demo ends here: %s.\nThe driver says: %s (%d)\n", tried, text, code);
    return false;
}

/* What each version should paint, worked out here without a GPU: whole numbers, so every point must be equal. */
static void expect(int version, picture out)
{
    const int radius = 2 * HEIGHT - 4;

    for (int i = 0; i < POINTS; i++) {
        int right = 2 * (i % WIDTH) - (WIDTH - 1), down = 4 * (i / WIDTH) - 2 * (HEIGHT - 1);
        int x = right + radius / 2, y = down + radius / 2, shade = 9 - 3 * (x * x + y * y) / (radius * radius);
        bool inside = right * right + down * down <= radius * radius;

        if (version == 1)
            out[i] = inside ? 9 : 0;
        else
            out[i] = (unsigned char)(!inside ? 0 : shade > 1 ? shade : 1);
    }
}

static int differences(const picture a, const picture b)
{
    int n = 0;

    for (int i = 0; i < POINTS; i++)
        n += a[i] != b[i];
    return n;
}

static void show(const picture p)
{
    char line[WIDTH + 1] = "";

    for (int y = 0; y < HEIGHT; y++) {
        int length = 0;

        for (int x = 0; x < WIDTH; x++) {
            unsigned char shade = p[y * WIDTH + x];

            line[x] = shade <= 9 ? " .:-=+*%#@"[shade] : '?';
            if (line[x] != ' ')
                length = x + 1;
        }
        printf("%s%.*s\n", length ? "   " : "", length, line);
    }
}

static void describe(gpudl_library *library, gpudl_kernel *paint)
{
    gpudl_param_info info = { .size_of_struct = sizeof(info) };
    size_t nparams = 0;

    printf("   It holds %zu kernel(s):", gpudl_library_kernel_count(library));
    for (size_t i = 0; i < gpudl_library_kernel_count(library); i++)
        printf(" %s", gpudl_library_kernel_name(library, i));
    printf("\n   The name 'paint', as the source has it, means %s, with parameters of", gpudl_kernel_name(paint));
    gpudl_kernel_param_count(paint, &nparams);
    for (size_t i = 0; i < nparams && gpudl_kernel_param(paint, i, &info) == GPUDL_OK; i++)
        printf("%s %zu", i ? "," : "", info.size);
    printf(" bytes.\n");
}

static bool launch(const struct screen *screen, gpudl_kernel *paint, picture out)
{
    int width = WIDTH, height = HEIGHT, code;
    CUdeviceptr memory = screen->memory;
    void *params[] = { &width, &height, &memory };
    gpudl_launch_config config = gpudl_launch_3d((WIDTH + 15) / 16, (HEIGHT + 7) / 8, 1, 16, 8, 1);

    printf("   Launching %u x %u blocks of 16 x 8 threads, a thread for each of %d points:\n", config.grid[0], config.grid[1],
        POINTS);
    if (gpudl_kernel_launch_params(paint, &config, params) != GPUDL_OK)
        return library_said_no("the kernel was not launched");
    code = screen->driver->CtxSynchronize();
    if (!code)
        code = screen->driver->MemcpyDtoH(out, memory, POINTS);
    return code ? driver_said_no(screen, "the kernel failed", code) : true;
}

static bool check(int version, const picture seen)
{
    picture wanted;
    int wrong;

    expect(version, wanted);
    wrong = differences(seen, wanted);
    show(seen);
    if (wrong)
        fprintf(stderr, "\nThe demo ends here: %d of %d points are not what this program worked out by itself.\n", wrong, POINTS);
    else
        printf("   Checked: all %d points are what this program works out by itself.\n", POINTS);
    return !wrong;
}

static bool paint_with(const struct screen *screen, int version, const char *path, picture out)
{
    gpudl_library *library = NULL;
    gpudl_kernel *paint = NULL;
    bool good;

    printf("\n%d. Loading %s, which this program has never seen.\n", version + 1, path);
    good = (gpudl_library_load(screen->loader, GPUDL_FILE(path), NULL, &library) == GPUDL_OK &&
            gpudl_kernel_get(library, "paint", &paint) == GPUDL_OK) || library_said_no("the image was not loaded");
    if (good)
        describe(library, paint);
    good = good && launch(screen, paint, out) && check(version, out);
    gpudl_kernel_release(paint);
    gpudl_library_release(library);
    return good;
}

static bool paint_both(const struct screen *screen, char **paths)
{
    picture first, second;

    if (!paint_with(screen, 1, paths[0], first) || !paint_with(screen, 2, paths[1], second))
        return false;
    printf("\nThe program stayed the same, the kernel changed: %d points differ between the two pictures.\n",
        differences(first, second));
    return true;
}

static void introduce(const struct screen *screen)
{
    char name[128] = "?";

    screen->driver->DeviceGetName(name, sizeof(name), 0);
    printf("1. The driver: %s\n", gpudl_loader_driver_text(screen->loader));
    if (gpudl_loader_is_software(screen->loader))
        printf("   No GPU is used: the cores of this CPU do its work.\n");
    else
        printf("   The kernels run on %s.\n", name);
}

static bool run(char **paths)
{
    struct screen screen = { .loader = NULL };
    bool good;
    int code;

    if (gpudl_loader_open(NULL, &screen.loader) != GPUDL_OK)
        return library_said_no("there is no driver to work with");
    screen.driver = gpudl_loader_driver(screen.loader);
    introduce(&screen);
    good = gpudl_loader_use_device(screen.loader, 0) == GPUDL_OK || library_said_no("the device cannot be used");
    if (good) {
        code = screen.driver->MemAlloc(&screen.memory, POINTS);
        good = code ? driver_said_no(&screen, "there is no memory for the picture", code) : paint_both(&screen, paths);
    }
    if (screen.memory)
        screen.driver->MemFree(screen.memory);
    gpudl_loader_close(screen.loader);
    return good;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: demo VERSION_1 VERSION_2\n");
        return 2;
    }
    return run(argv + 1) ? 0 : 1;
}
