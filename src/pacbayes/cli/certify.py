"""``pacbayes certify``: from a table to a folder with certificate, report and predictor."""

from __future__ import annotations

import shlex
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from pacbayes.cli._hardest import hardest_rows
from pacbayes.cli._output import JSON, QUIET, Output, tidy
from pacbayes.report import compare_with_trivial, render
from pacbayes.runs import METHODS, Run, Settings, certify_table, chosen_method, classifier, write_run
from pacbayes.tables import Table, prepared, read_table

__all__ = ["certify", "certify_to_folder"]

Data = Annotated[Path, typer.Argument(help="The table: .csv, .tsv, .parquet, .arrow or .feather, also compressed.")]
Target = Annotated[str, typer.Option(help="The column to predict; its values are the classes.")]
Model = Annotated[
    str, typer.Option(help="logistic, hist-gradient-boosting, random-forest, or package.module.Class of a classifier.")
]
Delta = Annotated[
    float, typer.Option(help="Allowed probability that the guarantee is wrong, between 0 and 1; choose it beforehand.")
]
Method = Annotated[
    str,
    typer.Option(
        help="posterior: part of the rows teaches the model, the rest judges it (logistic, two classes). online: the "
        "model predicts rows before it learns from them. holdout: a fifth is kept for testing. auto: posterior for "
        "logistic with two classes; otherwise online below 10000 rows, from there holdout."
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(help="Folder for certificate.json, report.html and the predictor [default: DATA-certificate]."),
]
Share = Annotated[
    float | None,
    typer.Option(
        help="Share of the rows for training before the judged rows begin [posterior 0.4, online 0.2, holdout 0.8]."
    ),
]
Missing = Annotated[
    str, typer.Option(help="refuse: stop where values are missing. category: keep them as a category of their own.")
]


@tidy
def certify(
    data: Data,
    target: Target,
    model: Model = "logistic",
    delta: Delta = 0.05,
    method: Method = "auto",
    out: Out = None,
    drop: Annotated[list[str] | None, typer.Option(help="A column to leave out; may be given again.")] = None,
    positive: Annotated[str | None, typer.Option(help="One class; all others are taken together as 'not' it.")] = None,
    missing: Missing = "refuse",
    missing_value: Annotated[
        list[str] | None, typer.Option(help="A text that stands for a missing value, such as '?'; may be given again.")
    ] = None,
    prior_fraction: Share = None,
    candidates: Annotated[
        int,
        typer.Option(
            help="How many settings you compare by their certificates on these rows; each gets its share of delta."
        ),
    ] = 1,
    seed: Annotated[int, typer.Option(help="Start of the random numbers: the same seed gives the same result.")] = 0,
    delimiter: Annotated[
        str | None, typer.Option(help="What separates the columns of a text file [default: found in its first line].")
    ] = None,
    header: Annotated[bool, typer.Option(help="Whether the first line names the columns; if not, c1, c2, ...")] = True,
    baseline: Annotated[
        bool, typer.Option(help="Compute also what a hold-out would give, for comparison only.")
    ] = True,
    hardest: Annotated[int, typer.Option(help="Show this many of the hardest rows, with their values.", min=0)] = 0,
    threads: Annotated[int, typer.Option(help="For linear algebra and boosting.", min=1)] = 1,
    force: Annotated[bool, typer.Option("--force", help="Write into a folder that is not empty.")] = False,
    as_json: JSON = False,
    quiet: QUIET = False,
) -> None:
    """Certify a classifier on a table: its error on new cases is at most a number, with probability 1 - delta.

    Learns the model, computes the guarantee on rows it did not learn from, and writes certificate.json, report.html
    and the predictor (plain JSON, or skops for models of scikit-learn) into a folder.
    """
    output = Output(as_json=as_json, quiet=quiet)
    settings = Settings(
        target=target,
        model=model,
        delta=delta,
        prior_fraction=prior_fraction,
        candidates=candidates,
        seed=seed,
        missing=missing,
        positive=positive,
        drop=tuple(drop or ()),
        delimiter=delimiter,
        header=header,
        missing_values=tuple(missing_value or ()),
    )
    _check(settings)
    if method != "auto" and method not in METHODS:
        raise ValueError(f"--method must be auto, {', '.join(METHODS)}. Got {method!r} instead.")
    if data.is_dir():
        raise ValueError(f"The data must be a file. {str(data)!r} is a folder.")
    folder = out if out is not None else data.with_name(f"{data.name.partition('.')[0]}-certificate")
    options = {"baseline": baseline, "threads": threads}
    certify_to_folder(output, data, settings, method, folder, hardest=hardest, force=force, **options)


def _check(settings: Settings) -> None:
    if not 0.0 < settings.delta < 1.0:
        raise ValueError(f"--delta must lie between 0 and 1, such as 0.05. Got {settings.delta:g} instead.")
    if settings.candidates < 1:
        raise ValueError(f"--candidates must be a whole number of at least 1. Got {settings.candidates} instead.")
    if settings.missing not in {"refuse", "category"}:
        raise ValueError(f"--missing must be refuse or category. Got {settings.missing!r} instead.")
    if settings.delimiter is not None and len(settings.delimiter) != 1:
        raise ValueError(f"--delimiter must be a single character. Got {settings.delimiter!r} instead.")
    if settings.prior_fraction is not None and not 0.0 < settings.prior_fraction < 1.0:
        raise ValueError(f"--prior-fraction must lie strictly between 0 and 1. Got {settings.prior_fraction} instead.")
    if not 0 <= settings.seed < 2**32:
        raise ValueError(f"--seed must be a whole number between 0 and 2**32 - 1. Got {settings.seed} instead.")
    classifier(settings.model, settings.seed)


def certify_to_folder(
    output: Output,
    data: Path,
    settings: Settings,
    method: str,
    folder: Path,
    *,
    hardest: int = 0,
    force: bool = False,
    **options: Any,
) -> Run:
    """Read, certify, write and print: all of the command but its arguments."""
    _refuse_full(folder, force=force)
    with output.progress(f"Reading {data.name} ..."):
        table = load(data, settings)
    chosen, why = chosen_method(method, settings.model, len(table.classes), len(table.y))
    settings = replace(settings, method=chosen)
    _show_table(output, table)
    with output.progress(f"Certifying {settings.model} on {len(table.y)} rows (method: {why}) ..."):
        run = certify_table(table, settings, **options)
    page = render(
        run.certificate,
        about=_about(data, run, why),
        columns=[asdict(column) for column in table.columns],
        baseline=run.baseline,
        trivial=_trivial(table),
        notes=table.notes,
        curve=run.curve,
        hardest=hardest_rows(run, hardest),
        commands=_commands(data, settings),
    )
    written = write_run(run, folder, page, force=force)
    _show(output, run, written, why)
    return run


def load(data: Path, settings: Settings) -> Table:
    """Read the table of some settings."""
    frame = read_table(
        data, delimiter=settings.delimiter, header=settings.header, missing_values=settings.missing_values
    )
    return prepared(frame, settings.target, drop=settings.drop, positive=settings.positive, missing=settings.missing)


def _refuse_full(folder: Path, *, force: bool) -> None:
    """Find out before the work whether its result can be written."""
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"--out must be a folder. {str(folder)!r} is a file.")
    if folder.is_dir() and any(folder.iterdir()) and not force:
        raise ValueError(f"The folder {str(folder)!r} is not empty. Choose another with --out, or give --force.")


