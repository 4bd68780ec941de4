/* tls.h - variables that each thread has. At a fixed place of the thread, where one instruction finds them; in the archive, which
 * plugins link, anywhere: the dynamic linker keeps little room at fixed places for what is loaded later (some 1.6 KB together), and
 * does not get it back when plugins go in another order than they came. An executable that links the archive has them at a fixed
 * place all the same, by the linker. */
#ifndef GPUDL_UTIL_TLS_H
#define GPUDL_UTIL_TLS_H

#ifdef GPUDL_TLS_ANYWHERE
#define THREAD_LOCAL __thread
#else
#define THREAD_LOCAL __thread __attribute__((tls_model("initial-exec")))
#endif

#endif
