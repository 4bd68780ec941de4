/* reduce.c - makes a program that fails smaller while it still fails. */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzzptx/program.h"

/* May line i go with the lines [from, from + n)? A group goes with its first line. */
static bool goes(const struct program *p, unsigned i, unsigned from, unsigned n)
{
    while (i && p->lines[i].group && p->lines[i - 1].group == p->lines[i].group)
        i--;
    return i >= from && i < from + n && !p->lines[i].fixed;
}

/* The program without those; the lines are lent by p. Returns how many went. */
static unsigned without(const struct program *p, unsigned from, unsigned n, struct program *less)
{
    unsigned gone = 0;

    *less = *p;
    less->nlines = 0;
    less->lines = malloc((p->nlines + 1) * sizeof(*less->lines));
    for (unsigned i = 0; i < p->nlines; i++)
        if (goes(p, i, from, n))
            gone++;
        else
            less->lines[less->nlines++] = p->lines[i];
    return gone;
}

static bool drop_lines(struct program *p, unsigned n, still_fails *fails, void *context)
{
    bool smaller = false;

    for (unsigned from = 0; from < p->nlines;) {
        struct program less;
        if (!without(p, from, n, &less) || !fails(&less, context)) {
            free(less.lines);
            from += n;
            continue;
        }
        for (unsigned i = from; i < p->nlines; i++)
            if (goes(p, i, from, n))
                free(p->lines[i].text);
        free(p->lines);
        less.room = less.nlines;
        *p = less;
        smaller = true;
    }
    return smaller;
}

static bool shrink_shape(struct program *p, still_fails *fails, void *context)
{
    bool smaller = false;

    for (unsigned i = 0; i < 6; i++) {
        uint32_t *n = i < 3 ? &p->grid[i] : &p->block[i - 3], old = *n;
        for (uint32_t now = 1; now < old; now = now * 2 + 1) {
            *n = now;
            if (fails(p, context)) {
                smaller = true;
                break;
            }
            *n = old;
        }
    }
    return smaller;
}

void reduce(struct program *p, still_fails *fails, void *context)
{
    bool again = true;

    while (again) {
        again = false;
        for (unsigned n = p->nlines; n; n /= 2)
            again |= drop_lines(p, n, fails, context);
        again |= shrink_shape(p, fails, context);
    }
}
