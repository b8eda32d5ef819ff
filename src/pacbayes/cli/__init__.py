"""The command line: arguments in, library calls, words out."""

from __future__ import annotations

from importlib.util import find_spec

__all__ = ["main"]

_NEEDED = ("typer", "rich", "pandas", "pyarrow", "jinja2", "skops")


def main() -> None:
    """Run the command line, or say in one sentence what has to be installed for it.

    Whatever happens, 1 is the exit status of a certificate that does not hold and of nothing else.
    """
    from pacbayes.cli._failures import report_failure  # noqa: PLC0415
    from pacbayes.cli._streams import finish, prepare  # noqa: PLC0415

    try:
        prepare()
        status = _run()
    except BaseException as error:  # nothing may become a status that it is not
        status = report_failure(error)
    raise SystemExit(finish(status))


def _run() -> int:
    """Return the exit status of the command that was asked for."""
    lacking = [name for name in _NEEDED if find_spec(name) is None]
    if lacking:
        from pacbayes.cli._streams import FAILED, print_error  # noqa: PLC0415

        print_error(f"the command line needs {', '.join(lacking)}. Install pacbayes[cli].")
        return FAILED
    from pacbayes.cli._app import run  # noqa: PLC0415

    return run()
