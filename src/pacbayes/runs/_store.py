"""A run as a folder: certificate, report, and the predictor in a format that runs nothing when it is read."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from pacbayes.runs._certify import Run
from pacbayes.runs._settings import Settings
from pacbayes.tables import LinearTerms

__all__ = ["ChangedPredictorError", "Stored", "read_run", "write_run"]

_FORMAT, _VERSION = "pacbayes-model", 1
# skops itself trusts plain arrays and much of scikit-learn; beyond that only the rest of it is let in, and no functions
_TRUSTED = ("sklearn.", "numpy.dtype", "pacbayes.learners.one_class.OneClass")


class ChangedPredictorError(ValueError):
    """A predictor that can be read and is not the one that was written."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A predictor read back: settings, columns, classes, and the linear terms or the fitted models.

    Attributes
    ----------
    settings : Settings
    columns : tuple of (name, kind)
    classes : tuple of str
    certificate : str
        The digest of the certificate that belongs to it.
    terms : LinearTerms or None
    models : dict or None
        "snapshots" and "weights", or "predictor".
    rows : int or None
        How many rows it was made from, where its file says so.
    """

    settings: Settings
    columns: tuple[tuple[str, str], ...]
    classes: tuple[str, ...]
    certificate: str
    terms: LinearTerms | None
    models: Mapping[str, Any] | None
    rows: int | None = None


def write_run(run: Run, folder: Path, report: str, *, force: bool = False) -> list[Path]:
    """Write certificate.json, report.html and the predictor; the folder appears whole or not at all."""
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"The output must be a folder. {str(folder)!r} is a file.")
    if folder.exists() and any(folder.iterdir()) and not force:
        raise ValueError(f"The folder {str(folder)!r} is not empty. Choose another with --out, or give --force.")
    try:
        names = _written(run, folder.absolute(), report)
    except OSError as error:
        raise OSError(f"The folder {str(folder)!r} cannot be written ({error.strerror or error}).") from None
    return [folder / name for name in names]


def _written(run: Run, folder: Path, report: str) -> list[str]:
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        names = _write_files(run, made, report)
        made.chmod(0o755)
        _put_in_place(made, folder, names)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return names


def _write_files(run: Run, folder: Path, report: str) -> list[str]:
    run.certificate.to_json(folder / "certificate.json")
    (folder / "certificate.json").chmod(0o644)
    (folder / "report.html").write_text(report, encoding="utf-8")
    names = ["certificate.json", "report.html", "model.json"]
    record = _record(run)
    if run.terms is not None:
        record["predictor"] = {"kind": "linear", "intercept": run.terms.intercept, "terms": list(run.terms.terms)}
    else:
        import skops.io as sio  # noqa: PLC0415

        sio.dump(_models(run), folder / "model.skops")
        record["predictor"] = {"kind": "skops", "file": "model.skops", "sha256": _sha256(folder / "model.skops")}
        names.append("model.skops")
    text = json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False)
    (folder / "model.json").write_text(text + "\n", encoding="utf-8")
    return names


def _put_in_place(made: Path, folder: Path, names: list[str]) -> None:
    if not folder.exists():
        made.rename(folder)
        return
    stale = folder / "model.skops"
    if "model.skops" not in names:
        stale.unlink(missing_ok=True)
    for name in names:
        (made / name).replace(folder / name)


def _record(run: Run) -> dict[str, Any]:
    return {
        "format": _FORMAT,
        "version": _VERSION,
        "certificate": run.certificate.digest,
        "settings": run.settings.to_dict(),
        "columns": [{"name": each.name, "kind": each.kind} for each in run.table.columns],
        "classes": list(run.table.classes),
        "rows": len(run.table.y),
    }


def _models(run: Run) -> dict[str, Any]:
    if run.settings.method == "holdout":
        return {"predictor": run.model}
    snapshots = [model for _, model in run.model.snapshots_]
    return {"snapshots": snapshots, "weights": run.model.weights_}


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_run(place: Path, trust: tuple[str, ...] = (), *, load: bool = True) -> Stored:
    """Read a predictor from its folder or from model.json; nothing in it is run.

    Types of scikit-learn are read, others only if ``trust`` names them. Without ``load`` a file of fitted models is
    only checked to be whole and the one that was written.
    """
    path = place / "model.json" if place.is_dir() else place
    if not path.is_file():
        raise ValueError(f"There is no predictor at {str(path)!r}.")
    try:
        record = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"The predictor must be JSON text. Got something else: {error}.") from None
    try:
        if record["format"] != _FORMAT or record["version"] != _VERSION:
            raise ValueError(f"The predictor must be of format {_FORMAT!r}, version {_VERSION}.")
        return _stored(record, path.parent, trust, load=load)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"The predictor {path.name!r} is not as this version writes it ({error!r:.80}).") from None


def _stored(record: Mapping[str, Any], folder: Path, trust: tuple[str, ...], *, load: bool) -> Stored:
    predictor, terms, models = record["predictor"], None, None
    if predictor["kind"] == "linear":
        terms = LinearTerms(tuple(dict(each) for each in predictor["terms"]), float(predictor["intercept"]))
    else:
        path = folder / Path(str(predictor["file"])).name
        _check_file(path, str(predictor["sha256"]))
        models = _loaded(path, trust) if load else None
    return Stored(
        settings=Settings.from_dict(record["settings"]),
        columns=tuple((str(each["name"]), str(each["kind"])) for each in record["columns"]),
        classes=tuple(map(str, record["classes"])),
        certificate=str(record["certificate"]),
        terms=terms,
        models=models,
        rows=_rows(record.get("rows")),
    )


def _rows(given: Any) -> int | None:
    if given is not None and not isinstance(given, int):
        raise TypeError("rows")
    return given


def _check_file(path: Path, digest: str) -> None:
    """Refuse a file of models that is absent, broken, or another one than was written."""
    if not path.is_file():
        raise ValueError(f"There is no file {path.name!r} beside the predictor's model.json.")
    if not zipfile.is_zipfile(path):
        raise ValueError(f"The file {path.name!r} cannot be read as a skops model: it is cut short, or something else.")
    if _sha256(path) != digest:
        raise ChangedPredictorError(f"The file {path.name!r} is not the one that was written: its SHA-256 differs.")


def _loaded(path: Path, trust: tuple[str, ...]) -> Mapping[str, Any]:
    """Load models of scikit-learn without pickle; types from anywhere else are refused."""
    import skops.io as sio  # noqa: PLC0415

    try:
        unknown = sio.get_untrusted_types(file=path)
        foreign = [name for name in unknown if not name.startswith(_TRUSTED) and name not in trust]
        loaded: Mapping[str, Any] = {} if foreign else sio.load(path, trusted=unknown)
    except Exception as error:  # whatever a broken archive raises
        raise ValueError(f"The file {path.name!r} cannot be read as a skops model ({error!r:.120}).") from None
    if foreign:
        raise ValueError(f"The file {path.name!r} holds {foreign[0]!r}, which is not from scikit-learn.")
    return loaded
