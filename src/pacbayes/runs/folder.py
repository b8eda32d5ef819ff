"""A run as a folder: certificate, report, and the predictor in a format that runs nothing when it is read."""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pacbayes._core.drafts import is_draft
from pacbayes._core.files import read_bounded
from pacbayes._core.folders import draft_folder, look_into, probe_folder, put_in_place, recover_folder
from pacbayes._core.strict_json import read_object
from pacbayes._core.system import is_mount_point
from pacbayes._core.types import FloatArray, Labels, ObjectArray
from pacbayes.certificate import Certificate
from pacbayes.runs.kinds import CERTIFICATE, COLUMNS, FORMAT, MODEL, RUN, is_ours, refuse_other_kind
from pacbayes.runs.networks import NETWORK
from pacbayes.runs.predictors import (
    MODELS_FILE,
    ModelsFile,
    load_models,
    read_models_file,
    read_predictor,
    write_predictor,
)
from pacbayes.runs.refit import TRANSFER, require_source
from pacbayes.runs.settings import Settings
from pacbayes.runs.use import Label, RunPredictor
from pacbayes.runs.words import REFITTED_FILES, refitted_name
from pacbayes.tables import LinearTerms

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["StoredRun", "check_folder", "load_run", "read_certificate", "refuse_two_predictors", "save_folder"]

_VERSION = 1
_FIELDS = {"format", "version", "certificate", "settings", "columns", "classes", "rows", "predictor"}
REPORT, README = "report.html", "README.txt"
# what --force replaces: files of a run and of the demo, and what file managers leave everywhere
_LEFT = {"delta.svg", "demo-breast-cancer.csv", ".DS_Store", "Thumbs.db", "desktop.ini"}
_OURS = frozenset({CERTIFICATE, MODEL, REPORT, README, COLUMNS, MODELS_FILE, TRANSFER, *REFITTED_FILES, *_LEFT})


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A predictor read back: settings, columns, classes, and the linear terms or the file of fitted models.

    Attributes
    ----------
    settings : Settings
    columns : tuple of (name, kind)
    classes : tuple of str or of int
    certificate : str
        The digest of the certificate that belongs to it.
    predictor : LinearTerms or ModelsFile
        Terms as plain numbers, or the file of fitted models with its SHA-256; nothing has loaded it yet.
    rows : int
        How many rows it was made from.
    folder : Path
        Where it was read from; its certificate is expected there.
    refitted : ModelsFile or None
        The file of the model refitted on all rows, if there is one.
    """

    settings: Settings
    columns: tuple[tuple[str, str], ...]
    classes: tuple[Label, ...]
    certificate: str
    predictor: LinearTerms | ModelsFile
    rows: int
    folder: Path
    refitted: ModelsFile | None = None

    def models(self, trust: tuple[str, ...] = ()) -> Mapping[str, Any]:
        """Load the fitted models; types from outside scikit-learn are refused unless ``trust`` names them."""
        return load_models(self.predictor, trust) if isinstance(self.predictor, ModelsFile) else {}

    def open(self, trust: tuple[str, ...] = (), *, refitted: bool = False) -> RunPredictor:
        """Load the predictor for use, after checking that the certificate beside it holds and belongs to it.

        Parameters
        ----------
        trust : tuple of str
            Types from outside scikit-learn that may be loaded; without them a refusal names all that are needed.
        refitted : bool, default=False
            Whether to load the model refitted on all rows, which is certified by a transfer or not at all.
        """
        refuse_two_predictors(self.folder)
        certificate = read_certificate(self.folder)
        if not certificate.verify():
            raise ValueError(f"The certificate in {str(self.folder)!r} does not hold: see pacbayes verify.")
        if certificate.digest != self.certificate:
            raise ValueError(
                f"The certificate in {str(self.folder)!r} belongs to another predictor than the one there."
            )
        return RunPredictor(
            certificate=self._transfer(certificate) if refitted else certificate,
            columns=self.columns,
            classes=self.classes,
            missing=self.settings.missing,
            model=self._model(trust, refitted=refitted),
            ignore=self.settings.not_used,
        )

    def _transfer(self, certificate: Certificate) -> Certificate | None:
        path = self.folder / TRANSFER
        return require_source(read_certificate(path), certificate) if path.is_file() else None

    def _model(self, trust: tuple[str, ...], *, refitted: bool) -> LinearTerms | Mapping[str, Any]:
        if not refitted:
            return self.predictor if isinstance(self.predictor, LinearTerms) else self.models(trust)
        if self.refitted is None:
            raise ValueError(f"The run in {str(self.folder)!r} has no refitted model: certify it with --refit.")
        return load_models(self.refitted, trust)

    def predict(self, frame: pd.DataFrame, trust: tuple[str, ...] = ()) -> Labels:
        """Return a label for each row of a frame; see :meth:`RunPredictor.predict`.

        The predictor is loaded anew each time: for many small frames, :meth:`open` it once.
        """
        return self.open(trust).predict(frame)

    def predict_or_abstain(self, frame: pd.DataFrame, trust: tuple[str, ...] = ()) -> ObjectArray:
        """Return labels of rows that are answered and None for others; see :meth:`RunPredictor.predict_or_abstain`."""
        return self.open(trust).predict_or_abstain(frame)

    def predict_proba(self, frame: pd.DataFrame, trust: tuple[str, ...] = ()) -> FloatArray:
        """Return a probability for each row and class; see :meth:`RunPredictor.predict_proba`."""
        return self.open(trust).predict_proba(frame)


def check_folder(folder: Path, *, kind: str = RUN, force: bool = False) -> None:
    """Refuse a folder that a run of a kind cannot be saved in, before the work: its place is tried and left as it was.

    What a killed process left there is removed, or put back where it was.
    """
    place = Path(os.path.realpath(folder))  # a link to a folder stays, and the folder is replaced
    with _one_sentence(folder):
        recover_folder(place, _OURS)
        if is_draft(place.name):
            raise ValueError(f"The name {place.name!r} is one of a draft. Choose another with --out.")
        if os.path.lexists(place) and not place.is_dir():
            raise ValueError(f"--out must be a folder. {str(folder)!r} is a file.")
        if place.is_dir():
            _check_replaceable(folder, place, kind, force=force)
        probe_folder(place, _OURS)


def _check_replaceable(folder: Path, place: Path, kind: str, *, force: bool) -> None:
    entries, ours = look_into(place, lambda path: path.name in _OURS and is_ours(path))
    refuse_other_kind(folder, place, ours, kind)
    if entries and not force:
        raise ValueError(f"The folder {str(folder)!r} is not empty. Choose another with --out, or pass --force.")
    foreign = sorted(entries.keys() - (set() if ours.isdisjoint({CERTIFICATE, MODEL}) else ours))
    if foreign:
        raise ValueError(
            f"The folder {str(folder)!r} holds {foreign[0]!r}, which is not of a run and would be lost. "
            "Choose another folder with --out."
        )
    for fixed, what in ((is_mount_point(place), "a mount point"), (_is_current(place), "the current folder")):
        if fixed:
            raise ValueError(f"{str(folder)!r} is {what} and cannot be replaced. Name a folder inside it with --out.")
    _check_permission(place)


def _is_current(place: Path) -> bool:
    try:
        return place.samefile(Path.cwd())
    except OSError:  # the current folder was removed
        return False


def _check_permission(place: Path) -> None:
    """Refuse a folder that may not be written, or not be renamed because it is another user's in a shared place."""
    if not os.access(place, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    above = place.parent.stat()
    own = (0, above.st_uid, place.stat().st_uid)
    if above.st_mode & stat.S_ISVTX and hasattr(os, "geteuid") and os.geteuid() not in own:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))


