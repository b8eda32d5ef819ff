"""Every bound once more in 60-digit arithmetic, written from its theorem, for comparison."""

from __future__ import annotations

import math
from itertools import pairwise

import mpmath
import numpy as np
from flint import arb
from mpmath import mpf

import pacbayes as pb

import reference_mp as exact
from bounds import exact_parts as parts

RATES = np.array([0.9, 0.7, 0.5, 0.3, 0.15, 0.05])
WEIGHTS = np.array([0.1, 0.2, 0.3, 0.2, 0.1, 0.1])
VALUES = (0.0, 1.0, 3.0)


def chernoff(risk, n, delta):
    return exact.kl_inv_upper(risk, parts.budget(0, n, delta))


def progressive_chernoff(reference, n, delta):
    return chernoff(reference, n, delta)


def clopper_pearson(errors, n, delta):
    """The root of the binomial tail, summed term by term."""
    if errors == n:
        return mpf(1)
    coefficients = [math.comb(n, k) for k in range(errors, -1, -1)]

    def reached(p):
        p = exact.as_ball(p)
        odds, tail = p / (1 - p), arb(0)
        for coefficient in coefficients:  # Horner's rule
            tail = tail * odds + coefficient
        return tail * (1 - p) ** n <= level

    with exact.in_balls():
        level = exact.as_ball(mpf(delta))
        return parts.first(lambda p: p == 1 or reached(p), mpf(0), mpf(1))


def mcallester(risk, kl, n, delta):
    return mpf(risk) + mpmath.sqrt(parts.budget(kl, n, delta, 2 * mpmath.sqrt(n)) / 2)


def maurer(risk, kl, n, delta):
    return exact.kl_inv_upper(risk, parts.budget(kl, n, delta, parts.xi(2, n)))


def maurer_relaxed(risk, kl, n, delta):
    b = parts.budget(kl, n, delta, parts.xi(2, n))
    return mpf(risk) + mpmath.sqrt(2 * mpf(risk) * b) + 2 * b


def catoni(risk, kl, n, delta):
    rates, weights = pb.bounds.betting_rates()
    candidates = []
    for rate, weight in zip((-np.log1p(-rates)).tolist(), (weights / weights.sum()).tolist(), strict=True):
        c = mpf(rate)
        b = parts.budget(kl, n, mpf(delta) * mpf(weight))
        candidates.append((1 - mpmath.exp(-c * mpf(risk) - b)) / (1 - mpmath.exp(-c)))
    return min(candidates)


def tolstikhin_seldin(risk, variance, kl, n, delta):
    c, half, e2 = mpf(1.15), mpf(delta) / 2, mpmath.e - 2
    inverse = -parts.log(half)
    v2 = max(1, int(mpmath.ceil(parts.log(mpmath.sqrt((n - 1) / inverse + 1) / 2 + mpf(1) / 2) / parts.log(c))))
    v1 = max(1, int(mpmath.ceil(parts.log(mpmath.sqrt(e2 * n / (4 * inverse))) / parts.log(c)) + 1))
    b2, b1 = parts.budget(kl, n - 1, half, v2), parts.budget(kl, n, half, v1)
    v = mpf(variance)
    bound = min(mpf(1) / 4, v + (1 + c) * mpmath.sqrt(v * b2 / 2) + 2 * c * b2)
    if b1 <= e2 * bound:
        return mpf(risk) + (1 + c) * mpmath.sqrt(e2 * bound * b1)
    return mpf(risk) + max(2 * b1, (1 + c) * e2 * bound)  # the library's monotone form


def unexpected_bernstein(excess, second, kl, n, delta):
    count = max(1, math.ceil(math.log2(math.sqrt(n / math.log(1 / delta)) / 2)))
    candidates = []
    for k in range(1, count + 1):
        eta = mpf(2) ** -k
        c = -(eta + mpmath.log(1 - eta)) / eta
        candidates.append(c * mpf(second) + parts.budget(kl, n, delta, count) / eta)
    return mpf(excess) + min(candidates)


def vector_kl(frequencies, values, kl, n, delta):
    return exact.kl_ball_max(list(frequencies), list(values), parts.budget(kl, n, delta, parts.xi(len(values), n)))


def excess_kl(plus, minus, kl, n, delta):
    return exact.phi(plus, minus, parts.budget(kl, n, delta, parts.xi(3, n)))


def excess_relaxed(plus, minus, kl, n, delta):
    b, plus, minus = parts.budget(kl, n, delta, parts.xi(3, n)), mpf(plus), mpf(minus)
    return plus - minus + 2 * mpmath.sqrt(b * (plus + minus)) + 2 * b


def split_kl(plus, minus, kl, n, delta):
    b = parts.budget(kl, n, delta, 4 * mpmath.sqrt(n))
    return exact.kl_inv_upper(plus, b) - exact.kl_inv_lower(minus, b)


