/* trial_format.h - what gpudl-trial reads and answers; man/gpudl-trial.1 has it for others.
 *
 * The description begins with TRIAL_MAGIC. Records follow: type and reserved as u32, size as u64, then so many bytes; all
 * little-endian, nothing aligned. Records of a trial follow its TRIAL_BEGIN, those of a buffer its TRIAL_BUFFER. The answer is a
 * line of words, the last of them a text, in which a newline is \n and a backslash \\. */
#ifndef GPUDL_LOADER_TRIAL_FORMAT_H
#define GPUDL_LOADER_TRIAL_FORMAT_H

#define TRIAL_MAGIC "gpudl-trial 1\n"

enum trial_record {
    TRIAL_END = 0,              /* nothing follows */
    TRIAL_DRIVER = 1,           /* text: as in gpudl_loader_options */
    TRIAL_LOAD = 2,             /* u64 max_image_bytes, flags; u32 optimization, max_registers, fma, cache_mode; text: the target */
    TRIAL_NAME = 3,             /* text: what to call the image */
    TRIAL_IMAGE = 4,            /* bytes */
    TRIAL_LIMIT = 5,            /* u64: nanoseconds; after that the process ends without an answer */
    TRIAL_BEGIN = 6,            /* u32 grid[3], block[3], shared_bytes, device */
    TRIAL_KERNEL = 7,           /* text; without it the image holds one */
    TRIAL_ARGUMENT = 8,         /* u32 gpudl_arg_type; then its bytes, or of GPUDL_TRIAL_ARG a u64: the buffer */
    TRIAL_BUFFER = 9,           /* u64 bytes; u32 gpudl_trial_element, 0; f64 absolute, relative */
    TRIAL_CONTENT = 10,         /* bytes; without it zeroes */
    TRIAL_EXPECTED = 11,        /* bytes; without it nothing is compared */
    TRIAL_NAMES = 12            /* texts with their NULs, two and two: what a kernel may be called, and its name in the image */
};

enum { TRIAL_RECORD_HEAD = 16, TRIAL_ANSWER_SIZE = 8192 };

/* Answers:
 *     ok
 *     bad TEXT                                                         no such description
 *     load CUDA TEXT                                                   driver, device or image: no trial was begun
 *     launch TRIAL CUDA TEXT                                           the kernel, its memory, the launch
 *     fault TRIAL CUDA TEXT                                            the kernel, while it ran
 *     mismatch TRIAL BUFFER INDEX DIFFER COUNT GOT EXPECTED TEXT       DIFFER of COUNT elements; the first; text: the kernel
 * CUDA is the driver's code or 0. */

#endif
