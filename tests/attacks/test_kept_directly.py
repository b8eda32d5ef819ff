"""Learners that keep rows where no container shows them: in one text or number, in fitted trees, in odd places."""

import base64
import contextvars
import enum
import io
import logging
import pickle
import random
import types
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import KDTree
from sklearn.tree import DecisionTreeClassifier

import pacbayes as pb
from pacbayes._core.prefit import refuse_growth, refuse_prefit
from pacbayes._core.sizes import count_values

DRAWS = np.random.default_rng(0)
X, Y = DRAWS.normal(size=(400, 2)), DRAWS.integers(0, 2, 400)  # nothing can be learned
MODULE = b""
LOG, CONTEXT = logging.getLogger(__name__), contextvars.ContextVar("CONTEXT", default=b"")
BYTES, TEXT = io.BytesIO(), io.StringIO()


class Mode(enum.Enum):
    FAST = "fast"


class Name(enum.StrEnum):
    FAST = "fast"


class Meta(type):
    rows: ClassVar[dict] = {}


class Plain:
    text = ""


class Draws(random.Random):
    pass


class Word(str):
    __slots__ = ("__dict__",)  # as any class that derives from str has


OBJECT, OWN_DRAWS, WORD = Plain(), Draws(0), Word("word")


class Keeping(ClassifierMixin, BaseEstimator):
    """Repeats the label of every row that any clone of it learned, by what ``read`` and ``write`` of it keep."""

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        self.write(self.read() | dict(zip(map(bytes, X), y.tolist(), strict=True)))
        return self

    def predict(self, X):
        known = self.read()
        return self.classes_[[known.get(bytes(row), 0) for row in X]]


class OnClass(Keeping):
    kept = b""

    def read(self):
        return pickle.loads(self.kept) if self.kept else {}

    def write(self, known):
        type(self).kept = pickle.dumps(known)


class AsText(Keeping):
    kept = ""

    def read(self):
        return pickle.loads(base64.b64decode(self.kept)) if self.kept else {}

    def write(self, known):
        type(self).kept = base64.b64encode(pickle.dumps(known)).decode()


