/* lists.h - functions of one thread's values: X(what the kernel computes, what C does). Read by lists.cu and by lists.c, whose C
 * functions are ref_*. Values: a, b, cc are unsigned; i, j are a, b as int; w, v are 64 bits of them; f, g, h and d, e, q are
 * floats and doubles. */
#define INTEGERS(X)                                                                                              \
    X(__popc(a), ref_popc(a)) X(__popcll(w), ref_popc(w)) X(__clz(i), ref_clz(a, 32)) X(__clzll((long long)w), ref_clz(w, 64))  \
    X(__ffs(i), ref_ffs(a)) X(__ffsll((long long)w), ref_ffs(w)) X(__brev(a), ref_brev(a, 32)) X(__brevll(w), ref_brev(w, 64))   \
    X(__byte_perm(a, b, cc), ref_perm(a, b, cc)) X((unsigned)__mulhi(i, j), (uint32_t)(((int64_t)i * j) >> 32))                   \
    X(__umulhi(a, b), (uint32_t)(((uint64_t)a * b) >> 32))                                                                    \
    X((unsigned long long)__mul64hi((long long)w, (long long)v), (uint64_t)(((__int128)(int64_t)w * (int64_t)v) >> 64))          \
    X(__umul64hi(w, v), (uint64_t)(((unsigned __int128)w * v) >> 64))                                                         \
    X((unsigned)__mul24(i, j), (uint32_t)ref_24s(a) * (uint32_t)ref_24s(b)) X(__umul24(a, b), (a & 0xffffff) * (b & 0xffffff))  \
    X((unsigned)__sad(i, j, cc), (uint32_t)llabs((int64_t)i - j) + cc) X(__usad(a, b, cc), (a > b ? a - b : b - a) + cc)            \
    X((unsigned)__hadd(i, j), (uint32_t)(((int64_t)i + j) >> 1)) X((unsigned)__rhadd(i, j), (uint32_t)(((int64_t)i + j + 1) >> 1)) \
    X(__uhadd(a, b), (uint32_t)(((uint64_t)a + b) >> 1)) X(__urhadd(a, b), (uint32_t)(((uint64_t)a + b + 1) >> 1))              \
    X(__funnelshift_l(a, b, cc), ref_funnel(a, b, cc & 31) >> 32) X(__funnelshift_r(a, b, cc), ref_funnel_r(a, b, cc & 31))          \
    X(__funnelshift_lc(a, b, cc), cc > 31 ? a : ref_funnel(a, b, cc) >> 32) X(__funnelshift_rc(a, b, cc), cc > 31 ? b : ref_funnel_r(a, b, cc)) \
    X((unsigned)__dp4a(i, j, (int)cc), ref_dp4(a, b, cc, 1)) X(__dp4a(a, b, cc), ref_dp4(a, b, cc, 0))                               \
    X((unsigned)__dp2a_lo(i, j, (int)cc), ref_dp2(a, b, cc, 1, 0)) X(__dp2a_hi(a, b, cc), ref_dp2(a, b, cc, 0, 1))                   \
    X((unsigned)abs(i), (uint32_t)(i < 0 ? 0u - a : a)) X((unsigned long long)llabs((long long)w), (int64_t)w < 0 ? 0 - w : w)   \
    X((unsigned)min(i, j), (uint32_t)(i < j ? i : j)) X(min(a, b), a < b ? a : b) X((unsigned)max(i, j), (uint32_t)(i > j ? i : j)) \
    X(max(a, b), a > b ? a : b) X(max(w, v), w > v ? w : v) X((unsigned long long)min((long long)w, (long long)v), (int64_t)w < (int64_t)v ? w : v) \
    X(min(i, b), a < b ? a : b) X(max(a, j), a > b ? a : b)

