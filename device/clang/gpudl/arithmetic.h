/* arithmetic.h - the functions that are one or a few instructions: integers, conversions, rounding modes, bits of reals. */
#pragma once
#pragma clang system_header

#define GPUDL_FN(T, name, args, value) \
    GPUDL_DEVICE T __nv_##name args \
    { \
        return value; \
    }
typedef long long gpudl_ll;
typedef unsigned long long gpudl_ull;
typedef unsigned gpudl_u;

GPUDL_FN(int, abs, (int a), a < 0 ? (int)(0u - (gpudl_u)a) : a)
GPUDL_FN(gpudl_ll, llabs, (gpudl_ll a), a < 0 ? (gpudl_ll)(0ull - (gpudl_ull)a) : a)
GPUDL_FN(int, min, (int a, int b), a < b ? a : b)
GPUDL_FN(int, max, (int a, int b), a > b ? a : b)
GPUDL_FN(gpudl_u, umin, (gpudl_u a, gpudl_u b), a < b ? a : b)
GPUDL_FN(gpudl_u, umax, (gpudl_u a, gpudl_u b), a > b ? a : b)
GPUDL_FN(gpudl_ll, llmin, (gpudl_ll a, gpudl_ll b), a < b ? a : b)
GPUDL_FN(gpudl_ll, llmax, (gpudl_ll a, gpudl_ll b), a > b ? a : b)
GPUDL_FN(gpudl_ull, ullmin, (gpudl_ull a, gpudl_ull b), a < b ? a : b)
GPUDL_FN(gpudl_ull, ullmax, (gpudl_ull a, gpudl_ull b), a > b ? a : b)
GPUDL_FN(gpudl_u, brev, (gpudl_u a), __builtin_bitreverse32(a))
GPUDL_FN(gpudl_ull, brevll, (gpudl_ull a), __builtin_bitreverse64(a))
GPUDL_FN(gpudl_u, byte_perm, (gpudl_u a, gpudl_u b, gpudl_u s), __nvvm_prmt(a, b, s & 0x7777))
GPUDL_FN(int, clz, (int a), a ? __builtin_clz((gpudl_u)a) : 32)
GPUDL_FN(int, clzll, (gpudl_ll a), a ? __builtin_clzll((gpudl_ull)a) : 64)
GPUDL_FN(int, ffs, (int a), a ? __builtin_ctz((gpudl_u)a) + 1 : 0)
GPUDL_FN(int, ffsll, (gpudl_ll a), a ? __builtin_ctzll((gpudl_ull)a) + 1 : 0)
GPUDL_FN(int, popc, (int a), __builtin_popcount((gpudl_u)a))
GPUDL_FN(int, popcll, (gpudl_ll a), __builtin_popcountll((gpudl_ull)a))
GPUDL_FN(int, hadd, (int a, int b), (a & b) + ((a ^ b) >> 1))
GPUDL_FN(int, rhadd, (int a, int b), (a | b) - ((a ^ b) >> 1))
GPUDL_FN(gpudl_u, uhadd, (gpudl_u a, gpudl_u b), (a & b) + ((a ^ b) >> 1))
GPUDL_FN(gpudl_u, urhadd, (gpudl_u a, gpudl_u b), (a | b) - ((a ^ b) >> 1))
GPUDL_FN(int, mul24, (int a, int b), __nvvm_mul24_i(a, b))
GPUDL_FN(gpudl_u, umul24, (gpudl_u a, gpudl_u b), __nvvm_mul24_ui(a, b))
GPUDL_FN(int, mulhi, (int a, int b), __nvvm_mulhi_i(a, b))
GPUDL_FN(gpudl_u, umulhi, (gpudl_u a, gpudl_u b), __nvvm_mulhi_ui(a, b))
GPUDL_FN(gpudl_ll, mul64hi, (gpudl_ll a, gpudl_ll b), __nvvm_mulhi_ll(a, b))
GPUDL_FN(gpudl_ull, umul64hi, (gpudl_ull a, gpudl_ull b), __nvvm_mulhi_ull(a, b))
GPUDL_FN(gpudl_u, sad, (int a, int b, gpudl_u c), (a < b ? (gpudl_u)b - (gpudl_u)a : (gpudl_u)a - (gpudl_u)b) + c)
GPUDL_FN(gpudl_u, usad, (gpudl_u a, gpudl_u b, gpudl_u c), (a < b ? b - a : a - b) + c)

