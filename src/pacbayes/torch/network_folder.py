"""A network as a folder: certificate, weights as safetensors, and everything else about it as plain data.

Nothing in it is unpickled, and nothing that it names is imported. Names of files are fixed, fields that nothing would
read are refused, and every size is checked before memory is used for it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite, prod
from pathlib import Path
from typing import Any

import numpy as np

from pacbayes._core.folders import draft_folder, probe_folder, put_in_place, recover_folder
from pacbayes._core.strict_json import read_object
from pacbayes._core.types import Labels
from pacbayes.certificate import Certificate
from pacbayes.torch.row_kinds import RowKind
from pacbayes.torch.states import form_digest

__all__ = ["CERTIFICATE", "NETWORK", "WEIGHTS", "NetworkRecord", "read_limited", "read_pair", "write_folder"]

CERTIFICATE, NETWORK, WEIGHTS = "certificate.json", "network.json", "network.safetensors"
_ORDER = "order.safetensors"  # of rows that no recorded seed gives; it is read no more, since it proves nothing
KINDS = {"deterministic": "split", "gaussian": "network"}  # each with the procedure that certifies it
_OURS = frozenset({CERTIFICATE, NETWORK, WEIGHTS, _ORDER})
_FORMAT, _VERSION = "pacbayes-network", 1
_MOST_TEXT = {CERTIFICATE: 64 << 20, NETWORK: 1 << 20}
_MOST_NUMBERS = 1 << 31  # in a row
_MOST_SEED = 1 << 31
_SHA256 = re.compile(r"[0-9a-f]{64}")
_LABELS = (str, int, float, bool)


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkRecord:
    """What network.json says.

    Attributes
    ----------
    kind : {"deterministic", "gaussian"}
    certificate : str
        The digest of the certificate that belongs to it.
    files : mapping of str to str
        SHA-256 of each file of numbers.
    classes : tuple of str, int, float or bool
        Labels, in the order of the outputs.
    input_shape : tuple of int
        Of one row.
    seed : int
        Of whatever was drawn besides the order of the rows.
    architecture : mapping or None
        The description of a network of ours; None for the user's own.
    groups : tuple of str or int, or None
        Columns that rows are grouped by.
    layers : str or None
        Of a Gaussian network: which layers are drawn.
    settled : bool or None
        Of a Gaussian network: whether it was settled beforehand that the posterior is the prior.
    learning : mapping or None
        How it learned, as plain data; None where a function of the user's own took part.
    rows : mapping
        Names of columns and kind of numbers, as :class:`pacbayes.torch.row_kinds.RowKind` gives them.
    """

    kind: str
    certificate: str
    files: Mapping[str, str]
    classes: tuple[str | int | float | bool, ...]
    input_shape: tuple[int, ...]
    seed: int
    architecture: Mapping[str, Any] | None = None
    groups: tuple[str | int, ...] | None = None
    layers: str | None = None
    settled: bool | None = None
    learning: Mapping[str, Any] | None = None
    rows: Mapping[str, Any]

    @property
    def labels(self) -> Labels:
        """The classes as an array."""
        return np.array(self.classes)

    @property
    def form(self) -> str:
        """SHA-256 of what makes a predictor of the weights, as the certificate has it under "network_form"."""
        return form_digest(self.architecture, self.labels, self.input_shape)

    def to_json(self) -> str:
        """Return JSON text."""
        told = {name: getattr(self, name) for name in self.__slots__}
        record = {"format": _FORMAT, "version": _VERSION, **told}
        return json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: bytes) -> NetworkRecord:
        """Read what :meth:`to_json` gave, every field checked."""
        record = read_object(NETWORK, text)
        if record.get("format") != _FORMAT or record.get("version") != _VERSION or record.get("version") is True:
            raise ValueError(f"{NETWORK} must be of format {_FORMAT!r}, version {_VERSION}.")
        given = {name: value for name, value in record.items() if name not in ("format", "version")}
        odd = sorted(given.keys() ^ set(cls.__slots__))
        if odd:
            state = "is missing" if odd[0] in cls.__slots__ else "is not one of its fields"
            raise ValueError(f"{NETWORK} is not as this version writes it: {odd[0]!r:.60} {state}.")
        wrong = next((name for name, is_right in _CHECKS.items() if not is_right(given[name])), None)
        wrong = wrong or _wrong_together(given)
        if wrong is not None:
            raise ValueError(f"{NETWORK} is not as this version writes it: {wrong!r} is {given[wrong]!r:.60}.")
        listed = {name: tuple(given[name]) for name in ("classes", "input_shape")}
        groups = None if given["groups"] is None else tuple(given["groups"])
        return cls(**given | listed | {"groups": groups})


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and _SHA256.fullmatch(value) is not None


def _is_whole(value: object, least: int, below: int) -> bool:
    return type(value) is int and least <= value < below


def _are_files(value: object) -> bool:
    names = set(value) if isinstance(value, dict) else set()
    return names in ({WEIGHTS}, {WEIGHTS, _ORDER}) and all(map(_is_digest, value.values()))  # type: ignore[attr-defined]


def _are_classes(value: object) -> bool:
    if not isinstance(value, list) or not value or type(value[0]) not in _LABELS:
        return False
    finite = all(isfinite(each) for each in value if type(each) is float)
    whole = all(abs(each) < 1 << 63 for each in value if type(each) is int)
    return len({type(each) for each in value}) == 1 and len(set(value)) == len(value) and finite and whole


def _is_shape(value: object) -> bool:
    if not isinstance(value, list) or not value or len(value) > 8:
        return False
    return all(_is_whole(each, 1, _MOST_NUMBERS) for each in value) and prod(value) < _MOST_NUMBERS


def _are_columns(value: object) -> bool:
    return value is None or (isinstance(value, list) and bool(value) and {*map(type, value)} <= {str, int})


_CHECKS = {
    "kind": lambda value: isinstance(value, str) and value in KINDS,
    "certificate": _is_digest,
    "files": _are_files,
    "classes": _are_classes,
    "input_shape": _is_shape,
    "seed": lambda value: _is_whole(value, 0, _MOST_SEED),
    "architecture": lambda value: value is None or isinstance(value, dict),
    "groups": _are_columns,
    "layers": lambda value: value is None or isinstance(value, str),
    "settled": lambda value: value is None or isinstance(value, bool),
    "learning": lambda value: value is None or isinstance(value, dict),
    "rows": RowKind.is_record,
}


def _wrong_together(given: Mapping[str, Any]) -> str | None:
    """Return a field that a network of this kind cannot have, or lacks."""
    is_gaussian = given["kind"] == "gaussian"
    if is_gaussian and given["groups"] is not None:
        return "groups"
    return next((name for name in ("layers", "settled") if (given[name] is None) == is_gaussian), None)


def read_limited(path: Path, most: int) -> bytes:
    """Return the bytes of a plain file of at most so many."""
    if not path.is_file():
        there = "is not a plain file" if path.exists() else "is missing"
        raise ValueError(f"The folder {str(path.parent)!r} does not hold a network: {path.name} {there}.")
    with path.open("rb") as file:
        content = file.read(min(most, path.stat().st_size) + 1)
    if len(content) > most:
        raise ValueError(f"{path.name} has more than {most:,} bytes, which nothing that belongs there has.")
    return content


def read_pair(folder: Path) -> tuple[Certificate, NetworkRecord]:
    """Read the certificate of a folder and what is said about its network; nothing is compared yet."""
    if not folder.is_dir():
        raise ValueError(f"There is no folder {str(folder)!r}.")
    record = NetworkRecord.from_json(read_limited(folder / NETWORK, _MOST_TEXT[NETWORK]))
    return Certificate.from_json(read_limited(folder / CERTIFICATE, _MOST_TEXT[CERTIFICATE])), record


def write_folder(
    folder: Path, certificate: Certificate, about: Mapping[str, Any], contents: Mapping[str, bytes], *, force: bool
) -> list[Path]:
    """Write a network as one folder, atomically.

    Parameters
    ----------
    folder : Path
        One that is not there yet or is empty; with ``force`` a network that is there is replaced.
    certificate : Certificate
    about : mapping
        The fields of :class:`NetworkRecord`, but for the digests.
    contents : mapping of str to bytes
        Files of numbers, by name.
    force : bool
    """
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in contents.items()}
    record = NetworkRecord(certificate=certificate.digest, files=digests, **about)
    texts = {CERTIFICATE: certificate.to_json(), NETWORK: record.to_json()}
    NetworkRecord.from_json(texts[NETWORK].encode("utf-8"))  # what cannot be read again is not written
    place = Path(os.path.realpath(folder))  # a link to a folder stays, and the folder is replaced
    try:
        recover_folder(place, _OURS)
        _check_place(folder, place, force=force)
        probe_folder(place, _OURS)
        with draft_folder(place) as draft:
            for name, text in texts.items():
                (draft / name).write_bytes(text.encode("utf-8"))
            for name, data in contents.items():
                (draft / name).write_bytes(data)
            put_in_place(draft, place, _OURS, replace=force)
    except OSError as error:
        raise OSError(f"The folder {str(folder)!r} cannot be written ({error.strerror or error}).") from None
    return [folder / name for name in (*texts, *contents)]


def _check_place(folder: Path, place: Path, *, force: bool) -> None:
    """Refuse a place where something is that would be lost."""
    if os.path.lexists(place) and not place.is_dir():
        raise ValueError(f"The 'folder' argument of save must be a folder. {str(folder)!r} is a file.")
    names = {each.name for each in place.iterdir()} if place.is_dir() else set()
    if names and not force:
        raise ValueError(f"The folder {str(folder)!r} is not empty. Choose another, or pass force=True.")
    foreign = sorted(names - _OURS) if NETWORK in names or not names else sorted(names)
    if foreign:
        raise ValueError(
            f"The folder {str(folder)!r} holds {foreign[0]!r}, which is not of a network and would be lost. "
            "Choose another folder."
        )
