"""Forged comparisons: a certificate about two models is refused where no two models could have given it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pacbayes as pb
from pacbayes.certificate import issue

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 500)
WORSE, BETTER = (np.where(RNG.random(500) < share, 1 - Y, Y) for share in (0.2, 0.1))
LOSSES = RNG.beta(2.0, 8.0, 300), RNG.beta(2.0, 9.0, 300)
ISSUED = {
    "counts": pb.compare_predictions(Y, WORSE, BETTER),
    "anytime": pb.compare_predictions(Y, WORSE, BETTER, anytime=True),
    "losses": pb.compare_predictions(None, *LOSSES),
    "losses_anytime": pb.compare_predictions(None, *LOSSES, anytime=True),
    "several": pb.compare_predictions(Y, {"one": WORSE, "two": BETTER[::-1].copy()}, {"base": BETTER}),
}


def forge(name, changes=None, observed=None, **record):
    """Issue the certificate again with a statement changed: value, lower limit and digest fit what it says."""
    given = ISSUED[name]
    first = given.statements[0]
    first = replace(first, observed={**first.observed, **(observed or {})}, **(changes or {}))
    statements = [first, *given.statements[1:]]
    options = {"delta": given.delta, "choices": given.choices, "digests": given.digests} | record
    return issue(options.pop("procedure", given.procedure), statements, **options)


@pytest.mark.parametrize("name", ISSUED)
def test_what_was_issued_verifies_and_survives_json(name):
    assert ISSUED[name].verify(), str(ISSUED[name].verify())
    assert forge(name).verify()
    assert pb.Certificate.from_json(ISSUED[name].to_json()) == ISSUED[name]


@pytest.mark.parametrize("name", ISSUED)
@pytest.mark.parametrize("field", ["value", "lower"])
def test_an_edited_limit_is_refused(name, field):
    first = ISSUED[name].statements[0]
    moved = replace(first, **{field: getattr(first, field) * 0.9})
    forged = replace(ISSUED[name], statements=(moved, *ISSUED[name].statements[1:]), digest="")
    assert not forged.verify()


def test_a_comparison_without_its_lower_limit_is_refused():
    forged = replace(ISSUED["counts"], statements=(replace(ISSUED["counts"].statements[0], lower=None),), digest="")
    assert not forged.verify()


@pytest.mark.parametrize(
    ("name", "changes", "observed"),
    [
        ("counts", {}, {"only_first": 0.5}),
        ("counts", {}, {"only_first": True}),
        ("counts", {}, {"unsteady": -3}),
        ("counts", {}, {"only_first": 300, "only_second": 250}),
        ("counts", {}, {"errors": 3}),
        ("counts", {"compared": ("A", "A")}, {}),
        ("counts", {"compared": ("A", "B", "C")}, {}),
        ("counts", {"compared": ("A", "")}, {}),
        ("counts", {"about": "given_predictions"}, {}),
        ("counts", {"about": "compared_models"}, {}),  # without the assumption that rows are predicted by themselves
        ("counts", {"quantity": "loss_difference"}, {}),
        ("counts", {"side": "upper"}, {}),
        ("counts", {"label": "yes"}, {}),
        ("counts", {"group": {"sex": "f"}}, {}),
        ("counts", {"rates": "all_n"}, {}),
        ("counts", {"assumptions": ("iid", "zero_one")}, {}),
        ("counts", {"kl": 0.5}, {}),
        ("counts", {"share": 0.5}, {}),
        ("anytime", {"assumptions": ("iid", "unseen", "zero_one")}, {}),  # not in the order in which they came
        ("anytime", {"rates": "one_n"}, {}),
        ("losses", {"rates": "all_n"}, {}),
        ("losses", {}, {"upper_risk": 0.4}),
        ("losses_anytime", {}, {"upper_risk": 0.3}),
        ("losses_anytime", {}, {"lower_risk": 0.1}),
        ("several", {"compared": ("two", "base")}, {}),  # stated twice
        ("several", {"compared": ("one", "other")}, {}),  # another base
        ("several", {"share": 0.9}, {}),
    ],
)
def test_what_no_two_models_give_is_refused(name, changes, observed):
    try:
        forged = forge(name, changes, observed)
    except (ValueError, KeyError):
        return
    assert not forged.verify()


def test_growth_that_no_losses_have_is_refused():
    growth = [0.5 * each for each in ISSUED["losses_anytime"].statements[0].observed["upper_log_growth"]]
    assert not forge("losses_anytime", observed={"upper_log_growth": growth}).verify()
    blocks = [0.9 * each for each in ISSUED["losses"].statements[0].observed["lower_block_growth"]]
    assert not forge("losses", observed={"lower_block_growth": blocks}).verify()


def test_an_ordinary_statement_cannot_pose_as_a_comparison():
    given = pb.certify_predictions(Y, WORSE)
    first = replace(given.statements[0], compared=("A", "B"))
    assert not replace(given, statements=(first,), digest="").verify()
    moved = replace(ISSUED["counts"], procedure="given", digest="")
    assert not moved.verify()
