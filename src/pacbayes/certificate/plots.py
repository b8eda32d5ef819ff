"""A certificate as a picture, with matplotlib: limits over delta, the learning curve, statements beside each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pacbayes._core.units import in_units
from pacbayes.certificate.arithmetic import consequence_value, evaluate_statement
from pacbayes.certificate.curves import read_curve
from pacbayes.certificate.difference_plots import draw_differences
from pacbayes.certificate.quantities import QUANTITIES
from pacbayes.certificate.statement_words import quantity_noun
from pacbayes.certificate.subjects import SUBJECTS
from pacbayes.certificate.words import confidence_words, limit_words, risk_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

    from pacbayes.certificate.certificate import Certificate
    from pacbayes.certificate.statement import Statement

__all__ = ["PLOTS", "draw"]

_COLOURS = ("#1d5bb5", "#d1495b", "#2a8c6a", "#8a5fbf")  # the first is what a report has for a guarantee
_SOFT, _LINE = "#66717f", "#dfe3e8"
_TICKS = (0.5, 0.05, 0.01, 0.001, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12)
_POINTS = 33
_MOST_TICKS = 6  # beside long names there is no room for more
_PAPER = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.0}  # below a number that a line crosses


def draw(certificate: Certificate, kind: str, ax: Axes | None) -> Axes:
    """Draw one of :data:`PLOTS`; what does not hold is not drawn."""
    if kind not in PLOTS:
        raise ValueError(
            f"The 'kind' argument of Certificate.plot must be one of {list(PLOTS)}. Got {kind!r:.60} instead."
        )
    if not certificate.verify():
        raise ValueError("A certificate must hold to be drawn. This one does not; print its verify() to see why.")
    axes = _new_axes(_height(certificate, kind)) if ax is None else ax
    if certificate.statements[0].compared and kind != "learning_curve":
        return draw_differences(certificate, axes)
    PLOTS[kind](certificate, axes)
    if not QUANTITIES[certificate.statements[0].quantity].power:
        _show_percent(axes.xaxis if kind == "statements" else axes.yaxis)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize="small", loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2)
    return axes


def _show_percent(axis: Axis) -> None:
    """Write the numbers along an axis of shares as percentages, as all words have them."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator  # noqa: PLC0415

    axis.set_major_locator(MaxNLocator(_MOST_TICKS))
    axis.set_major_formatter(FuncFormatter(lambda share, _: f"{100.0 * share:.4g} %"))


def _height(certificate: Certificate, kind: str) -> float:
    """Return the height of a new figure, in inches: of statements as many rows as there are."""
    rows = sum(1 + len(each.consequences) for each in certificate.statements)
    return 1.4 + 0.7 * rows if kind == "statements" or certificate.statements[0].compared else 3.6


def _new_axes(height: float) -> Axes:
    try:
        import matplotlib.pyplot as plt  # noqa: PLC0415
    except ImportError:
        raise ImportError("A picture of a certificate needs matplotlib. Install pacbayes[report].") from None
    _, axes = plt.subplots(figsize=(6.4, height), layout="constrained")
    return axes


def _scaled(statement: Statement, value: float) -> float:
    """Return a value in the units that a statement's sentence has."""
    return float(in_units(value, statement.scale, QUANTITIES[statement.quantity].power))


def _axis_words(certificate: Certificate) -> str:
    return f"limit on the {quantity_noun(certificate.statements[0])}"


def _draw_delta(certificate: Certificate, axes: Axes) -> None:
    """What each limit would have been at other deltas, largest first: confidence grows to the right."""
    own = certificate.delta
    ends = (max(0.5, own), min(1e-4, own / 10.0))
    deltas = np.unique(np.append(np.geomspace(*ends, _POINTS), own))[::-1]
    for place, statement in enumerate(certificate.statements):
        colour = _COLOURS[place % len(_COLOURS)]
        # the grid of rates stays as it was
        values = [
            evaluate_statement(statement, each / certificate.candidates, grid_delta=own / certificate.candidates)
            for each in deltas
        ]
        covered = [(statement.about, "same", "-"), *((each.about, each.rule, "--") for each in statement.consequences)]
        for about, rule, line in covered:
            limits = [_scaled(statement, consequence_value(each, rule, statement.side)) for each in values]
            axes.plot(deltas, limits, line, color=colour, label=_subject(about))
            issued = consequence_value(statement.value, rule, statement.side)
            _mark(axes, own, _scaled(statement, issued), limit_words(statement, issued), colour)
        label = f"observed: {risk_words(statement)}"
        axes.axhline(_scaled(statement, statement.risk), color=colour, lw=1, ls=":", label=label)
    axes.axvline(own, color=_LINE, zorder=0)
    _confidence_axis(axes, ends)
    axes.set_ylim(0.0, 1.05 * axes.dataLim.y1)
    axes.set_ylabel(_axis_words(certificate))


