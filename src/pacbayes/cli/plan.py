"""``pacbayes plan``: how many examples a target certificate needs, and what rows that are there can certify."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from pacbayes._core.units import limit_text, percent_text
from pacbayes.bounds import examples_needed
from pacbayes.bounds.planning import MAY_RISE
from pacbayes.certificate.words import confidence_words
from pacbayes.cli._cautions import note_high_delta
from pacbayes.cli._output import JSON, QUIET, Output, tidy

__all__ = ["plan"]

_SIDES = {"upper": "≤", "lower": "≥", "both": "≤"}
_FAMILIES = {"all": "all rows", "difference": "difference of {groups} groups", "group": "each of {groups} groups"}


@tidy
def plan(
    target: Annotated[float | None, typer.Option(help="The limit on the true error that you want.")] = None,
    risk: Annotated[float | None, typer.Option(help="The observed error that you expect.")] = None,
    kl: Annotated[
        float, typer.Option(help="The divergence you expect, in nats; 0 for a model that is fixed beforehand.")
    ] = 0.0,
    delta: Annotated[float, typer.Option(help="Allowed probability that the guarantee is wrong.")] = 0.05,
    bound: Annotated[
        str,
        typer.Option(help="A name from 'pacbayes bounds'; auto is clopper_pearson if kl is 0, else maurer."),
    ] = "auto",
    rows: Annotated[int | None, typer.Option(help="In place of a target: the labelled rows that you have.")] = None,
    learning_fraction: Annotated[
        float | None, typer.Option(help="Share of these rows for training [default: found while training, 0.4 to 0.8].")
    ] = None,
    metric: Annotated[
        list[str] | None, typer.Option(help="A metric, as for certify; repeatable [default: error].")
    ] = None,
    groups: Annotated[int, typer.Option(help="How many groups of equal size there are.")] = 1,
    difference: Annotated[
        bool, typer.Option("--difference", help="State the largest difference of each rate between groups, too.")
    ] = False,
    class_share: Annotated[
        float | None, typer.Option(help="Share of the rows that are of the class of a metric such as recall:yes.")
    ] = None,
    as_json: JSON = False,
    quiet: QUIET = False,
) -> None:
    """Compute how many examples a guarantee needs, or what can be certified with the rows that you have.

    With --target and --risk: the examples that the bound is computed on; the rows for training are extra.
    With --rows: the limits to expect, with the rows for training taken off.

    \b
        pacbayes plan --target 0.05 --risk 0.02
        pacbayes plan --rows 7000 --metric error --metric recall:ill --class-share 0.05
    """  # noqa: D301  (the mark of lines to keep)
    given = locals()
    output = Output(as_json=as_json, quiet=quiet)
    if rows is None and (target is None or risk is None):
        raise ValueError("Give --target and --risk, or the --rows that you have.")
    show = _plan_target if rows is None else _plan_rows
    show(output, given)
    note_high_delta(output, delta)


def _plan_target(output: Output, given: dict[str, Any]) -> None:
    for name in ("metric", "difference", "class_share", "learning_fraction"):
        if given[name]:
            raise ValueError(f"--target and --{name.replace('_', '-')} do not go together: give the --rows you have.")
    if given["groups"] > 1:
        raise ValueError("--target and --groups do not go together: give the --rows you have.")
    target, risk, kl, delta = (given[name] for name in ("target", "risk", "kl", "delta"))
    automatic = "clopper_pearson" if kl == 0.0 else "maurer"
    bound = automatic if given["bound"] == "auto" else given["bound"]
    n, value = examples_needed(bound, target=target, risk=risk, kl=kl, delta=delta)
    output.result({"bound": bound, "n": n, "value": value, "target": target, "risk": risk, "kl": kl, "delta": delta})
    if output.quiet:
        output.say(str(n))
        return
    divergence = f" and the divergence is {kl:g}" if kl else ""
    others = "" if bound in MAY_RISE else ", and so is every larger number"
    output.say(
        f"{n} examples are enough{others}: if at most {percent_text(risk)} of them are wrong"
        f"{divergence}, the certificate says that with probability at least {confidence_words(delta)} the true error "
        f"is at most {percent_text(target)} ({limit_text(value, None, None)} with {n}) by {bound}."
    )


def _plan_rows(output: Output, given: dict[str, Any]) -> None:
    from pacbayes.metrics import parse_metrics  # noqa: PLC0415
    from pacbayes.metrics.asked import Asked  # noqa: PLC0415
    from pacbayes.runs.outlook import RISKS, plan_rows  # noqa: PLC0415

    for name in ("target", "kl"):
        if given[name]:
            raise ValueError(f"--rows and --{name} do not go together. Leave one of them out.")
    names, weights = parse_metrics("--metric", given["metric"] or ("error",))
    grouped = ("group",) if given["groups"] > 1 else ()
    options: dict[str, Any] = {"metrics": names, "weights": weights, "groups": grouped, "cost": None}
    if given["difference"] and not grouped:
        raise ValueError("--difference is between groups: give --groups, too.")
    asked = Asked(**options | {"differences": given["difference"], "cost": "any" if "cost" in names else None})
    found = plan_rows(
        given["rows"],
        risks=RISKS if given["risk"] is None else (given["risk"],),
        asked=asked,
        **{name: given[name] for name in ("learning_fraction", "delta", "groups", "class_share")},
    )
    output.result({"rows": given["rows"], "delta": given["delta"], "plans": [asdict(each) for each in found]})
    for place, each in enumerate(found):
        output.say(*([""] if place else []), *_outlook_lines(each, given, adaptive=len(found) > 1))


def _outlook_lines(outlook: Any, given: dict[str, Any], *, adaptive: bool) -> list[str]:
    share = percent_text(round(outlook.learning / given["rows"], 2))
    how = f" ({share}; the split is found while training, 40 % to 80 %)" if adaptive else f" ({share})"
    headings = ["metric", "rows", "judged rows", "of delta", *(f"{percent_text(each)} wrong" for each in outlook.risks)]
    table = [headings, *(_cells(each, given["groups"]) for each in outlook.statements)]
    lacking = [each for each in outlook.statements if each.rows_needed is not None]
    split = f"{outlook.learning} rows to learn from{how}, {outlook.judged} rows to judge."
    confidence = confidence_words(given["delta"])
    return [
        f"{split} Limits that hold together with probability at least {confidence}, by the share that is wrong:",
        "",
        *_aligned(table),
        *([""] if lacking else []),
        *(_needed_words(each, given["groups"]) for each in lacking),
    ]


def _cells(statement: Any, groups: int) -> list[str]:
    safe = "lower" if statement.side == "lower" else "upper"
    limits = [f"{_SIDES[statement.side]} {limit_text(each, None, None, safe)}" for each in statement.limits]
    rows = _FAMILIES[statement.family].format(groups=groups)
    return [statement.metric, rows, str(statement.n), f"{100.0 * statement.share:.3g} %", *limits]


def _needed_words(statement: Any, groups: int) -> str:
    rows = _FAMILIES[statement.family].format(groups=groups)
    return (
        f"Too few rows for {statement.metric}, {rows}: at least {statement.rows_needed} are needed in all, learning "
        "rows included."
    )


def _aligned(table: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return ["  " + "  ".join(map(_padded, range(len(row)), row, widths)) for row in table]


def _padded(column: int, cell: str, width: int) -> str:
    return f"{cell:<{width}}" if column < 2 else f"{cell:>{width}}"
