"""Whatever a network was fitted with is kept in its folder, so that the fit can be done again."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
import torch
from typer.testing import CliRunner

from pacbayes.certificate import issue
from pacbayes.cli._app import app
from pacbayes.procedures import CertificateWarning
from pacbayes.torch import (
    CertifiedNetwork,
    Training,
    fully_connected,
    load,
    verify,
)

from networks.tampering import (
    FACTORY,
    TRAINING,
    X,
    Y,
    failed,
    fit_gaussian,
    fit_network,
    read_certificate,
    read_record,
    reissue,
    write_certificate,
)


def test_learning_of_ones_own_cannot_be_repeated(tmp_path):
    def learn(module, rows, labels):
        return module

    fit_network(training=None, fitter=learn).save(tmp_path / "own")
    assert verify(tmp_path / "own", X, Y)
    with pytest.raises(ValueError, match="a function of its user's own"):
        verify(tmp_path / "own", X, Y, learn=True)
    augmented = Training(epochs=1, augment=lambda batch, generator: batch)
    fit_network(training=augmented).save(tmp_path / "augmented")
    with pytest.raises(ValueError, match="a function of its user's own"):
        verify(tmp_path / "augmented", X, Y, learn=True)


def test_a_gaussian_around_a_given_module(tmp_path):
    start = FACTORY()
    fit_gaussian(factory=start).save(tmp_path / "given")
    assert verify(tmp_path / "given", X, Y)
    with pytest.raises(ValueError, match="pass that module as module="):
        verify(tmp_path / "given", X, Y, learn=True)
    assert verify(tmp_path / "given", X, Y, learn=True, module=start)


@pytest.mark.parametrize("state", [None, np.random.RandomState(3)])
def test_a_seed_is_drawn_where_none_is_given(tmp_path, state):
    """It is recorded, so that the order can be drawn again, and no order is stored."""
    model = fit_network(random_state=state)
    model.save(tmp_path / "drawn")
    assert sorted(each.name for each in (tmp_path / "drawn").iterdir()) == [
        "certificate.json",
        "network.json",
        "network.safetensors",
    ]
    assert model.certificate_.seed is not None
    assert np.array_equal(model.order_, np.random.RandomState(model.certificate_.seed).permutation(len(Y)))
    assert verify(tmp_path / "drawn", X, Y, learn=True)


def test_rows_as_they_came(tmp_path):
    model = CertifiedNetwork(FACTORY, training=TRAINING, split=0.5, random_state=0).fit(X, Y, in_order=True)
    model.save(tmp_path / "later")
    assert verify(tmp_path / "later", X, Y, learn=True)


def test_a_class_without_learning_rows(tmp_path):
    labels = Y.copy()
    labels[np.random.RandomState(0).permutation(len(Y))[-3:]] = 11  # the last judged rows
    model = fit_network(labels=labels)
    model.save(tmp_path / "rare")
    assert len(model.classes_) == 11
    assert len(load(tmp_path / "rare").classes_) == 10
    assert verify(tmp_path / "rare", X, labels, learn=True)


def test_notes_are_those_of_the_rows(tmp_path):
    """A note that was taken away is missed, but for one that arrays cannot tell."""
    order = np.argsort(Y, kind="stable")
    frame = pd.DataFrame(X[order], index=pd.date_range("2020-01-01", periods=len(Y)))
    with pytest.warns(CertificateWarning):
        model = fit_network(frame, Y[order])
    model.save(tmp_path / "noted")
    assert [each.code for each in model.certificate_.notes] == ["sorted_by_label", "time_index"]
    assert verify(tmp_path / "noted", X[order], Y[order], learn=True)
    write_certificate(tmp_path / "noted", reissue(model.certificate_, notes=model.certificate_.notes[1:]))
    assert failed(verify(tmp_path / "noted", X[order], Y[order])) == {"notes"}


def test_groups_given_beside_the_rows(tmp_path):
    groups = {"half": np.arange(len(Y)) % 2}
    model = CertifiedNetwork(FACTORY, training=TRAINING, split=0.5, random_state=0).fit(X, Y, grouping=groups)
    model.save(tmp_path / "grouped")
    assert verify(tmp_path / "grouped", X, Y, grouping=groups)
    other = {"half": np.arange(len(Y)) % 3 % 2}
    assert not verify(tmp_path / "grouped", X, Y, grouping=other)
    with pytest.raises(ValueError, match="pass grouping="):
        verify(tmp_path / "grouped", X, Y)


COSTS = 1.0 - np.eye(2) + np.array([[0.0, 3.0], [0.0, 0.0]])


@pytest.mark.parametrize(
    "options",
    [
        {"metrics": {"error": 3, "balanced-error": 1, "precision:1": 1, "brier": 1, "log-loss": 1}, "candidates": 3},
        {"metrics": ("cost", "error"), "cost": COSTS},
        {"metrics": ("error", "fnr:1"), "groups": [0], "differences": True},
        {"split": "adaptive", "classes": [1, 0]},
    ],
    ids=["metrics", "cost", "groups", "adaptive"],
)
def test_every_statement_is_judged_again(tmp_path, options):
    rows, labels = np.column_stack([np.arange(len(Y)) % 2, X]).astype(np.float32), Y % 2
    model = fit_network(rows, labels, factory=partial(fully_connected, 65, 8, 2), **options)
    model.save(tmp_path / "all")
    result = verify(tmp_path / "all", rows, labels, learn=True)
    assert result, str(result)
    old = read_certificate(tmp_path / "all")
    counted = [place for place, each in enumerate(old.statements) if isinstance(each.observed.get("errors"), int)]
    for place in counted:
        write_certificate(tmp_path / "all", forge_statement(old, place))
        assert failed(verify(tmp_path / "all", rows, labels))


def forge_statement(certificate, place):
    """A certificate with another count in one of its statements."""
    statements = list(certificate.statements)
    observed = {**statements[place].observed, "errors": statements[place].observed["errors"] - 1}
    statements[place] = replace(statements[place], observed=observed)
    names = ("delta", "candidates", "choices", "notes", "digests", "seed")
    return issue(certificate.procedure, statements, **{name: getattr(certificate, name) for name in names})


def test_labels_that_are_text(tmp_path):
    names = np.array(["even", "odd"])[Y % 2]
    model = fit_network(labels=names)
    model.save(tmp_path / "text")
    network = load(tmp_path / "text")
    assert np.array_equal(network.predict(X), model.predict(X))
    assert verify(tmp_path / "text", X, names)
    np.savez(tmp_path / "rows.npz", X=X, y=names)
    found = CliRunner().invoke(app, ["verify", str(tmp_path / "text"), "--data", str(tmp_path / "rows.npz")])
    assert found.exit_code == 0, found.output


def test_images(tmp_path):
    """Bytes stay bytes, and shapes shapes."""
    images = (X * 255).astype(np.uint8).reshape(-1, 1, 8, 8)
    model = fit_network(rows=images)
    model.save(tmp_path / "images")
    assert read_record(tmp_path / "images")["input_shape"] == [1, 8, 8]
    assert verify(tmp_path / "images", images, Y)
    assert verify(tmp_path / "images", torch.from_numpy(images), torch.from_numpy(Y))
    assert np.array_equal(load(tmp_path / "images").predict(images), model.predict(images))
