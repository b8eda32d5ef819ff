"""The table of a run: read from its files, and what a certificate says of it beyond what its procedure knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pacbayes._core.notes import Note
from pacbayes._core.rows import count_labels
from pacbayes.certificate import Certificate, add_period
from pacbayes.engines import Runner, distribute_table
from pacbayes.procedures import Adaptive, Certifier
from pacbayes.report import headline_value
from pacbayes.runs.settings import Settings
from pacbayes.tables import (
    Table,
    TableError,
    append_rows,
    find_leaks,
    has_texts,
    list_columns,
    list_texts,
    name_unnamed,
    open_table,
    prepare_table,
    read_table,
    require_column,
    show_time,
    split_names,
)

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["EARLIER", "annotate", "check_columns", "load_rows", "load_table", "trivial_answer"]

_TEXTS = frozenset({".csv", ".tsv", ".txt", ".data"})
EARLIER = "several_seeds"  # about runs before this one: nobody who verifies can find it out again


def annotate(model: Certifier, table: Table, time: str | None, earlier: Sequence[Note] = ()) -> Certificate:
    """Return the certificate of a fitted estimator with the period of its judged rows and all notes on its table.

    It is a function of table and settings but for ``earlier``, notes on runs before this one, so that whoever verifies
    gets the same. Notes that go by labels see learning rows alone, and of a stop that was chosen on the way those
    before the first at which it could have stopped: whoever follows a note and runs again may stop there. The note on
    the most common answer is about the number itself and the labels of the whole table, and changes neither.
    """
    certificate = model.certificate_
    judged = len(table.y) - int(getattr(model, "n_learning_", len(table.y) - certificate.n))
    learning = model.order_[: len(table.y) - judged]
    leaks = find_leaks(table, learning[: _surely_learned(certificate, len(table.y))])
    notes = [*dict.fromkeys([*certificate.notes, *table.notes]), *leaks, *_compare(certificate, table)]
    if time is not None and table.times is not None:
        first = -judged
        certificate = add_period(certificate, time, show_time(table.times, first), show_time(table.times, -1))
        if learning.size and table.times[first] == table.times[first - 1]:
            notes.append(Note("cut_within_a_time", {"time": show_time(table.times, first)}))
    return replace(certificate, notes=(*notes, *earlier), digest="")


def _surely_learned(certificate: Certificate, rows: int) -> int | None:
    """Return how many rows are learned from wherever a rule stops; None if their number was given."""
    chosen = any(each.what == "learning_rows" and each.where == Adaptive.where for each in certificate.choices)
    return Adaptive().times(rows)[0] if chosen else None


def trivial_answer(table: Table) -> dict[str, Any]:
    """Return the most common label, and the share of rows on which always predicting it would be wrong."""
    # where the judged rows came in a table of their own, of those; labels that are held as codes stay so
    labels = table.y[table.learning :] if table.learning else table.y
    classes, counts = count_labels(labels)
    most = int(counts.argmax())
    return {"label": str(classes[most]), "share": 1.0 - float(counts[most]) / len(labels)}


def _compare(certificate: Certificate, table: Table) -> list[Note]:
    trivial = trivial_answer(table)
    if certificate.statements[0].quantity != "error" or headline_value(certificate) < trivial["share"]:
        return []
    return [Note("no_better_than_common", {"label": trivial["label"], "percent": 100.0 * trivial["share"]})]


def check_columns(path: Path, settings: Settings, max_memory: int | str | None = None) -> None:
    """Refuse columns that a file of text has not, by its first line: the rest of it need not be read for that."""
    import pandas as pd  # noqa: PLC0415

    if path.suffix.lower() not in _TEXTS or not path.is_file():
        return
    given = pd.DataFrame(columns=list_columns(path, max_memory=max_memory, **_reading(settings)))
    for name in (settings.target, *split_names(given, settings.drop), *split_names(given, settings.groups)):
        require_column(given, name)


def load_table(
    path: str | Path,
    settings: Settings,
    max_memory: int | str | None = None,
    test: str | Path | None = None,
    runner: Runner | None = None,
) -> Table:
    """Read the table of some settings, with at most so much memory: see :func:`pacbayes.tables.read_table`.

    A large table stays in its files if the method judges rows block by block, as :func:`pacbayes.tables.open_table`
    has it. The rows of ``test`` follow those of the table; they are judged, and learned from they are not. With a
    runner the rows stay in their files whatever their size, and the workers of its cluster read them.
    """
    options: dict[str, Any] = {
        "drop": settings.drop,
        "positive": settings.positive,
        "missing": settings.missing,
        "groups": settings.groups,
    }
    if runner is not None:
        if test is not None or not settings.judges_blocks:
            raise ValueError(
                "--engine dask goes with the method split alone, without --test, --time, --refit and thresholds: other "
                "methods need all rows at once."
            )
        reading = {"max_memory": max_memory, "in_memory": 0, **_reading(settings)}
        return distribute_table(open_table(path, settings.target, **options, **reading), runner)
    if test is None and settings.judges_blocks:
        return open_table(path, settings.target, max_memory=max_memory, **options, **_reading(settings))
    table = prepare_table(_read(path, settings, max_memory), settings.target, time=settings.time, **options)
    return table if test is None else _append(table, test, settings, max_memory)


def _append(table: Table, path: str | Path, settings: Settings, max_memory: int | str | None) -> Table:
    columns = tuple((column.name, column.kind) for column in table.columns)
    texts = ((settings.target, "category"),) if has_texts(table.y) else ()
    frame = load_rows(path, settings, (*columns, *texts), max_memory)
    try:
        return append_rows(table, frame, positive=settings.positive, missing=settings.missing, drop=settings.not_used)
    except TableError as error:
        raise TableError(f"{Path(path).name}: {error}") from None


def _read(
    path: str | Path, settings: Settings, max_memory: int | str | None, texts: tuple[str, ...] = ()
) -> pd.DataFrame:
    return read_table(Path(path), max_memory=max_memory, texts=texts, **_reading(settings))


def _reading(settings: Settings) -> dict[str, Any]:
    """Return how the files of some settings are to be read."""
    names = ("delimiter", "header", "missing_values", "encoding", "decimal")
    return {name: getattr(settings, name) for name in names}


def load_rows(
    path: str | Path,
    settings: Settings,
    columns: tuple[tuple[str, str], ...],
    max_memory: int | str | None = None,
) -> pd.DataFrame:
    """Read further rows of a table as its settings say, categories as text even where they read like numbers."""
    frame = _read(path, settings, max_memory)
    if texts := list_texts(frame, columns):
        frame = _read(path, settings, max_memory, texts)
    if settings.delimiter is not None and len(frame.columns) == 1 < len(columns):
        raise TableError(
            f"{Path(path).name} must have the columns that the model was learned with. Got the one column "
            f"{str(frame.columns[0])!r:.60} with the delimiter {settings.delimiter!r}; if these rows have another, "
            "pass --delimiter."
        )
    names = {*settings.not_used, *(name for name, _ in columns)}
    return frame if settings.header else name_unnamed(frame, names, settings.target)
