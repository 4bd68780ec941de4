#include "tests/loader/data.h"

#define INCLUDE(name, file) \
    __asm__(".section .rodata\n.balign 16\n.global data_" #name "\ndata_" #name ":\n.incbin \"" DATA_FOLDER "/" file "\"\n" \
            ".global data_" #name "_end\ndata_" #name "_end:\n.byte 0\n.previous\n")

INCLUDE(names_ptx, "names.ptx");
INCLUDE(names_cubin, "names.sm90.cubin");
INCLUDE(names_fatbin, "names.fatbin");
INCLUDE(globals_ptx, "globals.ptx");
INCLUDE(globals_cubin, "globals.sm90.cubin");
INCLUDE(globals_fatbin, "globals.fatbin");