def _show_table(output: Output, table: Table) -> None:
    if output.quiet or output.as_json:
        return
    rows = [[c.name, c.kind, str(c.distinct), str(c.missing)] for c in table.columns[:20]]
    if len(table.columns) > 20:
        rows.append([f"... and {len(table.columns) - 20} more", "", "", ""])
    output.table(["column", "taken as", "different", "missing"], rows, numbers=(2, 3))
    output.say(f"{len(table.y)} rows; target {table.target!r}: {len(table.classes)} classes ({_classes(table, 6)})\n")
    for note in table.notes:
        output.note(note)


def _classes(table: Table, most: int) -> str:
    shown = [f"{label}: {count}" for label, count in zip(table.classes, table.counts, strict=True)]
    return ", ".join(shown[:most]) + (", ..." if len(shown) > most else "")


def _trivial(table: Table) -> dict[str, Any]:
    """The most common answer, and the share of rows on which it would be wrong."""
    most = max(range(len(table.counts)), key=table.counts.__getitem__)
    return {"label": table.classes[most], "share": 1.0 - table.counts[most] / len(table.y)}


def _about(data: Path, run: Run, why: str) -> dict[str, str]:
    return {
        "Data": data.name,
        "Rows": str(len(run.table.y)),
        "Target": run.settings.target,
        "Classes": _classes(run.table, 12),
        "Model": run.settings.model,
        "Method": why,
    }


def _commands(data: Path, settings: Settings) -> list[tuple[str, str]]:
    delta = f"{settings.delta:g}"
    return [
        ("The number follows from the recorded statistics", "pacbayes verify certificate.json"),
        (
            "The statistics and the predictor follow from the data",
            f"pacbayes verify certificate.json --data {shlex.quote(data.name)} --model model.json",
        ),
        ("The number at a delta", f"pacbayes bound --from certificate.json --delta {delta}"),
    ]


def _show(output: Output, run: Run, written: list[Path], why: str) -> None:
    certificate = run.certificate
    files = {path.name: str(path) for path in written}
    output.result(
        {
            "sentence": certificate.sentence(),
            "certificate": certificate.to_dict(),
            "method": run.settings.method,
            "why": why,
            "baseline": run.baseline,
            "rows": len(run.table.y),
            "classes": list(run.table.classes),
            "columns": [asdict(column) for column in run.table.columns],
            "files": files,
        }
    )
    if output.quiet:
        output.say(certificate.sentence())
        return
    output.say(str(certificate))
    for words in compare_with_trivial(certificate, _trivial(run.table)):
        if words:
            output.say(("" if words.startswith("This") else "\n") + words)
    output.say("\nReport: " + files["report.html"])
    output.say(f"Verify: pacbayes verify {shlex.quote(files['certificate.json'])}")
