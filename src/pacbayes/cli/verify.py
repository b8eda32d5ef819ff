"""``pacbayes verify``: what was checked, and what that proves."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated

import typer

from pacbayes.certificate import Certificate, Check, Verification
from pacbayes.certificate._words import rounded_up
from pacbayes.cli._output import JSON, QUIET, Output, tidy
from pacbayes.cli.certify import load
from pacbayes.runs import read_run, verify_run
from pacbayes.runs._store import ChangedPredictorError
from pacbayes.runs._verify import belongs

__all__ = ["checked", "verdict", "verify"]

_OWN = {
    *("content digest", "bound recomputed from the statistics", "vote's bound", "claims go together"),
    *("statistics agree with each other", "citation belongs to the bound"),
}
_ARITHMETIC = (
    "This proves that the number follows from the recorded statistics and that nothing in the certificate was edited; "
)
_FURTHER = "whether the statistics came from the data is checked with --data TABLE."
_STREAM = "it cannot prove that the losses were those of the predictions."
_ALSO = "It proves also that the predictor beside it was issued with it."


@tidy
def verify(
    certificate: Annotated[Path, typer.Argument(help="The certificate.json to check, or its folder.")],
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
    verbose: Annotated[bool, typer.Option("--verbose", help="List every check, also those that held.")] = False,
    as_json: JSON = False,
    quiet: QUIET = False,
) -> None:
    """Check a certificate, and say what that proves. Exit status 0: it holds, 1: it does not, 2: it cannot be read.

    Alone: the number follows from the recorded statistics, nothing was edited, and a predictor beside it belongs to
    it. With --data: the statistics and the predictor follow from the data, in the recorded order. Nothing can prove
    how the data were collected.
    """
    output = Output(as_json=as_json, quiet=quiet)
    path = certificate / "certificate.json" if certificate.is_dir() else certificate
    record = _read(certificate, path)
    if data is not None and _is_stream(record):
        raise ValueError("A certificate from watch cannot be run again from data.")
    beside = path.parent / "model.json"
    place = model if model is not None else (beside if data is not None or beside.is_file() else None)
    with output.progress("Checking ..."):
        result = checked(record, data, place, tuple(trust or ()), threads)
    unchecked = _unchecked(record, data, place)
    output.result(
        {
            "holds": bool(result),
            "checks": [{"what": each.what, "held": each.held, "detail": each.detail} for each in result.checks],
            "not_checked": unchecked,
            "cause": _cause(result),
            "proves": result.proves if result else "",
            "sentence": record.sentence(),
        }
    )
    output.say("\n".join(_brief(result) if quiet else _words(record, result, unchecked, verbose=verbose)))
    raise typer.Exit(0 if result else 1)


def _read(given: Path, path: Path) -> Certificate:
    """Read a certificate, or say what the file is if it is none."""
    if given.is_dir() and not path.is_file():
        raise ValueError(f"The folder {str(given)!r} holds no certificate.json.")
    text = path.read_bytes()
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        content = None
    if isinstance(content, dict) and content.get("format") == "pacbayes-model":
        raise ValueError("This is a predictor, not a certificate.")
    if not isinstance(content, dict) or "schema_version" not in content:
        raise ValueError(f"{path.name!r} is no certificate; give certificate.json or its folder.")
    return Certificate.from_json(text)


def _is_stream(record: Certificate) -> bool:
    return record.kind == "online" and record.loss == "given"


def checked(
    record: Certificate, data: Path | None, place: Path | None, trust: tuple[str, ...] = (), threads: int = 1
) -> Verification:
    """Check the arithmetic; with a predictor that it belongs; with data, everything."""
    own = record.verify()
    proves = _ARITHMETIC + (_STREAM if _is_stream(record) else _FURTHER)
    if place is None or (data is not None and not own):
        return Verification(own.checks, proves)
    try:
        stored = read_run(place, trust, load=data is not None)
    except ChangedPredictorError as error:
        changed = Check("the predictor is the one that was written", held=False, detail=str(error))
        return Verification((*own.checks, changed), "")
    if data is None:
        return Verification((*own.checks, *belongs(record, stored)), f"{proves} {_ALSO}")
    return verify_run(record, stored, load(data, stored.settings), trust=trust, threads=threads)


def _unchecked(record: Certificate, data: Path | None, place: Path | None) -> str:
    """Say what was not looked at."""
    if data is not None:
        return ""
    if _is_stream(record):
        return "the losses"
    predictor = "the predictor" if place is None else "the predictor's numbers"
    return f"the data and {predictor} (give --data TABLE)"


def _words(record: Certificate, result: Verification, unchecked: str, *, verbose: bool) -> list[str]:
    left = [f"not checked: {unchecked}"] if unchecked else []
    if result:
        return [
            record.sentence(),
            "",
            *verdict(result, verbose=verbose),
            *left,
            f"The certificate holds. {result.proves}",
        ]
    return [*verdict(result, verbose=verbose), *left, f"Claimed: {record.sentence()}", *_closing(result)]


def _closing(result: Verification) -> list[str]:
    return ["THE CERTIFICATE DOES NOT HOLD.", _cause(result)]


def _brief(result: Verification) -> list[str]:
    return ["The certificate holds."] if result else [f"FAILED {each.what}" for each in _failed(result)]


def verdict(result: Verification, *, verbose: bool = False) -> list[str]:
    """Return the checks that failed, or how many held; all of them if asked."""
    held = [each for each in result.checks if each.held]
    count = [f"{len(held)} {'check' if len(held) == 1 else 'checks'} held."] if result else []
    return [*map(_line, _failed(result)), *(map(_line, held) if verbose else ()), *count]


def _failed(result: Verification) -> list[Check]:
    return [each for each in result.checks if not each.held]


def _line(check: Check) -> str:
    """Return a check in words, with short digests, and only its name where the detail is no text for people."""
    detail = re.sub(r"\b([0-9a-f]{12})[0-9a-f]{52}\b", r"\1", check.detail)
    unfit = "Choice(" in detail or detail.startswith("claimed is (")
    return str(Check(check.what, check.held, "it differs" if unfit else detail))


def _cause(result: Verification) -> str:
    """Return in a sentence why it does not hold; empty if it does."""
    failed = {each.what: each.detail for each in _failed(result)}
    if not failed:
        return ""
    for cause in (_edited(failed), _other_predictor(failed), _other_data(failed)):
        if cause:
            return cause
    if all(what.startswith("the stored predictor") for what in failed):
        return "The predictor was changed."
    return "The same data give other numbers: the certificate, or the settings stored with the predictor, were changed."


def _edited(failed: dict[str, str]) -> str:
    for what in ("bound recomputed from the statistics", "vote's bound"):
        numbers = re.fullmatch(r"it gives (\S+), recorded is (\S+)", failed.get(what, ""))
        if numbers:
            return "The certificate was edited: it says {}, its statistics give {}.".format(*_shown(*numbers.groups()))
    return "The certificate was edited." if _OWN & failed.keys() else ""


def _shown(found: str, said: str) -> tuple[str, str]:
    """Return two numbers with four places, in full where these would not tell them apart."""
    near = abs(float(found) - float(said)) < 2e-4
    return (said, found) if near else (f"{float(said):.4f}", rounded_up(float(found)))


def _other_predictor(failed: dict[str, str]) -> str:
    if "the predictor belongs to this certificate" in failed:
        return "The predictor belongs to another certificate."
    return "The predictor was changed." if "the predictor is the one that was written" in failed else ""


def _other_data(failed: dict[str, str]) -> str:
    these = "These are not the data it was made from"
    if failed.get("number of rows"):
        found, _, expected = failed["number of rows"].partition(" instead of ")
        return f"{these}: {found} rows instead of {expected}."
    for what in ("columns and their kinds", "classes"):
        if what in failed:
            return f"{these}: other {what}."
    if "digest of the losses" in failed or any("not those held out" in what for what in failed):
        return f"{these}, or the predictor was changed."
    return f"{these}: values or their order differ." if "digest of the data" in failed else ""
