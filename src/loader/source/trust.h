/* trust.h - where trust/ meets loads: options to policies, files to bytes, errors to statuses.
 *
 * A load is checked twice at most: its bytes as soon as they are read, before anything looks into them (gpudl__trust_admit), and,
 * if only a digest of the entry can settle it, that entry's bytes before the driver gets them (gpudl__trust_admit_entry). */
#ifndef GPUDL_LOADER_TRUST_H
#define GPUDL_LOADER_TRUST_H

#include <gpudl/gpudl.h>

#include "src/loader/source/read.h"
#include "src/trust/trust.h"

#define TRUST_SIGNATURE_SUFFIX ".minisig"  /* of a file's signature, beside it */

/* Options, with what they name read. Immutable. */
struct trust_setup {
    enum trust_level level;
    bool level_given;               /* DEFAULT is none */
    struct trust_keys *keys;        /* never NULL */
    struct trust_digests *digests;  /* the same */
};

/* trust_files.c. The size-checked options to what they say. */
gpudl_status gpudl__trust_setup(const gpudl_trust_options *options, struct trust_setup **out);
void gpudl__trust_setup_free(struct trust_setup *);     /* accepts NULL */
/* NAME.minisig of a file NAME, for gpudl__free(); bytes.data NULL, and *why says it, where it cannot be had. */
gpudl_status gpudl__trust_read_signature(const char *name, struct span *bytes, struct text *why);
/* The absolute path of a file, for gpudl__free(); NULL: no memory. */
char *gpudl__trust_absolute(const char *path);

/* trust.c. A loader's options; *out NULL: it has no policy of its own. A locked policy is in force from here on. */
gpudl_status gpudl__trust_open(const gpudl_trust_options *given, struct trust_setup **out);
bool gpudl__trust_locked(void);     /* the environment is not to be heeded */

/* Is there a policy that such a load answers to, or are its options to be looked at? */
bool gpudl__trust_asks(const struct trust_setup *own, const gpudl_load_options *options);

/* May it be looked into? own is the loader's setup, before that of the library which is replaced, options are the load's; each may
 * be NULL. before holds unless the options name a policy. The content keeps theirs, and what there is still to be asked of its
 * entry. */
gpudl_status gpudl__trust_admit(const struct trust_setup *own, const struct trust_setup *before, const gpudl_load_options *options,
    struct content *content);
/* The policy that the load named, for its library to keep, or NULL. */
struct trust_setup *gpudl__trust_take(struct content *content);
/* May its entry go to the driver? */
gpudl_status gpudl__trust_admit_entry(const struct content *content, struct span entry);
void gpudl__trust_question_free(struct trust_question *);   /* accepts NULL */

/* The same for a content that is not loaded. On success *mine, for gpudl__free(), is what the finding's comment lies in. */
gpudl_status gpudl__trust_judge(
    const gpudl_trust_options *options, const struct content *content, struct trust_finding *out, void **mine);

gpudl_status gpudl__trust_status(enum trust_error);

#endif
