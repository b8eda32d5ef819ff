"""Forged certificates of networks: what the certificate's own check refuses, and what only the rows can tell."""

import json
from dataclasses import dataclass, replace

import numpy as np
import pytest

import pacbayes as pb
from pacbayes.certificate import POSTERIOR_IS_PRIOR, Choice, Drawn, evaluate_statement, find_cause
from pacbayes.procedures import Network, Sample, certify_rows, draw_order, draw_seed, judge_again
from pacbayes.verification import recheck

from procedures.linear_network import LinearLearner, LinearNetwork

SAMPLE = pb.datasets.make_known_risk(600, d=2, random_state=0)
X, Y = SAMPLE.X, SAMPLE.y
KINDS = {"exact": {}, "drawn": {"is_drawn": True}, "prior": {"is_prior": True}}


@dataclass
class Keeper:
    """A network that was loaded from a folder."""

    network: LinearNetwork
    order_: np.ndarray
    seed_: int

    def learned_network(self):
        return self.network


def issue(name, passes=3):
    run = certify_rows(
        Network(learner=LinearLearner(**KINDS[name]), fraction=0.5, delta=0.05, passes=passes), X, Y, random_state=0
    )
    return run.certificate_, Keeper(LinearLearner(**KINDS[name]).learn(run.sample, 300), run.order_, run.seed_)


@pytest.fixture(scope="module", params=KINDS)
def case(request):
    return issue(request.param)


@pytest.fixture(scope="module")
def exact():
    return issue("exact")


@pytest.fixture(scope="module")
def drawn():
    return issue("drawn")


@pytest.fixture(scope="module")
def prior():
    return issue("prior")


def forge(certificate, statement=None, drop=(), add=(), **changes):
    """Change a statement and choices, compute value and digest anew, so that all arithmetic fits."""
    first = replace(certificate.statements[0], **statement or {})
    first = replace(first, value=evaluate_statement(first, certificate.delta / certificate.candidates))
    choices = (*(each for each in certificate.choices if each.what not in drop), *add)
    return replace(certificate, **{"statements": (first,), "choices": choices, "digest": ""} | changes)


def refused(forged, code="claims"):
    return code in {check.code for check in forged.verify().failed}


def failed(forged, keeper):
    return {check.code for check in recheck(forged, X, Y, keeper).failed}


def test_what_was_issued_passes_everything(case):
    certificate, keeper = case
    assert certificate.verify(), str(certificate.verify())
    verification = recheck(certificate, X, Y, keeper)
    assert verification, str(verification)
    assert verification.proves == ("judged_again", "not_learned_again", "not_collection")
    assert pb.Certificate.from_json(certificate.to_json()) == certificate


