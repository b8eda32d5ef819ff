"""What ``watch`` needs to go on after a restart: the place in the file and the losses before it, in one file."""

from __future__ import annotations

import hashlib
import json
import zlib
from base64 import b64decode, b64encode
from pathlib import Path
from typing import NoReturn

from pacbayes._core.files import write_atomically
from pacbayes.cli._growing import GrowingFile
from pacbayes.cli._watch_header import header_pattern
from pacbayes.cli._watch_streams import Stream, Streams, Watching

__all__ = ["WatchState"]

_FORMAT = "pacbayes watch state 1"
_PLACE = {"format", "source", "inode", "position", "line", "prefix", "checksum"}
_FIELDS = ({"monitor"}, {"monitor", "alarm"}, {"by", "streams", "unassigned"})
_OPTIONAL = {"columns", "replaced"}
_LARGEST = 10_000_000  # bytes; a state has a few thousand numbers
_LARGEST_OF_MANY = 1_000_000_000


class WatchState:
    """A state file: place and totals change together, since they are written together and in one step.

    Parameters
    ----------
    path : Path
        The state file.
    source : Path
        The file that is watched.
    """

    def __init__(self, path: Path, source: Path) -> None:
        # the name stays as it is: a link may point to another file with time
        self._path, self._source = path, str(source.parent.resolve() / source.name)

    def save(self, streams: Streams, file: GrowingFile) -> None:
        """Write the losses so far and the place up to which they go."""
        record = {
            "format": _FORMAT,
            "source": self._source,
            "inode": file.inode,
            "position": file.lines.position,
            "line": file.lines.number,
            "prefix": file.lines.digest,
            **_describe(streams),
        }
        if streams.replaced:
            record["replaced"] = streams.replaced
        if streams.watching.columns is not None:
            record["columns"] = list(streams.watching.columns)
        write_atomically(self._path, json.dumps({**record, "checksum": _checksum(record)}, indent=1) + "\n")

    def load(self, watching: Watching, file: GrowingFile) -> Streams:
        """Return the losses so far, with the file at its place; no losses where there is no state yet."""
        streams = Streams(watching)
        if not self._path.exists():
            return streams
        record = self._read()
        if record["source"] != self._source:
            self._refuse(f"belongs to {record['source']!r:.200}, not to {self._source!r}")
        self._compare_options(watching, record)
        try:
            _restore(streams, record)
        except ValueError:
            self._refuse("was made by another version of pacbayes")
        self._compare_levels(streams)
        streams.replaced = int(record.get("replaced", 0))  # type: ignore[call-overload]
        inode, position, line = (record[name] for name in ("inode", "position", "line"))
        headers = None if watching.columns is None else header_pattern(watching.columns)
        if not file.resume(inode, position, line, str(record["prefix"]), headers):  # type: ignore[arg-type]
            self._refuse(f"does not belong to {self._source!r} as it is now: what was read of it has changed")
        # files before this one are no lines of it: there may be more losses, never fewer
        if len(streams) + streams.unassigned < file.lines.filled:
            self._refuse(f"has fewer losses than the {file.lines.filled} lines that were read")
        return streams

    def _compare_options(self, watching: Watching, record: dict[str, object]) -> None:
        if record.get("columns") != (None if watching.columns is None else list(watching.columns)):
            self._refuse("was kept with other --columns")
        if record.get("by") != watching.by:
            self._refuse(
                f"belongs to --by {record['by']!r:.60}" if "by" in record else "belongs to one stream, not --by"
            )
        if watching.by is None and ("alarm" in record) != (watching.certificate is not None):
            self._refuse("was kept with --certificate" if "alarm" in record else "was kept without --certificate")

    def _compare_levels(self, streams: Streams) -> None:
        """Refuse streams of other shares, another certificate or another window."""
        watching = streams.watching
        if watching.most is not None and streams.count > watching.most:
            self._refuse(f"has {streams.count} streams, more than --streams {watching.most}")
        for position, stream in enumerate(streams, start=1):
            share = watching.share(position)
            if stream.limit.delta != watching.delta * share:
                self._refuse(f"belongs to a delta of {stream.limit.delta / share!r}, not {watching.delta!r}")
            if (stream.monitor is None) != (watching.certificate is None):
                self._refuse("was kept with --certificate" if stream.monitor else "was kept without --certificate")
            if stream.monitor is None or watching.certificate is None:
                continue
            fresh = watching.begin(stream.key, position).monitor
            if fresh is None or (stream.monitor.digest, stream.monitor.value) != (fresh.digest, fresh.value):
                self._refuse("belongs to another certificate")
            if stream.monitor.alpha != fresh.alpha:
                self._refuse(f"belongs to an alarm of {stream.monitor.alpha / share!r}, not {watching.alpha!r}")
            if stream.monitor.window != watching.window:
                self._refuse(f"belongs to a window of {stream.monitor.window} rows, not {watching.window}")

    def _read(self) -> dict[str, object]:
        """Return the record, with its checksum and its whole numbers checked."""
        if not self._path.is_file() or self._path.stat().st_size > _LARGEST_OF_MANY:
            self._refuse("is not one that watch has written")
        try:
            record = json.loads(self._path.read_bytes())
        except (ValueError, RecursionError):
            record = None
        if not isinstance(record, dict) or not any(set(record) - _OPTIONAL == _PLACE | each for each in _FIELDS):
            self._refuse("is not one that watch has written")
        if record["format"] != _FORMAT:
            self._refuse("is not one that watch has written")
        counts = [record[name] for name in ("inode", "position", "line")] + [record.get("replaced", 0)]
        whole = all(type(count) is int and count >= 0 for count in counts)
        if not whole or record.pop("checksum") != _checksum(record):
            self._refuse("is damaged")
        return record

    def _refuse(self, why: str) -> NoReturn:
        raise ValueError(
            f"The state file {str(self._path)!r} {why}. Name another with --state, or remove it to count from the "
            "first line."
        )


