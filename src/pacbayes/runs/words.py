"""What a run says in words: why a method was chosen."""

from __future__ import annotations

from pacbayes.runs.methods import MANY_ROWS
from pacbayes.runs.settings import Settings

__all__ = ["method_words"]

_WHY = {
    "asked": "{method}, as asked for",
    "logistic": "{method}, because the model is logistic and there are two classes",
    "few_rows": "{method}, because {what} has no posterior and there are fewer than {many} rows",
    "many_rows": "{method}, because {what} has no posterior and there are at least {many} rows",
}


def method_words(settings: Settings, why: str, classes: int) -> str:
    """Return the method of some settings and why it was chosen, in a phrase.

    Examples
    --------
    >>> from pacbayes.runs import Settings
    >>> from pacbayes.runs.words import method_words
    >>> method_words(Settings(target="label", method="online"), "asked", 2)
    'online, as asked for'
    """
    what = settings.model if settings.model != "logistic" else f"a target of {classes} classes"
    return _WHY[why].format(method=settings.method, what=what, many=MANY_ROWS)
