"""Classes that may be one class, written in several ways: they differ in blanks, capitals or Unicode form alone."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable

from pacbayes._core.notes import Note
from pacbayes._core.rows import distinct_labels
from pacbayes._core.types import Labels

__all__ = ["distinct_texts", "find_alike", "is_alike", "note_alike"]

_MOST = 8


def find_alike(texts: Iterable[str], *, capitals: bool = True) -> tuple[str, ...]:
    """Return the texts that agree with another one but for blanks, Unicode form and, unless told otherwise, capitals.

    Examples
    --------
    >>> from pacbayes._core.alike import find_alike
    >>> find_alike(["no", "yes", "Yes", "yes "]), find_alike(["a", "A"], capitals=False)
    (('Yes', 'yes', 'yes '), ())
    """
    found = defaultdict(set)
    for text in texts:
        found[_reduce(text, capitals=capitals)].add(text)
    return tuple(text for key in sorted(found) if len(found[key]) > 1 for text in sorted(found[key]))


def is_alike(one: str, two: str) -> bool:
    """Return whether two texts agree but for blanks, capitals and Unicode form.

    Examples
    --------
    >>> from pacbayes._core.alike import is_alike
    >>> is_alike("Yes", "yes "), is_alike("yes", "no")
    (True, False)
    """
    return _reduce(one) == _reduce(two)


def _reduce(text: str, *, capitals: bool = True) -> str:
    """Return what is left of a text without blanks at its ends, signs of no width, capitals and Unicode form."""
    plain = unicodedata.normalize("NFKC", text)
    plain = "".join(each for each in plain if unicodedata.category(each) != "Cf")
    plain = unicodedata.normalize("NFKC", plain.casefold()) if capitals else plain
    return " ".join(plain.split())


def note_alike(texts: Iterable[str], *, capitals: bool = True) -> tuple[Note, ...]:
    """Return the note on classes of which :func:`find_alike` finds some, naming these alone.

    Examples
    --------
    >>> from pacbayes._core.alike import note_alike
    >>> note_alike(["no", "yes", "yes "])
    (Note('classes_differ_in_blanks', {'classes': ('yes', 'yes ')}),)
    """
    found = find_alike(texts, capitals=capitals)
    return (Note("classes_differ_in_blanks", {"classes": found[:_MOST]}),) if found else ()


def distinct_texts(*labels: Labels) -> set[str]:
    """Return the texts that occur among labels or predictions; numbers are none.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.alike import distinct_texts
    >>> sorted(distinct_texts(np.array(["yes", "no"]), np.array(["yes "]), np.array([1, 2])))
    ['no', 'yes', 'yes ']
    """
    found: set[str] = set()
    for each in labels:
        if each.dtype.kind == "U":
            found.update(distinct_labels(each).tolist())
        elif each.dtype.kind == "O":
            found.update(value for value in set(each.tolist()) if isinstance(value, str))
    return found
