"""Predictions that any tool made, in a file with the true labels: certified, reported, and checked again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import numpy as np

from pacbayes import metrics
from pacbayes._core.alike import distinct_texts, note_alike
from pacbayes._core.labels import refuse_nul
from pacbayes._core.notes import Note
from pacbayes._core.records import check_fields
from pacbayes._core.types import BoolArray, FloatArray, Labels
from pacbayes.certificate import Certificate
from pacbayes.certificate.words import note_words
from pacbayes.metrics import group_values
from pacbayes.metrics.asked import Asked, needs_probabilities
from pacbayes.procedures.given import Given
from pacbayes.procedures.given_labels import find_unknown, note_unknown
from pacbayes.report import render
from pacbayes.runs.counted import check_reading, save_counted
from pacbayes.runs.spelling import spell_numbers_alike
from pacbayes.tables import TableError, read_groups, read_table, require_column, split_names

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CheckedPredictions", "PredictionFile", "check_file"]

_EXACT = 2**53  # up to which doubles hold all whole numbers
_SHARES = (
    "If these are probabilities, write the predicted label, such as 1 from 0.5 on; or compute losses between 0 and 1, "
    "such as (probability - label) squared of the Brier score, and name their column with --loss."
)
_NUMBERS = "For regression compute losses between 0 and 1, and name their column with --loss."


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionFile:
    """Where in a file labels and predictions are, or losses.

    Attributes
    ----------
    label, prediction : str or None
        The columns of true and of predicted labels.
    loss : str or None
        Instead of them: the column of losses in [0, 1].
    delimiter, header, missing_values, encoding, decimal
        As :func:`pacbayes.tables.read_table` takes them.
    metrics, weights, groups, differences, cost
        What is certified of labels and predictions, as :class:`pacbayes.runs.Asked` has it.
    """

    label: str | None = None
    prediction: str | None = None
    loss: str | None = None
    delimiter: str | None = None
    header: bool = True
    missing_values: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ("error",)
    weights: tuple[float, ...] = ()
    groups: tuple[str, ...] = ()
    differences: bool = False
    cost: str | None = None
    encoding: str | None = None
    decimal: str = "."

    def __post_init__(self) -> None:
        check_reading(self.delimiter, self.decimal)
        pair = self.label is not None and self.prediction is not None
        if pair == (self.loss is not None) or (not pair and (self.label, self.prediction) != (None, None)):
            raise ValueError("Name the columns: --label and --prediction, or --loss for losses between 0 and 1.")
        if pair and self.label == self.prediction:  # nobody errs by its own answers
            raise ValueError(f"--label and --prediction must be two columns. Got {self.label!r:.60} for both.")
        if self.loss is not None and not self.asked.is_error:
            raise ValueError("--metric and --group go with --label and --prediction. Got --loss instead.")
        wanted = next((each for each in self.asked.metrics if needs_probabilities(each)), None)
        if wanted is not None:
            raise ValueError(
                f"--metric {wanted} is about probabilities, which a file of predicted labels has not. "
                "Compute losses between 0 and 1 yourself, and name their column with --loss."
            )

    @property
    def asked(self) -> Asked:
        """What is certified."""
        return Asked(**{each.name: getattr(self, each.name) for each in fields(Asked)})

    @property
    def basis(self) -> dict[str, tuple[str, ...]]:
        """The columns that are counted in, by what each is taken for."""
        named = {"loss": self.loss, "prediction": self.prediction, "label": self.label}
        return {what: (name,) for what, name in named.items() if name is not None}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> PredictionFile:
        """Read what this version or an earlier one stored; anything else is refused."""
        check_fields("The record of checked predictions", record, cls, _is_own)
        read: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in record.items()}
        return cls(**read)

    def read(self, path: str | Path, max_memory: int | str | None = None) -> Judged:
        """Return the loss of each row of a file, or say why there is none."""
        frame = self._frame(path, max_memory)
        if self.loss is not None:
            _require(frame, self.loss)
            return Judged(_losses(frame[self.loss], self.loss), "given_losses")
        names = (str(self.label), str(self.prediction))
        _require(frame, *names)
        large, are_numbers = any(_exceed_doubles(frame[name]) for name in names), not _is_text(frame[names[0]])
        if large or _differ(frame, *names):  # such as labels 1, 2, x beside predictions 1 and 2
            frame = self._frame(path, max_memory, names)
        labels, predictions = (_labels(frame[name], name, large=large) for name in names)
        if _differ(frame, *names):
            raise TableError(f"The columns {names[0]!r} and {names[1]!r} must both hold numbers or both text.")
        if are_numbers and _is_text(frame[names[0]]):  # as which all labels were read, so that 1 and 1.0 are one
            labels, predictions = spell_numbers_alike(labels, predictions, self.decimal)
        losses = np.asarray(labels != predictions, dtype=np.float64)
        groups = read_groups(frame, split_names(frame, self.groups), names[0], "refuse")
        judged = Judged(losses, "given_predictions", labels, predictions, groups)
        if judged.unknown.all():
            raise TableError(
                f"No prediction in {names[1]!r} is a label of {names[0]!r}, such as {str(labels[0])!r:.40}. "
                f"Got {str(predictions[0])!r:.40} instead. Are these probabilities, or labels written another way? "
                "Write each prediction as one of the labels."
            )
        return judged

    def certify_again(self, certificate: Certificate, path: str | Path, max_memory: int | str | None) -> Certificate:
        """Count again in a file, with the options that a certificate was issued with."""
        delta, candidates = certificate.delta, certificate.candidates
        return check_file(path, self, delta=delta, candidates=candidates, max_memory=max_memory).certificate

    def _frame(self, path: str | Path, max_memory: int | str | None, texts: tuple[str, ...] = ()) -> pd.DataFrame:
        return read_table(
            Path(path),
            delimiter=self.delimiter,
            header=self.header,
            missing_values=self.missing_values,
            encoding=self.encoding,
            decimal=self.decimal,
            max_memory=max_memory,
            texts=texts,
        )


@dataclass(frozen=True, slots=True)
class Judged:
    """Losses, what they are about, and where there are such the labels, the predictions and the groups."""

    losses: FloatArray
    about: str
    labels: Labels | None = None
    predictions: Labels | None = None
    groups: Mapping[str, Labels] = field(default_factory=dict)

    @property
    def trivial(self) -> dict[str, Any] | None:
        """The most common label, and the share of rows on which always predicting it would be wrong."""
        if self.labels is None:
            return None
        classes, counts = np.unique(self.labels, return_counts=True)
        most = int(counts.argmax())
        return {"label": str(classes[most]), "share": 1.0 - float(counts[most]) / len(self.losses)}

    @property
    def pair(self) -> tuple[Labels, Labels]:
        """Labels and predictions; none of losses."""
        none: Labels = np.zeros(0)
        return (none if self.labels is None else self.labels), (none if self.predictions is None else self.predictions)

    @property
    def unknown(self) -> BoolArray:
        """For each row whether its prediction is none of the labels that occur."""
        if self.labels is None or self.predictions is None:
            return np.zeros(len(self.losses), dtype=bool)
        return find_unknown(self.labels, self.predictions)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was noticed about labels and predictions."""
        unknown = () if self.predictions is None else note_unknown(self.unknown, self.predictions)
        return (*unknown, *note_alike(distinct_texts(*self.pair)))


