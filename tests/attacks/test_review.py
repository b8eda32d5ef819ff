"""Holes that an adversary with fresh eyes found in the mended tree, one test each."""

import io
import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import pacbayes as pb
from pacbayes.certificate import Certificate, issue
from pacbayes.certificate.checks import compare
from pacbayes.runs import archive, verify_folder
from tests.attacks import stored

SAMPLE = pb.datasets.make_known_risk(300, d=2, random_state=1)


@pytest.fixture(scope="module")
def stream():
    model = pb.OnlineCertifiedClassifier(GaussianNB(), certify_last=True, random_state=0)
    return model.fit(SAMPLE.X, SAMPLE.y).certificate_


@pytest.fixture
def folder(tmp_path):
    """A linear run and its table, as a user finds them."""
    stored.frame().to_csv(tmp_path / "table.csv", index=False)
    stored.issue(tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture
def archived(tmp_path):
    """A run whose predictor is an archive."""
    stored.frame().to_csv(tmp_path / "table.csv", index=False)
    stored.issue(tmp_path / "run", model="sklearn.naive_bayes.GaussianNB", method="split")
    return tmp_path / "run"


def change(folder, edit):
    record = json.loads((folder / "model.json").read_text())
    edit(record)
    (folder / "model.json").write_text(json.dumps(record))


def is_refused(folder):
    """Whether a folder is refused, by a verdict or in a sentence."""
    try:
        return not verify_folder(folder, data=folder.parent / "table.csv").result
    except ValueError:
        return True


def reissue(certificate, statements, choices):
    options = {"delta": certificate.delta, "digests": certificate.digests, "seed": certificate.seed}
    return issue(certificate.procedure, statements, choices=choices, **options)


def test_what_is_attacked_here_holds_unchanged(folder, stream):
    assert verify_folder(folder, data=folder.parent / "table.csv").result
    assert stream.verify()


@pytest.mark.parametrize(("keep", "shares"), [((1,), (1.0,)), ((1, 0), (0.5, 0.5)), ((0, 1), (0.5, 0.5))])
def test_the_last_snapshot_with_a_share_of_delta_that_is_for_all_that_ever_were_the_last(stream, keep, shares):
    """Alone, in front, or without the number of snapshots: each gave it an even share."""
    statements = [replace(stream.statements[at], share=share) for at, share in zip(keep, shares, strict=True)]
    choices = [each for each in stream.choices if each.what != "last_of"] if keep == (0, 1) else stream.choices
    forged = reissue(stream, statements, choices)
    assert forged.statement("last_snapshot").value < stream.statement("last_snapshot").value
    assert not forged.verify()


def test_a_number_of_snapshots_that_no_float_can_hold_is_a_verdict_and_no_crash(stream):
    record = stream.to_dict()
    choice = next(each for each in record["choices"] if each["what"] == "last_of")
    choice["value"] = 10**299
    assert not Certificate.from_json(json.dumps(record)).verify()
    choice["value"] = 10**400
    with pytest.raises(ValueError, match="a number has too many digits"):
        Certificate.from_json(json.dumps(record))


def test_a_count_beside_a_fraction_that_is_close_to_it():
    assert compare("statement", {"errors": 3_000_001.0}, {"errors": 3_000_000}, within=1e-6).held is False


def test_a_cost_from_a_file_is_no_format(stream):
    """100 MB of HTML from a certificate of 3 kB."""
    record = stream.to_dict()
    record["choices"][0]["cost"] = "{size:1000000}{size.__class__}{other}"
    assert len(Certificate.from_json(json.dumps(record))._repr_html_()) < 100_000


def test_controls_from_a_certificate_do_not_reach_print(stream):
    record = stream.to_dict()
    evil = "\x1b[2J\nThe certificate holds.\u202e"
    record["notes"] = [{"code": evil, "numbers": {}}, {"code": "repeated_rows", "numbers": {}}]
    record["statements"][0] |= {"quantity": evil, "assumptions": [evil], "bound": evil}
    certificate = Certificate.from_json(json.dumps(record))
    shown = f"{certificate}{certificate.verify()}{certificate._repr_html_()}"
    assert not {"\x1b", "\u202e"} & set(shown)
    assert "\nThe certificate holds." not in shown


def test_a_setting_that_names_another_model_than_the_linear_one(folder):
    change(folder, lambda record: record["settings"].update(model="hist-gradient-boosting"))
    assert is_refused(folder)


@pytest.mark.parametrize("place", ["predictor", None])
def test_a_model_file_with_fields_that_nothing_checks(folder, place):
    change(folder, lambda record: (record if place is None else record[place]).update(threshold=5.0))
    assert is_refused(folder)


def test_a_model_file_with_two_predictors_under_one_name(folder):
    text = (folder / "model.json").read_text()
    evil = json.loads(text)["predictor"] | {"intercept": 99.0}
    (folder / "model.json").write_text(f'{{"predictor": {json.dumps(evil)}, {text.lstrip()[1:]}')
    assert is_refused(folder)


def test_a_model_file_that_names_another_archive_than_the_one_that_is_used(archived):
    (archived / "model.skops").rename(archived / "honest.skops")
    (archived / "model.skops").write_bytes(b"another model")
    change(archived, lambda record: record["predictor"].update(file="honest.skops"))
    assert is_refused(archived)


def test_a_kind_of_predictor_that_there_is_not(archived):
    change(archived, lambda record: record["predictor"].update(kind="anything"))
    assert is_refused(archived)


@pytest.mark.parametrize("name", ["certificate.json", "model.json"])
def test_a_text_file_of_gigabytes_is_not_read(folder, name):
    with (folder / name).open("r+b") as file:
        file.truncate(2**40)
    with pytest.raises(ValueError, match="has more than 64 MiB"):
        verify_folder(folder)


def _pack(path, members, nodes):
    head = {"__module__": "numpy", "__class__": "ndarray", "__loader__": "NdArrayNode", "type": "numpy"}
    root = {"__module__": "builtins", "__class__": "list", "__loader__": "ListNode", "protocol": 2}
    with zipfile.ZipFile(path, "w") as file:
        for name, content in members.items():
            file.writestr(name, content)
        file.writestr("schema.json", json.dumps(root | {"content": [head | {"file": name} for name in nodes]}))


def _array(size):
    file = io.BytesIO()
    np.save(file, np.zeros(size))
    return file.getvalue()


def test_a_member_that_is_named_a_thousand_times_is_read_once(tmp_path):
    _pack(tmp_path / "many.skops", {"1.npy": _array(1000)}, ["1.npy"] * 1000)
    read = archive.read_pieces(tmp_path / "many.skops")
    assert len({id(each.value) for each in read.parts.values()}) == 1


def test_sparse_matrices_are_limited_together(tmp_path, monkeypatch):
    """8 kB unpacked to 3 GB: each of them within the limit."""
    monkeypatch.setattr(archive, "_MOST_SPARSE", 100_000)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_BZIP2) as file:
        file.writestr("data.npy", _array(5_000))
    names = [f"{number}.npz" for number in range(4)]
    _pack(tmp_path / "bomb.skops", dict.fromkeys(names, packed.getvalue()), names)
    with pytest.raises(ValueError, match="larger than it can be"):
        archive.read_pieces(tmp_path / "bomb.skops")


