"""An archive of fitted models read as inert pieces: names, numbers and texts; nothing is imported, made or called.

skops rebuilds objects from such an archive. Here its schema is only read, so that what somebody stored can be
compared with what the rows give, or be looked over before skops gets to see it.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pacbayes._core.strict_json import without_duplicates
from pacbayes.runs.headers import read_header

__all__ = ["MOST_BYTES", "Piece", "read_pieces", "walk"]

Scalar: TypeAlias = "bool | int | float | str | None"
_State: TypeAlias = "Mapping[str, object]"
MOST_BYTES = 4 * 2**30
_MOST_MEMBERS, _MOST_DEPTH, _PROTOCOL = 1_000_000, 200, 2
_MOST_SPARSE = 2**28
_SCHEMA = "schema.json"
_MEMBER = re.compile(r"[0-9A-Za-z-]{1,80}\.(npy|npz|bin)")
_HEAD = frozenset({"__class__", "__module__", "__loader__", "__id__"})
_KINDS = "biufcSUV"  # of numbers, texts and records; objects would be pickled


@dataclass(frozen=True, slots=True)
class Piece:
    """A node of the schema.

    Attributes
    ----------
    loader : str
        The kind of node; empty for plain JSON.
    type : str
        The full name of its type.
    parts : mapping of str to Piece
        Attributes of an object, values of a dictionary, items by their number.
    value : None, bool, int, float, str, bytes or ndarray
        Of a leaf.
    """

    loader: str
    type: str
    parts: Mapping[str, Piece] = field(default_factory=dict)
    value: Scalar | bytes | NDArray[np.generic] = None


def read_pieces(source: Path | bytes) -> Piece:
    """Return the root of an archive; ValueError if anything about it is not as skops writes it."""
    size = len(source) if isinstance(source, bytes) else source.stat().st_size
    with zipfile.ZipFile(io.BytesIO(source) if isinstance(source, bytes) else source) as archive:
        _check_members(archive, size)
        reader = _Reader(archive)
        root = reader.read_root(json.loads(archive.read(_SCHEMA), object_pairs_hook=without_duplicates))
        unused = {*archive.namelist()} - reader.used - {_SCHEMA}
    if unused:
        raise ValueError(f"{len(unused)} members belong to nothing")
    return root


def walk(piece: Piece) -> Iterator[Piece]:
    """Yield a piece and all pieces in it."""
    waiting = [piece]
    while waiting:
        each = waiting.pop()
        yield each
        waiting.extend(each.parts.values())


def _check_members(archive: zipfile.ZipFile, size: int) -> None:
    """Refuse whatever could unpack to more than the file holds, or lie outside."""
    members = archive.infolist()
    if len(members) > _MOST_MEMBERS or len({each.filename for each in members}) < len(members):
        raise ValueError("members come twice, or are too many")
    if any(each.filename != _SCHEMA and not _MEMBER.fullmatch(each.filename) for each in members):
        raise ValueError("a member has a name that skops would not give")
    if any(each.compress_type != zipfile.ZIP_STORED or each.flag_bits & 1 for each in members):
        raise ValueError("members are packed")
    if sum(each.file_size for each in members) > size:
        raise ValueError("members are larger than the file")


class _Reader:
    """Reads states to pieces, and holds that an identity stands for one thing."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.archive, self.used = archive, set[str]()
        self.leaves: dict[tuple[str, str, str, str], Piece] = {}  # however often it is named, a file is read once
        self.left = _MOST_SPARSE
        self.known: dict[int, Piece] = {}

    def read_root(self, state: object) -> Piece:
        if not isinstance(state, dict) or state.pop("protocol", None) != _PROTOCOL:
            raise ValueError(f"the protocol is not {_PROTOCOL}")
        state.pop("_skops_version", None)
        return self.read(state, 0)

    def read(self, state: object, depth: int) -> Piece:
        """Return the piece of any JSON: a node, or what stands inside of one."""
        if depth > _MOST_DEPTH:
            raise ValueError("it is nested too deeply")
        if isinstance(state, list):
            return Piece("", "list", {str(k): self.read(each, depth + 1) for k, each in enumerate(state)})
        if not isinstance(state, dict):
            return Piece("", type(state).__name__, value=_scalar(state))
        if isinstance(state.get("__loader__"), str):
            return self._node(state, depth)
        return Piece("", "dict", {name: self.read(each, depth + 1) for name, each in state.items()})

    def _node(self, state: _State, depth: int) -> Piece:
        loader, name = str(state["__loader__"]), f"{_text(state, '__module__')}.{_text(state, '__class__')}"
        piece = self._leaf(loader, name, state) or _simplify(
            Piece(loader, name, {key: self.read(each, depth + 1) for key, each in state.items() if key not in _HEAD})
        )
        self._remember(state.get("__id__"), piece)
        return piece

    def _leaf(self, loader: str, name: str, state: _State) -> Piece | None:
        if loader == "JsonNode":
            return Piece(loader, name, value=_scalar(json.loads(_text(state, "content"))))
        if "file" not in state:
            return None
        if set(state) - _HEAD - {"type"} != {"file"}:
            raise ValueError("a file comes with something else")
        member = _text(state, "file")
        self.used.add(member)
        kind = Piece("", "str", value=_scalar(state.get("type")))
        key = (loader, name, member, repr(kind.value))
        if key not in self.leaves:
            self.leaves[key] = self._read_leaf(loader, name, member, kind)
        return self.leaves[key]

    def _read_leaf(self, loader: str, name: str, member: str, kind: Piece) -> Piece:
        content = self.archive.read(member)
        if member.endswith(".npz"):
            parts, size = _read_sparse(content, self.left)
            self.left -= size
            return Piece(loader, name, {"type": kind, **parts})
        value = _read_array(io.BytesIO(content), len(content)) if member.endswith(".npy") else content
        return Piece(loader, name, {"type": kind}, value)

    def _remember(self, identity: object, piece: Piece) -> None:
        """Where skops meets an identity again it takes the first object, whatever is written there."""
        if identity is None:
            return
        if type(identity) is not int or identity <= 0:
            raise ValueError("an identity is not a whole number")
        if not _equal(self.known.setdefault(identity, piece), piece):
            raise ValueError("one identity stands for two things")


