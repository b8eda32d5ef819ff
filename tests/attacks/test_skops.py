"""A stranger's model.skops runs nothing, reads nothing and writes nothing, whatever is in it."""

import json
import zipfile

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import dump_svmlight_file
from sklearn.decomposition import KernelPCA
from sklearn.dummy import DummyClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC
from sklearn.utils._testing import check_output

from pacbayes.runs import load_run

from attacks.stored import OBJECT, edit, frame, issue, put, sign, verify

SUBPROCESS = (('"__module__": "subprocess"', '"__module__": "sklearn.utils._testing"'),)


def fitted(first, rows):
    rest = DummyClassifier().fit(np.zeros((len(rows), 1)), rows["ill"])
    return {"predictor": Pipeline([("first", first), ("rest", rest)])}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path / "out"


def test_a_function_node_runs_no_command(folder, tmp_path):
    """The column names of the table are the command line: touch proof."""
    rows = frame().rename(columns={"age": "touch", "site": "proof"})[["touch", "proof", "ill"]]
    run, table = issue(folder, rows, **OBJECT)
    put(folder, fitted(FunctionTransformer(check_output), rows), SUBPROCESS)
    verification = verify(folder, run, table)
    assert not (tmp_path / "proof").exists()
    assert [check.code for check in verification.failed] == ["predictor"]
    with pytest.raises(ValueError, match=r"sklearn\.utils\._testing\.check_output"):
        load_run(folder).models()
    assert not (tmp_path / "proof").exists()


def test_a_function_node_writes_no_file(folder, tmp_path):
    rows = frame()[["age", "site", "ill"]]
    run, table = issue(folder, rows, **OBJECT)
    options = {"y": [0.0] * len(rows), "f": str(tmp_path / "proof")}
    put(folder, fitted(FunctionTransformer(dump_svmlight_file, kw_args=options), rows))
    assert not verify(folder, run, table)
    assert not (tmp_path / "proof").exists()


CALLABLES = {
    "KernelPCA": lambda: KernelPCA(kernel=dump_svmlight_file),
    "SVC": lambda: SVC(kernel=dump_svmlight_file),
    "numpy function": lambda: FunctionTransformer(np.save),
    "ufunc": lambda: FunctionTransformer(np.exp),
    "method": lambda: SVC(kernel=SVC().get_params),
    "class": lambda: SVC(kernel=zipfile.ZipFile),
}


@pytest.mark.parametrize("case", CALLABLES)
def test_no_estimator_brings_a_callable(folder, case):
    run, table = issue(folder, **OBJECT)
    put(folder, fitted(CALLABLES[case](), frame()))
    verification = verify(folder, run, table)
    assert [check.code for check in verification.failed] == ["predictor"]
    with pytest.raises(ValueError, match="--trust"):
        load_run(folder).models()


def test_all_types_outside_the_list_are_named_at_once(folder):
    issue(folder, **OBJECT)
    put(folder, {"predictor": [pd.Timestamp(0), FunctionTransformer()]})
    with pytest.raises(ValueError, match="--trust") as refused:
        load_run(folder).models()
    words = str(refused.value)
    assert "--trust sklearn.preprocessing._function_transformer.FunctionTransformer" in words
    assert "Timestamp" in words
    assert "\n" not in words


def test_a_prefix_is_no_trust(folder):
    issue(folder, **OBJECT)
    put(folder, {"predictor": FunctionTransformer()})
    for trust in ("sklearn", "sklearn.", "sklearn.preprocessing", "FunctionTransformer"):
        with pytest.raises(ValueError, match="--trust"):
            load_run(folder).models((trust,))
    named = "sklearn.preprocessing._function_transformer.FunctionTransformer"
    assert isinstance(load_run(folder).models((named,))["predictor"], FunctionTransformer)


MODELS = (
    "sklearn.utils._testing.check_output",
    "sklearn.utils._mocking.CheckingClassifier",
    "sklearn.preprocessing.FunctionTransformer",
    "sklearn.tests.test_base.MyEstimator",
    "sklearn",
    "sklearn.naive_bayes.GaussianNB.__init__",
)


@pytest.mark.parametrize("name", MODELS)
def test_settings_import_nothing_beyond_the_list(folder, name):
    run, table = issue(folder, **OBJECT)
    record = json.loads((folder / "model.json").read_text())
    record["settings"]["model"] = name
    (folder / "model.json").write_text(json.dumps(record))
    with pytest.raises(ValueError, match="--trust"):
        verify(folder, run, table)


def bomb(folder):
    edit(folder, more=[("1.npy", b"\0" * 50_000_000)], compression=zipfile.ZIP_DEFLATED)


def overlap(folder):
    """Many members that are the same bytes of the file."""
    edit(folder, more=[("1.npy", b"\0" * 100_000)])
    path = folder / "model.skops"
    with zipfile.ZipFile(path, "a") as archive:
        for k in range(2, 3000):
            entry = zipfile.ZipInfo(f"{k}.npy")
            first = archive.getinfo("1.npy")
            for name in ("CRC", "compress_size", "file_size", "header_offset", "create_version", "extract_version"):
                setattr(entry, name, getattr(first, name))
            archive.filelist.append(entry)
        archive._didModify = True
    sign(folder)


def nest(folder):
    def schema(text):
        head, tail = '{"__loader__": "ListNode", "__module__": "builtins", "__class__": "list", "content": [', "]}"
        depth = 500
        record = json.loads(text)
        record["content"] = {"predictor": "HERE"}
        return json.dumps(record).replace('"HERE"', head * depth + tail * depth)

    edit(folder, schema=schema)


