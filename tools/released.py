"""Write what this version writes, for the tests of all later versions: certificates, whole folders and states of watch.

    python tools/released.py            # into tests/released/X.Y.Z, the version without what follows its three numbers

Run it before a version is tagged (``make released``). From the tag on its folder is never written again: it is what
users have. The folders of networks need PyTorch; without it those that are there stay as they are.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sys
from collections.abc import Mapping
from contextlib import chdir
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
from schema_examples import examples
from typer.testing import CliRunner

import pacbayes as pb
from pacbayes.certificate.words import sentences
from pacbayes.cli._app import app

RELEASED = Path(__file__).resolve().parent.parent / "tests" / "released"
CERTIFY = ("certify", "table.csv", "--target", "label", "--no-baseline")
GROUPS = ("--metric", "error", "--metric", "recall:yes", "--group", "region")
BAYES = ("--model", "sklearn.naive_bayes.GaussianNB", "--drop", "colour,region")
PREDICTIONS = ("predictions.csv", "--label", "label", "--prediction", "old")
COMMANDS = {  # what makes each folder, and the tables besides its first that a verification is given
    "split": ((*CERTIFY, *GROUPS, "--difference"), ()),
    "refitted": ((*CERTIFY, *BAYES, "--refit", "--unlabelled", "fresh.csv"), ("--unlabelled", "fresh.csv")),
    "tested": ((*CERTIFY, "--test", "fresh.csv"), ("--test", "fresh.csv")),
    "selective": ((*CERTIFY, "--max-error", "0.25"), ()),
    "online": ((*CERTIFY, *BAYES, "--method", "online", "--learning-fraction", "0.9"), ()),
    "posterior": ((*CERTIFY, "--method", "posterior"), ()),
    "draw": ((*CERTIFY, "--method", "draw"), ()),
    "check": (("check", *PREDICTIONS, *GROUPS), ()),
    "compare": (("compare", *PREDICTIONS, "--prediction", "new"), ()),
}
WITH_REPORT = ("split", "check", "compare")  # of the others it is removed, to keep them small: nothing reads it
WATCHES = {  # options of watch, and the part of the lines after which its state is kept
    "plain": (("--delta", "0.1"), 0.6),
    "alarm": (("--certificate", "certificate.json", "--window", "50"), 0.6),
    "streams": (("--certificate", "certificate.json", "--window", "20", "--by", "shop"), 0.6),
}


def pacbayes(folder: Path, *arguments: str) -> str:
    """Run a command in a folder, and return what it prints; a watch may end with its alarm."""
    with chdir(folder):
        done = CliRunner().invoke(app, list(arguments))
    if done.exit_code not in ({0, 3} if arguments[0] == "watch" else {0}):
        sys.exit(f"pacbayes {' '.join(arguments)}: {done.stderr}")
    return done.stdout


def write_tables(place: Path) -> None:
    """Write a table with columns of numbers and text, fresh rows, and predictions of two models."""
    sample = pb.datasets.make_known_risk(500, d=3, separation=1.5, random_state=5)
    generator = np.random.default_rng(5)
    table = pd.DataFrame(sample.X.round(3), columns=["a", "b", "c"])
    table["colour"] = np.where(generator.random(500) < 0.5 + 0.2 * sample.y, "red", "blue")
    table["region"] = generator.choice(["north", "south"], 500)
    table["label"] = np.where(sample.y == 1, "yes", "no")
    table[:300].to_csv(place / "table.csv", index=False)
    table[300:].to_csv(place / "fresh.csv", index=False)
    for name, rate in {"old": 0.25, "new": 0.1}.items():
        wrong = generator.random(500) < rate
        table[name] = np.where((sample.y == 1) ^ wrong, "yes", "no")
    table[["region", "label", "old", "new"]].to_csv(place / "predictions.csv", index=False)


def numbers(certificate: pb.Certificate) -> dict[str, object]:
    """Return what a later version has to read in a certificate."""
    return {
        "values": [each.value for each in certificate.statements],
        "vote_value": certificate.vote_value,
        "sentences": sentences(certificate),
    }


def write_certificates(place: Path) -> dict[str, object]:
    """Write one certificate of every kind."""
    place.mkdir()
    found = {}
    for name, certificate in examples():
        certificate.to_json(place / f"{name}.json")
        found[name] = numbers(certificate)
    return found


def write_folders(place: Path) -> dict[str, object]:
    """Certify, check and compare from a shell; keep the folders as they are, and what their predictors answer."""
    found = {}
    for name, (command, others) in COMMANDS.items():
        pacbayes(place, *command, "--out", f"folders/{name}", "--quiet")
        certificate = pb.Certificate.from_json(place / "folders" / name / "certificate.json")
        if name not in WITH_REPORT:
            (place / "folders" / name / "report.html").unlink()
        found[name] = {"verify": ["--data", command[1], *others], **numbers(certificate)}
        if command[0] == "certify":
            answers = json.loads(pacbayes(place, "predict", f"folders/{name}", "fresh.csv", "--json", "--quiet"))
            kept = ("predictions", "probabilities")
            found[name]["predict"] = {key: answers[key][:20] for key in kept if answers.get(key) is not None}
    return found


def seal(record: Mapping[str, object], source: str) -> dict[str, object]:
    """Let a state of watch be about a file at another place."""
    moved = {**record, "source": source, "inode": 0}
    moved.pop("checksum", None)
    return {**moved, "checksum": hashlib.sha256(json.dumps(moved, sort_keys=True).encode()).hexdigest()}


def write_watches(place: Path) -> dict[str, object]:
    """Watch a part of some lines and keep the state; record what is said at the end of all lines."""
    place.mkdir()
    pb.certify_predictions([0, 1] * 500, [0, 1] * 465 + [1, 1] * 35).to_json(place / "certificate.json")
    generator = np.random.default_rng(7)
    losses = (generator.random(600) < np.repeat([0.03, 0.03, 0.2], 200)).astype(int).tolist()
    shops = generator.choice(["a", "b"], 600).tolist()
    objects = [json.dumps({"shop": shop, "loss": loss}) for shop, loss in zip(shops, losses, strict=True)]
    found = {}
    for name, (options, part) in WATCHES.items():
        lines = [f"{each}\n" for each in (objects if name == "streams" else losses)]
        file, state = place / f"{name}.txt", place / f"{name}.state.json"
        command = ("watch", file.name, *options, "--json", "--quiet", "--every", "200")
        file.write_text("".join(lines[: int(part * len(lines))]), encoding="utf-8")
        pacbayes(place, *command, "--state", state.name)
        file.write_text("".join(lines), encoding="utf-8")
        record = seal(json.loads(state.read_text(encoding="utf-8")), file.name)
        state.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        said = [json.loads(line) for line in pacbayes(place, *command).splitlines()]
        alarmed = any(each.get("alarm") for each in said)
        found[name] = {"options": list(options), "alarmed": alarmed, "last": said[-1]}
    return found


def write_networks(place: Path) -> dict[str, object]:
    """Train a network and a Gaussian over its last layer on a few rows."""
    from pacbayes.torch import CertifiedNetwork, GaussianNetwork, PosteriorTraining, Training, fully_connected  # noqa: PLC0415

    sample = pb.datasets.make_known_risk(300, d=3, random_state=1)
    rows = sample.X.astype(np.float32)
    np.savez_compressed(place / "rows.npz", x=rows, y=sample.y)
    factory, training = partial(fully_connected, 3, 8, 2), Training(epochs=5, batch_size=32, learning_rate=1e-2)
    network = CertifiedNetwork(factory, training=training, split=0.5, random_state=0)
    after = PosteriorTraining(epochs=2)
    gaussian = GaussianNetwork(factory, training=training, posterior_training=after, split=0.5, random_state=0)
    found = {}
    for name, model in {"network": network, "gaussian": gaussian}.items():
        model.fit(rows, sample.y).save(place / name)
        answer = model.predict if name == "network" else model.predict_mean
        found[name] = {**numbers(model.certificate_), "predictions": answer(rows[:20]).tolist()}
    return found


def main() -> None:
    """Write the folder of this version anew."""
    version = re.match(r"\d+\.\d+\.\d+", pb.__version__)
    if version is None:
        sys.exit(f"{pb.__version__!r} is not a version")
    place, kept = RELEASED / version.group(), {}
    networks = place / "networks"
    has_torch = find_spec("torch") is not None
    if not has_torch and networks.exists():
        kept = json.loads((place / "said.json").read_text(encoding="utf-8"))["networks"]
        sys.stderr.write("PyTorch is not installed: the folders of networks stay as they are\n")
    for each in place.iterdir() if place.exists() else ():
        if each != networks or has_torch:
            shutil.rmtree(each) if each.is_dir() else each.unlink()
    (place / "folders").mkdir(parents=True)
    write_tables(place)
    said = {
        "certificates": write_certificates(place / "certificates"),
        "folders": write_folders(place),
        "watches": write_watches(place / "watches"),
    }
    if has_torch:
        networks.mkdir()
        kept = write_networks(networks)
    said["networks"] = kept
    (place / "said.json").write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
