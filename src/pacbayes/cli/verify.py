"""``pacbayes verify``: what was checked, and what that proves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pacbayes.certificate import Certificate, Verification
from pacbayes.cli._output import JSON, QUIET, Output, tidy
from pacbayes.cli.certify import load
from pacbayes.runs import read_run, verify_run
from pacbayes.runs._verify import belongs

__all__ = ["checked", "verify"]


@tidy
def verify(
    certificate: Annotated[Path, typer.Argument(help="The certificate.json to check.")],
    data: Annotated[
        Path | None, typer.Option(help="The table it was made from: then everything is run again and compared.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option(help="The predictor's model.json or its folder [default: beside the certificate].")
    ] = None,
    trust: Annotated[
        list[str] | None, typer.Option(help="Dotted path of a model outside scikit-learn that may be loaded.")
    ] = None,
    threads: Annotated[int, typer.Option(help="For linear algebra and boosting.", min=1)] = 1,
    as_json: JSON = False,
    quiet: QUIET = False,
) -> None:
    """Check a certificate, and say what that proves. Exit status 0: it holds, 1: it does not, 2: it cannot be read.

    Alone: the number follows from the recorded statistics, and nothing was edited. With --data: the statistics and
    the predictor follow from the data, in the recorded order. Nothing can prove how the data were collected.
    """
    output = Output(as_json=as_json, quiet=quiet)
    if certificate.is_dir():
        certificate = certificate / "certificate.json"
    record = Certificate.from_json(certificate)
    beside = certificate.parent / "model.json"
    place = model if model is not None else (beside if data is not None else None)
    with output.progress("Checking ..."):
        result = checked(record, data, place, tuple(trust or ()), threads)
    output.result(
        {
            "holds": bool(result),
            "checks": [{"what": each.what, "held": each.held, "detail": each.detail} for each in result.checks],
            "proves": result.proves if result else "",
            "sentence": record.sentence(),
        }
    )
    output.say(str(result).splitlines()[-1] if quiet else f"{record.sentence()}\n\n{result}")
    raise typer.Exit(0 if result else 1)


def checked(
    record: Certificate, data: Path | None, place: Path | None, trust: tuple[str, ...] = (), threads: int = 1
) -> Verification:
    """Check the arithmetic; with a predictor that it belongs; with data, everything."""
    own = record.verify()
    if place is None:
        return own
    stored = read_run(place, trust)
    if data is None:
        proves = "It proves also that this predictor is the one the certificate was issued with."
        return Verification((*own.checks, *belongs(record, stored)), f"{own.proves} {proves}")
    if not own:
        return own
    return verify_run(record, stored, load(data, stored.settings), trust=trust, threads=threads)
