"""Folders of networks forged by someone who makes every digest fit: what is refused, and what can only be said."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.torch import save
from typer.testing import CliRunner

from pacbayes.certificate import find_cause
from pacbayes.certificate.verdicts import cause_words
from pacbayes.cli._app import app
from pacbayes.torch import PosteriorTraining, load, train, verify
from pacbayes.torch.states import state_bytes

from networks.tampering import (
    TRAINING,
    X,
    Y,
    copy,
    edit_record,
    edit_weights,
    failed,
    fit_gaussian,
    fit_network,
    lower_count,
    read_certificate,
    read_record,
    reissue,
    sha256,
    write_certificate,
    write_weights,
)

KINDS = ("deterministic", "last", "linear", "prior")


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    place = tmp_path_factory.mktemp("originals")
    fit_network().save(place / "deterministic")
    fit_network(random_state=1).save(place / "other")
    fit_gaussian().save(place / "last")
    fit_gaussian(layers="linear").save(place / "linear")
    fit_gaussian(posterior_training=PosteriorTraining(epochs=0)).save(place / "prior")
    return place


@pytest.fixture
def folder(originals, tmp_path):
    """A folder of one's own, by kind."""
    return lambda kind: copy(originals / kind, tmp_path / kind)


def shifted(tensors):
    return {name: value + 0.01 if value.is_floating_point() else value for name, value in tensors.items()}


# -- other weights ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_other_weights(folder, kind):
    place = folder(kind)
    edit_weights(place, shifted, certified=False)
    with pytest.raises(ValueError, match="not those that its certificate was issued for"):
        load(place)
    assert failed(verify(place)) == {"network"}
    assert failed(verify(place, X, Y)) == {"network"}


@pytest.mark.parametrize("kind", KINDS)
def test_other_weights_and_every_digest_made_to_fit(folder, kind):
    """Another network than the one that was judged makes other errors."""
    place = folder(kind)
    edit_weights(place, negative)
    assert verify(place)  # without the rows nobody can tell
    assert failed(verify(place, X, Y)) & {"statement", "expected_errors", "draws"}


def negative(tensors):
    """Weights with the other sign, of prior and posterior alike, so that the divergence stays as it is."""
    return {name: value if "scale" in name else -value for name, value in tensors.items()}


def test_a_byte_changed_on_the_way(folder):
    place = folder("deterministic")
    data = bytearray((place / "network.safetensors").read_bytes())
    data[-1] ^= 1
    (place / "network.safetensors").write_bytes(data)
    assert failed(verify(place)) == {"file", "network"}


def test_two_folders_mixed(originals, folder):
    place = folder("deterministic")
    for name in ("network.json", "network.safetensors"):
        (place / name).write_bytes((originals / "other" / name).read_bytes())
    with pytest.raises(ValueError, match="belongs to another network"):
        load(place)
    assert failed(verify(place, X, Y)) == {"belongs", "network"}


# -- other numbers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_lower_count(folder, kind):
    place = folder(kind)
    old = read_certificate(place)
    errors = old.statements[0].drawn.errors if kind == "linear" else old.statements[0].observed["errors"]
    write_certificate(place, lower_count(old, by=1 if kind != "last" else 0.01 * errors))
    assert read_certificate(place).value < old.value
    assert verify(place)
    assert failed(verify(place, X, Y)) & {"statement", "expected_errors", "draws"}


def test_a_smaller_divergence(folder):
    place = folder("last")
    old = read_certificate(place)
    write_certificate(place, reissue(old, statement={"kl": old.statements[0].kl * 0.9}))
    assert failed(verify(place, X, Y)) == {"divergence"}


def test_draws_from_a_seed_that_was_chosen(folder):
    """The seed of the draws follows from that of the rows: whoever tries many has to record another."""
    place = folder("linear")
    old = read_certificate(place)
    choices = [replace(each, value=each.value + 1) if each.what == "draw_seed" else each for each in old.choices]
    write_certificate(place, reissue(old, choices=choices))
    assert "draw_seed" in failed(verify(place, X, Y))


def test_draws_that_are_invented(folder):
    place = folder("linear")
    old = read_certificate(place)
    write_certificate(place, lower_count(old, by=old.statements[0].drawn.errors))
    assert {"draws", "fresh_draws"} <= failed(verify(place, X, Y))


