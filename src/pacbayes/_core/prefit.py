"""What an estimator brings along that it learned before: found by looking through a clone of it.

A clone forgets what ``fit`` learned, unless an estimator says otherwise (``__sklearn_clone__``, as ``FrozenEstimator``
does), holds fitted estimators where ``clone`` only copies (in functions and plain objects), is told not to learn
(``prefit``), reads from a cache, or was given as many values as there are rows. Weights of a network may be as many:
they are taken not to have seen the rows. A memory outside the estimator, in a file or a private attribute, cannot be
seen, and one in a module only if somebody's own code names it; that there is none is an assumption of every
certificate. What there is to be seen must not have grown while clones learned: others would find it there.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from copy import deepcopy
from enum import Enum
from typing import Any, NamedTuple

from sklearn.base import BaseEstimator, clone

from pacbayes._core.reach import attributes_of, count_beside, walk
from pacbayes._core.rows import take
from pacbayes._core.sizes import LEAVES, LONG, VALUE, Constant, LruCache, bytes_in, count_values
from pacbayes._core.types import Rows

__all__ = ["refuse_early_answers", "refuse_growth", "refuse_prefit"]

_FEW = 50  # values that any estimator may be given, however few rows there are
_TENTH = 10
_ANSWERING = ("fit", "predict", "predict_proba", "decision_function", "transform")
_PACKED = re.compile(r"[A-Za-z0-9+/=_-]{40,}")  # bytes as text (base64, base16), which no word is as long as
_RULE = re.compile(r"([-=_/+])\1{3,}")  # of a banner
_NUMBER = re.compile(r"(?<![A-Za-z0-9])\d+")  # and no part of a name
_HALF = 2  # a class or module may keep constants, but less than every other row has


def refuse_prefit(owner: str, name: str, estimator: object, rows: int) -> None:
    """Refuse an estimator whose clone knows something.

    Parameters
    ----------
    owner, name : str
        Whose parameter or argument it is, and what that is called, for the message.
    estimator : estimator or transformer
        As it was given.
    rows : int
        How many rows there are to learn from and to judge.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from pacbayes._core.prefit import refuse_prefit
    >>> known = GaussianNB().fit([[0.0], [1.0]], [0, 1])
    >>> refuse_prefit("Me", "'estimator' parameter", known, 100)  # its clone has forgotten
    >>> known.__sklearn_clone__ = lambda: known
    >>> refuse_prefit("Me", "'estimator' parameter", known, 100)
    Traceback (most recent call last):
    ...
    ValueError: The 'estimator' parameter of Me must come unlearned. Got GaussianNB, which keeps what it learned when \
