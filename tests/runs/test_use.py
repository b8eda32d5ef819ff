"""A stored predictor in use: the same answers as in memory, whatever the order of columns; all else in a sentence."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest

import pacbayes as pb
from pacbayes.runs import Settings, certify_file, certify_table
from pacbayes.tables import TableError, prepare_table

CASES = {
    "linear": {"model": "logistic", "method": "posterior", "positive": "5"},
    "linear online": {"model": "logistic", "method": "online"},
    "boosting": {"model": "hist-gradient-boosting", "method": "split"},
    "boosting online": {"model": "hist-gradient-boosting", "method": "online", "learning_fraction": 0.8},
    "no probabilities": {"model": "sklearn.svm.LinearSVC", "method": "split"},
}


def frame(rows=400, seed=0):
    """Six classes, text, and missing values."""
    generator = np.random.default_rng(seed)
    y = generator.integers(0, 6, rows)
    made = pd.DataFrame(
        {
            "a": generator.normal(size=rows) + y,
            "b": generator.integers(0, 3, rows),
            "job": np.where(generator.random(rows) < 0.7, np.array(list("uvwxyz"))[y], "q"),
            "kind": y + 3,
        }
    )
    made.loc[::11, "a"] = None
    made.loc[::13, "job"] = None
    return made


@pytest.fixture(scope="module", params=CASES)
def run(request, tmp_path_factory):
    settings = Settings(target="kind", missing="category", **CASES[request.param])
    table = prepare_table(frame(), "kind", missing="category", positive=settings.positive)
    made, folder = certify_table(table, settings, baseline=False), tmp_path_factory.mktemp("run") / "out"
    made.save(folder)
    return made, folder


@pytest.fixture(scope="module")
def opened(run):
    """The stored predictor, loaded once: hundreds of trees take longer to load than a row to refuse."""
    return pb.load_run(run[1]).open()


def test_predicts_as_the_estimator_in_memory(run):
    made, folder = run
    new = frame(200, seed=1)
    rows = prepare_table(new, "kind", missing="category").X
    stored = pb.load_run(folder)
    labels = stored.predict(new)
    np.testing.assert_array_equal(labels, made.model.predict(rows))
    assert labels.dtype.kind == made.table.y.dtype.kind
    if not hasattr(made.model, "predict_proba"):
        with pytest.raises(ValueError, match="has no probabilities"):
            stored.predict_proba(new)
        return
    np.testing.assert_allclose(stored.predict_proba(new), made.model.predict_proba(rows), atol=1e-12)


def test_order_of_columns_and_the_target_do_not_matter(opened):
    new = frame(50, seed=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expected = opened.predict(new)
        np.testing.assert_array_equal(opened.predict(new[["job", "kind", "b", "a"]]), expected)
        np.testing.assert_array_equal(opened.predict(new[["job", "b", "a"]].set_index(np.arange(50) * 7)), expected)


def test_extra_columns_and_unseen_categories_are_said_once(run, opened):
    _, folder = run
    new = frame(50, seed=2).assign(job="emperor", id=1)
    found = opened.apply(new)
    assert [note.code for note in found.notes] == ["extra_columns", "unseen_categories"]
    assert found.notes[1].numbers == {"column": "job", "count": 50, "example": "emperor"}
    with pytest.warns(UserWarning, match=r"does not use \(1\): 'id'. The column 'job' has 50 rows"):
        pb.load_run(folder).predict(new)


def test_no_rows_give_no_labels(opened):
    assert len(opened.predict(frame()[:0])) == 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda f: f.drop(columns="job"), "lack the column 'job' that"),
        (lambda f: f.rename(columns={"job": "Job"}), "Should 'Job' be 'job'?"),
        (lambda f: f[["kind"]], "lack 3 columns 'a', 'b', 'job'"),
        (lambda f: f.assign(a="many"), "'a' must hold numbers, as when the model was learned. Got 'many'"),
        (lambda f: f.assign(a=np.where(np.arange(len(f)) == 3, "?", "1")), "Got '?' instead"),
        (lambda f: f.assign(a=pd.Timestamp("2020-01-01")), "'a' must hold numbers"),
        (lambda f: f.assign(a=np.inf), "'a' holds infinite values"),
        (lambda f: f.assign(job=0.5), "'job' must hold text, as when the model was learned. Got float"),
        (lambda f: f.assign(job=pd.Timestamp("2020-01-01")), "'job' must hold text"),
        (lambda f: f.assign(job=[[1]] * len(f)), "'job' must hold text, as when the model was learned. Got list"),
    ],
)
def test_what_does_not_fit_is_refused(opened, change, words):
    with pytest.raises(TableError) as refused:
        opened.predict(change(frame(20, seed=3)))
    assert words in str(refused.value)
    assert str(refused.value).endswith((".", "?"))


def saved(tmp_path, table, **changes):
    run = certify_table(table, Settings(**changes), baseline=False)
    run.save(tmp_path / "out")
    return tmp_path / "out"


def test_missing_values_are_refused_where_the_settings_refuse_them(tmp_path):
    folder = saved(tmp_path, prepare_table(frame().dropna(), "kind"), target="kind", method="split")
    with pytest.raises(TableError, match=r"missing in 'a' \(5\), 'job' \(4\) of 50 rows, and the model was learned"):
        pb.load_run(folder).predict(frame(50))


def test_truth_values_stay_numbers_beside_missing_ones(tmp_path):
    flags = frame(300).assign(b=frame(300)["b"] > 0)
    folder = saved(
        tmp_path, prepare_table(flags, "kind", missing="category"), target="kind", method="split", missing="category"
    )
    new = flags[:40].astype({"b": object})
    expected = pb.load_run(folder).predict(new)
    new.iloc[3, 1] = None
    np.testing.assert_array_equal(np.delete(pb.load_run(folder).predict(new), 3), np.delete(expected, 3))


class TestFiles:
    """What reading another file of the same columns could change."""

    def certified(self, tmp_path, text, **changes):
        (tmp_path / "first.csv").write_text(text)
        settings = Settings(target=changes.pop("target", "kind"), method="split", **changes)
        certify_file(tmp_path / "first.csv", settings, baseline=False).save(tmp_path / "out")
        return pb.load_run(tmp_path / "out")

    def predicted(self, tmp_path, stored, text):
        from pacbayes.runs import load_rows

        (tmp_path / "new.csv").write_text(text)
        return stored.open().apply(load_rows(tmp_path / "new.csv", stored.settings, stored.columns))

    def test_categories_that_read_like_numbers_stay_text(self, tmp_path):
        rows = "".join(
            f"{code},{kind}\n" for code, kind in (("01", 1), ("1", 2), ("x", 1), ("2", 2)) for _ in range(20)
        )
        stored = self.certified(tmp_path, f"code,kind\n{rows}", missing="category")
        found = self.predicted(tmp_path, stored, "code\n01\n1\n2\n")
        assert found.labels.tolist() == [1, 2, 2]
        assert found.notes == ()
        assert [note.numbers["example"] for note in self.predicted(tmp_path, stored, 'code\n01\n""\n').notes] == [
            "(missing)"
        ]

    @pytest.mark.parametrize("target", ["c1", "c2", "c3"])
    def test_a_file_without_a_header_may_leave_the_target_out(self, tmp_path, target):
        generator = np.random.default_rng(0)
        y = generator.integers(0, 2, 100)
        table = pd.DataFrame({"c1": y + generator.normal(size=100) / 9, "c2": y * 5.0, "c3": y})
        table[target] = y
        stored = self.certified(tmp_path, table.to_csv(index=False, header=False), target=target, header=False)
        whole = self.predicted(tmp_path, stored, table.to_csv(index=False, header=False))
        part = self.predicted(tmp_path, stored, table.drop(columns=target).to_csv(index=False, header=False))
        np.testing.assert_array_equal(whole.labels, part.labels)
        assert (whole.labels == y).mean() > 0.9
        with pytest.raises(TableError, match="lack"):
            self.predicted(tmp_path, stored, "1\n2\n")


class TestCertificate:
    """Nothing is predicted without the certificate that is about it."""

    @pytest.fixture
    def folder(self, tmp_path):
        return saved(tmp_path, prepare_table(frame().dropna(), "kind"), target="kind", method="split")

    def test_of_another_predictor(self, folder):
        other = certify_table(prepare_table(frame().dropna(), "kind"), Settings(target="kind", method="split", seed=1))
        other.certificate.to_json(folder / "certificate.json")
        with pytest.raises(ValueError, match="belongs to another predictor"):
            pb.load_run(folder).predict(frame(20).dropna())

    def test_that_was_edited(self, folder):
        record = json.loads((folder / "certificate.json").read_text())
        record["statements"][0]["value"] = 0.001
        (folder / "certificate.json").write_text(json.dumps(record))
        with pytest.raises(ValueError, match="does not hold: see pacbayes verify"):
            pb.load_run(folder).predict(frame(20).dropna())

    def test_that_is_gone(self, folder):
        (folder / "certificate.json").unlink()
        with pytest.raises(ValueError, match=r"holds no certificate\.json"):
            pb.load_run(folder).predict(frame(20).dropna())


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record["predictor"]["terms"].append({"column": "zzz", "kind": "number", "weight": 1.0}),
        lambda record: record["predictor"]["terms"][0].pop("weight"),
        lambda record: record["classes"].pop(),
        lambda record: record["predictor"]["terms"].append({"kind": "category"}),
    ],
)
def test_terms_that_somebody_changed_are_refused_in_a_sentence(tmp_path, change):
    table = prepare_table(frame().dropna(), "kind", positive="5")
    folder = saved(tmp_path, table, target="kind", positive="5", method="posterior")
    record = json.loads((folder / "model.json").read_text())
    change(record)
    (folder / "model.json").write_text(json.dumps(record))
    with pytest.raises(ValueError, match="has no answer for these rows"):
        pb.load_run(folder).predict(frame(20, seed=1).dropna())


@pytest.mark.parametrize("classes", [[], [0, "a"], [True, False], [0.5, 1.5], "ab", [None, None]])
def test_classes_are_all_numbers_or_all_text(tmp_path, classes):
    folder = saved(tmp_path, prepare_table(frame().dropna(), "kind"), target="kind", method="split")
    record = json.loads((folder / "model.json").read_text())
    record["classes"] = classes
    (folder / "model.json").write_text(json.dumps(record))
    with pytest.raises(ValueError, match="not as this version writes it"):
        pb.load_run(folder)


def test_the_folder_says_how_it_is_used(tmp_path):
    folder = saved(tmp_path, prepare_table(frame().dropna(), "kind"), target="kind", method="split")
    text = (folder / "README.txt").read_text(encoding="utf-8")
    assert pb.Certificate.from_json(folder / "certificate.json").sentence() in text
    assert "It is about new rows from the same source as the judged rows, predicted one by one." in text
    assert "pacbayes predict . new.csv" in text
    assert "--trust" not in text


@pytest.mark.parametrize(("model", "plain"), [("logistic", True), ("sklearn.naive_bayes.GaussianNB", False)])
def test_the_folder_names_the_files_that_it_holds(tmp_path, model, plain):
    rows = frame().dropna()
    rows = rows[rows["kind"].isin(rows["kind"].unique()[:2])].reset_index(drop=True)
    folder = saved(tmp_path, prepare_table(rows, "kind"), target="kind", method="split", model=model)
    text = (folder / "README.txt").read_text(encoding="utf-8")
    listed = [line.split()[0] for line in text.partition("Files\n\n")[2].splitlines()]
    assert {"README.txt", *listed} == {path.name for path in folder.iterdir()}
    assert ("model.skops" not in listed) == plain


def test_columns_that_were_left_out_get_no_note(tmp_path):
    rows = frame().dropna().assign(day=np.arange(len(frame().dropna())), x=1.5, z=2.5)
    settings = {"drop": ("x,z",), "time": "day"}
    table = prepare_table(rows, "kind", **settings)
    run = certify_table(table, Settings(target="kind", method="split", **settings), baseline=False)
    run.save(tmp_path / "out")
    assert pb.load_run(tmp_path / "out").open().apply(rows).notes == ()
