"""Exact answers in 60-digit arithmetic, by other routes than the library's.

Each inverse is solved on its textbook definition; a KL-ball supremum is enclosed between a primal point
(feasible, so below the supremum) and a dual one (above it), which makes the answer certain however it was found.
The loops run in the ball arithmetic of FLINT, five times as fast as mpmath, which bounds its own rounding; what is
returned is mpmath's.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product

import mpmath
from flint import arb, ctx
from mpmath import mpf

DIGITS = 60
mpmath.mp.dps = DIGITS
_CONVERGED = arb(10) ** -45
_ENOUGH = arb(10) ** -25
_NEARLY = arb(10) ** -8  # a step of Newton's method so small leaves an error of its square, about
_MEET = arb(10) ** -18
_TENTH = arb("0.1")


def as_ball(x: float | mpf) -> arb:
    """A number of mpmath or Python as a ball, without rounding."""
    if not isinstance(x, mpf):
        return arb(x)
    sign, mantissa, exponent, _ = x._mpf_
    return arb((-int(mantissa) if sign else int(mantissa), exponent))


def is_known(x: arb) -> bool:
    """Whether nearly all digits are."""
    return bool(x.rad() <= abs(x) * arb(10) ** -40)


def as_number(x: arb) -> mpf:
    """The middle of a ball that is known to nearly all digits."""
    if not is_known(x):
        raise ArithmeticError(f"too few digits are known: {x}")
    mantissa, exponent = x.mid().man_exp()
    return mpf((int(mantissa), int(exponent)))


def in_balls():
    """A context in which balls have as many digits as mpmath's numbers."""
    return ctx.workprec(mpmath.mp.prec)


def _total(terms) -> arb:
    return sum(terms, arb(0))


def kl(q: float, p: float) -> mpf:
    """The binary relative entropy from its definition, with digits to spare for what cancels."""
    with ctx.workdps(400):
        q, p = arb(q), arb(p)
        first = q * (q / p).log() if q > 0 else arb(0)
        second = (1 - q) * ((1 - q) / (1 - p)).log() if q < 1 else arb(0)
        return as_number(first + second)


def categorical_kl(u: Sequence[float], v: Sequence[float]) -> mpf:
    """The relative entropy of normalised weights from its definition, with more digits where more of them cancel."""
    with ctx.workdps(2 * DIGITS):
        found = _categorical_kl(u, v)
    if not is_known(found):
        with ctx.workdps(20 * DIGITS):
            found = _categorical_kl(u, v)
    return as_number(found)


def _categorical_kl(u: Sequence[float], v: Sequence[float]) -> arb:
    u_sum, v_sum = _total(map(arb, u)), _total(map(arb, v))
    terms = [(arb(a) / u_sum, arb(b) / v_sum) for a, b in zip(u, v, strict=True) if a]
    return _total(a * (a / b).log() for a, b in terms)


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
    with in_balls():
        return mpmath.exp(as_number(_newton_tail(as_ball(q), as_ball(rest), as_ball(b))))


def _newton_tail(q: arb, rest: arb, b: arb) -> arb:
    """Return its logarithm, which may be far below that of any double."""
    start = rest.log()
    constant = q * q.log() + rest * start - b
    y = (start - b / rest - (2 * q * b / rest).sqrt()).mid()  # left of the root: Newton is monotone from there
    for _ in range(200):
        tail = y.exp()
        excess = constant - q * (-tail).log1p() - rest * y
        step = (excess / (q * tail / (1 - tail) - rest)).mid()
        y = (y - step).mid()
        if abs(step) < _CONVERGED * (start - y):
            return y
    raise ArithmeticError(f"no convergence at q={q}, budget={b}")


def kl_ball_max(weights: Sequence[float], values: Sequence[float], budget: float, guess: float = 0.0) -> mpf:
    """The supremum over the KL ball, enclosed by primal and dual to 18 digits of its distance to the mean.

    ``guess`` may say how far above the largest value the dual solution is thought to be. It saves time only: the
    enclosure does not ask where a point came from.
    """
    with ctx.workdps(4 * DIGITS):
        total = _total(map(as_ball, weights))
        u, v = [as_ball(w) / total for w in weights], [as_ball(x) for x in values]
    return _ball_max(u, v, as_ball(budget), as_ball(guess))


def phi(plus: float, minus: float, budget: float, guess: float = 0.0) -> mpf:
    """The paper's function, with the third weight exactly ``1 - plus - minus``."""
    with ctx.workdps(20 * DIGITS):
        plus, minus = as_ball(plus), as_ball(minus)
        rest = 1 - plus - minus
        if rest < 0:  # the library scales the sum down to 1
            plus, minus, rest = plus / (plus + minus), minus / (plus + minus), arb(0)
    return _ball_max([plus, minus, rest], [arb(1), arb(-1), arb(0)], as_ball(budget), as_ball(guess))


def _ball_max(u: list[arb], v: list[arb], b: arb, guess: arb) -> mpf:
    """Return the supremum with as many digits as it takes; light atoms cost more."""
    if b == 0:  # the mean, of which nothing may cancel: it may be 0
        with ctx.workdps(4 * DIGITS):
            mantissa, exponent = _total(a * x for a, x in zip(u, v, strict=True)).mid().man_exp()
        return mpf((int(mantissa), int(exponent)))
    lightest = float(min(a for a in u if a > 0).log())
    digits = DIGITS + max(0, int(-2 * lightest / 2.302) - 20)
    for attempt in (1, 2, 4):
        with ctx.workdps(attempt * digits):
            found = _ball_max_at_this_precision(u, v, b, guess)
            if found is not None:
                mantissa, exponent = found.mid().man_exp()
                return mpf((int(mantissa), int(exponent)))
    raise ArithmeticError(f"primal and dual do not meet at {u}, {v}, {b}")


