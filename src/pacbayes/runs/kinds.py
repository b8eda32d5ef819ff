"""What kind of run a folder holds, so that a run replaces nothing but one of its own kind."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pacbayes._core.files import read_bounded
from pacbayes._core.strict_json import read_object

__all__ = ["CHECK", "COLUMNS", "COMPARISON", "MODEL", "RUN", "kind_of_columns", "read_columns", "refuse_other_kind"]

MODEL, COLUMNS = "model.json", "predictions.json"
RUN, CHECK, COMPARISON = "run", "check", "comparison"  # of certify, check and compare
_HOLDS = {
    RUN: f"a certified model ({MODEL})",
    CHECK: f"the certificate of checked predictions ({COLUMNS})",
    COMPARISON: f"the comparison of models by their predictions ({COLUMNS})",
}


def read_columns(text: bytes) -> dict[str, object]:
    """Read the record of columns that was written beside a certificate for predictions in a file."""
    return read_object("The record of checked predictions", text)


def kind_of_columns(record: Mapping[str, object]) -> str:
    """Return which kind of certificate such a record belongs to.

    Examples
    --------
    >>> from pacbayes.runs.kinds import kind_of_columns
    >>> kind_of_columns({"label": "y", "prediction": "p"}), kind_of_columns({"label": "y", "predictions": ["p", "q"]})
    ('check', 'comparison')
    """
    return CHECK if record.keys().isdisjoint({"predictions", "losses"}) else COMPARISON


def refuse_other_kind(folder: Path, place: Path, entries: Mapping[str, bool], kind: str) -> None:
    """Refuse a folder with a run of another kind, which would be lost: a check must not replace a model.

    Parameters
    ----------
    folder, place : Path
        The folder as it was named, and where it is.
    entries : mapping of str to bool
        The names in it, each with whether it is a plain file.
    kind : str
        Of the run that is to be written.
    """
    found = [RUN] if MODEL in entries else []
    if COLUMNS in entries:
        found.append(_kind_in(place / COLUMNS) if entries[COLUMNS] else CHECK)
    other = next((each for each in found if each != kind), None)
    if other is not None:
        raise ValueError(
            f"The folder {str(folder)!r} holds {_HOLDS[other]}, which would be lost. Choose another with --out."
        )


def _kind_in(path: Path) -> str:
    try:
        return kind_of_columns(read_columns(read_bounded(path)))
    except ValueError:  # a record that nobody can read, which is as good as one of predictions
        return CHECK
