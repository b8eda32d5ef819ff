"""Predictions of several models in one file, each compared with one of them: certified, reported, and checked again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from shlex import quote
from typing import Any

from pacbayes._core.records import check_fields
from pacbayes.certificate import Certificate
from pacbayes.procedures import Comparison, Judgements
from pacbayes.report import render
from pacbayes.runs.check import PredictionFile
from pacbayes.runs.counted import check_reading, save_counted

__all__ = ["ComparedPredictions", "ComparisonFile", "compare_file"]

_FEWEST = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonFile:
    """Where in a file labels and the predictions of several models are, or their losses.

    Attributes
    ----------
    label : str or None
        The column of true labels.
    predictions : tuple of str
        The columns of predicted labels, one per model.
    losses : tuple of str
        Instead of both: columns of losses in [0, 1].
    baseline : str or None
        The column that the others are compared with; None for the first.
    delimiter, header, missing_values, encoding, decimal
        As :func:`pacbayes.tables.read_table` takes them.
    """

    label: str | None = None
    predictions: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
    baseline: str | None = None
    delimiter: str | None = None
    header: bool = True
    missing_values: tuple[str, ...] = ()
    encoding: str | None = None
    decimal: str = "."

    def __post_init__(self) -> None:
        check_reading(self.delimiter, self.decimal)
        if (self.label is not None) != bool(self.predictions) or bool(self.predictions) == bool(self.losses):
            raise ValueError("Name the columns: --label and --prediction for each model, or --loss for each.")
        given = self.predictions or self.losses
        if len(given) < _FEWEST or len(set(given)) != len(given):
            raise ValueError("Name at least two different columns to compare, such as --prediction a --prediction b.")
        if self.label in self.predictions:  # nobody errs by its own answers
            raise ValueError(f"--label must be another column than the predictions. Got {self.label!r:.60} for both.")
        if self.baseline is not None and self.baseline not in given:
            raise ValueError(f"--baseline must be one of {', '.join(given)}. Got {self.baseline!r:.60} instead.")

    @property
    def names(self) -> tuple[str, ...]:
        """The columns in the order of a comparison: the one that the others are compared with comes last."""
        given = self.predictions or self.losses
        last = given[0] if self.baseline is None else self.baseline
        return (*(name for name in given if name != last), last)

    @property
    def basis(self) -> dict[str, tuple[str, ...]]:
        """The columns that are counted in, by what each is taken for."""
        named = {"loss": self.losses, "prediction": self.predictions, "label": () if not self.label else (self.label,)}
        return {what: names for what, names in named.items() if names}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> ComparisonFile:
        """Read what this version or an earlier one stored; anything else is refused."""
        check_fields("The record of compared predictions", record, cls, _is_own)
        read: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in record.items()}
        return cls(**read)

    def read(self, path: str | Path, max_memory: int | str | None = None) -> Judgements:
        """Return the losses of each model on the rows of a file, or say why there are none."""
        judged = {name: self._columns_of(name).read(path, max_memory) for name in self.names}
        if self.predictions:
            return Judgements.of_predictions({name: each.pair for name, each in judged.items()})
        return Judgements("compared_losses", {name: each.losses for name, each in judged.items()})

    def _columns_of(self, name: str) -> PredictionFile:
        """Return where the predictions or the losses of one model are."""
        names = ("delimiter", "header", "missing_values", "encoding", "decimal")
        options: dict[str, Any] = {each: getattr(self, each) for each in names}
        place = {"label": self.label, "prediction": name} if self.predictions else {"loss": name}
        return PredictionFile(**place, **options)

    def certify_again(self, certificate: Certificate, path: str | Path, max_memory: int | str | None) -> Certificate:
        """Count again in a file, with the options that a certificate was issued with."""
        anytime, candidates = certificate.statements[0].anytime, certificate.candidates
        options: dict[str, Any] = {"delta": certificate.delta, "candidates": candidates, "anytime": anytime}
        return compare_file(path, self, max_memory=max_memory, **options).certificate


def _is_own(name: str, value: object) -> bool:
    """Return whether the value of a field is of the kind that is written."""
    if name in ("predictions", "losses", "missing_values"):
        return isinstance(value, list) and all(isinstance(each, str) for each in value)
    if name == "decimal":
        return isinstance(value, str)
    return type(value) is bool if name == "header" else value is None or isinstance(value, str)


@dataclass(frozen=True, slots=True)
class ComparedPredictions:
    """A certificate for the differences between models whose predictions are in a file.

    Attributes
    ----------
    certificate : Certificate
    columns : ComparisonFile
    source : str
        The name of the file.
    """

    certificate: Certificate
    columns: ComparisonFile
    source: str

    def report(self) -> str:
        """Return the report as one HTML page."""
        *others, last = self.columns.names
        return render(
            self.certificate,
            about={
                "Data": self.source,
                "Rows": str(self.certificate.n),
                **({} if self.columns.label is None else {"Label column": self.columns.label}),
                "Compared": ", ".join(others),
                "Compared with": last,
            },
            commands=[
                ("The numbers follow from what was observed", "pacbayes verify certificate.json"),
                ("They follow from the file", f"pacbayes verify certificate.json --data {quote(self.source)}"),
            ],
        )

    def save(self, folder: str | Path, *, force: bool = False) -> list[Path]:
        """Write certificate.json, report.html and what is needed to check them into a folder; return the files."""
        return save_counted(
            Path(folder), self.certificate, self.report(), self.source, asdict(self.columns), force=force
        )


def compare_file(
    path: str | Path,
    columns: ComparisonFile,
    *,
    delta: float = 0.05,
    candidates: int = 1,
    anytime: bool = False,
    max_memory: int | str | None = None,
) -> ComparedPredictions:
    r"""Certify which of the models whose predictions are in a file is better, and by how much.

    Parameters
    ----------
    path : path
        A file that :func:`pacbayes.tables.read_table` reads.
    columns : ComparisonFile
        Where labels and predictions are.
    delta : float, default=0.05
        Allowed probability of failure.
    candidates : int, default=1
        How many such comparisons are made on these rows.
    anytime : bool, default=False
        Whether the limits hold for all numbers of rows at once, for a file that grows.
    max_memory : int or str, optional
        As for :func:`pacbayes.tables.read_table`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from pacbayes.runs import ComparisonFile, compare_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "predictions.csv"
    ...     _ = path.write_text("y,old,new\n" + "cat,cat,cat\ndog,dog,dog\n" * 90 + "cat,dog,cat\n" * 20)
    ...     compared = compare_file(path, ComparisonFile(label="y", predictions=("old", "new")))
    >>> compared.certificate.statements[0].compared, round(compared.certificate.value, 4)
    (('new', 'old'), -0.051)
    """
    if not 0.0 < delta < 1.0:
        raise ValueError(f"--delta must lie between 0 and 1, such as 0.05. Got {delta:g} instead.")
    if candidates < 1:
        raise ValueError(f"--candidates must be a whole number of at least 1. Got {candidates} instead.")
    judged = columns.read(path, max_memory)
    certificate = Comparison(delta=delta, candidates=candidates, anytime=anytime).certify(judged)
    return ComparedPredictions(certificate, columns, Path(path).name)
