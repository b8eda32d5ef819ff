"""What a statement can bound: the one list of quantities, and what each is called."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["QUANTITIES", "Quantity"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """What a statement bounds, in words.

    Attributes
    ----------
    words : str
        Its name, as a sentence has it after "the true".
    unit : str
        What stands in a report beside the large number, which is a percentage.
    verdict, often : str
        What the bound means, and what a large observed value means, with a place for ``percent``.
    """

    words: str
    unit: str
    verdict: str
    often: str

    @property
    def noun(self) -> str:
        """Its name, as a heading has it."""
        return f"true {self.words}"


QUANTITIES: dict[str, Quantity] = {
    "error": Quantity(
        "error",
        "of new cases are misclassified, at most",
        "Of 100 new cases, on average at most {percent} are misclassified.",
        "The model misclassifies {percent} % of the judged rows; more rows alone will not help.",
    ),
    "loss": Quantity(
        "loss",
        "mean loss on new cases, at most",
        "On new cases the loss, which lies between 0 and 100 %, is on average at most {percent} %.",
        "The loss on the judged rows is {percent} % on average; more rows alone will not help.",
    ),
}