def test_a_prior_that_was_not_settled(folder):
    """Clopper-Pearson is for a posterior that is the prior, and not for one that was trained."""
    place, other = folder("last"), folder("prior")
    record = read_record(place)
    for name in ("certificate.json", "network.json"):
        (place / name).write_bytes((other / name).read_bytes())
    edit_record(place, files=record["files"])
    old = read_certificate(place)
    digests = {**old.digests, "network": record["files"]["network.safetensors"]}
    write_certificate(place, reissue(old, digests=digests))
    assert "divergence" in failed(verify(place, X, Y))
    edit_record(place, settled=False)
    assert "settled_prior" in failed(verify(place, X, Y))


def test_prior_and_posterior_exchanged(folder):
    place = folder("last")
    names = {"mean": "prior_mean", "prior_mean": "mean", "scale": "prior_scale", "prior_scale": "scale"}

    def exchange(tensors):
        parts = ((name.partition("."), value) for name, value in tensors.items())
        return {f"{names.get(of, of)}.{rest}": value for (of, _, rest), value in parts}

    edit_weights(place, exchange)
    assert failed(verify(place, X, Y)) & {"divergence", "expected_errors"}


@pytest.mark.parametrize("value", [-0.03, 0.0, float("nan"), float("inf")])
def test_scales_that_are_none(folder, value):
    place = folder("last")
    edit_weights(
        place,
        lambda tensors: {
            name: torch.full_like(each, value) if name.startswith("scale.") else each for name, each in tensors.items()
        },
    )
    with pytest.raises(ValueError, match="must be positive and finite"):
        verify(place, X, Y)


def test_a_deterministic_network_passed_off_as_a_gaussian(folder):
    place = folder("deterministic")
    edit_record(place, kind="gaussian", layers="last", settled=False)
    assert failed(verify(place)) == {"procedure"}


# -- other rows ------------------------------------------------------------------------------------------------------


def forge_seed(folder, seed):
    """Claim that the rows came in another order, and count again on what are then the judged rows."""
    network = fit_network()  # learned in the order of the seed 0
    honest = fit_network(random_state=seed)
    judged = honest.order_[honest.n_learning_ :]
    wrong = network.predict(X[judged]) != Y[judged]
    errors = int(np.sum(wrong | network.near_ties(X[judged])))
    statement = {"observed": {"errors": errors}}
    digests = {**honest.certificate_.digests, "network": network.certificate_.digests["network"]}
    network.save(folder)
    write_certificate(folder, reissue(honest.certificate_, statement=statement, digests=digests))
    edit_record(folder, seed=honest.seed_)
    return folder


def test_learning_rows_passed_off_as_judged_rows(tmp_path):
    """Half of the judged rows are then rows that it learned from: only learning again finds out."""
    place = forge_seed(tmp_path / "swapped", seed=1)
    result = verify(place, X, Y)
    assert result
    assert "not_learned_again" in result.proves
    assert "learned from the learning rows alone is not proved" in str(result)
    result = verify(place, X, Y, learn=True)
    assert failed(result) == {"learned_again"}
    assert 0.5 < result.failed[0].found < 1.0


def test_a_network_that_learned_from_the_judged_rows(tmp_path):
    model = fit_network()
    model.save(tmp_path / "peeked")
    module = train(model.estimator_.module_, X.astype(np.float32), Y, TRAINING, seed=5)
    judged = model.order_[model.n_learning_ :]
    wrong = model.predict(X[judged]) != Y[judged]
    errors = int(np.sum(wrong | model.near_ties(X[judged])))
    old = read_certificate(tmp_path / "peeked")
    assert errors < old.statements[0].observed["errors"]
    write_certificate(tmp_path / "peeked", reissue(old, statement={"observed": {"errors": errors}}))
    write_weights(tmp_path / "peeked", state_bytes(module))
    result = verify(tmp_path / "peeked", X, Y)
    assert result
    assert "not_learned_again" in result.proves
    assert failed(verify(tmp_path / "peeked", X, Y, learn=True)) == {"learned_again"}


def test_other_options_of_learning(folder):
    """Options that would give another network are of no use: it does not come out."""
    place = folder("deterministic")
    learning = read_record(place)["learning"]
    edit_record(place, learning=learning | {"training": learning["training"] | {"learning_rate": 0.02}})
    assert failed(verify(place, X, Y, learn=True)) == {"learned_again"}


