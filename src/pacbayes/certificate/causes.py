"""Why a certificate does not hold: one cause from the checks that failed, as a code with numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pacbayes.certificate.checks import Check, Verification

__all__ = ["Cause", "find_cause"]


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a certificate does not hold.

    Attributes
    ----------
    code : str
        Which cause it is.
    claimed, found : object
        The numbers that tell it, if any.
    """

    code: str
    claimed: object = None
    found: object = None


# From the most telling to the least: the first code with a failed check gives the cause.
_CAUSES = (
    ("floor", "edited_value"),
    ("value", "edited_value"),
    ("consequence", "edited_value"),
    ("digest", "edited"),
    ("shares", "edited"),
    ("claims", "edited"),
    ("observed", "edited"),
    ("belongs", "other_predictor"),
    ("file", "changed_predictor"),
    ("rows", "other_rows"),
    ("columns", "other_columns"),
    ("classes", "other_classes"),
    ("losses", "other_losses"),
    ("data", "other_data"),
    ("predictor", "changed_predictor"),
)


# what depends on the learner alone, once data and order are the recorded ones
_LEARNED = frozenset({"statement", "predictor", "choices"})


def find_cause(result: Verification, versions: Mapping[str, tuple[str, str]] | None = None) -> Cause | None:
    """Return the most telling cause of a verification that failed, or None if it held.

    Where what was learned differs and nothing else, and ``versions`` names packages that were others then, it is these.
    """
    failed: dict[str, Check] = {}
    for check in result.failed:
        failed.setdefault(check.code, check)
    if not failed:
        return None
    if versions and set(failed) <= _LEARNED:
        then = ", ".join(f"{name} {was}" for name, (was, _) in versions.items())
        return Cause("other_versions", then, ", ".join(f"{name} {now}" for name, (_, now) in versions.items()))
    for code, cause in _CAUSES:
        if code in failed and (code != "predictor" or set(failed) == {"predictor"}):
            numbers = (failed[code].claimed, failed[code].found)
            # what could not be recomputed at all has no number to show
            shown = numbers if cause != "edited_value" or all(isinstance(each, float) for each in numbers) else ()
            return Cause(cause if shown or cause != "edited_value" else "edited", *shown)
    return Cause("other_numbers")
