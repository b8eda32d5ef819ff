"""``pacbayes certify``: from a table to a folder with certificate, report and predictor."""

from __future__ import annotations

import shlex
from dataclasses import asdict, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from pacbayes._core.near import require_files
from pacbayes.certificate.notices import CAUTIONS
from pacbayes.certificate.number_words import table_lines
from pacbayes.certificate.statement_table import claim_lines, opening_lines, record_statements
from pacbayes.certificate.words import note_words
from pacbayes.cli._asked import COST, DIFFERENCE, GROUP, METRIC
from pacbayes.cli._engine import ENGINE, SCHEDULER
from pacbayes.cli._limits import MAX_MEMORY
from pacbayes.cli._output import JSON, QUIET, Output, tidy
from pacbayes.cli._reading import DECIMAL, DELIMITER, ENCODING
from pacbayes.engines import open_engine
from pacbayes.metrics.asked import parse_asked
from pacbayes.report import compare_with_trivial
from pacbayes.runs import METHODS, MODELS, Run, Settings, certify_file
from pacbayes.runs.words import claim_words, learning_words
from pacbayes.tables import Table, list_columns, name_columns
from pacbayes.tables.words import class_counts, list_formats

__all__ = ["certify"]

_MOST_COLUMNS = 20
_OPTIONS = ("test", "unlabelled", "force", "baseline", "threads", "max_memory", "strict")  # of a run, not settings
_METHODS = "; ".join(f"{name}: {method.help}" for name, method in METHODS.items())
_SHARES = ", ".join(
    f"{name} {'chosen during training' if method.fraction is None else format(method.fraction, 'g')}"
    for name, method in METHODS.items()
    if method.fraction != 1.0
)

