/* arith_value.c - types, constants and calls for any number of lanes. */
#include "softcuda/jit/arith_parts.h"

#include <string.h>

static LLVMTypeRef lanes_of(struct arith *a, LLVMTypeRef scalar)
{
    return a->lanes == 1 ? scalar : LLVMVectorType(scalar, a->lanes);
}

static LLVMTypeRef scalar_float(struct arith *a, unsigned bits)
{
    return bits == 16 ? LLVMHalfTypeInContext(a->context)
        : bits == 32  ? LLVMFloatTypeInContext(a->context)
                      : LLVMDoubleTypeInContext(a->context);
}

static LLVMTypeRef scalar_of(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

static bool is_float(LLVMValueRef v)
{
    return LLVMGetTypeKind(scalar_of(LLVMTypeOf(v))) != LLVMIntegerTypeKind;
}

static LLVMValueRef splat(struct arith *a, LLVMValueRef scalar)
{
    LLVMValueRef all[128];

    if (a->lanes == 1)
        return scalar;
    for (unsigned i = 0; i < a->lanes; i++)
        all[i] = scalar;
    return LLVMConstVector(all, a->lanes);
}

LLVMTypeRef arith_int(struct arith *a, unsigned bits)
{
    return lanes_of(a, LLVMIntTypeInContext(a->context, bits));
}

LLVMTypeRef arith_float(struct arith *a, unsigned bits)
{
    return lanes_of(a, scalar_float(a, bits));
}

LLVMValueRef arith_const(struct arith *a, unsigned bits, uint64_t value)
{
    return splat(a, LLVMConstInt(LLVMIntTypeInContext(a->context, bits), value, false));
}

LLVMValueRef arith_fconst(struct arith *a, unsigned bits, double value)
{
    return splat(a, LLVMConstReal(scalar_float(a, bits), value));
}

unsigned arith_bits(LLVMValueRef v)
{
    LLVMTypeRef type = scalar_of(LLVMTypeOf(v));

    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(type);
    case LLVMHalfTypeKind:
        return 16;
    case LLVMFloatTypeKind:
        return 32;
    default:
        return 64;
    }
}

LLVMValueRef arith_as_float(struct arith *a, LLVMValueRef v)
{
    return is_float(v) ? v : LLVMBuildBitCast(a->builder, v, arith_float(a, arith_bits(v)), "");
}

LLVMValueRef arith_as_int(struct arith *a, LLVMValueRef v)
{
    return is_float(v) ? LLVMBuildBitCast(a->builder, v, arith_int(a, arith_bits(v)), "") : v;
}

LLVMValueRef arith_ext(struct arith *a, LLVMValueRef v, unsigned bits, bool is_signed)
{
    unsigned from = arith_bits(v);

    if (from == bits)
        return v;
    if (from > bits)
        return v_trunc(a, v, bits);
    return is_signed ? v_sext(a, v, bits) : v_zext(a, v, bits);
}

LLVMValueRef arith_intrinsic(struct arith *a, const char *name, LLVMTypeRef overload, LLVMValueRef *args, unsigned nargs)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    unsigned ntypes = overload ? 1 : 0;
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(a->module, id, &overload, ntypes);
    LLVMTypeRef type = LLVMIntrinsicGetType(a->context, id, &overload, ntypes);

    return LLVMBuildCall2(a->builder, type, function, args, nargs, "");
}

LLVMValueRef arith_call1(struct arith *a, const char *name, LLVMValueRef x)
{
    return arith_intrinsic(a, name, LLVMTypeOf(x), &x, 1);
}

LLVMValueRef arith_call2(struct arith *a, const char *name, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef args[] = { x, y };

    return arith_intrinsic(a, name, LLVMTypeOf(x), args, 2);
}

LLVMValueRef arith_call3(struct arith *a, const char *name, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z)
{
    LLVMValueRef args[] = { x, y, z };

    return arith_intrinsic(a, name, LLVMTypeOf(x), args, 3);
}

LLVMValueRef arith_muladd(struct arith *a, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z)
{
    return arith_call3(a, "llvm.fmuladd", x, y, z);
}

LLVMValueRef arith_poly(struct arith *a, LLVMValueRef x, const double *coefficients, unsigned n)
{
    unsigned bits = arith_bits(x);
    LLVMValueRef sum = arith_fconst(a, bits, coefficients[0]);

    for (unsigned i = 1; i < n; i++)
        sum = arith_muladd(a, sum, x, arith_fconst(a, bits, coefficients[i]));
    return sum;
}