def _mark(axes: Axes, x: float, y: float, text: str, colour: str) -> None:
    axes.plot([x], [y], "o", color=colour)
    axes.annotate(text, (x, y), xytext=(-6, 6), textcoords="offset points", ha="right", color=colour, bbox=_PAPER)


def _confidence_axis(axes: Axes, ends: tuple[float, float]) -> None:
    ticks = [each for each in _TICKS if ends[1] <= each <= ends[0]]
    axes.set_xscale("log")
    axes.set_xlim(*ends)
    axes.set_xticks(ticks, [confidence_words(each) for each in ticks])
    axes.minorticks_off()
    axes.set_xlabel("confidence, had it been chosen beforehand")


def _draw_learning_curve(certificate: Certificate, axes: Axes) -> None:
    """The errors of snapshots on later learning rows, and where learning stopped, with what came of it."""
    points = [each for each in read_curve(certificate) if each.rows]
    learned = [each.value for each in certificate.choices if each.what == "learning_rows"]
    if not points or not learned:
        raise ValueError(
            "The certificate has no learning curve: how many rows to learn from was fixed beforehand, or nothing was "
            "learned."
        )
    first, stop = certificate.statements[0], int(str(learned[0]))
    errors = [_scaled(first, each.errors / each.rows) for each in points]
    axes.plot([each.learned for each in points], errors, "o--", color=_SOFT, label="snapshots, on later learning rows")
    axes.axvline(stop, color=_LINE, zorder=0)
    limit, observed = _scaled(first, first.value), _scaled(first, first.risk)
    axes.plot([stop, stop], [observed, limit], color=_COLOURS[0])
    axes.plot([stop], [observed], "o", mfc="white", color=_COLOURS[0], label=f"observed on {first.n} judged rows")
    axes.plot([stop], [limit], "D", color=_COLOURS[0], label=f"certified: at most {limit_words(first, first.value)}")
    axes.set_ylim(0.0, 1.1 * axes.dataLim.y1)
    axes.set_xlabel(f"rows learned from; learning stopped at {stop} of {stop + first.n}")
    axes.set_ylabel(QUANTITIES[first.quantity].words)


def _draw_statements(certificate: Certificate, axes: Axes) -> None:
    """A row per statement and consequence: observed, and the limit."""
    rows = [
        (statement, about, value)
        for statement in certificate.statements
        for about, value in [
            (statement.about, statement.value),
            *((each.about, each.value) for each in statement.consequences),
        ]
    ]
    for place, (statement, about, value) in enumerate(rows):
        limit, observed = _scaled(statement, value), _scaled(statement, statement.risk)
        if about == statement.about:
            axes.plot([observed, limit], [place, place], color=_LINE, lw=4, solid_capstyle="round", zorder=1)
            axes.plot([observed], [place], "o", mfc="white", color=_COLOURS[0])
            axes.annotate(risk_words(statement), (observed, place), color=_SOFT, xytext=(0, -15), **_LABEL)
        axes.plot([limit], [place], "D", color=_COLOURS[0])
        axes.annotate(limit_words(statement, value), (limit, place), xytext=(0, 9), **_LABEL, color=_COLOURS[0])
    axes.plot([], [], "o", mfc="white", color=_COLOURS[0], ls="", label="observed")
    axes.plot([], [], "D", color=_COLOURS[0], ls="", label=f"limit, {confidence_words(certificate.delta)} confidence")
    axes.set_yticks(range(len(rows)), [_subject(about) for _, about, _ in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlim(-0.06 * axes.dataLim.x1, 1.12 * axes.dataLim.x1)  # room for the texts
    axes.set_xlabel(_axis_words(certificate))


_LABEL: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "fontsize": "small"}
PLOTS = {"delta": _draw_delta, "learning_curve": _draw_learning_curve, "statements": _draw_statements}


def _subject(about: str) -> str:
    """Return whom a line is about, without marks of code and in short."""
    return SUBJECTS[about].words.rstrip(",").replace("`", "").replace(", which ", ",\nwhich ")  # in two lines
