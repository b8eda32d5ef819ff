"""What kind of run a folder holds, so that a run replaces nothing but one of its own kind, and nobody else's files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from pacbayes._core.files import read_bounded
from pacbayes._core.strict_json import read_object

__all__ = [
    "CERTIFICATE",
    "CHECK",
    "COLUMNS",
    "COMPARISON",
    "FORMAT",
    "MODEL",
    "RUN",
    "is_ours",
    "kind_of_columns",
    "read_columns",
    "refuse_other_kind",
]

CERTIFICATE, MODEL, COLUMNS = "certificate.json", "model.json", "predictions.json"
FORMAT = "pacbayes-model"  # what model.json says it is
RUN, CHECK, COMPARISON = "run", "check", "comparison"  # of certify, check and compare
_HOLDS = {
    RUN: f"a certified model ({MODEL})",
    CHECK: f"the certificate of checked predictions ({COLUMNS})",
    COMPARISON: f"the comparison of models by their predictions ({COLUMNS})",
}


_MARKS: dict[str, Callable[[Mapping[str, object]], bool]] = {  # other tools write files of these names, too
    CERTIFICATE: lambda record: {"schema_version", "statements"} <= record.keys(),
    MODEL: lambda record: record.get("format") == FORMAT,
    COLUMNS: lambda record: {"delimiter", "missing_values"} <= record.keys(),
}


def is_ours(path: Path) -> bool:
    """Return whether a file is one of a run by what is in it; of a name that nobody else's file has, by its name.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from pacbayes.runs.kinds import is_ours
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "model.json")
    ...     _ = path.write_text('{"learner": {"gradient_booster": 1}}')
    ...     is_ours(path)
    False
    """
    if path.name not in _MARKS:
        return True
    try:
        return _MARKS[path.name](read_object("It", read_bounded(path)))
    except ValueError:
        return False


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


def refuse_other_kind(folder: Path, place: Path, ours: Collection[str], kind: str) -> None:
    """Refuse a folder with a run of another kind, which would be lost: a check must not replace a model.

    Parameters
    ----------
    folder, place : Path
        The folder as it was named, and where it is.
    ours : collection of str
        The names of files in it that a run wrote.
    kind : str
        Of the run that is to be written.
    """
    kinds = [RUN] if MODEL in ours else []
    if COLUMNS in ours:
        kinds.append(kind_of_columns(read_columns(read_bounded(place / COLUMNS))))
    other = next((each for each in kinds if each != kind), None)
    if other is not None:
        raise ValueError(
            f"The folder {str(folder)!r} holds {_HOLDS[other]}, which would be lost. Choose another with --out."
        )