#define SIMD_OF(X, n, bits)                                                                                                       \
    X(__vadd##n(a, b), ref_lanes(a, b, bits, 0, ADD)) X(__vsub##n(a, b), ref_lanes(a, b, bits, 0, SUB))                           \
    X(__vaddss##n(a, b), ref_lanes(a, b, bits, 1, ADD | SATURATED)) X(__vaddus##n(a, b), ref_lanes(a, b, bits, 0, ADD | SATURATED)) \
    X(__vsubss##n(a, b), ref_lanes(a, b, bits, 1, SUB | SATURATED)) X(__vsubus##n(a, b), ref_lanes(a, b, bits, 0, SUB | SATURATED)) \
    X(__vabs##n(a), ref_lanes(a, 0, bits, 1, DIFFERENCE)) X(__vabsss##n(a), ref_lanes(a, 0, bits, 1, DIFFERENCE | SATURATED))      \
    X(__vneg##n(a), ref_lanes(0, a, bits, 0, SUB)) X(__vnegss##n(a), ref_lanes(0, a, bits, 1, SUB | SATURATED))                    \
    X(__vabsdiffs##n(a, b), ref_lanes(a, b, bits, 1, DIFFERENCE)) X(__vabsdiffu##n(a, b), ref_lanes(a, b, bits, 0, DIFFERENCE))    \
    X(__vavgs##n(a, b), ref_lanes(a, b, bits, 1, AVERAGE)) X(__vavgu##n(a, b), ref_lanes(a, b, bits, 0, AVERAGE))                  \
    X(__vhaddu##n(a, b), ref_lanes(a, b, bits, 0, HALF)) X(__vmins##n(a, b), ref_lanes(a, b, bits, 1, MIN))                        \
    X(__vminu##n(a, b), ref_lanes(a, b, bits, 0, MIN)) X(__vmaxs##n(a, b), ref_lanes(a, b, bits, 1, MAX))                          \
    X(__vmaxu##n(a, b), ref_lanes(a, b, bits, 0, MAX)) X(__vcmpeq##n(a, b), ref_lanes(a, b, bits, 0, EQ))                          \
    X(__vcmpne##n(a, b), ~ref_lanes(a, b, bits, 0, EQ)) X(__vcmpges##n(a, b), ref_lanes(a, b, bits, 1, GE))                        \
    X(__vcmpgeu##n(a, b), ref_lanes(a, b, bits, 0, GE)) X(__vcmpgts##n(a, b), ~ref_lanes(b, a, bits, 1, GE))                       \
    X(__vcmpgtu##n(a, b), ~ref_lanes(b, a, bits, 0, GE)) X(__vcmples##n(a, b), ref_lanes(b, a, bits, 1, GE))                       \
    X(__vcmpleu##n(a, b), ref_lanes(b, a, bits, 0, GE)) X(__vcmplts##n(a, b), ~ref_lanes(a, b, bits, 1, GE))                       \
    X(__vcmpltu##n(a, b), ~ref_lanes(a, b, bits, 0, GE)) X(__vseteq##n(a, b), ref_ones(ref_lanes(a, b, bits, 0, EQ), bits))        \
    X(__vsetne##n(a, b), ref_ones(~ref_lanes(a, b, bits, 0, EQ), bits)) X(__vsetges##n(a, b), ref_ones(ref_lanes(a, b, bits, 1, GE), bits)) \
    X(__vsetgtu##n(a, b), ref_ones(~ref_lanes(b, a, bits, 0, GE), bits)) X(__vsetlts##n(a, b), ref_ones(~ref_lanes(a, b, bits, 1, GE), bits)) \
    X(__vsetleu##n(a, b), ref_ones(ref_lanes(b, a, bits, 0, GE), bits)) X(__vsads##n(a, b), ref_sad(a, b, bits, 1)) X(__vsadu##n(a, b), ref_sad(a, b, bits, 0))
#define SIMD(X) SIMD_OF(X, 2, 16) SIMD_OF(X, 4, 8)

/* r: CUDA's rounding, m: C's */
#define ROUNDED_OF(X, r, m)                                                                                                       \
    X(__float_as_uint(__fadd_##r(f, g)), F(m, f + g)) X(__float_as_uint(__fsub_##r(f, g)), F(m, f - g))                           \
    X(__float_as_uint(__fmul_##r(f, g)), F(m, f * g)) X(__float_as_uint(__fdiv_##r(f, g)), F(m, f / g))                           \
    X(__float_as_uint(__frcp_##r(f)), F(m, 1 / f)) X(__float_as_uint(__fsqrt_##r(fabsf(f))), F(m, sqrtf(fabsf(f))))                \
    X(__float_as_uint(__fmaf_##r(f, g, h)), F(m, fmaf(f, g, h))) X(__float_as_uint(__fmaf_ieee_##r(f, g, h)), F(m, fmaf(f, g, h))) \
    X(__double_as_longlong(__dadd_##r(d, e)), D(m, d + e)) X(__double_as_longlong(__dsub_##r(d, e)), D(m, d - e))                  \
    X(__double_as_longlong(__dmul_##r(d, e)), D(m, d * e)) X(__double_as_longlong(__ddiv_##r(d, e)), D(m, d / e))                  \
    X(__double_as_longlong(__drcp_##r(d)), D(m, 1 / d)) X(__double_as_longlong(__dsqrt_##r(fabs(d))), D(m, sqrt(fabs(d))))         \
    X(__double_as_longlong(__fma_##r(d, e, q)), D(m, fma(d, e, q))) X(__float_as_uint(__double2float_##r(d)), F(m, (float)d))      \
    X(__float_as_uint(__int2float_##r(i)), F(m, (float)i)) X(__float_as_uint(__uint2float_##r(a)), F(m, (float)a))                 \
    X(__float_as_uint(__ll2float_##r((long long)w)), F(m, (float)(int64_t)w)) X(__float_as_uint(__ull2float_##r(w)), F(m, (float)w)) \
    X(__double_as_longlong(__ll2double_##r((long long)w)), D(m, (double)(int64_t)w)) X(__double_as_longlong(__ull2double_##r(w)), ref_ull2double(w, m)) \
    X((unsigned)__float2int_##r(f), (uint32_t)ref_limited(I(m, f), INT32_MIN, INT32_MAX)) X(__float2uint_##r(f), (uint32_t)ref_limited(I(m, f), 0, UINT32_MAX)) \
    X((unsigned long long)__float2ll_##r(f), (uint64_t)ref_limited(I(m, f), INT64_MIN, INT64_MAX)) X(__float2ull_##r(f), (uint64_t)ref_limited(I(m, f), 0, UINT64_MAX)) \
    X((unsigned)__double2int_##r(d), (uint32_t)ref_limited(I(m, d), INT32_MIN, INT32_MAX)) X(__double2uint_##r(d), (uint32_t)ref_limited(I(m, d), 0, UINT32_MAX)) \
    X((unsigned long long)__double2ll_##r(d), (uint64_t)ref_limited(I(m, d), INT64_MIN, INT64_MAX)) X(__double2ull_##r(d), (uint64_t)ref_limited(I(m, d), 0, UINT64_MAX))
#define REALS(X)                                                                                                                  \
    ROUNDED_OF(X, rn, FE_TONEAREST) ROUNDED_OF(X, rz, FE_TOWARDZERO) ROUNDED_OF(X, rd, FE_DOWNWARD) ROUNDED_OF(X, ru, FE_UPWARD)    \
    X(__float_as_uint(__frsqrt_rn(fabsf(f))), ref_float((float)(1 / sqrt(fabs((double)f))))) X(__float_as_uint(__saturatef(f)), ref_float(fminf(fmaxf(f, 0), 1))) \
    X((unsigned)__float_as_int(f), ref_float(f)) X(__float_as_uint(__int_as_float(__float_as_int(f))), ref_float(f))               \
    X(__float_as_uint(__uint_as_float(__float_as_uint(g))), ref_float(g)) X(__double_as_longlong(__longlong_as_double(__double_as_longlong(d))), ref_double(d)) \
    X((unsigned)__double2hiint(d), ref_double(d) >> 32) X((unsigned)__double2loint(d), (uint32_t)ref_double(d))                   \
    X(__double_as_longlong(__hiloint2double(i, j)), (uint64_t)a << 32 | b) X(__double_as_longlong(__int2double_rn(i)), ref_double(i)) \
    X(__double_as_longlong(__uint2double_rn(a)), ref_double(a)) X((unsigned long long)llrintf(f), (uint64_t)ref_limited(rint((double)f), INT64_MIN, INT64_MAX)) \
    X((unsigned long long)llround(d), (uint64_t)ref_limited(round(d), INT64_MIN, INT64_MAX))                                     \
    X((unsigned long long)lrint(d), (uint64_t)ref_limited(rint(d), INT64_MIN, INT64_MAX))                                        \
    X((unsigned long long)lroundf(f), (uint64_t)ref_limited(round((double)f), INT64_MIN, INT64_MAX))
