#!/usr/bin/env python3
"""The polynomials of clang/gpudl/polynomials.h: Taylor series, and Chebyshev fits, which are within a bit of the best ones.
usage: polynomials.py > clang/gpudl/polynomials.h, with mpmath. A fit's error is relative to the function, in units of 2^-53 (2^-24 for floats)."""
import struct
from mpmath import mp, mpf, atan, asin, sqrt, erfc, exp, factorial, loggamma, chebyfit, polyval, pi

mp.dps = 60


def erfcx_scaled(t):
    """(1 + 2x) erfcx(x), where t = (x-4)/(x+4)"""
    if t > mpf(1) - mpf(10) ** -6:
        x = 4 * (1 + t) / (1 - t) if t < 1 else mpf(10) ** 40
        return (1 + 2 * x) / (x * sqrt(pi)) * (1 - 1 / (2 * x * x) + 3 / (4 * x**4))
    x = 4 * (1 + t) / (1 - t)
    if x > 60:
        s = mpf(1)
        for k in range(61, 0, -2):
            s = 1 - k / (2 * x * x) * s
        return (1 + 2 * x) / (x * sqrt(pi)) * s
    return (1 + 2 * x) * exp(x * x) * erfc(x)


def lgamma_near_1(z):
    """loggamma(1+z) / (z (z-1))"""
    return loggamma(1 + z) / (z * (z - 1)) if z != 0 and z != 1 else lgamma_near_1(z + mpf(10) ** -25)


def lgamma_near_2(z):
    """loggamma(2+z) / z (z+1): the same function about 2"""
    return lgamma_near_1(1 + z)


def atan_rest(u):
    """(atan(x)/x - 1) / x^2 for u = x^2"""
    x = sqrt(u) if u > 0 else mpf(10) ** -18
    return (atan(x) / x - 1) / (x * x)


def asin_rest(u):
    x = sqrt(u) if u > 0 else mpf(10) ** -18
    return (asin(x) / x - 1) / (x * x)


FITS = [
    ("atan", atan_rest, 0, 1, 22, 10, "atan(x) = x + x^3 P(x^2), |x| <= 1"),
    ("asin", asin_rest, 0, mpf(1) / 4, 13, 6, "asin(x) = x + x^3 P(x^2), |x| <= 1/2"),
    ("erfcx", erfcx_scaled, -1, 1, 25, 14, "erfcx(x) = P((x-4)/(x+4)) / (1+2x), x >= 0"),
    ("lgamma_1", lgamma_near_1, -mpf(1) / 2, mpf(1) / 2, 28, None, "lgamma(1+z) = z (z-1) P(z), |z| <= 1/2"),
    ("lgamma_2", lgamma_near_2, -mpf(1) / 2, 1, 24, None, "lgamma(2+z) = z (z+1) P(z), -1/2 <= z <= 1"),
]


SERIES = [
    ("exp", lambda k: 1 / factorial(k), 2, 13, 7, "exp(x) = 1 + x + x^2 P(x)"),
    ("log", lambda k: mpf(2) / (2 * k + 3), 0, 10, 4, "2 atanh(s) = 2s + s^3 P(s^2)"),
    ("log_rest", lambda k: mpf(2) / (2 * k + 5), 0, 10, 4, "2 atanh(s) = 2s + s^3 (2/3 + s^2 P(s^2))"),
    ("sin", lambda k: (-1) ** k / factorial(2 * k + 1), 1, 8, 4, "sin(x) = x + x^3 P(x^2)"),
    ("cos", lambda k: (-1) ** k / factorial(2 * k), 2, 9, 5, "cos(x) = 1 - x^2/2 + x^4 P(x^2)"),
    ("erf", lambda k: 2 / sqrt(pi) * (-1) ** k / (factorial(k) * (2 * k + 1)), 1, 18, 10, "erf(x) = 2/sqrt(pi) x + x^3 P(x^2)"),
]


def rounded(x, is_float):
    return struct.unpack("f", struct.pack("f", float(x)))[0] if is_float else float(x)


def text(x, is_float):
    h = x.hex()
    return h + "f" if is_float else h


def show(name, what, p, is_float):
    print(f"/* {what} */")
    print(f"static constexpr {'float' if is_float else 'double'} gpudl_{name}{'f' if is_float else ''}_fit[] = {{")
    items = [text(c, is_float) for c in p]
    width = 5 if is_float else 4
    for i in range(0, len(items), width):
        print("    " + ", ".join(items[i : i + width]) + ",")
    print("};")
    if not is_float:
        return
    print(f"GPUDL_DEVICE double gpudl_{name}_series(double x) {{ return gpudl_polynomial(gpudl_{name}_fit, x); }}")
    print(f"GPUDL_DEVICE float gpudl_{name}_series(float x) {{ return gpudl_polynomial(gpudl_{name}f_fit, x); }}")


print("/* polynomials.h - made by device/polynomials.py: coefficients, the highest power first. Of fits, the last number is their error. */")
print("#pragma once\n#pragma clang system_header")
for name, c, first, n_double, n_float, what in SERIES:
    for last, is_float in ((n_double, False), (n_float, True)):
        show(name, what, [rounded(c(k), is_float) for k in range(last, first - 1, -1)], is_float)
for name, f, low, high, n_double, n_float, what in FITS:
    for n, is_float in ((n_double, False), (n_float, True)):
        if n is None:
            continue
        p = [rounded(c, is_float) for c in chebyfit(f, [low, high], n)]
        worst = max(abs(polyval(p, x) / f(x) - 1) for x in (low + (high - low) * mpf(i) / 501 for i in range(0, 502)) if abs(f(x)) > 0)
        unit = mpf(2) ** (-24 if is_float else -53)
        show(name, f"{what}; {float(worst / unit):.2g}", p, is_float)
