"""Two predictors as a picture: a row per pair, both limits on the difference beside 0."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pacbayes.certificate.difference_words import difference_limits_words
from pacbayes.certificate.words import confidence_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pacbayes.certificate.certificate import Certificate

__all__ = ["draw_differences"]

_COLOURS = {"better": "#2a8c6a", "worse": "#d1495b", "open": "#66717f"}
_WORDS = {"better": "better", "worse": "worse", "open": "open"}


def draw_differences(certificate: Certificate, axes: Axes) -> Axes:
    """Draw what each model's error is certified to differ by from the error of the one that all are compared with.

    Examples
    --------
    >>> import pacbayes as pb
    >>> import matplotlib; matplotlib.use("agg")
    >>> axes = pb.compare_predictions([0, 1] * 50, [0, 0] * 50, [0, 1] * 50).plot()
    >>> axes.get_yticklabels()[0].get_text()
    'A'
    """
    every = certificate.statements
    for place, each in enumerate(every):
        low, high = 100.0 * (each.lower or 0.0), 100.0 * each.value
        verdict = "better" if high < 0.0 else "worse" if low > 0.0 else "open"
        colour = _COLOURS[verdict]
        axes.plot([low, high], [place, place], color=colour, lw=2, marker="|", ms=10)
        axes.plot([100.0 * each.risk], [place], "o", mfc="white", color=colour)
        note = f"{difference_limits_words(each)}: {_WORDS[verdict]}"
        axes.annotate(note, (0.5 * (low + high), place), xytext=(0, 9), textcoords="offset points", ha="center")
    axes.axvline(0.0, color="#dfe3e8", zorder=0)
    axes.set_yticks(range(len(every)), [each.compared[0] for each in every])
    axes.set_ylim(len(every) - 0.4, -0.7)
    what = "true error" if every[0].quantity == "error_difference" else "mean loss"
    confidence = confidence_words(certificate.delta)
    axes.set_xlabel(f"{what} minus that of {every[0].compared[1]}, in points\n({confidence} confidence)")
    axes.margins(x=0.35)  # room for the texts
    axes.spines[["top", "right"]].set_visible(False)
    return axes
