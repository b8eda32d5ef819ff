"""``pacbayes check``: somebody's predictions in a file, to a certificate and a report."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from pacbayes._core.near import require_files
from pacbayes.certificate.number_words import table_lines
from pacbayes.certificate.statement_table import claim_lines, opening_lines, record_statements
from pacbayes.cli._asked import COST, DIFFERENCE, GROUP, LABEL_METRIC
from pacbayes.cli._cautions import note_cautions
from pacbayes.cli._limits import MAX_MEMORY
from pacbayes.cli._output import JSON, QUIET, Output, tidy
from pacbayes.cli._reading import DECIMAL, DELIMITER, ENCODING
from pacbayes.metrics.asked import parse_asked
from pacbayes.report import compare_with_trivial
from pacbayes.runs import CheckedPredictions, PredictionFile, check_file
from pacbayes.runs.folder import check_folder
from pacbayes.runs.kinds import CHECK
from pacbayes.tables.words import list_formats

__all__ = ["check"]


@tidy
def check(
    data: Annotated[Path, typer.Argument(help=f"The file of predictions: {list_formats()}, also compressed.")],
    label: Annotated[str | None, typer.Option(help="The column of true labels.")] = None,
    prediction: Annotated[str | None, typer.Option(help="The column of predicted labels.")] = None,
    loss: Annotated[
        str | None,
        typer.Option(help="Instead of these two, a column of losses between 0 and 1, as of a regression."),
    ] = None,
    delta: Annotated[
        float, typer.Option(help="Allowed probability that the guarantee is wrong; choose it beforehand.")
    ] = 0.05,
    candidates: Annotated[int, typer.Option(help="How many models you compare on these rows; they share delta.")] = 1,
    metric: LABEL_METRIC = None,
    group: GROUP = None,
    difference: DIFFERENCE = False,
    cost: COST = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for certificate.json and report.html [default: DATA-certificate].")
    ] = None,
    missing_value: Annotated[
        list[str] | None, typer.Option(help="A text that stands for a missing value; repeatable.")
    ] = None,
    delimiter: DELIMITER = None,
    header: Annotated[
        bool, typer.Option(help="Whether the first line names the columns; if not, they are c1, c2, ...")
    ] = True,
    encoding: ENCODING = None,
    decimal: DECIMAL = ".",
    max_memory: MAX_MEMORY = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the run in the folder.")] = False,
    as_json: JSON = False,
    quiet: QUIET = False,
) -> None:
    """Certify predictions that any tool wrote: an upper limit on how often that predictor is wrong on new cases.

    The file has a row for each case, with its true label and the prediction. The guarantee holds if the predictor was
    fixed before anyone looked at these cases: they played no part in training it or in choosing it.

        pacbayes check predictions.csv --label truth --prediction model
    """
    _check(locals())


def _check(given: dict[str, Any]) -> None:
    """Carry out the command with its options."""
    data, output = given["data"], Output(as_json=given["as_json"], quiet=given["quiet"])
    require_files(data)
    named = {
        name: given[name] for name in ("label", "prediction", "loss", "delimiter", "header", "encoding", "decimal")
    }
    asked = parse_asked(given["metric"], given["group"], given["cost"], difference=given["difference"])
    columns = PredictionFile(missing_values=tuple(given["missing_value"] or ()), **named, **asked)
    folder = given["out"] or data.with_name(f"{data.name.partition('.')[0]}-certificate")
    check_folder(folder, kind=CHECK, force=given["force"])
    options = {name: given[name] for name in ("delta", "candidates", "max_memory")}
    with output.progress(f"Reading {data.name} ..."):
        checked = check_file(data, columns, **options)
    _show(output, checked, checked.save(folder, force=given["force"]), data)


def _show(output: Output, checked: CheckedPredictions, written: list[Path], data: Path) -> None:
    certificate, files = checked.certificate, {path.name: str(path) for path in written}
    output.result(
        {
            "sentence": certificate.sentence(),
            "certificate": certificate.to_dict(),
            "statements": record_statements(certificate),
            "notes": checked.notes,
            "files": files,
        }
    )
    note_cautions(output, certificate)
    if output.quiet:
        output.say(*opening_lines(certificate))
        return
    comparison = [each for each in compare_with_trivial(certificate, checked.judged.trivial) if each]
    claims = claim_lines(certificate) if certificate.is_listed else [certificate.sentence()]
    output.say(*claims, "", *table_lines(certificate), *([""] if comparison else []), *comparison)
    paths = (f"./{path}" if path.startswith("-") else path for path in (files["certificate.json"], str(data)))
    place, table = paths
    command = shlex.join(["pacbayes", "verify", place, "--data", table])
    output.say("", f"Report: {files['report.html']}", f"Verify: {command}")
