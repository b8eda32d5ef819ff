"""Checkpoints: every flipped bit is noticed, nothing in them is run, and resumed results are the same bit for bit."""

from __future__ import annotations

import hashlib
import os
import pickle
from pathlib import Path

import joblib
import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import pacbayes as pb
from pacbayes.online import _state

SAMPLE = pb.datasets.make_known_risk(160, d=2, random_state=0)
THREE = np.digitize(SAMPLE.X[:, 0], [-0.5, 0.5])
WORDS = np.where(SAMPLE.y > 0, "yes", "no").astype(object)
OPTIONS = {"schedule": pb.Every(40), "random_state": 0}


def chain(folder: Path) -> Path:
    """The one file that a run of one chain leaves."""
    (path,) = folder.iterdir()
    return path


def run(estimator, y, folder, **options):
    return pb.online_reference(estimator, SAMPLE.X, y, checkpoint=folder, **OPTIONS, **options)


def stopped(estimator, y, folder, after, monkeypatch, **options):
    """Run until so many snapshots are on disk."""
    from pacbayes.online import _checkpoint

    write, left = _checkpoint.write_atomically, [after]

    def write_some(path, content):
        write(path, content)
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_checkpoint, "write_atomically", write_some)
        with pytest.raises(KeyboardInterrupt):
            run(estimator, y, folder, **options)


def test_every_flipped_bit_is_noticed(tmp_path):
    run(pb.RefittedLogistic(), SAMPLE.y, tmp_path, keep=1)
    path = chain(tmp_path)
    content = path.read_bytes()
    for place in np.random.default_rng(0).choice(8 * len(content), 300, replace=False):
        flipped = bytearray(content)
        flipped[place // 8] ^= 1 << (place % 8)
        path.write_bytes(flipped)
        with pytest.raises(ValueError, match=r"^The checkpoint .* cannot be read \(.*\)\. Delete it to start anew\.$"):
            run(pb.RefittedLogistic(), SAMPLE.y, tmp_path, keep=1)


def test_nothing_in_a_checkpoint_is_run(tmp_path):
    run(GaussianNB(), SAMPLE.y, tmp_path)
    path, mark = chain(tmp_path), tmp_path / "mark"

    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(mark),)

    for content in (pickle.dumps(Evil()), pickle.dumps({"digest": "", "state": Evil()})):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="cannot be read"):
            run(GaussianNB(), SAMPLE.y, tmp_path)
    joblib.dump({"digest": "", "state": Evil()}, path)
    with pytest.raises(ValueError, match="cannot be read"):
        run(GaussianNB(), SAMPLE.y, tmp_path)
    assert not mark.exists()


