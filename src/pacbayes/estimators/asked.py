"""What is asked of a predictor that exists, from the arguments of those who ask."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.alignment import refuse_other_classes
from pacbayes._core.alike import distinct_texts, note_alike
from pacbayes._core.answers import Answers
from pacbayes._core.arguments import single_number, to_floats
from pacbayes._core.exact import named_columns
from pacbayes._core.foreign import collect
from pacbayes._core.labels import label_text
from pacbayes._core.notes import Note
from pacbayes._core.predictions import check_probabilities, class_numbers, classes_with
from pacbayes._core.types import IntArray, Labels, Rows
from pacbayes.certificate.words import note_words
from pacbayes.estimators.base import check_candidates
from pacbayes.metrics import (
    Grouping,
    LossRule,
    Questions,
    group_rows,
    group_values,
    read_group_columns,
    read_questions,
)
from pacbayes.metrics.group_codes import hold_column
from pacbayes.procedures import CertificateWarning
from pacbayes.procedures.given import Given
from pacbayes.procedures.given_labels import find_unknown

__all__ = [
    "Groups",
    "caution_alike",
    "caution_unknown",
    "find_groups",
    "find_questions",
    "given_procedure",
    "read_classes",
    "read_probabilities",
    "warn_of_unknown",
]

Groups = str | int | Sequence[str | int] | ArrayLike | Mapping[str, ArrayLike]


def given_procedure(owner: str, delta: object, candidates: object, questions: Questions) -> Given:
    """Return the procedure for predictions that are given, or say what is wrong with delta or candidates."""
    return Given(
        delta=single_number(owner, "delta", delta),
        candidates=check_candidates(owner, candidates),
        questions=questions,
    )


def find_groups(
    owner: str, groups: Groups | None, rows: int, X: Rows | None
) -> tuple[tuple[str | int, ...], Grouping | None]:
    """Return the columns that rows are grouped by, and which group each row is in."""
    groups = collect(groups)
    if groups is None:
        return (), None
    if isinstance(groups, str | int) or (isinstance(groups, list | tuple) and len(groups) != rows):
        named = read_group_columns(owner, groups)
        if X is None:
            raise ValueError(f"The 'groups' of {owner} must be the group of each row, or several by name. Got {named}.")
        return named, group_rows(owner, X, named)
    frame: Any = groups
    given = _by_text(owner, frame) if _has_names(groups) else {"group": frame}
    columns = {name: hold_column(values) for name, values in given.items()}
    if not columns:
        raise ValueError(f"The 'groups' of {owner} must be at least one column. Got none.")
    for name, values in columns.items():
        if values.shape != (rows,):
            raise ValueError(
                f"The 'groups' of {owner} must have one value per row ({rows}). Got shape {values.shape} for {name!r}."
            )
    return tuple(columns), group_values(owner, columns)


def _by_text(owner: str, frame: Any) -> dict[str, Any]:
    """Return columns by their names as text, which is how a certificate has them."""
    found: dict[str, Any] = {}
    if hasattr(frame, "collect"):  # of polars, which has not read it
        raise ValueError(
            f"The 'groups' of {owner} must be in memory: pass the result of collect(). Got {type(frame).__name__}."
        )
    for name, values in named_columns(frame):
        if str(name) in found:
            raise ValueError(
                f"The 'groups' of {owner} must have names that differ as text. Got {str(name)!r:.60} more than once."
            )
        found[str(name)] = values
    return found


def _has_names(groups: object) -> bool:
    return isinstance(groups, Mapping) or hasattr(groups, "columns")


def find_questions(
    owner: str,
    rule: LossRule | None,
    metrics: str | Sequence[str] | Mapping[str, float],
    columns: tuple[str | int, ...],
    grouping: Grouping | None,
    differences: bool,
    cost: Mapping[tuple[Any, Any], float] | ArrayLike | None,
    classes: Labels,
) -> Questions:
    """Return what is asked: of predictions that are numbers their loss, of others what the metrics say."""
    named = columns if grouping is not None else None
    if rule is None:
        return read_questions(owner, metrics, named, differences=differences, cost=cost, classes=classes)
    if metrics != ("error",) or differences or cost is not None:
        raise ValueError(f"{owner} takes 'metrics', 'differences' and 'cost' for classes. Got loss={rule.name!r}, too.")
    return Questions((rule.name,), columns)


def read_classes(
    owner: str, given: ArrayLike | None, labels: Labels, rule: LossRule | None = None
) -> tuple[Labels, IntArray]:
    """Return the classes that there are, sorted, and the place among them of each one given; by default of the labels.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.estimators.asked import read_classes
    >>> classes, places = read_classes("me", ["no", "yes", "maybe"], np.array(["no", "yes", "no"]))
    >>> classes.tolist(), places.tolist()
    (['maybe', 'no', 'yes'], [1, 2, 0])
    """
    if rule is not None and given is not None:
        raise ValueError(f"{owner} takes 'classes' for predictions that are labels. Got loss={rule.name!r}, too.")
    own = np.unique(labels) if rule is None else np.zeros(0)
    if given is None:
        return own, np.arange(own.size)
    names: Any = given
    try:
        classes = classes_with(owner, names, own)
        places = class_numbers(owner, names, classes, len(names))
    except (TypeError, ValueError):
        places, classes = np.zeros(0, dtype=np.int64), own
    if not np.array_equal(np.sort(places), np.arange(classes.size)):
        raise ValueError(
            f"The 'classes' argument of {owner} must hold each class once, of the kind in 'y_true' and with all of "
            f"them. Got {given!r:.60} instead."
        )
    return classes, places


def read_probabilities(
    owner: str, given: ArrayLike | None, asked: Questions, rows: int, classes: Labels, places: IntArray
) -> Answers | None:
    """Return probabilities, one per row and class, from columns at these places among the classes."""
    if given is None:
        if asked.needs_probabilities:
            raise ValueError(f"{owner} needs 'probabilities' for {', '.join(asked.names)}. Got none.")
        return None
    found = to_floats(owner, "probabilities", given)
    if found.shape != (rows, places.size):
        raise ValueError(
            f"The 'probabilities' argument of {owner} must have a row per label ({rows}) and a column per class "
            f"({places.size}; for one that no label is of, pass classes=). Got shape {found.shape} instead."
        )
    names = getattr(given, "columns", None)
    refuse_other_classes(f"The 'probabilities' argument of {owner}", "columns", names, classes[places])
    arranged = np.empty_like(found)
    arranged[:, places] = check_probabilities(f"The 'probabilities' of {owner}", found)
    return Answers(arranged, [])


def caution_alike(owner: str, labels: Labels, depth: int = 3) -> None:
    """Warn of classes among labels that may be one class, unless they differ in capitals.

    Such as "a" and "A" may well be meant, and are noted in the certificate alone.
    """
    for note in note_alike(distinct_texts(labels), capitals=False):
        warnings.warn(f"{owner}: {note_words(note)}", CertificateWarning, stacklevel=depth)


def caution_unknown(owner: str, labels: Labels, predictions: Labels, asked: Questions, classes: Labels) -> None:
    """Warn of predictions that are no class, where rates of classes are asked for; refuse them if all are none.

    They may be a class that labels and predictions write in two ways. Warn of such classes among the labels anyway.
    """
    caution_alike(owner, classes, depth=4)
    if all(each.label is None for each in asked.metrics):
        return
    unknown = predictions[find_unknown(classes, predictions)]
    if unknown.size == len(labels):
        raise ValueError(
            f"The 'y_pred' argument of {owner} must hold labels of 'y_true', such as {label_text(labels[0])!r:.40}. "
            f"Got {label_text(unknown[0])!r:.40} and no label at all; write each prediction as one of the labels."
        )
    if unknown.size:
        warnings.warn(
            f"{owner}: {unknown.size} predictions, such as {label_text(unknown[0])!r:.40}, are no label that occurs in "
            "'y_true'; is each class written the same way? Each rate counts them as its errors. Pass "
            "classes= if they are classes that 'y_true' lacks.",
            CertificateWarning,
            stacklevel=3,
        )


def warn_of_unknown(owner: str, notes: Iterable[Note], asked: Questions | None = None) -> None:
    """Warn of predictions that are no label, if that is noted: by default always, else where a rate is asked for."""
    if asked is not None and all(each.label is None for each in asked.metrics):
        return
    for note in notes:
        if note.code == "unknown_predictions":
            warnings.warn(f"{owner}: {note_words(note)}", CertificateWarning, stacklevel=3)