LLVMValueRef arith_clamp(struct arith *a, LLVMValueRef v, LLVMValueRef low, LLVMValueRef high, bool is_signed)
{
    v = arith_call2(a, is_signed ? "llvm.smax" : "llvm.umax", v, low);
    return arith_call2(a, is_signed ? "llvm.smin" : "llvm.umin", v, high);
}

LLVMValueRef arith_relane(struct arith *a, LLVMValueRef v, unsigned lanes, unsigned bits)
{
    LLVMTypeRef type = LLVMIntTypeInContext(a->context, bits);

    return LLVMBuildBitCast(a->builder, v, lanes == 1 ? type : LLVMVectorType(type, lanes), "");
}

/* Lanes [first, first + width) of a vector; what lies beyond its end, and beside a scalar, is poison. */
static LLVMValueRef piece(struct arith *a, LLVMValueRef v, unsigned first, unsigned width)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(a->context);
    LLVMValueRef mask[64];

    if (a->lanes == 1)
        return LLVMBuildInsertElement(a->builder, LLVMGetPoison(LLVMVectorType(type, width)), v, LLVMConstInt(i32, 0, false), "");
    for (unsigned i = 0; i < width; i++)
        mask[i] = first + i < a->lanes ? LLVMConstInt(i32, first + i, false) : LLVMGetPoison(i32);
    return LLVMBuildShuffleVector(a->builder, v, LLVMGetPoison(type), LLVMConstVector(mask, width), "");
}

static LLVMValueRef join(struct arith *a, LLVMValueRef x, LLVMValueRef y)
{
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(x));
    LLVMTypeRef i32 = LLVMInt32TypeInContext(a->context);
    LLVMValueRef mask[128];

    for (unsigned i = 0; i < 2 * n; i++)
        mask[i] = LLVMConstInt(i32, i, false);
    return LLVMBuildShuffleVector(a->builder, x, y, LLVMConstVector(mask, 2 * n), "");
}

LLVMValueRef arith_pieces(struct arith *a, const char *name, unsigned width, LLVMTypeRef result, const LLVMValueRef *args,
    unsigned nargs, const LLVMValueRef *tail, unsigned ntail)
{
    unsigned n = (a->lanes + width - 1) / width;
    LLVMValueRef done[16], call[6];

    for (unsigned p = 0; p < n; p++) {
        for (unsigned i = 0; i < nargs; i++)
            call[i] = piece(a, args[i], p * width, width);
        for (unsigned i = 0; i < ntail; i++)
            call[nargs + i] = tail[i];
        done[p] = arith_intrinsic(a, name, NULL, call, nargs + ntail);
    }
    for (; n > 1; n /= 2)
        for (unsigned p = 0; p < n / 2; p++)
            done[p] = join(a, done[2 * p], done[2 * p + 1]);
    if (a->lanes == 1)
        return LLVMBuildExtractElement(a->builder, done[0], LLVMConstInt(LLVMInt32TypeInContext(a->context), 0, false), "");
    if (LLVMTypeOf(done[0]) == result)
        return done[0];
    return piece(a, done[0], 0, a->lanes); /* fewer lanes than one piece has */
}

static LLVMValueRef runtime_function(struct arith *a, const char *name, LLVMTypeRef type)
{
    LLVMValueRef function = LLVMGetNamedFunction(a->module, name);

    return function ? function : LLVMAddFunction(a->module, name, type);
}

LLVMValueRef arith_each_lane(struct arith *a, const char *name, unsigned bits, const LLVMValueRef *args, unsigned nargs)
{
    LLVMTypeRef result = LLVMIntTypeInContext(a->context, bits), params[4];
    LLVMTypeRef i32 = LLVMInt32TypeInContext(a->context);
    LLVMValueRef sum = LLVMGetPoison(arith_int(a, bits));

    for (unsigned i = 0; i < nargs; i++)
        params[i] = scalar_of(LLVMTypeOf(args[i]));
    LLVMTypeRef type = LLVMFunctionType(result, params, nargs, false);
    LLVMValueRef function = runtime_function(a, name, type);

    for (unsigned lane = 0; lane < a->lanes; lane++) {
        LLVMValueRef index = LLVMConstInt(i32, lane, false), call[4], value;

        for (unsigned i = 0; i < nargs; i++)
            call[i] = a->lanes == 1 ? args[i] : LLVMBuildExtractElement(a->builder, args[i], index, "");
        value = LLVMBuildCall2(a->builder, type, function, call, nargs, "");
        sum = a->lanes == 1 ? value : LLVMBuildInsertElement(a->builder, sum, value, index, "");
    }
    return sum;
}
