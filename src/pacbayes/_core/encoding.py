"""Values as bytes that do not depend on the container: numbers as doubles, everything else with a tag.

See :mod:`pacbayes._core.digests` for what is made of them.
"""

from __future__ import annotations

import datetime as dt
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["encode", "encode_doubles", "encode_values"]

_SECONDS = {"W": 604800, "D": 86400, "h": 3600, "m": 60, "s": 1}
_PARTS = {"ms": 10**3, "us": 10**6, "ns": 10**9, "ps": 10**12, "fs": 10**15, "as": 10**18}
_EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001  (like numpy's, in no time zone)


def encode_doubles(block: NDArray[Any]) -> bytes:
    """Return little-endian doubles, with one zero and one NaN."""
    if block.dtype.kind in "biu":  # which have no other
        return bytes(block.astype("<f8").tobytes())
    doubles = np.asarray(block, dtype="<f8") + 0.0  # -0.0 becomes 0.0
    unknown = np.isnan(doubles)
    if np.any(unknown):
        doubles = np.where(unknown, np.nan, doubles)
    return bytes(np.ascontiguousarray(doubles, dtype="<f8").tobytes())


def encode_values(block: NDArray[Any]) -> bytes:
    """Return each value as :func:`encode` has it."""
    if block.dtype.kind in "Mm":
        unit, step = np.datetime_data(block.dtype)
        return b"".join(_encode_time(value, unit, step) for value in block.flat)
    values, texts = np.ravel(block).tolist(), dict[str, bytes]()
    for value in values:
        if type(value) is str and value not in texts:
            texts[value] = _part(b"t", value)
    return b"".join([texts[value] if type(value) is str else encode(value) for value in values])


def encode(value: object) -> bytes:
    """Return a value as its tag, its length and its text.

    The tags: ``t`` text, ``n`` number, ``b`` truth value, ``0`` nothing, ``y`` bytes, ``d`` moment, ``s`` span of time,
    ``l`` list, ``o`` any other with the name of its type.
    """
    if isinstance(value, np.datetime64 | np.timedelta64):
        return _encode_time(value, *np.datetime_data(value.dtype))
    if isinstance(value, np.generic) and not isinstance(value, np.longdouble | np.clongdouble):
        value = value.item()
    return _part(*_tagged(value))


def _tagged(value: object) -> tuple[bytes, str | bytes]:
    """Return the tag of a value and its text."""
    tag, text = b"o", f"{type(value).__module__}.{type(value).__qualname__}:"
    if isinstance(value, str):
        return b"t", value
    if isinstance(value, bool):
        tag, text = b"b", str(int(value))
    elif isinstance(value, int | float):
        tag, text = b"n", _number_text(value)
    elif value is None or type(value).__name__ == "NAType":
        tag, text = b"0", ""
    elif isinstance(value, bytes | bytearray):
        return b"y", bytes(value)
    elif isinstance(value, dt.datetime) and value.tzinfo is None and not hasattr(value, "nanosecond"):
        tag, text = b"d", str((value - _EPOCH) // dt.timedelta(microseconds=1) * 10**12)
    elif isinstance(value, list | tuple | np.ndarray):
        shape = str(value.shape) if isinstance(value, np.ndarray) else f"({len(value)},)"
        return b"l", shape.encode() + b"".join(
            encode(each) for each in (value.flat if isinstance(value, np.ndarray) else value)
        )
    else:
        text += str(value)
    return tag, text


def _number_text(value: float) -> str:
    """Return the shortest text of a number, the same for a whole number as for the double that holds it."""
    if isinstance(value, int):
        return str(int(value))
    return str(int(value)) if math.isfinite(value) and value.is_integer() else repr(float(value))


def _encode_time(value: Any, unit: str, step: int) -> bytes:
    """Return a moment or a span in attoseconds, so that its unit does not matter; months have no length in them."""
    tag = b"d" if value.dtype.kind == "M" else b"s"
    if np.isnat(value):
        return _part(tag, "NaT")
    if unit in ("Y", "M") and tag == b"d":
        value, unit, step = value.astype("datetime64[D]"), "D", 1
    ticks = int(value.astype(np.int64)) * step
    if unit in _SECONDS:
        return _part(tag, str(ticks * _SECONDS[unit] * 10**18))
    if unit in _PARTS:
        return _part(tag, str(ticks * (10**18 // _PARTS[unit])))
    return _part(tag, f"{ticks} {unit}")


def _part(tag: bytes, content: str | bytes) -> bytes:
    text = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    return tag + len(text).to_bytes(8, "little") + text