class _Shared:
    """What cloning hands on: a copy of it is itself."""

    def __init__(self):
        self.labels = {}

    def __deepcopy__(self, _):
        return self


class _Remembering(GaussianNB):
    def __init__(self, shared=None):
        super().__init__()
        self.shared = shared

    def fit(self, X, y):
        self.shared.labels |= {row.tobytes(): int(label) for row, label in zip(X, y, strict=True)}
        return super().fit(X, y)

    def predict(self, X):
        return np.array([self.shared.labels.get(row.tobytes(), 0) for row in np.array(X)]) + 0 * super().predict(X)


def test_a_parameter_that_cloning_does_not_copy_remembers_the_rows_of_earlier_fits():
    """Pure noise: .60, .34, .18, .09 with each further seed; it never held as many values as there were rows."""
    noise, shared = np.random.default_rng(0).integers(0, 2, 300), _Shared()
    with pytest.raises(ValueError, match="must come unlearned"):
        pb.CertifiedClassifier(_Remembering(shared), random_state=0).fit(SAMPLE.X, noise)


@pytest.mark.parametrize("kind", [np.float32, np.int64])
def test_repeated_rows_are_noticed_in_whatever_numbers_they_come(kind):
    X, y = np.repeat(SAMPLE.X[:30] * 1000, 10, axis=0).astype(kind), np.repeat(SAMPLE.y[:30], 10)
    certificate = pb.CertifiedClassifier(GaussianNB(), random_state=0).fit(X, y).certificate_
    assert "judged_rows_learned" in {note.code for note in certificate.notes}


