"""A folder as the command writes it: the certificate, the predictor as JSON, and the file of fitted models."""

from __future__ import annotations

import hashlib
import io
import json
import random
import re
import shutil
import sys
import zipfile
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd

import pacbayes as pb
from pacbayes.certificate.canonical import content_digest
from pacbayes.procedures import LossMonitor
from pacbayes.runs import Settings, certify_table, load_run, verify_folder
from pacbayes.runs.predictors import ModelsFile
from pacbayes.tables import prepare_table

from fuzz.mutations import mutate_bytes, mutate_json, mutate_tree
from fuzz.outcomes import WronglyAcceptedError
from fuzz.readers import Reader


def table():
    sample = pb.datasets.make_known_risk(260, d=2, random_state=0)
    frame = pd.DataFrame(sample.X, columns=["a", "b"]).assign(
        kind=np.where(sample.X[:, 0] > 1, "x", "y"), label=sample.y
    )
    return prepare_table(frame, "label")


def folders(place: Path) -> dict[str, Path]:
    """A folder per kind of predictor, made once."""
    names = {"linear": "logistic", "skops": "sklearn.tree.DecisionTreeClassifier"}
    for kind, model in names.items():
        if not (place / kind).exists():
            with frozen_time():
                certify_table(table(), Settings(target="label", model=model), baseline=False).save(place / kind)
            if kind == "skops":
                freeze_archive(place / kind)
    return {kind: place / kind for kind in names}


@contextmanager
def frozen_time():
    """Let certificates be issued at one time, so that inputs are always the same."""

    class Frozen(datetime):
        @classmethod
        def now(cls, tz=None):
            return cls(2026, 1, 1, tzinfo=tz)

    with mock.patch.object(sys.modules["pacbayes.certificate.issue"], "datetime", Frozen):
        yield


def unpack(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def repack(members: dict[str, bytes]) -> bytes:
    """An archive that says nothing of the time."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for each, inside in members.items():
            archive.writestr(zipfile.ZipInfo(each, (2020, 1, 1, 0, 0, 0)), inside)
    return buffer.getvalue()


def freeze_archive(folder: Path) -> None:
    """Write the archive without the time, and without the addresses after which its files are called."""
    members = unpack((folder / "model.skops").read_bytes())
    text = members["schema.json"].decode()
    for number, address in enumerate(dict.fromkeys(re.findall(r"\d{12,}", text)), start=1000):
        text = text.replace(address, str(number))
        members = {name.replace(address, str(number)): inside for name, inside in members.items()}
    content = repack(dict(sorted({**members, "schema.json": text.encode()}.items())))
    (folder / "model.skops").write_bytes(content)
    record = json.loads((folder / "model.json").read_bytes())
    record["predictor"]["sha256"] = hashlib.sha256(content).hexdigest()
    (folder / "model.json").write_text(json.dumps(record, indent=1))


def same(one, two) -> bool:
    """Whether two trees of JSON mean the same: 1 is 1.0, and not true."""
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(same(one[key], two[key]) for key in one)
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(map(same, one, two))
    return isinstance(one, bool) == isinstance(two, bool) and one == two


def certificates(place: Path) -> list[bytes]:
    made = folders(place)
    monitor = LossMonitor()
    monitor.extend([0.0, 1.0, 0.25] * 30)
    with frozen_time():
        others = [monitor.certificate(), pb.certify_predictions([0, 1, 1, 0] * 20, [0, 1, 1, 1] * 20)]
    stored = [(folder / "certificate.json").read_bytes() for folder in made.values()]
    return [*stored, *(each.to_json().encode() for each in others)]


def make_certificate(place: Path) -> Reader:
    seeds = certificates(place)
    known = [json.loads(seed) for seed in seeds]

    def read(content: bytes, folder: Path, rng: random.Random) -> None:
        path = folder / "certificate.json"
        path.write_bytes(content)
        try:
            verified = verify_folder(path)
        finally:
            path.unlink()
        shown = f"{verified.certificate}{verified.certificate.to_json()}{verified.result}"
        sealed = verified.certificate.digest in {each["digest"] for each in known}
        if verified.result and sealed and not any(same(each, json.loads(content)) for each in known):
            raise WronglyAcceptedError(f"verified although changed ({len(shown)})")

    return Reader("certificate", seeds, read, mutate_certificate)


def mutate_certificate(rng: random.Random, content: bytes, other: bytes) -> bytes:
    """Mutate; now and then put the right digest on what came out, as somebody who forges would."""
    if rng.random() < 0.7:
        return mutate_json(rng, content, other)
    record = mutate_tree(rng, json.loads(content))
    try:
        record["digest"] = content_digest(record)
    except (TypeError, ValueError, AttributeError):
        return json.dumps(record).encode()
    return json.dumps(record).encode()


DEFAULTS = Settings(target="").to_dict()


def described(run) -> tuple:
    """Everything of a stored run but the folder it lies in."""
    predictor = "file" if isinstance(run.predictor, ModelsFile) else repr(run.predictor)
    return run.settings, run.columns, run.classes, run.certificate, run.rows, predictor


def make_model(place: Path) -> Reader:
    made = folders(place)
    seeds = [(folder / "model.json").read_bytes() for folder in made.values()]
    known = [json.loads(seed) for seed in seeds]
    runs = [load_run(folder) for folder in made.values()]
    own = place / "model"
    own.mkdir()
    shutil.copy(made["skops"] / "model.skops", own)
    shutil.copy(made["skops"] / "certificate.json", own)

    def read(content: bytes, folder: Path, rng: random.Random) -> None:
        (own / "model.json").write_bytes(content)
        try:
            verified = verify_folder(own)
        finally:
            run = load_run(own)
        record = json.loads(content)
        record["settings"] = DEFAULTS | record["settings"]  # one that is missing is at its default
        changed = not any(same(each, record) for each in known)
        if changed and described(run) in [described(each) for each in runs]:
            raise WronglyAcceptedError(f"compares equal although changed ({bool(verified.result)})")

    return Reader("model", seeds, read, mutate_json)


def make_skops(place: Path) -> Reader:
    origin = folders(place)["skops"]
    original = (origin / "model.skops").read_bytes()
    own = place / "skops-model"
    shutil.copytree(origin, own)
    record = json.loads((own / "model.json").read_bytes())

    def read(content: bytes, folder: Path, rng: random.Random) -> None:
        (own / "model.skops").write_bytes(content)
        resealed = rng.random() < 0.7
        digest = hashlib.sha256(content if resealed else original).hexdigest()
        (own / "model.json").write_text(json.dumps(record | {"predictor": {**record["predictor"], "sha256": digest}}))
        run = load_run(own)
        if not resealed and content != original:
            raise WronglyAcceptedError("another file passed")
        run.models()

    return Reader("skops", [original], read, mutate_skops)


def mutate_skops(rng: random.Random, content: bytes, other: bytes) -> bytes:
    """Mutate the archive, or a file inside, packed again."""
    if rng.random() < 0.4:
        return mutate_bytes(rng, content, other)
    members = unpack(content)
    name = "schema.json" if rng.random() < 0.6 else rng.choice(sorted(members))
    mutate = mutate_json if name.endswith(".json") else mutate_bytes
    members[name] = mutate(rng, members[name], other)
    return repack(members)
