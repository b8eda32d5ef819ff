"""The result of checking a certificate: what was checked, what was claimed and found, and why it does not hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pacbayes.certificate.verdicts import verification_words

__all__ = ["AGREEMENT", "Cause", "Check", "Verification", "compare", "find_cause"]

# Elementary functions of two platforms may differ in their last places; a larger difference is not rounding.
AGREEMENT = 1e-9


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked, as a code; :mod:`pacbayes.certificate.words` says it in words.

    Attributes
    ----------
    code : str
        What was checked.
    held : bool
        Whether it was so.
    claimed, found : object
        What the certificate says and what was found, where that tells a reader something.
    """

    code: str
    held: bool
    claimed: object = None
    found: object = None


def compare(code: str, claimed: object, found: object, *, within: float = 0.0) -> Check:
    """Return the check that two values agree: exactly, or numbers within a relative difference."""
    return Check(code, _agree(claimed, found, within), claimed, found)


def _agree(claimed: object, found: object, within: float) -> bool:
    numbers = (int, float)
    if isinstance(claimed, bool) or isinstance(found, bool):
        return claimed is found
    if within and isinstance(claimed, numbers) and isinstance(found, numbers) and not _is_counted(claimed, found):
        return abs(claimed - found) <= within * max(abs(claimed), abs(found), 1e-12)
    if isinstance(claimed, dict) and isinstance(found, dict):
        return claimed.keys() == found.keys() and all(_agree(claimed[key], found[key], within) for key in claimed)
    if isinstance(claimed, list | tuple) and isinstance(found, list | tuple):
        return len(claimed) == len(found) and all(
            _agree(one, two, within) for one, two in zip(claimed, found, strict=True)
        )
    return bool(claimed == found)


def _is_counted(claimed: float, found: float) -> bool:
    """Counts are compared exactly, also with a fraction that is close to one."""
    return isinstance(claimed, int) or isinstance(found, int)


@dataclass(frozen=True, slots=True)
class Verification:
    """All checks of one verification; true if every one held.

    Attributes
    ----------
    checks : tuple of Check
        In the order in which they were made.
    proves : tuple of str
        Codes of what it means if all held, and of what it does not mean.
    """

    checks: tuple[Check, ...]
    proves: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return all(check.held for check in self.checks)

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that did not hold."""
        return tuple(check for check in self.checks if not check.held)

    def __str__(self) -> str:
        return verification_words(self)


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
    ("groups", "edited"),
    ("claims", "edited"),
    ("observed", "edited"),
    ("belongs", "other_predictor"),
    ("asked", "changed_settings"),
    ("file", "changed_predictor"),
    ("rows", "other_rows"),
    ("columns", "other_columns"),
    ("classes", "other_classes"),
    ("learning_data", "other_data"),
    ("losses", "other_losses"),
    ("data", "other_data"),
    ("grouping", "other_groups"),
    ("order_of_seed", "chosen_order"),
    ("predictions", "other_data"),
    ("network", "changed_network"),
    ("network_form", "changed_network"),
    ("divergence", "changed_network"),
    ("prior", "edited"),
    ("settled_prior", "edited"),
    ("rate", "edited"),
    ("draw_seed", "edited"),
    ("draws", "other_draws"),
    ("fresh_draws", "other_draws"),
    ("expected_errors", "other_draws"),
    ("predictor", "changed_predictor"),
    ("learned_again", "other_network"),
    ("transfer", "edited_transfer"),
    ("refitted_name", "changed_refitted"),
    ("refitted", "changed_refitted"),
    ("disagreements", "other_unlabelled"),
)


# what depends on the learner alone, once data and order are the recorded ones
_LEARNED = frozenset({"statement", "predictor", "choices", "refitted", "disagreements"})


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