def _is_own(name: str, value: object) -> bool:
    """Return whether the value of a field is of the kind that is written."""
    if name == "decimal":
        return isinstance(value, str)
    if name in ("header", "differences"):
        return type(value) is bool
    if name in ("missing_values", "metrics", "groups", "weights"):
        member = float if name == "weights" else str
        return isinstance(value, list) and all(type(each) is member for each in value)
    return value is None or isinstance(value, str)


def _require(frame: pd.DataFrame, *names: str) -> None:
    for name in names:
        require_column(frame, name)
        if unknown := int(frame[name].isna().sum()):
            raise TableError(f"The column {name!r} must be known in every row. It is missing in {unknown}.")


def _differ(frame: pd.DataFrame, one: str, two: str) -> bool:
    return _is_text(frame[one]) != _is_text(frame[two])


def _is_text(series: pd.Series) -> bool:
    return getattr(series.dtype, "kind", "O") not in "fiub"


def _losses(series: pd.Series, name: str) -> FloatArray:
    values = np.full(1, np.nan) if _is_text(series) else series.to_numpy(dtype=np.float64)
    if not ((values >= 0.0) & (values <= 1.0)).all():
        raise TableError(f"The column {name!r} must hold losses between 0 and 1.")
    return values


def _exceed_doubles(series: pd.Series) -> bool:
    """Return whether some numbers are so large that two different ones may be the same double."""
    if _is_text(series):
        return False
    return bool(np.abs(series.to_numpy(dtype=np.float64)).max(initial=0.0) >= _EXACT)


