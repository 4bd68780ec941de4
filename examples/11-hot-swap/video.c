/* video.c - a filter is edited while a video runs through it. The program watches filter.cu; when the file changes, it is
 * compiled and swapped in between two frames, and no frame waits or fails.
 * usage: 11-hot-swap [FRAMES]; with FRAMES that many are shown, and you are the editor of filter.cu; without, the program is:
 * it replaces the file once, and checks each frame. Writes input.png, before.png and after.png. Exit status 77: there is no
 * compiler. */
#include "png.h"

#include <gpudl/gpudl.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WIDTH = 160, HEIGHT = 120, PIXELS = WIDTH * HEIGHT, EDITED_AT = 20, AFTERWARDS = 20, MOST_FRAMES = 6000 };

GPUDL_EMBEDDED_DECLARE(blur); /* blur.cu and edge.cu, to begin with and to change it to */
GPUDL_EMBEDDED_DECLARE(edge);

static const gpudl_driver_table *cu;
static gpudl_library *library;
static gpudl_kernel *filter;
static CUdeviceptr in, out;

/* Ends the program where a call failed. gpudl leaves a text that says why; a function of the driver's returns CUDA's code. */
static void must(int failed, const char *call)
{
    if (!failed)
        return;
    fprintf(stderr, "%s: failed with %d. %s\n", call, failed, gpudl_error_text());
    exit(failed == GPUDL_ERROR_NO_COMPILER ? 77 : 1);
}
#define MUST(call) must(call, #call)

/* As editors save: a new file, then one step that puts it in the old one's place, so that nobody reads half of it. */
static void save(const unsigned char *text)
{
    FILE *f = fopen("filter.cu.new", "w");

    MUST(!f || fputs((const char *)text, f) < 0 || fclose(f) || rename("filter.cu.new", "filter.cu"));
}

/* In the thread that watches, where the file is compiled as well; text that does not compile comes here, and the old filter
 * stays. */
static void told(void *user, gpudl_library *changed, gpudl_status status, const char *text, uint64_t generation)
{
    (void)user, (void)changed;
    if (status == GPUDL_OK)
        printf("filter.cu was compiled and swapped in: generation %d\n", (int)generation);
    else
        printf("filter.cu has changed, and is not taken: %s: %s\n", gpudl_status_name(status), text);
}

/* A bright disc that moves over a grey gradient. */
static void draw(int frame, unsigned char *picture)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            int dx = x - (30 + 2 * frame) % WIDTH, dy = y - 60;

            picture[y * WIDTH + x] = dx * dx + dy * dy < 400 ? 240 : (unsigned char)(x / 2 + y / 3);
        }
}

/* What a frame should be, worked out here: the sum of neighbours, or of differences. */
static void expect(bool edges, const unsigned char *p, unsigned char *wanted)
{
    memcpy(wanted, p, PIXELS);
    for (int i = 0; i < PIXELS; i++) {
        int x = i % WIDTH, y = i / WIDTH, sum = 0;
        bool border = x == 0 || y == 0 || x == WIDTH - 1 || y == HEIGHT - 1;

        if (edges && !border)
            sum = abs(p[i + 1] - p[i - 1]) + abs(p[i + WIDTH] - p[i - WIDTH]);
        for (int n = 0; n < 9 && !edges && !border; n++)
            sum += p[i + (n / 3 - 1) * WIDTH + n % 3 - 1];
        if (edges || !border)
            wanted[i] = (unsigned char)(!edges ? sum / 9 : sum < 255 ? sum : 255);
    }
}

/* One frame through the filter. Nothing here knows that the filter may change. */
static void show(const unsigned char *picture, unsigned char *filtered)
{
    gpudl_launch_config config = gpudl_launch_3d((WIDTH + 31) / 32, (HEIGHT + 7) / 8, 1, 32, 8, 1);

    MUST(cu->MemcpyHtoD(in, picture, PIXELS));
    MUST(gpudl_launch(filter, &config, in, out, WIDTH, HEIGHT));
    MUST(cu->MemcpyDtoH(filtered, out, PIXELS));
}

/* Returns how many frames are neither what the filter makes that was there before the launch nor what the one after it does. */
static int run(int frames)
{
    static unsigned char picture[PIXELS], filtered[PIXELS], wanted[2][PIXELS];
    int wrong = 0, edited = frames ? -1 : EDITED_AT, last = frames ? frames : MOST_FRAMES;
    uint64_t shown = UINT64_MAX;

    for (int frame = 0; frame < last; frame++) {
        uint64_t before = gpudl_library_generation(library), after;

        draw(frame, picture);
        show(picture, filtered);
        after = gpudl_library_generation(library);
        if (after != shown || frame == edited)
            printf("frame %d: generation %d\n", frame, (int)after);
        if (edited >= 0) {
            expect(before > 0, picture, wanted[0]);
            expect(after > 0, picture, wanted[1]);
            wrong += memcmp(filtered, wanted[0], PIXELS) && memcmp(filtered, wanted[1], PIXELS);
        }
        if (frame == 0)
            MUST(png_write("input.png", picture, WIDTH, HEIGHT) || png_write("before.png", filtered, WIDTH, HEIGHT));
        if (frame == edited)
            save(edge);
        if (after != shown && after > 0 && edited >= 0)
            last = frame + AFTERWARDS;
        shown = after;
        nanosleep(&(struct timespec){ 0, 1000000000 / 60 }, NULL);
    }
    MUST(png_write("after.png", filtered, WIDTH, HEIGHT));
    printf("%d frames, %d of them wrong; the last is of generation %d\n", last, wrong, (int)shown);
    return wrong + (edited >= 0 && shown != 1);
}

int main(int argc, char **argv)
{
    gpudl_watch_options watch = GPUDL_WATCH_OPTIONS_INIT;
    int wrong;

    MUST(gpudl_loader_use_device(NULL, 0));
    cu = gpudl_loader_driver(NULL);
    MUST(cu->MemAlloc(&in, PIXELS));
    MUST(cu->MemAlloc(&out, PIXELS));

    save(blur);
    MUST(gpudl_library_load(NULL, GPUDL_FILE("filter.cu"), NULL, &library));
    MUST(gpudl_kernel_get(library, "filter", &filter));
    watch.told = told;
    MUST(gpudl_library_watch(library, &watch));

    wrong = run(argc > 1 ? atoi(argv[1]) : 0);
    gpudl_library_unwatch(library);
    gpudl_kernel_release(filter);
    gpudl_library_release(library);
    MUST(cu->MemFree(in));
    MUST(cu->MemFree(out));
    return wrong != 0;
}
