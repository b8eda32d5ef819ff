"""A certificate counts errors of ``predict``: nothing that an estimator says of its losses, or returns, lowers it."""

import enum
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

import pacbayes as pb

GENERATOR = np.random.default_rng(2)
X, Y = GENERATOR.normal(size=(600, 2)), GENERATOR.integers(0, 2, 600)  # pure noise
CERTIFIERS = [pb.CertifiedClassifier, pb.OnlineCertifiedClassifier]


class Guess(ClassifierMixin, BaseEstimator):
    """Answers by the sign of a column, that is at random."""

    def fit(self, _, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[(X[:, 0] > 0.0).astype(int)]


class StatesItsLosses(Guess):
    def reference_losses(self, _, y):
        return np.zeros(len(y))

    def progressive_losses(self, _, y, **__):
        return np.zeros(len(y))

    def score(self, *_):
        return 1.0


@pytest.mark.parametrize("certify", CERTIFIERS)
def test_losses_that_an_estimator_states_are_not_asked_for(certify):
    stated, plain = certify(StatesItsLosses(), random_state=0), certify(Guess(), random_state=0)
    assert stated.fit(X, Y).certificate_.value == plain.fit(X, Y).certificate_.value > 0.45


class AlwaysEqual(str):
    __slots__ = ()

    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    __hash__ = str.__hash__


class EqualNumber(int):
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    __hash__ = int.__hash__


class EqualArray(np.ndarray):
    def __ne__(self, other):
        return np.zeros(len(self), dtype=bool)

    def __eq__(self, other):
        return np.ones(len(self), dtype=bool)

    __hash__ = None


class Anything:
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    __hash__ = object.__hash__


class Pretends:
    """Looks like an array of answers, and gives others whenever it is asked."""

    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __array__(self, dtype=None, copy=None):
        result = np.empty(self.n, dtype=object)
        result[:] = [Anything()] * self.n
        return result


def objects(values):
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result


ANSWERS = {
    "texts": lambda guess: guess.astype(str),
    "bytes": lambda guess: guess.astype("S1"),
    "objects of texts": lambda guess: guess.astype(str).astype(object),
    "nan": lambda guess: np.full(len(guess), np.nan),
    "masked": lambda guess: np.ma.masked_array(guess, mask=np.ones(len(guess), dtype=bool)),
    "too long": lambda guess: np.append(guess, 0),
    "too short": lambda guess: guess[:-1] if len(guess) > 1 else guess,
    "scalar": lambda guess: guess[0],
    "square": lambda guess: np.tile(guess, (len(guess), 1)),
    "two columns": lambda guess: np.column_stack([guess, 1 - guess]),
    "none": lambda guess: None,
    "equal texts": lambda guess: objects([AlwaysEqual(each) for each in guess]),
    "equal numbers": lambda guess: objects([EqualNumber(each) for each in guess]),
    "equal array": lambda guess: guess.view(EqualArray),
    "anything": lambda guess: objects([Anything() for _ in guess]),
    "pretends": lambda guess: Pretends(len(guess)),
    "sets": lambda guess: objects([{0, 1} for _ in guess]),
    "arrays": lambda guess: objects([np.array([0, 1]) for _ in guess]),
    "nones": lambda guess: objects([None for _ in guess]),
    "complex": lambda guess: guess + 0.5j,
    "dates": lambda guess: guess.astype("datetime64[D]"),
    "column": lambda guess: guess[:, None],
    "booleans": lambda guess: guess.astype(bool),
    "floats": lambda guess: guess.astype(np.float32),
    "objects": lambda guess: guess.astype(object),
    "list": lambda guess: guess.tolist(),
    "series": pd.Series,
    "categories": lambda guess: pd.Series(pd.Categorical(guess)),
    "nullable": lambda guess: pd.Series(pd.array(guess, dtype="Int64")),
    "missing": lambda guess: pd.Series(pd.array([pd.NA] * len(guess), dtype="Int64")),
}
HONEST = {"column", "booleans", "floats", "objects", "list", "series", "categories", "nullable", "equal array"}


def refusal(model, labels):
    """Return in what words a fit is refused, nothing if it is not."""
    try:
        model.fit(X, labels)
    except (ValueError, TypeError) as error:
        return str(error).strip() or "refused"
    return ""


class Answers(Guess):
    def __init__(self, how="plain"):
        self.how = how

    def predict(self, X):
        return ANSWERS[self.how](super().predict(X))


@pytest.mark.parametrize("how", ANSWERS)
@pytest.mark.parametrize("certify", [*CERTIFIERS, partial(pb.CertifiedClassifier, split=0.5)])
def test_odd_answers_are_errors_or_refused(how, certify):
    plain = certify(Guess(), random_state=0).fit(X, Y).certificate_
    model = certify(Answers(how), random_state=0)
    error = refusal(model, Y)
    if error:
        assert how not in HONEST
        assert "\n" not in error
        assert "Answers" in error
    else:
        adaptive = certify is pb.CertifiedClassifier  # what is wrong more often may be learned for longer
        assert model.certificate_.n == plain.n or (adaptive and how not in HONEST)
        assert model.certificate_.value == plain.value if how in HONEST else model.certificate_.value >= plain.value


BIG = 2**53


class Rounds(Guess):
    def predict(self, X):
        return np.full(len(X), float(self.classes_[0]))


@pytest.mark.parametrize("certify", CERTIFIERS)
def test_labels_beyond_doubles_are_not_rounded(certify):
    labels = np.where(Y == 1, BIG + 1, BIG)
    assert certify(Rounds(), random_state=0).fit(X, labels).certificate_.value > 0.45


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Level(enum.IntEnum):
    LOW = 0
    HIGH = 1


def mixed(values):
    return [str(each) if index % 2 else int(each) for index, each in enumerate(values)]


LABELS = {
    "mixed list": mixed(Y),
    "mixed objects": objects(mixed(Y)),
    "enum": objects([Colour(1 + each) for each in Y]),
    "anything": objects([Anything() for _ in Y]),
    "equal texts": objects([AlwaysEqual("ab"[each]) for each in Y]),
    "complex": Y + 0.5j,
    "masked": np.ma.masked_array(Y, mask=Y == 1),
    "missing": pd.Series(pd.array([pd.NA if each else 0 for each in Y], dtype="Int64")),
    "nan": np.where(Y == 1, np.nan, 0.0),
    "none": objects([None if each else "a" for each in Y]),
    "two columns": np.column_stack([Y, 1 - Y]),
    "real numbers": GENERATOR.normal(size=Y.size),
    "dates": Y.astype("datetime64[D]"),
    "bytes": Y.astype("S1"),
}


@pytest.mark.parametrize("name", LABELS)
@pytest.mark.parametrize("certify", [*CERTIFIERS, pb.CertifiedLogisticRegression])
def test_odd_labels_are_refused_in_a_sentence(name, certify):
    model = certify(random_state=0) if certify is pb.CertifiedLogisticRegression else certify(Guess(), random_state=0)
    error = refusal(model, LABELS[name])
    assert "\n" not in error
    assert "not supported between" not in error
    assert error or model.certificate_.value > 0.45


GOOD = {
    "text": np.array(["no", "yes"])[Y],
    "objects": np.array(["no", "yes"], dtype=object)[Y],
    "booleans": Y.astype(bool),
    "floats": Y.astype(np.float32),
    "small": Y.astype(np.int8),
    "unsigned": Y.astype(np.uint64),
    "nullable": pd.Series(pd.array(Y, dtype="Int64")),
    "categories": pd.Series(pd.Categorical(np.array(["no", "yes"])[Y])),
    "strings": pd.Series(np.array(["no", "yes"])[Y], dtype="string"),
    "int enum": [Level(each) for each in Y],
}


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize("certify", CERTIFIERS)
def test_usual_labels_give_the_same_counts(name, certify):
    plain = certify(Guess(), random_state=0).fit(X, Y).certificate_
    assert certify(Guess(), random_state=0).fit(X, GOOD[name]).certificate_.value == plain.value


def test_numbers_written_as_text_are_refused():
    texts = X.astype(str)
    with pytest.raises(ValueError, match="numbers"):
        pb.CertifiedLogisticRegression(random_state=0).fit(texts, Y)
    with pytest.raises(ValueError, match="numbers"):
        pb.CertifiedLogisticRegression(random_state=0).fit(texts.astype(object), Y)
    with pytest.raises(ValueError, match="'losses' argument"):
        pb.certify_predictions(losses=["0", "0", "1"] * 30)
    with pytest.raises(ValueError, match="kind"):
        pb.certify_predictions([0, 1] * 30, ["0", "1"] * 30)
    for name in ("delta", "candidates"):
        with pytest.raises(ValueError, match=name):
            pb.CertifiedClassifier(Guess(), **{name: "1"}).fit(X, Y)
    with pytest.raises(ValueError, match="schedule"):
        pb.OnlineCertifiedClassifier(Guess(), schedule="100").fit(X, Y)
