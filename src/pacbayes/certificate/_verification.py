"""The result of checking a certificate: what was checked, whether it held, and what that proves."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Check", "Verification"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked.

    Attributes
    ----------
    what : str
        In a phrase.
    held : bool
        Whether it was so.
    detail : str
        What was expected and what came, where it was not.
    """

    what: str
    held: bool
    detail: str = ""

    def __str__(self) -> str:
        return f"{'ok    ' if self.held else 'FAILED'} {self.what}{': ' + self.detail if self.detail else ''}"


@dataclass(frozen=True, slots=True)
class Verification:
    """All checks of one verification; true if every one held.

    Attributes
    ----------
    checks : tuple of Check
        In the order in which they were made.
    proves : str
        What it means if all held, and what it does not mean.
    """

    checks: tuple[Check, ...]
    proves: str

    def __bool__(self) -> bool:
        return all(check.held for check in self.checks)

    def __str__(self) -> str:
        verdict = "The certificate holds" if self else "THE CERTIFICATE DOES NOT HOLD"
        return "\n".join([*map(str, self.checks), f"{verdict}. {self.proves}" if self else f"{verdict}."])
