"""What `make demo` shows: the numerical core at work on a few cases."""

from __future__ import annotations

import math

import pacbayes as pb

CASES = [(0.0, 0.01), (0.01, 0.01), (0.05, 0.02), (0.2, 0.05), (0.5, 1.0), (1.0 - 1e-12, 0.1)]


def main() -> None:
    """Print a risk bound worked by hand, a table of inverses and a table of constants."""
    risk, divergence, n, delta = 0.04, 5.0, 1000, 0.05
    budget = (divergence + pb.log_xi(2, n) + math.log(1.0 / delta)) / n
    print("From a training error to a guarantee")
    shown = math.ceil(1e4 * pb.kl_inv_upper(risk, budget)) / 1e4  # a bound is rounded up, also for the eye
    print(f"  A randomised model errs on {risk:.0%} of its {n} training examples, {divergence:g} nats from its prior.")
    print(f"  With probability at least {1 - delta:.0%}, its true error is at most {shown}.\n")

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
