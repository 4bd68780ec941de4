#include "src/trace/chrome.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "src/util/clock.h"

enum { HOST = 1, FIRST_DEVICE = 2 };

/* The length of the UTF-8 sequence at s, or 0: it is none. Ends at the NUL. */
static size_t sequence(const unsigned char *s)
{
    size_t n = *s < 0x80 ? 1 : *s >= 0xc2 && *s < 0xe0 ? 2 : *s >= 0xe0 && *s < 0xf0 ? 3 : *s >= 0xf0 && *s < 0xf5 ? 4 : 0;

    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) || (*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

/* Names are from outside: what is no UTF-8 in them becomes U+FFFD. */
static void put_string(FILE *f, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;

    putc('"', f);
    while (*s) {
        size_t n = sequence(s);
        if (*s < ' ')
            fprintf(f, "\\u%04x", *s);
        else if (!n)
            fputs("\\ufffd", f);
        else if (*s == '"' || *s == '\\')
            fprintf(f, "\\%c", *s);
        else
            fwrite(s, 1, n, f);
        s += n ? n : 1;
    }
    putc('"', f);
}

/* Microseconds, to the nanosecond. */
static void put_time(FILE *f, const char *key, uint64_t ns)
{
    fprintf(f, ",\"%s\":%" PRIu64 ".%03u", key, ns / 1000, (unsigned)(ns % 1000));
}

static uint64_t since_start(const struct chrome *c, uint64_t time)
{
    return time > c->start ? time - c->start : 0;
}

static uint32_t process_of(const struct trace_record *r)
{
    return trace_on_device(r) ? FIRST_DEVICE + r->device : HOST;
}

/* ------------------------------------------------------------------------------------------------------------- events, of all kinds */

static void next_line(struct chrome *c)
{
    if (c->complete && c->seekable)
        fseek(c->file, -3, SEEK_CUR);
    c->complete = false;
    fputs(",\n", c->file);
}

static void begin_event(struct chrome *c, const char *phase, uint32_t process, uint64_t thread)
{
    next_line(c);
    fprintf(c->file, "{\"ph\":\"%s\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu64, phase, process, thread);
}

static void put_name(struct chrome *c, const char *what, uint32_t process, uint64_t thread, const char *name)
{
    begin_event(c, "M", process, thread);
    fprintf(c->file, ",\"name\":\"%s\",\"args\":{\"name\":", what);
    put_string(c->file, name);
    fputs("}}", c->file);
}

/* A process's name counts as that of its thread 0. True: it has been seen before, or there are too many. */
static bool is_known(struct chrome *c, uint32_t process, uint64_t thread)
{
    for (size_t i = c->nnamed; i-- > 0;)
        if (c->named[i].process == process && c->named[i].thread == thread)
            return true;
    if (c->nnamed == CHROME_TRACKS)
        return true;
    c->named[c->nnamed].process = process;
    c->named[c->nnamed++].thread = thread;
    return false;
}

static void name_device(struct chrome *c, uint32_t device)
{
    char name[128];

    if (device)
        snprintf(name, sizeof(name), "device %" PRIu32, device);
    else
        snprintf(name, sizeof(name), "device 0 (%s)", c->device);
    put_name(c, "process_name", FIRST_DEVICE + device, 0, name);
}

static void name_track(struct chrome *c, const struct trace_record *r)
{
    uint32_t process = process_of(r);
    char name[64];

    if (is_known(c, process, r->track))
        return;
    if (trace_on_device(r) && !is_known(c, process, UINT64_MAX))
        name_device(c, r->device);
    snprintf(name, sizeof(name), "%s %" PRIu64, trace_on_device(r) ? "stream" : "thread", r->track);
    put_name(c, "thread_name", process, r->track, name);
}

/* ------------------------------------------------------------------------------------------------------------------------ records */

static void put_arrow(struct chrome *c, const struct trace_record *r)
{
    if (!r->number || (r->kind != TRACE_LAUNCH && r->kind != TRACE_KERNEL))
        return;
    begin_event(c, r->kind == TRACE_LAUNCH ? "s" : "f", process_of(r), r->track);
    fprintf(c->file, ",\"name\":\"launch\",\"cat\":\"launch\",\"id\":%" PRIu64 "%s", r->number,
        r->kind == TRACE_LAUNCH ? "" : ",\"bp\":\"e\"");
    put_time(c->file, "ts", since_start(c, r->begin));
    putc('}', c->file);
}

static void put_shape(FILE *f, const struct trace_record *r)
{
    fprintf(f, "\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"dynamic shared\":%u", r->grid[0], r->grid[1], r->grid[2], r->block[0],
        r->block[1], r->block[2], r->dynamic_shared);
    if (r->static_shared)
        fprintf(f, ",\"static shared\":%u", r->static_shared);
    if (r->registers)
        fprintf(f, ",\"registers\":%u", r->registers);
    if (r->local)
        fprintf(f, ",\"local\":%u", r->local);
}

static void put_arguments(FILE *f, const struct trace_record *r)
{
    uint64_t ns = r->end - r->begin;

    fputs(",\"args\":{", f);
    if (r->kind == TRACE_KERNEL || r->kind == TRACE_LAUNCH)
        put_shape(f, r);
    else
        fprintf(f, "\"bytes\":%" PRIu64, r->bytes);
    if (trace_on_device(r) && r->bytes && ns)
        fprintf(f, ",\"GB/s\":%.3f", (double)r->bytes / (double)ns);
    if (r->of) {
        fputs(",\"of\":", f);
        put_string(f, r->of);
    }
    if (r->failed)
        fputs(",\"failed\":true", f);
    putc('}', f);
}

void gpudl__chrome_add(struct chrome *c, const struct trace_record *r)
{
    static const char *const categories[] = { "host", "launch", "kernel", "copy", "fill" };

    name_track(c, r);
    begin_event(c, "X", process_of(r), r->track);
    fprintf(c->file, ",\"cat\":\"%s\",\"name\":", categories[r->kind]);
    put_string(c->file, r->name ? r->name : "?");
    put_time(c->file, "ts", since_start(c, r->begin));
    put_time(c->file, "dur", r->end - r->begin);
    put_arguments(c->file, r);
    putc('}', c->file);
    put_arrow(c, r);
}

void gpudl__chrome_begin(struct chrome *c, FILE *file, const char *device, const char *times)
{
    char name[64];

    memset(c, 0, sizeof(*c));
    c->file = file;
    c->start = clock_now();
    c->seekable = lseek(fileno(file), 0, SEEK_CUR) >= 0;
    snprintf(c->device, sizeof(c->device), "%s", device);
    snprintf(name, sizeof(name), "program (%d)", (int)getpid());
    fprintf(file, "[\n{\"ph\":\"M\",\"pid\":%d,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"%s\"}}", HOST, name);
    fprintf(file, ",\n{\"ph\":\"M\",\"pid\":%d,\"tid\":0,\"name\":\"process_labels\",\"args\":{\"labels\":\"times: %s\"}}", HOST,
        times);
}

bool gpudl__chrome_complete(struct chrome *c)
{
    if (!c->complete && c->seekable)
        fputs("\n]\n", c->file);
    c->complete = true;
    return fflush(c->file) == 0 && !ferror(c->file);
}
