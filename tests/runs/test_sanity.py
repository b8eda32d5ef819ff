"""Sanity before a number looks official: each note by a run made for it, and none by others."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import pacbayes as pb
from pacbayes.certificate import Choice
from pacbayes.certificate.words import note_words
from pacbayes.runs import Settings, StrictError, certify_file, certify_table, load_run, verify_folder, verify_run
from pacbayes.runs.table import annotate
from pacbayes.tables import prepare_table, read_table

TREE = "sklearn.tree.DecisionTreeClassifier"


def make_frame(rows=400, seed=0):
    """Two classes that one column tells well, not perfectly."""
    sample = pb.datasets.make_known_risk(rows, d=3, random_state=seed)
    return pd.DataFrame(sample.X, columns=list("abc")).assign(t=np.where(sample.y > 0, "yes", "no"))


def certify(frame, **options):
    settings = Settings(target="t", **options)
    return certify_table(
        prepare_table(frame, "t", time=settings.time, drop=settings.drop), settings, baseline=False
    ).certificate


def codes(certificate):
    return [note.code for note in certificate.notes]


def with_copies(frame):
    """A table in which every fourth row is there twice."""
    return pd.concat([frame, frame.iloc[::4]]).sample(frac=1.0, random_state=0, ignore_index=True)


CASES = {
    "copies_target": (lambda frame: frame.assign(b=np.where(frame.t == "yes", 7, 3)), {}),
    "almost_gives_target_away": (
        lambda frame: frame.assign(b=np.where((frame.t == "yes") ^ (frame.index == 5), "u", "v")),
        {},
    ),
    "names_each_row": (lambda frame: frame.assign(b=[f"case {k}" for k in frame.index]), {}),
    "counts_rows": (lambda frame: frame.assign(b=frame.index), {}),
    "numbers_each_row": (lambda frame: frame.assign(b=frame.index * 137 % 401), {}),
    "holds_dates": (
        lambda frame: frame.assign(b=pd.Timestamp("2024-01-01") + pd.to_timedelta(frame.index * 37 % 401, "D")).astype(
            {"b": str}
        ),
        {},
    ),
    "hardly_varies": (lambda frame: frame.assign(b=np.where(frame.index == 3, "x", "y")), {}),
    "sorted_by_label": (lambda frame: frame.sort_values("t", kind="stable"), {}),
    "sorted_by_column": (lambda frame: frame.sort_values("a"), {}),
    "judged_rows_learned": (with_copies, {}),
    "rare_classes": (
        lambda frame: frame.assign(t=np.where(frame.index % 40 == 0, "other", np.where(frame.a > 0, "yes", "no"))),
        {"model": TREE, "method": "split", "learning_fraction": 0.5},
    ),
    "delta_above_half": (lambda frame: frame, {"delta": 0.6}),
    "no_better_than_common": (
        lambda frame: frame.assign(t=np.where(np.random.default_rng(0).random(len(frame)) < 0.9, "yes", "no")),
        {},
    ),
    "cut_within_a_time": (lambda frame: frame.assign(when=2000 + frame.index // 100), {"time": "when"}),
}


def test_the_table_itself_gets_no_note():
    assert codes(certify(make_frame())) == []


@pytest.mark.parametrize("code", CASES)
def test_each_note_is_in_the_certificate_of_a_table_made_for_it(code):
    change, options = CASES[code]
    certificate = certify(change(make_frame()), **options)
    expected = {code} | ({"time_orders_rows"} if "time" in options else set())
    assert set(codes(certificate)) == expected
    note = next(each for each in certificate.notes if each.code == code)
    assert note_words(note) != code
    assert "{" not in note_words(note)
    assert note_words(note) in str(certificate)
    assert certificate.verify()
    assert pb.Certificate.from_json(certificate.to_json()) == certificate


def test_coarse_columns_repeat_rows_without_a_note():
    frame = make_frame()
    frame[["a", "b", "c"]] = frame[["a", "b", "c"]].round(0)
    assert frame.duplicated().sum() > 100
    assert "judged_rows_learned" not in codes(certify(frame))


# what is true of the paper's data sets, and nothing else
FILES = {
    "haberman": ("haberman.data", "c4", {"sorted_by_column", "no_better_than_common"}),  # by age
    "breast-cancer": ("breast-cancer-wisconsin.data", "c11", {"judged_rows_learned"}),  # 8 copies, identifier included
    "tictactoe": ("tic-tac-toe.data", "c10", {"sorted_by_label"}),
    "banknote": ("data_banknote_authentication.txt", "c5", {"sorted_by_label", "judged_rows_learned"}),
    "kr-vs-kp": ("kr-vs-kp.data", "c37", {"sorted_by_label", "hardly_varies"}),  # c28 differs in one row
    "spambase": ("spambase.data", "c58", {"sorted_by_label", "judged_rows_learned"}),  # 391 copies
    "mushroom": ("agaricus-lepiota.data", "c1", {"hardly_varies"}),  # c17 has one value
    "adult": ("adult.data", "c15", {"judged_rows_learned"}),  # 24 copies
}


@pytest.mark.parametrize("name", FILES)
def test_the_papers_data_sets_get_no_note_but_true_ones(data_folder, name):
    file, target, true = FILES[name]
    settings = Settings(target=target, model=TREE, method="split", learning_fraction=0.5, missing="category")
    frame = read_table(data_folder / file, header=False, missing_values=["?"])
    run = certify_table(prepare_table(frame, target, missing="category"), settings, baseline=False)
    assert set(codes(run.certificate)) == true


def test_following_a_note_on_learning_rows_is_sound():
    """A column that gives the target away on judged rows alone has no note, which would be a choice by their labels."""
    frame = make_frame()
    run = certify_table(prepare_table(frame, "t"), Settings(target="t"), baseline=False)
    judged = run.model.order_[-run.certificate.n :]
    told = np.random.default_rng(0).choice(["yes", "no"], len(frame)).astype(object)
    told[judged] = frame["t"].to_numpy()[judged]
    assert codes(certify(frame.assign(b=told))) == []


@pytest.mark.parametrize(("where", "expected"), [("learning_rows", {"copies_target"}), ("given", set())])
def test_a_note_goes_by_rows_that_are_learned_from_wherever_a_rule_stops(where, expected):
    """Without the column the rule may stop at two fifths of the rows: labels after them must not have made the note."""
    frame = make_frame()
    told = frame["t"].to_numpy(copy=True)
    told[160:] = np.random.default_rng(0).choice(["yes", "no"], len(frame) - 160)
    issued = pb.certify_predictions([0, 1] * 50, [0, 1] * 50)
    issued = replace(issued, choices=(Choice("learning_rows", 300, where),), digest="")
    model = SimpleNamespace(certificate_=issued, n_learning_=300, order_=np.arange(len(frame)))
    assert set(codes(annotate(model, prepare_table(frame.assign(b=told), "t"), None))) == expected


@pytest.mark.parametrize("code", ["copies_target", "sorted_by_label", "delta_above_half", "no_better_than_common"])
def test_strict_refuses_notes(tmp_path, code):
    change, options = CASES[code]
    change(make_frame()).to_csv(tmp_path / "t.csv", index=False)
    settings = Settings(target="t", **options)
    with pytest.raises(StrictError, match=r"--strict refuses a certificate where something was noticed\. .+[.?]$"):
        certify_file(tmp_path / "t.csv", settings, strict=True, baseline=False)
    assert code in codes(certify_file(tmp_path / "t.csv", settings, baseline=False).certificate)


def test_strict_lets_pass_what_nothing_was_noticed_about(tmp_path):
    frame = make_frame().assign(when=np.random.default_rng(0).permutation(400))
    frame.to_csv(tmp_path / "t.csv", index=False)
    run = certify_file(tmp_path / "t.csv", Settings(target="t", time="when"), strict=True, baseline=False)
    assert codes(run.certificate) == ["time_orders_rows"]


def test_seeds_that_replace_each_other_are_counted(tmp_path):
    make_frame().to_csv(tmp_path / "t.csv", index=False)
    out = tmp_path / "out"

    def run(seed, **options):
        settings = Settings(target="t", seed=seed, **options)
        made = certify_file(tmp_path / "t.csv", settings, out=out, force=True, baseline=False)
        made.save(out, force=True)
        assert verify_folder(out, data=tmp_path / "t.csv").result
        return [(note.code, dict(note.numbers)) for note in made.certificate.notes]

    assert run(0) == []
    assert run(0) == []  # the same again is no search
    assert run(1) == [("several_seeds", {"count": 2})]
    assert run(2) == [("several_seeds", {"count": 3})]
    assert run(2) == [("several_seeds", {"count": 3})]
    assert run(3, candidates=4) == []  # paid for
    assert run(4, delta=0.1) == []  # another question


def test_notes_that_were_taken_out_or_put_in_do_not_verify(tmp_path):
    change, options = CASES["copies_target"]
    change(make_frame()).to_csv(tmp_path / "t.csv", index=False)
    settings = Settings(target="t", **options)
    run = certify_file(tmp_path / "t.csv", settings, baseline=False)
    run.save(tmp_path / "out")
    stored = load_run(tmp_path / "out")
    assert verify_run(run.certificate, stored, run.table)
    quiet = replace(run.certificate, notes=(), digest="")
    assert not verify_run(quiet, replace(stored, certificate=quiet.digest), run.table)


def test_notes_stand_at_the_top_of_the_report():
    change, options = CASES["no_better_than_common"]
    frame = change(make_frame())
    run = certify_table(prepare_table(frame, "t"), Settings(target="t", **options), baseline=False)
    page = run.report()
    assert page.count("no better than always giving the most common answer") == 1
    assert page.index("no better than always") < page.index('id="guarantees"')
