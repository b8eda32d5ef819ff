"""Forged certificates of regressors: another scale, tolerance, quantity or loss, with a digest that was made to fit."""

import json

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge

import pacbayes as pb
from pacbayes.certificate.canonical import content_digest
from pacbayes.verification import recheck, recheck_run

GENERATOR = np.random.default_rng(0)
X = GENERATOR.normal(size=(400, 2))
Y = X @ [1.0, -1.0] + GENERATOR.normal(size=400)
OPTIONS = {
    "absolute": {"loss": "absolute", "scale": 4.0},
    "squared": {"loss": "squared", "scale": 4.0},
    "within": {"loss": "within", "tolerance": 2.0},
    "learned": {"loss": "absolute"},
}


@pytest.fixture(scope="module")
def models():
    return {name: pb.CertifiedRegressor(random_state=0, **each).fit(X, Y) for name, each in OPTIONS.items()}


def forge(model, *edits):
    """The certificate of a model after edits of its record, signed again."""
    record = json.loads(model.certificate_.to_json())
    for edit in edits:
        edit(record)
    record["digest"] = content_digest(record)
    return record


def holds(record):
    try:
        return bool(pb.Certificate.from_json(json.dumps(record)).verify())
    except ValueError:
        return False


def in_statement(**values):
    return lambda record: record["statements"][0].update(values)


def in_choice(name, **values):
    return lambda record: next(each for each in record["choices"] if each["what"] == name).update(values)


def without_choice(what):
    def edit(record):
        record["choices"] = [each for each in record["choices"] if each["what"] != what]

    return edit


def add_choice(what, value, where="given"):
    choice = {"what": what, "value": value, "where": where, "cost": "none", "size": None}
    return lambda record: record["choices"].insert(0, choice)


def drop_assumption(record):
    record["statements"][0]["assumptions"].remove("scale_before")


def drop_scale(record):
    del record["statements"][0]["scale"]


def lower_errors(record):
    record["statements"][0]["observed"]["errors"] -= 1


def lower_blocks(record):
    observed = record["statements"][0]["observed"]
    observed["block_means"] = [0.9 * each for each in observed["block_means"]]


# what the certificate alone gives away
OWN = {
    "scale in the sentence": ("absolute", in_statement(scale=1.0)),
    "scale of nothing": ("absolute", in_statement(scale=0.0)),
    "scale removed": ("absolute", drop_scale),
    "scale as text": ("absolute", in_statement(scale="4")),
    "scale chosen on the judged rows": ("absolute", in_choice("scale", where="all_rows")),
    "scale chosen by the losses": ("absolute", in_choice("scale", where="losses")),
    "choice of the scale": ("absolute", in_choice("scale", value=1.0)),
    "choice of the scale removed": ("absolute", without_choice("scale")),
    "two choices of the scale": ("absolute", add_choice("scale", 4.0)),
    "a tolerance beside the scale": ("absolute", add_choice("tolerance", 4.0)),
    "scale said to be learned": ("absolute", in_choice("scale", where="learning_rows")),
    "assumption about the scale": ("absolute", drop_assumption),
    "value lowered": ("absolute", in_statement(value=0.01)),
    "blocks lowered": ("absolute", lower_blocks),
    "another bound": ("absolute", in_statement(bound="clopper_pearson")),
    "squares called absolute": ("squared", in_statement(quantity="miss")),
    "absolute called error": ("absolute", in_statement(quantity="error")),
    "absolute called loss": ("absolute", in_statement(quantity="loss")),
    "an unknown quantity": ("absolute", in_statement(quantity="median_error")),
    "tolerance in the sentence": ("within", in_statement(scale=0.1)),
    "choice of the tolerance": ("within", in_choice("tolerance", what="scale")),
    "misses lowered": ("within", lower_errors),
    "misses called absolute": ("within", in_statement(quantity="absolute_error")),
    "misses called errors": ("within", in_statement(quantity="error")),
    "learned scale said to be given": ("learned", in_choice("scale", where="given")),
    "more rows for the scale than were learned from": ("learned", in_choice("scale_rows", value=399)),
    "rows for the scale removed": ("learned", without_choice("scale_rows")),
    "learned scale": ("learned", in_statement(scale=0.5)),
}


@pytest.mark.parametrize("name", OWN)
def test_the_certificate_alone_gives_it_away(models, name):
    kind, edit = OWN[name]
    assert holds(forge(models[kind]))
    assert not holds(forge(models[kind], edit))


def rescale(scale):
    """Another scale, wherever it stands."""

    def edit(record):
        for each in record["choices"]:
            if each["what"] in ("scale", "tolerance"):
                each["value"] = scale

    return in_statement(scale=scale), edit


# what is consistent in itself: the rows give it away
CONSISTENT = {
    "a smaller scale": ("absolute", rescale(1.0)),
    "a larger scale": ("absolute", rescale(40.0)),
    "a smaller tolerance": ("within", rescale(0.5)),
    "a smaller learned scale": ("learned", rescale(0.5)),
    "squares called absolute": ("squared", (in_statement(quantity="absolute_error"),)),
    "fewer rows for the scale": ("learned", (in_choice("scale_rows", value=3),)),
}


