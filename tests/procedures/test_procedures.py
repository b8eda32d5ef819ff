"""One list of procedures: each is found by its name, says what it does, issues what verifies, and can be rechecked."""

import inspect
import json
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from sklearn.naive_bayes import GaussianNB

import pacbayes as pb
from pacbayes import procedures
from pacbayes._core.notes import Note
from pacbayes.certificate import SUBJECTS, Verification, schema
from pacbayes.certificate.verdicts import proof_words
from pacbayes.certificate.words import choice_words, sentences
from pacbayes.procedures import (
    PROCEDURES,
    Adaptive,
    ClassifierLearner,
    FixedFraction,
    Network,
    OutOfBag,
    Procedure,
    Split,
    certify_rows,
    compare_numbers,
)
from pacbayes.report import render
from pacbayes.verification import recheck

from procedures.linear_network import LinearLearner

SAMPLE = pb.datasets.make_known_risk(400, d=2, random_state=0)
X, Y = SAMPLE.X, SAMPLE.y
NAIVE = ClassifierLearner(GaussianNB())


class Constant:
    def predict(self, rows):
        return np.zeros(len(rows), dtype=int)


def fit(model):
    fitted = model.fit(X, Y)
    return fitted.certificate_, fitted


def run(procedure):
    certifier = certify_rows(procedure, X, Y, random_state=0)
    return certifier.certificate_, certifier


def run_network(learner):
    certifier = certify_rows(Network(learner=learner, fraction=0.5, delta=0.05), X, Y, random_state=0)
    return certifier.certificate_, certifier


def watch():
    monitor = procedures.LossMonitor()
    monitor.extend([0.0, 1.0, 0.0] * 100)
    return monitor.certificate(), None


def transfer():
    model = pb.CertifiedClassifier(GaussianNB(), refit=True, random_state=0).fit(X[:300], Y[:300])
    return model.transfer(X[300:]), model


def compare():
    models = {"naive": GaussianNB().fit(X[:50], Y[:50]), "constant": Constant()}
    return pb.compare({"naive": models["naive"]}, {"constant": models["constant"]}, X, Y), models


# a new procedure gets a line here: how to issue a certificate, and what rechecks it (run(MyProcedure(...)) gives both)
CASES = {
    "split": lambda: run(Split(learner=NAIVE, stop=FixedFraction(0.5), delta=0.05)),
    "selective": lambda: fit(pb.SelectiveClassifier(GaussianNB(), max_error=0.2, random_state=0)),
    "pick_to_learn": lambda: fit(pb.PickToLearn(GaussianNB(), random_state=0)),
    "posterior": lambda: fit(pb.CertifiedLogisticRegression(bound="betting", random_state=0)),
    "kept_draw": lambda: fit(pb.CertifiedLogisticRegression(derandomize="draw", random_state=0)),
    "recursive": lambda: fit(pb.RecursiveLogisticRegression(steps=3, random_state=0)),
    "network": lambda: run_network(LinearLearner(is_drawn=True)),
    "online": lambda: fit(pb.OnlineCertifiedClassifier(GaussianNB(), random_state=0)),
    "out_of_bag": lambda: run(OutOfBag(learner=NAIVE, voters=5)),
    "given": lambda: (pb.certify_predictions(Y, Constant().predict(X)), Constant()),
    "comparison": compare,
    "transfer": transfer,
    "monitor": watch,
}


@pytest.fixture(scope="module", params=PROCEDURES)
def case(request):
    assert request.param in CASES, "add a case to this file"
    return PROCEDURES[request.param], *CASES[request.param]()


def subclasses():
    """The procedures in the modules of the room, whether they are listed or not."""
    names = [path.stem for path in Path(procedures.__file__).parent.glob("*.py") if path.stem != "__init__"]
    modules = [import_module(f"pacbayes.procedures.{name}") for name in names]
    members = {each for module in modules for _, each in inspect.getmembers(module, inspect.isclass)}
    return {each for each in members if issubclass(each, Procedure) and not inspect.isabstract(each)}


def test_every_procedure_is_listed_once():
    assert subclasses() == set(PROCEDURES.values()), "add it to PROCEDURES in pacbayes/procedures/__init__.py"
    assert len(PROCEDURES) == len(subclasses()), "two procedures have one name"


def test_every_procedure_has_a_case():
    assert set(CASES) == set(PROCEDURES), "add it to CASES in this file"


@pytest.mark.parametrize("name", PROCEDURES)
def test_says_what_was_noticed_about_the_rows(name, monkeypatch):
    """A certificate has the notes of its sample; some are issued without one."""
    kind, note, samples = PROCEDURES[name], Note("learning_only", {"names": "weights"}), []
    run_as_it_is = kind.run

    def run_with_note(procedure, sample):
        samples.append(sample)
        return run_as_it_is(procedure, replace(sample, notes=(*sample.notes, note)))

    monkeypatch.setattr(kind, "run", run_with_note)
    certificate, _ = CASES[name]()
    assert not samples or note in certificate.notes, "give notes=sample.notes to issue"


def test_rows_are_shuffled_by_a_seed_that_is_recorded():
    with pytest.raises(ValueError, match=r"'random_state' of certify_rows must be a whole number\. Got None instead"):
        certify_rows(OutOfBag(learner=NAIVE, voters=5), X, Y, random_state=None)


