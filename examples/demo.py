"""What `make demo` shows: bounds on a few cases, and the numerical core under them."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np

import pacbayes as pb

CASES = [(0.0, 0.01), (0.01, 0.01), (0.05, 0.02), (0.2, 0.05), (0.5, 1.0), (1.0 - 1e-12, 0.1)]


def shown(value: float) -> str:
    """Return a bound to four digits, rounded up as a bound must be."""
    return f"{math.ceil(1e4 * value) / 1e4:.4f}"


def risk_bounds(risk: float, kl: float, n: int, delta: float) -> dict[str, float]:
    """Return a few bounds on the same risk, loosest first."""
    rates, weights = pb.bounds.betting_rates(n, delta)
    growth = risk * np.log1p(-rates)
    values = {
        "mcallester": pb.bounds.mcallester(risk, kl, n, delta),
        "unexpected_bernstein": pb.bounds.unexpected_bernstein(risk, risk, kl, n, delta),
        "maurer": pb.bounds.maurer(risk, kl, n, delta),
        "betting": pb.bounds.betting(growth, rates, kl, n, delta, weights),
    }
    return dict(sorted(values.items(), key=lambda item: -item[1]))


def with_reference() -> float:
    """Return the de-biased bound for an online reference that shares most errors with the model."""
    n, plus, minus, reference = 20_000, 0.01, 0.02, 0.17
    rates, weights = pb.bounds.betting_rates(n)
    statistics = SimpleNamespace(
        n=n,
        strength=1.0,
        reference_kind="predictable",
        reference=reference,
        log_growth=plus * np.log1p(-rates) + minus * np.log1p(rates),
        reference_log_growth=reference * np.log1p(-rates),
        rates=rates,
        weights=weights,
    )
    return float(pb.bounds.debiased(statistics, kl=400.0, delta=0.05))


def main() -> None:
    """Print a few bounds, a table of inverses and a table of constants."""
    print("From a training error to a guarantee: 4 % of 1000 examples wrong, 5 nats from the prior")
    for name, value in risk_bounds(risk=0.04, kl=5.0, n=1000, delta=0.05).items():
        print(f"  {name:22s} with probability at least 95 %, the true error is at most {shown(value)}")

    print("\nThe paper's idea: subtract the loss of a reference that errs on the same examples (n = 20000, KL = 400)")
    plain = pb.bounds.maurer(risk=0.16, kl=400.0, n=20_000, delta=0.05)
    print(f"  risk 0.16, no reference                        at most {shown(plain)}")
    print(f"  the same with a reference of mean loss 0.17    at most {shown(with_reference())}\n")

    print("Inverses of the relative entropy: no p outside these limits has kl(q||p) <= budget")
    print(f"  {'q':>12} {'budget':>8} {'lower limit':>22} {'upper limit':>22}")
    for q, limit in CASES:
        print(f"  {q:12.6g} {limit:8g} {pb.kl_inv_lower(q, limit):22.17g} {pb.kl_inv_upper(q, limit):22.17g}")

    print("\nThe paper's three-way inverse: excess 0.10 - 0.08 with budget 0.01")
    print(f"  phi(0.10, 0.08, 0.01) = {pb.phi(0.10, 0.08, 0.01):.6f}, two separate inverses give ", end="")
    print(f"{pb.kl_inv_upper(0.10, 0.01) - pb.kl_inv_lower(0.08, 0.01):.6f}")

    print("\nThe price of a kl-type bound: the exact constant beside the published one")
    print(f"  {'n':>8} {'xi(2, n)':>12} {'2 sqrt(n)':>12} {'xi(3, n)':>14} {'2 n':>12}")
    for size in (10, 1000, 30162, 10**6):
        two, three = math.exp(pb.log_xi(2, size)), math.exp(pb.log_xi(3, size))
        print(f"  {size:8d} {two:12.3f} {2 * math.sqrt(size):12.3f} {three:14.2f} {2 * size:12d}")


if __name__ == "__main__":
    main()
