"""Certificates that can be read, do not hold, and have no words: a sentence in place of an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pacbayes.certificate.certificate import Certificate

__all__ = ["words_or_verdict"]

# what words raise that look up a code, read a count or take a logarithm
_ERRORS = (LookupError, ValueError, TypeError, ArithmeticError, AttributeError)
_VERDICT = (
    "This certificate does not hold, and there are no words for what it says: verify() lists what is wrong, and it may "
    "be of a later version of pacbayes."
)


def words_or_verdict(
    certificate: Certificate, make: Callable[[], str], wrap: Callable[[str], str] = lambda words: words
) -> str:
    """Return what is made of a certificate, or where that fails since the certificate does not hold, that it does not.

    Parameters
    ----------
    certificate : Certificate
    make : callable
        Returns a text, a page or a card; an error of it with a certificate that holds is ours, and stays one.
    wrap : callable
        Given the sentence, returns it in the same format.

    Examples
    --------
    >>> from dataclasses import replace
    >>> import pacbayes as pb
    >>> from pacbayes.certificate.unsayable import words_or_verdict
    >>> certificate = pb.certify_predictions([0, 1] * 50, [0, 1] * 50)
    >>> print(words_or_verdict(replace(certificate, delta=0.01), lambda: {}["later"]))
    This certificate does not hold, and there are no words for what it says: verify() lists what is wrong, and it may \
be of a later version of pacbayes.
    """
    try:
        return make()
    except _ERRORS:
        if certificate.verify():
            raise
    return wrap(_VERDICT)
