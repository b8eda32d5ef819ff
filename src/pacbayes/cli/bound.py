"""``pacbayes bound`` and ``pacbayes bounds``: every bound of the catalogue from plain numbers."""

from __future__ import annotations

import csv
import inspect
import io
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TextIO, TypeAlias

import numpy as np
import typer

from pacbayes._core.arguments import DOMAINS, single
from pacbayes._core.files import write_atomically
from pacbayes._core.near import RUN_FOLDERS, require_files
from pacbayes._core.types import FloatOrArray
from pacbayes.bounds import arguments_of, catalogue, from_numbers, get
from pacbayes.bounds.words import conditions, sample_sizes
from pacbayes.certificate import Certificate
from pacbayes.certificate.words import confidence_words, round_up
from pacbayes.cli._cautions import note_cautions, note_high_delta
from pacbayes.cli._output import JSON, QUIET, Output, tidy
from pacbayes.cli._streams import print_lines
from pacbayes.report import value_at
from pacbayes.statistics import TABLE

__all__ = ["bound", "bounds"]

_MOST_POINTS = 100_000
_KNOWN = {name for record in catalogue() for name in arguments_of(record)}
_STATISTICS = {entry.name: entry for entry in TABLE.values() if entry.name in _KNOWN}
_NUMBERS = {name: number for record in catalogue() for name, number in record.numbers.items()} | _STATISTICS
_VECTORS = tuple(name for name, number in _NUMBERS.items() if number.per is not None)
_COLUMNS = sorted(_KNOWN - set(_VECTORS))
_Point: TypeAlias = dict[str, FloatOrArray]
# the risk comes first, then what every bound takes
_HELP = {
    "risk": TABLE["risk"].help,
    "kl": "Divergence of the posterior from the prior, in nats.",
    "n": "Number of examples.",
    "delta": "Allowed probability that the bound is wrong.",
} | {name: number.help for name, number in (_STATISTICS | _NUMBERS).items()}


