"""The monitor of a certificate: what it takes, what it says, what it stores, and how often it is wrong."""

import hashlib
import json
import math
from copy import copy

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, binomtest

import pacbayes as pb
from pacbayes.monitoring import Alarm, Monitor, stream_share

CERTIFICATE = pb.certify_predictions([0, 1] * 500, [0, 1] * 480 + [1, 1] * 20)


def failures(streams, rows, value, alpha, seed=0, draw=None):
    """How many of some streams at the certified risk raised an alarm."""
    rng = np.random.default_rng(seed)
    draw = draw or (lambda: rng.random(rows) < value)
    return sum(pb.Monitor(value, alpha, window=1).update(draw()) is not None for _ in range(streams))


@pytest.mark.parametrize("value", [0.01, 0.1, 0.5])
def test_false_alarms_are_rare_at_the_certified_risk(value):
    found = failures(300, 2000, value, 0.05)
    assert binomtest(found, 300, 0.05, alternative="greater").pvalue > 1e-4


def test_false_alarms_are_rare_for_losses_between_0_and_1():
    rng = np.random.default_rng(1)
    found = failures(300, 2000, 0.1, 0.05, draw=lambda: rng.beta(0.2, 1.8, 2000))
    assert binomtest(found, 300, 0.05, alternative="greater").pvalue > 1e-4


def test_a_monitor_is_shown_on_one_line():
    monitor = pb.Monitor(CERTIFICATE, window=100)
    assert repr(monitor) == "<Monitor of 2.90 %: 0 rows, no alarm>"
    monitor.update(np.zeros(300))
    assert repr(monitor) == "<Monitor of 2.90 %: 300 rows, recent mean loss 0 %, no alarm>"
    monitor.update(np.ones(100))
    shown = f"<Monitor of 2.90 %: 400 rows, recent mean loss 100 %, alarm at row {monitor.alarm.row}>"
    assert repr(monitor) == shown


@pytest.mark.parametrize(
    ("losses", "shown"),
    [
        (pd.Series(["wrong", "right"] * 500), "1000 values such as 'wrong'"),
        (pd.Series([0.5, None] * 500, dtype=object), "1000 values such as None"),
        (pd.DataFrame({"loss": [0.0] * 50, "key": "x" * 500}), f"100 values such as '{'x' * 59}"),
        ("no", "'no'"),
    ],
)
def test_losses_that_are_no_numbers_are_refused_in_one_short_line(losses, shown):
    with pytest.raises(ValueError, match="must be a real number or an array of them") as caught:
        pb.Monitor(0.05).update(losses)
    assert str(caught.value).endswith(f" Got {shown} instead.")


@pytest.mark.long
@pytest.mark.parametrize("alpha", [0.01, 0.1])
def test_ten_thousand_streams_of_ten_thousand_rows(alpha):
    found = failures(10_000, 10_000, 0.1, alpha, seed=7)
    assert binomtest(found, 10_000, alpha, alternative="greater").pvalue > 1e-4


def test_a_change_is_found_after_a_long_good_time():
    rng = np.random.default_rng(2)
    monitor = pb.Monitor(CERTIFICATE)
    assert monitor.update(rng.random(50_000) < 0.02) is None
    alarm = monitor.update(rng.random(2000) < 0.129)
    assert 50_000 < alarm.row < 50_600
    assert abs(alarm.change - 50_001) < 150
    assert alarm.log_evidence >= math.log(100)
    assert monitor.update(np.zeros(10_000)) == alarm  # it stays
    assert monitor.evidence < 100


def test_the_value_is_that_of_what_predict_returns():
    monitor = pb.Monitor(CERTIFICATE)
    assert monitor.value == CERTIFICATE.value
    assert monitor.digest == CERTIFICATE.digest
    sample = pb.datasets.make_known_risk(300, d=2, random_state=0)
    posterior = pb.CertifiedLogisticRegression(random_state=0).fit(sample.X, sample.y).certificate_
    assert pb.Monitor(posterior).value == posterior.vote_value > posterior.value
    assert pb.Monitor(0.2).value == 0.2


