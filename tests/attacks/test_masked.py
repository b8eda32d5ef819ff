"""Masked arrays: what a mask hides is counted nowhere, so that masked values are refused wherever they come in."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import pacbayes as pb
from pacbayes import losses
from pacbayes.posteriors import Finite

Y = np.arange(100) % 2
X = np.random.default_rng(3).normal(size=(100, 2)) + Y[:, None]
MODEL = GaussianNB().fit(X, Y)


def hide(values):
    return np.ma.array(values, mask=np.arange(np.size(values)).reshape(np.shape(values)) == 3)


CALLS = {
    "labels": lambda: pb.certify_predictions(hide(Y), Y),
    "predictions": lambda: pb.certify_predictions(Y, hide(Y)),
    "losses": lambda: pb.certify_predictions(losses=hide(Y * 1.0)),
    "probabilities": lambda: pb.certify_predictions(Y, Y, metrics="brier", probabilities=hide(np.full((100, 2), 0.5))),
    "costs": lambda: pb.certify_predictions(Y, Y, metrics="cost", cost=hide(np.array([[0, 1], [1, 0]]))),
    "numbers": lambda: pb.certify_predictions(hide(Y * 1.0), Y, loss="within", tolerance=0.5),
    "predicted numbers": lambda: pb.certify_predictions(Y * 1.0, hide(Y * 1.0), loss="within", tolerance=0.5),
    "groups": lambda: pb.certify_predictions(Y, Y, groups=hide(Y)),
    "named groups": lambda: pb.certify_predictions(Y, Y, groups={"side": hide(Y)}),
    "compared": lambda: pb.compare_predictions(Y, hide(Y), 1 - Y),
    "compared with": lambda: pb.compare_predictions(hide(Y), Y, 1 - Y),
    "compared losses": lambda: pb.compare_predictions(None, hide(Y * 0.5), Y * 0.5),
    "rows": lambda: pb.certify(MODEL, hide(X), Y),
    "labels of rows": lambda: pb.certify(MODEL, X, hide(Y)),
    "compared rows": lambda: pb.compare(MODEL, GaussianNB().fit(X, Y), hide(X), Y),
    "learned from": lambda: pb.CertifiedClassifier(GaussianNB()).fit(hide(X), Y),
    "a posterior": lambda: pb.CertifiedLogisticRegression().fit(hide(X), Y),
    "monitored": lambda: pb.Monitor(0.1).update(hide(np.ones(10))),
    "unreadable": lambda: pb.Monitor(0.1).update(np.ones(10), unreadable=hide(np.zeros(10, dtype=bool))),
    "a bound": lambda: pb.bounds.clopper_pearson(errors=hide(np.arange(5)), n=10, delta=0.05),
    "delta": lambda: pb.bounds.clopper_pearson(errors=1, n=10, delta=np.ma.masked),
    "one of finitely many": lambda: Finite([0.5, 0.5], predictors=[MODEL, MODEL]).losses(X, hide(Y)),
    "losses of a predictor": lambda: losses.predictor_losses("me", MODEL, X, hide(Y), losses.get("zero_one")),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_masked_values_are_refused(call):
    with pytest.raises(ValueError, match="masked"):
        call()


def test_an_array_in_which_nothing_is_masked_is_taken():
    plain = np.ma.array(Y, mask=False)
    assert pb.certify_predictions(plain, plain).value == pb.certify_predictions(Y, Y).value


def test_masked_rows_of_a_network_are_refused():
    torch = pytest.importorskip("torch")
    with pytest.raises(ValueError, match="'X' argument of certify must not contain masked values"):
        pb.certify(torch.nn.Linear(2, 2), hide(X), Y)