@pytest.mark.parametrize("fit", [fit_network, fit_gaussian])
def test_an_order_of_ones_own(tmp_path, monkeypatch, fit):
    """Rows that are easy are judged, in an order that is stored with a digest: no seed gives it."""
    easy = np.argsort(fit().predict(X) == Y, kind="stable")
    monkeypatch.setattr("pacbayes.estimators.base.draw_order", lambda *_, **__: (easy, 7))
    monkeypatch.setattr("pacbayes.estimators.base.find_seed", lambda _: None)
    place = tmp_path / "chosen"
    model = fit(random_state=np.random.RandomState(0))
    assert "order_not_reproducible" in [note.code for note in model.certificate_.notes]
    model.save(place)
    data = save({"order": torch.from_numpy(easy)})
    (place / "order.safetensors").write_bytes(data)
    edit_record(place, files=read_record(place)["files"] | {"order.safetensors": sha256(data)})
    assert verify(place)  # the numbers follow from the counts
    for learn in (False, True):
        found = verify(place, X, Y, learn=learn)
        assert failed(found) == {"order_of_seed"}
        assert "may have been chosen after a look at the rows" in cause_words(find_cause(found))
    write_certificate(place, reissue(read_certificate(place), seed=0, notes=()))
    assert {"order", "seed"} & failed(verify(place, X, Y))


# -- near-ties -------------------------------------------------------------------------------------------------------


def scale_last_layer(folder, factor):
    """Multiply all outputs by a factor, which leaves the argmax as it is."""
    names = sorted(load(folder).module_.state_dict())[-2:]
    edit_weights(
        folder, lambda tensors: {name: each * factor if name in names else each for name, each in tensors.items()}
    )


def write_count(folder, errors):
    write_certificate(folder, reissue(read_certificate(folder), statement={"observed": {"errors": errors}}))


def count_errors(folder, ties):
    """Count the errors of a folder's network on its judged rows, by hand."""
    network, n = load(folder), read_certificate(folder).n
    judged = np.random.RandomState(0).permutation(len(Y))[-n:]
    scores = network.scores(X[judged])
    ordered = np.sort(scores, axis=1)
    near = ordered[:, -1] - ordered[:, -2] < 1e-4 * ties * np.maximum(1.0, np.abs(scores).max(axis=1))
    return int(np.sum(near | (network.classes_[scores.argmax(axis=1)] != Y[judged])))


def test_a_network_of_near_ties(folder):
    """With outputs that hardly differ every row is an error: those of the argmax alone are too few."""
    place = folder("deterministic")
    n = read_certificate(place).n
    scale_last_layer(place, 1e-7)
    assert failed(verify(place, X, Y)) == {"statement"}
    write_count(place, n)
    assert verify(place, X, Y)


def test_rows_at_the_edge_of_the_tolerance(folder):
    """Another machine's rounding may move rows over the edge: a count in between holds, and no other."""
    place = folder("deterministic")
    ordered = np.sort(load(place).scores(X), axis=1)
    scale_last_layer(place, 1e-4 / np.quantile(ordered[:, -1] - ordered[:, -2], 0.2))
    fewest, count, most = (count_errors(place, each) for each in (0.5, 1.0, 2.0))
    assert fewest < count < most
    for errors, holds in ((fewest - 1, False), (fewest, True), (count, True), (most, True), (most + 1, False)):
        write_count(place, errors)
        assert bool(verify(place, X, Y)) == holds, errors


def test_the_tolerance_is_no_setting(folder):
    place = folder("deterministic")
    edit_record(place, tie=1e-9)
    with pytest.raises(ValueError, match="'tie' is not one of its fields"):
        verify(place, X, Y)


def test_a_certificate_beside_the_one_that_belongs_there(folder, tmp_path):
    """What is printed as verified is the certificate that was verified, by whatever name another one lies beside it."""
    place = folder("deterministic")
    (place / "better.json").write_text(lower_count(read_certificate(place), by=5).to_json())
    np.savez(tmp_path / "rows.npz", x=X, y=Y)
    found = CliRunner().invoke(app, ["verify", str(place / "better.json"), "--data", str(tmp_path / "rows.npz")])
    assert found.exit_code == 2
    found = CliRunner().invoke(app, ["verify", str(place / "better.json")])
    assert found.exit_code == 0
    assert "not checked: the data and the predictor" in found.output
