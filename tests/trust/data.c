#include "tests/trust/data.h"

#define INCLUDE(name, file) \
    __asm__(".section .rodata\n.balign 16\n.global trust_" #name "\ntrust_" #name ":\n.incbin \"" DATA_FOLDER "/" file "\"\n" \
            ".global trust_" #name "_end\ntrust_" #name "_end:\n.byte 0\n.previous\n")

INCLUDE(alice_pub, "alice.pub");
INCLUDE(alice_key, "alice.key");
INCLUDE(bob_pub, "bob.pub");
INCLUDE(bob_key, "bob.key");
INCLUDE(signed_cubin, "signed.cubin");
INCLUDE(hashed_minisig, "hashed.minisig");
INCLUDE(legacy_minisig, "legacy.minisig");