class TestRefusedByItself:
    """No data are needed to see that these cannot be."""

    def test_a_divergence_dropped_by_calling_the_posterior_the_prior(self, exact, drawn):
        """Clopper-Pearson is for what was settled beforehand, which has to be recorded with its draws."""
        for certificate, _ in (exact, drawn):
            changes = {
                "about": "prior_draw",
                "bound": "clopper_pearson",
                "observed": {"errors": 30},
                "rates": None,
                "drawn": None,
                "assumptions": ("iid", "nothing_before", "scores_by_row", "drawn_once"),
            }
            assert refused(forge(certificate, changes | {"kl": 0.0}))
            assert refused(forge(certificate, changes, add=[POSTERIOR_IS_PRIOR], drop=("rate",)))

    def test_a_prior_that_was_chosen_on_all_rows(self, prior):
        chosen = replace(POSTERIOR_IS_PRIOR, where="all_rows")
        assert refused(forge(prior[0], drop=("posterior",), add=[chosen]))
        assert refused(forge(prior[0], add=[POSTERIOR_IS_PRIOR]))
        assert refused(forge(prior[0], drop=("posterior",)))

    def test_the_other_way_round(self, prior):
        """An optimised posterior says nothing of having been settled to be the prior."""
        changes = {"about": "network_draw", "bound": "maurer"}
        assert refused(forge(prior[0], changes))
        assert refused(forge(prior[0], changes, drop=("posterior",)))  # draws without their share of delta

    @pytest.mark.parametrize(
        "statement",
        [
            {"kl": 0.5},
            {"bound": "chernoff"},
            {"observed": {"errors": 30.5}},
            {"observed": {"errors": -1}},
            {"observed": {"errors": 301}},
            {"observed": {}},
            {"drawn": Drawn(30, 300, 0.1)},
            {"assumptions": ("iid", "nothing_before", "scores_by_row")},
            {"quantity": "recall", "label": "1", "side": "lower"},
        ],
        ids=str,
    )
    def test_an_edited_prior(self, prior, statement):
        try:
            forged = forge(prior[0], statement)
        except (ValueError, KeyError):  # not even a number comes of it
            first = replace(prior[0].statements[0], **statement)
            forged = replace(prior[0], statements=(first,), digest="")
        assert not forged.verify()

    @pytest.mark.parametrize(
        "changed",
        [
            {"errors": -1},
            {"errors": 901},
            {"draws": 901},
            {"draws": 1800},  # other passes than were settled
            {"draws": 300},
            {"share": 0.05},
            {"share": 0.3},
        ],
        ids=str,
    )
    def test_edited_draws(self, drawn, changed):
        record = replace(drawn[0].statements[0].drawn, **changed)
        try:
            forged = forge(drawn[0], {"drawn": record})
        except ValueError:
            forged = replace(drawn[0], statements=(replace(drawn[0].statements[0], drawn=record),), digest="")
        assert not forged.verify()

    @pytest.mark.parametrize(
        "changed",
        [{"share": 0.0}, {"share": 1.0}, {"errors": 4.5}, {"draws": 0}, {"draws": 1.5}, {"errors": True}, {"more": 1}],
        ids=str,
    )
    def test_draws_that_are_not_of_the_schema(self, drawn, changed):
        record = json.loads(drawn[0].to_json())
        record["statements"][0]["drawn"] |= changed
        with pytest.raises(ValueError, match="field"):
            pb.Certificate.from_json(json.dumps(record))

    def test_draws_that_are_not_counted(self, drawn):
        """Taken for exact, the share of errors among draws would need no part of delta."""
        first = drawn[0].statements[0]
        errors = first.drawn.errors / first.drawn.draws * first.n
        known = {"drawn": None, "observed": {"errors": errors}}
        assert refused(forge(drawn[0], known))  # draws are recorded as chosen
        assert refused(forge(drawn[0], {"observed": {"errors": 1.0}}), "observed")

    @pytest.mark.parametrize("what", ["draws", "draw_seed", "learning_rows"])
    def test_choices_that_are_left_out_or_made_twice(self, drawn, what):
        chosen = next(each for each in drawn[0].choices if each.what == what)
        assert refused(forge(drawn[0], drop=(what,)))
        assert refused(forge(drawn[0], add=[chosen]))
        assert refused(forge(drawn[0], drop=(what,), add=[replace(chosen, where="all_rows")]))

    def test_draws_of_another_kind_of_predictor(self):
        statement = pb.certify_predictions([0, 1] * 200, [0, 1] * 200)
        forged = forge(statement, {"drawn": Drawn(0, 4000, 0.1), "observed": {}, "bound": "clopper_pearson"})
        assert not forged.verify()

    def test_a_rate_from_nowhere(self, exact):
        assert refused(forge(exact[0], {"rates": 0.9}))
        assert refused(forge(exact[0], {"rates": 0.9}, drop=("rate",), add=[Choice("rate", 0.9, "all_rows")]))

    def test_a_reference_or_groups_beside_it(self, exact):
        assert refused(forge(exact[0], {"group": {"a": "b"}}))

    def test_a_network_without_its_digest(self, case):
        certificate, _ = case
        digests = {name: each for name, each in certificate.digests.items() if name != "network"}
        assert refused(forge(certificate, digests=digests))

    def test_another_procedure(self, case):
        assert refused(forge(case[0], procedure="split"))


