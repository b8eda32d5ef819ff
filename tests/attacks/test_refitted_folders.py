"""Attacks on a stored refit: another model in its place, another certificate, a claim where there is none."""

import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
import skops.io as sio

import pacbayes as pb
from pacbayes.certificate import evaluate_statement
from pacbayes.runs import Settings, certify_file, load_run, verify_folder

from attacks.stored import frame

METHOD = "split"
SETTINGS = Settings(target="ill", model="sklearn.naive_bayes.GaussianNB", method=METHOD, refit=True)


@pytest.fixture(scope="module")
def issued(tmp_path_factory):
    """A table and unlabelled rows, with a run that has a transfer and one that has none."""
    place = tmp_path_factory.mktemp("refit")
    frame(120).to_csv(place / "table.csv", index=False)
    frame(150, seed=1).to_csv(place / "fresh.csv", index=False)
    certify_file(place / "table.csv", SETTINGS, unlabelled=place / "fresh.csv", baseline=False).save(place / "with")
    other = replace(SETTINGS, seed=1)  # the same run in the same second would have the same certificate
    certify_file(place / "table.csv", other, baseline=False).save(place / "without")
    return place


@pytest.fixture
def place(issued, tmp_path):
    shutil.copytree(issued, tmp_path / "copy")
    return tmp_path / "copy"


def failed(folder, **options):
    verified = verify_folder(folder, **options)
    return {check.code for check in verified.result.failed}, verified.cause


def with_data(place, name="with"):
    fresh = {"unlabelled": place / "fresh.csv"} if name == "with" else {}
    return failed(place / name, data=place / "table.csv", **fresh)


def test_what_was_issued_holds(place):
    for name in ("with", "without"):
        assert failed(place / name) == (set(), None)
        assert with_data(place, name) == (set(), None)


