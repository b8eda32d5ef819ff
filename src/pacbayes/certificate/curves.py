"""The learning curve that a stop was chosen by, as a certificate records it: written and read in one place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pacbayes.certificate.certificate import Certificate

__all__ = ["LEARNING_CURVE", "CurvePoint", "read_curve", "write_curve"]

LEARNING_CURVE = "learning_curve"  # the code of the choice
_APART = ", "


class CurvePoint(NamedTuple):
    """A snapshot of a learner: the rows it learned from, and its errors on so many of the learning rows after them.

    Of losses between 0 and 1 ``errors`` is their sum.
    """

    learned: int
    errors: float
    rows: int


def write_curve(points: Iterable[tuple[int, str, int]]) -> str:
    """Return a learning curve as the text that a certificate holds.

    Examples
    --------
    >>> from pacbayes.certificate import write_curve
    >>> write_curve([(50, "12", 350), (100, "9", 300)])
    '50: 12/350, 100: 9/300'
    """
    return _APART.join(f"{learned}: {errors}/{rows}" for learned, errors, rows in points)


def read_curve(certificate: Certificate) -> tuple[CurvePoint, ...]:
    """Return the learning curve that a certificate holds; empty if there is none, since the stop was fixed beforehand.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.certificate import read_curve
    >>> sample = pb.datasets.make_known_risk(400, d=2, random_state=0)
    >>> model = pb.CertifiedClassifier(random_state=0).fit(sample.X, sample.y)
    >>> len(read_curve(model.certificate_)) == len(model.curve_)
    True
    """
    found = [each.value for each in certificate.choices if each.what == LEARNING_CURVE]
    return tuple(_read_point(each) for each in str(found[0]).split(_APART)) if found else ()


def _read_point(text: str) -> CurvePoint:
    learned, _, judged = text.partition(": ")
    errors, _, rows = judged.partition("/")
    try:
        point = CurvePoint(int(learned), float(errors), int(rows))
    except ValueError:
        point = CurvePoint(0, 0.0, 0)
    if point.learned < 1 or not 0.0 <= point.errors <= point.rows:
        raise ValueError(f"A point of a learning curve must be rows: errors/rows. Got {text!r:.60} instead.")
    return point
