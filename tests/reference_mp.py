"""Exact answers in 60-digit arithmetic, by other routes than the library's.

Each inverse is solved on its textbook definition; a KL-ball supremum is enclosed between a primal point
(feasible, so below the supremum) and a dual one (above it), which makes the answer certain however it was found.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product

import mpmath
from mpmath import mpf

DIGITS = 60
mpmath.mp.dps = DIGITS
_CONVERGED = mpf(10) ** -45


def kl(q: float, p: float) -> mpf:
    """The binary relative entropy from its definition, with digits to spare for what cancels."""
    with mpmath.workdps(400):
        q, p = mpf(q), mpf(p)
        first = q * mpmath.log(q / p) if q else mpf(0)
        second = (1 - q) * mpmath.log((1 - q) / (1 - p)) if q != 1 else mpf(0)
        return first + second


def categorical_kl(u: Sequence[float], v: Sequence[float]) -> mpf:
    """The relative entropy of normalised weights from its definition."""
    u_sum, v_sum = mpmath.fsum(map(mpf, u)), mpmath.fsum(map(mpf, v))
    terms = [(mpf(a) / u_sum, mpf(b) / v_sum) for a, b in zip(u, v, strict=True) if a]
    return mpmath.fsum(a * mpmath.log(a / b) for a, b in terms)


def kl_inv_upper(q: float, budget: float) -> mpf:
    """``sup{p : kl(q||p) <= budget}``."""
    if not budget:
        return mpf(q)
    return 1 - _tail(mpf(q), 1 - mpf(q), mpf(budget))


def kl_inv_lower(q: float, budget: float) -> mpf:
    """``inf{p : kl(q||p) <= budget}``: what the upper inverse of the opposite coin leaves."""
    return _tail(1 - mpf(q), mpf(q), mpf(budget))


def _tail(q: mpf, rest: mpf, b: mpf) -> mpf:
    """Return ``1 - sup{p : kl(q||p) <= b}`` by Newton's method in its logarithm ``y``, in which kl is convex."""
    if not b or not rest:
        return rest
    if not q:
        return mpmath.exp(-b)
    constant = q * mpmath.log(q) + rest * mpmath.log(rest) - b
    y = mpmath.log(rest) - b / rest - mpmath.sqrt(2 * q * b / rest)  # left of the root: Newton is monotone from there
    for _ in range(200):
        tail = mpmath.exp(y)
        excess = constant - q * mpmath.log1p(-tail) - rest * y
        slope = q * tail / (1 - tail) - rest
        step = excess / slope
        y -= step
        if abs(step) < _CONVERGED * (mpmath.log(rest) - y):
            return mpmath.exp(y)
    raise ArithmeticError(f"no convergence at q={q}, budget={b}")


def kl_ball_max(weights: Sequence[float], values: Sequence[float], budget: float, guess: float = 0.0) -> mpf:
    """The supremum over the KL ball, enclosed by primal and dual to 18 digits of its distance to the mean.

    ``guess`` may say how far above the largest value the dual solution is thought to be. It saves time only: the
    enclosure does not ask where a point came from.
    """
    with mpmath.workdps(4 * DIGITS):
        total = mpmath.fsum(map(mpf, weights))
        u, v = [mpf(w) / total for w in weights], [mpf(x) for x in values]
    return _ball_max(u, v, mpf(budget), mpf(guess))


def phi(plus: float, minus: float, budget: float, guess: float = 0.0) -> mpf:
    """The paper's function, with the third weight exactly ``1 - plus - minus``."""
    plus, minus = mpf(plus), mpf(minus)
    rest = 1 - plus - minus
    if rest < 0:  # the library scales the sum down to 1
        plus, minus, rest = plus / (plus + minus), minus / (plus + minus), mpf(0)
    return _ball_max([plus, minus, rest], [mpf(1), mpf(-1), mpf(0)], mpf(budget), mpf(guess))


def _ball_max(u: list[mpf], v: list[mpf], b: mpf, guess: mpf) -> mpf:
    lightest = min(a for a in u if a)
    with mpmath.workdps(DIGITS + max(0, int(-2 * mpmath.log10(lightest)) - 20)):  # light atoms cost digits
        return +_ball_max_at_this_precision(u, v, b, guess)