class TestFitsInItself:
    """The arithmetic holds; the rows and the stored network say otherwise."""

    def check(self, forged, keeper, *codes):
        assert forged.verify(), str(forged.verify())
        assert failed(forged, keeper) == set(codes)
        assert find_cause(recheck(forged, X, Y, keeper)) is not None

    def test_a_smaller_divergence(self, exact):
        self.check(forge(exact[0], {"kl": exact[0].statements[0].kl / 2}), exact[1], "divergence")

    def test_fewer_expected_errors(self, exact):
        errors = exact[0].statements[0].observed["errors"]
        self.check(forge(exact[0], {"observed": {"errors": errors * 0.99}}), exact[1], "expected_errors")

    def test_fewer_errors_of_draws(self, drawn):
        record = drawn[0].statements[0].drawn
        fewer = replace(record, errors=record.errors - 5)
        self.check(forge(drawn[0], {"drawn": fewer}), drawn[1], "draws")

    def test_far_fewer_errors_of_draws(self, drawn):
        fewer = replace(drawn[0].statements[0].drawn, errors=0)
        self.check(forge(drawn[0], {"drawn": fewer}), drawn[1], "draws", "fresh_draws")

    def test_fewer_errors_of_a_prior(self, prior):
        fewer = {"observed": {"errors": prior[0].statements[0].observed["errors"] - 3}}
        self.check(forge(prior[0], fewer), prior[1], "draws")

    def test_a_seed_that_draws_fewer(self, prior):
        """Draws may not be repeated until they look well: their seed is that of the order."""
        certificate, keeper = prior
        sample = Sample(X, Y, keeper.order_, keeper.seed_, 0)
        counts = {seed: keeper.network.draw_errors(sample, 300, 1, seed) for seed in range(40)}
        best = min(counts, key=counts.get)
        assert counts[best] < certificate.statements[0].observed["errors"]
        chosen = [Choice("draw_seed", best, "given")]
        forged = forge(certificate, {"observed": {"errors": counts[best]}}, drop=("draw_seed",), add=chosen)
        self.check(forged, keeper, "draw_seed", "draws")

    def test_an_optimised_posterior_as_a_settled_prior(self, exact):
        """The whole kit: kl dropped, the choice and the draws recorded as the library would."""
        certificate, keeper = exact
        seed = draw_seed(keeper.seed_)
        errors = keeper.network.draw_errors(Sample(X, Y, keeper.order_, keeper.seed_, 0), 300, 1, seed)
        forged = forge(
            certificate,
            {
                "about": "prior_draw",
                "bound": "clopper_pearson",
                "observed": {"errors": errors},
                "kl": 0.0,
                "rates": None,
                "assumptions": ("iid", "nothing_before", "scores_by_row", "drawn_once"),
            },
            drop=("rate",),
            add=[POSTERIOR_IS_PRIOR, Choice("draws", 1, "given"), Choice("draw_seed", seed, "given")],
        )
        self.check(forged, keeper, "divergence", "settled_prior", "choices")

    def test_draws_as_if_they_were_expected_errors(self, drawn):
        """No part of delta is then given to draws."""
        first = drawn[0].statements[0]
        errors = first.drawn.errors / first.drawn.draws * first.n
        known = {"drawn": None, "observed": {"errors": errors}, "assumptions": first.assumptions[:-1]}
        self.check(forge(drawn[0], known, drop=("draws", "draw_seed")), drawn[1], "draws")

    def test_another_network(self, case):
        certificate, keeper = case
        network = replace(keeper.network, mean=keeper.network.mean + 1e-3)
        assert "network" in failed(certificate, replace(keeper, network=network))

    def test_other_rows_learned_from(self, case):
        certificate, keeper = case
        other = forge(certificate, drop=("learning_rows",), add=[Choice("learning_rows", 299, "given")])
        self.check(other, keeper, "rows")

    def test_another_order(self, case):
        certificate, keeper = case
        order, seed = draw_order(1, len(Y))
        assert "order_of_seed" in failed(certificate, replace(keeper, order_=order, seed_=seed))

    def test_other_labels(self, case):
        certificate, keeper = case
        assert "data" in {each.code for each in recheck(certificate, X, 1 - Y, keeper).failed}


def test_near_ties_may_fall_to_either_side(drawn):
    """A count that lies between those of half and of twice the tolerance is the same network on another machine."""
    certificate, keeper = drawn
    sample = Sample(X, Y, keeper.order_, keeper.seed_, 0)
    counts = [
        keeper.network.draw_errors(sample, 300, 3, draw_seed(keeper.seed_), ties=ties) for ties in (0.5, 1.0, 2.0)
    ]
    assert counts == sorted(counts)
    assert counts[1] == certificate.statements[0].drawn.errors
    checks = judge_again(certificate, sample, keeper.network, fresh_seed=5)
    assert all(check.held for check in checks)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"bound": "chernoff"}, "'bound' of Network must be one of betting, maurer"),
        ({"fraction": 1.0}, r"'fraction' of Network must lie in \[0, 1\)"),
        ({"passes": 0}, "'passes' of Network must be a whole number"),
    ],
)
def test_bad_options(options, words):
    with pytest.raises(ValueError, match=words):
        Network(**{"learner": LinearLearner(), "fraction": 0.5, "delta": 0.05} | options)


def test_a_prior_must_not_have_moved():
    class Moved(LinearLearner):
        def learn(self, sample, count):
            return replace(LinearLearner().learn(sample, count), is_prior=True)

    with pytest.raises(ValueError, match="must have a divergence of 0"):
        certify_rows(Network(learner=Moved(), fraction=0.5, delta=0.05), X, Y)


@pytest.mark.parametrize("errors", [np.full(300, 1.5), np.full(299, 0.5), np.full(300, np.nan), np.full(300, -0.1)])
def test_expected_errors_must_be_probabilities(errors, monkeypatch):
    monkeypatch.setattr(LinearNetwork, "expected_errors", lambda *_: errors)
    with pytest.raises(ValueError, match="must be 300 numbers in"):
        certify_rows(Network(learner=LinearLearner(), fraction=0.5, delta=0.05), X, Y)


def test_a_prior_without_data():
    run = certify_rows(Network(learner=LinearLearner(), fraction=0.0, delta=0.05, bound="maurer"), X, Y)
    assert run.certificate_.verify()
    assert run.certificate_.n == 600
    assert run.issued.fitted["n_learning_"] == 0