WRONG = {
    "a text": (lambda: pb.Monitor("0.1"), "must be a Certificate or a number"),
    "true": (lambda: pb.Monitor(True), "must be a Certificate or a number"),
    "zero": (lambda: pb.Monitor(0.0), "so that there is something to watch"),
    "one": (lambda: pb.Monitor(1.0), "so that there is something to watch"),
    "not a number": (lambda: pb.Monitor(math.nan), "so that there is something to watch"),
    "vacuous": (lambda: pb.Monitor(pb.certify_predictions([0], [1])), "so that there is something to watch"),
    "alpha": (lambda: pb.Monitor(0.1, 0.0), "The 'alpha' argument of Monitor must lie strictly between 0 and 1"),
    "alphas": (lambda: pb.Monitor(0.1, [0.1, 0.2]), "The 'alpha' argument of Monitor must be one number"),
    "delta": (lambda: pb.Monitor(0.1, delta=1.0), "The 'delta' argument"),
    "window": (lambda: pb.Monitor(0.1, window=0), "The 'window' argument"),
    "half a row": (lambda: pb.Monitor(0.1, window=1.5), "The 'window' argument"),
    "a loss above 1": (lambda: pb.Monitor(0.1).update([0.0, 1.5]), "must lie in .0, 1.. Got 1.5"),
    "a loss that is none": (lambda: pb.Monitor(0.1).update(math.nan), "must lie in .0, 1.. Got nan"),
    "a table": (lambda: pb.Monitor(0.1).update([[0.0]]), "one number or a list"),
    "texts": (lambda: pb.Monitor(0.1).update(["a"]), "real number"),
    "marks": (lambda: pb.Monitor(0.1).update([0.0, 1.0], unreadable=[True]), "true or false of each loss"),
}


