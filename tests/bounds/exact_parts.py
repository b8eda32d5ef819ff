"""What several theorems share, in 60-digit arithmetic."""

from __future__ import annotations

import mpmath
from flint import arb
from mpmath import mpf

import reference_mp as exact

SMALL = arb(10) ** -25


def log(x):
    return mpmath.log(mpf(x))


def xi(atoms, n):
    before, current = mpf(1), exact.xi_two(int(n))
    for m in range(1, atoms - 1):
        before, current = current, current + mpf(n) / m * before
    return current


def budget(kl, n, delta, constant=1):
    return (mpf(kl) + log(constant) - log(delta)) / n


def first(reached, low, high):
    """Where a statement that stays true from some point on becomes true, to 70 binary places; high if it never does."""
    if not reached(high):
        return high
    for _ in range(70):
        middle = (low + high) / 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return low


def probability(k, n, t):
    pieces = arb(n + 1).lgamma() - arb(k + 1).lgamma() - arb(n - k + 1).lgamma()
    return (pieces + k * t.log() + (n - k) * (-t).log1p()).exp()


def tail(k, n, t):
    """P(Bin(n, t) <= k), as the probability of k and the ratios to those before it, until they no longer matter."""
    term = total = arb(1)
    odds = (1 - t) / t
    for j in range(1, k + 1):
        term = term * (k - j + 1) / (n - k + j) * odds
        total += term
        if term < total * SMALL:
            break
    return probability(k, n, t) * total


def sets(size, n):
    """log(C(n, m)/zeta(m))."""
    choose = mpmath.loggamma(n + 1) - mpmath.loggamma(size + 1) - mpmath.loggamma(n - size + 1)
    return choose + 2 * mpmath.log(mpmath.pi * (size + 1)) - mpmath.log(6)
