"""What bounds of the same arguments return: floats for floats, arrays for arrays, derivatives where asked.

A family of bounds shares its overloads here; a function takes them over with the decorator of the same name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol, TypeAlias, cast, overload

from numpy.typing import ArrayLike

from pacbayes._core.types import Array, FloatArray, FloatOrArray

__all__ = ["ExcessBound", "Result", "RiskBound", "excess_bound", "risk_bound"]

Gradient: TypeAlias = "dict[str, float] | dict[str, FloatOrArray]"
Result: TypeAlias = "FloatOrArray | tuple[FloatOrArray, Gradient]"


class RiskBound(Protocol):
    """A bound on a risk from the empirical risk alone."""

    @overload
    def __call__(
        self, risk: float, kl: float, n: float, delta: float, constant: str = ..., *, return_grad: Literal[False] = ...
    ) -> float: ...
    @overload
    def __call__(
        self,
        risk: Array,
        kl: ArrayLike,
        n: ArrayLike,
        delta: ArrayLike,
        constant: str = ...,
        *,
        return_grad: Literal[False] = ...,
    ) -> FloatArray: ...
    @overload
    def __call__(
        self,
        risk: ArrayLike,
        kl: ArrayLike,
        n: ArrayLike,
        delta: ArrayLike,
        constant: str = ...,
        *,
        return_grad: Literal[False] = ...,
    ) -> FloatOrArray: ...
    @overload
    def __call__(
        self, risk: float, kl: float, n: float, delta: float, constant: str = ..., *, return_grad: Literal[True]
    ) -> tuple[float, dict[str, float]]: ...
    @overload
    def __call__(
        self,
        risk: ArrayLike,
        kl: ArrayLike,
        n: ArrayLike,
        delta: ArrayLike,
        constant: str = ...,
        *,
        return_grad: Literal[True],
    ) -> tuple[FloatOrArray, dict[str, FloatOrArray]]: ...


class ExcessBound(Protocol):
    """A bound on an excess from its positive and its negative part."""

    @overload
    def __call__(
        self,
        plus: float,
        minus: float,
        kl: float,
        n: float,
        delta: float,
        constant: str = ...,
        *,
        return_grad: Literal[False] = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        plus: Array,
        minus: ArrayLike,
        kl: ArrayLike,
        n: ArrayLike,
        delta: ArrayLike,
        constant: str = ...,
        *,
        return_grad: Literal[False] = ...,
    ) -> FloatArray: ...
    @overload
    def __call__(
        self,
        plus: ArrayLike,
        minus: ArrayLike,
        kl: ArrayLike,
        n: ArrayLike,
        delta: ArrayLike,
        constant: str = ...,
        *,
        return_grad: Literal[False] = ...,
    ) -> FloatOrArray: ...
    @overload
    def __call__(
        self,
        plus: float,
        minus: float,
        kl: float,
        n: float,
        delta: float,
        constant: str = ...,
        *,
        return_grad: Literal[True],
    ) -> tuple[float, dict[str, float]]: ...
    @overload
    def __call__(
        self,
        plus: ArrayLike,
        minus: ArrayLike,
        kl: ArrayLike,
        n: ArrayLike,
        delta: ArrayLike,
        constant: str = ...,
        *,
        return_grad: Literal[True],
    ) -> tuple[FloatOrArray, dict[str, FloatOrArray]]: ...


def risk_bound(function: Callable[..., Result]) -> RiskBound:
    """Say that a function has the overloads of :class:`RiskBound`."""
    return cast("RiskBound", function)


def excess_bound(function: Callable[..., Result]) -> ExcessBound:
    """Say that a function has the overloads of :class:`ExcessBound`."""
    return cast("ExcessBound", function)
