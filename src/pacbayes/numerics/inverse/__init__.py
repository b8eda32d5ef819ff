"""Inverses of relative entropies, each on its safe side."""

from pacbayes.numerics.inverse.ball import kl_ball_max, kl_ball_min, phi
from pacbayes.numerics.inverse.binary import kl_inv_lower, kl_inv_upper

__all__ = ["kl_ball_max", "kl_ball_min", "kl_inv_lower", "kl_inv_upper", "phi"]
