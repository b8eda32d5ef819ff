"""Thousands of groups: counted in one pass, evaluated at once, and the same to the last bit as one by one."""

import dataclasses
import json
import math

import numpy as np
import pandas as pd
import pytest

import pacbayes as pb
from pacbayes._core.labels import label_text
from pacbayes.certificate.arithmetic import evaluate_limits
from pacbayes.certificate.at_once import evaluate_counts, evaluate_many
from pacbayes.certificate.canonical import content_digest
from pacbayes.certificate.parts import _most_apart
from pacbayes.metrics import METRICS, CodedJudged, CostTable, Grouping, Questions, get, group_values, observe_parts
from pacbayes.metrics.by_group import observe_groups
from pacbayes.metrics.statements import Judgement
from tests.metrics.test_coded import COSTS, NAMES, judged

RNG = np.random.default_rng(20)
COLUMNS = {
    "whole": RNG.integers(-3, 40, 800),
    "far": RNG.choice(np.array([-(2**62), 5, 2**62]), 800),
    "unsigned": RNG.choice(np.array([0, 2**64 - 1], dtype=np.uint64), 800),
    "fractions": RNG.choice(np.array([0.5, 1.0, -0.0, math.nan]), 800),
    "truth": RNG.random(800) < 0.5,
    "text": RNG.choice(np.array(["b", "a", "", "ä", "10", "9"]), 800),
    "objects": np.array(RNG.permutation([1, True, "one", None, 1.0, 2.5, "x", math.nan] * 100), dtype=object),
    "categories": pd.Categorical(RNG.choice(np.array(["z", "y"]), 800), categories=["z", "never", "y"]),
}


def group_naively(columns):
    """Each row's values as text, the groups sorted by them: column by column in alphabetical order."""
    names = sorted(columns)
    rows = list(
        zip(*([label_text(each) for each in np.asarray(columns[name]).tolist()] for name in names), strict=True)
    )
    found = sorted(set(rows))
    return tuple(dict(zip(names, each, strict=True)) for each in found), [found.index(each) for each in rows]


@pytest.mark.parametrize(
    "names", [*([name] for name in COLUMNS), ["whole", "text"], ["truth", "objects", "categories"]]
)
def test_groups_are_those_of_the_texts(names):
    given = {name: COLUMNS[name] for name in names}
    found, (groups, places) = group_values("me", given), group_naively(given)
    assert (found.names, found.places.tolist()) == (groups, places)


def test_some_rows_have_the_groups_that_occur_among_them():
    grouping = group_values("me", {"whole": COLUMNS["whole"]})
    rows = RNG.permutation(800)[:60]
    part, (groups, places) = grouping.take(rows), group_naively({"whole": COLUMNS["whole"][rows]})
    assert (part.names, part.places.tolist()) == (groups, places)
    assert [each.tolist() for each in part.rows_of()] == [
        [row for row, place in enumerate(places) if place == group] for group in range(len(groups))
    ]


@pytest.mark.parametrize("name", METRICS)
def test_counts_of_groups_are_those_of_their_rows(name):
    rows, metric = judged(), get(NAMES.get(name, name), COSTS)
    grouping = Grouping(tuple({"side": str(k)} for k in range(40)), RNG.integers(0, 40, 500))
    for (found,), taken in zip(observe_groups([metric], rows, grouping), grouping.rows_of(), strict=True):
        alone = observe_parts(metric, rows.take(taken))
        assert (found.n, found.observed, found.scale) == (alone.n, alone.observed, alone.scale)
        assert all(type(each) is int for each in (found.n, *np.ravel(list(found.observed.values())).tolist()))
        np.testing.assert_array_equal(np.ravel(found.losses), np.ravel(alone.losses))


def test_rows_of_very_many_classes_are_counted_as_few(monkeypatch):
    rows = CodedJudged(np.arange(300), RNG.integers(0, 300, 900), RNG.integers(-1, 300, 900), RNG.random(900) < 0.1)
    grouping = Grouping(tuple({"side": str(k)} for k in range(30)), RNG.integers(0, 30, 900))
    metrics = [get("error"), get("recall:7")]
    counted = list(observe_groups(metrics, rows, grouping))
    monkeypatch.setattr("pacbayes.metrics.by_group._LARGEST", 1 << 40)
    monkeypatch.setattr("pacbayes.metrics.by_group._PART", 70)
    assert counted == list(observe_groups(metrics, rows, grouping))


def test_statements_of_coded_rows_are_those_of_the_rows():
    asked = Questions(("error", "balanced-error", "cost"), columns=("side",), costs=CostTable((("a", "b", 2.0),)))
    grouping = Grouping(tuple({"side": str(k)} for k in range(20)), RNG.integers(0, 20, 500))
    make, rows = Judgement(questions=asked, about="predict", delta=0.05, assumptions=("iid",)), judged()
    assert make.state(rows, grouping) == make.state(rows.whole(), grouping)


def certify_many(groups=2000, each=20, **options):
    rows = groups * each
    y = RNG.integers(0, 2, rows)
    wrong = np.where(RNG.random(rows) < 0.1, 1 - y, y)
    return pb.certify_predictions(y, wrong, groups={"shop": np.arange(rows) % groups}, **options)


def test_two_thousand_groups_are_evaluated_as_one_by_one():
    certificate = certify_many(metrics=("error", "recall:1"), differences=True, candidates=3)
    assert len(certificate.statements) == 2 * (1 + 1 + 2000)
    delta = certificate.delta / 3
    found = evaluate_many(certificate.statements, delta)
    assert found == [(each.value, each.lower) for each in certificate.statements]
    assert found[::7] == [evaluate_limits(each, delta) for each in certificate.statements[::7]]
    assert sum(each is not None for each in evaluate_counts(certificate.statements, delta)) == 2 * 2001
    assert certificate.verify()
    assert pb.Certificate.from_json(certificate.to_json()) == certificate


