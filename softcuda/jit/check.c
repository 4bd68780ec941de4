/* check.c - which instructions this JIT runs; told when a module is loaded, so that no launch fails for one. */
#include <stdio.h>
#include <string.h>

#include "softcuda/jit/arith.h"
#include "softcuda/jit/device_op.h"
#include "softcuda/jit/jit.h"
#include "softcuda/jit/plan.h"

static int refuse(struct jit_error *err, const struct ptx_insn *in, const char *why)
{
    err->pos = in->pos;
    snprintf(err->text, sizeof(err->text), "'%s' is not supported by softcuda%s%s", in->opcode, *why ? ": " : "", why);
    return -1;
}

static bool copies_known_size(const struct ptx_insn *in)
{
    int64_t bytes;

    if (!ptx_has(in, PTX_M_async) || in->nops < 3)
        return true;
    return insn_constant(&in->ops[2], &bytes) && (bytes == 4 || bytes == 8 || bytes == 16);
}

static bool element_fits(const struct ptx_insn *in)
{
    unsigned bits = in->ntypes ? ptx_type_bits(in->types[in->ntypes - 1]) : 0;

    return bits >= 8 && bits <= 128;
}

static int check_call(const struct ptx_module *m, const struct ptx_insn *in, struct jit_error *err)
{
    const struct ptx_func *callee;

    if (in->call->target.kind != PTX_OP_FUNC)
        return 0;
    callee = &m->funcs[in->call->target.index];
    if (!callee->declared_only || sc_rt_extern(callee->name))
        return 0;
    err->pos = in->pos;
    snprintf(err->text, sizeof(err->text), "unresolved extern function '%s': link the code that defines it", callee->name);
    return -1;
}

/* NULL: none. */
static int refuse_for(struct jit_error *err, const struct ptx_insn *in, const char *why)
{
    return why ? refuse(err, in, why) : 0;
}

static int check_insn(const struct ptx_module *m, const struct ptx_insn *in, struct jit_error *err)
{
    struct arith_signature sig;
    char why[128] = "";

    switch (in->op) {
    case PTX_I_ld: case PTX_I_ldu: case PTX_I_st:
        return element_fits(in) && !ptx_has(in, PTX_M_async) ? 0 : refuse(err, in, "");
    case PTX_I_redux:
        return in->ntypes && !ptx_type_is_float(in->types[0]) ? 0 : refuse(err, in, "of floats");
    case PTX_I_atom: case PTX_I_red:
        return element_fits(in) && !ptx_has(in, PTX_M_async) ? 0 : refuse(err, in, "");
    case PTX_I_tex: case PTX_I_tld4: case PTX_I_suld: case PTX_I_sust: case PTX_I_sured: case PTX_I_txq: case PTX_I_suq:
        return refuse_for(err, in, texture_refusal(in));
    case PTX_I_wmma: case PTX_I_mma: case PTX_I_ldmatrix: case PTX_I_stmatrix: case PTX_I_movmatrix:
        return refuse_for(err, in, matrix_refusal(in));
    case PTX_I_mbarrier:
        return refuse_for(err, in, mbarrier_refusal(in));
    case PTX_I_cp:
        if (is_mbarrier_copy(in))
            return refuse_for(err, in, mbarrier_refusal(in));
        return copies_known_size(in) ? 0 : refuse(err, in, "of cp only cp.async of 4, 8 or 16 bytes is");
    case PTX_I_call:
        return check_call(m, in, err);
    case PTX_I_cvta:
        return in->ntypes && ptx_type_bits(in->types[0]) == 64 ? 0 : refuse(err, in, "generic addresses have 64 bits");
    case PTX_I_bra: case PTX_I_brx: case PTX_I_ret: case PTX_I_exit: case PTX_I_trap: case PTX_I_bar: case PTX_I_barrier:
    case PTX_I_shfl: case PTX_I_vote: case PTX_I_match: case PTX_I_activemask: case PTX_I_elect:
    case PTX_I_mov: case PTX_I_isspacep: case PTX_I_membar: case PTX_I_fence: case PTX_I_nanosleep:
    case PTX_I_prefetch: case PTX_I_prefetchu: case PTX_I_discard: case PTX_I_applypriority: case PTX_I_createpolicy:
    case PTX_I_pmevent: case PTX_I_brkpt: case PTX_I_griddepcontrol: case PTX_I_setmaxnreg:
    case PTX_I_mapa: case PTX_I_getctarank:
        return 0;
    default:
        return arith_supports(in, &sig, why, sizeof(why)) ? 0 : refuse(err, in, why);
    }
}

static int check_all(const struct ptx_module *m, bool calls, struct jit_error *err)
{
    memset(err, 0, sizeof(*err));
    for (uint32_t f = 0; f < m->nfuncs; f++)
        for (uint32_t i = 0; i < m->funcs[f].ninsns; i++)
            if ((calls || m->funcs[f].insns[i].op != PTX_I_call) && check_insn(m, &m->funcs[f].insns[i], err))
                return -1;
    return 0;
}

int jit_check(const struct ptx_module *m, struct jit_error *err)
{
    return check_all(m, true, err);
}

int jit_check_part(const struct ptx_module *m, struct jit_error *err)
{
    return check_all(m, false, err);
}
