/* params.c - formal parameters of functions, kernels and call prototypes. */
#include "softcuda/ptx/parse.h"

static void read_param(struct ptx_parser *p, enum ptx_param_names names, uint32_t index)
{
    struct ptx_param param = { .in_reg = ptx_at_word(p, ".reg") };
    struct ptx_slice name = { "_", 1 };
    struct ptx_declared_type d;
    struct ptx_pos pos;
    uint64_t dims[PTX_MAX_DIMS], elem;
    unsigned ndims;

    if (!param.in_reg && !ptx_at_word(p, ".param"))
        ptx_fail_expected(p, "a parameter");
    ptx_next(p);
    d = ptx_read_type(p);
    pos = p->tok.pos;
    if (p->tok.kind == TOK_NAME)
        name = ptx_expect_name(p, "a parameter");
    elem = (ptx_type_bits(d.type) + 7) / 8 * (uint64_t)d.vec;
    param.name = ptx_keep_text(p, name);
    param.type = d.type;
    param.size = ptx_read_array(p, name, elem, dims, &ndims);
    param.align = d.align ? d.align : (uint32_t)elem;
    if (param.size > UINT32_MAX)
        ptx_fail(p, pos, "'%.*s' is too large", PTX_NAME(name));
    if (param.in_reg && names != PTX_PARAMS_UNNAMED)
        param.reg = ptx_add_register(p, name, d.type, d.vec);
    if (names != PTX_PARAMS_UNNAMED && !ptx_slice_is(name, "_")) {
        struct ptx_symbol *s = ptx_declare(p, name, param.in_reg ? SYM_REG : (enum ptx_symbol_kind)names,
                                           param.in_reg ? param.reg : index, pos);

        s->type = d.type;
        s->vec = d.vec;
    }
    *(struct ptx_param *)ptx_push(p, &p->params, sizeof(param)) = param;
}

struct ptx_param *ptx_read_params(struct ptx_parser *p, enum ptx_param_names names, uint32_t *n)
{
    *n = 0;
    if (!ptx_accept(p, '('))
        return NULL;
    p->params.n = 0;
    while (p->tok.kind != ')') {
        read_param(p, names, (uint32_t)p->params.n);
        if (!ptx_accept(p, ','))
            break;
    }
    ptx_expect(p, ')', "',' or ')'");
    *n = (uint32_t)p->params.n;
    return ptx_keep(p, &p->params, 0, sizeof(struct ptx_param));
}

/* Offsets in a kernel's parameter buffer; returns its size. */
uint32_t ptx_lay_out_params(struct ptx_parser *p, struct ptx_param *params, uint32_t n, struct ptx_pos pos)
{
    uint64_t at = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint64_t align = params[i].align;

        at = (at + align - 1) / align * align;
        if (at + params[i].size > INT32_MAX)
            ptx_fail(p, pos, "the parameters are too large");
        params[i].offset = (uint32_t)at;
        at += params[i].size;
    }
    return (uint32_t)at;
}

/* proto: .callprototype (.param .b32 _) _ (.param .b64 _); the semicolon included */
void ptx_read_callprototype(struct ptx_parser *p, struct ptx_slice label, struct ptx_pos pos)
{
    struct ptx_proto proto = { 0 };

    ptx_declare(p, label, SYM_PROTO, (uint32_t)p->protos.n, pos);
    proto.rets = ptx_read_params(p, PTX_PARAMS_UNNAMED, &proto.nrets);
    if (p->tok.kind == TOK_NAME)
        ptx_next(p);
    proto.params = ptx_read_params(p, PTX_PARAMS_UNNAMED, &proto.nparams);
    while (p->tok.kind == TOK_WORD) {       /* .noreturn, .abi_preserve 8 */
        ptx_next(p);
        ptx_accept(p, TOK_INT);
    }
    ptx_expect(p, ';', "';'");
    *(struct ptx_proto *)ptx_push(p, &p->protos, sizeof(proto)) = proto;
}
