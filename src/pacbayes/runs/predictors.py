"""Predictors on disk, in formats that run nothing when they are read: plain JSON for linear ones, skops for others."""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pacbayes._core.rows import distinct_labels, map_blocks
from pacbayes._core.types import Rows
from pacbayes.certificate import Check
from pacbayes.learners import CrossValidatedLogistic
from pacbayes.procedures.linear import LinearForm
from pacbayes.runs.archive import MOST_BYTES, Piece, read_pieces, walk
from pacbayes.runs.sameness import find_difference, learning_versions
from pacbayes.runs.trusted import is_sound_state, list_untrusted
from pacbayes.tables import ColumnPreprocessor, LinearTerms, Table

__all__ = [
    "ChangedPredictorError",
    "Difference",
    "ModelsFile",
    "as_linear",
    "check_predictor",
    "compare_models",
    "load_models",
    "read_models_file",
    "read_predictor",
    "write_predictor",
]

MODELS_FILE = "model.skops"
_BLOCK = 2**20
_CHANGED = "The file {name!r} is not the one that was written: its SHA-256 differs."
_ROWS = 2**16  # at a time
_SPARE = 2**16  # identities and names in an archive have as many digits as they happen to have


class ChangedPredictorError(ValueError):
    """A predictor that can be read and is not the one that was written."""


def as_linear(stored: Mapping[str, Any], table: Table) -> Mapping[str, Any]:
    """Return the stored form of a predictor, as plain numbers where it is linear and knows both classes of the table.

    Whoever reads ``model.json`` then sees the model itself, and nothing has to be loaded to use it. The second
    standardisation, inside the learner, goes into weights and intercept, which rounding must not turn for any row.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.pipeline import Pipeline
    >>> from pacbayes.learners import CrossValidatedLogistic
    >>> from pacbayes.runs.predictors import as_linear
    >>> from pacbayes.tables import ColumnPreprocessor, prepare_table
    >>> table = prepare_table(pd.DataFrame({"age": [20.5, 60.0] * 20, "ill": ["no", "yes"] * 20}), "ill")
    >>> model = Pipeline([("columns", ColumnPreprocessor()), ("classifier", CrossValidatedLogistic())])
    >>> form = as_linear({"predictor": model.fit(table.X, table.y)}, table)["linear"]
    >>> bool(form.weights[0] > 0.0)
    True
    """
    steps = getattr(stored.get("predictor"), "named_steps", {})
    columns, learned = steps.get("columns"), steps.get("classifier")
    if not (isinstance(columns, ColumnPreprocessor) and isinstance(learned, CrossValidatedLogistic)):
        return stored
    known = learned.classes_.size == 2 and np.array_equal(learned.classes_, distinct_labels(table.y))
    if columns.transformer_ is None or not known:
        return stored
    weights = learned.coef_[0] / learned.scaler_.scale_
    form = LinearForm(columns.transformer_, weights, float(learned.intercept_[0] - weights @ learned.scaler_.mean_))
    return {"linear": form} if _agrees(form, columns, learned, table) else stored


