"""The paper's claims in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pacbayes.reproduction.claims import Claim
from pacbayes.reproduction.table_words import TITLES

__all__ = ["ClaimWords", "claim_sentence", "claim_words"]

_EVERYWHERE = {"ours-below-ub": "Is Ours below UB on every data set?"}
_WHERE = {
    "maurer-smallest": "On which is Maurer the smallest?",
    "ours-smallest": "On which is Ours the smallest?",
    "ub-below-maurer": "On which is UB below Maurer?",
}


class ClaimWords(NamedTuple):
    """A question and its answers."""

    question: str
    printed: str
    reproduced: str
    corrected: str
    changed: bool


def claim_words(claim: Claim) -> ClaimWords:
    """Return the question of a claim and its three answers."""
    return ClaimWords(
        question=(_EVERYWHERE | _WHERE)[claim.code],
        printed=_answer(claim, claim.printed),
        reproduced=_answer(claim, claim.reproduced),
        corrected=_answer(claim, claim.corrected),
        changed=claim.changed,
    )


def claim_sentence(claim: Claim) -> str:
    """Return a claim and what became of it in a line."""
    words = claim_words(claim)
    verdict = "CHANGES" if words.changed else "stands"
    return (
        f"{words.question} Printed: {words.printed}. Reproduced: {words.reproduced}. "
        f"Corrected: {words.corrected} ({verdict})."
    )


def _answer(claim: Claim, found: tuple[str, ...]) -> str:
    if claim.code in _WHERE:
        return _list_titles(found)
    exceptions = [data for data in claim.datasets if data not in found]
    return f"no, not on {_list_titles(exceptions)}" if exceptions else "yes"


def _list_titles(data: Iterable[str]) -> str:
    return ", ".join(TITLES[d] for d in data) or "none"