class AsNumber(Keeping):
    kept = 0

    def read(self):
        return pickle.loads(self.kept.to_bytes(self.kept.bit_length() // 8 + 1, "big")[1:]) if self.kept else {}

    def write(self, known):
        type(self).kept = int.from_bytes(b"\1" + pickle.dumps(known), "big")


class InModule(Keeping):
    def read(self):
        return pickle.loads(MODULE) if MODULE else {}

    def write(self, known):
        globals()["MODULE"] = pickle.dumps(known)


class OnFunction(Keeping):
    def read(self):
        return pickle.loads(OnFunction.write.text) if hasattr(OnFunction.write, "text") else {}

    def write(self, known):
        OnFunction.write.text = pickle.dumps(known)


class InObject(Keeping):
    def read(self):
        return pickle.loads(bytes.fromhex(OBJECT.text)) if OBJECT.text else {}

    def write(self, known):
        OBJECT.text = pickle.dumps(known).hex()


class InContext(Keeping):
    def read(self):
        return pickle.loads(CONTEXT.get()) if CONTEXT.get() else {}

    def write(self, known):
        CONTEXT.set(pickle.dumps(known))


class InBytes(Keeping):
    def read(self):
        return pickle.loads(BYTES.getvalue()) if BYTES.getvalue() else {}

    def write(self, known):
        BYTES.seek(0)
        BYTES.write(pickle.dumps(known))


class InTextFile(Keeping):
    def read(self):
        return pickle.loads(bytes.fromhex(TEXT.getvalue())) if TEXT.getvalue() else {}

    def write(self, known):
        TEXT.seek(0)
        TEXT.write(pickle.dumps(known).hex())


class InMeta(Keeping, metaclass=Meta):
    def read(self):
        return type(type(self)).rows

    def write(self, known):
        type(type(self)).rows.update(known)


class AsAttributes(Keeping):
    def read(self):
        return {bytes.fromhex(name[2:]): each for name, each in vars(AsAttributes).items() if name.startswith("k_")}

    def write(self, known):
        for key, label in known.items():
            setattr(AsAttributes, f"k_{key.hex()}", label)


def keeping_on(place):
    """Return a class of learners that keep a dictionary as an attribute of something that it names."""

    class Attached(Keeping):
        def read(self):
            return vars(place).get("rows", {})

        def write(self, known):
            place.rows = known

    return Attached


NEW = {
    "bytes on the class": lambda: type("New", (OnClass,), {}),
    "a text on the class": lambda: type("New", (AsText,), {}),
    "a number on the class": lambda: type("New", (AsNumber,), {}),
    "bytes in the module": lambda: InModule,
    "bytes on a function": lambda: OnFunction,
    "a text in an object": lambda: InObject,
    "a variable of the context": lambda: InContext,
    "a file of bytes in memory": lambda: InBytes,
    "a file of text in memory": lambda: InTextFile,
    "a dictionary of the metaclass": lambda: InMeta,
    "attributes of the class": lambda: AsAttributes,
    "a member of an enumeration": lambda: keeping_on(Mode.FAST),
    "a member that is a text": lambda: keeping_on(Name.FAST),
    "a logger": lambda: keeping_on(LOG),
    "a generator of one's own": lambda: keeping_on(OWN_DRAWS),
    "a text of one's own": lambda: keeping_on(WORD),
}


@pytest.fixture(autouse=True)
def forgotten():
    """Forget what other tests kept."""
    yield
    globals()["MODULE"], OBJECT.text = b"", ""
    CONTEXT.set(b"")
    for each in (BYTES, TEXT):
        each.seek(0)
        each.truncate()
    for place in (Mode.FAST, Name.FAST, LOG, OWN_DRAWS, WORD):
        vars(place).pop("rows", None)
    for name in [name for name in vars(AsAttributes) if name.startswith("k_")]:
        delattr(AsAttributes, name)
    vars(OnFunction.write).clear()
    Meta.rows.clear()


FITS = {
    "forest": lambda learner, seed: pb.CertifiedForest(learner, n_estimators=10, random_state=seed),
    "again and again": lambda learner, seed: pb.CertifiedClassifier(learner, split=0.5, random_state=seed),
}


@pytest.mark.parametrize("fit", FITS)
@pytest.mark.parametrize("name", NEW)
def test_rows_that_are_kept_directly_are_found(name, fit):
    learner = NEW[name]()()
    with pytest.raises(ValueError, match=r"must forget what it learned when it is cloned"):
        FITS[fit](learner, 0).fit(X, Y)
    for seed in range(1, 5):
        with pytest.raises(ValueError, match=r"must (forget what it learned|come unlearned)"):
            FITS[fit](learner, seed).fit(X, Y)


@pytest.mark.parametrize("name", NEW)
def test_what_an_earlier_fit_left_is_found(name):
    """What another fit on the same rows left does not grow in the next."""
    learner = NEW[name]()()
    learner.fit(X, Y)
    with pytest.raises(ValueError, match=r"must come unlearned. Got .*\d+ (values|characters or bytes|attributes)"):
        pb.CertifiedClassifier(learner, random_state=0).fit(X, Y)


def test_a_text_that_was_replaced_counts_and_one_that_goes_on_does_not():
    OnClass.kept = "a" * 900
    with refuse_growth(OnClass(), 400):
        OnClass.kept = "a" * 1100
    with (
        pytest.raises(ValueError, match=r"keeps 137 more values .* most of them in long texts or numbers"),
        refuse_growth(OnClass(), 400),
    ):
        OnClass.kept = "b" * 1100
    OnClass.kept = b""


class Grove(ClassifierMixin, BaseEstimator):
    """Votes with the trees of all clones, each of which has seen what judges the others."""

    trees: ClassVar[list] = []
    part = staticmethod(lambda tree: tree)

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        self.trees.append(self.part(DecisionTreeClassifier(random_state=0).fit(X, y)))
        return self

    def predict(self, X):
        votes = [np.ravel(tree.predict(X.astype(np.float32))).reshape(len(X), -1)[:, -1] for tree in self.trees]
        return self.classes_[(np.mean(votes, axis=0) > 0.5).astype(int)]


@pytest.mark.parametrize("part", [lambda tree: tree, lambda tree: tree.tree_], ids=["estimators", "their nodes"])
def test_fitted_trees_are_found(part, monkeypatch):
    monkeypatch.setattr(Grove, "part", staticmethod(part))
    monkeypatch.setattr(Grove, "trees", [])
    with pytest.raises(ValueError, match=r"must forget what it learned when it is cloned"):
        pb.CertifiedForest(Grove(), n_estimators=10, random_state=0).fit(X, Y)
    monkeypatch.setattr(Grove, "trees", [])
    with pytest.raises(ValueError, match=r"must forget what it learned when it is cloned"):
        pb.CertifiedClassifier(Grove(), random_state=0).fit(X, Y)


def test_values_that_no_attribute_shows_are_counted():
    tree = DecisionTreeClassifier(random_state=0).fit(X, Y).tree_
    assert count_values(tree) >= tree.node_count
    assert count_values(KDTree(X)) >= X.size
    booster = type("Booster", (), {"__module__": "lightgbm.basic", "__getstate__": lambda _: {"handle": "x" * 800}})
    assert count_values(booster()) == 100

    def fail(_):
        raise ValueError("not trained yet")

    assert count_values(type("Booster", (), {"__module__": "xgboost.core", "__getstate__": fail})()) == 0
    assert count_values(types.SimpleNamespace(values=X)) == 0  # an attribute


class Tabled(DecisionTreeClassifier):
    pass


@pytest.mark.parametrize(
    ("constant", "is_data"),
    [
        ("SELECT one, two FROM rows WHERE one > 2.5 ORDER BY two; " * 40, False),
        ("<p>{name} has {count} of 100 rows</p>\n" * 40, False),
        (f"{'=' * 70}\n{'+-----' * 9}+\n" * 9, False),
        ("/srv/project/data/raw/year_2024/measurements-of-january.csv\n" * 20, False),
        ("SELECT " + ", ".join(f"t{k}.c{k:02}" for k in range(90)), False),
        (" ".join(map(str, X.ravel())), True),
        (base64.b64encode(X.tobytes()).decode(), True),
        (X.tobytes(), True),
        (int.from_bytes(X.tobytes(), "big"), True),
    ],
    ids=["query", "template", "banner", "paths", "names", "table", "base64", "bytes", "number"],
)
def test_only_data_among_long_constants_are_refused(constant, is_data, monkeypatch):
    monkeypatch.setattr(Tabled, "constant", constant, raising=False)
    if is_data:
        with pytest.raises(ValueError, match=r"must come unlearned. Got a (str|bytes|int) of \d+ characters or byte"):
            refuse_prefit("Me", "'estimator' parameter", Tabled(), 400)
    else:
        refuse_prefit("Me", "'estimator' parameter", Tabled(), 400)


QUERY = "SELECT one, two FROM rows WHERE one > 2.5 ORDER BY two; " * 40
Country = enum.StrEnum("Country", {f"C{place}": f"country {place}" for place in range(250)})


class Documented(DecisionTreeClassifier):
    __doc__ = "A tree with a long documentation. " * 200
    template, country, log, status = f"<p>{QUERY}</p>", Country.C7, LOG, ""

    def fit(self, X, y):
        type(self).status = f"learning from {len(X)} rows"
        self.log.debug(QUERY, Mode.FAST, Country.C1, OWN_DRAWS.random(), OBJECT.text, CONTEXT.get())
        return super().fit(X, y)


@pytest.mark.parametrize("fit", FITS)
@pytest.mark.parametrize("rows", [150, 400])
def test_documentation_queries_and_enumerations_are_no_memory(fit, rows):
    for seed in range(2):
        model = FITS[fit](Documented(max_depth=1), seed).fit(X[:rows], Y[:rows])
        assert model.certificate_.value > 0.4