@pytest.mark.parametrize("name", CONSISTENT)
def test_the_rows_give_away_what_is_consistent(models, name):
    kind, edits = CONSISTENT[name]
    record = forge(models[kind], *edits)
    assert holds(record)
    claim = pb.Certificate.from_json(json.dumps(record))
    assert not recheck(claim, X, Y, models[kind])
    assert not recheck_run(claim, X, Y, pb.CertifiedRegressor(random_state=0, **OPTIONS[kind]))


@pytest.mark.parametrize("kind", ["absolute", "squared", "within"])
def test_the_rows_give_away_another_scale_of_predictions_that_exist(kind):
    model = Ridge().fit(X[:100], Y[:100])
    for certificate, rows in (
        (pb.certify(model, X[100:], Y[100:], **OPTIONS[kind]), X[100:]),
        (pb.certify_predictions(Y[100:], model.predict(X[100:]), **OPTIONS[kind]), X[100:]),
    ):
        assert recheck(certificate, rows, Y[100:], model)
        record = json.loads(certificate.to_json())
        for edit in rescale(0.5):
            edit(record)
        record["digest"] = content_digest(record)
        claim = pb.Certificate.from_json(json.dumps(record))
        assert claim.verify()
        assert not recheck(claim, rows, Y[100:], model)


def test_a_classifiers_certificate_takes_no_scale():
    record = json.loads(pb.certify_predictions([0, 1] * 50, [0, 1] * 50).to_json())
    for edit in (in_statement(scale=2.0), add_choice("scale", 2.0)):
        forged = json.loads(json.dumps(record))
        edit(forged)
        forged["digest"] = content_digest(forged)
        assert not holds(forged)


def objects(values):
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result


class Near(float):
    """A number that calls itself zero away from every other."""

    def __sub__(self, other):
        return 0.0

    __rsub__ = __sub__

    def __abs__(self):
        return 0.0


class NearArray(np.ndarray):
    def __rsub__(self, other):
        return np.zeros(len(self))

    def __sub__(self, other):
        return np.zeros(len(self))


ANSWERS = {
    "texts": lambda guess: guess.astype(str),
    "objects of texts": lambda guess: objects([str(each) for each in guess]),
    "complex": lambda guess: guess + 1j,
    "dates": lambda guess: guess.astype("datetime64[D]"),
    "none": lambda guess: None,
    "nones": lambda guess: objects([None] * len(guess)),
    "masked": lambda guess: np.ma.masked_array(guess, mask=np.ones(len(guess), dtype=bool)),
    "two columns": lambda guess: np.column_stack([guess, guess]),
    "too long": lambda guess: np.append(guess, 0.0),
    "scalar": lambda guess: guess[0],
    "near": lambda guess: objects([Near(each) for each in guess]),
    "near array": lambda guess: guess.view(NearArray),
    "nan": lambda guess: np.full(len(guess), np.nan),
    "infinity": lambda guess: np.full(len(guess), np.inf),
    "single precision": lambda guess: guess.astype(np.float32),
    "column": lambda guess: guess[:, None],
    "list": lambda guess: guess.tolist(),
    "objects": lambda guess: objects(guess.tolist()),
}
HONEST = {"column", "list", "objects", "single precision", "near array"}


class Answers(RegressorMixin, BaseEstimator):
    """Predicts nothing useful, in odd containers."""

    def __init__(self, how="list"):
        self.how = how

    def fit(self, rows, labels):
        del labels
        self.n_features_in_ = rows.shape[1]
        return self

    def predict(self, rows):
        return ANSWERS[self.how](3.0 * np.sign(rows[:, 0]) + 0.0 * self.n_features_in_)


def refusal(model):
    """Return in what words a fit is refused, nothing if it is not."""
    try:
        model.fit(X, Y)
    except ValueError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("how", ANSWERS)
@pytest.mark.parametrize("kind", ["absolute", "within"])
def test_odd_answers_have_the_largest_loss_or_are_refused(how, kind):
    plain = pb.CertifiedRegressor(Answers(), split=0.5, random_state=0, **OPTIONS[kind]).fit(X, Y).certificate_
    model = pb.CertifiedRegressor(Answers(how), split=0.5, random_state=0, **OPTIONS[kind])
    refused = refusal(model)
    if refused:
        assert how not in HONEST
        assert "Answers" in refused
        assert "\n" not in refused
    else:
        value = model.certificate_.value
        assert value == plain.value if how in HONEST else value >= plain.value


class Remembers(RegressorMixin, BaseEstimator):
    """Answers badly alone, and otherwise repeats what it said: agreement that is no sign of anything."""

    def fit(self, rows, labels):
        self.known_ = {}
        self.table_ = dict(zip(rows[:, 0], labels, strict=True))
        return self

    def __deepcopy__(self, memory):
        return self

    def predict(self, rows):
        far = 100.0 if len(rows) == 1 else 0.0
        return np.array([self.known_.setdefault(each, far) for each in rows[:, 0]])


def test_a_memory_of_answers_is_refused_where_errors_gather():
    many = np.random.default_rng(1).normal(size=(4000, 1))
    with pytest.raises(ValueError, match=r"Remembers.*(by itself|unlearned)"):
        pb.CertifiedRegressor(Remembers(), scale=1.0, split=0.1, random_state=0).fit(many, many[:, 0] * 1e-3)