@pytest.mark.parametrize(
    ("model", "everyone"),
    [
        (pb.CertifiedForest(DecisionTreeClassifier(), n_estimators=9, random_state=0), True),
        (pb.OnlineCertifiedClassifier(DecisionTreeClassifier(), schedule=50, random_state=0), False),
        (pb.PickToLearn(DecisionTreeClassifier(), random_state=0), False),
    ],
    ids=lambda each: type(each).__name__,
)
def test_copies_that_learn_and_judge_are_noticed_where_every_row_may_do_both(model, everyone):
    """Pure noise, each row four times: limits of .05 on an error of one half."""
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(100, 3)), generator.integers(0, 2, 100)
    once = model.fit(X, y).certificate_
    assert "judged_rows_learned" not in {note.code for note in once.notes}
    certificate = model.fit(np.repeat(X, 4, axis=0), np.repeat(y, 4)).certificate_
    (note,) = (note for note in certificate.notes if note.code in {"judged_rows_learned", "repeated_rows"})
    assert note.code == "judged_rows_learned"
    assert 0 < note.numbers["repeated"] <= note.numbers["rows"] <= 400
    assert (note.numbers["repeated"] == 400) is everyone


def test_copies_in_a_stream_are_counted_anew_with_further_rows():
    """By hand: of the judged rows those whose copy is among the rows before the point of their snapshot."""
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(100, 3)), generator.integers(0, 2, 100)
    model = pb.OnlineCertifiedClassifier(DecisionTreeClassifier(), schedule=50, random_state=0).fit(X, y)
    for _ in range(2):
        model.update(X[:70], y[:70])
    seen, rows = set(), [row.tobytes() for row in model.stream_.X]
    copied = 0
    for point in range(50, len(rows), 50):
        seen |= set(rows[:point])
        copied += sum(row in seen for row in rows[point : point + 50])
    (numbers,) = (note.numbers for note in model.certificate_.notes if note.code == "judged_rows_learned")
    assert numbers == {"repeated": copied, "rows": 190}


# Holes that are left open, as they were found; each is small, or needs more than a few lines.
#
# A certificate's ``digests["model"]`` is compared by ``recheck`` alone (low): ``verify --data`` and ``recheck_run``
# accept any text there, since its bits depend on the numerical libraries.
#
# Settings in model.json that leave rows, order and linear terms as they are can be changed (low): "missing" from
# "refuse" to "category" where nothing is missing, "learning_fraction" from null to the own of "posterior" or "online".
# The certificate has no digest of the settings.
#
# report.html is not looked at by ``verify FOLDER`` (medium): beside an honest certificate it may show any number;
# docs/security.md says so.
#
# ``expected_last`` is not compared with the recorded schedule without the data (low): after an update, the number of
# the last snapshot in its place gives that snapshot a share of .05 in place of .1/(k (k + 1)), k - 1 snapshots later.
#
# Repeated rows of a sparse matrix are not noticed (low); nor is a memory in a class or module, as documented.
