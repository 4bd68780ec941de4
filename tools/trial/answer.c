#include "tools/trial/answer.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/loader/life/trial_format.h"

static int out = STDOUT_FILENO, heard = -1;

/* Kept in a pipe, so it is bounded: what does not fit is lost to the writer. */
static int keep_errors(void)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0 || dup2(ends[1], STDERR_FILENO) < 0)
        return -1;
    close(ends[1]);
    heard = ends[0];
    return 0;
}

int answer_prepare(void)
{
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);

    out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (nothing < 0 || out < 0 || dup2(nothing, STDOUT_FILENO) < 0)
        return -1;
    close(nothing);
    return keep_errors();
}

struct line {
    char bytes[TRIAL_ANSWER_SIZE];
    size_t used;
};

static void add(struct line *l, char c)
{
    if (l->used < sizeof(l->bytes) - 2)
        l->bytes[l->used++] = c;
}

static void add_escaped(struct line *l, const char *text)
{
    for (; *text; text++) {
        if (*text == '\n' || *text == '\\')
            add(l, '\\');
        add(l, *text == '\n' ? 'n' : *text);
    }
}

__attribute__((noreturn)) static void send(struct line *l)
{
    ssize_t n = 1;

    l->bytes[l->used++] = '\n';
    for (size_t sent = 0; sent < l->used && n > 0; sent += (size_t)n)
        n = write(out, l->bytes + sent, l->used - sent);
    _exit(0);
}

void answer(const char *text, const char *words, ...)
{
    struct line l = { .used = 0 };
    va_list list;
    int n;

    va_start(list, words);
    n = vsnprintf(l.bytes, sizeof(l.bytes) / 2, words, list);
    va_end(list);
    l.used = n < 0 ? 0 : (size_t)n < sizeof(l.bytes) / 2 ? (size_t)n : sizeof(l.bytes) / 2 - 1;
    if (text) {
        add(&l, ' ');
        add_escaped(&l, text);
    }
    send(&l);
}

void answer_fault(unsigned trial, int cuda, const char *text)
{
    char said[2048], all[6144];
    ssize_t n = read(heard, said, sizeof(said) - 1);

    while (n > 0 && said[n - 1] == '\n')
        n--;
    said[n > 0 ? n : 0] = '\0';
    snprintf(all, sizeof(all), "%.4000s%s%s", text, *said ? "; " : "", said);
    answer(all, "fault %u %d", trial, cuda);
}