@pytest.mark.parametrize("procedure", PROCEDURES.values(), ids=PROCEDURES)
def test_every_procedure_says_what_it_does_and_proves(procedure):
    assert procedure.made.endswith(".")
    assert procedure.proves
    for code in procedure.proves:
        assert proof_words(Verification((), (code,))) != code, "add a sentence to pacbayes/certificate/verdicts.py"


class TestEveryProcedure:
    def test_issues_what_verifies_and_follows_the_schema(self, case):
        procedure, certificate, _ = case
        assert certificate.procedure == procedure.name
        subjects = {each.about: SUBJECTS[each.about] for each in certificate.statements}
        missing = [name for name, each in subjects.items() if procedure.name not in each.procedures]
        assert not missing, f"add it to the procedures of {missing} in pacbayes/certificate/subjects.py"
        assert certificate.verify(), str(certificate.verify())
        Draft202012Validator(schema()).validate(json.loads(certificate.to_json()))
        assert pb.Certificate.from_json(certificate.to_json()) == certificate

    def test_has_words(self, case):
        procedure, certificate, _ = case
        for said, statement in zip(sentences(certificate), certificate.statements, strict=True):
            named = statement.compared or (SUBJECTS[statement.about].words.strip(","),)
            assert all(words in said for words in named)
        assert procedure.made in render(certificate)

    def test_says_where_each_choice_was_made_and_what_it_cost(self, case):
        for choice in case[1].choices:
            assert f"({choice.where};" not in choice_words(choice) or choice.where == "given", choice
            assert f"; {choice.cost})" not in choice_words(choice), choice

    def test_is_rechecked_on_its_rows_and_no_others(self, case):
        procedure, certificate, model = case
        if not procedure.repeatable:
            with pytest.raises(ValueError, match="cannot be run again"):
                recheck(certificate, X, Y, model)
            return
        if procedure is procedures.Transfer:  # on rows without labels
            assert recheck(certificate, X[300:], None, model)
            assert not recheck(certificate, X[:100], None, model)
            return
        verification = recheck(certificate, X, Y, model)
        assert verification, str(verification)
        flipped = Y.copy()
        flipped[:40] = 1 - flipped[:40]
        assert not recheck(certificate, X, flipped, model)


class TestCertifyRows:
    @pytest.mark.parametrize(("stop", "split"), [(FixedFraction(0.5), 0.5), (Adaptive(), "adaptive")])
    def test_gives_what_the_estimator_gives(self, stop, split):
        issued = certify_rows(Split(learner=NAIVE, stop=stop, delta=0.05), X, Y, random_state=3).certificate_
        estimator = pb.CertifiedClassifier(GaussianNB(), split=split, random_state=3).fit(X, Y)
        assert issued.statements == estimator.certificate_.statements
        assert issued.digests == estimator.certificate_.digests
        assert issued.seed == 3
        assert recheck(issued, X, Y, estimator)

    def test_other_options_are_noticed(self):
        one, other = (certify_rows(Split(learner=NAIVE, stop=FixedFraction(0.5), delta=d), X, Y) for d in (0.05, 0.1))
        assert not recheck(one.certificate_, X, Y, other)

    def test_another_predictor_is_noticed(self):
        one = certify_rows(Split(learner=NAIVE, stop=FixedFraction(0.5), delta=0.05), X, Y)
        one.issued.stored["predictor"].theta_ += 1.0
        verification = recheck(one.certificate_, X, Y, one)
        assert "predictor" in [check.code for check in verification.failed]

    def test_a_predictor_that_was_not_kept_proves_nothing(self):
        one = certify_rows(Split(learner=NAIVE, stop=FixedFraction(0.5), delta=0.05), X, Y)
        bare = replace(one, issued=replace(one.issued, stored={}))
        assert "predictor" in [check.code for check in recheck(one.certificate_, X, Y, bare).failed]
        assert not compare_numbers({}, {}).held

    @pytest.mark.parametrize("candidates", [0.5, -1, 2.5, True])
    def test_candidates_that_are_no_number_of_settings_are_refused(self, candidates):
        split = Split(learner=NAIVE, stop=FixedFraction(0.5), delta=0.05, candidates=candidates)
        with pytest.raises(ValueError, match="number of candidates must be a whole number of at least 1"):
            certify_rows(split, X, Y)

    @pytest.mark.parametrize("bound", ["nonsense", "sequential", "clopper-pearson"])
    def test_a_bound_that_is_none_on_a_number_of_errors_is_refused(self, bound):
        with pytest.raises(ValueError, match=f"must be one of chernoff, clopper_pearson. Got '{bound}' instead"):
            certify_rows(Split(learner=NAIVE, stop=FixedFraction(0.5), delta=0.05, bound=bound), X, Y)

    def test_checks_rows_and_labels(self):
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            certify_rows(Split(learner=NAIVE, stop=FixedFraction(0.5), delta=0.05), X, Y[:-1])


def test_an_unknown_procedure_is_refused():
    with pytest.raises(ValueError, match=r"The procedure must be one of split, .*\. Got 'magic' instead"):
        procedures.get("magic")
