"""What is asked: rates against counts by hand, groups, shares of delta, differences, and bad input."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import pacbayes as pb
from pacbayes._core.answers import Answers
from pacbayes.certificate import QUANTITIES
from pacbayes.certificate.words import sentences
from pacbayes.metrics import (
    METRICS,
    CodedJudged,
    Judged,
    Questions,
    get,
    group_rows,
    group_values,
    read_costs,
    read_metrics,
    read_questions,
)
from pacbayes.report import render
from pacbayes.verification import recheck

RNG = np.random.default_rng(3)
TRUE, PREDICTED = RNG.integers(0, 3, 600), RNG.integers(0, 3, 600)
PREDICTED = np.where(RNG.random(600) < 0.8, TRUE, PREDICTED)
CLASSES = np.array([0, 1, 2])


# of each metric whose errors are counted on one set of rows: whether it is about a row, and whether that is an error
BY_HAND = {
    "error": (lambda t, p, own: True, lambda t, p, own: t != p),
    "fnr": (lambda t, p, own: t == own, lambda t, p, own: p != own),
    "recall": (lambda t, p, own: t == own, lambda t, p, own: p != own),
    "fpr": (lambda t, p, own: t != own, lambda t, p, own: p == own),
    "specificity": (lambda t, p, own: t != own, lambda t, p, own: p == own),
    "precision": (lambda t, p, own: p == own, lambda t, p, own: t != own),
}
SHARES = [name for name, kind in METRICS.items() if QUANTITIES[kind.quantity].is_share]


def by_hand(name, true=TRUE, predicted=PREDICTED):
    """Rows and errors of a metric, counted in plain Python."""
    kind, _, label = name.partition(":")
    is_about, is_wrong = BY_HAND[kind]
    pairs = [(str(t), str(p)) for t, p in zip(true, predicted, strict=True)]
    about = [(t, p) for t, p in pairs if is_about(t, p, label)]
    return len(about), sum(is_wrong(t, p, label) for t, p in about)


def test_every_share_is_counted_by_hand():
    assert set(BY_HAND) == set(SHARES), "say in BY_HAND of this file which rows it is about, and which are errors"


@pytest.mark.parametrize(
    "name",
    [f"{name}:{k}" for name in SHARES if QUANTITIES[METRICS[name].quantity].has_label for k in CLASSES] + ["error"],
)
def test_counts_are_those_by_hand(name):
    found = get(name).observe(Judged(TRUE, PREDICTED))
    assert (found.n, found.observed["errors"]) == by_hand(name)


@pytest.mark.parametrize("name", SHARES)
def test_a_prediction_that_is_no_class_is_counted_by_hand(name):
    """As another class stands in its place, it may count as an error in doubt, but not as right and not as sure."""
    name = f"{name}:1" if QUANTITIES[METRICS[name].quantity].has_label else name
    unknown = np.arange(600) % 7 == 0
    judged = CodedJudged(CLASSES, TRUE, np.where(unknown, -1, PREDICTED), np.zeros(600, dtype=bool))
    found = get(name).observe(judged.whole())
    rows, errors = by_hand(name, TRUE, np.where(unknown, 9, PREDICTED))
    assert found.n - found.observed["errors"] <= rows - errors
    assert found.observed["errors"] - found.doubted <= errors <= found.observed["errors"]


@pytest.mark.parametrize("name", ["recall:1", "specificity:1", "precision:1"])
def test_a_lower_limit_is_one_minus_the_upper_limit_on_the_errors(name):
    statement = pb.certify_predictions(TRUE, PREDICTED, 0.1, metrics=name).statements[0]
    n, errors = by_hand(name)
    assert statement.side == "lower"
    assert statement.value == pytest.approx(1.0 - pb.bounds.clopper_pearson(errors, n, 0.1), abs=1e-12)
    assert statement.value <= 1.0 - pb.bounds.clopper_pearson(errors, n, 0.1)
    assert statement.risk == pytest.approx(1.0 - errors / n)


def test_an_unsteady_row_is_an_error_of_every_rate_it_may_belong_to():
    labels, predictions, doubt = np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]), np.array([True, False, False, False])
    judged = Judged(labels, predictions, unsteady=doubt)
    assert get("fnr:0").observe(judged).observed == {"errors": 1}
    assert get("fpr:1").observe(judged).observed == {"errors": 1}
    found = get("precision:1").observe(judged)
    assert (found.n, found.observed) == (3, {"errors": 1})


def test_costs_are_the_entries_of_the_table():
    table = read_costs("me", [[0, 1, 2], [3, 0, 4], [8, 2, 0]], CLASSES)
    losses = get("cost", table).observe(Judged(TRUE, PREDICTED, classes=CLASSES)).losses
    expected = np.array([[0, 1, 2], [3, 0, 4], [8, 2, 0]])[TRUE, PREDICTED] / 8.0
    assert np.all(losses >= expected)
    np.testing.assert_allclose(losses, expected, atol=1e-15)


def test_a_prediction_of_no_class_has_the_largest_cost():
    table = read_costs("me", {("a", "b"): 2.0, ("b", "a"): 5.0}, np.array(["a", "b"]))
    judged = Judged(np.array(["a", "a"]), np.array(["b", "c"]), classes=np.array(["a", "b"]))
    np.testing.assert_allclose(get("cost", table).observe(judged).losses, [0.4, 1.0])


def test_losses_of_probabilities_take_the_worst_answer():
    answers = Answers(np.array([[0.9, 0.1], [0.2, 0.8]]), [(np.array([0]), np.array([[0.5, 0.5]]))])
    judged = Judged(np.array([0, 1]), np.array([0, 1]), probabilities=answers)
    np.testing.assert_allclose(get("brier").observe(judged).losses, [0.25, 0.04])
    np.testing.assert_allclose(get("log-loss").observe(judged).losses, -np.log([0.5, 0.8]) / 7.0)
    part = judged.take(np.array([1]))
    np.testing.assert_allclose(get("brier").observe(part).losses, [0.04])


class TestShares:
    def test_metrics_share_evenly_then_families_then_groups(self):
        groups = np.array(["a", "b", "c"])[TRUE]
        issued = pb.certify_predictions(TRUE, PREDICTED, metrics=("error", "recall:1"), groups=groups, differences=True)
        shares = {(each.name, len(each.groups), each.group is None): each.share for each in issued.statements}
        assert shares["error", 0, True] == pytest.approx(1 / 6)
        assert shares["error", 0, False] == pytest.approx(1 / 18)
        assert sum(each.share for each in issued.statements) == pytest.approx(1.0)
        assert issued.verify()

    def test_weights_are_kept(self):
        issued = pb.certify_predictions(TRUE, PREDICTED, metrics={"error": 3, "recall:1": 1})
        assert [each.share for each in issued.statements] == [0.75, 0.25]
        assert issued.verify()
        assert pb.Certificate.from_json(issued.to_json()).verify()

    def test_the_headline_is_at_its_share(self):
        issued = pb.certify_predictions(TRUE, PREDICTED, 0.1, metrics=("error", "recall:1"))
        errors = int((TRUE != PREDICTED).sum())
        assert issued.value == pytest.approx(pb.bounds.clopper_pearson(errors, 600, 0.05))


class TestGroups:
    def test_groups_are_crossed_and_divide_the_rows(self):
        groups = {"sex": np.array(["f", "m"])[TRUE % 2], "age": np.array(["young", "old"])[PREDICTED % 2]}
        issued = pb.certify_predictions(TRUE, PREDICTED, groups=groups)
        parts = [each for each in issued.statements if each.group is not None]
        assert {tuple(each.group) for each in parts} == {("age", "sex")}
        assert sum(each.n for each in parts) == 600
        assert issued.verify()
        found = issued.statement("error", {"sex": "f", "age": "old"})
        rows = (TRUE % 2 == 0) & (PREDICTED % 2 == 1)
        assert (found.n, found.observed["errors"]) == (rows.sum(), (TRUE != PREDICTED)[rows].sum())

    def test_missing_values_are_a_group(self):
        found = group_values("me", {"a": np.array([1.0, np.nan, 2.0]), "b": np.array(["x", None, "x"], dtype=object)})
        assert {"a": "missing", "b": "missing"} in found.names

    def test_a_frame_of_categories_is_grouped(self):
        frame = pd.DataFrame({"x": RNG.normal(size=400), "kind": pd.Categorical(["a", "b"] * 200)})
        y = (frame["x"] > 0).astype(int)
        steps = pb.CertifiedClassifier(GaussianNB(), preprocessing="auto", groups="kind", random_state=0)
        issued = steps.fit(frame, y).certificate_
        assert [each.group for each in issued.statements] == [None, {"kind": "a"}, {"kind": "b"}]
        assert issued.verify()
        assert recheck(issued, frame, y.to_numpy(), steps)

    @pytest.mark.parametrize("names", [[2, 0, 1], [2.0, 0.0, 1.0], ["2", "0", "1"], ["a", "b", "column 0"]])
    def test_a_number_that_names_another_column_than_its_position_is_refused(self, names):
        frame = pd.DataFrame(np.tile([0, 1, 1], (4, 1)), columns=names)
        with pytest.raises(ValueError, match=r"Got 0, which is the position of .* and the name of another column"):
            group_rows("me", frame, [0])
        assert group_rows("me", frame, [str(names[0])]).names == ({str(names[0]): "0"},)

    @pytest.mark.parametrize("names", [[0, 1, 2], ["0", "1", "2"], ["a", "b", "c"], [10, 20, 30]])
    def test_a_position_is_taken_where_no_other_column_has_its_name(self, names):
        frame = pd.DataFrame(np.tile([0, 1, 2], (4, 1)), columns=names)
        assert [group_rows("me", frame, [k]).names for k in range(3)] == [({f"column {k}": str(k)},) for k in range(3)]

    @pytest.mark.parametrize(
        "groups", [{1: TRUE, "1": PREDICTED}, pd.DataFrame({0: TRUE, 1: TRUE}).set_axis([0, "0"], axis=1)]
    )
    def test_names_that_agree_as_text_are_refused(self, groups):
        with pytest.raises(ValueError, match=r"must have names that differ as text. Got '[01]' more than once"):
            pb.certify_predictions(TRUE, PREDICTED, groups=groups)

    def test_an_existing_model_is_rechecked_by_group(self):
        frame = pd.DataFrame({"x": RNG.normal(size=400), "kind": [0, 1] * 200})
        y = (frame["x"] + RNG.normal(size=400) > 0).astype(int)
        model = LogisticRegression().fit(frame[:100], y[:100])
        issued = pb.certify(model, frame[100:], y[100:], metrics=("error", "fnr:1"), groups="kind", differences=True)
        assert issued.verify()
        assert recheck(issued, frame[100:], y[100:].to_numpy(), model)
        other = y[100:].to_numpy().copy()
        other[0] = 1 - other[0]
        assert not recheck(issued, frame[100:], other, model)

    def test_a_class_without_rows_in_a_group_says_nothing(self):
        issued = pb.certify_predictions(
            TRUE, PREDICTED, metrics="recall:0", groups=np.array(["a", "b"])[(TRUE == 0) * 1]
        )
        empty = issued.statement("recall:0", {"group": "a"})
        assert (empty.n, empty.value, empty.is_vacuous) == (0, 0.0, True)
        assert issued.verify()

    @pytest.mark.parametrize("groups", [np.arange(600), np.arange(600) * 0.5])
    def test_a_value_per_row_is_no_group(self, groups):
        with pytest.raises(ValueError, match=r"must be columns with few values\. Got 600 groups of 600 rows"):
            pb.certify_predictions(TRUE, PREDICTED, groups=groups)


class TestDifferences:
    def test_the_largest_difference_follows_from_limits_of_all_groups(self):
        groups = np.array(["a", "b", "c"])[TRUE]
        issued = pb.certify_predictions(TRUE, PREDICTED, 0.1, groups=groups, differences=True)
        (gap,) = issued.differences
        own = 0.1 / 3 / 6
        wrong = [(int((TRUE != PREDICTED)[k == TRUE].sum()), int((k == TRUE).sum())) for k in range(3)]
        high = [pb.bounds.clopper_pearson(e, n, own) for e, n in wrong]
        low = [1.0 - pb.bounds.clopper_pearson(n - e, n, own) for e, n in wrong]
        assert gap.value == pytest.approx(
            max(up - down for i, up in enumerate(high) for j, down in enumerate(low) if i != j)
        )
        assert gap.lower == max(0.0, *(down - up for up in high for down in low))
        assert gap.value >= gap.risk

    def test_says_how_many_groups_there_are_where_some_are_too_small_to_be_compared(self):
        y, groups = [0, 1] * 200, ["a", "a", "b", "b"] * 99 + ["c"] * 4
        certificate = pb.certify_predictions(y, y, groups=groups, differences=True)
        words = "between any two of 2 groups by group (of 3: the others have too few rows)"
        assert words in sentences(certificate)[-1]
        assert words in render(certificate)
        whole = pb.certify_predictions(y, y, groups=["a", "a", "b", "b"] * 100, differences=True)
        assert sentences(whole)[-1].endswith("between any two of 2 groups by group.")

    def test_a_certain_difference_has_a_lower_limit(self):
        labels, predictions = np.zeros(2000, dtype=int), np.repeat([0, 1], 1000)
        predictions[:100] = 1
        issued = pb.certify_predictions(
            np.r_[labels, 1], np.r_[predictions, 1], groups=np.r_[np.repeat([0, 1], 1000), 0], differences=True
        )
        (gap,) = issued.differences
        assert 0.8 < gap.lower < gap.risk < gap.value
        assert issued.verify()

    def test_a_loss_between_0_and_1_has_no_difference(self):
        with pytest.raises(ValueError, match=r"Differences between groups are stated of rates\. Got the metric 'cost'"):
            pb.certify_predictions(
                TRUE % 2, PREDICTED % 2, metrics="cost", cost=[[0, 1], [5, 0]], groups=TRUE, differences=True
            )


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        ((), "must be names such as 'error'"),
        (("error", "error"), "must name each metric once"),
        ({"error": 0.0}, "must be positive numbers below 1e300. Got 0.0"),
        ({"error": True}, "must be positive numbers below 1e300. Got True"),
        (("recall:7",), r"must name a class\. The classes are 0, 1, 2"),
        (("speed",), "The metric must be one of error"),
        (("cost",), "The metric 'cost' needs the costs"),
    ],
)
def test_bad_metrics_are_refused(metrics, message):
    with pytest.raises(ValueError, match=message):
        read_questions("me", metrics, classes=CLASSES)


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        ([[0, 1]], r"must be a square with a row per class \(3\)"),
        ({(0, 1): 1.0}, "must have a cost for each pair"),
        ({**{(i, j): 1.0 for i in range(3) for j in range(3)}, (0, 9): 1.0}, "is none"),
        (np.zeros((3, 3)), "must have a cost above 0"),
        (np.full((3, 3), -1.0), "finite numbers of at least 0"),
    ],
)
def test_bad_costs_are_refused(cost, message):
    with pytest.raises(ValueError, match=message):
        read_costs("me", cost, CLASSES)


@pytest.mark.parametrize("values", [pd.Series(["f", "m"] * 50), np.linspace(0.0, 1.0, 100)])
def test_values_in_place_of_names_of_columns_are_told_where_they_go(values):
    with pytest.raises(ValueError, match=r"Got an array of 100 values; .* as fit\(X, y, grouping=\.\.\.\)"):
        read_questions("me", "error", values, classes=np.array([0, 1]))


def test_names_of_columns_may_be_an_index():
    names = pd.DataFrame(columns=["sex", "town"]).columns
    assert read_questions("me", "error", names, classes=np.array([0, 1])).columns == ("sex", "town")


def test_differences_need_groups():
    with pytest.raises(ValueError, match="are between groups: give groups="):
        read_questions("me", "error", differences=True, classes=CLASSES)


def test_the_first_share_is_that_of_the_first_statement():
    asked = Questions(("error", "recall:1"), columns=("a",), differences=True, weights=(2.0, 1.0))
    assert asked.first_share == pytest.approx(2 / 9)
    assert read_metrics("me", "error").first_share == 1.0


class TestPosterior:
    SAMPLE = pb.datasets.make_known_risk(600, d=2, random_state=0)

    def test_draws_are_stated_by_class_and_group(self):
        X = np.c_[self.SAMPLE.X, np.arange(600) % 2]
        model = pb.CertifiedLogisticRegression(metrics=("error", "recall:1", "fpr:1"), groups=2, random_state=0)
        issued = model.fit(X, self.SAMPLE.y).certificate_
        assert issued.verify()
        assert recheck(issued, X, self.SAMPLE.y, model)
        recall = issued.statement("recall:1")
        assert recall.value_about("vote") == pytest.approx(1.0 - 2.0 * (1.0 - recall.value))
        assert len({each.kl for each in issued.statements}) == 1
        total = issued.statement("error")
        assert total.observed["errors"] == pytest.approx(
            sum(each.observed["errors"] for each in issued.statements if each.name == "error" and each.group)
        )

    @pytest.mark.parametrize(
        ("metrics", "message"),
        [(("error", "precision:1"), "must be among error, recall"), (("recall:1",), "must begin with 'error'")],
    )
    def test_what_cannot_be_stated_of_draws_is_refused(self, metrics, message):
        with pytest.raises(ValueError, match=message):
            pb.CertifiedLogisticRegression(metrics=metrics).fit(self.SAMPLE.X, self.SAMPLE.y)


def test_a_regressor_is_stated_by_group():
    x = RNG.normal(size=(400, 2))
    x[:, 1] = np.arange(400) % 2
    y = x[:, 0] + 0.1 * RNG.normal(size=400)
    model = pb.CertifiedRegressor(scale=2.0, groups=1, random_state=0).fit(x, y)
    assert [each.group for each in model.certificate_.statements] == [None, {"column 1": "0"}, {"column 1": "1"}]
    assert model.certificate_.verify()
    assert recheck(model.certificate_, x, y, model)