@pytest.mark.parametrize(("call", "words"), WRONG.values(), ids=WRONG)
def test_bad_input_is_refused_in_one_sentence(call, words):
    with pytest.raises(ValueError, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_a_certificate_that_does_not_hold_is_refused():
    record = CERTIFICATE.to_dict() | {"statements": [CERTIFICATE.statements[0].to_dict() | {"n": 999}]}
    forged = pb.Certificate.from_json(json.dumps(record))
    with pytest.raises(ValueError, match="must hold"):
        pb.Monitor(forged)


def test_losses_that_are_refused_change_nothing():
    monitor = pb.Monitor(0.1)
    monitor.update([0.0, 1.0])
    before = monitor.to_dict()
    with pytest.raises(ValueError, match="lie in"):
        monitor.update([0.0, 2.0])
    assert monitor.to_dict() == before
    assert monitor.update([]) is None
    assert len(monitor) == 2


def test_one_by_one_and_through_the_store_is_the_same():
    rng = np.random.default_rng(3)
    losses = np.where(rng.random(1500) < 0.2, rng.random(1500), 0.0)
    lost = rng.random(1500) < 0.01
    whole, parts = pb.Monitor(CERTIFICATE, window=200), pb.Monitor(CERTIFICATE, window=200)
    whole.update(losses, lost)
    for loss, mark in zip(losses, lost, strict=True):
        parts.update(loss, mark)
        parts = pb.Monitor.from_dict(json.loads(json.dumps(parts.to_dict())))
    assert parts.to_dict() == whole.to_dict()
    assert parts.alarm == whole.alarm is not None
    assert parts.recent() == whole.recent()
    assert parts.sentence() == whole.sentence()


def test_what_cannot_be_read_is_never_evidence():
    monitor = pb.Monitor(0.05, window=100)
    assert monitor.update(np.full(10_000, math.nan), np.ones(10_000, dtype=bool)) is None
    assert monitor.unreadable == 10_000
    assert monitor.log_evidence < 0
    assert monitor.recent().observed == 1.0
    assert (monitor.recent().lower, monitor.recent().upper) == (0.0, 1.0)


def test_recent_limits_are_exact_for_errors():
    monitor = pb.Monitor(0.1, window=400, delta=0.1)
    assert monitor.recent() is None
    losses = np.random.default_rng(0).random(1000) < 0.1
    monitor.update(losses)
    recent, errors = monitor.recent(), int(losses[-400:].sum())
    assert (recent.n, recent.observed) == (400, errors / 400)
    assert binom.cdf(errors, 400, recent.upper) == pytest.approx(0.05, rel=1e-6)
    assert binom.sf(errors - 1, 400, recent.lower) == pytest.approx(0.05, rel=1e-6)


@pytest.mark.parametrize("metric", ["balanced-error", "fnr:1", "fpr:1"])
def test_a_limit_on_some_of_the_rows_is_not_watched_by_all_of_them(metric):
    """Class 0 is common and often missed, class 1 never: the balanced error is half as large as the error."""
    y_true = [0] * 900 + [1] * 100
    y_pred = [1] * 180 + [0] * 720 + [1] * 100
    certificate = pb.certify_predictions(y_true, y_pred, metrics=(metric, "error"))
    with pytest.raises(
        ValueError, match=r"must begin with a limit on a loss that every row has\. This one begins with"
    ):
        pb.Monitor(certificate)
    assert pb.Monitor(pb.certify_predictions(y_true, y_pred, metrics=("error", metric))).value < 0.25


def worst_failure(limits, n):
    """The largest probability that a mean risk just above a limit gives at most as many errors as that limit is of.

    At a given mean it is largest for rows of the risks 0, 1 and one other (Hoeffding 1956).
    """
    worst = 0.0
    for errors, limit in enumerate(limits[:-1]):
        for sure in range(n):
            others = np.arange(1, n - sure + 1)
            risk = (n * limit * (1.0 + 1e-9) - sure) / others
            possible = (risk >= 0.0) & (risk <= 1.0)
            worst = max(worst, binom.cdf(errors - sure, others[possible], risk[possible]).max(initial=0.0))
    return worst


@pytest.mark.parametrize("half", [0.005, 0.025, 0.2, 0.45])
@pytest.mark.parametrize("n", [1, 2, 3, 7, 20])
def test_recent_limits_hold_for_rows_of_unequal_risks(n, half):
    limits = []
    for errors in range(n + 1):
        monitor = pb.Monitor(0.5, window=n, delta=2.0 * half)
        monitor.update([1.0] * errors + [0.0] * (n - errors))
        limits.append(monitor.recent().upper)
        opposite = pb.Monitor(0.5, window=n, delta=2.0 * half)
        opposite.update([0.0] * errors + [1.0] * (n - errors))
        assert opposite.recent().lower == pytest.approx(1.0 - limits[-1], abs=1e-15)
    assert worst_failure(limits, n) <= half * (1.0 + 1e-6)
    exact = pb.bounds.clopper_pearson(np.arange(n + 1), n, half)
    assert np.all(np.array(limits) >= exact)
    if n > 1:  # which for rows of unequal risks is a little too low where all rows but one are errors
        assert worst_failure(exact, n) > half * (1.0 + 1e-3)


def test_recent_limits_cover_graded_losses():
    """Announced by a certificate or seen before the window: bets; first seen inside the window: the safe side."""
    rng, wrong = np.random.default_rng(1), 0
    for _ in range(400):
        monitor = pb.Monitor(0.5, window=300, delta=0.2)
        monitor.update(rng.beta(0.5, 4.5, 400))
        recent = monitor.recent()
        wrong += not recent.lower <= 0.1 <= recent.upper
        assert recent.upper - recent.lower < 0.15
    assert binomtest(wrong, 400, 0.2, alternative="greater").pvalue > 1e-4
    first = pb.Monitor(0.5, window=300)
    first.update([0.5] * 100)
    assert (first.recent().lower, first.recent().upper) == (0.0, 1.0)


def test_words():
    monitor = pb.Monitor(CERTIFICATE)
    assert monitor.sentence() == "No alarm in 0 rows: the evidence that the risk exceeds the certified 2.90 % is 1."
    monitor.update(np.ones(20))
    words = monitor.sentence()
    assert words.startswith("Alarm at row ")
    assert "certified 2.90 %" in words
    assert "probability of at most 1 %" in words
    assert words.endswith("last 20 rows 100 %.")  # whose limits do not hold at an alarm
    assert isinstance(monitor.alarm, Alarm)


STORED = {
    "nothing": {},
    "certificate": {"certificate": 1},
    "evidence": {"evidence": []},
    "alpha": {"alpha": "0x0p+0"},
    "window": {"window": {"size": 3}},
    "a loss": {"window": {"size": 1000, "losses": ["0x1p+1"] * 200, "graded": None}},
    "unreadable": {"unreadable": 1000},
    "an alarm to come": {"alarm": [500, 1, (9.0).hex()]},
    "an alarm without evidence": {"alarm": [50, 1, (1.0).hex()]},
    "an alarm before its change": {"alarm": [50, 60, (9.0).hex()]},
    "half an alarm": {"alarm": [50]},
    "more": {"more": 1},
}


@pytest.mark.parametrize("change", STORED.values(), ids=STORED)
def test_a_state_that_was_not_stored_is_refused(change):
    monitor = pb.Monitor(0.05)
    monitor.update(np.zeros(200))
    with pytest.raises(ValueError, match="must"):
        pb.Monitor.from_dict({**monitor.to_dict(), **change} if change else {})


def test_shares_of_streams():
    total = math.fsum(stream_share(k) for k in range(1, 200_001))
    assert 0.9 < total < 1.0
    assert math.fsum(stream_share(k, 30) for k in range(1, 31)) <= 1.0 + 1e-15
    with pytest.raises(ValueError, match="at most the number of streams"):
        stream_share(31, 30)
    with pytest.raises(ValueError, match="whole number from 1"):
        stream_share(0)


def test_a_copy_goes_on_by_itself():
    rng = np.random.default_rng(5)
    losses = rng.random(3000) < np.repeat([0.03, 0.2], 1500)
    monitor = pb.Monitor(0.05, window=100)
    monitor.update(losses[:1000])
    before, twin = monitor.to_dict(), copy(monitor)
    twin.update(losses[1000:])
    assert monitor.to_dict() == before
    assert twin.alarm is not None
    monitor.update(losses[1000:])
    assert monitor.to_dict() == twin.to_dict()


def test_streams_together_are_streams_alone():
    """To the last bit, whatever their lengths, their values, and how they are divided into calls."""
    rng = np.random.default_rng(8)
    values, risks = rng.choice([0.01, 0.05, 0.3], 30), rng.choice([0.02, 0.05, 0.5], 30)
    alone, together = ([Monitor(float(value), window=50) for value in values] for _ in range(2))
    for _ in range(6):
        sizes = [int(size) for size in rng.choice([0, 1, 7, 255, 256, 700], 30)]
        parts = [(rng.random(size) < risk) * 1.0 for size, risk in zip(sizes, risks, strict=True)]
        parts[3], parts[4] = rng.random(sizes[3]) ** 5, rng.random(sizes[4])
        lost = [rng.random(size) < 0.05 for size in sizes]
        for monitor, losses, unreadable in zip(alone, parts, lost, strict=True):
            monitor.update(losses, unreadable)
        Monitor.update_together(together, np.concatenate(parts), np.concatenate(lost), sizes)
        assert [each.to_dict() for each in together] == [each.to_dict() for each in alone]
        assert [each.alarm for each in together] == [each.alarm for each in alone]
    assert 5 < sum(each.alarm is not None for each in alone) < 30


def test_sizes_of_other_losses_are_refused():
    with pytest.raises(ValueError, match=r"^The 'sizes' argument of Monitor\.update_together must say"):
        Monitor.update_together([Monitor(0.1)], [0.0, 1.0], [False, False], [3])
    for sizes in ([3, -1], [0.5, 1.5], [True, 1], ["1", "1"], [None, 2], None, 2, "11"):
        both = [Monitor(0.1), Monitor(0.1)]
        with pytest.raises(ValueError, match=r"^The 'sizes' argument of Monitor\.update_together must "):
            Monitor.update_together(both, [0.0, 1.0], [False, False], sizes)
        assert [len(each) for each in both] == [0, 0]


def test_growth_is_added_up_for_the_same_rates_everywhere():
    """To the last bit, whatever the processor: a state is continued on another machine."""
    rates, weights = pb.bounds.betting_rates()
    digest = hashlib.sha256(rates.tobytes() + weights.tobytes()).hexdigest()
    assert digest == "8f2f53c28ec012cd0c6e4053eb9870443bd195e89e9f862d0af53bdeb4f307dc"