def _ball_max_at_this_precision(u: list[mpf], v: list[mpf], b: mpf, guess: mpf) -> mpf:
    top, mean = max(v), mpmath.fdot(u, v)
    heavy = [(a, top - x) for a, x in zip(u, v, strict=True) if a]
    width = top - min(v)
    if not b or not width or mean == top:
        return mean
    if all(drop for _, drop in heavy) and _psi(heavy, mpf(0))[0] <= b:
        return top - mpmath.exp(mpmath.fsum(a * mpmath.log(drop) for a, drop in heavy) - b)
    if guess > 0:
        x = mpmath.log(guess / width)
        found = _by_newton(heavy, width, b, x)
        if found is not None:
            return top - _enclosed(heavy, top - mean, found, b)
        low, high = x - 1, x + 1
    else:
        low, high = mpf(-10), mpf(10)
    while _psi(heavy, width * mpmath.exp(low))[0] < b:
        low -= 2 * (high - low)
    while _psi(heavy, width * mpmath.exp(high))[0] > b:
        high += 2 * (high - low)
    x = x if guess > 0 else (low + high) / 2
    for step_count in range(400):
        tau = width * mpmath.exp(x)
        psi, slope = _psi(heavy, tau)
        low, high = (x, high) if psi > b else (low, x)
        step = mpmath.log(psi / b) * psi / (slope * tau)  # Newton on log psi in log tau
        proposal = x - step
        # Newton may creep along a plateau: from the thirtieth step on the bracket is halved
        x_new = proposal if low < proposal < high and step_count < 30 else (low + high) / 2
        if abs(x_new - x) < mpf(10) ** -25 * max(1, abs(x)):
            return top - _enclosed(heavy, top - mean, width * mpmath.exp(x_new), b)
        x = x_new
    raise ArithmeticError("no convergence")


def _by_newton(heavy: list[tuple[mpf, mpf]], width: mpf, b: mpf, x: mpf) -> mpf | None:
    """Return the dual solution by a few steps from a good guess of its logarithm, without a bracket; None if not."""
    for _ in range(4):
        tau = width * mpmath.exp(x)
        psi, slope = _psi(heavy, tau)
        step = mpmath.log(psi / b) * psi / (slope * tau) if psi > 0 and slope else mpf("inf")
        if not abs(step) < mpf("0.1"):
            return None
        x -= step
        if abs(step) < mpf(10) ** -25 * max(1, abs(x)):
            return width * mpmath.exp(x)
    return None


def _psi(heavy: list[tuple[mpf, mpf]], tau: mpf) -> tuple[mpf, mpf]:
    first = mpmath.fsum(a / (tau + drop) for a, drop in heavy)
    second = mpmath.fsum(a / (tau + drop) ** 2 for a, drop in heavy)
    return mpmath.log(first) + mpmath.fsum(a * mpmath.log(tau + drop) for a, drop in heavy), first - second / first


def _enclosed(heavy: list[tuple[mpf, mpf]], mean: mpf, tau: mpf, b: mpf) -> mpf:
    """Return the smallest mean drop in the ball after checking that primal and dual meet there."""
    dual = mpmath.exp(mpmath.fsum(a * mpmath.log(tau + drop) for a, drop in heavy) - b) - tau
    dual = max(dual, mpf(0))  # a mean is at most the largest value
    normaliser = mpmath.fsum(a / (tau + drop) for a, drop in heavy)
    r = [a / (tau + drop) / normaliser for a, drop in heavy]
    spent = mpmath.fsum(a * mpmath.log(a / c) for (a, _), c in zip(heavy, r, strict=True))
    primal = mpmath.fsum(c * drop for (_, drop), c in zip(heavy, r, strict=True))
    # moving back towards u makes the point feasible, as kl is convex in r and vanishes at u
    primal = mean + min(mpf(1), b / spent) * (primal - mean)
    if not primal - dual <= mpf(10) ** -18 * (mean - dual):
        raise ArithmeticError(f"primal {primal} and dual {dual} do not meet")
    return dual


def xi(atoms: int, n: int) -> mpf:
    """The Shtarkov sum by brute-force enumeration of all count vectors."""
    total = mpf(0)
    for counts in product(range(n + 1), repeat=atoms - 1):
        last = n - sum(counts)
        if last >= 0:
            term = mpmath.factorial(n)
            for k in (*counts, last):
                term *= (mpf(k) / n) ** k / mpmath.factorial(k)
            total += term
    return total


@cache
def xi_two(n: int) -> mpf:
    """``xi(2, n)`` as the sum over j of ``n!/((n-j)! n**j)``; for large n its integral over the stretch that counts."""
    if n <= 5000:
        term = total = mpf(1)
        for j in range(n):
            term *= mpf(n - j) / n
            total += term
        return total
    edges = [mpmath.sqrt(n) * k for k in (0, 1, 2, 4, 8, 17)]
    return mpmath.quad(lambda x: mpmath.exp(n * mpmath.log1p(x / n) - x), edges)