Data = Annotated[
    Path,
    typer.Argument(
        help=f"The table: {list_formats()}, also compressed; or a folder of Parquet or Arrow files; or a pattern in "
        "quotes, such as 'parts/*.parquet'."
    ),
]
Target = Annotated[str | None, typer.Option(help="The column to predict; its values are the classes  [required].")]
Test = Annotated[
    Path | None,
    typer.Option(help="A table with the same columns to evaluate on; the model is then trained on all rows of DATA."),
]
Refit = Annotated[
    bool,
    typer.Option("--refit", help="Also train a second model on all rows and store it; that model is not certified."),
]
Unlabelled = Annotated[
    Path | None,
    typer.Option(
        help="A table of fresh rows, with or without labels: certifies the model of --refit by how rarely the two "
        "models disagree."
    ),
]
Model = Annotated[str, typer.Option(help=f"{', '.join(MODELS)}, or package.module.Class of a classifier.")]
Delta = Annotated[
    float, typer.Option(help="Allowed probability that the guarantee is wrong, in (0, 1); choose it beforehand.")
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
Drop = Annotated[list[str] | None, typer.Option(help="A column to leave out, or several: --drop a,b; repeatable.")]
Time = Annotated[
    str | None,
    typer.Option(
        help="The column that holds the time of each row: the model is trained on the earlier rows and evaluated on "
        "the later ones, without a shuffle. The column itself is not used to predict."
    ),
]
Positive = Annotated[str | None, typer.Option(help="Predict this class against all others together.")]
MaxError = Annotated[
    float | None,
    typer.Option(
        help="Answer only where the model is sure, such that the error among answered cases is certified to be at most "
        "this; between 0 and 1."
    ),
]
MaxMisses = Annotated[
    float | None,
    typer.Option(
        "--max-false-negative-rate",
        help="Predict the class of --positive from so low a probability on that at most this share of its cases is "
        "missed; between 0 and 1.",
    ),
]
Missing = Annotated[
    str,
    typer.Option(
        help="refuse: stop if values are missing. category: a missing text is a category of its own, a missing number "
        "is set to the mean and marked in a further column."
    ),
]
MissingValue = Annotated[
    list[str] | None, typer.Option(help="A text that stands for a missing value, such as '?'; repeatable.")
]
Share = Annotated[
    float | None, typer.Option(help=f"Share of the rows to train on, before the judged rows [default: {_SHARES}].")
]
Candidates = Annotated[
    int,
    typer.Option(
        help="How many settings you compare by their certificates on these rows; each is given an equal share of delta."
    ),
]
MaxLearningRows = Annotated[
    int,
    typer.Option(help="The most rows that split trains on, whatever their share is; all others are judged."),
]
Seed = Annotated[int, typer.Option(help="Seed of the random numbers; the same seed gives the same result.")]
Header = Annotated[bool, typer.Option(help="Whether the first line names the columns; if not, they are c1, c2, ...")]
WithBaseline = Annotated[
    bool,
    typer.Option("--baseline/--no-baseline", help="Also compute what a hold-out would give, for comparison only."),
]
Hardest = Annotated[int, typer.Option(help="Show this many of the hardest rows, with their values.", min=0)]
Threads = Annotated[int, typer.Option(help="Number of threads for linear algebra and boosting.", min=1)]
Strict = Annotated[bool, typer.Option("--strict", help="Issue no certificate if a note puts the number in doubt.")]
Force = Annotated[bool, typer.Option("--force", help="Replace the run in the folder.")]


@tidy
def certify(
    data: Data,
    target: Target = None,
    test: Test = None,
    model: Model = "logistic",
    delta: Delta = 0.05,
    method: ChosenMethod = "auto",
    out: Out = None,
    drop: Drop = None,
    time: Time = None,
    positive: Positive = None,
    max_error: MaxError = None,
    max_false_negative_rate: MaxMisses = None,
    missing: Missing = "refuse",
    missing_value: MissingValue = None,
    metric: METRIC = None,
    group: GROUP = None,
    difference: DIFFERENCE = False,
    cost: COST = None,
    learning_fraction: Share = None,
    max_learning_rows: MaxLearningRows = 1_000_000,
    candidates: Candidates = 1,
    seed: Seed = 0,
    refit: Refit = False,
    unlabelled: Unlabelled = None,
    delimiter: DELIMITER = None,
    header: Header = True,
    encoding: ENCODING = None,
    decimal: DECIMAL = ".",
    baseline: WithBaseline = True,
    hardest: Hardest = 0,
    threads: Threads = 1,
    max_memory: MAX_MEMORY = None,
    engine: ENGINE = "local",
    scheduler: SCHEDULER = None,
    force: Force = False,
    strict: Strict = False,
    as_json: JSON = False,
    quiet: QUIET = False,
) -> None:
    """Train a classifier on a table and certify it: an upper limit on its error on new cases, at confidence 1 - delta.

    Trains the model on some of the rows, computes the guarantee on the others, and writes certificate.json, report.html
    and the predictor (plain JSON, or skops for models of scikit-learn) to a folder.

    A table with missing values, another model, and a file with semicolons and decimal commas:

    \b
        pacbayes certify churn.csv --target churn --missing category --drop customer_id
        pacbayes certify churn.parquet --target churn --model hist-gradient-boosting
        pacbayes certify kunden.csv --target status --decimal , --encoding latin-1
    """  # noqa: D301  (the mark of lines to keep)
    _certify(locals())


def _certify(given: dict[str, Any]) -> None:
    """Carry out the command with its options."""
    data, output = given["data"], Output(as_json=given["as_json"], quiet=given["quiet"])
    require_files(data, given["test"], given["unlabelled"])
    if given["target"] is None:
        raise ValueError(_ask_for_target(given))
    folder = given["out"] or _name_folder(data)
    options = {name: given[name] for name in _OPTIONS}
    options |= {"out": folder, "progress": output.progress, "announce": lambda read: _show_table(output, read)}
    settings = _make_settings(given)
    with open_engine(given["engine"], given["scheduler"], output.advance) as runner:
        run = certify_file(data, settings, runner=runner, **options)
        written = _save(run, output, folder, given)
    _show(output, run, written, [(f"--{name}", given[name]) for name in ("data", "test", "unlabelled")])


def _save(run: Run, output: Output, folder: Path, given: dict[str, Any]) -> list[Path]:
    """Write the folder; where that fails, say what was certified, lest a long run be for nothing."""
    try:
        with output.aside():
            return run.save(folder, force=given["force"], hardest=given["hardest"])
    except Exception:
        output.note(f"certified, but not saved: {run.certificate.sentence()}")
        raise


def _ask_for_target(given: dict[str, Any]) -> str:
    """Return what to pass, with the columns that there are; a table that cannot be read is refused as always."""
    reading = {name: given[name] for name in ("delimiter", "header", "encoding", "decimal", "max_memory")}
    names = name_columns(list_columns(given["data"], **reading))
    return f"Pass the column to predict: --target NAME. The columns of {given['data'].name!r} are {names}."


def _name_folder(data: Path) -> Path:
    """Return the folder beside the table that its run is written to: named after the file, or the folder of files."""
    named = data if data.exists() or not any(mark in data.name for mark in "*?[") else data.parent
    named = named if named.name else named.resolve()
    return named.with_name(f"{named.name.partition('.')[0]}-certificate")


def _make_settings(given: dict[str, Any]) -> Settings:
    """Return the options that are settings of a run."""
    named = {each.name: given[each.name] for each in fields(Settings) if each.name in given}
    lists = {"drop": tuple(given["drop"] or ()), "missing_values": tuple(given["missing_value"] or ())}
    asked = parse_asked(given["metric"], given["group"], given["cost"], difference=given["difference"])
    return Settings(**named | lists | asked)


def _show_table(output: Output, table: Table) -> None:
    for note in table.notes:
        output.note(note_words(note), always=note.code in CAUTIONS)
    if output.quiet or output.as_json:
        return
    rows = [[c.name, c.kind, str(c.distinct), str(c.missing)] for c in table.columns[:_MOST_COLUMNS]]
    if len(table.columns) > _MOST_COLUMNS:
        rows.append([f"... and {len(table.columns) - _MOST_COLUMNS} more", "", "", ""])
    output.table(["column", "read as", "distinct", "missing"], rows, numbers=(2, 3))
    classes = f"{len(table.classes)} classes ({class_counts(table.classes, table.counts, 6)})"
    parts = (
        ""
        if table.learning is None
        else f" ({table.learning} to train on, {len(table.y) - table.learning} to evaluate on)"
    )
    output.say(f"{len(table.y)} rows{parts}; target {table.target!r}: {classes}", "")


def _show(output: Output, run: Run, written: list[Path], tables: list[tuple[str, Path | None]]) -> None:
    certificate, files = run.certificate, {path.name: str(path) for path in written}
    further = [] if run.transfer is None else run.transfer.notes
    for note in dict.fromkeys([*certificate.notes, *further]):
        if note not in run.table.notes:  # those were shown before the work
            output.note(note_words(note), always=note.code in CAUTIONS)
    output.result(
        {
            "sentence": certificate.sentence(),
            "certificate": certificate.to_dict(),
            "statements": record_statements(certificate),
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
        output.say(*opening_lines(certificate), *second)
        return
    comparison = [each for each in compare_with_trivial(certificate, run.trivial) if each]
    claims = claim_lines(certificate) if certificate.is_listed else [certificate.sentence()]
    trained = [each for each in [learning_words(run)] if each is not None]
    after = ["", *comparison] if comparison else []
    output.say(*claims, *second, *trained, "", *table_lines(certificate), *after)
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