@pytest.mark.parametrize("errors", [0, 1, 19, 20])
@pytest.mark.parametrize("side", ["upper", "lower"])
@pytest.mark.parametrize("delta", [1e-12, 0.05, 0.7])
def test_the_edges_are_evaluated_as_one_by_one(errors, side, delta):
    (first,) = pb.certify_predictions([0] * 20, [0] * 20).statements
    edited = dataclasses.replace(first, observed={"errors": errors}, side=side, quantity="recall", label="0")
    assert evaluate_counts([edited], delta) == [evaluate_limits(edited, delta)]


def test_the_largest_difference_is_that_of_all_pairs():
    for size in (2, 3, 30):
        high = RNG.integers(5, 9, size) / 9  # with ties
        low = RNG.integers(0, 5, size) / 9
        pairs = [high[i] - low[j] for i in range(size) for j in range(size) if i != j]
        assert _most_apart(high, low) == max(pairs)
    assert _most_apart(np.array([0.9, 0.1]), np.array([0.0, 0.1])) == 0.9 - 0.1
    assert _most_apart(np.array([0.9]), np.array([0.1])) == 0.0


def read_signed(record):
    """Return a certificate of a record, with the digest that its forger would compute."""
    return pb.Certificate.from_json(json.dumps({**record, "digest": content_digest(record)}))


class TestForgeries:
    """Of a certificate with hundreds of groups, one number of one of them."""

    certificate = certify_many(600, 20)

    def forge(self, **changes):
        record = json.loads(self.certificate.to_json())
        place = next(k for k, each in enumerate(record["statements"]) if k > 400 and each["observed"]["errors"] == 3)
        record["statements"][place] |= changes
        return read_signed(record)

    @pytest.mark.parametrize(
        "changes",
        [
            {"value": 0.01},
            {"observed": {"errors": 0}, "value": 0.42},
            {"n": 200},
            {"n": 0},
            {"share": 0.5},
            {"share": 1e-300},
            {"observed": {"errors": 1.5}},
            {"observed": {"errors": 21}},
            {"observed": {"errors": -1}},
            {"rates": "one_n"},
            {"group": {"shop": "7"}},
            {"group": {"town": "431"}},
            {"kl": 2.0},
            {"bound": "chernoff"},
        ],
    )
    def test_is_refused(self, changes):
        assert self.certificate.verify()
        assert not self.forge(**changes).verify()

    def test_a_dropped_group_is_refused(self):
        record = json.loads(self.certificate.to_json())
        del record["statements"][431]
        assert not read_signed(record).verify()


class TestHowManyThereMayBe:
    def test_more_than_five_hundred_need_rows(self):
        with pytest.raises(
            ValueError,
            match=r"few values\. Got 501 groups of 10019 rows; put values into ranges first\. If several rows",
        ):
            group_values("me", {"shop": np.arange(10_019) % 501})
        assert len(group_values("me", {"shop": np.arange(10_020) % 501}).names) == 501

    def test_more_than_ten_thousand_are_refused(self):
        with pytest.raises(
            ValueError, match=r"^The 'groups' of me must be at most 10000\. Got 10001 groups of 250025 "
        ):
            group_values("me", {"shop": np.arange(250_025) % 10_001})


class TestTexts:
    certificate = certify_many(400, 40, metrics=("error", "recall:1"))

    def test_show_the_worst_and_the_best(self):
        listed = [line.split() for line in str(self.certificate).splitlines() if "shop = " in line]
        assert len(listed) == 40
        errors = [each for each in self.certificate.statements if each.group and each.name == "error"]
        saying = sorted((each.value for each in errors if not each.is_vacuous), reverse=True)
        shown = [float(line[5]) for line in listed if line[0] == "error"]
        np.testing.assert_allclose(shown, 100.0 * np.array([*saying[:10], *saying[-10:]]), atol=0.01)
        assert "760 further statements about groups" in str(self.certificate)

    @pytest.mark.parametrize("text", [pb.Certificate.to_markdown, pb.Certificate._repr_html_])
    def test_are_short(self, text):
        said = text(self.certificate)
        assert len(said) < 60_000
        assert "760 further statements about groups" in said
        assert "further statements" not in text(certify_many(40, 40))


@pytest.mark.filterwarnings("ignore:.*are no label")
@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.bool_, str, object])
@pytest.mark.parametrize("other", [None, 7])
def test_given_predictions_are_counted_as_group_by_group(kind, other, monkeypatch):
    labels, predictions = RNG.integers(0, 2, 900), RNG.integers(0, 2, 900)
    if other is not None and kind is not np.bool_:
        predictions[::9] = other  # which no label is
    shop = RNG.integers(0, 30, 900)
    given = {"metrics": ("error", "fpr:1", "precision:0") if kind is not np.bool_ else ("error", "fpr:True")}
    given["groups"] = {"shop": shop}
    whole = pb.certify_predictions(labels.astype(kind), predictions.astype(kind), **given)
    monkeypatch.setattr("pacbayes.metrics.by_group._count_outcomes", lambda *_: None)
    assert pb.certify_predictions(labels.astype(kind), predictions.astype(kind), **given).statements == whole.statements
    errors = np.bincount(shop, weights=labels.astype(kind) != predictions.astype(kind))
    assert [each.observed["errors"] for each in whole.statements if each.group and each.name == "error"] == [
        int(errors[int(each.group["shop"])]) for each in whole.statements if each.group and each.name == "error"
    ]