def _simplify(piece: Piece) -> Piece:
    """Name the parts of dictionaries, lists and objects directly, without the wrapping of the format."""
    content = piece.parts.get("content")
    if piece.loader == "DictNode":
        _check_form(piece, content, "dict", {"content", "key_types"})
        return Piece(piece.loader, piece.type, _named(piece.parts["content"], piece.parts["key_types"]))
    if piece.loader in {"ListNode", "TupleNode", "SetNode"}:
        _check_form(piece, content, "list", {"content"})
        items = list(piece.parts["content"].parts.values())
        if piece.loader == "SetNode":  # its order is nothing
            items.sort(key=repr)
        return Piece(piece.loader, piece.type, {str(k): each for k, each in enumerate(items)})
    if piece.loader in {"ObjectNode", "TreeNode", "LossNode"} and content is not None and _is_builtin(content):
        others = {name: each for name, each in piece.parts.items() if name != "content"}
        if set(others) & set(content.parts):
            raise ValueError("an attribute has the name of a part")
        return Piece(f"{piece.loader} {content.loader}", piece.type, {**content.parts, **others})
    return piece


def _check_form(piece: Piece, content: Piece | None, kind: str, names: set[str]) -> None:
    if content is None or content.loader or content.type != kind or set(piece.parts) != names:
        raise ValueError(f"a {piece.loader} is not of its form")


def _is_builtin(piece: Piece) -> bool:
    """Return whether a piece is a dictionary, list or tuple itself; wrappings of other types are never taken off."""
    names = {"DictNode": "builtins.dict", "ListNode": "builtins.list", "TupleNode": "builtins.tuple"}
    return names.get(piece.loader) == piece.type


def _named(content: Piece, types: Piece) -> dict[str, Piece]:
    """Return the values of a dictionary by key, with the type of a key that is no text."""
    kinds = [each.type for each in types.parts.values()]
    plain = _is_builtin(types) and all(each.loader == "TypeNode" and not each.parts for each in types.parts.values())
    if not plain or types.loader != "ListNode" or len(kinds) != len(content.parts):
        raise ValueError("keys and their types do not fit")
    names = [
        key if kind == "builtins.str" else f"{key} ({kind})" for key, kind in zip(content.parts, kinds, strict=True)
    ]
    if len(set(names)) < len(names):
        raise ValueError("a key comes twice")
    return dict(zip(names, content.parts.values(), strict=True))


def _text(state: _State, name: str) -> str:
    value = state[name]
    if not isinstance(value, str):
        raise TypeError(f"{name} is no text")
    return value


def _scalar(value: object) -> Scalar:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ValueError("a single value is none")


def _read_array(file: IO[bytes], size: int) -> NDArray[np.generic]:
    """Read an array of numbers or texts whose content is exactly as long as its header says."""
    shape, fortran, dtype = read_header(file)
    count = 1
    for length in shape:
        count *= length
    whole = count * dtype.itemsize == size - file.tell() and (count == 0 or dtype.itemsize > 0)
    if dtype.hasobject or dtype.kind not in _KINDS or not whole:
        raise ValueError("an array is not as its header says")
    values = np.frombuffer(file.read(), dtype=dtype) if count else np.empty(0, dtype)
    return values.reshape(shape[::-1]).T if fortran else values.reshape(shape)


def _read_sparse(content: bytes, most: int) -> tuple[dict[str, Piece], int]:
    """Read a sparse matrix, which scipy packs, and return its parts and how many bytes they are."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = archive.infolist()
        size = sum(each.file_size for each in members)
        if size > most or len(members) > 16:
            raise ValueError("a sparse matrix is larger than it can be")
        read = {each.filename: archive.read(each.filename) for each in members}
    parts = {
        name: Piece("", "array", value=_read_array(io.BytesIO(content), len(content))) for name, content in read.items()
    }
    return parts, size


def _equal(one: Piece, two: Piece) -> bool:
    """Return whether two pieces are the same to the last bit."""
    if one is two:
        return True
    if (one.loader, one.type, list(one.parts)) != (two.loader, two.type, list(two.parts)):
        return False
    if isinstance(one.value, np.ndarray) or isinstance(two.value, np.ndarray):
        return _same_bits(one.value, two.value)
    if type(one.value) is not type(two.value) or repr(one.value) != repr(two.value):
        return False
    return all(_equal(one.parts[name], two.parts[name]) for name in one.parts)


def _same_bits(one: object, two: object) -> bool:
    if not (isinstance(one, np.ndarray) and isinstance(two, np.ndarray)):
        return False
    return (one.dtype, one.shape) == (two.dtype, two.shape) and one.tobytes() == two.tobytes()
