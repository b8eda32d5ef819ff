"""Judged rows in a few bytes each are counted as the rows themselves, whatever parts they are counted in."""

import numpy as np
import pytest

from pacbayes._core.answers import Answers
from pacbayes.certificate import QUANTITIES
from pacbayes.metrics import METRICS, CodedJudged, CostTable, Grouping, Judged, Questions, get, observe_parts
from pacbayes.metrics.statements import Judgement

RNG = np.random.default_rng(0)
TRUTH, FOUND = RNG.integers(0, 3, 500).astype(np.int16), RNG.integers(-1, 3, 500).astype(np.int16)
CHANCES = RNG.dirichlet(np.ones(3), 500)
COSTS = CostTable((("a", "b", 2.0), ("b", "a", 5.0)))
OF_CLASS = {name for name, kind in METRICS.items() if QUANTITIES[kind.quantity].has_label}
NAMES = {name: f"{name}:{'abc'[place % 3]}" if name in OF_CLASS else name for place, name in enumerate(METRICS)}


def judged():
    answers = Answers(CHANCES, [(np.array([3, 400]), CHANCES[[4, 5]])])
    return CodedJudged(np.array(["a", "b", "c"]), TRUTH, FOUND, RNG.random(500) < 0.02, answers)


@pytest.mark.parametrize("name", METRICS)
def test_parts_add_up_to_the_whole(monkeypatch, name):
    monkeypatch.setattr("pacbayes.metrics.coded.BLOCK_ROWS", 70)
    rows, metric = judged(), get(NAMES[name], COSTS)
    assert len(list(rows.parts())) == 8
    found, whole = observe_parts(metric, rows), metric.observe(rows.whole())
    assert (found.n, found.observed, found.scale) == (whole.n, whole.observed, whole.scale)
    assert (found.losses is None) == (whole.losses is None)
    if whole.losses is not None:
        np.testing.assert_array_equal(found.losses, whole.losses)


def test_statements_are_those_of_the_rows_themselves(monkeypatch):
    monkeypatch.setattr("pacbayes.metrics.coded.BLOCK_ROWS", 70)
    asked = Questions(("error", "recall:a", "cost"), columns=("side",), costs=COSTS)
    grouping = Grouping(({"side": "left"}, {"side": "right"}), np.arange(500) % 2)
    make, rows = Judgement(questions=asked, about="predict", delta=0.05, assumptions=("iid",)), judged()
    assert make.state(rows, grouping) == make.state(rows.whole(), grouping)


def test_a_prediction_that_is_no_class_is_an_error():
    rows = CodedJudged(np.array([0, 1]), np.array([0, 1]), np.array([-1, -1]), np.zeros(2, dtype=bool))
    assert observe_parts(get("error"), rows).observed == {"errors": 2}


def test_a_prediction_that_is_no_class_has_the_largest_cost():
    """Whichever label stands for it, the costs of its row are those of no class, also where rows are taken apart."""
    costs = CostTable((("0", "1", 1.0), ("1", "0", 5.0)))
    rows = CodedJudged(np.array([0, 1]), np.array([0, 0, 1]), np.array([-1, 1, 0]), np.zeros(3, dtype=bool))
    np.testing.assert_allclose(observe_parts(get("cost", costs), rows).losses, [1.0, 0.2, 1.0])
    part = rows.whole().take(np.array([1, 0]))
    np.testing.assert_allclose(get("cost", costs).observe(part).losses, [0.2, 1.0])
    assert observe_parts(get("precision:1"), rows).observed == {"errors": 2}


def test_no_cost_is_too_small_to_count():
    """Beside a largest cost of 1e300 one of 1e-300 is a share below all doubles, and no loss of 0."""
    metric = get("cost", CostTable((("0", "1", 1e-300), ("1", "0", 1e300))))
    losses = metric.observe(Judged(np.array([0, 0, 1]), np.array([0, 1, 1]))).losses
    assert losses[1] > losses[0] == losses[2] == 0.0
