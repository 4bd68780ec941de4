/* unsupported.h - functions of CUDA that softcuda does not have. */
#ifndef SOFTCUDA_API_UNSUPPORTED_H
#define SOFTCUDA_API_UNSUPPORTED_H

struct sc_name { const char *name; int version; };

/* Every function of CUDA 13.0 by its base name, with the version that it is known as of; NULL at the end. */
const struct sc_name *sc_unsupported_names(void);
/* A function that takes anything and answers NOT_SUPPORTED. */
void (*sc_unsupported(void))(void);

#endif
