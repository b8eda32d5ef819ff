"""The first part of a report, as a manager asks: what is certified, is that good, what is it about, how to check it."""

from __future__ import annotations

from collections.abc import Sequence

from pacbayes._core.units import limit_text, observed_text, percent_text
from pacbayes.certificate import QUANTITIES, Statement
from pacbayes.certificate.assumptions import ASSUMPTIONS
from pacbayes.certificate.statement_words import left_out_words
from pacbayes.certificate.words import gain_words, headline_value, limit_name, limit_words, risk_words
from pacbayes.report import phrases
from pacbayes.report.charts import draw_curve, draw_learning, draw_limit, nice_top
from pacbayes.report.contents import Contents, Data
from pacbayes.report.values import Refit, SplitCost

__all__ = [
    "show_checking",
    "show_comparison",
    "show_groups",
    "show_guarantees",
    "show_hardest",
    "show_scope",
    "show_split",
    "show_stream",
    "show_thresholds",
]


def show_guarantees(contents: Contents) -> Data:
    """Return a row per statement and per predictor that it covers: what was observed, and the limit."""
    certificate = contents.certificate
    covered = [
        (each, about, value)
        for each in certificate.statements
        if each.group is None and not (each.groups or each.compared)  # those of groups have a section of their own
        for about, value in [(each.about, each.value), *((more.about, more.value) for more in each.consequences)]
    ]
    compared = [each for each in certificate.statements if each.compared]
    shown = [(each.quantity, max(value, _observed(each, about) or 0.0)) for each, about, value in covered]
    tops = {name: nice_top(max(value for other, value in shown if other == name)) for name, _ in shown}
    rows = [_limit_row(each, about, value, tops[each.quantity]) for each, about, value in covered]
    return {
        "rows": rows,
        "differences": [(limit_name(each, each.about), limit_words(each, each.value)) for each in compared],
        "several": len(certificate.statements) > 1,
        "lower": any(each.side == "lower" for each, _, _ in covered),
        "gains": gain_words(certificate),
    }


def _observed(statement: Statement, about: str) -> float | None:
    """Return what was observed of a predictor; of one that a statement covers as well, nothing was."""
    return statement.risk if about == statement.about else None


def _limit_row(statement: Statement, about: str, value: float, top: float) -> Data:
    power = QUANTITIES[statement.quantity].power
    observed = _observed(statement, about)
    seen = "" if observed is None else f"observed: {risk_words(statement)} on {_rows_words(statement)}"
    return {
        "name": limit_name(statement, about),
        "side": phrases.SIDES[statement.side],
        "shown": limit_words(statement, value),
        "seen": seen or phrases.consequence_words(statement, about),
        "bar": draw_limit(observed, value, top),
        "end": percent_text(top) if not power else observed_text(top, statement.scale, power),
    }


def _rows_words(statement: Statement) -> str:
    left_out = left_out_words(statement)
    if left_out is not None:
        return f"rows left out ({left_out})"
    if statement.drawn is not None:
        return f"{statement.n:,} judged rows, by {statement.drawn.draws:,} draws"
    which = "judged rows" if statement.source is None else "rows without labels, and the judged ones"
    return f"{statement.n:,} {which}"


def show_groups(contents: Contents) -> Data | None:
    """Return for each metric the limits of its groups; nothing where rows are not grouped."""
    if all(each.group is None for each in contents.certificate.statements):
        return None
    from pacbayes.report.groups import list_groups  # noqa: PLC0415  (only who groups rows needs it)

    return list_groups(contents.certificate)


def show_thresholds(contents: Contents) -> Data | None:
    """Return the errors at each threshold that was tested; nothing where none was."""
    if contents.certificate.statements[0].target is None:
        return None
    from pacbayes.report.thresholds import list_thresholds  # noqa: PLC0415  (only who abstains needs it)

    return list_thresholds(contents.certificate)


def show_comparison(contents: Contents) -> Data | None:
    """Return the guarantee beside what a plain hold-out would give, and always giving the most common answer."""
    certificate, first = contents.certificate, contents.certificate.statements[0]
    if first.side != "upper" or first.label is not None:  # what stands beside it is about errors of all classes
        return None
    value = headline_value(certificate)
    found: list[tuple[str, float, str]] = [("This certificate", value, f"at most {limit_words(first, value)}")]
    if contents.baseline is not None:
        usual = float(contents.baseline["value"])
        words = phrases.holdout_words(int(contents.baseline["n"]), int(contents.baseline["errors"]))
        found.append((words, usual, f"at most {limit_words(first, usual)}"))
    if contents.trivial is not None:
        share = float(contents.trivial["share"])
        words = f"Always predicting {str(contents.trivial['label'])!r}, the most common class"
        found.append((words, share, f"wrong on {observed_text(share, None, None)} of these rows"))
    if len(found) == 1:
        return None
    top = nice_top(max(each for _, each, _ in found))
    rows = [(name, shown, draw_limit(None, each, top)) for name, each, shown in found]
    return {
        "rows": rows,
        "has_baseline": contents.baseline is not None,
    }


