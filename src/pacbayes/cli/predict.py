"""``pacbayes predict``: a stored predictor on new rows, as CSV, beside the sentence that is guaranteed of it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from pacbayes._core.files import write_atomically
from pacbayes._core.near import RUN_FOLDERS, near_file, require_files
from pacbayes.cli._limits import MAX_MEMORY
from pacbayes.cli._output import JSON, QUIET, Output, tidy
from pacbayes.cli._streams import print_lines
from pacbayes.runs import Predictions, RunPredictor, load_rows, load_run
from pacbayes.runs.words import all_claims, claim_words
from pacbayes.tables.words import list_formats, sentence

__all__ = ["predict"]

_SIDECAR = ".certificate.txt"
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # as which spreadsheets take a cell that begins so
_AS_IN_RUN = "{}, if the new rows are a text file [default: as in the run]."
_NO_ANSWER = "no answer"  # where a model abstains; a column says so, too, should a class be called that


@tidy
def predict(
    folder: Annotated[Path, typer.Argument(help="The folder that certify wrote.")],
    data: Annotated[Path, typer.Argument(help=f"New rows: {list_formats()}, also compressed.")],
    out: Annotated[
        Path | None,
        typer.Option(help="A CSV file to write; the guarantee goes to a file beside it [default: stdout]."),
    ] = None,
    refitted: Annotated[
        bool, typer.Option("--refitted", help="Use the model trained on all rows that certify --refit stored.")
    ] = False,
    trust: Annotated[
        list[str] | None,
        typer.Option(help="Dotted path of a type outside scikit-learn that may be loaded; repeatable."),
    ] = None,
    delimiter: Annotated[str | None, typer.Option(help=_AS_IN_RUN.format("Separator of its columns"))] = None,
    encoding: Annotated[str | None, typer.Option(help=_AS_IN_RUN.format("Its encoding, such as latin-1"))] = None,
    decimal: Annotated[str | None, typer.Option(help=_AS_IN_RUN.format("Its decimal separator, . or ,"))] = None,
    max_memory: MAX_MEMORY = None,
    force: Annotated[bool, typer.Option("--force", help="Allow --out to replace a file.")] = False,
    as_json: JSON = False,
    quiet: QUIET = False,
) -> None:
    """Predict new rows with a certified model: one CSV line for each, with the label and the class probabilities.

    The table needs the columns that the model was trained on, by name and in any order; the target may be left out.
    What is guaranteed, or that nothing is, goes to stderr, and with --out to OUT.certificate.txt. Nothing is predicted
    if the certificate does not belong to the predictor. Do not load a model from people you do not trust without
    verifying it against the data first.

        pacbayes predict table-certificate new.csv --out predictions.csv
    """
    output = Output(as_json=as_json, quiet=quiet)
    if not folder.is_dir():
        hint = "" if folder.exists() else near_file(folder, RUN_FOLDERS)
        raise ValueError(f"The first argument must be a folder that certify wrote. Got {str(folder)!r} instead.{hint}")
    require_files(data)
    files = _refuse_places(out, data, force=force)
    stored = load_run(folder)
    given: dict[str, Any] = {"delimiter": delimiter, "encoding": encoding, "decimal": decimal}
    reading = replace(stored.settings, **{name: value for name, value in given.items() if value is not None})
    with output.aside():
        predictor = stored.open(tuple(trust or ()), refitted=refitted)
    with output.progress(f"Predicting {data.name} ..."):
        found = predictor.apply(load_rows(data, reading, stored.columns, max_memory))
    for words in (*map(sentence, found.notes), *_formula_words(predictor)):
        output.note(words)
    lines = list(_lines(predictor, found))
    claim = claim_words(predictor.certificate)
    told = (all_claims(predictor.certificate), *(f"Note: {words}" for words in predictor.cautions))
    beside = "".join(f"{line}\n" for line in told)
    output.result(_record(predictor, found, [str(path) for path in files]))
    if files:
        for path, text in zip(files, ("".join(f"{line}\n" for line in lines), beside), strict=True):
            write_atomically(path, text)
        output.note(f"wrote {len(found.labels)} predictions to {files[0]}, and what is guaranteed to {files[1].name}")
    elif not as_json:
        print_lines(lines)
    output.note(claim)
    for words in predictor.cautions:
        output.note(words, always=True)


def _refuse_places(out: Path | None, data: Path, *, force: bool) -> list[Path]:
    """Return the files to write, or say why not, before the work."""
    if out is None:
        return []
    if out.is_dir():
        raise ValueError(f"--out must be a file. {str(out)!r} is a folder.")
    if out.suffix.lower() != ".csv":
        raise ValueError(f"Predictions are written as CSV: --out must end in .csv. Got {str(out)!r} instead.")
    if not out.parent.is_dir():
        raise ValueError(f"There is no folder {str(out.parent)!r} for --out.")
    if out.resolve() == data.resolve():
        raise ValueError(f"--out must be another file than the new rows. Got {str(out)!r} for both.")
    files = [out, out.with_name(f"{out.name}{_SIDECAR}")]
    there = [path for path in files if path.exists()]
    if there and not force:
        raise ValueError(f"There is a file {str(there[0])!r} already. Choose another with --out, or pass --force.")
    return files


def _lines(predictor: RunPredictor, found: Predictions) -> Iterator[str]:
    """Yield the lines of the CSV file: labels, then the probability of each class."""
    shares = found.probabilities
    names = [] if shares is None else [f"probability_{label}" for label in predictor.classes]
    known = found.answered
    yield _line(["prediction", *([] if known is None else ["answered"]), *names])
    numbers = [[]] * len(found.labels) if shares is None else shares.tolist()
    marks = [[]] * len(found.labels) if known is None else [["yes" if each else "no"] for each in known]
    for label, mark, row in zip(found.answers.tolist(), marks, numbers, strict=True):
        yield _line([_NO_ANSWER if label is None else label, *mark, *(f"{share:.6g}" for share in row)])


def _formula_words(predictor: RunPredictor) -> list[str]:
    """Return what has to be known of classes that a spreadsheet would take for formulas, and compute."""
    odd = next((label for label in predictor.classes if isinstance(label, str) and label.startswith(_FORMULA)), None)
    return [] if odd is None else [f"the class {odd!r:.60} begins like a formula: do not open it in a spreadsheet"]


def _line(cells: list[object]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(cells)
    return text.getvalue()


def _record(predictor: RunPredictor, found: Predictions, files: list[str]) -> dict[str, object]:
    return {
        "sentence": claim_words(predictor.certificate),
        "certified": predictor.certificate is not None,
        "cautions": predictor.cautions,
        "classes": list(predictor.classes),
        "predictions": found.answers.tolist(),
        "probabilities": None if found.probabilities is None else found.probabilities.tolist(),
        "notes": [sentence(note) for note in found.notes],
        "files": files,
    }
