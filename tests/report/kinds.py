"""A certificate of every kind, with what a report shows beside it."""

from functools import cache

import numpy as np
from sklearn.linear_model import LogisticRegression

import pacbayes as pb
from pacbayes.procedures import LossMonitor, Network, certify_rows
from pacbayes.report import Refit, SplitCost

from procedures.linear_network import LinearLearner

SAMPLE = pb.datasets.make_known_risk(900, d=2, random_state=0)
X, Y, FRESH = SAMPLE.X[:600], SAMPLE.y[:600], SAMPLE.X[600:]
EVERYTHING = {
    "about": {"Model": "naive Bayes"},
    "columns": [{"name": "a", "kind": "number", "missing": 0, "distinct": 9}],
    "baseline": {"value": 0.2, "n": 80, "errors": 9},
    "trivial": {"label": "1", "share": 0.5},
    "notes": [pb.certificate.Note("time_index"), "A sentence about the table."],
    "curve": {"n": [10, 100, 320], "observed": [0.2, 0.1, 0.1], "bound": [0.6, 0.2, 0.15]},
    "split": SplitCost(rows=400, learned=160, curve=[(20, 9, 140), (40, 6, 120)], refit=Refit()),
    "hardest": [{"row": 1, "label": "1", "predicted": "-1", "values": "a = 3"}],
    "commands": [("Recompute it", "pacbayes verify certificate.json"), ("Again", "pacbayes verify --data a.csv")],
}
UNITS = ("absolute", "squared", "costs")
POINTS = ("comparison",)  # whose numbers are in percentage points  # kinds whose number is in the units of the labels


def _asked(**options):
    return pb.certify_predictions(Y, np.where(SAMPLE.X[:600, 0] > 0, 1, 0), **options)


def _network(**options):
    """A Gaussian over a layer: exact, drawn, or equal to its prior."""
    passes = options.pop("passes", 1)
    network = Network(learner=LinearLearner(**options), fraction=0.5, delta=0.05, candidates=2, passes=passes)
    return certify_rows(network, X, Y, random_state=0).certificate_


@cache
def certificates():
    """Every procedure, and every quantity."""
    split = pb.CertifiedClassifier(LogisticRegression(), refit=True, random_state=0).fit(X, Y)
    stream = pb.OnlineCertifiedClassifier(LogisticRegression(), certify_last=True, random_state=0)
    truth = 7.0 * X[:, 0]
    monitor = LossMonitor(delta=0.01)
    monitor.extend([0.0, 0.0, 0.0, 1.0] * 100)
    found = {
        "split": split.certificate_,
        "transfer": split.transfer(FRESH),
        "posterior": pb.CertifiedLogisticRegression(random_state=0).fit(X, Y).certificate_,
        "betting": pb.CertifiedLogisticRegression(bound="betting", reference="online", candidates=3, random_state=0)
        .fit(X, Y)
        .certificate_,
        "kept": pb.CertifiedLogisticRegression(derandomize="draw", random_state=0).fit(X, Y).certificate_,
        "recursive": pb.RecursiveLogisticRegression(steps=2, random_state=0).fit(X, Y).certificate_,
        "network": _network(rate=0.5),
        "draws": _network(is_drawn=True, passes=3),
        "prior": _network(is_prior=True),
        "forest": pb.CertifiedForest(n_estimators=5, bound="disagreement", random_state=0).fit(X, Y).certificate_,
        "online": stream.fit(X, Y).certificate_,
        "predictions": pb.certify_predictions(Y, np.where(SAMPLE.X[:600, 0] > 0, 1, -1)),
        "model": pb.certify(LogisticRegression().fit(X[:300], Y[:300]), X[300:], Y[300:]),
        "picked": pb.PickToLearn(LogisticRegression(), random_state=0).fit(X, Y).certificate_,
        "selective": pb.SelectiveClassifier(LogisticRegression(), 0.2, random_state=0).fit(X, Y).certificate_,
        "misses": pb.SelectiveClassifier(LogisticRegression(), max_fnr=0.3, positive=1, random_state=0)
        .fit(X, Y)
        .certificate_,
        "abstains": pb.SelectiveClassifier(LogisticRegression(), 0.001, random_state=0).fit(X, Y).certificate_,
        "losses": pb.certify_predictions(losses=np.linspace(0.0, 0.4, 101)),
        "monitor": monitor.certificate(),
        "nothing": pb.certify_predictions([0] * 3, [1] * 3),
        "comparison": pb.compare_predictions(Y, {"new": Y}, {"old": np.where(SAMPLE.X[:600, 0] > 0, 1, 0)}),
        "recall": _asked(metrics=("recall:1", "error")),
        "groups": _asked(metrics=("error", "fnr:1", "precision:1"), groups=np.arange(600) % 4, differences=True),
        "costs": _asked(metrics=("cost", "balanced-error"), cost=[[0, 1], [5, 0]]),
        "tiny": pb.certify_predictions([0] * 20_000, [0] * 20_000),
    }
    for loss, options in (("absolute", {"scale": 30.0}), ("squared", {"scale": 30.0}), ("within", {"tolerance": 2.0})):
        found[loss] = pb.certify_predictions(truth, truth * 1.3, loss=loss, **options)
    return found