GPUDL_FN(int, float_as_int, (float a), __builtin_bit_cast(int, a))
GPUDL_FN(gpudl_u, float_as_uint, (float a), __builtin_bit_cast(gpudl_u, a))
GPUDL_FN(float, int_as_float, (int a), __builtin_bit_cast(float, a))
GPUDL_FN(float, uint_as_float, (gpudl_u a), __builtin_bit_cast(float, a))
GPUDL_FN(gpudl_ll, double_as_longlong, (double a), __builtin_bit_cast(gpudl_ll, a))
GPUDL_FN(double, longlong_as_double, (gpudl_ll a), __builtin_bit_cast(double, a))
GPUDL_FN(int, double2hiint, (double a), (int)(__nv_double_as_longlong(a) >> 32))
GPUDL_FN(int, double2loint, (double a), (int)__nv_double_as_longlong(a))
GPUDL_FN(double, hiloint2double, (int high, int low),
    __nv_longlong_as_double((gpudl_ll)((gpudl_ull)(gpudl_u)high << 32 | (gpudl_u)low)))

/* Each rounding mode, by CUDA's name and by PTX's of clang's builtins. FTZ: subnormal floats count as zero, as --ftz=true asks. */
#ifdef GPUDL_FTZ
#define GPUDL_F(what, mode) __nvvm_##what##_##mode##_ftz_f
#define GPUDL_FROM_F(what, mode) __nvvm_f2##what##_##mode##_ftz
#define GPUDL_APPROX(what) __nvvm_##what##_approx_ftz_f
#else
#define GPUDL_F(what, mode) __nvvm_##what##_##mode##_f
#define GPUDL_FROM_F(what, mode) __nvvm_f2##what##_##mode
#define GPUDL_APPROX(what) __nvvm_##what##_approx_f
#endif
#define GPUDL_ROUNDED(r, m) \
    GPUDL_FN(float, double2float_##r, (double a), __nvvm_d2f_##m(a)) \
    GPUDL_FN(float, fadd_##r, (float a, float b), GPUDL_F(add, m)(a, b)) \
    GPUDL_FN(float, fsub_##r, (float a, float b), GPUDL_F(add, m)(a, -b)) \
    GPUDL_FN(float, fmul_##r, (float a, float b), GPUDL_F(mul, m)(a, b)) \
    GPUDL_FN(float, fdiv_##r, (float a, float b), GPUDL_F(div, m)(a, b)) \
    GPUDL_FN(float, frcp_##r, (float a), GPUDL_F(rcp, m)(a)) \
    GPUDL_FN(float, fsqrt_##r, (float a), GPUDL_F(sqrt, m)(a)) \
    GPUDL_FN(float, fmaf_##r, (float a, float b, float c), GPUDL_F(fma, m)(a, b, c)) \
    GPUDL_FN(float, fmaf_ieee_##r, (float a, float b, float c), __nvvm_fma_##m##_f(a, b, c)) \
    GPUDL_FN(double, dadd_##r, (double a, double b), __nvvm_add_##m##_d(a, b)) \
    GPUDL_FN(double, dsub_##r, (double a, double b), __nvvm_add_##m##_d(a, -b)) \
    GPUDL_FN(double, dmul_##r, (double a, double b), __nvvm_mul_##m##_d(a, b)) \
    GPUDL_FN(double, ddiv_##r, (double a, double b), __nvvm_div_##m##_d(a, b)) \
    GPUDL_FN(double, drcp_##r, (double a), __nvvm_rcp_##m##_d(a)) \
    GPUDL_FN(double, dsqrt_##r, (double a), __nvvm_sqrt_##m##_d(a)) \
    GPUDL_FN(double, fma_##r, (double a, double b, double c), __nvvm_fma_##m##_d(a, b, c))
#define GPUDL_CONVERTED(r, m) \
    GPUDL_FN(int, float2int_##r, (float a), GPUDL_FROM_F(i, m)(a)) \
    GPUDL_FN(gpudl_u, float2uint_##r, (float a), GPUDL_FROM_F(ui, m)(a)) \
    GPUDL_FN(gpudl_ll, float2ll_##r, (float a), GPUDL_FROM_F(ll, m)(a)) \
    GPUDL_FN(gpudl_ull, float2ull_##r, (float a), GPUDL_FROM_F(ull, m)(a)) \
    GPUDL_FN(int, double2int_##r, (double a), __nvvm_d2i_##m(a)) \
    GPUDL_FN(gpudl_u, double2uint_##r, (double a), __nvvm_d2ui_##m(a)) \
    GPUDL_FN(gpudl_ll, double2ll_##r, (double a), __nvvm_d2ll_##m(a)) \
    GPUDL_FN(gpudl_ull, double2ull_##r, (double a), __nvvm_d2ull_##m(a)) \
    GPUDL_FN(float, int2float_##r, (int a), __nvvm_i2f_##m(a)) \
    GPUDL_FN(float, uint2float_##r, (gpudl_u a), __nvvm_ui2f_##m(a)) \
    GPUDL_FN(float, ll2float_##r, (gpudl_ll a), __nvvm_ll2f_##m(a)) \
    GPUDL_FN(float, ull2float_##r, (gpudl_ull a), __nvvm_ull2f_##m(a)) \
    GPUDL_FN(double, ll2double_##r, (gpudl_ll a), __nvvm_ll2d_##m(a)) \
    GPUDL_FN(double, ull2double_##r, (gpudl_ull a), __nvvm_ull2d_##m(a))
GPUDL_ROUNDED(rn, rn)
GPUDL_ROUNDED(rz, rz)
GPUDL_ROUNDED(rd, rm)
GPUDL_ROUNDED(ru, rp)
GPUDL_CONVERTED(rn, rn)
GPUDL_CONVERTED(rd, rm)
GPUDL_CONVERTED(ru, rp)
#undef GPUDL_ROUNDED
#undef GPUDL_CONVERTED
/* Towards zero as instructions: of the builtins LLVM makes its own conversions, which round to nearest, or mean nothing out of
 * range. */
#define GPUDL_INSTRUCTION(T, to, name, S, from, instruction) \
    GPUDL_DEVICE T __nv_##name##_rz(S a) \
    { \
        T r; \
        __asm__(instruction " %0, %1;" : "=" to(r) : from(a)); \
        return r; \
    }
#ifdef GPUDL_FTZ
#define GPUDL_RZI "cvt.rzi.ftz."
#else
#define GPUDL_RZI "cvt.rzi."
#endif
GPUDL_INSTRUCTION(int, "r", float2int, float, "f", GPUDL_RZI "s32.f32")
GPUDL_INSTRUCTION(gpudl_u, "r", float2uint, float, "f", GPUDL_RZI "u32.f32")
GPUDL_INSTRUCTION(gpudl_ll, "l", float2ll, float, "f", GPUDL_RZI "s64.f32")
GPUDL_INSTRUCTION(gpudl_ull, "l", float2ull, float, "f", GPUDL_RZI "u64.f32")
GPUDL_INSTRUCTION(int, "r", double2int, double, "d", "cvt.rzi.s32.f64")
GPUDL_INSTRUCTION(gpudl_u, "r", double2uint, double, "d", "cvt.rzi.u32.f64")
GPUDL_INSTRUCTION(gpudl_ll, "l", double2ll, double, "d", "cvt.rzi.s64.f64")
GPUDL_INSTRUCTION(gpudl_ull, "l", double2ull, double, "d", "cvt.rzi.u64.f64")
GPUDL_INSTRUCTION(float, "f", int2float, int, "r", "cvt.rz.f32.s32")
GPUDL_INSTRUCTION(float, "f", uint2float, gpudl_u, "r", "cvt.rz.f32.u32")
GPUDL_INSTRUCTION(float, "f", ll2float, gpudl_ll, "l", "cvt.rz.f32.s64")
GPUDL_INSTRUCTION(float, "f", ull2float, gpudl_ull, "l", "cvt.rz.f32.u64")
GPUDL_INSTRUCTION(double, "d", ll2double, gpudl_ll, "l", "cvt.rz.f64.s64")
GPUDL_INSTRUCTION(double, "d", ull2double, gpudl_ull, "l", "cvt.rz.f64.u64")
#undef GPUDL_INSTRUCTION
GPUDL_FN(double, int2double_rn, (int a), (double)a)
GPUDL_FN(double, uint2double_rn, (gpudl_u a), (double)a)

/* Reals, bit by bit */
GPUDL_FN(double, fabs, (double a), __builtin_fabs(a))
GPUDL_FN(float, fabsf, (float a), __builtin_fabsf(a))
GPUDL_FN(double, ceil, (double a), __builtin_ceil(a))
GPUDL_FN(float, ceilf, (float a), __builtin_ceilf(a))
GPUDL_FN(double, floor, (double a), __builtin_floor(a))
GPUDL_FN(float, floorf, (float a), __builtin_floorf(a))
GPUDL_FN(double, trunc, (double a), __builtin_trunc(a))
GPUDL_FN(float, truncf, (float a), __builtin_truncf(a))
GPUDL_FN(double, round, (double a), __builtin_round(a))
GPUDL_FN(float, roundf, (float a), __builtin_roundf(a))
GPUDL_FN(gpudl_ll, llrint, (double a), __nvvm_d2ll_rn(a))
GPUDL_FN(gpudl_ll, llrintf, (float a), GPUDL_FROM_F(ll, rn)(a))
GPUDL_FN(gpudl_ll, llround, (double a), __nv_double2ll_rz(__nv_round(a)))
GPUDL_FN(gpudl_ll, llroundf, (float a), __nv_float2ll_rz(__nv_roundf(a)))
GPUDL_FN(double, copysign, (double a, double b), __builtin_copysign(a, b))
GPUDL_FN(float, copysignf, (float a, float b), __builtin_copysignf(a, b))
GPUDL_FN(double, fma, (double a, double b, double c), __builtin_fma(a, b, c))
GPUDL_FN(float, fmaf, (float a, float b, float c), __builtin_fmaf(a, b, c))
GPUDL_FN(double, fmax, (double a, double b), __builtin_fmax(a, b))
GPUDL_FN(float, fmaxf, (float a, float b), __builtin_fmaxf(a, b))
GPUDL_FN(double, fmin, (double a, double b), __builtin_fmin(a, b))
GPUDL_FN(float, fminf, (float a, float b), __builtin_fminf(a, b))
GPUDL_FN(double, fdim, (double a, double b), a <= b ? 0.0 : a - b)
GPUDL_FN(float, fdimf, (float a, float b), a <= b ? 0.0f : a - b)
GPUDL_FN(double, sqrt, (double a), __builtin_sqrt(a))
#ifdef GPUDL_SQRT_APPROX /* --prec-sqrt=false */
GPUDL_FN(float, sqrtf, (float a), GPUDL_APPROX(sqrt)(a))
#else
GPUDL_FN(float, sqrtf, (float a), __builtin_sqrtf(a))
#endif
GPUDL_FN(float, saturatef, (float a), __nvvm_saturate_f(a))
GPUDL_FN(int, signbitd, (double a), __nv_double_as_longlong(a) < 0)
GPUDL_FN(int, signbitf, (float a), __nv_float_as_int(a) < 0)
GPUDL_FN(int, isnand, (double a), a != a)
GPUDL_FN(int, isnanf, (float a), a != a)
GPUDL_FN(int, isinfd, (double a), __builtin_fabs(a) == __builtin_inf())
GPUDL_FN(int, isinff, (float a), __builtin_fabsf(a) == __builtin_inff())
GPUDL_FN(int, isfinited, (double a), __builtin_fabs(a) < __builtin_inf())
GPUDL_FN(int, finitef, (float a), __builtin_fabsf(a) < __builtin_inff())
GPUDL_FN(double, nan, (const signed char *), __builtin_nan(""))
GPUDL_FN(float, nanf, (const signed char *), __builtin_nanf(""))

/* The hardware's own, quick ones */
GPUDL_FN(float, fast_sinf, (float a), GPUDL_APPROX(sin)(a))
GPUDL_FN(float, fast_cosf, (float a), GPUDL_APPROX(cos)(a))
GPUDL_FN(float, fast_fdividef, (float a, float b), GPUDL_APPROX(div)(a, b))
GPUDL_FN(float, fast_tanf, (float a), __nv_fast_fdividef(__nv_fast_sinf(a), __nv_fast_cosf(a)))
GPUDL_FN(float, fast_log2f, (float a), GPUDL_APPROX(lg2)(a))
GPUDL_FN(float, fast_logf, (float a), __nv_fast_log2f(a) * 0.69314718f)
GPUDL_FN(float, fast_log10f, (float a), __nv_fast_log2f(a) * 0.30103f)
GPUDL_FN(float, fast_expf, (float a), GPUDL_APPROX(ex2)(a * 1.4426950f))
GPUDL_FN(float, fast_exp10f, (float a), GPUDL_APPROX(ex2)(a * 3.3219281f))
GPUDL_FN(float, fast_powf, (float a, float b), GPUDL_APPROX(ex2)(b *__nv_fast_log2f(a)))
GPUDL_DEVICE void __nv_fast_sincosf(float a, float *s, float *c)
{
    *s = __nv_fast_sinf(a);
    *c = __nv_fast_cosf(a);
}
GPUDL_FN(float, rsqrtf, (float a), GPUDL_APPROX(rsqrt)(a))
GPUDL_FN(float, frsqrt_rn, (float a), (float)(1.0 / __builtin_sqrt((double)a)))
GPUDL_FN(double, rcp64h, (double a), __nvvm_rcp_approx_ftz_d(a))