def swap(folder, name, change):
    """Change the refitted model as its owner could, and sign it."""
    path = folder / name
    models = sio.load(path, trusted=sio.get_untrusted_types(file=path))
    change(models["predictor"])
    sio.dump(models, path)
    record = json.loads((folder / "model.json").read_text())
    record["refitted"]["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    (folder / "model.json").write_text(json.dumps(record))


def spoil(model):
    model.steps[-1][1].theta_ += 0.5


@pytest.mark.parametrize(("name", "file"), [("with", "refitted.skops"), ("without", "refitted-not-certified.skops")])
class TestTheModel:
    def test_another_one_is_found_with_the_data(self, place, name, file):
        swap(place / name, file, spoil)
        codes, cause = with_data(place, name)
        assert codes == {"refitted"}
        assert cause.code == "changed_refitted"

    def test_one_that_was_not_signed_is_found_at_once(self, place, name, file):
        path = place / name / file
        path.write_bytes(path.read_bytes()[:-1] + b"x")
        assert failed(place / name)[0] == {"file"}
        with pytest.raises(ValueError, match=r"not the one that was written|cannot be read"):
            load_run(place / name)

    def test_the_certified_model_in_its_place_is_found(self, place, name, file):
        (place / name / file).write_bytes((place / name / "model.skops").read_bytes())
        swap(place / name, file, lambda _: None)
        assert with_data(place, name)[0] == {"refitted"}

    def test_it_cannot_be_left_out(self, place, name, file):
        folder = place / name
        record = json.loads((folder / "model.json").read_text())
        del record["refitted"]
        (folder / "model.json").write_text(json.dumps(record))
        (folder / file).unlink()
        assert "refitted" in with_data(place, name)[0]

    @pytest.mark.parametrize("other", ["model.skops", "../with/model.skops", "/etc/passwd", "x.skops", None])
    def test_no_other_file_takes_its_place(self, place, name, file, other):
        folder = place / name
        record = json.loads((folder / "model.json").read_text())
        record["refitted"]["file"] = other
        (folder / "model.json").write_text(json.dumps(record))
        assert (folder / file).exists()
        with pytest.raises(ValueError, match="not as this version writes it"):
            load_run(folder)


class TestTheClaim:
    def transfer(self, place):
        return pb.Certificate.from_json(place / "with" / "transfer.json")

    def forge(self, place, **changes):
        """A transfer whose arithmetic fits."""
        issued = self.transfer(place)
        first = replace(issued.statements[0], **changes)
        first = replace(first, value=evaluate_statement(first, issued.delta))
        replace(issued, statements=(first,), digest="").to_json(place / "with" / "transfer.json")

    def test_fewer_errors_than_the_certificate_has(self, place):
        source = replace(self.transfer(place).statements[0].source, errors=0)
        self.forge(place, source=source)
        codes, cause = failed(place / "with")
        assert (codes, cause.code) == ({"transfer"}, "edited_transfer")
        assert "transfer" in with_data(place)[0]
        with pytest.raises(ValueError, match=r"transfer\.json does not hold"):
            load_run(place / "with").open(refitted=True)
        assert load_run(place / "with").open().certificate is not None

    def test_fewer_disagreements_are_found_with_both_tables(self, place):
        assert self.transfer(place).statements[0].observed["disagreements"] > 0
        self.forge(place, observed={"disagreements": 0})
        assert failed(place / "with") == (set(), None)  # nothing in it tells
        codes, cause = with_data(place)
        assert (codes, cause.code) == ({"disagreements"}, "other_unlabelled")

    def test_more_unlabelled_rows_are_found(self, place):
        self.forge(place, n=5000)
        assert with_data(place)[0] == {"disagreements"}

    def test_of_another_run(self, place):
        certify_file(
            place / "table.csv", replace(SETTINGS, seed=1), unlabelled=place / "fresh.csv", baseline=False
        ).save(place / "other")
        shutil.copy(place / "other" / "transfer.json", place / "with" / "transfer.json")
        assert failed(place / "with")[1].code == "edited_transfer"

    def test_a_claim_where_there_is_none(self, place):
        shutil.copy(place / "with" / "transfer.json", place / "without" / "transfer.json")
        assert {"transfer", "refitted_name"} <= failed(place / "without")[0]
        with pytest.raises(ValueError, match=r"transfer\.json does not hold"):
            load_run(place / "without").open(refitted=True)

    def test_a_true_claim_beside_a_model_that_is_said_to_have_none(self, place):
        """The same run twice in one second: the transfer is of this certificate, and the name of the file tells."""
        shutil.move(place / "with" / "refitted.skops", place / "with" / "refitted-not-certified.skops")
        record = json.loads((place / "with" / "model.json").read_text())
        record["refitted"]["file"] = "refitted-not-certified.skops"
        (place / "with" / "model.json").write_text(json.dumps(record))
        assert failed(place / "with")[0] == {"refitted_name"}

    def test_a_claim_that_was_removed(self, place):
        (place / "with" / "transfer.json").unlink()
        codes, cause = failed(place / "with")
        assert (codes, cause.code) == ({"refitted_name"}, "changed_refitted")
        assert load_run(place / "with").open(refitted=True).certificate is None

    def test_the_certificate_in_its_place(self, place):
        shutil.copy(place / "with" / "certificate.json", place / "with" / "transfer.json")
        assert failed(place / "with")[0] == {"transfer"}

    def test_what_is_no_certificate(self, place):
        (place / "with" / "transfer.json").write_text("{}")
        with pytest.raises(ValueError, match="is not a certificate"):
            verify_folder(place / "with")


def test_a_run_without_a_refit_that_gained_one(place):
    plain = replace(SETTINGS, refit=False)
    certify_file(place / "table.csv", plain, baseline=False).save(place / "plain")
    folder = place / "plain"
    shutil.copy(place / "without" / "refitted-not-certified.skops", folder)
    record = json.loads((folder / "model.json").read_text())
    record["refitted"] = json.loads((place / "without" / "model.json").read_text())["refitted"]
    (folder / "model.json").write_text(json.dumps(record))
    assert failed(folder, data=place / "table.csv")[0] == {"refitted"}


def test_settings_that_deny_the_refit_are_found(place):
    path = Path(place / "without" / "model.json")
    record = json.loads(path.read_text())
    record["settings"]["refit"] = False
    path.write_text(json.dumps(record))
    assert {"refitted", "choices"} <= failed(place / "without", data=place / "table.csv")[0]


@pytest.mark.parametrize("refitted", [False, True])
def test_a_file_that_was_replaced_after_it_was_looked_at(place, refitted):
    """What is loaded has the SHA-256 that was compared, and not what lay there a moment before."""
    run, name = load_run(place / "with"), "refitted.skops" if refitted else "model.skops"
    rows = pd.read_csv(place / "fresh.csv")
    assert len(run.open(refitted=refitted).predict(rows)) == len(rows)
    other = sio.load(place / "with" / name, trusted=sio.get_untrusted_types(file=place / "with" / name))
    spoil(other["predictor"])
    sio.dump(other, place / "with" / name)
    with pytest.raises(ValueError, match=f"The file '{name}' is not the one that was written: its SHA-256 differs"):
        run.open(refitted=refitted)


def test_a_setting_that_was_removed_is_at_its_default(place):
    """Of an earlier version a field may be missing: rows are then read, ordered and learned as by default."""
    path = place / "with" / "model.json"
    record = json.loads(path.read_text())
    for name, held in (("encoding", True), ("missing", True), ("seed", True), ("model", False), ("refit", False)):
        settings = {key: value for key, value in record["settings"].items() if key != name}
        path.write_text(json.dumps({**record, "settings": settings}))
        assert (not with_data(place)[0]) == held, name
