"""``pacbayes compare``: the predictions of several models in a file, to certified differences and a report."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from pacbayes._core.near import require_files
from pacbayes.certificate.number_words import table_lines
from pacbayes.certificate.words import sentences
from pacbayes.cli._cautions import note_cautions
from pacbayes.cli._limits import MAX_MEMORY
from pacbayes.cli._output import JSON, QUIET, Output, tidy
from pacbayes.cli._reading import DECIMAL, DELIMITER, ENCODING
from pacbayes.runs import ComparedPredictions, ComparisonFile, compare_file
from pacbayes.runs.folder import check_folder
from pacbayes.runs.kinds import COMPARISON
from pacbayes.tables.words import list_formats

__all__ = ["compare"]


DATA = Annotated[Path, typer.Argument(help=f"The file of predictions: {list_formats()}, also compressed.")]
LABEL = Annotated[str | None, typer.Option(help="The column of true labels.")]
PREDICTION = Annotated[
    list[str] | None, typer.Option(help="A column of predicted labels, of one model; give it for each model.")
]
LOSS = Annotated[
    list[str] | None,
    typer.Option(help="Instead of both, a column of losses between 0 and 1, of one model; give it for each."),
]
BASELINE = Annotated[
    str | None, typer.Option(help="The column that the others are compared with [default: the first].")
]
DELTA = Annotated[
    float, typer.Option(help="Allowed probability that any of the limits is wrong; choose it beforehand.")
]
ANYTIME = Annotated[
    bool,
    typer.Option(
        "--anytime", help="Limits for all numbers of rows at once: for a file that grows and is looked at often."
    ),
]
CANDIDATES = Annotated[int, typer.Option(help="How many such comparisons you make on these rows.")]
OUT = Annotated[
    Path | None, typer.Option(help="Folder for certificate.json and report.html [default: DATA-comparison].")
]
MISSING = Annotated[list[str] | None, typer.Option(help="A text that stands for a missing value; may be given again.")]
HEADER = Annotated[bool, typer.Option(help="Whether the first line names the columns; if not, c1, c2, ...")]
FORCE = Annotated[bool, typer.Option("--force", help="Replace the run in the folder.")]


@tidy
def compare(
    data: DATA,
    label: LABEL = None,
    prediction: PREDICTION = None,
    loss: LOSS = None,
    baseline: BASELINE = None,
    delta: DELTA = 0.05,
    anytime: ANYTIME = False,
    candidates: CANDIDATES = 1,
    out: OUT = None,
    missing_value: MISSING = None,
    delimiter: DELIMITER = None,
    header: HEADER = True,
    encoding: ENCODING = None,
    decimal: DECIMAL = ".",
    max_memory: MAX_MEMORY = None,
    force: FORCE = False,
    as_json: JSON = False,
    quiet: QUIET = False,
) -> None:
    """Certify which of two models is better on new cases, and by how much at least and at most.

    The file has a row for each case, with its true label and what each model predicted. Only the rows on which one
    model errs and the other does not tell them apart; that one is better is said exactly where McNemar's exact test
    says so. Several models are each compared with one, and all limits hold together.

    \b
        pacbayes compare predictions.csv --label truth --prediction old --prediction new

    The guarantee holds if the models were fixed before these cases were looked at.
    """  # noqa: D301  (the mark of lines to keep)
    output = Output(as_json=as_json, quiet=quiet)
    require_files(data)
    columns = ComparisonFile(
        label=label,
        predictions=tuple(prediction or ()),
        losses=tuple(loss or ()),
        baseline=baseline,
        delimiter=delimiter,
        header=header,
        encoding=encoding,
        decimal=decimal,
        missing_values=tuple(missing_value or ()),
    )
    folder = out if out is not None else data.with_name(f"{data.name.partition('.')[0]}-comparison")
    check_folder(folder, kind=COMPARISON, force=force)
    with output.progress(f"Reading {data.name} ..."):
        found = compare_file(data, columns, delta=delta, candidates=candidates, anytime=anytime, max_memory=max_memory)
    _show(output, found, found.save(folder, force=force), data)


def _show(output: Output, found: ComparedPredictions, written: list[Path], data: Path) -> None:
    certificate, files = found.certificate, {path.name: str(path) for path in written}
    said = sentences(certificate)
    output.result({"sentences": said, "certificate": certificate.to_dict(), "files": files})
    note_cautions(output, certificate)
    output.say(*said)
    if output.quiet:
        return
    place, table = (f"./{path}" if path.startswith("-") else path for path in (files["certificate.json"], str(data)))
    command = shlex.join(["pacbayes", "verify", place, "--data", table])
    output.say("", *table_lines(certificate), "", f"Report: {files['report.html']}", f"Verify: {command}")
