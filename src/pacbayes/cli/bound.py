"""``pacbayes bound`` and ``pacbayes bounds``: every bound of the catalogue from plain numbers."""

from __future__ import annotations

import csv
import itertools
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from pacbayes.bounds import catalogue
from pacbayes.certificate import Certificate
from pacbayes.certificate._words import rounded_up
from pacbayes.cli._output import JSON, QUIET, Output, tidy
from pacbayes.report import value_at
from pacbayes.runs._plan import arguments_of, bound_named, bound_of

__all__ = ["bound", "bounds"]

_MOST_POINTS = 100_000
_VECTORS = ("frequencies", "values", "log_growth", "rates", "weights")


def _number(text: str) -> Any:
    return typer.Option(help=text, metavar="numbers")


def _vector(text: str) -> Any:
    return typer.Option(help=text, metavar="list")


@tidy
def bound(
    name: Annotated[str | None, typer.Argument(help="Its name; 'pacbayes bounds' lists them.")] = None,
    risk: Annotated[str | None, _number("Observed mean loss.")] = None,
    kl: Annotated[
        str | None, _number("Divergence of posterior from prior, in nats: how far the data moved the model.")
    ] = None,
    n: Annotated[str | None, _number("Number of examples.")] = None,
    delta: Annotated[str, _number("Allowed probability that the bound is wrong.")] = "0.05",
    errors: Annotated[str | None, _number("Number of errors (clopper_pearson).")] = None,
    reference: Annotated[str | None, _number("Mean loss of a reference model.")] = None,
    plus: Annotated[str | None, _number("Mean of the positive part of loss less reference.")] = None,
    minus: Annotated[str | None, _number("Mean of the negative part.")] = None,
    excess: Annotated[str | None, _number("Mean of loss less reference.")] = None,
    second: Annotated[str | None, _number("Mean square of loss less reference.")] = None,
    variance: Annotated[str | None, _number("Sample variance of the loss.")] = None,
    frequencies: Annotated[str | None, _vector("Shares of the kinds of error (vector_kl).")] = None,
    values: Annotated[str | None, _vector("What each kind of error costs (vector_kl).")] = None,
    log_growth: Annotated[str | None, _vector("Mean log(1 - rate * loss), one per rate (betting).")] = None,
    rates: Annotated[str | None, _vector("Rates in (0, 1) (betting).")] = None,
    weights: Annotated[str | None, _vector("Share of delta for each rate (betting).")] = None,
    source: Annotated[
        Path | None, typer.Option("--from", help="Take the bound and its statistics from a certificate.")
    ] = None,
    csv_in: Annotated[
        Path | None, typer.Option(help="A CSV file whose columns are these options, one bound per row.")
    ] = None,
    csv_out: Annotated[
        Path | None, typer.Option(help="Write all rows and their values to a CSV file; '-' is stdout.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Let --csv-out replace a file.")] = False,
    as_json: JSON = False,
    quiet: QUIET = False,
) -> None:
    """Compute a bound from plain numbers: with probability 1 - delta the true risk (or excess) is at most this.

    Each number may also be a list (0.01,0.02) or a range (first:last:count); all combinations are computed.

    Numbers are printed rounded up, so that they stay bounds; --json gives all digits. Statistics that are not given
    follow from --risk as for a loss that is 0 or 1, which is on the safe side for
    any loss between (but clopper_pearson and vector_kl are for losses of 0 and 1 alone).
    """
    output = Output(as_json=as_json, quiet=quiet)
    texts = {
        "risk": risk,
        "kl": kl,
        "n": n,
        "delta": delta,
        "errors": errors,
        "reference": reference,
        "plus": plus,
        "minus": minus,
        "excess": excess,
        "second": second,
        "variance": variance,
        "frequencies": frequencies,
        "values": values,
        "log_growth": log_growth,
        "rates": rates,
        "weights": weights,
    }
    given = {key: text for key, text in texts.items() if text is not None}
    if source is not None:
        _refuse_others(name, given, csv_in)
        rows, title = _from_certificate(output, source, given["delta"])
    elif name is None:
        raise ValueError("Name a bound ('pacbayes bounds' lists them), or give a certificate with --from.")
    else:
        record = bound_named(name)
        points = _read_points(csv_in, given) if csv_in is not None else _grid(given)
        rows = [{**point, "value": bound_of(record, point)} for point in points]
        title = record.name
    _show(output, title, rows, csv_out, force=force)


def _refuse_others(name: str | None, given: dict[str, str], csv_in: Path | None) -> None:
    others = [*([repr(name)] if name else []), *(f"--{key}" for key in given if key != "delta")]
    if others or csv_in is not None:
        raise ValueError(f"With --from only --delta may be given. Got {', '.join(others) or '--csv-in'} as well.")


def _from_certificate(output: Output, source: Path, deltas: str) -> tuple[list[dict[str, Any]], str]:
    record = Certificate.from_json(source / "certificate.json" if source.is_dir() else source)
    if not record.verify():
        output.note(f"this certificate, which records {rounded_up(record.value)}, does not hold: see pacbayes verify.")
    rows = [
        {"delta": delta, "n": record.n, "kl": record.kl, "value": value_at(replace(record, digest=""), delta)}
        for delta in _several("delta", deltas)
    ]
    return rows, record.bound