def _labels(series: pd.Series, name: str, *, large: bool) -> Labels:
    """Return text, or doubles; of large numbers the digits."""
    if _is_text(series):
        texts = [str(value) for value in series]
        refuse_nul(f"The column {name!r}", texts, TableError)
        return np.array(texts)
    values: FloatArray = series.to_numpy(dtype=np.float64)
    odd = values[values != np.round(values)]
    if odd.size or not np.isfinite(values).all():
        raise TableError(
            f"The column {name!r} must hold classes. Got numbers with fractions such as {odd[0]:.6g} instead. "
            f"{_SHARES if ((values >= 0.0) & (values <= 1.0)).all() else _NUMBERS}"
            if odd.size
            else f"The column {name!r} holds infinite values, which are no classes."
        )
    return np.array([str(int(value)) for value in series]) if large else values


@dataclass(frozen=True, slots=True)
class CheckedPredictions:
    """A certificate for the predictions in a file, and what a report shows beside it.

    Attributes
    ----------
    certificate : Certificate
    columns : PredictionFile
    judged : Judged
    source : str
        The name of the file.
    """

    certificate: Certificate
    columns: PredictionFile
    judged: Judged
    source: str

    @property
    def notes(self) -> list[str]:
        """What a user should look at."""
        return [note_words(note) for note in self.certificate.notes]

    def report(self) -> str:
        """Return the report as one HTML page."""
        given = self.columns
        named = {"Label": given.label, "Prediction": given.prediction, "Loss": given.loss}
        return render(
            self.certificate,
            about={"Data": self.source, "Rows": str(len(self.judged.losses))}
            | {f"{what} column": str(name) for what, name in named.items() if name is not None},
            trivial=self.judged.trivial,
            commands=[
                ("The number follows from what was observed", "pacbayes verify certificate.json"),
                ("It follows from the file", f"pacbayes verify certificate.json --data {quote(self.source)}"),
                ("The number at a delta", f"pacbayes bound --from certificate.json --delta {self.certificate.delta:g}"),
            ],
        )

    def save(self, folder: str | Path, *, force: bool = False) -> list[Path]:
        """Write certificate.json, report.html and what is needed to check them into a folder; return the files."""
        return save_counted(
            Path(folder), self.certificate, self.report(), self.source, asdict(self.columns), force=force
        )


def check_file(
    path: str | Path,
    columns: PredictionFile,
    *,
    delta: float = 0.05,
    candidates: int = 1,
    max_memory: int | str | None = None,
) -> CheckedPredictions:
    r"""Certify the predictor that made the predictions in a file, on rows that it has not seen.

    Parameters
    ----------
    path : path
        A file that :func:`pacbayes.tables.read_table` reads.
    columns : PredictionFile
        Where labels and predictions are.
    delta : float, default=0.05
        Allowed probability of failure.
    candidates : int, default=1
        How many predictors are compared on these rows.
    max_memory : int or str, optional
        As for :func:`pacbayes.tables.read_table`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from pacbayes.runs import PredictionFile, check_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "predictions.csv"
    ...     _ = path.write_text("y,p\n" + "cat,cat\ndog,dog\n" * 99 + "cat,dog\ndog,dog\n")
    ...     checked = check_file(path, PredictionFile(label="y", prediction="p"))
    >>> checked.certificate.n, round(checked.certificate.value, 4)
    (200, 0.0235)
    """
    if not 0.0 < delta < 1.0:
        raise ValueError(f"--delta must lie between 0 and 1, such as 0.05. Got {delta:g} instead.")
    if candidates < 1:
        raise ValueError(f"--candidates must be a whole number of at least 1. Got {candidates} instead.")
    judged = columns.read(path, max_memory)
    certificate = _certify(judged, columns.asked, Given(delta=delta, candidates=candidates))
    return CheckedPredictions(certificate, replace(columns, groups=tuple(judged.groups)), judged, Path(path).name)


def _certify(judged: Judged, asked: Asked, given: Given) -> Certificate:
    """Certify losses, or of labels and predictions what is asked."""
    if asked.is_error or judged.labels is None or judged.predictions is None:
        return given.certify(judged.losses, about=judged.about, notes=judged.notes)
    classes = np.unique(judged.labels)
    questions = asked.questions(sorted(judged.groups), classes)
    grouping = group_values("--group", judged.groups) if judged.groups else None
    answers = metrics.Judged(judged.labels, judged.predictions, classes=classes)
    return replace(given, questions=questions).certify_judged(answers, about=judged.about, grouping=grouping)
