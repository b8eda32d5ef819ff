"""Folders of Gaussian networks whose certificates say something else of rows, prior or draws than there is."""

from dataclasses import replace

import numpy as np
import pytest

from pacbayes.certificate import Choice
from pacbayes.procedures import CertificateWarning
from pacbayes.torch import load, verify

from networks.tampering import (
    X,
    Y,
    copy,
    edit_form,
    edit_record,
    edit_weights,
    failed,
    fit_gaussian,
    fit_network,
    read_certificate,
    reissue,
    write_certificate,
)

ROWS, LABELS = np.concatenate([X[:500], X[:500]]), np.concatenate([Y[:500], Y[:500]])


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    place = tmp_path_factory.mktemp("originals")
    fit_network().save(place / "one")
    fit_gaussian().save(place / "last")
    fit_gaussian(layers="linear").save(place / "linear")
    return place


@pytest.fixture
def folder(originals, tmp_path):
    return lambda kind: copy(originals / kind, tmp_path / kind)


def change(certificate, what, **changes):
    return [replace(each, **changes) if each.what == what else each for each in certificate.choices]


@pytest.mark.filterwarnings(f"ignore::{CertificateWarning.__module__}.{CertificateWarning.__name__}")
def test_a_note_that_was_left_out(tmp_path):
    """Half of the judged rows are learning rows: whoever drops the note hides it."""
    fit_gaussian(ROWS, LABELS).save(tmp_path / "repeated")
    old = read_certificate(tmp_path / "repeated")
    assert [each.code for each in old.notes] == ["judged_rows_learned"]
    assert verify(tmp_path / "repeated", ROWS, LABELS)
    write_certificate(tmp_path / "repeated", reissue(old, notes=()))
    assert failed(verify(tmp_path / "repeated", ROWS, LABELS)) == {"notes"}


@pytest.mark.parametrize(
    ("what", "changes"),
    [
        ("prior_scale", {"value": 10.0}),
        ("prior_mean", {"value": "zero", "where": "given"}),
        ("layers", {"value": "all"}),
    ],
)
def test_a_prior_other_than_the_stored_one(folder, what, changes):
    """A prior that is said to have seen no data, above all."""
    place = folder("last")
    old = read_certificate(place)
    write_certificate(place, reissue(old, choices=change(old, what, **changes)))
    assert failed(verify(place, X, Y)) - {"choices"} == {"prior"}


def test_scales_of_the_prior_that_differ_from_weight_to_weight(folder):
    place = folder("last")

    def widen(tensors):
        return {
            name: value * (1.0 + 0.5 * (value.ndim == 1)) if "scale" in name else value
            for name, value in tensors.items()
        }

    edit_weights(place, widen)
    assert "prior" in failed(verify(place, X, Y))


def test_more_draws_than_anyone_would_repeat(folder):
    """They would take years to count again."""
    place = folder("linear")
    old = read_certificate(place)
    drawn = old.statements[0].drawn
    more = replace(drawn, errors=drawn.errors * 10**9, draws=drawn.draws * 10**9)
    write_certificate(place, reissue(old, statement={"drawn": more}, choices=change(old, "draws", value=10**9)))
    assert failed(verify(place, X, Y)) == {"claims"}


def test_rows_of_another_size_are_seen_before_anything_is_computed(folder):
    place = folder("last")
    assert failed(verify(place, X[:, :32], Y)) == {"columns"}
    edit_form(place, input_shape=[8, 8])
    assert failed(verify(place, np.tile(X, 2), Y)) == {"columns"}


def test_a_share_held_out_is_learned_again(tmp_path):
    fit_gaussian(held_out=0.2).save(tmp_path / "held-out")
    assert verify(tmp_path / "held-out", X, Y, learn=True)


def test_classes_that_no_logit_stands_for(folder):
    place = folder("last")
    edit_form(place, classes=list(range(11)))
    with pytest.raises(ValueError, match="one logit for each of 11 classes"):
        verify(place, X, Y)


@pytest.mark.parametrize("kind", ["one", "last", "linear"])
@pytest.mark.parametrize("changes", [{"classes": list(range(9, -1, -1))}, {"input_shape": [8, 8]}], ids=str)
def test_another_predictor_of_the_same_weights(folder, kind, changes):
    """Outputs that stand for other labels: nobody who has the folder alone may take that for what was certified."""
    place = folder(kind)
    edit_record(place, **changes)
    assert failed(verify(place)) == {"network_form"}
    with pytest.raises(ValueError, match="Classes, shape or architecture"):
        load(place)


@pytest.mark.parametrize("kind", ["last", "linear"])
def test_a_rate_that_was_chosen_afterwards(folder, kind):
    """The best rate for what was counted, said to have been predicted on learning rows."""
    place = folder(kind)
    old = read_certificate(place)
    forged = [
        reissue(old, statement={"rates": rate}, choices=change(old, "rate", value=rate))
        for rate in (0.8, 0.9, 1.1, 1.2) * np.array(old.statements[0].rates)
    ]
    best = min(forged, key=lambda each: each.value)
    assert best.value < old.value
    write_certificate(place, best)
    assert failed(verify(place, X, Y)) == {"rate"}
    for rows in (0, len(Y), "many"):
        write_certificate(place, reissue(best, choices=change(best, "held_out", value=rows)))
        assert {"rate", "choices", "claims"} & failed(verify(place, X, Y))


@pytest.mark.parametrize("kind", ["last", "linear"])
def test_choices_left_out_or_invented(folder, kind):
    """That the posterior was chosen on all rows, above all."""
    place = folder(kind)
    old = read_certificate(place)
    for what in ("posterior_mean", "objective", "held_out", "prior_scale", "bound", "candidates"):
        kept = [each for each in old.choices if each.what != what]
        write_certificate(place, reissue(old, choices=kept))
        assert {"choices", "rate"} & failed(verify(place, X, Y)), what
    for more in (Choice("audit", "passed", "given"), old.choices[1]):
        write_certificate(place, reissue(old, choices=[*old.choices, more]))
        assert "choices" in failed(verify(place, X, Y)), more
    for what, changes in (("objective", {"value": "magic"}), ("posterior_mean", {"where": "learning_rows"})):
        write_certificate(place, reissue(old, choices=change(old, what, **changes)))
        assert {"choices", "rate"} & failed(verify(place, X, Y)), what
    write_certificate(place, reissue(old, choices=change(old, "prior_mean", value="initial", where="given")))
    assert "choices" in failed(verify(place, X, Y))
