"""How a file of text is read: options that commands which read tables share."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["DECIMAL", "DELIMITER", "ENCODING"]

DELIMITER = Annotated[
    str | None, typer.Option(help="Separator of the columns of a text file [default: detected in its first line].")
]
ENCODING = Annotated[
    str | None, typer.Option(help="Encoding of a text file, such as latin-1 or utf-16 [default: utf-8].")
]
DECIMAL = Annotated[str, typer.Option(help="Decimal separator of the numbers in a text file: . or ,")]