it is cloned.
    """
    found = next(_reasons(clone(estimator, safe=False), rows), None)
    if found is not None:
        raise ValueError(f"The {name} of {owner} must come unlearned. Got {found}.")


@contextmanager
def refuse_growth(learner: object, rows: int) -> Iterator[None]:
    """Refuse a learner whose classes or modules keep more after it learned or answered than before.

    A clone is to forget: a voter that finds there what others learned from has seen the rows that judge it, and so has
    the next fit on the same rows. Less than a tenth of the rows, and as many values as anyone may have, are no memory
    of them: counters, names, a short history. A text of 200 characters or more counts as one value per eight of them,
    if it was not there before, but for the part of it that was.

    Parameters
    ----------
    learner : estimator, or list of them and None
        As it was given; clones of it learn meanwhile, or it answers.
    rows : int
        How many rows there are to learn from and to judge.

    Examples
    --------
    >>> from sklearn.base import clone
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from pacbayes._core.prefit import refuse_growth
    >>> learner = GaussianNB()
    >>> with refuse_growth(learner, 100):
    ...     _ = clone(learner).fit([[0.0], [1.0]], [0, 1])
    """
    before = _known(learner)
    yield
    after = _known(learner)
    texts = sum(_new_bytes(each, before.texts) for each in after.texts) // VALUE
    grown = sum(after.counts.values()) - sum(before.counts.values()) + texts
    if grown >= max(rows // _TENTH, _FEW):
        raise ValueError(
            f"A learner must forget what it learned when it is cloned. Got {_kinds(learner)}, whose class or module "
            f"keeps {grown} more values than before it learned or answered, most of them in "
            f"{_most_grown(before, after, texts)}; keep them in an attribute that fit makes."
        )


class _Known(NamedTuple):
    """What a clone can reach: parameters, and what classes and modules that are own code keep.

    ``counts`` and ``holders`` are the numbers of values and what holds them, by the identity of that, which does not
    pass to others while it is held; ``texts`` are long texts and numbers.
    """

    counts: dict[int, int]
    holders: dict[int, Any]
    texts: set[str | bytes | int]


def _known(learner: object) -> _Known:
    known = _Known({}, {}, set())
    for each, is_kept in walk(clone(learner, safe=False)):
        text = each.value if isinstance(each, Constant) else each
        if is_kept and bytes_in(text) >= LONG:
            known.texts.add(text)
        elif not isinstance(each, Constant) and (count := count_values(each) + (count_beside(each) if is_kept else 0)):
            known.counts[id(each)], known.holders[id(each)] = count, each
    return known


def _new_bytes(text: str | bytes | int, before: Collection[str | bytes | int]) -> int:
    """Return how many characters or bytes of a text are none of what stood there before: one may have been added to."""
    if text in before:
        return 0
    if isinstance(text, int):
        return bytes_in(text)
    begun = (len(each) for each in before if not isinstance(each, int) and text[: len(each)] == each)
    return len(text) - max(begun, default=0)


def _most_grown(before: _Known, after: _Known, texts: int) -> str:
    more = {key: count - before.counts.get(key, 0) for key, count in after.counts.items()}
    most = max(more, key=more.__getitem__, default=0)
    return "long texts or numbers" if texts >= more.get(most, 0) else _holder_words(after.holders[most])


def _kinds(learner: object) -> str:
    """Return the types of what was given, which may be a list with gaps."""
    given = learner if isinstance(learner, list) else [learner]
    return " and ".join(dict.fromkeys(type(each).__name__ for each in given if each is not None))


def _holder_words(value: object) -> str:
    if isinstance(value, LruCache):
        return f"the cache of {value.__module__}.{value.__qualname__}"
    return f"a {type(value).__name__}"


def refuse_early_answers(owner: str, estimator: Any, X: Rows) -> None:
    """Refuse a classifier that answers before it has learned: nobody can tell from what."""
    model = clone(estimator)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.predict(take(X, slice(0, 1)))
        except Exception:  # as it should
            return
    raise ValueError(
        f"The 'estimator' parameter of {owner} must come unlearned. Got {type(model).__name__}, which answers before "
        "it has learned; a predictor that exists is certified by certify_predictions."
    )


def _reasons(value: Any, rows: int) -> Iterator[str]:
    """Yield what a value and everything in it knows."""
    for each, is_kept in walk(value):
        if isinstance(each, (*LEAVES, Constant)):
            yield from _large_leaf(each, rows)
        elif not inspect.isclass(each):
            yield from _own_reasons(each, rows, is_kept)
        if is_kept and (size := count_beside(each)) >= max(rows // _HALF, _FEW):
            yield f"{size} attributes of a class, or of {_holder_words(each)} in a class or module"


def _own_reasons(value: Any, rows: int, is_kept: bool) -> Iterator[str]:
    if not is_kept or any(hasattr(value, name) for name in _ANSWERING):
        yield from _reasons_of_estimator(value)
    size, many = _size(value), rows // _HALF if is_kept else rows
    if size is not None and size >= max(many, _FEW):
        where = "in a class or module, for half of the rows or more" if size < rows else "as many as there are rows"
        yield f"a {type(value).__name__} of {size} values, {where}"


def _reasons_of_estimator(value: Any) -> Iterator[str]:
    kind, given = type(value).__name__, attributes_of(value)
    cloning = getattr(value, "__sklearn_clone__", None)
    if cloning is not None and getattr(cloning, "__func__", None) is not BaseEstimator.__sklearn_clone__:
        yield f"{kind}, which keeps what it learned when it is cloned"
    shared = hasattr(type(value), "__deepcopy__") and not isinstance(value, (Enum, LruCache))
    if shared and given and deepcopy(value) is value:
        yield f"{kind}, which is the same object after cloning and keeps what it learned"
    if given.get("prefit") is True or (isinstance(given.get("cv"), str) and given["cv"] == "prefit"):
        yield f"{kind}, which is told that its parts have learned already (prefit)"
    if hasattr(value, "fit") and given.get("memory") is not None:
        yield f"{kind}, which takes what it learned from a cache (memory)"
    named = value.get_params(deep=False) if hasattr(value, "get_params") and given else {}
    learned = [name for name in given if name.endswith("_") and not name.startswith("_") and name not in named]
    if learned:
        yield f"{kind}, which has learned already ({learned[0]})"


def _large_leaf(value: Any, rows: int) -> Iterator[str]:
    text = value.value if isinstance(value, Constant) else value
    size = bytes_in(text)
    if size >= max(rows, LONG) and (text is value or _is_data(text)):
        yield f"a {type(text).__name__} of {size} characters or bytes, as many as there are rows"


def _is_data(constant: str | bytes | int) -> bool:
    """Return whether a constant is no documentation, template or source text: those are words, and few digits."""
    if not isinstance(constant, str):
        return True
    runs = _PACKED.findall(_RULE.sub(" ", constant))
    packed = sum(len(each) for each in runs if "/" not in each or "+" in each or "=" in each)  # others are paths
    return 2 * packed > len(constant) or sum(map(len, _NUMBER.findall(constant))) > sum(map(str.isalpha, constant))


def _size(value: Any) -> int | None:
    """Return how many values a container holds; names and numbers of columns choose columns and are no data."""
    if not _is_plain(value):
        return count_values(value) or None
    columns = all(isinstance(each, str) for each in value) or (
        all(isinstance(each, int) for each in value) and len(set(value)) == len(value)
    )
    return None if columns else len(value)


def _is_plain(value: object) -> bool:
    return isinstance(value, list | tuple | set | frozenset | bytearray)