def betting(log_growth, rates, kl, n, delta, weights):
    """The root of the mixture, by bisection of its logarithm's sign."""
    with exact.in_balls():
        target = exact.as_ball(mpf(kl)).exp() / exact.as_ball(mpf(delta))
        terms = [*zip(*(map(arb, map(float, each)) for each in (log_growth, rates, weights)), strict=True)]

        def reached(m):
            point = exact.as_ball(m)
            return sum((w * (n * (g - (1 - r * point).log())).exp() for g, r, w in terms), arb(0)) >= target

        return parts.first(reached, mpf(-1), mpf(1))


def portfolio(growths, strengths, reference_log_growth, rates, kl, n, delta, weights, strength_weights=None, share=0.8):
    """The smallest R at which the smallest value over b, found by golden section, exceeds 1/delta."""
    from_defaults = {0.0: 0.5, 0.5: 0.25, 1.0: 0.25}  # half for none, the rest even
    v = [from_defaults[float(g)] for g in strengths] if strength_weights is None else strength_weights
    target = exact.as_ball(1 / mpf(delta))
    return parts.first(
        lambda R: (
            smallest_capital(R, growths, strengths, reference_log_growth, rates, kl, n, weights, v, share) > target
        ),
        mpf(0),
        mpf(1),
    )


def _kept(log_ratio, least):
    """What is charged for one kept draw: never so little that a value could be below what was observed."""
    return max(mpf(log_ratio), least)


def maurer_draw(risk, log_ratio, n, delta):
    return exact.kl_inv_upper(risk, max(parts.budget(log_ratio, n, delta, parts.xi(2, n)), mpf(0)))


def betting_draw(log_growth, rates, weights, log_ratio, n, delta):
    return betting(log_growth, rates, _kept(log_ratio, parts.log(delta)), n, delta, weights)


def portfolio_draw(log_ratio, delta, **others):
    return portfolio(**others, kl=_kept(log_ratio, parts.log(delta)), delta=delta)


def capital(R, b, growths, strengths, reference_log_growth, rates, kl, n, weights, v, share):
    """F(R, b) of mathematics 9 with one reference, and its derivative with respect to b."""
    with exact.in_balls():
        R, b, kl, a = (exact.as_ball(mpf(each)) for each in (R, b, kl, float(share)))
        value = slope = arb(0)
        pairs = zip(*(map(arb, map(float, each)) for each in (rates, weights)), strict=True)
        for k, (rate, w) in enumerate(pairs):
            for j, gamma in enumerate(map(arb, map(float, strengths))):
                left = 1 - rate * (R - gamma * b)
                term = a * arb(float(v[j])) * w * (n * (arb(float(growths[j][k])) - left.log()) - kl).exp()
                value, slope = value + term, slope - term * n * rate * gamma / left
            left = 1 - rate * b
            term = (1 - a) * w * (n * (arb(float(reference_log_growth[k])) - left.log())).exp()
            value, slope = value + term, slope + term * n * rate / left
        return value, slope


def smallest_capital(R, *arguments):
    """min over b in [0, 1] of a convex function: where its slope changes its sign, by bisection."""
    low, high = mpf(0), mpf(1)
    if capital(R, low, *arguments)[1] >= 0:
        return capital(R, low, *arguments)[0]
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if capital(R, middle, *arguments)[1] < 0 else (low, middle)
    return capital(R, low, *arguments)[0]


def first_order(gibbs, kl, n, delta):
    return 2 * exact.kl_inv_upper(gibbs, parts.budget(kl, n, delta, parts.xi(2, n)))


def tandem(tandem, kl, n, delta):
    return 4 * exact.kl_inv_upper(tandem, parts.budget(2 * mpf(kl), n, delta, parts.xi(2, n)))


def disagreement(gibbs, disagreement, kl, n, n_pairs, delta):
    high = exact.kl_inv_upper(gibbs, parts.budget(kl, n, delta, 2 * parts.xi(2, n)))
    low = exact.kl_inv_lower(disagreement, parts.budget(2 * mpf(kl), n_pairs, delta, 2 * parts.xi(2, n_pairs)))
    return max(4 * high - 2 * low, mpf(0))


def chebyshev_cantelli(gibbs, tandem, kl, n, n_pairs, delta):
    """The least over t = 1/(1/2 - mu), in which the inequality is a convex parabola, by thirds; no formula for mu."""
    own = parts.budget(kl, n, delta, 2 * parts.xi(2, n))
    sides = exact.kl_inv_upper(gibbs, own), exact.kl_inv_lower(gibbs, own)
    both = exact.kl_inv_upper(tandem, parts.budget(2 * mpf(kl), n_pairs, delta, 2 * parts.xi(2, n_pairs)))

    with exact.in_balls():
        both, *sides = map(exact.as_ball, (both, *sides))

        def worst(t):  # over the Gibbs losses that are possible, which is at one of their limits
            return max(1 + 2 * t * (one - arb(0.5)) + t**2 * (both - one + arb(0.25)) for one in sides)

        low, high = arb(0), arb(1000)
        for _ in range(120):
            first, second = (low + (high - low) / 3).mid(), (high - (high - low) / 3).mid()
            low, high = (first, high) if worst(first) > worst(second) else (low, second)
        found = worst(((low + high) / 2).mid())
        return exact.as_number(found) if found > 0 else mpf(0)


