"""Wrong usages of regressors with a certificate, each answered in one line."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

import pacbayes as pb

GENERATOR = np.random.default_rng(0)
X = GENERATOR.normal(size=(600, 3))
Y = X @ [2.0, -1.0, 0.0] + GENERATOR.normal(size=600)
LOSSES = {"absolute": {"scale": 4.0}, "squared": {"scale": 4.0}, "within": {"tolerance": 2.0}}


WRONG_PARAMETERS = {
    "loss": (
        {"loss": "huber"},
        "'loss' parameter of CertifiedRegressor must be one of 'absolute', 'squared', 'within'",
    ),
    "no loss": ({"loss": None}, "'loss' parameter"),
    "scale of zero": ({"scale": 0.0}, "'scale' parameter of CertifiedRegressor must be a positive number. Got 0.0"),
    "scale below zero": ({"scale": -1}, "must be a positive number. Got -1 instead"),
    "scale without end": ({"scale": np.inf}, "must be a positive number. Got inf"),
    "scale that is no number": ({"scale": np.nan}, "must be a positive number. Got nan"),
    "scale of text": ({"scale": "5"}, "must be a positive number. Got '5' instead"),
    "scale beyond doubles": ({"scale": 10**400}, "must be a positive number. Got a whole number beyond all doubles"),
    "tolerance beyond doubles": ({"loss": "within", "tolerance": 10**400}, "must be a positive number. Got a whole"),
    "split beyond doubles": ({"split": 10**400}, r"must be a float in \(0, 1\). Got a whole number beyond all doubles"),
    "scale of truth": ({"scale": True}, "must be a positive number. Got True"),
    "tolerance for a scale": ({"tolerance": 1.0}, "'tolerance' parameter of CertifiedRegressor must be None for loss="),
    "scale for a tolerance": ({"loss": "within", "scale": 1.0}, "'scale' parameter .* must be None for loss='within'"),
    "tolerance": ({"loss": "within", "tolerance": 0}, "'tolerance' parameter .* must be a positive number"),
    "delta": ({"delta": 1.0}, "'delta' parameter"),
    "candidates": ({"candidates": 0}, "'candidates' parameter"),
    "split": ({"split": "half"}, "'split' parameter of CertifiedRegressor must be 'adaptive' or a float"),
    "a classifier": ({"estimator": LogisticRegression()}, "'estimator' parameter .* must be a regressor. Got Logistic"),
    "no estimator": ({"estimator": "ridge"}, "'estimator' parameter of CertifiedRegressor must be a regressor"),
}


@pytest.mark.parametrize("name", WRONG_PARAMETERS)
def test_wrong_parameters_are_named(name):
    options, words = WRONG_PARAMETERS[name]
    with pytest.raises(ValueError, match=words) as refused:
        pb.CertifiedRegressor(**options).fit(X, Y)
    assert "\n" not in str(refused.value)


WRONG_LABELS = {
    "text": (np.array(["a", "b"])[(Y > 0).astype(int)], "must hold numbers. Got text"),
    "numbers as text": (Y.astype(str), "must hold numbers. Got text"),
    "nan": (np.where(Y > 2.0, np.nan, Y), "must not contain NaN"),
    "infinity": (np.where(Y > 2.0, np.inf, Y), "must not contain NaN or infinity"),
    "complex": (Y + 1j, "Complex data not supported"),
    "dates": (np.arange(600).astype("datetime64[D]"), "must hold labels that are numbers"),
    "too large": (np.full(600, 2**60), "numbers up to 2\\*\\*53"),
    "two columns": (np.column_stack([Y, Y]), "1d array"),
    "too few": (Y[:10], "inconsistent"),
    "none": (None, "requires y to be passed"),
}


@pytest.mark.parametrize("name", WRONG_LABELS)
def test_wrong_labels_are_refused(name):
    labels, words = WRONG_LABELS[name]
    with pytest.raises(ValueError, match=words) as refused:
        pb.CertifiedRegressor(random_state=0).fit(X, labels)
    assert "\n" not in str(refused.value)


WRONG_CALLS = {
    "numbers as classes": (lambda: pb.certify_predictions(Y, Y), "must hold classes.*pass loss='absolute'"),
    "a regressor": (
        lambda: pb.certify(Ridge().fit(X, Y), X, np.round(Y)),
        "must be a classifier unless a loss is named. Got the regressor Ridge; pass loss='absolute'",
    ),
    "no scale": (
        lambda: pb.certify_predictions(Y, Y, loss="absolute"),
        "'scale' parameter of certify_predictions must be given for loss='absolute'",
    ),
    "no tolerance": (
        lambda: pb.certify(Ridge().fit(X, Y), X, Y, loss="within"),
        "'tolerance' parameter of certify must be given for loss='within'",
    ),
    "a scale alone": (lambda: pb.certify_predictions(Y, Y, scale=1.0), "takes 'scale' or 'tolerance' with loss="),
    "losses and a loss": (
        lambda: pb.certify_predictions(losses=[0.0, 1.0], loss="absolute", scale=1.0),
        "takes either 'y_true' and 'y_pred', or 'losses'",
    ),
    "predictions of text": (
        lambda: pb.certify_predictions(Y, Y.astype(str), loss="absolute", scale=1.0),
        "'y_pred' argument of certify_predictions must hold numbers",
    ),
    "labels of text": (
        lambda: pb.certify_predictions(Y.astype(str), Y, loss="absolute", scale=1.0),
        "'y_true' argument of certify_predictions must hold numbers",
    ),
    "too few predictions": (
        lambda: pb.certify_predictions(Y, Y[:-1], loss="absolute", scale=1.0),
        r"'y_pred' argument of certify_predictions must hold one number per row \(600\). Got shape",
    ),
    "none at all": (lambda: pb.certify_predictions([], [], loss="absolute", scale=1.0), "at least one example"),
}


@pytest.mark.parametrize("name", WRONG_CALLS)
def test_wrong_calls_are_answered_in_a_line(name):
    call, words = WRONG_CALLS[name]
    with pytest.raises(ValueError, match=words) as refused:
        call()
    assert "\n" not in str(refused.value)
