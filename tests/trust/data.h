/* data.h - the files of data/, inside the test's executable. */
#ifndef TESTS_TRUST_DATA_H
#define TESTS_TRUST_DATA_H

#include "src/util/span.h"

#define TRUST_FILE(name) \
    extern const unsigned char trust_##name[], trust_##name##_end[]
TRUST_FILE(alice_pub);
TRUST_FILE(alice_key);
TRUST_FILE(bob_pub);
TRUST_FILE(bob_key);
TRUST_FILE(signed_cubin);
TRUST_FILE(hashed_minisig);
TRUST_FILE(legacy_minisig);
#undef TRUST_FILE

/* Each is followed by a NUL that is not counted. */
#define TRUST_SPAN(name) ((struct span){ trust_##name, (size_t)(trust_##name##_end - trust_##name) })
#define TRUST_TEXT(name) ((const char *)trust_##name)

#endif
