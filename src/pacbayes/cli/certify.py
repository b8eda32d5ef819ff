"""``pacbayes certify``: from a table to a folder with certificate, report and predictor."""

from __future__ import annotations

import shlex
from dataclasses import asdict, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from pacbayes.certificate.number_words import table_lines
from pacbayes.certificate.words import note_words
from pacbayes.cli._limits import MAX_MEMORY
from pacbayes.cli._output import JSON, QUIET, Output, tidy
from pacbayes.report import compare_with_trivial
from pacbayes.runs import METHODS, MODELS, Run, Settings, certify_file
from pacbayes.runs.words import claim_words
from pacbayes.tables import Table
from pacbayes.tables.words import class_counts, list_formats

__all__ = ["certify"]

_MOST_COLUMNS = 20
_OPTIONS = ("test", "unlabelled", "force", "baseline", "threads", "max_memory", "strict")  # of a run, not settings
_METHODS = "; ".join(f"{name}: {method.help}" for name, method in METHODS.items())
_SHARES = ", ".join(
    f"{name} {'found on the way' if method.fraction is None else format(method.fraction, 'g')}"
    for name, method in METHODS.items()
    if method.fraction != 1.0
)

Data = Annotated[Path, typer.Argument(help=f"The table: {list_formats()}, also compressed.")]
Target = Annotated[str, typer.Option(help="The column to predict; its values are the classes.")]
Test = Annotated[
    Path | None,
    typer.Option(help="A table of the same columns to judge on; then all rows of the first are learned from."),
]
Refit = Annotated[
    bool,
    typer.Option(
        "--refit", help="Train a second model on all rows, and keep it beside the certified one: not certified."
    ),
]
Unlabelled = Annotated[
    Path | None,
    typer.Option(
        help="A table of fresh rows, labels or not: certifies the model of --refit by how rarely both disagree."
    ),
]
Model = Annotated[str, typer.Option(help=f"{', '.join(MODELS)}, or package.module.Class of a classifier.")]
Delta = Annotated[
    float, typer.Option(help="Allowed probability that the guarantee is wrong, between 0 and 1; choose it beforehand.")
]
ChosenMethod = Annotated[
    str,
    typer.Option(
        "--method",
        help=f"{_METHODS}. auto is split for every model.",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(help="Folder for certificate.json, report.html and the predictor [default: DATA-certificate]."),
]
Drop = Annotated[
    list[str] | None, typer.Option(help="A column to leave out, or several: --drop a,b; may be given again.")
]
Time = Annotated[
    str | None,
    typer.Option(
        help="Column that says when the rows were: learn from the earlier and judge on the later ones, without a "
        "shuffle; it is not predicted from."
    ),
]
Positive = Annotated[str | None, typer.Option(help="One class; all others are taken together as 'not' it.")]
Missing = Annotated[
    str, typer.Option(help="refuse: stop where values are missing. category: keep them as a category of their own.")
]
MissingValue = Annotated[
    list[str] | None, typer.Option(help="A text that stands for a missing value, such as '?'; may be given again.")
]
Share = Annotated[
    float | None, typer.Option(help=f"Share of the rows for training before the judged rows begin [{_SHARES}].")
]
Candidates = Annotated[
    int,
    typer.Option(
        help="How many settings you compare by their certificates on these rows; each gets its share of delta."
    ),
]
Seed = Annotated[int, typer.Option(help="Start of the random numbers: the same seed gives the same result.")]
Delimiter = Annotated[
    str | None, typer.Option(help="What separates the columns of a text file [default: found in its first line].")
]
Header = Annotated[bool, typer.Option(help="Whether the first line names the columns; if not, c1, c2, ...")]
Encoding = Annotated[
    str | None, typer.Option(help="Encoding of a text file, such as latin-1 or utf-16 [default: utf-8].")
]
Decimal = Annotated[str, typer.Option(help="What separates the decimals of numbers in a text file: . or ,")]
WithBaseline = Annotated[
    bool,
    typer.Option("--baseline/--no-baseline", help="Compute also what a hold-out would give, for comparison only."),
]
Hardest = Annotated[int, typer.Option(help="Show this many of the hardest rows, with their values.", min=0)]
Threads = Annotated[int, typer.Option(help="For linear algebra and boosting.", min=1)]
Strict = Annotated[
    bool, typer.Option("--strict", help="Issue nothing where something is noticed that puts the number in doubt.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace the run in the folder.")]


@tidy
def certify(
    data: Data,
    target: Target,
    test: Test = None,
    model: Model = "logistic",
    delta: Delta = 0.05,
    method: ChosenMethod = "auto",
    out: Out = None,
    drop: Drop = None,
    time: Time = None,
    positive: Positive = None,
    missing: Missing = "refuse",
    missing_value: MissingValue = None,
    learning_fraction: Share = None,
    candidates: Candidates = 1,
    seed: Seed = 0,
    refit: Refit = False,
    unlabelled: Unlabelled = None,
    delimiter: Delimiter = None,
    header: Header = True,
    encoding: Encoding = None,
    decimal: Decimal = ".",
    baseline: WithBaseline = True,
    hardest: Hardest = 0,
    threads: Threads = 1,
    max_memory: MAX_MEMORY = None,
    force: Force = False,
    strict: Strict = False,
    as_json: JSON = False,
    quiet: QUIET = False,
) -> None:
    """Certify a classifier on a table: its error on new cases is at most a number, with probability 1 - delta.

    Learns the model, computes the guarantee on rows it did not learn from, and writes certificate.json, report.html
    and the predictor (plain JSON, or skops for models of scikit-learn) into a folder.
    """
    given = locals()
    output = Output(as_json=as_json, quiet=quiet)
    folder = out if out is not None else data.with_name(f"{data.name.partition('.')[0]}-certificate")
    options = {name: given[name] for name in _OPTIONS}
    options |= {"out": folder, "progress": output.progress, "announce": lambda read: _show_table(output, read)}
    run = certify_file(data, _make_settings(given), **options)
    with output.aside():
        written = run.save(folder, force=force, hardest=hardest)
    _show(output, run, written, [("--data", data), ("--test", test), ("--unlabelled", unlabelled)])


def _make_settings(given: dict[str, Any]) -> Settings:
    """Return the options that are settings of a run."""
    named = {each.name: given[each.name] for each in fields(Settings) if each.name in given}
    lists = {"drop": tuple(given["drop"] or ()), "missing_values": tuple(given["missing_value"] or ())}
    return Settings(**named | lists)


def _show_table(output: Output, table: Table) -> None:
    for note in table.notes:
        output.note(note_words(note))
    if output.quiet or output.as_json:
        return
    rows = [[c.name, c.kind, str(c.distinct), str(c.missing)] for c in table.columns[:_MOST_COLUMNS]]
    if len(table.columns) > _MOST_COLUMNS:
        rows.append([f"... and {len(table.columns) - _MOST_COLUMNS} more", "", "", ""])
    output.table(["column", "taken as", "different", "missing"], rows, numbers=(2, 3))
    classes = f"{len(table.classes)} classes ({class_counts(table.classes, table.counts, 6)})"
    parts = (
        "" if table.learning is None else f", {table.learning} to learn from, {len(table.y) - table.learning} to judge"
    )
    output.say(f"{len(table.y)} rows{parts}; target {table.target!r}: {classes}", "")


def _show(output: Output, run: Run, written: list[Path], tables: list[tuple[str, Path | None]]) -> None:
    certificate, files = run.certificate, {path.name: str(path) for path in written}
    further = [] if run.transfer is None else run.transfer.notes
    for note in dict.fromkeys([*certificate.notes, *further]):
        if note not in run.table.notes:  # those were shown before the work
            output.note(note_words(note))
    output.result(
        {
            "sentence": certificate.sentence(),
            "certificate": certificate.to_dict(),
            "transfer": None if run.transfer is None else run.transfer.to_dict(),
            "method": run.settings.method,
            "why": run.method,
            "baseline": None if run.baseline is None else asdict(run.baseline),
            "rows": len(run.table.y),
            "classes": list(run.table.classes),
            "columns": [asdict(column) for column in run.table.columns],
            "files": files,
        }
    )
    second = [claim_words(run.transfer)] if run.settings.refit else []
    if output.quiet:
        output.say(certificate.sentence(), *second)
        return
    comparison, warning = compare_with_trivial(certificate, run.trivial)
    output.say(
        certificate.sentence(), *second, "", *table_lines(certificate), "", comparison, *([warning] if warning else [])
    )
    places = [f"Report: {files['report.html']}", f"Use:    see {files['README.txt']}"]
    output.say("", *places, f"Verify: {_verify_command(tables, run, files)}")


def _verify_command(tables: list[tuple[str, Path | None]], run: Run, files: dict[str, str]) -> str:
    """Return what to type for everything to be run again and compared."""
    trust = [word for name in run.trust for word in ("--trust", name)]
    named = [word for option, path in tables if path is not None for word in (option, _path_word(str(path)))]
    return shlex.join(["pacbayes", "verify", _path_word(files["certificate.json"]), *named, *trust])


def _path_word(path: str) -> str:
    """Return a path that does not read like an option."""
    return f"./{path}" if path.startswith("-") else path
