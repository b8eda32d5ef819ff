"""Write the reference of the commands, ``docs/reference/commands.md``, from the commands themselves.

    python tools/command_page.py

A test compares the page with what this writes; run it when a command or an option changes.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from prose import reflow

from pacbayes.cli._app import COMMANDS, app

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "commands.md"
HEAD = """# Commands

What each command takes, from the commands themselves: `pacbayes COMMAND --help` says the same.
[The command line](../command-line.md) explains them at work.
"""
_WIDTH = 10_000  # help is broken into lines below, not by typer


def _escape(text: str) -> str:
    """Return help text as Markdown that shows it as it is."""
    return re.sub(r"([|<*])", r"\\\1", " ".join(text.split())).replace("  ", " ")


def _list(head: str, rows: list[tuple[str, str]]) -> list[str]:
    """Return the lines of a list of arguments or options; none without rows."""
    if not rows:
        return []
    return ["", f"{head}:", "", *reflow([f"- `{name}`: {_escape(text)}" for name, text in rows])]


def _prose(text: str) -> Iterator[str]:
    """Yield the paragraphs of help in lines of one sentence; what is indented is an example."""
    for paragraph in inspect.cleandoc(text).replace("\b\n", "").split("\n\n"):
        joined = paragraph if paragraph.startswith("    ") else " ".join(paragraph.split())
        yield from ("", *reflow(joined.split("\n")))


def _records(command: Any, context: Any, kind: str) -> list[tuple[str, str]]:
    """Return what a command says of its arguments or options, but for the one that every command has."""
    own = (each for each in command.params if each.param_type_name == kind)
    records = ((each, each.get_help_record(context)) for each in own)
    # some versions of typer say the type of an argument, too
    return [
        (each.name if kind == "argument" else record[0], record[1]) for each, record in records if record is not None
    ]


def _section(name: str, command: Any, context: Any) -> list[str]:
    """Return the lines about one command."""
    usage = " ".join(command.collect_usage_pieces(context))
    return [
        "",
        f"## pacbayes {name}",
        "",
        COMMANDS[name].short_help,
        "",
        f"    pacbayes {name} {usage}",
        *_prose(command.help or ""),
        *_list("Arguments", _records(command, context, "argument")),
        *_list("Options", _records(command, context, "option")),
    ]


def make_page() -> str:
    """Return the page."""
    group: Any = typer.main.get_command(app)
    context = group.make_context("pacbayes", [], resilient_parsing=True)
    lines = [*HEAD.rstrip().split("\n"), "", "| command | what it does |", "|---|---|"]
    lines += [f"| [`{name}`](#pacbayes-{name}) | {row.short_help} |" for name, row in COMMANDS.items()]
    for name in COMMANDS:
        command = group.resolve_command(context, [name])[1]
        own = command.context_class(command, info_name=name, parent=context, max_content_width=_WIDTH)
        lines += _section(name, command, own)
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the page."""
    PAGE.write_text(make_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
