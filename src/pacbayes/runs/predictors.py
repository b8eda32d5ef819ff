"""Predictors on disk, in formats that run nothing when they are read: plain JSON for linear ones, skops for others."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pacbayes.tables import LinearTerms

__all__ = ["ChangedPredictorError", "load_models", "read_predictor", "write_predictor"]

MODELS_FILE = "model.skops"
# skops itself trusts plain arrays and much of scikit-learn; beyond that only the rest of it is let in, and no functions
_TRUSTED = ("sklearn.", "numpy.dtype", "pacbayes.learners.one_class.OneClass")


class ChangedPredictorError(ValueError):
    """A predictor that can be read and is not the one that was written."""


def write_predictor(stored: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Write what does not fit into JSON beside it, and return the entry for model.json."""
    if "linear" in stored:
        form = stored["linear"]
        terms = LinearTerms.of(form.preprocessing, form.weights, form.intercept)
        return {"kind": "linear", "intercept": terms.intercept, "terms": list(terms.terms)}
    import skops.io as sio  # noqa: PLC0415

    sio.dump(dict(stored), folder / MODELS_FILE)
    return {"kind": "skops", "file": MODELS_FILE, "sha256": _sha256(folder / MODELS_FILE)}


def read_predictor(entry: Mapping[str, Any], folder: Path) -> LinearTerms | Path:
    """Return the linear terms, or the file of fitted models after checking that it is the one that was written."""
    if entry["kind"] == "linear":
        return LinearTerms(tuple(dict(each) for each in entry["terms"]), float(entry["intercept"]))
    path = folder / Path(str(entry["file"])).name
    if not path.is_file():
        raise ValueError(f"There is no file {path.name!r} beside the predictor's model.json.")
    if not zipfile.is_zipfile(path):
        raise ValueError(f"The file {path.name!r} cannot be read as a skops model: it is cut short, or something else.")
    if _sha256(path) != str(entry["sha256"]):
        raise ChangedPredictorError(f"The file {path.name!r} is not the one that was written: its SHA-256 differs.")
    return path


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def load_models(path: Path, trust: tuple[str, ...]) -> Mapping[str, Any]:
    """Load models of scikit-learn without pickle; types from anywhere else are refused."""
    import skops.io as sio  # noqa: PLC0415

    try:
        unknown = sio.get_untrusted_types(file=path)
        foreign = [name for name in unknown if not name.startswith(_TRUSTED) and name not in trust]
        loaded: Mapping[str, Any] = {} if foreign else sio.load(path, trusted=unknown)
    except Exception as error:  # whatever a broken archive raises
        raise ValueError(f"The file {path.name!r} cannot be read as a skops model ({error!r:.120}).") from None
    if foreign:
        raise ValueError(f"The file {path.name!r} holds {foreign[0]!r}, which is not from scikit-learn.")
    return loaded