def show_scope(contents: Contents) -> Data:
    """Return data and model, what one has to ask oneself, what the number does not say, and what was noticed."""
    from pacbayes import procedures  # noqa: PLC0415  (scikit-learn comes with it, and numbers alone do not need that)

    certificate = contents.certificate
    told = {each.code for each in contents.notices}
    return {
        "about": contents.about,
        "made": procedures.get(certificate.procedure).made,
        "order": phrases.order_words(certificate),
        "questions": [question for question, _ in phrases.condition_words(certificate) if question],
        "limits": phrases.scope_words(certificate),
        "notes": phrases.words_of_notes(certificate, contents.notes, told),
    }


def show_split(contents: Contents) -> Data | None:
    """Return what a split cost: the learning curve with its stop, and both models."""
    found = contents.split
    if found is None:
        return None
    first = contents.certificate.statements[0]
    points = [each for each in found.curve if each[2]]
    stop = (found.learned, first.risk, first.value)
    refit = [] if found.refit is None else [_refit_row(found.refit, found.rows)]
    is_drawn = len(points) > 1 and first.side == "upper" and first.label is None
    return {
        "chart": _learning_chart(contents, points, stop) if is_drawn else "",
        "words": _split_words(found),
        "models": [_certified_row(first, found.learned), *refit],
        "sentence": _refit_sentence(found.refit),
        "points": [(*each, _share_words(each)) for each in points] if is_drawn else [],
    }


def _learning_chart(contents: Contents, points: Sequence[tuple[int, int, int]], stop: tuple[int, float, float]) -> str:
    found = contents.split
    if found is None:
        return ""
    shares = [(learned, errors / rows) for learned, errors, rows in points]
    return draw_learning(shares, stop, found.rows, label=_learning_words(found, stop))


def show_stream(contents: Contents) -> Data | None:
    """Return the guarantee as rows came in."""
    curve = contents.curve
    if not curve or len(curve["n"]) < 2:
        return None
    first = contents.certificate.statements[0]
    start, end = (limit_text(curve["bound"][place], None, None) for place in (0, -1))
    rules = [each.rule for each in first.consequences if each.rule in phrases.RULES]
    return {
        "chart": draw_curve(
            curve["n"],
            [("guarantee", curve["bound"]), ("observed", curve["observed"])],
            label=f"The guarantee falls from {start} to {end} over {first.n} rows.",
        ),
        "subject": phrases.subject_words(first.about, inside=True),
        "advice": [phrases.RULES[each].advice for each in rules],
    }


def show_hardest(contents: Contents) -> Data | None:
    """Return the rows to show as the hardest examples."""
    return {"rows": contents.hardest} if contents.hardest else None


def show_checking(contents: Contents) -> Data:
    """Return the command that checks the number, and further ones."""
    return {"first": contents.commands[:1], "further": contents.commands[1:]}


def _learning_words(found: SplitCost, stop: tuple[int, float, float]) -> str:
    """Return what the picture of a learning curve shows, for those who do not see it."""
    learned, observed, guarantee = stop[0], observed_text(stop[1], None, None), limit_text(stop[2], None, None)
    seen = [f"{observed_text(errors / rows, None, None)} at {size}" for size, errors, rows in found.curve if rows]
    return (
        f"Errors of snapshots by the rows learned from: {', '.join(seen)}. Learning stopped at {learned} of "
        f"{found.rows} rows: {observed} on the judged rows, guaranteed at most {guarantee}."
    )


def _share_words(point: tuple[int, int, int]) -> str:
    """Return the share of errors of a snapshot."""
    _, errors, rows = point
    return observed_text(errors / rows, None, None)


def _split_words(found: SplitCost) -> str:
    """Return what was given up for a guarantee: rows that judge teach nothing."""
    judged = found.rows - found.learned
    share = f"{100 * found.learned / found.rows:.0f} %"
    how = (
        "Where to stop was chosen by the learning curve, on the rows before the stop alone, which costs nothing."
        if found.curve
        else "The share was fixed beforehand."
    )
    return (
        f"The certified model learned from {found.learned} of {found.rows} rows ({share}); the other {judged} judge "
        f"it, and it has learned nothing from them. {how}"
    )


def _certified_row(statement: Statement, learned: int) -> tuple[str, int, str, str]:
    """Return the certified model as a row of a table: name, rows learned from, how it was judged, and its bound."""
    errors = statement.observed.get("errors")
    seen = f"{errors} errors among" if isinstance(errors, int) else f"{risk_words(statement)} on"
    judged = f"{seen} {statement.n} judged rows"
    return "The certified model", learned, judged, limit_words(statement, statement.value)


def _refit_row(refit: Refit, rows: int) -> tuple[str, int, str, str]:
    """Return a refitted model as a row of the same table."""
    name = "The model refitted on all rows"
    if refit.transfer is None:
        return name, rows, "nothing: it has seen the judged rows", "not certified"
    first = refit.transfer.statements[0]
    apart = f"{first.observed['disagreements']} disagreements with the certified model on {first.n} unlabelled rows"
    return name, rows, apart, limit_words(first, first.value)


def _refit_sentence(refit: Refit | None) -> str:
    """Return what is guaranteed of a refitted model, or that nothing is; empty where there is no such model."""
    if refit is None:
        return ""
    if refit.transfer is None:
        return (
            "The refitted model is not certified: no number on this page is about it. Fresh rows without labels would "
            "certify it."
        )
    return (
        f"{refit.transfer.sentence()} It is at most the error of the certified model, and the share of cases in which "
        "the two disagree; with that probability the guarantee at the top holds too. It needs one thing more to be "
        f"true: {ASSUMPTIONS['fresh_unlabelled']}"
    )
