#include "src/loader/share/commons.h"

#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "src/loader/share/pages.h"
#include "src/loader/share/record.h"
#include "src/util/span.h"

/* The note leads here. Its address and members are part of every format. */
struct place {
    _Atomic(struct commons *) commons;
    uint64_t layout;
};

/* Two builds of one format whose structs differ all the same do not fit. */
#define LAYOUT ((uint64_t)sizeof(struct commons) << 40 ^ (uint64_t)sizeof(pthread_mutex_t) << 32 ^ RECORD_LAYOUT)

extern struct place gpudl__commons_place __attribute__((visibility("hidden")));
struct place gpudl__commons_place = { NULL, LAYOUT };

/* Name "gpudl", type 1: the format, zero, and how far the place is from where that is said, so that nothing is to be relocated in
 * memory that cannot be written. */
#define STRING_(x) #x
#define STRING(x) STRING_(x)
__asm__(".pushsection .note.gpudl, \"a\", %note\n"
        ".balign 4\n"
        ".long 6, 16, 1\n"
        ".asciz \"gpudl\"\n"
        ".balign 4\n"
        ".long " STRING(COMMONS_FORMAT) ", 0\n"
        ".quad gpudl__commons_place - .\n"
        ".popsection\n");

enum { NOTE_HEADER = 12, NOTE_NAME = 6, NOTE_TYPE = 1, NOTE_SIZE = 16, NOTE_DISTANCE = 8 };

/* This copy's loaders that share. */
static pthread_mutex_t own_lock = PTHREAD_MUTEX_INITIALIZER;
static size_t joined;

/* ------------------------------------------------------------------------------------------------------------------ the notes */

struct search {
    struct commons *found;
    struct commons_report *report;
};

/* The description of gpudl's note among these; false: there is none. */
static bool find_note(struct span notes, uint64_t align, struct span *description)
{
    uint64_t at = 0;

    while (span_holds(notes, at, NOTE_HEADER)) {
        uint64_t name = at + NOTE_HEADER, body = (name + span_u32(notes, at) + align - 1) & ~(align - 1);
        uint64_t size = span_u32(notes, at + 4);

        if (span_u32(notes, at + 8) == NOTE_TYPE && span_u32(notes, at) == NOTE_NAME &&
            span_is(notes, name, "gpudl", NOTE_NAME) && size >= NOTE_SIZE && span_cut(notes, body, size, description))
            return true;
        at = (body + size + align - 1) & ~(align - 1);
    }
    return false;
}

static bool find_in(const struct dl_phdr_info *object, struct span *description)
{
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[i];
        struct span notes = { (const unsigned char *)object->dlpi_addr + p->p_vaddr, p->p_memsz };

        if (p->p_type == PT_NOTE && find_note(notes, p->p_align == 8 ? 8 : 4, description))
            return true;
    }
    return false;
}

static void meet_stranger(const struct dl_phdr_info *object, unsigned format, struct commons_report *r)
{
    r->strangers++;
    r->format = format;
    snprintf(r->stranger, sizeof(r->stranger), "%s", object->dlpi_name ? object->dlpi_name : "");
}

static int look_at(struct dl_phdr_info *object, size_t size, void *user)
{
    struct search *s = user;
    struct span note;
    struct place *place;
    unsigned format;

    (void)size;
    if (!find_in(object, &note))
        return 0;
    format = span_u32(note, 0);
    place = (struct place *)(note.data + NOTE_DISTANCE + (int64_t)span_u64(note, NOTE_DISTANCE));
    if (format != COMMONS_FORMAT || place->layout != LAYOUT)
        meet_stranger(object, format, s->report);
    else if (!s->found)
        s->found = atomic_load(&place->commons);
    return 0;
}

/* ------------------------------------------------------------------------------------------------------------- join and leave */

void gpudl__commons_init_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t a;

    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(lock, &a);
    pthread_mutexattr_destroy(&a);
}

int gpudl__commons_take(pthread_mutex_t *lock)
{
    int err = pthread_mutex_lock(lock);

    if (err == EOWNERDEAD)
        err = pthread_mutex_consistent(lock);
    return err;
}

void gpudl__commons_lock(struct commons *c)
{
    gpudl__commons_take(&c->lock);
}

void gpudl__commons_unlock(struct commons *c)
{
    pthread_mutex_unlock(&c->lock);
}

static struct commons *make(void)
{
    struct commons *c = mmap(NULL, sizeof(*c), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (c == MAP_FAILED)
        return NULL;
    gpudl__commons_init_lock(&c->lock);
    return c;
}

/* Called for the first object of the process only. dl_iterate_phdr() holds a lock of the dynamic linker's meanwhile (glibc's is
 * recursive), so that one copy at a time joins or leaves, and none of those that are looked at is unmapped. Under a C library that
 * locks less, two copies that are the first in the same moment may not meet: each shares with whom it finds, and nothing breaks. */
static int join_under_lock(struct dl_phdr_info *object, size_t size, void *user)
{
    struct search *s = user;

    (void)object;
    (void)size;
    dl_iterate_phdr(look_at, s);
    s->report->made = !s->found;
    if (!s->found)
        s->found = make();
    if (s->found)
        atomic_fetch_add(&s->found->members, 1);
    atomic_store(&gpudl__commons_place.commons, s->found);
    return 1;
}

/* What is left in them was handed on and taken by nobody: it stays in the driver. */
static int leave_under_lock(struct dl_phdr_info *object, size_t size, void *user)
{
    struct commons *c = atomic_exchange(&gpudl__commons_place.commons, NULL);

    (void)object;
    (void)size;
    (void)user;
    if (!c || atomic_fetch_sub(&c->members, 1) > 1)
        return 1;
    gpudl__records_forget(c);
    gpudl__pages_unmap(c);
    pthread_mutex_destroy(&c->lock);
    munmap(c, sizeof(*c));
    return 1;
}

struct commons *gpudl__commons_join(struct commons_report *report)
{
    struct search s = { NULL, report };

    *report = (struct commons_report){ .own = COMMONS_FORMAT };
    pthread_mutex_lock(&own_lock);
    s.found = atomic_load(&gpudl__commons_place.commons);
    if (!s.found)
        dl_iterate_phdr(join_under_lock, &s);
    if (s.found)
        joined++;
    pthread_mutex_unlock(&own_lock);
    return s.found;
}

void gpudl__commons_leave(void)
{
    pthread_mutex_lock(&own_lock);
    if (--joined == 0)
        dl_iterate_phdr(leave_under_lock, NULL);
    pthread_mutex_unlock(&own_lock);
}

void gpudl__commons_abandon(void)
{
    pthread_mutex_lock(&own_lock);
    if (joined)
        dl_iterate_phdr(leave_under_lock, NULL);
    joined = 0;
    pthread_mutex_unlock(&own_lock);
}
