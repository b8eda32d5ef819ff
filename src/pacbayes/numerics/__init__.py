"""Certified numerics: relative entropies, their inverses and the Shtarkov constant.

Arrays in, arrays out, Python floats for single numbers. Functions whose name says upper or max never return less
than the exact value, those that say lower or min never more.
"""

from pacbayes.numerics.inverse import kl_ball_max, kl_ball_min, kl_inv_lower, kl_inv_upper, phi
from pacbayes.numerics.relative_entropy import categorical_kl, kl
from pacbayes.numerics.shtarkov import log_xi

__all__ = ["categorical_kl", "kl", "kl_ball_max", "kl_ball_min", "kl_inv_lower", "kl_inv_upper", "log_xi", "phi"]
