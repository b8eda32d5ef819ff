"""Lines that came together, read at once where they have a form that was seen before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pacbayes._core.labels import MISSING_WORDS
from pacbayes._core.types import FloatArray, IntArray
from pacbayes.cli._line_forms import LONGEST_LINE, Form, form_of_rows, learn_form

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["LOSS", "ODD", "BlockReader", "ReadLines"]

ODD, LOSS = 0, 1  # to be read by itself, or read
_MOST_FORMS, _MOST_TRIES = 4, 64
_LONGEST_KEY, _LONGEST_LOSS = 200, 40  # bytes


@dataclass(slots=True)
class ReadLines:
    """What the lines of a block say.

    Attributes
    ----------
    ends : ndarray of int
        Where each line ends.
    kinds : ndarray of int8
        ``LOSS`` for a line that is read, ``ODD`` for one that is to be read by itself.
    keys : ndarray of int
        The number of each line's key; 0 without keys.
    losses : ndarray
        Its loss.
    """

    ends: IntArray
    kinds: NDArray[np.int8]
    keys: IntArray
    losses: FloatArray


class BlockReader:
    """Reads blocks, by forms that are learned from lines that were read by themselves.

    Parameters
    ----------
    by : str or None
        The name of the key of a stream.
    columns : sequence of str or None
        The columns, if the lines are rows of CSV.

    Attributes
    ----------
    names : list of str or None
        The keys by their numbers.
    """

    def __init__(self, by: str | None, columns: Sequence[str] | None = None) -> None:
        self._by, self._learns = by, columns is None
        self._forms: list[Form] = [] if columns is None else [form_of_rows(columns, by)]
        self._tries = 0
        self.names: list[str | None] = [None] if by is None else []
        self._numbers: dict[bytes, int] = {}

    @property
    def count(self) -> int:
        """How many forms were learned."""
        return len(self._forms)

    def learn(self, content: bytes, given: object) -> None:
        """Remember the form of a line that could be read, if it is a new one."""
        if not self._learns or self._tries >= _MOST_TRIES or len(self._forms) >= _MOST_FORMS:
            return
        form = learn_form(content, given, self._by)
        self._tries += 1
        if form is not None and form not in self._forms:
            self._forms.append(form)

    def read(self, content: bytes) -> ReadLines:
        """Return what the lines of a block say."""
        ends = np.flatnonzero(np.frombuffer(content, dtype=np.uint8) == ord("\n")) + 1
        size = ends.size
        found = ReadLines(ends, np.zeros(size, np.int8), np.zeros(size, np.int64), np.zeros(size))
        if not self._forms or not _is_text(content):
            return found
        lengths = np.diff(ends, prepend=0)
        left = np.flatnonzero(lengths <= LONGEST_LINE)
        lines = _as_array(content, ends)
        for form in list(self._forms):
            if not left.size:
                break
            some = lines if left.size == size else lines.take(_as_indices(left))
            taken = self._read_form(form, some, left, found)
            if taken.any():
                self._forms.remove(form)
                self._forms.insert(0, form)  # what came last comes again
            left = left[~taken]
        return found

    def _read_form(self, form: Form, lines: pa.Array, places: IntArray, found: ReadLines) -> NDArray[np.bool_]:
        """Put what lines of a form say in its places; return which lines these are."""
        import pyarrow.compute as pc  # noqa: PLC0415

        parts = form.match(lines)
        matched = np.asarray(parts.is_valid())
        if not matched.any():
            return matched
        if not matched.all():
            parts = parts.drop_null()
        good = np.ones(len(parts), dtype=bool)
        if form.loss is not None:
            losses, good = _as_losses(parts.field(form.loss))
        else:
            losses = np.asarray(pc.not_equal(parts.field(str(form.label)), parts.field(str(form.prediction)))) * 1.0
        if form.heading is not None:
            good &= np.asarray(pc.not_equal(parts.field(str(form.label)), form.heading.encode()))
            for name in (form.label, form.prediction):
                good &= ~_are_missing(parts.field(str(name)))
        if form.key is not None:
            keys, known = self._number_keys(parts.field(form.key))
            good &= known
            found.keys[places[matched][good]] = keys[good]
        taken = np.zeros(len(lines), dtype=bool)
        taken[np.flatnonzero(matched)[good]] = True
        found.losses[places[taken]] = losses[good]
        found.kinds[places[taken]] = LOSS
        return taken

    def _number_keys(self, texts: pa.Array) -> tuple[IntArray, NDArray[np.bool_]]:
        """Return the number of each key, and whether it is one."""
        coded = texts.dictionary_encode()
        values = coded.dictionary.to_pylist()
        fit = np.array([0 < len(each) <= _LONGEST_KEY for each in values], dtype=bool)
        numbers = np.array(
            [self._number(each) if fits else 0 for each, fits in zip(values, fit, strict=True)], dtype=int
        )
        places = np.asarray(coded.indices)
        return numbers[places], fit[places]

    def _number(self, name: bytes) -> int:
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self.names)
            self.names.append(name.decode())
        return number


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _as_array(content: bytes, ends: IntArray) -> pa.Array:
    """Return lines as an array of Arrow, without copying them."""
    import pyarrow as pa  # noqa: PLC0415

    offsets = np.concatenate([[0], ends]).astype(np.int32)
    return pa.Array.from_buffers(pa.binary(), ends.size, [None, pa.py_buffer(offsets), pa.py_buffer(content)])


def _as_indices(places: IntArray) -> Any:
    import pyarrow as pa  # noqa: PLC0415

    return pa.array(places)


def _are_missing(texts: pa.Array) -> NDArray[np.bool_]:
    """Return which texts stand for what is not known, with blanks around them or without."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    words = pa.array(sorted(MISSING_WORDS), type=pa.string())
    return np.asarray(pc.is_in(pc.ascii_trim(texts.cast(pa.string()), characters=" "), value_set=words))


def _as_losses(texts: pa.Array) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return losses, and whether each is one; a text that is too long for Arrow to be trusted with is not."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    short = pc.less_equal(pc.binary_length(texts), _LONGEST_LOSS)
    safe = texts if pc.all(short).as_py() else pc.if_else(short, texts, pa.scalar(b"2", type=texts.type))
    losses = np.asarray(safe.cast(pa.string()).cast(pa.float64()))
    return losses, (losses >= 0.0) & (losses <= 1.0)