def _floats(name: str, texts: list[str]) -> list[float]:
    try:
        return [float(text) for text in texts]
    except ValueError:
        raise ValueError(f"--{name.replace('_', '-')} must be numbers. Got {','.join(texts)!r:.60} instead.") from None


def _several(name: str, text: str) -> list[float]:
    """Return the numbers of a list or a range."""
    if ":" not in text:
        return _floats(name, text.split(","))
    first, last, count = [*_floats(name, text.split(":")), 0.0, 0.0, 0.0][:3]
    if text.count(":") != 2 or not 1 <= count <= _MOST_POINTS:
        raise ValueError(
            f"A range for --{name} must be first:last:count, with a count of at most {_MOST_POINTS}. "
            f"Got {text!r:.60} instead."
        )
    values = np.linspace(first, last, int(count))
    return [float(v) for v in (np.round(values) if name in {"n", "errors"} else values)]


def _grid(given: dict[str, str]) -> list[dict[str, Any]]:
    """Return every combination of the given numbers; vectors are the same in all of them."""
    vectors = {key: np.array(_floats(key, given[key].split(","))) for key in _VECTORS if key in given}
    scalars = {key: _several(key, text) for key, text in given.items() if key not in _VECTORS}
    return [{**vectors, **dict(zip(scalars, point, strict=True))} for point in itertools.product(*scalars.values())]


def _read_points(path: Path, given: dict[str, str]) -> list[dict[str, Any]]:
    shared = _grid(given)
    if len(shared) != 1:
        raise ValueError("With --csv-in, other options must be single numbers.")
    with path.open(newline="", encoding="utf-8-sig") as file:
        records = list(csv.DictReader(file))
    if not records:
        raise ValueError(f"{path.name} has no rows below a first line of names.")
    unknown = [name for name in records[0] if name is None or name not in {*_known(), "value"}]
    if unknown:
        raise ValueError(f"{path.name} has a column {unknown[0]!r}; known are {', '.join(_known())}.")
    points = []
    for position, row in enumerate(records, start=2):
        numbers = {key: text for key, text in row.items() if key != "value" and text}
        if None in row:
            raise ValueError(f"Line {position} of {path.name} has more fields than the first line.")
        try:
            point = {key: _floats(key, [text])[0] for key, text in numbers.items()}
        except ValueError as error:
            raise ValueError(f"{path.name}, line {position}: {error}") from None
        points.append({**shared[0], **point})
    return points


def _known() -> list[str]:
    every = {name for record in catalogue() for name in arguments_of(record)}
    return sorted(every - set(_VECTORS))


def _show(output: Output, title: str, rows: list[dict[str, Any]], csv_out: Path | None, *, force: bool) -> None:
    plain = [{key: value for key, value in row.items() if key not in _VECTORS} for row in rows]
    if csv_out is not None:
        _write_csv(csv_out, plain, force=force)
        if str(csv_out) != "-":
            output.note(f"wrote {len(plain)} rows to {csv_out}")
        return
    output.result({"bound": title, "rows": plain} if len(plain) > 1 else {"bound": title, **plain[0]})
    shown = [rounded_up(row["value"]) for row in plain]
    if len(plain) == 1:
        confidence = f"with probability at least {1 - plain[0]['delta']:.6g}, at most"
        output.say(shown[0] if output.quiet else f"{title}: {confidence} {shown[0]}")
        return
    names = [key for key in plain[0] if key != "value"]
    cells = [[*(f"{row[key]:g}" for key in names), text] for row, text in zip(plain, shown, strict=True)]
    output.table([*names, title], cells, numbers=tuple(range(len(names) + 1)))


def _write_csv(path: Path, rows: list[dict[str, Any]], *, force: bool) -> None:
    if str(path) == "-":
        _write_rows(sys.stdout, rows)
        return
    if not path.parent.is_dir():
        raise ValueError(f"There is no folder {str(path.parent)!r} for --csv-out.")
    if path.exists() and not force:
        raise ValueError(f"The file {str(path)!r} exists. Choose another name, or give --force.")
    with path.open("w", newline="", encoding="utf-8") as file:
        _write_rows(file, rows)


def _write_rows(file: Any, rows: list[dict[str, Any]]) -> None:
    writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


@tidy
def bounds(as_json: JSON = False, quiet: QUIET = False) -> None:
    """List every bound: what it is, which numbers it takes, what it assumes."""
    output = Output(as_json=as_json, quiet=quiet)
    records = catalogue()
    output.result(
        [
            {
                "name": record.name,
                "description": record.description,
                "arguments": list(arguments_of(record)),
                "assumptions": record.assumptions,
                "valid_at": record.valid_at,
                "bounds": sorted(record.targets),
                "citation": record.citation,
            }
            for record in records
        ]
    )
    for record in records:
        if output.quiet:
            output.say(record.name)
            continue
        output.say(f"{record.name}\n  {record.description}")
        output.say(f"  takes    {', '.join(arguments_of(record))}")
        output.say(f"  assumes  {record.assumptions}; valid at {record.valid_at}\n")
