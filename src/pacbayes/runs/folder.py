"""A run as a folder: certificate, report, and the predictor in a format that runs nothing when it is read."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from pacbayes.certificate import Certificate
from pacbayes.runs.predictors import MODELS_FILE, load_models, read_predictor, write_predictor
from pacbayes.runs.settings import Settings
from pacbayes.tables import LinearTerms

__all__ = ["StoredRun", "check_folder", "load_run", "read_certificate", "save_folder"]

_FORMAT, _VERSION = "pacbayes-model", 1
_MOST_TEXT = 64 << 20
_FIELDS = {"format", "version", "certificate", "settings", "columns", "classes", "rows", "predictor"}
CERTIFICATE, MODEL, REPORT = "certificate.json", "model.json", "report.html"


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A predictor read back: settings, columns, classes, and the linear terms or the file of fitted models.

    Attributes
    ----------
    settings : Settings
    columns : tuple of (name, kind)
    classes : tuple of str
    certificate : str
        The digest of the certificate that belongs to it.
    predictor : LinearTerms or Path
        Terms as plain numbers, or the file of fitted models, which nothing has loaded yet.
    rows : int
        How many rows it was made from.
    """

    settings: Settings
    columns: tuple[tuple[str, str], ...]
    classes: tuple[str, ...]
    certificate: str
    predictor: LinearTerms | Path
    rows: int

    def models(self, trust: tuple[str, ...] = ()) -> Mapping[str, Any]:
        """Load the fitted models; types from outside scikit-learn are refused unless ``trust`` names them."""
        return load_models(self.predictor, trust) if isinstance(self.predictor, Path) else {}


def check_folder(folder: Path, *, force: bool = False) -> None:
    """Refuse a folder that a run cannot be saved in."""
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"--out must be a folder. {str(folder)!r} is a file.")
    if folder.is_dir() and any(folder.iterdir()) and not force:
        raise ValueError(f"The folder {str(folder)!r} is not empty. Choose another with --out, or give --force.")


def save_folder(
    folder: Path,
    certificate: Certificate,
    report: str,
    stored: Mapping[str, Any],
    about: Mapping[str, Any],
    *,
    force: bool = False,
) -> list[Path]:
    """Write certificate.json, report.html and the predictor; the folder is written atomically where it is new."""
    check_folder(folder, force=force)
    try:
        names = _write_beside(folder.absolute(), certificate, report, stored, about)
    except OSError as error:
        raise OSError(f"The folder {str(folder)!r} cannot be written ({error.strerror or error}).") from None
    return [folder / name for name in names]


def _write_beside(
    folder: Path, certificate: Certificate, report: str, stored: Mapping[str, Any], about: Mapping[str, Any]
) -> list[str]:
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        certificate.to_json(made / CERTIFICATE)
        (made / CERTIFICATE).chmod(0o644)
        (made / REPORT).write_text(report, encoding="utf-8")
        predictor = write_predictor(stored, made)
        record = {"format": _FORMAT, "version": _VERSION, "certificate": certificate.digest, **about}
        text = json.dumps(record | {"predictor": predictor}, indent=1, ensure_ascii=False, allow_nan=False)
        (made / MODEL).write_text(text + "\n", encoding="utf-8")
        names = [CERTIFICATE, REPORT, MODEL, *([MODELS_FILE] if "file" in predictor else [])]
        made.chmod(0o755)
        _put_in_place(made, folder, names)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return names


def _put_in_place(made: Path, folder: Path, names: list[str]) -> None:
    if not folder.exists():
        made.rename(folder)
        return
    if MODELS_FILE not in names:
        (folder / MODELS_FILE).unlink(missing_ok=True)
    for name in names:
        (made / name).replace(folder / name)


def read_certificate(place: Path) -> Certificate:
    """Read a certificate from its file or folder, or say what the file is if it is not one."""
    path = place / CERTIFICATE if place.is_dir() else place
    if place.is_dir() and not path.is_file():
        raise ValueError(f"The folder {str(place)!r} holds no {CERTIFICATE}.")
    text = _read_text(path)
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        content = None
    if isinstance(content, dict) and content.get("format") == _FORMAT:
        raise ValueError("This is a predictor, not a certificate.")
    if not isinstance(content, dict) or "schema_version" not in content:
        raise ValueError(f"{path.name!r} is not a certificate; pass {CERTIFICATE} or its folder.")
    return Certificate.from_json(text)


def load_run(place: str | Path) -> StoredRun:
    """Read a predictor from its folder or from model.json; nothing in it is run.

    A file of fitted models is only checked to be whole and the one that was written; :meth:`StoredRun.models` loads it.
    """
    path = Path(place) / MODEL if Path(place).is_dir() else Path(place)
    if not path.is_file():
        raise ValueError(f"There is no predictor at {str(path)!r}.")
    try:
        record = json.loads(_read_text(path))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"The predictor must be JSON text. Got something else: {error}.") from None
    try:
        if record["format"] != _FORMAT or record["version"] != _VERSION:
            raise ValueError(f"The predictor must be of format {_FORMAT!r}, version {_VERSION}.")
        return _stored_run(record, path.parent)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"The predictor {path.name!r} is not as this version writes it ({error!r:.80}).") from None


def _read_text(path: Path) -> bytes:
    """Return the bytes of a file that has an end, which is not far."""
    if path.exists() and not path.is_file():
        raise ValueError(f"{str(path)!r} is a pipe or a device; write what comes from it into a file first.")
    if path.stat().st_size > _MOST_TEXT:
        raise ValueError(f"{path.name!r} has more than {_MOST_TEXT >> 20} MiB, which nothing that is written here has.")
    return path.read_bytes()


def _check_fields(record: Mapping[str, Any]) -> None:
    """Refuse fields that nothing would read, and what is no text where text belongs: a change has to be noticed."""
    columns, predictor = record["columns"], record["predictor"]
    names = {"linear": {"kind", "intercept", "terms"}, "skops": {"kind", "file", "sha256"}}[predictor["kind"]]
    texts = [*record["classes"], record["certificate"], *(value for each in columns for value in each.values())]
    right = [
        record.keys() == _FIELDS,
        isinstance(columns, list) and all(each.keys() == {"name", "kind"} for each in columns),
        isinstance(record["classes"], list) and all(isinstance(each, str) for each in texts),
        predictor.keys() == names and predictor.get("file", MODELS_FILE) == MODELS_FILE,
        type(predictor.get("intercept", 0.0)) in {int, float},
    ]
    if not all(right):
        raise TypeError("fields")


def _stored_run(record: Mapping[str, Any], folder: Path) -> StoredRun:
    _check_fields(record)
    if type(record["rows"]) is not int:
        raise TypeError("rows")
    return StoredRun(
        settings=Settings.from_dict(record["settings"]),
        columns=tuple((str(each["name"]), str(each["kind"])) for each in record["columns"]),
        classes=tuple(map(str, record["classes"])),
        certificate=str(record["certificate"]),
        predictor=read_predictor(record["predictor"], folder),
        rows=record["rows"],
    )
