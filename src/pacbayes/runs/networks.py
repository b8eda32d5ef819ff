"""A folder with a network verified from the command line: rows come as arrays in a file of numpy."""

from __future__ import annotations

import lzma
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pacbayes._core.strict_json import read_object
from pacbayes.certificate import Certificate, Verification
from pacbayes.runs.headers import read_header
from pacbayes.tables import to_bytes

__all__ = ["NETWORK", "read_arrays", "verify_network"]

NETWORK = "network.json"
_NAMES = {"x": ("x", "X"), "y": ("y", "Y")}
_KINDS = {"x": "fiub", "y": "fiubUS"}
_MOST_MEMBERS = 1000
_MOST_HEAD = 10_000  # characters of an array's header, numpy's own limit


def verify_network(
    folder: Path, data: str | Path | None, *, learn: bool = False, max_memory: int | str | None = None
) -> tuple[Certificate, Verification]:
    """Check a folder with a network; with a file of rows, judge it again, and learn it again if that is asked for.

    The certificate that was verified is returned, too.

    Parameters
    ----------
    folder : Path
        Which holds network.json.
    data : path, optional
        An npz file with the arrays ``x`` and ``y``.
    learn : bool
        Whether to run the whole fit again.
    max_memory : int or str, optional
        What the arrays may need.
    """
    try:
        from pacbayes.torch.network_verification import verify_with_certificate as verify  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ValueError(f"{str(folder)!r} holds a network: verifying it needs pacbayes[torch]. {error}") from None
    if learn and data is None:
        raise ValueError("--learn goes with --data: pass the rows that the network was certified on, too.")
    if _has_own_architecture(folder):
        raise ValueError(
            f"The network in {str(folder)!r} is of its user's own architecture, which no file here may import. "
            "Use pacbayes.torch.verify in Python, with module=."
        )
    if data is None:
        return verify(folder)
    X, y = read_arrays(Path(data), to_bytes(max_memory))
    return verify(folder, X, y, learn=learn)


def _has_own_architecture(folder: Path) -> bool:
    """Return whether no architecture is told; what else is wrong with the file is for its reader to say."""
    with (folder / NETWORK).open("rb") as file:
        text = file.read((1 << 20) + 1)
    try:
        record = read_object(NETWORK, text)
    except ValueError:
        return False
    return "architecture" in record and record["architecture"] is None


def read_arrays(path: Path, most: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Read rows and labels from the arrays ``x`` (or ``X``) and ``y`` of an npz file; nothing is unpickled.

    Parameters
    ----------
    path : Path
    most : int
        Bytes that both may have.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> from pacbayes.runs.networks import read_arrays
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "rows.npz"
    ...     np.savez(path, x=np.zeros((3, 2)), y=np.array([0, 1, 0]))
    ...     X, y = read_arrays(path, 10**6)
    >>> X.shape, y.tolist()
    ((3, 2), [0, 1, 0])
    """
    if path.exists() and not path.is_file():
        raise ValueError(f"{str(path)!r} is a folder, a pipe or a device; --data of a network is an npz file.")
    try:  # what is encrypted is a RuntimeError, and damage an OSError in bzip2 or where it makes zipfile seek
        with zipfile.ZipFile(path) as archive:
            members = _find_members(archive, path)
            needed = sum(each.file_size for each in members.values())
            if needed > most:
                raise ValueError(
                    f"The arrays in {path.name!r} need {needed:,} bytes of memory, and the limit is {most:,}. "
                    "If you trust the file, raise the limit with --max-memory."
                )
            return _read_member(archive, "x", members["x"]), _read_member(archive, "y", members["y"])
    except (FileNotFoundError, PermissionError):
        raise
    except (
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        NotImplementedError,
        RuntimeError,
        EOFError,
        OSError,
    ) as error:
        raise ValueError(
            f'{path.name!r} must be an npz file, as numpy.savez("rows.npz", x=X, y=y) writes it. {error!s:.120}'
        ) from None


def _find_members(archive: zipfile.ZipFile, path: Path) -> dict[str, zipfile.ZipInfo]:
    entries = archive.infolist()
    names = [each.filename for each in entries]
    if len(names) > _MOST_MEMBERS or len(set(names)) != len(names):
        raise ValueError(f"{path.name!r} must hold each of its arrays once, and not more than {_MOST_MEMBERS}.")
    found = {}
    for wanted, spelled in _NAMES.items():
        there = [each for each in entries if each.filename in {f"{name}.npy" for name in spelled}]
        if len(there) != 1:
            many = "none" if not there else "both"
            raise ValueError(f"{path.name!r} must hold an array {spelled[0]!r} or {spelled[1]!r}. It holds {many}.")
        found[wanted] = there[0]
    return found


def _read_member(archive: zipfile.ZipFile, name: str, member: zipfile.ZipInfo) -> NDArray[Any]:
    """Read one array, after comparing the size that its header claims with the size that is there."""
    with archive.open(member) as file:
        shape, in_order_of_columns, dtype = _read_head(file, name)
        if dtype.kind not in _KINDS[name] or dtype.hasobject or dtype.fields is not None:
            raise ValueError(f"The array {name!r} must hold numbers{' or text' if name == 'y' else ''}. Got {dtype}.")
        size = dtype.itemsize * int(np.prod([int(each) for each in shape], dtype=object))
        if any(each < 0 for each in shape) or size != member.file_size - file.tell():
            raise ValueError(f"The array {name!r} must have as many numbers as its header says.")
        values = np.frombuffer(_read_whole(file, size), dtype=dtype)
    return values.reshape(shape, order="F" if in_order_of_columns else "C")


def _read_whole(file: Any, size: int) -> bytearray:
    """Read into memory that may be written to, as tensors want it."""
    content = bytearray(size)
    rest = memoryview(content)
    while rest:
        count = file.readinto(rest)
        if not count:
            raise EOFError("It ends too early.")
        rest = rest[count:]
    return content


def _read_head(file: Any, name: str) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    try:
        shape, in_order_of_columns, dtype = read_header(file, _MOST_HEAD)
    except (ValueError, KeyError, TypeError, SyntaxError, MemoryError, RecursionError) as error:
        raise ValueError(f"The array {name!r} must be as numpy writes it. {error!s:.80}") from None
    return shape, bool(in_order_of_columns), dtype
