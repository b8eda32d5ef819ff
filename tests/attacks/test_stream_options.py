"""A stream goes on with the options and the estimator that it began with."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pacbayes as pb

GENERATOR = np.random.default_rng(1)
X, Y = GENERATOR.normal(size=(400, 3)), GENERATOR.integers(0, 2, 400)


def test_options_of_a_stream_stay_those_of_its_fit():
    changes = {
        "delta": 0.5,
        "candidates": 3,
        "certify_last": True,
        "schedule": 50,
        "estimator": LogisticRegression(),
        "estimator__var_smoothing": 1e-3,
    }
    for name, value in changes.items():
        model = pb.OnlineCertifiedClassifier(GaussianNB(), random_state=0).fit(X[:300], Y[:300])
        before = model.certificate_
        shown = name.partition("__")[0]
        with pytest.raises(
            ValueError, match=f"The '{shown}' parameter of OnlineCertifiedClassifier must stay"
        ) as caught:
            model.set_params(**{name: value}).update(X[300:], Y[300:])
        assert "\n" not in str(caught.value)
        assert model.certificate_ == before


def test_an_estimator_changed_behind_the_back_is_noticed():
    inner = make_pipeline(StandardScaler(), LogisticRegression())
    model = pb.OnlineCertifiedClassifier(inner, random_state=0).fit(X[:300], Y[:300])
    inner[-1].C = 1e-6
    with pytest.raises(ValueError, match="'estimator' parameter of OnlineCertifiedClassifier must stay"):
        model.update(X[300:], Y[300:])


def test_updates_after_unpickling_go_on():
    import pickle

    model = pb.OnlineCertifiedClassifier(
        make_pipeline(StandardScaler(), LogisticRegression()), schedule=pb.Every(60), random_state=0
    ).fit(X[:300], Y[:300])
    again = pickle.loads(pickle.dumps(model)).update(X[300:], Y[300:])
    assert again.certificate_.value == model.update(X[300:], Y[300:]).certificate_.value
    with pytest.raises(ValueError, match="'delta' parameter"):
        pickle.loads(pickle.dumps(model)).set_params(delta=0.9).update(X, Y)
    assert model.set_params(delta=0.2).fit(X, Y).update(X[:5], Y[:5]).certificate_.delta == 0.2
