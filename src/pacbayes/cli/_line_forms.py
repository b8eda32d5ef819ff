r"""Forms of lines: all that a program writes look alike, and those of one form are read at once.

A form is learned from a line that was read by itself: an object of JSON with these names, in this order, with this
white space between them, or a number alone. Its expression matches lines alone of which the decoder of JSON would say
the same; whatever it does not match is read by itself:

- texts have no backslash and no control character, and are valid UTF-8, since their block is;
- numbers are of JSON's grammar, and of at most 1,000 bytes, as the whole line is: the decoder takes no more than 4,300
  digits;
- losses have no sign, and no exponent but a negative one of at most two digits: nothing overflows or underflows, and
  doubles are the nearest to what is written, with Arrow as with Python;
- two labels of one kind (texts, whole numbers, truth values) are equal if and only if they are written alike;
- values of CSV are without quotes, and those that are read are not empty; of labels and predictions, those that are
  words for missing values are told later.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["LONGEST_LINE", "NUMBER", "Form", "form_of_rows", "learn_form"]

LONGEST_LINE = 1000  # bytes
_SPACE = r"[ \t\r]*"
_TEXT = r'"[^"\\\x00-\x1f]*"'
_DIGITS = r"(?:0|[1-9][0-9]*)"
_SCALAR = rf"(?:{_TEXT}|-?{_DIGITS}(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)"
_LOSS = rf"{_DIGITS}(?:\.[0-9]+)?(?:[eE]-[0-9][0-9]?)?"
_WHOLE = r"(?:0|-?[1-9][0-9]*)"
_KINDS = {"text": r'"(?P<{group}>[^"\\\x00-\x1f]*)"', "whole": rf"(?P<{{group}}>{_WHOLE})"}
_KINDS |= {"truth": r"(?P<{group}>true|false)", "loss": rf"(?P<{{group}}>{_LOSS})"}
_VALUE = r'[^",\x00-\x1f]'
_PAIR = re.compile(
    rb'(?P<before>[ \t]*"(?P<name>[ !#-\[\]-~]+)"[ \t]*:[ \t]*)'
    rb'(?P<value>"[^"\\\x00-\x1f]*"|[^\s",:\[\]{}]+)(?P<after>[ \t]*)(?P<end>[,}])'
)


@dataclass(frozen=True, slots=True)
class Form:
    """An expression for lines of one form.

    Attributes
    ----------
    expression : str
        With a group for each part that is read: "key", "loss", or "label" and "prediction".
    key, loss, label, prediction : str or None
        The groups that these are in; two of them may share one.
    heading : str or None
        What the group of the label says in a header, which is read by itself.
    """

    expression: str
    key: str | None = None
    loss: str | None = None
    label: str | None = None
    prediction: str | None = None
    heading: str | None = None

    def match(self, lines: pa.Array) -> pa.StructArray:
        """Return the parts of each line; nothing for a line of another form."""
        import pyarrow.compute as pc  # noqa: PLC0415

        return pc.extract_regex(lines, self.expression)


NUMBER = Form(rf"\A{_SPACE}{_KINDS['loss'].format(group='loss')}{_SPACE}\n\z", loss="loss")


def learn_form(content: bytes, given: object, by: str | None) -> Form | None:
    r"""Return the form of a line whose loss, and key if there is one, could be read; None if it is too unusual.

    Examples
    --------
    >>> from pacbayes.cli._line_forms import learn_form
    >>> form = learn_form(b'{"shop": "a", "loss": 0.5}\n', {"shop": "a", "loss": 0.5}, "shop")
    >>> form.key, form.loss
    ('part0', 'part1')
    >>> learn_form(b'{"loss": [0.5]}\n', {"loss": [0.5]}, None) is None
    True
    """
    if not isinstance(given, dict):
        return NUMBER if by is None else None
    wanted = _kinds_wanted(given, by)
    start = re.match(rb"[ \t]*\{", content)
    if wanted is None or start is None:
        return None
    parts, place, groups = [_SPACE, re.escape(start[0].decode().strip())], start.end(), dict[str, str]()
    for number in range(len(given)):
        pair = _PAIR.match(content, place)
        if pair is None or (pair["end"] == b"}") != (number == len(given) - 1):
            return None
        name = pair["name"].decode()
        parts.append(re.escape(pair["before"].decode()))
        if name in wanted:
            groups[name] = f"part{number}"
            parts.append(_KINDS[wanted[name]].format(group=groups[name]))
        else:
            parts.append(_SCALAR)
        parts.append(re.escape((pair["after"] + pair["end"]).decode()))
        place = pair.end()
    if content[place:].strip(b" \t\r\n") or set(groups) != set(wanted):
        return None
    roles = ("loss",) if "loss" in wanted and "label" not in wanted else ("label", "prediction")
    named = {role: groups[role] for role in roles}
    return Form(rf"\A{''.join(parts)}{_SPACE}\n\z", key=None if by is None else groups[by], **named)


def form_of_rows(columns: Sequence[str], by: str | None) -> Form:
    """Return the form of rows of CSV with these columns.

    Examples
    --------
    >>> from pacbayes.cli._line_forms import form_of_rows
    >>> form = form_of_rows(["shop", "loss"], "shop")
    >>> form.key, form.loss
    ('part0', 'part1')
    """
    roles = ("label", "prediction") if "label" in columns or "prediction" in columns else ("loss",)
    groups = {name: f"part{place}" for place, name in enumerate(columns) if name in (*roles, by)}
    parts = []
    for name in columns:
        if name == "loss" and name in roles:
            parts.append(rf"[ \t]*(?P<{groups[name]}>{_LOSS})[ \t]*")
        else:
            parts.append(rf"(?P<{groups[name]}>{_VALUE}+)" if name in groups else f"{_VALUE}*")
    key = None if by is None else groups[by]
    heading = "label" if "label" in roles else None
    return Form(rf"\A{','.join(parts)}\r?\n\z", key=key, heading=heading, **{role: groups[role] for role in roles})


def _kinds_wanted(given: Mapping[str, object], by: str | None) -> dict[str, str] | None:
    """Return the names that are read, and the kind of each; None if a form cannot have them."""
    wanted: dict[str, str] = {}
    if "label" in given and "prediction" in given:
        kinds = {_kind_of(given["label"]), _kind_of(given["prediction"])}
        if len(kinds) > 1 or None in kinds:
            return None
        wanted = dict.fromkeys(("label", "prediction"), str(kinds.pop()))
    else:
        wanted["loss"] = "loss"
    if by is not None:
        kind = _kind_of(given.get(by))
        if kind not in ("text", "whole") or wanted.get(by, kind) != kind:
            return None
        wanted[by] = kind
    return wanted


def _kind_of(value: object) -> str | None:
    return {str: "text", int: "whole", bool: "truth"}.get(type(value))