def huge_array(folder):
    """A header that claims a terabyte."""

    def member(name, content):
        if not name.endswith(".npy"):
            return content
        words = str({"descr": "<f8", "fortran_order": False, "shape": (2**37,)}).ljust(117).encode() + b"\n"
        return b"\x93NUMPY\x01\x00" + len(words).to_bytes(2, "little") + words

    edit(folder, member=member)


def pickled(folder):
    """An array of objects would be unpickled."""

    def member(name, content):
        words = str({"descr": "|O", "fortran_order": False, "shape": (1,)}).ljust(117).encode() + b"\n"
        payload = b"cos\nsystem\n(S'touch proof'\ntR."
        return b"\x93NUMPY\x01\x00" + len(words).to_bytes(2, "little") + words + payload if name[-1] == "y" else content

    edit(folder, member=member)


ARCHIVES = {
    "bomb": bomb,
    "overlapping members": overlap,
    "deep nesting": nest,
    "a member outside": lambda folder: edit(folder, more=[("../proof", b"x")]),
    "an absolute member": lambda folder: edit(folder, more=[("/tmp/proof", b"x")]),
    "a name twice": lambda folder: edit(folder, more=[("schema.json", b"{}")]),
    "no schema": lambda folder: edit(folder, schema=lambda text: "{"),
    "schema is a list": lambda folder: edit(folder, schema=lambda text: "[1]"),
    "an older protocol": lambda folder: edit(
        folder, schema=lambda text: text.replace('"protocol": 2', '"protocol": 0')
    ),
    "keys twice": lambda folder: edit(folder, schema=lambda text: text.replace("{", '{"protocol": 2,', 1)),
    "a claim of a terabyte": huge_array,
    "pickled objects": pickled,
    "an unused member": lambda folder: edit(folder, more=[("9.npy", b"x")]),
}


@pytest.mark.parametrize("case", ARCHIVES)
def test_archives_made_to_hurt_are_refused(folder, tmp_path, case):
    run, table = issue(folder, **OBJECT)
    ARCHIVES[case](folder)
    with pytest.raises(ValueError, match=r"model\.skops"):
        load_run(folder).models()
    if case in {"bomb", "overlapping members"}:  # too large is already another predictor
        assert not _holds(folder, run, table)
    else:
        with pytest.raises(ValueError, match=r"model\.skops"):
            verify(folder, run, table)
    assert not (tmp_path / "proof").exists()
    assert [each.name for each in tmp_path.iterdir()] == ["out"]


def _holds(folder, run, table):
    try:
        return bool(verify(folder, run, table))
    except ValueError:
        return False


def test_json_inside_json_is_a_single_value(folder):
    """skops takes whatever JSON a JsonNode holds, unseen by its own audit."""
    run, table = issue(folder, **OBJECT)
    edit(folder, schema=lambda text: text.replace('"content": "null"', '"content": "[[], {}]"', 1))
    with pytest.raises(ValueError, match=r"model\.skops"):
        load_run(folder).models()
    assert not _holds(folder, run, table)


WRAPPINGS = {
    "keys": lambda fitted: fitted["content"]["key_types"],
    "attributes": lambda fitted: fitted["content"],
    "an array": lambda fitted: fitted["content"]["content"]["coef_"],
}


@pytest.mark.parametrize("case", WRAPPINGS)
def test_what_wraps_an_object_counts_too(folder, case):
    """skops calls the type of a list with its items: the lists of the format itself are no exception."""
    run, table = issue(folder, **OBJECT)

    def schema(text):
        record = json.loads(text)
        steps = record["content"]["predictor"]["content"]["content"]["steps"]["content"]
        WRAPPINGS[case](steps[1]["content"][1]).update(__module__="os", __class__="system", __id__=7)
        return json.dumps(record)

    edit(folder, schema=schema)
    with pytest.raises(ValueError, match=r"model\.skops"):
        load_run(folder).models()
    assert not _holds(folder, run, table)


def test_a_random_state_points_into_its_key(folder):
    """numpy reads what lies behind the key of a state, wherever its position points."""
    run, table = issue(folder, model="sklearn.neural_network.MLPClassifier", method="split")
    load_run(folder).models()

    def schema(text):
        record = json.loads(text)
        steps = record["content"]["predictor"]["content"]["content"]["steps"]["content"]
        random = steps[1]["content"][1]["content"]["content"]["_random_state"]["content"]["content"]
        random["state"]["content"]["pos"] = {**random["state"]["content"]["pos"], "content": "2000000000", "__id__": 7}
        return json.dumps(record)

    edit(folder, schema=schema)
    with pytest.raises(ValueError, match="random state"):
        load_run(folder).models()
    assert not verify(folder, run, table)


def test_a_file_says_nothing_to_the_terminal(folder):
    run, table = issue(folder, **OBJECT)
    put(folder, {"predictor": {"\x1b[2J": 1}, "\x1b[1A": 2})
    assert "\x1b" not in str(verify(folder, run, table))


def test_a_command_of_the_terminal_runs_nothing_either(folder, tmp_path):
    from typer.testing import CliRunner

    from pacbayes.cli._app import app

    rows = frame().rename(columns={"age": "touch", "site": "proof"})[["touch", "proof", "ill"]]
    rows.to_csv("rows.csv", index=False)
    made = CliRunner().invoke(
        app, ["certify", "rows.csv", "--target", "ill", "--model", OBJECT["model"], "--out", "out"]
    )
    assert made.exit_code == 0
    put(folder, fitted(FunctionTransformer(check_output), rows), SUBPROCESS)
    result = CliRunner().invoke(app, ["verify", "out", "--data", "rows.csv"])
    assert result.exit_code == 1
    assert "The predictor was changed." in result.stdout
    assert not (tmp_path / "proof").exists()
