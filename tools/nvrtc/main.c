/* gpudl-nvrtc REQUEST ANSWER: one compilation by NVRTC, for a gpudl that wants it in another process (src/compile/apart.h). Not for people. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/compile/apart.h"

enum { WHY_SIZE = 2048 };

struct asked {
    struct compile_job job;
    struct options options;
    struct compiler compiler;
    bool relocatable;
};

static struct span read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    struct span s = { NULL, 0 };
    unsigned char *bytes = NULL;
    long size;

    if (f && !fseek(f, 0, SEEK_END) && (size = ftell(f)) > 0 && !fseek(f, 0, SEEK_SET) && (bytes = malloc((size_t)size)) &&
        fread(bytes, 1, (size_t)size, f) == (size_t)size)
        s = (struct span){ bytes, (size_t)size };
    if (f)
        fclose(f);
    return s;
}

static const char *const *take_list(struct apart_reader *r, size_t *n)
{
    const char **list;

    *n = gpudl__apart_count(r, 1);
    list = calloc(*n + 1, sizeof(*list));
    r->failed = r->failed || !list;
    for (size_t i = 0; list && i < *n; i++)
        list[i] = gpudl__apart_text(r);
    return list;
}

static void take_headers(struct apart_reader *r, struct compile_job *job)
{
    struct compile_header *headers;

    job->nheaders = gpudl__apart_count(r, 2);
    job->headers = headers = calloc(job->nheaders + 1, sizeof(*headers));
    r->failed = r->failed || !headers;
    for (size_t i = 0; headers && i < job->nheaders; i++) {
        headers[i].name = gpudl__apart_text(r);
        headers[i].text.data = (const unsigned char *)gpudl__apart_text(r);
        headers[i].text.size = strlen((const char *)headers[i].text.data);
    }
}

/* What it lends ends with the process. */
static bool take_request(struct span bytes, struct asked *q)
{
    struct apart_reader r = { bytes, strcmp(gpudl__apart_text(&(struct apart_reader){ bytes, false }), APART_WORD) != 0 };
    size_t includes;

    *q = (struct asked){ .compiler = { .kind = COMPILER_NVRTC } };
    gpudl__apart_text(&r);
    snprintf(q->compiler.path, sizeof(q->compiler.path), "%s", gpudl__apart_text(&r));
    q->job.name = gpudl__apart_text(&r);
    q->job.text.data = (const unsigned char *)gpudl__apart_text(&r);
    q->job.text.size = strlen((const char *)q->job.text.data);
    q->job.target.sm = (unsigned)gpudl__apart_number(&r);
    q->job.target.suffix = *gpudl__apart_text(&r);
    q->job.target.format = (enum compile_format)gpudl__apart_number(&r);
    q->relocatable = gpudl__apart_number(&r) != 0;
    includes = gpudl__apart_count(&r, 1);
    for (size_t i = 0; i < includes; i++) {
        const char *folder = gpudl__apart_text(&r);
        if (i < INCLUDES_MOST)
            snprintf(q->compiler.include[i], sizeof(q->compiler.include[i]), "%s", folder);
    }
    q->job.options = take_list(&r, &q->job.noptions);
    take_headers(&r, &q->job);
    q->job.names = take_list(&r, &q->job.nnames);
    return !r.failed && q->job.target.format >= COMPILE_CUBIN && q->job.target.format <= COMPILE_LTOIR;
}

static int write_answer(const char *path, enum compile_error error, const struct compile_result *result, struct strings *log, const char *why)
{
    struct strings head = { .data = NULL };
    FILE *f = fopen(path, "wb");
    bool good;

    gpudl__strings_add(&head, APART_WORD);
    gpudl__strings_addf(&head, "%d", error);
    gpudl__strings_add(&head, result->compiler);
    gpudl__strings_add(&head, why);
    gpudl__strings_add(&head, log->used && !log->failed ? log->data : "");
    gpudl__strings_addf(&head, "%zu", result->lowered.size);
    good = f && !head.failed && fwrite(head.data, 1, head.used, f) == head.used &&
        fwrite(result->lowered.data, 1, result->lowered.size, f) == result->lowered.size &&
        fwrite(result->bytes.data, 1, result->bytes.size, f) == result->bytes.size;
    good = f && fclose(f) == 0 && good;
    if (!good)
        fprintf(stderr, "gpudl-nvrtc: %s: %s\n", path, strerror(errno));
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct compile_result result = { .log = NULL };
    struct made made = { .log = { .data = NULL } };
    char room[WHY_SIZE] = "";
    struct text why = gpudl__text_init(room, sizeof(room));
    enum compile_error error;
    struct asked q;

    if (argc != 3 || !take_request(read_file(argv[1]), &q)) {
        fputs("gpudl-nvrtc: is run by gpudl, of its own version, to compile with NVRTC in another process\n", stderr);
        return 2;
    }
    error = gpudl__options_parse(q.job.options, q.job.noptions, &q.options, &why);
    if (!error) {
        const struct work w = { &q.job, &q.options, &q.compiler, q.job.target, q.relocatable, false };

        error = gpudl__nvrtc_compile(&w, &result, &made, &why);
    }
    return write_answer(argv[2], error, &result, &made.log, room);
}
