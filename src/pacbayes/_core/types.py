"""Types that every room speaks of."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["FloatArray", "FloatOrArray", "IntArray"]

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
# what a function of numbers returns: a float for single numbers, an array for arrays
FloatOrArray: TypeAlias = "float | FloatArray"
