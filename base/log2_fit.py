#!/usr/bin/env python3
"""log2_fit.py - makes the coefficients of base/log2.h and prints them as exact decimals.

log2(1 + f) = f C + f^2 Q(f) on the interval that the range reduction leaves, C = 1/ln 2 as the sum of two fp32
numbers.  Q is fitted by least squares at Chebyshev points, the error taken relative to log2(1 + f), in 60-digit
decimals; that comes near the minimax polynomial.  Coefficients become fp32 one at a time, the constant first;
those still free are fitted anew each time, so that they make up for the roundings before them.
"""
import math
import struct
import sys
from decimal import Decimal, getcontext

getcontext().prec = 60
LN2 = Decimal(2).ln()
LOW = Decimal(0x3f3504f3 - 0x3f000000) / 2 ** 24 - Decimal("0.5")  # the bounds of the significand, less one
HIGH = Decimal(0x3fb504f3 - 0x3f800000) / 2 ** 23
POINTS = 400


def fp32(x):
    """The nearest fp32 number (x is far from any midpoint at double precision)."""
    return Decimal(struct.unpack("<f", struct.pack("<f", float(x)))[0])


C_HIGH = fp32(1 / LN2)
C_LOW = fp32(1 / LN2 - C_HIGH)


def point(f):
    """f, the wanted Q(f), and what turns its error into one relative to log2(1 + f)."""
    y = (1 + f).ln() / LN2
    return f, (y / f - C_HIGH - C_LOW) / f, abs(f * f / y)


def solve(rows):
    """Gauss with pivoting; each row is the coefficients and the right side."""
    n = len(rows)
    for i in range(n):
        p = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[p] = rows[p], rows[i]
        for r in range(n):
            if r != i:
                q = rows[r][i] / rows[i][i]
                rows[r] = [a - q * b for a, b in zip(rows[r], rows[i])]
    return [rows[i][n] / rows[i][i] for i in range(n)]


def fit(points, fixed, degree):
    """The coefficients of degree len(fixed) .. degree, those below being fixed."""
    first, n = len(fixed), degree + 1 - len(fixed)
    rows = [[Decimal(0)] * (n + 1) for _ in range(n)]
    for f, q, w in points:
        line = [w * f ** (first + d) for d in range(n)] + [w * (q - sum(c * f ** i for i, c in enumerate(fixed)))]
        for r in range(n):
            for c in range(n + 1):
                rows[r][c] += line[r] * line[c]
    return solve(rows)


def worst(points, coefficient):
    return max(abs(w * (sum(c * f ** i for i, c in enumerate(coefficient)) - q)) for f, q, w in points)


def main():
    degree = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    chebyshev = [Decimal(math.cos((i + 0.5) * math.pi / POINTS)) for i in range(POINTS)]
    points = [point((LOW + HIGH) / 2 + (HIGH - LOW) / 2 * t) for t in chebyshev]
    print("before rounding: relative error %.3g" % worst(points, fit(points, [], degree)))
    fixed = []
    while len(fixed) <= degree:
        fixed.append(fp32(fit(points, fixed, degree)[0]))
    print("with fp32 coefficients: relative error %.3g" % worst(points, fixed))
    print("C", C_HIGH, C_LOW)
    for i, c in enumerate(fixed):
        print("q%d" % i, c)


main()