CASES = {
    "continues": (pb.RefittedLogistic(), SAMPLE.y, 2),
    "one that is fitted again": (GaussianNB(), WORDS, 3),
    "three classes, continued": (LogisticRegression(warm_start=True, max_iter=30), THREE, 2),
    "averaged": (pb.StochasticReference(), SAMPLE.y, 2),
    "learned": (pb.LearnedReference(), SAMPLE.y, 1),
    "recursive": (pb.RecursiveLogistic(), SAMPLE.y, 1),
    "forest": (RandomForestClassifier(5, random_state=0), SAMPLE.y, 2),
    "pipeline": (make_pipeline(FunctionTransformer(np.abs), StandardScaler(), GaussianNB()), SAMPLE.y, 2),
    "one class at first": (pb.RefittedLogistic(), np.sort(SAMPLE.y), 2),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("after", [1, 2, 3])
@pytest.mark.parametrize("name", CASES)
def test_resumed_bit_for_bit(tmp_path, monkeypatch, name, after):
    estimator, y, keep = CASES[name]
    whole = run(estimator, y, None, keep=keep)
    stopped(estimator, y, tmp_path, after, monkeypatch, keep=keep)
    resumed = run(estimator, y, tmp_path, keep=keep)
    np.testing.assert_array_equal(resumed.losses, whole.losses)
    assert [point for point, _ in resumed.snapshots] == [point for point, _ in whole.snapshots]
    for (_, one), (_, two) in zip(resumed.snapshots, whole.snapshots, strict=True):
        assert type(one) is type(two)
        if hasattr(one, "predict"):
            np.testing.assert_array_equal(one.predict(SAMPLE.X), two.predict(SAMPLE.X))
            assert one.predict(SAMPLE.X).dtype == two.predict(SAMPLE.X).dtype


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_what_cannot_be_stored_without_pickle_is_refused(tmp_path):
    network = MLPClassifier((2,), warm_start=True, max_iter=3, random_state=0)
    words = r"A checkpoint of MLPClassifier cannot be written without pickle: its state holds .* warm_start to False"
    with pytest.raises(ValueError, match=words):
        run(network, SAMPLE.y, tmp_path)


def test_a_snapshot_that_comes_out_otherwise_is_refused(tmp_path, monkeypatch):
    """Without a seed, what is fitted again is not what was judged."""
    from sklearn.tree import ExtraTreeClassifier

    noise = np.random.default_rng(0).integers(0, 2, SAMPLE.y.size)
    stopped(ExtraTreeClassifier(max_depth=2), noise, tmp_path, 3, monkeypatch, keep=3)

    def resume():
        for _ in range(20):
            run(ExtraTreeClassifier(max_depth=2), noise, tmp_path, keep=3)

    with pytest.raises(ValueError, match=r"came out otherwise this time\. Pass the estimator a fixed random_state"):
        resume()


def forge(path: Path, change) -> None:
    """Change the content and put the right checksum on it."""
    first, _, rest = path.read_bytes().partition(b"\n")
    _, _, content = rest.partition(b"\n")
    changed = change(content)
    path.write_bytes(first + b"\n" + hashlib.sha256(changed).hexdigest().encode() + b"\n" + changed)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"done"], ["plain", 3]', b'"done"], ["plain", 2]'),
        (b'"done"], ["plain", 3]', b'"done"], ["plain", -1]'),
        (b'"done"], ["plain", 3]', b'"done"], ["plain", true]'),
        (b'"done"], ["plain", 3]', b'"done"], ["plain", 99]'),
        (b'"done"], ["plain", 3]', b'"done"], ["plain", [3]]'),
        (b'"<f8", [120]', b'"<f8", [119]'),
        (b'"<f8", [120]', b'"<f8", [999999999999]'),
        (b'"<f8", [120]', b'"<f8", [-1]'),
        (b'"<f8", [120]', b'"|O8", [120]'),
        (b'"<f8", [120]', b'"<i8", [120]'),
        (b"pacbayes.learners.refitted.RefittedLogistic", b"subprocess.Popen"),
        (b'["weights_"', b'["fit"'),
        (b'"tree": ["dict"', b'"tree": ["nothing"'),
        (b'{"tree"', b'[{"tree"'),
        (b'{"tree"', b"[" * 20_000),
    ],
)
def test_forged_checkpoints_are_refused_in_one_sentence(tmp_path, old, new):
    run(pb.RefittedLogistic(), SAMPLE.y, tmp_path, keep=1)
    path = chain(tmp_path)
    assert old in path.read_bytes()
    forge(path, lambda content: content.replace(old, new))
    with pytest.raises(ValueError, match=r"^The checkpoint .* cannot be read \(.*\)\. Delete it to start anew\.$"):
        run(pb.RefittedLogistic(), SAMPLE.y, tmp_path, keep=1)


def test_losses_outside_the_unit_interval_are_refused(tmp_path):
    run(GaussianNB(), SAMPLE.y, tmp_path)
    forge(chain(tmp_path), lambda content: content[:-8] + np.float64(-3.0).tobytes())
    with pytest.raises(ValueError, match="its losses must lie between 0 and 1"):
        run(GaussianNB(), SAMPLE.y, tmp_path)


def test_a_folder_or_a_pipe_in_its_place_is_refused(tmp_path):
    run(GaussianNB(), SAMPLE.y, tmp_path)
    path = chain(tmp_path)
    path.unlink()
    path.mkdir()
    with pytest.raises(ValueError, match=r"cannot be read \(it is no file\)"):
        run(GaussianNB(), SAMPLE.y, tmp_path)


VALUES = [
    None, True, -3, 2**80, "ä\ud800", 0.1, float("inf"), -0.0, 5e-324, [1, (2.0, None)], {"a": {1: "b"}},
    np.float64(0.1), np.int32(3), np.str_("x"), np.array([[1.5, 2.0]], order="F"), np.asfortranarray(np.eye(3)),
    np.array(["a", None, 3], dtype=object), np.array(["yes", "no"]), np.zeros((0, 3)), np.array(3.0), np.array([True]),
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_state_survives_as_it_is(value):
    again = _state.unpack(_state.pack(value, {}), {})
    assert type(again) is type(value)
    np.testing.assert_equal(again, value)
    if isinstance(value, np.ndarray):
        assert (again.dtype, again.flags.f_contiguous) == (value.dtype, value.flags.f_contiguous)


def test_state_that_is_not_plain_is_refused():
    deep = []
    for _ in range(200):
        deep = [deep]
    for value in (print, object(), np.datetime64("2020-01-01"), np.zeros(2, "i4,f8"), {1, 2}, deep, np.ma.zeros(3)):
        with pytest.raises(_state.StateError, match="its state"):
            _state.pack(value, {})