@contextmanager
def _one_sentence(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OSError(f"The folder {str(folder)!r} cannot be written ({error.strerror or error}).") from None


def save_folder(
    folder: Path,
    certificate: Certificate,
    report: str,
    readme: Callable[[tuple[str, ...]], str],
    stored: Mapping[str, Any] | None = None,
    about: Mapping[str, Any] | None = None,
    *,
    columns: Mapping[str, Any] | None = None,
    refitted: Mapping[str, Any] | None = None,
    transfer: Certificate | None = None,
    kind: str = RUN,
    force: bool = False,
) -> list[Path]:
    """Write certificate.json, report.html, README.txt and the predictor, if there is one, as one folder, atomically.

    In place of a predictor there may be the ``columns`` in which predictions are found. Beside it there may be a model
    ``refitted`` on all rows, whose file says whether it has a certificate, ``transfer``.

    ``readme`` is given the names of types that loading the predictor has to be allowed. With ``force`` a folder of an
    earlier run of the same ``kind`` is replaced in one step; one that holds anything else is refused.
    """
    check_folder(folder, kind=kind, force=force)
    place = Path(os.path.realpath(folder))
    with _one_sentence(folder), draft_folder(place) as draft:
        texts = {CERTIFICATE: certificate.to_json(), REPORT: report}
        predictor, trust = ({}, ()) if stored is None else write_predictor(stored, draft)
        if predictor:
            record = {"format": FORMAT, "version": _VERSION, "certificate": certificate.digest, **(about or {})}
            record["predictor"] = predictor
            if refitted is not None:
                record["refitted"] = write_predictor(refitted, draft, refitted_name(transfer))[0]
            texts[MODEL] = json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        if transfer is not None:
            texts[TRANSFER] = transfer.to_json()
        if columns is not None:
            texts[COLUMNS] = json.dumps(columns, indent=1, ensure_ascii=False) + "\n"
        texts[README] = readme(trust)
        _write_texts(draft, texts)
        put_in_place(draft, place, _OURS, replace=force)
    models = [MODELS_FILE] if "file" in predictor else []
    return [folder / name for name in (*texts, *models, *([] if refitted is None else [refitted_name(transfer)]))]


def _write_texts(draft: Path, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        with (draft / name).open("xb") as file:
            file.write(text.encode("utf-8"))


def refuse_two_predictors(folder: Path) -> None:
    """Refuse a folder with a network and another predictor: one would be verified, and the other be used."""
    other = next((name for name in (MODEL, COLUMNS) if os.path.lexists(folder / name)), None)
    if other is not None and os.path.lexists(folder / NETWORK):
        raise ValueError(f"The folder {str(folder)!r} must hold one predictor. It holds {NETWORK} and {other}.")


def read_certificate(place: Path) -> Certificate:
    """Read a certificate from its file or folder, or say what the file is if it is not one."""
    path = place / CERTIFICATE if place.is_dir() else place
    if place.is_dir() and not path.is_file():
        raise ValueError(f"The folder {str(place)!r} holds no {CERTIFICATE}.")
    text = read_bounded(path)
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        content = None
    if isinstance(content, dict) and content.get("format") == FORMAT:
        raise ValueError("This is a predictor, not a certificate.")
    if not isinstance(content, dict) or "schema_version" not in content:
        raise ValueError(f"{path.name!r} is not a certificate; pass {CERTIFICATE} or its folder.")
    return Certificate.from_json(text)


def load_run(place: str | Path) -> StoredRun:
    """Read a predictor from its folder or from model.json; nothing in it is run.

    A file of fitted models is only checked to be whole and the one written; :meth:`StoredRun.predict` loads it, and
    refuses it if it was replaced meanwhile.

    Parameters
    ----------
    place : path
        What ``pacbayes certify`` or :meth:`pacbayes.runs.Run.save` wrote.

    Returns
    -------
    StoredRun

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> import pacbayes as pb
    >>> from pacbayes.runs import Settings, certify_table
    >>> from pacbayes.tables import prepare_table
    >>> sample = pb.datasets.make_known_risk(300, d=2, random_state=0)
    >>> frame = pd.DataFrame(sample.X, columns=["a", "b"]).assign(label=sample.y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = certify_table(prepare_table(frame, "label"), Settings(target="label")).save(folder)
    ...     run = pb.load_run(folder)
    ...     run.predict(frame[["b", "a"]][:3]), run.predict_proba(frame[:3]).round(2).tolist()
    (array([0, 0, 1]), [[0.96, 0.04], [0.99, 0.01], [0.12, 0.88]])
    """
    path = Path(place) / MODEL if Path(place).is_dir() else Path(place)
    if not path.is_file():
        raise ValueError(f"There is no predictor at {str(path)!r}.")
    record = read_object("The predictor", read_bounded(path))
    try:
        if record["format"] != FORMAT or record["version"] != _VERSION:
            raise ValueError(f"The predictor must be of format {FORMAT!r}, version {_VERSION}.")
        return _stored_run(record, path.parent)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"The predictor {path.name!r} is not as this version writes it ({error!r:.80}).") from None


def _check_fields(record: Mapping[str, Any]) -> None:
    """Refuse fields that nothing would read, and what is no text where text belongs: a change has to be noticed."""
    columns, predictor = record["columns"], record["predictor"]
    names = {"linear": {"kind", "intercept", "terms"}, "skops": {"kind", "file", "sha256"}}[predictor["kind"]]
    texts = [record["certificate"], *(value for each in columns for value in each.values())]
    right = [
        record.keys() - {"refitted"} == _FIELDS,
        isinstance(columns, list) and all(each.keys() == {"name", "kind"} for each in columns),
        all(isinstance(each, str) for each in texts),
        isinstance(record["classes"], list) and {*map(type, record["classes"])} in ({str}, {int}),
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
        classes=tuple(record["classes"]),
        certificate=str(record["certificate"]),
        predictor=read_predictor(record["predictor"], folder),
        rows=record["rows"],
        folder=folder,
        refitted=read_models_file(record["refitted"], folder, REFITTED_FILES) if "refitted" in record else None,
    )
