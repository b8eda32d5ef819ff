"""``pacbayes verify``: what was checked, and what that proves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pacbayes._core.near import RUN_FOLDERS, require_files
from pacbayes.certificate import Verification
from pacbayes.certificate.statement_table import claim_lines
from pacbayes.certificate.verdicts import (
    cause_words,
    caution_words,
    check_words,
    checks_words,
    detail_words,
    proof_words,
)
from pacbayes.certificate.words import sentences
from pacbayes.cli._engine import ENGINE, SCHEDULER
from pacbayes.cli._limits import MAX_MEMORY
from pacbayes.cli._output import JSON, QUIET, Output, tidy
from pacbayes.engines import open_engine
from pacbayes.runs import Verified, verify_folder

__all__ = ["list_checks", "verify"]

_UNCHECKED = {
    "data": "the data",
    "predictor": "the predictor",
    "predictor_numbers": "the predictor's numbers",
    "losses": "the losses",
    "unlabelled": "the unlabelled rows",
    "run": "the run that it belongs to (verify its folder)",
}

_BASIS = {
    "target": "target",
    "positive": "one class against the others",
    "model": "model",
    "drop": "left out",
    "time": "in the order of",
    "missing_value": "taken as missing",
    "prediction": "predictions in",
    "label": "labels in",
    "loss": "losses in",
}


@tidy
def verify(
    certificate: Annotated[Path, typer.Argument(help="The certificate.json to check, or its folder.")],
    data: Annotated[
        Path | None,
        typer.Option(
            help="The table it was made from; everything is then run again and compared. "
            "Of a network an npz file with the arrays x and y; it is then judged again."
        ),
    ] = None,
    test: Annotated[Path | None, typer.Option(help="The table that was passed to certify --test, if any.")] = None,
    unlabelled: Annotated[
        Path | None, typer.Option(help="The table that was passed to certify --unlabelled, if any.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option(help="The predictor's model.json or its folder [default: beside the certificate].")
    ] = None,
    trust: Annotated[
        list[str] | None,
        typer.Option(help="Dotted path of a model outside scikit-learn that may be loaded; repeatable."),
    ] = None,
    learn: Annotated[
        bool, typer.Option("--learn", help="Learn a network again, too; it must come out the same to the last bit.")
    ] = False,
    threads: Annotated[int, typer.Option(help="Number of threads for linear algebra and boosting.", min=1)] = 1,
    max_memory: MAX_MEMORY = None,
    engine: ENGINE = "local",
    scheduler: SCHEDULER = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="List every check, including those that held.")] = False,
    as_json: JSON = False,
    quiet: QUIET = False,
) -> None:
    """Check a certificate, and say what that proves. Exit status 0: it holds, 1: it does not, 2: it cannot be read.

    Without --data: checks that the number follows from what was observed, that the content matches its digest, and that
    the predictor stored beside it names it. With --data: also checks that the observed numbers and the predictor
    follow from the data, in the recorded order. No check can prove how the data were collected.

    \b
        pacbayes verify table-certificate --data table.csv
        pacbayes verify network-folder --data rows.npz
    """  # noqa: D301  (the mark of lines to keep)
    output = Output(as_json=as_json, quiet=quiet)
    require_files(certificate, model, endings=RUN_FOLDERS)
    require_files(data, test, unlabelled)
    options: dict[str, object] = {"data": data, "model": model, "trust": tuple(trust or ()), "threads": threads}
    options |= {"test": test, "unlabelled": unlabelled, "max_memory": max_memory, "learn": learn}
    with open_engine(engine, scheduler, output.advance) as runner:
        options |= {"progress": output.progress, "runner": runner}
        verified = verify_folder(certificate, **options)  # type: ignore[arg-type]
    output.result(_record(verified))
    for words in _cautions(verified):
        output.note(words, always=True)
    output.say(*(_brief(verified.result) if quiet else _words(verified, verbose=verbose)))
    raise typer.Exit(0 if verified.result else 1)


def _record(verified: Verified) -> dict[str, object]:
    result, cause = verified.result, verified.cause
    return {
        "holds": bool(result),
        "checks": [
            {"code": each.code, "held": each.held, "detail": "" if each.held else detail_words(each)}
            for each in result.checks
        ],
        "not_checked": list(verified.unchecked),
        "cause": None if cause is None else cause.code,
        "why": cause_words(cause),
        "proves": proof_words(result) if result else "",
        "sentence": verified.certificate.sentence(),
        "basis": {what: list(names) for what, names in verified.basis.items()},
        "transfer": None if verified.transfer is None else verified.transfer.sentence(),
        "cautions": _cautions(verified),
    }


def _cautions(verified: Verified) -> list[str]:
    """Return what puts the claims in doubt, whether or not they hold; those of both certificates once."""
    several = [verified.certificate, *([] if verified.transfer is None else [verified.transfer])]
    return list(dict.fromkeys(words for each in several for words in caution_words(each)))


def _words(verified: Verified, *, verbose: bool) -> list[str]:
    further = [] if verified.transfer is None else sentences(verified.transfer)
    found = verified.certificate
    result, claims = verified.result, [*(claim_lines(found) if found.is_listed else sentences(found)), *further]
    beyond = (*_basis_words(verified), *_unchecked_words(verified), *_version_words(verified))
    checks = [*list_checks(result, verbose=verbose), *beyond]
    if result:
        return [*claims, "", *checks, f"The certificate holds. {proof_words(result)}"]
    return [
        *checks,
        *(f"Claimed: {claim}" for claim in claims if claim),
        "THE CERTIFICATE DOES NOT HOLD.",
        cause_words(verified.cause),
    ]


def _basis_words(verified: Verified) -> list[str]:
    """Say what the data were read for: a folder may name another target or column than its reader has in mind."""
    named = (f"{_BASIS[what]} {', '.join(map(repr, names))}" for what, names in verified.basis.items())
    return [f"checked with {'; '.join(named)}"] if verified.basis else []


def _version_words(verified: Verified) -> list[str]:
    """Name what was installed in another version when the certificate was issued."""
    named = [f"{name} {then} (here {now})" for name, (then, now) in verified.versions.items()]
    return [f"issued with {', '.join(named)}"] if named and not verified.unchecked else []


def _unchecked_words(verified: Verified) -> list[str]:
    """Say what was not looked at, and how it could be."""
    if not verified.unchecked:
        return []
    remedy = " (pass --data TABLE)" if "data" in verified.unchecked else ""
    remedy = " (pass --unlabelled TABLE)" if verified.unchecked == ("unlabelled",) else remedy
    return [f"not checked: {' and '.join(_UNCHECKED[code] for code in verified.unchecked)}{remedy}"]


def _brief(result: Verification) -> list[str]:
    return ["The certificate holds."] if result else [check_words(each) for each in result.failed]


def list_checks(result: Verification, *, verbose: bool = False) -> list[str]:
    """Return the checks that failed, or how many held; all of them if asked."""
    held = [each for each in result.checks if each.held]
    count = [f"{len(held)} {'check' if len(held) == 1 else 'checks'} held."] if result else []
    return [*map(check_words, result.failed), *(checks_words(held) if verbose else ()), *count]