def _ball_max_at_this_precision(u: list[arb], v: list[arb], b: arb, guess: arb) -> arb | None:
    top, bottom = max(v), min(v)
    heavy = [(a, top - x) for a, x in zip(u, v, strict=True) if a > 0]
    mean_drop, width = _total(a * drop for a, drop in heavy), top - bottom
    if b == 0 or width == 0 or mean_drop == 0:
        return top - mean_drop
    if all(drop > 0 for _, drop in heavy) and _psi(heavy, arb(0))[0] <= b:
        return top - (_total(a * drop.log() for a, drop in heavy) - b).exp()
    for enough in (_NEARLY, _ENOUGH):
        drop = _enclosed(heavy, mean_drop, _dual_solution(heavy, width, b, guess, enough), b)
        if drop is not None:
            return top - drop
    return None


def _dual_solution(heavy: list[tuple[arb, arb]], width: arb, b: arb, guess: arb, enough: arb) -> arb:
    """Return about where psi is b: by Newton's method from the guess, or else in a bracket."""
    low, high, x = arb(-10), arb(10), arb(0)
    if guess > 0:
        x = (guess / width).log().mid()
        found = _by_newton(heavy, width, b, x, enough)
        if found is not None:
            return found
        low, high = x - 1, x + 1
    while _psi(heavy, width * low.exp())[0] < b:
        low -= 2 * (high - low)
    while _psi(heavy, width * high.exp())[0] > b:
        high += 2 * (high - low)
    for step_count in range(400):
        psi, step = _newton_step(heavy, width, b, x)
        low, high = (x, high) if psi > b else (low, x)
        proposal = (x - step).mid()
        # Newton may creep along a plateau: from the thirtieth step on the bracket is halved
        x_new = proposal if low < proposal < high and step_count < 30 else ((low + high) / 2).mid()
        if abs(x_new - x) < enough * max(1, abs(x)):
            return (width * x_new.exp()).mid()
        x = x_new
    raise ArithmeticError("no convergence")


def _newton_step(heavy: list[tuple[arb, arb]], width: arb, b: arb, x: arb) -> tuple[arb, arb]:
    """Return psi at the logarithm of tau, and Newton's step on the logarithm of psi in it."""
    tau = width * x.exp()
    psi, slope = _psi(heavy, tau)
    return psi, ((psi / b).log() * psi / (slope * tau)).mid()


def _by_newton(heavy: list[tuple[arb, arb]], width: arb, b: arb, x: arb, enough: arb) -> arb | None:
    """Return the dual solution by a few steps from a good guess of its logarithm, without a bracket; None if not."""
    for _ in range(4):
        _, step = _newton_step(heavy, width, b, x)
        if not abs(step) < _TENTH:  # nor if it is not a number
            return None
        x = (x - step).mid()
        if abs(step) < enough * max(1, abs(x)):
            return (width * x.exp()).mid()
    return None


def _psi(heavy: list[tuple[arb, arb]], tau: arb) -> tuple[arb, arb]:
    first = second = logarithm = arb(0)
    for a, drop in heavy:
        distance = tau + drop
        share = a / distance
        first += share
        second += share / distance
        logarithm += a * distance.log()
    return first.log() + logarithm, first - second / first


def _enclosed(heavy: list[tuple[arb, arb]], mean: arb, tau: arb, b: arb) -> arb | None:
    """Return the smallest mean drop in the ball after checking that primal and dual meet there; None if not."""
    distances = [tau + drop for _, drop in heavy]
    logarithms = [distance.log() for distance in distances]
    dual = (_total(a * each for (a, _), each in zip(heavy, logarithms, strict=True)) - b).exp() - tau
    dual = dual if dual > 0 else arb(0)  # a mean is at most the largest value
    shares = [a / distance for (a, _), distance in zip(heavy, distances, strict=True)]
    normaliser = _total(shares)
    # the divergence of u from r, whose weights are the shares over their sum
    spent = normaliser.log() + _total(a * each for (a, _), each in zip(heavy, logarithms, strict=True))
    primal = _total(share * drop for share, (_, drop) in zip(shares, heavy, strict=True)) / normaliser
    # moving back towards u makes the point feasible, as kl is convex in r and vanishes at u
    primal = primal if spent <= b else mean + b / spent * (primal - mean)
    return dual if primal - dual <= _MEET * (mean - dual) else None


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
    with in_balls():
        if n > 5000:
            return as_number(_xi_integral(n))
        term = total = arb(1)
        for j in range(n):
            term = term * (n - j) / n
            total += term
        return as_number(total)


def _xi_integral(n: int) -> arb:
    """Return the integral of ``exp(n log(1 + x/n) - x)`` over 0 to ``17 sqrt(n)``, by 60 nodes of Gauss a quarter.

    Up to 9 deviations beside the line the integrand is at most ``exp(0.8 u**2)`` at a distance of ``u``, for n above
    5000; on the ellipse of ``rho = 8`` around a quarter, ``u`` is at most 8.5. So the rule is off by some
    ``rho**-120 exp(0.8 u**2)``, below 1e-80.
    """
    half, total = arb(17) / 8, arb(0)
    for middle in (half, 3 * half, 5 * half, 7 * half):
        for node, weight in _gauss_nodes():
            x = arb(n).sqrt() * (middle + half * node)
            total += weight * (n * (x / n).log1p() - x).exp()
    return total * half * arb(n).sqrt()


@cache
def _gauss_nodes(count: int = 60) -> list[tuple[arb, arb]]:
    with in_balls():
        return [arb.legendre_p_root(count, k, weight=True) for k in range(count)]
