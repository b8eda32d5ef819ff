"""How closely the minimiser of the dual is found."""

__all__ = ["FOR_GRADIENTS", "FOR_VALUES"]

# Newton's last step in log tau, after which the error is about a quarter of its square. The value depends on
# the minimiser in second order (an error of 1e-13 of the distance), its gradient in first.
FOR_VALUES = 1e-3
FOR_GRADIENTS = 1e-5