def recursive(
    first_risk,
    step_risk,
    step_worse,
    step_better,
    step_kl,
    step_n,
    kl,
    n,
    delta,
    gamma=0.5,
    delta_mc=None,
    draws=None,
    constant="exact",
):
    """Step after step as published: each level of ``l(h) - gamma l(h')`` by its width, of which some may be 0."""
    steps = len(step_kl) + 1
    own = (mpf(delta) - mpf(delta_mc or 0)) / steps
    drawn = [n, *step_n] if draws is None else draws
    gammas = [gamma] * (steps - 1) if np.ndim(gamma) == 0 else gamma

    def upper(q, events, t, b):
        if delta_mc is not None:
            q = exact.kl_inv_upper(q, -parts.log(mpf(delta_mc) / steps / events) / int(drawn[t]))
        return exact.kl_inv_upper(q, b)

    def xi(size):
        return parts.xi(2, size) if constant == "exact" else 2 * mpmath.sqrt(size)

    value = min(upper(mpf(float(first_risk)), 1, 0, parts.budget(kl, n, own, xi(n))), mpf(1))
    for t in range(1, steps):
        g, size = mpf(float(gammas[t - 1])), int(step_n[t - 1])
        levels = [-g, mpf(0), 1 - g, mpf(1)]
        widths = [high - low for low, high in pairwise(levels)]
        events = sum(width > 0 for width in widths)
        b = parts.budget(float(step_kl[t - 1]), size, own / events, xi(size))
        risk, worse, better = (mpf(float(each[t - 1])) for each in (step_risk, step_worse, step_better))
        pieces = zip(widths, (1 - better, risk, worse), strict=True)
        excess = -g + mpmath.fsum(width * upper(q, events, t, b) for width, q in pieces)
        value = max(min(excess + g * value, mpf(1)), mpf(0))
    return value


def pick_to_learn(size, n, delta, errors=0, looks=1, form="corrected"):
    """The root of the published equation; incomplete beta functions as binomial tails."""
    k = size + errors
    if k == n:
        return mpf(1)

    def reached(t):
        if t in (0, 1):
            return t == 1
        t = exact.as_ball(t)
        first, second = 1 - parts.tail(k, n, t), 1 - parts.tail(k, 4 * n + 1, t)
        right = n * t * parts.probability(k, n, t)
        if form == "one_sided":
            return level * first >= right
        left = level / 3 + first if form == "printed" else level / 3 * first
        return left + level / 6 * second >= (1 + level / (6 * n)) * right

    with exact.in_balls():
        level = exact.as_ball(mpf(delta)) / looks
        return parts.first(reached, mpf(k) / n, mpf(1))


def compression(risk, size, n, delta):
    return mpf(1) if size == n else exact.kl_inv_upper(risk, (parts.sets(size, n) - parts.log(delta)) / (n - size))


def compression_binomial(errors, size, n, delta):
    rest = n - size
    if errors == rest:
        return mpf(1)
    with exact.in_balls():
        target = exact.as_ball(mpmath.exp(parts.log(delta) - parts.sets(size, n)))

        def reached(t):
            return t == 1 or (t > 0 and parts.tail(errors, rest, exact.as_ball(t)) <= target)

        return parts.first(reached, mpf(errors) / rest, mpf(1))


def recursive_portfolio(
    first_risk, step_risk, step_worse, step_better, step_kl, step_n, kl, n, delta, rates=None, weights=None
):
    """Step after step the root of the mixture of bets on ``l - gamma l'``, which has four values."""
    own, value = mpf(delta) / (len(step_kl) + 1), mpf(0)
    strengths = dict(zip((0.0, 0.25, 0.5, 0.75, 1.0), ("0.5", "0.1", "0.1", "0.1", "0.2"), strict=True))
    steps = [
        (first_risk, first_risk, 0.0, kl, n),
        *zip(step_risk, step_worse, step_better, step_kl, step_n, strict=True),
    ]
    for *frequencies, divergence, size in steps:
        grid = pb.bounds.betting_rates(int(size)) if rates is None else (np.asarray(rates), np.asarray(weights))
        pairs = list(zip(*(each.tolist() for each in grid), strict=True))
        risk, worse, better = (mpf(float(each)) for each in frequencies)
        level, terms = parts.log(mpf(1) / own) + mpf(float(divergence)), []
        for gamma, share in strengths.items():
            for rate, weight in pairs:
                lam, g = mpf(rate), mpf(gamma)
                growth = worse * mpmath.log(1 - lam) + (risk - worse) * mpmath.log(1 - lam * (1 - g))
                growth += better * mpmath.log(1 + lam * g)
                terms.append((parts.log(mpf(share) * mpf(weight)), growth, lam, g))

        def reached(R, terms=terms, size=int(size), before=value, level=level):
            logs = [c + size * (growth - mpmath.log(1 - lam * (R - g * before))) for c, growth, lam, g in terms]
            top = max(logs)
            return top + mpmath.log(mpmath.fsum(mpmath.exp(each - top) for each in logs)) >= level

        value = parts.first(reached, mpf(0), mpf(1))
    return value
