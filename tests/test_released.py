"""Everything that a released version wrote is still read, verified, used and continued.

``tests/released/X.Y.Z`` is what the version X.Y.Z wrote (``tools/released.py``). Until the tag of that version it is
written anew whenever a format changes; from the tag on it is never rewritten, because it is what users have: a test
that fails here asks for the code to be changed, not the folder. docs/stability.md states what is promised.
"""

import hashlib
import json
import re
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import pacbayes as pb
from pacbayes.certificate import schema
from pacbayes.certificate.words import sentences
from pacbayes.procedures import PROCEDURES

pytest.importorskip("typer")
from typer.testing import CliRunner

from pacbayes.cli._app import app

RELEASED = Path(__file__).parent / "released"
SAID = {file.parent: json.loads(file.read_text(encoding="utf-8")) for file in sorted(RELEASED.glob("*/said.json"))}


def cases(kind, having="values"):
    """Everything of one kind, of all versions, of which something is said."""
    found = [(place, name) for place, said in SAID.items() for name, each in said[kind].items() if having in each]
    return pytest.mark.parametrize(("place", "name"), found, ids=[f"{place.name}-{name}" for place, name in found])


def run(*arguments):
    return CliRunner().invoke(app, [str(each) for each in arguments])


def digits(texts):
    """The numbers of sentences: words may change, what they say may not."""
    return [re.findall(r"\d+(?:\.\d+)?", text) for text in texts]


def same_numbers(certificate, said):
    assert certificate.verify(), str(certificate.verify())
    assert [each.value for each in certificate.statements] == said["values"]
    assert certificate.vote_value == said["vote_value"]
    assert digits(sentences(certificate)) == digits(said["sentences"])


@cases("certificates")
def test_a_certificate_is_read_verified_and_written_alike(place, name):
    path = place / "certificates" / f"{name}.json"
    text = path.read_text(encoding="utf-8")
    certificate = pb.Certificate.from_json(path)
    same_numbers(certificate, SAID[place]["certificates"][name])
    assert certificate.to_json() == text
    Draft202012Validator(schema()).validate(json.loads(text))
    assert run("verify", path).exit_code == 0


@cases("certificates")
def test_a_changed_certificate_is_still_refused(place, name, tmp_path):
    record = json.loads((place / "certificates" / f"{name}.json").read_text(encoding="utf-8"))
    record["statements"][0]["value"] -= 0.01
    (tmp_path / "certificate.json").write_text(json.dumps(record), encoding="utf-8")
    assert run("verify", tmp_path / "certificate.json").exit_code == 1


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
@cases("folders")
def test_a_folder_verifies_with_and_without_its_data(place, name):
    said, folder = SAID[place]["folders"][name], place / "folders" / name
    same_numbers(pb.Certificate.from_json(folder / "certificate.json"), said)
    options = [place / each if each.endswith(".csv") else each for each in said["verify"]]
    alone, with_data = (run("verify", folder, *given, "--json") for given in ((), options))
    assert alone.exit_code == 0, alone.output
    record = json.loads(with_data.stdout)
    assert digits([record["sentence"]]) == digits(said["sentences"][:1])
    failed = {check["code"] for check in record["checks"] if not check["held"]}
    if (folder / "model.skops").exists() and is_of_other_versions(folder):  # which may fit or store another model
        assert failed <= {"predictor", "refitted"}
        assert record["cause"] == ("other_versions" if failed else None)
    else:
        assert with_data.exit_code == 0, with_data.output
        assert record["holds"] is True


def is_of_other_versions(folder):
    recorded = pb.Certificate.from_json(folder / "certificate.json").versions
    return recorded["scikit-learn"] != version("scikit-learn")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
@cases("folders", having="predict")
def test_a_stored_model_answers_as_it_did(place, name):
    expected = SAID[place]["folders"][name]["predict"]
    result = run("predict", place / "folders" / name, place / "fresh.csv", "--json", "--quiet")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["predictions"][:20] == expected["predictions"]
    if "probabilities" in expected:
        np.testing.assert_allclose(found["probabilities"][:20], expected["probabilities"], rtol=1e-9)


@cases("watches", having="last")
def test_a_watch_goes_on_from_a_stored_state(place, name, tmp_path):
    """The state names its file by its place, which is another one here."""
    said, source = SAID[place]["watches"][name], tmp_path / f"{name}.txt"
    source.write_bytes((place / "watches" / f"{name}.txt").read_bytes())
    record = json.loads((place / "watches" / f"{name}.state.json").read_text(encoding="utf-8"))
    del record["checksum"]
    record["source"] = str(source.resolve())
    record["checksum"] = hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()
    (tmp_path / "state.json").write_text(json.dumps(record), encoding="utf-8")
    options = [place / "watches" / each if each.endswith(".json") else each for each in said["options"]]
    result = run("watch", source, *options, "--state", tmp_path / "state.json", "--json", "--every", "200")
    assert result.exit_code == (3 if said["alarmed"] else 0), result.output
    assert "going on after" in result.stderr
    assert_close(json.loads(result.stdout.splitlines()[-1]), said["last"])


def assert_close(found, expected):
    """Counts are equal, and numbers to the last digits, in which versions of the libraries differ."""
    if isinstance(expected, dict):
        assert found.keys() >= expected.keys()
        for key, value in expected.items():
            assert_close(found[key], value)
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-9)
    else:
        assert found == expected


@cases("networks")
def test_a_network_is_loaded_verified_and_answers_as_it_did(place, name):
    pytest.importorskip("torch")
    pytest.importorskip("safetensors")
    from pacbayes.torch import load

    said, folder = SAID[place]["networks"][name], place / "networks" / name
    network = load(folder)
    same_numbers(network.certificate_, said)
    rows = np.load(place / "networks" / "rows.npz")["x"][:20]
    answer = network.predict if name == "network" else network.predict_mean
    assert answer(rows).tolist() == said["predictions"]
    for given in ((), ("--data", place / "networks" / "rows.npz")):
        result = run("verify", folder, *given)
        assert result.exit_code == 0, result.output


def test_the_certificate_of_a_network_is_read_without_torch():
    for place, said in SAID.items():
        for name, numbers in said["networks"].items():
            same_numbers(pb.Certificate.from_json(place / "networks" / name / "certificate.json"), numbers)


def test_the_first_version_has_one_of_every_kind_it_had():
    """Procedures are never removed from what can be verified."""
    kinds = {pb.Certificate.from_json(path).procedure for path in (RELEASED / "0.1.0" / "certificates").iterdir()}
    assert len(kinds) >= 13
    assert kinds <= set(PROCEDURES)


def test_the_folders_stay_small_and_name_no_place():
    for place in SAID:
        files = [path for path in place.rglob("*") if path.is_file()]
        assert sum(path.stat().st_size for path in files) < 1_000_000
        assert not [path for path in files if b"/tmp/" in path.read_bytes() or b"/home/" in path.read_bytes()]
