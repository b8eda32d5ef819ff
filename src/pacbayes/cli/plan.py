"""``pacbayes plan``: how many examples a target certificate needs."""

from __future__ import annotations

from typing import Annotated

import typer

from pacbayes.bounds import examples_needed
from pacbayes.certificate.words import confidence_words, round_up
from pacbayes.cli._output import JSON, QUIET, Output, tidy

__all__ = ["plan"]


@tidy
def plan(
    target: Annotated[float, typer.Option(help="The guarantee that you want: a true error of at most this.")],
    risk: Annotated[float, typer.Option(help="The error you expect to observe.")],
    kl: Annotated[
        float, typer.Option(help="The divergence you expect, in nats; 0 for a model that is fixed beforehand.")
    ] = 0.0,
    delta: Annotated[float, typer.Option(help="Allowed probability that the guarantee is wrong.")] = 0.05,
    bound: Annotated[
        str,
        typer.Option(help="A name from 'pacbayes bounds'; auto is clopper_pearson if kl is 0, else maurer."),
    ] = "auto",
    as_json: JSON = False,
    quiet: QUIET = False,
) -> None:
    """Compute how many examples a guarantee needs, if the observed error turns out as expected.

    These are the examples that the bound is computed on; the rows for training are extra.
    """
    output = Output(as_json=as_json, quiet=quiet)
    bound = bound if bound != "auto" else ("clopper_pearson" if kl == 0.0 else "maurer")
    n, value = examples_needed(bound, target=target, risk=risk, kl=kl, delta=delta)
    output.result({"bound": bound, "n": n, "value": value, "target": target, "risk": risk, "kl": kl, "delta": delta})
    if output.quiet:
        output.say(str(n))
        return
    output.say(
        f"{n} examples are enough: if at most {100 * risk:g} % of them are wrong and the divergence is {kl:g}, then "
        f"with probability at least {confidence_words(delta)} the true error is at most {round_up(value)} by {bound}."
    )