def _checksum(record: dict[str, object]) -> str:
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()


def _describe(streams: Streams) -> dict[str, object]:
    """Return the streams as plain values: one as it is, many packed, each only if it has changed."""
    if streams.watching.by is None:
        return streams.only.to_dict()
    for each in streams:
        if not each.packed:
            each.packed = b64encode(zlib.compress(json.dumps(each.to_dict()).encode(), 1)).decode()
    packed = [[each.key, each.packed] for each in streams]
    return {"by": streams.watching.by, "unassigned": streams.unassigned, "streams": packed}


def _restore(streams: Streams, record: dict[str, object]) -> None:
    """Put stored streams back in their places; refuse with a ValueError what was not stored."""
    if "streams" not in record:
        streams.restore(Stream.from_dict(record, None))
        return
    packed, unassigned = record["streams"], record["unassigned"]
    if not isinstance(packed, list) or type(unassigned) is not int or unassigned < 0:
        raise ValueError("The streams must be those that were stored. Got something else instead.")
    streams.unassigned = unassigned
    for each in packed:
        if not isinstance(each, list) or len(each) != 2 or not all(isinstance(part, str) for part in each):
            raise ValueError("A stream must be one that was stored. Got something else instead.")
        key, text = each
        stream = Stream.from_dict(_unpack(text), key)
        stream.packed = text
        streams.restore(stream)
    if streams.count != len(packed):
        raise ValueError("A stream must have been stored once. Got one twice.")


def _unpack(text: str) -> dict[str, object]:
    """Return a packed stream, if it is no larger than one can be."""
    opener = zlib.decompressobj()
    try:
        content = opener.decompress(b64decode(text, validate=True), _LARGEST)
        record = json.loads(content) if opener.eof else None
    except (ValueError, zlib.error, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise ValueError("A stream must be one that was stored. Got something else instead.")  # noqa: TRY004
    return record
