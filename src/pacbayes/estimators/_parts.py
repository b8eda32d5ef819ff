"""What a fit works with: its options, the rows in their order, and what it results in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from pacbayes._core.rows import take
from pacbayes._core.types import FloatArray
from pacbayes.bounds import catalogue, require_sound
from pacbayes.certificate import Certificate, Choice, digest_of_arrays
from pacbayes.online import OnlineReference
from pacbayes.posteriors import Gaussian

__all__ = ["BOUNDS", "GIVEN", "KINDS", "PRIOR", "Certified", "Options", "Rows", "first_choices", "model_digest"]

_BLOCK = 8192
BOUNDS = {record.name: record for record in catalogue() if record.targets & {"risk", "excess"}}
KINDS = {"none": "none", "fixed": "fixed", "online": "predictable"}
PRIOR, GIVEN = "the prior's part", "given"


@dataclass(frozen=True, slots=True)
class Options:
    """The parameters of the estimator, checked; None where the prior's part decides."""

    delta: float
    candidates: int
    alpha: float | None
    prior_fraction: float
    preprocessing: Any
    posterior: str
    prior: str
    bound: str
    reference: str
    strength: float | None

    @property
    def share(self) -> float:
        """Delta for this one of the candidates."""
        return self.delta / self.candidates

    def bound_name(self) -> str:
        """Resolve "auto" and refuse combinations that no theorem covers."""
        plain = self.prior == "informed" and self.reference == "none"
        name = self.bound if self.bound != "auto" else ("clopper_pearson" if plain else "betting")
        record, owner = BOUNDS[name], "CertifiedLogisticRegression"
        if not record.uses_kl and not plain:
            raise ValueError(
                f"{owner} with bound={name!r}, which is for a single predictor, needs prior='informed' and "
                f"reference='none'. Got prior={self.prior!r} and reference={self.reference!r} instead."
            )
        if self.reference != "none" and "excess" not in record.targets:
            raise ValueError(
                f"{owner} with bound={name!r}, which is not for an excess, takes no reference. "
                f"Got reference={self.reference!r} instead."
            )
        require_sound(owner, record, KINDS[self.reference], None)
        return name


@dataclass(frozen=True, slots=True)
class Certified:
    """What a fit results in."""

    preprocessing: Any
    alpha: float
    n_prior: int
    prior: Gaussian
    posterior: Gaussian
    reference: OnlineReference | None
    certificate: Certificate


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows in their shuffled order, the prior's part first."""

    X: Any
    order: Any
    signs: FloatArray
    n_prior: int
    preprocessing: Any

    def blocks(self, start: int, stop: int) -> Iterator[tuple[slice, Any]]:
        """Yield stretches of transformed rows."""
        for low in range(start, stop, _BLOCK):
            part = slice(low, min(low + _BLOCK, stop))
            yield part, self.transformed(self.order[part])

    def transformed(self, rows: Any) -> Any:
        values = self.preprocessing.transform(take(self.X, rows))
        try:
            return check_array(values, accept_sparse="csr", dtype=np.float64)
        except ValueError as error:
            raise ValueError(f"The preprocessing must give finite numbers. {error}") from None

    def matrix(self, stop: int) -> Any:
        """Return the first rows as one matrix, filled block by block so that only one copy is made."""
        result: Any = None
        parts = []
        for part, block in self.blocks(0, stop):
            if sp.issparse(block):
                parts.append(block)
                continue
            if result is None:
                result = np.empty((stop, block.shape[1]))
            result[part] = block
        return sp.vstack(parts, format="csr") if parts else result


def first_choices(rows: Rows, options: Options, alpha: float, scale: float) -> list[Choice]:
    union = f"delta/{options.candidates}" if options.candidates > 1 else "nothing"
    return [
        Choice("rows of the prior's part", rows.n_prior, GIVEN),
        Choice("preprocessing", type(rows.preprocessing).__name__, PRIOR),
        Choice("alpha", alpha, PRIOR if options.alpha is None else GIVEN),
        Choice("prior mean", "its fit" if options.prior == "informed" else "zero", PRIOR),
        Choice("prior shape and scale", f"{options.posterior}, {scale:.6g}", PRIOR),
        Choice("bound", options.bound, GIVEN),
        Choice("candidates", options.candidates, GIVEN, union),
    ]


def model_digest(classes: Any, prior: Gaussian, posterior: Gaussian) -> str:
    return digest_of_arrays(
        classes=classes,
        prior_mean=prior.mean,
        prior_covariance=prior.covariance,
        mean=posterior.mean,
        covariance=posterior.covariance,
    )
