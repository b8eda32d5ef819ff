"""The result of checking a certificate: what was checked, whether it held, and what was claimed and found."""

from __future__ import annotations

from dataclasses import dataclass

from pacbayes.certificate.verdicts import verification_words

__all__ = ["Check", "Verification", "compare"]

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
