"""What an estimator learned before the fit does not survive into it unseen."""

import functools
import sys
from collections import OrderedDict

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier, StackingClassifier, VotingClassifier
from sklearn.feature_selection import SelectFromModel
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import pacbayes as pb

GENERATOR = np.random.default_rng(1)
X, Y = GENERATOR.normal(size=(400, 3)), GENERATOR.integers(0, 2, 400)  # pure noise: nobody errs on less than half
KNOWING = KNeighborsClassifier(1).fit(X, Y)
CERTIFIERS = [pb.CertifiedClassifier, pb.OnlineCertifiedClassifier]


class Holds(ClassifierMixin, BaseEstimator):
    """Answers from what it was given as a parameter."""

    def __init__(self, known=None):
        self.known = known

    def fit(self, _, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        self.classes_  # noqa: B018
        return self._model().predict(X)

    def _model(self):
        return self.known["model"] if isinstance(self.known, dict) else self.known


class HoldsRows(Holds):
    def _model(self):
        return KNeighborsClassifier(1).fit(*self.known)


class HoldsAnswers(Holds):
    def predict(self, X):
        self.classes_  # noqa: B018
        return np.array([self.known.get(bytes(row), 0) for row in X])


class Unclonable(KNeighborsClassifier):
    def __sklearn_clone__(self):
        return self

    def fit(self, X, y):
        return self if hasattr(self, "_fit_X") else super().fit(X, y)


class OnClass(ClassifierMixin, BaseEstimator):
    """Remembers on its class, across clones."""

    memory = None

    def fit(self, X, y):
        if OnClass.memory is None:
            OnClass.memory = KNeighborsClassifier(1).fit(X, y)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return OnClass.memory.predict(X)


class Early(OnClass):
    """Its answers come from where nobody sees them."""

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


class Slots:
    __slots__ = ("model_",)

    def __init__(self, model):
        self.model_ = model

    def predict(self, X):
        return self.model_.predict(X)


class ByClass(Holds):
    """Holds nothing itself; its class does."""

    answers = KNOWING

    def _model(self):
        return self.answers


class ByModule(Holds):
    def _model(self):
        return next(model for model in [KNOWING] if model)


class PlainMemory:
    """No estimator at all, so that clone copies it with everything."""

    def __init__(self, model):
        self.model_ = model

    def predict(self, X):
        return self.model_.predict(X)


class Poisoned:
    """A cache that gives what was fitted elsewhere."""

    def cache(self, _):
        def stored(*_, **__):
            return X, FrozenEstimator(StandardScaler().fit(X))

        return stored


def frozen():
    return FrozenEstimator(KNOWING)


def unclonable():
    model = Unclonable(1)
    KNeighborsClassifier.fit(model, X, Y)
    return model


CARRIERS = {
    "frozen": frozen,
    "frozen in a pipeline": lambda: make_pipeline(StandardScaler(), frozen()),
    "frozen in calibration": lambda: CalibratedClassifierCV(frozen()),
    "frozen in a vote": lambda: VotingClassifier([("a", frozen()), ("b", GaussianNB())]),
    "frozen in a stack": lambda: StackingClassifier([("a", frozen())]),
    "prefit stack": lambda: StackingClassifier([("a", frozen())], cv="prefit"),
    "frozen in a search": lambda: GridSearchCV(make_pipeline(PCA(), frozen()), {"pca__n_components": [1, 2]}),
    "frozen in a grid": lambda: GridSearchCV(make_pipeline(GaussianNB()), {"gaussiannb": [frozen()]}),
    "frozen one against the rest": lambda: OneVsRestClassifier(frozen()),
    "frozen step": lambda: make_pipeline(FrozenEstimator(PCA(2).fit(X)), GaussianNB()),
    "frozen selection": lambda: make_pipeline(
        SelectFromModel(FrozenEstimator(RandomForestClassifier(3, random_state=0).fit(X, Y)), prefit=True), GaussianNB()
    ),
    "frozen column": lambda: make_pipeline(
        ColumnTransformer([("a", FrozenEstimator(PCA(1).fit(X)), [0, 1, 2])]), GaussianNB()
    ),
    "frozen union": lambda: make_pipeline(FeatureUnion([("a", FrozenEstimator(PCA(1).fit(X)))]), GaussianNB()),
    "method of a fitted one": lambda: make_pipeline(FunctionTransformer(PCA(2).fit(X).transform), GaussianNB()),
    "closure over a fitted one": lambda: make_pipeline(FunctionTransformer(closure(PCA(2).fit(X))), GaussianNB()),
    "partial over a fitted one": lambda: make_pipeline(
        FunctionTransformer(functools.partial(apply, model=KNOWING)), GaussianNB()
    ),
    "a global fitted one": lambda: make_pipeline(FunctionTransformer(uses_global), GaussianNB()),
    "arguments with a fitted one": lambda: make_pipeline(
        FunctionTransformer(apply, kw_args=OrderedDict(model=KNOWING)), GaussianNB()
    ),
    "unclonable": unclonable,
    "a dict with a fitted one": lambda: Holds(OrderedDict(model=KNOWING)),
    "a plain object with a fitted one": lambda: Holds(PlainMemory(KNOWING)),
    "an object with slots": lambda: Holds(Slots(KNOWING)),
    "a fitted one on the class": ByClass,
    "a fitted one in the module": ByModule,
    "rows in a parameter": lambda: HoldsRows((X, Y)),
    "answers in a parameter": lambda: HoldsAnswers(dict(zip(map(bytes, X), Y.tolist(), strict=True))),
    "a cache": lambda: make_pipeline(StandardScaler(), GaussianNB(), memory=Poisoned()),
    "a cache on disk": lambda: make_pipeline(StandardScaler(), GaussianNB(), memory="somewhere"),
}


def apply(X, model):
    return np.column_stack([X, model.predict(X)])


def closure(model):
    return lambda X: model.transform(X + 0.0)


def uses_global(X):
    return np.column_stack([X, KNOWING.predict(X)])


@pytest.mark.parametrize("name", CARRIERS)
@pytest.mark.parametrize("certify", CERTIFIERS)
def test_what_survives_clone_is_refused(name, certify):
    with pytest.raises(ValueError, match=r"The 'estimator' parameter of .* must come unlearned") as caught:
        certify(CARRIERS[name](), random_state=0).fit(X, Y)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("certify", CERTIFIERS)
def test_what_answers_before_it_learned_is_refused(certify):
    OnClass.memory = KNOWING
    with pytest.raises(ValueError, match=r"must come unlearned. Got KNeighborsClassifier"):
        certify(OnClass(), random_state=0).fit(X, Y)
    OnClass.memory = None
    with pytest.raises(ValueError, match=r"Early.* answers before it has learned"):
        certify(Early(), random_state=0).fit(X, Y)


@pytest.mark.parametrize(
    ("certify", "options"),
    [
        (pb.CertifiedLogisticRegression, {}),
        (pb.CertifiedLogisticRegression, {"bound": "betting"}),
        (pb.RecursiveLogisticRegression, {}),
    ],
)
@pytest.mark.parametrize(
    "steps",
    [
        FrozenEstimator(PCA(2).fit(X, Y)),
        make_pipeline(StandardScaler(), FrozenEstimator(PCA(2).fit(X))),
        FunctionTransformer(apply, kw_args=OrderedDict(model=KNOWING)),
        FunctionTransformer(uses_global),
    ],
)
def test_preprocessing_that_survives_clone_is_refused(steps, options, certify):
    with pytest.raises(ValueError, match=rf"'preprocessing' parameter of {certify.__name__} must come unlearned"):
        certify(preprocessing=steps, random_state=0, **options).fit(X, Y)


@pytest.mark.parametrize("name", ["frozen", "frozen in a pipeline", "a dict with a fitted one", "rows in a parameter"])
def test_references_that_survive_clone_are_refused(name):
    with pytest.raises(ValueError, match="'estimator' argument of online_reference must come unlearned"):
        pb.online_reference(CARRIERS[name](), X, Y, random_state=0)


@pytest.mark.parametrize("certify", CERTIFIERS)
@pytest.mark.parametrize(
    "model",
    [
        KNOWING,  # fitted, but a clone of it has forgotten
        VotingClassifier([("a", KNOWING)]),
        make_pipeline(StandardScaler().fit(X), KNOWING),
        SGDClassifier(warm_start=True, random_state=0).fit(X, Y),
        RandomForestClassifier(5, warm_start=True, random_state=0).fit(X, Y),
        GridSearchCV(LogisticRegression(), {"C": np.logspace(-2, 2, 3)}),
        make_pipeline(ColumnTransformer([("a", StandardScaler(), [0, 1]), ("b", "passthrough", [2])]), GaussianNB()),
        make_pipeline(FunctionTransformer(np.tanh), GaussianNB(priors=[0.5, 0.5])),
        make_pipeline(FunctionTransformer(lambda rows: rows * 2.0), GaussianNB()),
    ],
)
def test_what_forgets_is_certified_and_knows_nothing(model, certify):
    assert certify(model, random_state=0).fit(X, Y).certificate_.value > 0.45


class ForgetsNothing(ClassifierMixin, BaseEstimator):
    """Remembers in a module that it shares with everyone; nothing in the estimator or its module shows it."""

    def fit(self, X, y):
        vars(sys).setdefault("kept_by_a_test", {}).update(zip(map(bytes, X), y.tolist(), strict=True))
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        self.classes_  # noqa: B018
        return np.array([vars(sys)["kept_by_a_test"].get(bytes(row), 0) for row in X])


class Shows(ForgetsNothing):
    """Remembers in its own module."""

    def fit(self, X, y):
        _MEMORY.update(zip(map(bytes, X), y.tolist(), strict=True))
        return super().fit(X, y)


_MEMORY = {}


def test_what_cannot_be_seen_is_stated():
    """A memory outside the estimator is invisible: the certificate says that it must not exist."""
    from pacbayes.certificate.assumptions import ASSUMPTIONS

    certificate = pb.CertifiedClassifier(ForgetsNothing(), split=0.5, random_state=0).fit(X, Y).certificate_
    assert certificate.value > 0.45  # within one fit there is nothing to remember
    assert "nothing_before" in certificate.statements[0].assumptions
    with pytest.raises(ValueError, match=r"class or module keeps 200 more values than before"):  # where it can be found
        pb.CertifiedClassifier(Shows(), split=0.5, random_state=1).fit(X, Y)
    with pytest.raises(ValueError, match=r"must come unlearned. Got a dict of 200 values"):
        pb.CertifiedClassifier(Shows(), split=0.5, random_state=1).fit(X, Y)
    assert "remembers nothing from earlier fits" in ASSUMPTIONS["nothing_before"]


def test_functions_in_a_folder_without_init_are_looked_into(tmp_path, monkeypatch):
    """Such a folder is a package without a file, and nobody's library."""
    (tmp_path / "own_folder").mkdir()
    code = "import numpy as np\nKEPT = np.arange(600.0)\ndef double(rows):\n    return rows * 2.0 + 0.0 * KEPT.sum()\n"
    (tmp_path / "own_folder" / "steps.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    from own_folder.steps import double

    with pytest.raises(ValueError, match=r"must come unlearned. Got a ndarray of 600 values"):
        pb.CertifiedClassifier(make_pipeline(FunctionTransformer(double), GaussianNB())).fit(X, Y)
