"""The commands under one name, in the order in which a newcomer meets them."""

from __future__ import annotations

from typing import Annotated

import typer

from pacbayes import __version__
from pacbayes.cli import bound, certify, demo, plan, reproduce, verify, watch

__all__ = ["app"]

_HELP = """Certificates for classifiers: with a stated probability, the worst their true error can be.

A PAC-Bayes certificate is a number, computed from the data a model was trained on, that the model's error on new
cases from the same source does not exceed, except with a small probability called delta.

Start with 'pacbayes demo', then 'pacbayes certify table.csv --target column'.

Exit status: 0 all is well, 1 a certificate does not hold, 2 something could not be read or done.
"""

app = typer.Typer(
    name="pacbayes",
    help=_HELP,
    no_args_is_help=True,
    rich_markup_mode=None,  # messages on one line, and help that reads the same in a terminal and in a file
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"pacbayes {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None: ...


app.command("demo", short_help="Certify, report and verify on data that comes along.")(demo.demo)
app.command("certify", short_help="From a table to a certificate and a report.")(certify.certify)
app.command("verify", short_help="Check a certificate; with the data, all of it.")(verify.verify)
app.command("bound", short_help="Compute one bound from plain numbers.")(bound.bound)
app.command("bounds", short_help="List all bounds and what they assume.")(bound.bounds)
app.command("plan", short_help="How many examples a guarantee needs.")(plan.plan)
app.command("watch", short_help="Keep a guarantee current as losses come in.")(watch.watch)
app.command("reproduce", cls=reproduce.ReproduceCommand, short_help="Compute the paper's table again.")(
    reproduce.reproduce
)