def _with_numbers(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command, in place of its keyword arguments, one option for each number that some bound takes."""
    name, *others, _ = inspect.signature(command, eval_str=True).parameters.values()
    options = [_option(number, text) for number, text in _HELP.items()]
    keyword = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in (name, *options, *others)]
    command.__signature__ = inspect.Signature(keyword)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in keyword}
    return command


def _option(number: str, text: str) -> inspect.Parameter:
    kind = typer.Option(help=text, metavar="list" if number in _VECTORS else "numbers")
    text_type = str if number == "delta" else str | None
    return inspect.Parameter(
        number,
        inspect.Parameter.KEYWORD_ONLY,
        default="0.05" if number == "delta" else None,
        annotation=Annotated[text_type, kind],
    )


@tidy
@_with_numbers
def bound(
    name: Annotated[str | None, typer.Argument(help="The name of a bound; 'pacbayes bounds' lists them.")] = None,
    source: Annotated[
        Path | None, typer.Option("--from", help="Take the bound and its statistics from this certificate.")
    ] = None,
    csv_in: Annotated[
        Path | None,
        typer.Option(help="A CSV file with columns named like these options; one bound per row."),
    ] = None,
    csv_out: Annotated[
        Path | None, typer.Option(help="Write all rows and their values to this CSV file; '-' is stdout.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Allow --csv-out to replace a file.")] = False,
    as_json: JSON = False,
    quiet: QUIET = False,
    **numbers: str | None,
) -> None:
    """Compute a bound from plain numbers: with probability 1 - delta, the true risk (or excess) is at most this.

    Each number may also be a list (0.01,0.02) or a range (first:last:count); all combinations are computed.

    Numbers are printed rounded up, so that they stay bounds; --json gives all digits. Statistics that are not passed
    are derived from --risk as for a loss that is 0 or 1, which is on the safe side for any loss between 0 and 1 (but
    clopper_pearson and vector_kl are only for losses of 0 and 1).

        pacbayes bound maurer --risk 0.04 --kl 5 --n 1000
    """
    output = Output(as_json=as_json, quiet=quiet)
    require_files(source, endings=RUN_FOLDERS)
    require_files(csv_in)
    given = {key: text for key in _HELP if (text := numbers.get(key)) is not None}
    if source is not None:
        _refuse_others(name, given, csv_in)
        rows, title = _from_certificate(output, source, given["delta"])
    elif name is None:
        raise ValueError("Name a bound ('pacbayes bounds' lists them), or pass a certificate with --from.")
    else:
        record = get(name)
        points = _read_points(csv_in, given) if csv_in is not None else _grid(given)
        rows = [{**point, "value": from_numbers(record, point)} for point in points]
        title = record.name
    _show(output, title, rows, csv_out, force=force)
    note_high_delta(output, *(float(row["delta"]) for row in rows))


def _refuse_others(name: str | None, given: dict[str, str], csv_in: Path | None) -> None:
    others = [*([repr(name)] if name else []), *(f"--{key}" for key in given if key != "delta")]
    if others or csv_in is not None:
        raise ValueError(f"With --from only --delta may be given. Got {', '.join(others) or '--csv-in'} as well.")


def _from_certificate(output: Output, source: Path, deltas: str) -> tuple[list[_Point], str]:
    record = Certificate.from_json(source / "certificate.json" if source.is_dir() else source)
    if not record.verify():
        output.note(f"this certificate, which records {round_up(record.value)}, does not hold: see pacbayes verify.")
    note_cautions(output, record, but="delta_above_half")  # which is about its own delta
    rows: list[_Point] = [
        {"delta": delta, "n": record.n, "kl": record.statements[0].kl, "value": value_at(record, delta)}
        for delta in _several("delta", deltas)
    ]
    return rows, record.statements[0].bound


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
    return [float(v) for v in (np.round(values) if DOMAINS[name].whole else values)]


def _grid(given: dict[str, str]) -> list[_Point]:
    """Return every combination of the given numbers; vectors are the same in all of them."""
    vectors = {key: np.array(_floats(key, given[key].split(","))) for key in _VECTORS if key in given}
    scalars = {key: _several(key, text) for key, text in given.items() if key not in _VECTORS}
    for key, numbers in scalars.items():
        _check_option(key, numbers)
    return [{**vectors, **dict(zip(scalars, point, strict=True))} for point in itertools.product(*scalars.values())]


def _check_option(name: str, numbers: list[float]) -> None:
    """Refuse numbers outside of the domain of an option, by the option's name."""
    try:
        single("bound", name, numbers)
    except ValueError:
        shown = ", ".join(f"{each:g}" for each in numbers)
        raise ValueError(f"--{name.replace('_', '-')} must {DOMAINS[name].words}. Got {shown:.60} instead.") from None


def _read_points(path: Path, given: dict[str, str]) -> list[_Point]:
    shared = _grid(given)
    if len(shared) != 1:
        raise ValueError("With --csv-in, other options must be single numbers.")
    with path.open(newline="", encoding="utf-8-sig") as file:
        records = list(csv.DictReader(file))
    if not records:
        raise ValueError(f"{path.name} has no rows below a first line of names.")
    unknown = [name for name in records[0] if name is None or name not in {*_COLUMNS, "value"}]
    if unknown:
        raise ValueError(f"{path.name} has a column {unknown[0]!r}; known are {', '.join(_COLUMNS)}.")
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


def _show(output: Output, title: str, rows: list[_Point], csv_out: Path | None, *, force: bool) -> None:
    plain = [{key: value for key, value in row.items() if not isinstance(value, np.ndarray)} for row in rows]
    if csv_out is not None:
        _write_csv(csv_out, plain, force=force)
        if str(csv_out) != "-":
            output.note(f"wrote {len(plain)} rows to {csv_out}")
        return
    output.result({"bound": title, "rows": plain} if len(plain) > 1 else {"bound": title, **plain[0]})
    shown = [round_up(row["value"]) for row in plain]
    if len(plain) == 1:
        confidence = f"with probability at least {confidence_words(plain[0]['delta'])}, at most"
        output.say(shown[0] if output.quiet else f"{title}: {confidence} {shown[0]}")
        return
    names = [key for key in plain[0] if key != "value"]
    cells = [[*(f"{row[key]:g}" for key in names), text] for row, text in zip(plain, shown, strict=True)]
    output.table([*names, title], cells, numbers=tuple(range(len(names) + 1)))


def _write_csv(path: Path, rows: list[dict[str, float]], *, force: bool) -> None:
    if str(path) == "-":
        text = io.StringIO()
        _write_rows(text, rows)
        print_lines(text.getvalue().splitlines())
        return
    if not path.parent.is_dir():
        raise ValueError(f"There is no folder {str(path.parent)!r} for --csv-out.")
    if path.exists() and not force:
        raise ValueError(f"The file {str(path)!r} exists. Choose another name, or pass --force.")
    text = io.StringIO(newline="")
    _write_rows(text, rows)
    write_atomically(path, text.getvalue())


def _write_rows(file: TextIO, rows: list[dict[str, float]]) -> None:
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
                "assumptions": conditions(record.assumptions),
                "valid_at": sample_sizes(record.valid_at),
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
        output.say(
            record.name,
            f"  {record.description}",
            f"  takes    {', '.join(arguments_of(record))}",
            f"  assumes  {conditions(record.assumptions)}; valid at {sample_sizes(record.valid_at)}",
            "",
        )