def _agrees(form: LinearForm, columns: ColumnPreprocessor, learned: CrossValidatedLogistic, table: Table) -> bool:
    """Return whether plain numbers give every row of the table the label that the certificate is about."""
    tasks = [True] * -(-len(table.y) // _ROWS)
    return all(map_blocks(table.X, _agrees_on, tasks, (form, columns, learned), _ROWS))


def _agrees_on(block: Rows, task: bool, forms: tuple[LinearForm, ColumnPreprocessor, CrossValidatedLogistic]) -> bool:
    del task
    form, columns, learned = forms
    rows = columns.transform(block)
    second = np.asarray(rows @ form.weights).ravel() + form.intercept > 0.0
    return bool(np.array_equal(second, learned.predict(rows) == learned.classes_[1]))


def write_predictor(
    stored: Mapping[str, Any], folder: Path, name: str = MODELS_FILE
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Write what does not fit into JSON beside it; return the entry for model.json, and which types need --trust."""
    if "linear" in stored:
        form = stored["linear"]
        terms = LinearTerms.of(form.preprocessing, form.weights, form.intercept)
        return {"kind": "linear", "intercept": terms.intercept, "terms": list(terms.terms)}, ()
    import skops.io as sio  # noqa: PLC0415

    path = folder / name
    try:
        sio.dump(dict(stored), path)
    except (TypeError, ValueError, AttributeError, RecursionError, NotImplementedError) as error:
        kinds = ", ".join(sorted({type(each).__name__ for each in stored.values()}))
        raise ValueError(
            f"The fitted model must be made of what skops can store, such as arrays, numbers and estimators of "
            f"scikit-learn. Got {kinds}, of which it says: {' '.join(str(error).split())[:200]}."
        ) from error
    entry = {"kind": "skops", "file": name, "sha256": _sha256(path)}
    return entry, tuple(_list_foreign(_read_stored(path), ()))


@dataclass(frozen=True, slots=True)
class ModelsFile:
    """A file of fitted models, which nothing has loaded yet, and the SHA-256 that it was written with."""

    path: Path
    sha256: str

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.path.name

    def read(self) -> bytes:
        """Return what is in the file, if it still is what was written: it may have been replaced since a last look."""
        with self.path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if hashlib.sha256(content).hexdigest() != self.sha256:
            raise ChangedPredictorError(_CHANGED.format(name=self.name))
        return content


def read_predictor(entry: Mapping[str, Any], folder: Path) -> LinearTerms | ModelsFile:
    """Return the linear terms, or the file of fitted models after checking that it is the one that was written."""
    if entry["kind"] == "linear":
        if type(entry["intercept"]) is not float or set(entry) != {"kind", "intercept", "terms"}:
            raise TypeError("intercept")
        return LinearTerms(tuple(dict(each) for each in entry["terms"]), entry["intercept"])
    return read_models_file(entry, folder, (MODELS_FILE,))


def read_models_file(entry: Mapping[str, Any], folder: Path, names: tuple[str, ...]) -> ModelsFile:
    """Return a file of fitted models, which has one of these names, after checking that it is the one written."""
    if set(entry) != {"kind", "file", "sha256"} or entry["kind"] != "skops" or entry["file"] not in names:
        raise TypeError("predictor")  # another file beside model.skops would be verified in place of it
    path = folder / str(entry["file"])
    if not path.is_file():
        raise ValueError(f"There is no file {path.name!r} beside the predictor's model.json.")
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"The file {path.name!r} has more than {MOST_BYTES} bytes, which is the most that is read.")
    if not zipfile.is_zipfile(path):
        raise ValueError(f"The file {path.name!r} cannot be read as a skops model: it is cut short, or something else.")
    found = ModelsFile(path, str(entry["sha256"]))
    if _sha256(path) != found.sha256:
        raise ChangedPredictorError(_CHANGED.format(name=path.name))
    return found


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _read_stored(source: Path | bytes, name: str = MODELS_FILE) -> Piece:
    try:
        return read_pieces(source)
    except Exception as error:  # whatever a broken archive raises
        raise ValueError(f"The file {name!r} cannot be read as a skops model ({_show(repr(error)):.120}).") from None


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a stored predictor differs from the one learned again, and the versions of scikit-learn of both."""

    place: str
    versions: tuple[str, str] = ("", "")


def compare_models(file: ModelsFile, again: Mapping[str, Any]) -> Difference | None:
    """Return how the stored models differ from those learned again, or None.

    The file is read as plain numbers and names. Nothing of it is imported, made or called.
    """
    import skops.io as sio  # noqa: PLC0415

    own = sio.dumps(dict(again))
    if file.path.stat().st_size > 2 * len(own) + _SPARE:
        return Difference("size")
    stored, ours = _read_stored(file.read(), file.name), read_pieces(own)
    place = find_difference(stored, ours)
    versions = (_show(" ".join(learning_versions(stored))), " ".join(learning_versions(ours)))
    return None if place is None else Difference(_show(place), versions)


def check_predictor(predictor: LinearTerms | ModelsFile, again: Mapping[str, Any]) -> Check:
    """Check that the stored predictor is what the rows give, in every fitted number; it is never called."""
    form = again.get("linear")
    if isinstance(predictor, LinearTerms):
        if form is None:
            return Check("predictor", held=False, claimed="linear")
        terms = LinearTerms.of(form.preprocessing, form.weights, form.intercept)
        name = predictor.find_difference(terms)
        return Check("predictor", name is None, claimed=name)
    if form is not None:
        return Check("predictor", held=False, claimed="not linear")
    difference = compare_models(predictor, again)
    if difference is None:
        return Check("predictor", held=True)
    if difference.versions[0] != difference.versions[1]:  # other versions may well learn otherwise
        return Check("predictor", False, *(f"scikit-learn {each}" for each in difference.versions))
    return Check("predictor", held=False, claimed=difference.place)


def _show(text: str) -> str:
    """Return a text of an untrusted file without what a terminal would obey."""
    return re.sub(r"[^ -~]", "?", text)


def load_models(file: ModelsFile, trust: tuple[str, ...]) -> Mapping[str, Any]:
    """Load models of the listed types without pickle; all other types are refused unless they are trusted by name.

    The archive is looked over before skops sees it. Fitted numbers are not: whoever did not write the file should
    verify it with the data first, since trees with wrong indices can crash the process that asks them.
    """
    import skops.io as sio  # noqa: PLC0415

    content = file.read()  # once: what is looked over is what is loaded
    root = _read_stored(content, file.name)
    foreign = _list_foreign(root, trust)
    if foreign:
        options = " ".join(f"--trust {_show(name)}" for name in foreign)
        raise ValueError(
            f"The file {file.name!r} holds what is not on the list of types that may be loaded; if you trust all of "
            f"it, pass {options}."
        )
    if not all(is_sound_state(each) for each in walk(root) if each.loader):
        raise ValueError(f"The file {file.name!r} holds a random state that is none.")
    try:
        loaded: Mapping[str, Any] = sio.loads(content, trusted=sio.get_untrusted_types(data=content))
    except Exception as error:  # whatever a broken archive raises
        raise ValueError(f"The file {file.name!r} cannot be read as a skops model ({error!r:.120}).") from None
    return loaded


def _list_foreign(root: Piece, trust: tuple[str, ...]) -> list[str]:
    """Return the names of types in an archive that are neither on the list nor trusted by name."""
    found = {(each.loader.partition(" ")[0], _full_name(each)) for each in walk(root) if each.loader}
    return list_untrusted(found, trust)


def _full_name(piece: Piece) -> str:
    """Return what a node names: its type, and of a bound method the method."""
    content = piece.parts.get("content")
    if piece.loader == "MethodNode" and content is not None and "func" in content.parts:
        return f"{piece.type}.{content.parts['func'].value!s}"
    return piece.type
