"""Networks saved, loaded in another process, and verified there."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn
from typer.testing import CliRunner

from pacbayes.certificate import issue
from pacbayes.cli._app import app
from pacbayes.procedures import CertificateWarning
from pacbayes.torch import (
    CertifiedNetwork,
    GaussianNetwork,
    PosteriorTraining,
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

KINDS = ("deterministic", "last", "linear", "prior")


class Own(nn.Module):
    """An architecture that the library does not know."""

    def __init__(self, width=16):
        super().__init__()
        self.first, self.last = nn.Linear(64, width), nn.Linear(width, 10)

    def forward(self, rows):
        return self.last(torch.tanh(self.first(rows)))


@pytest.fixture(scope="module")
def models():
    return {
        "deterministic": fit_network(metrics=("error", "recall:3", "brier")),
        "last": fit_gaussian(),
        "linear": fit_gaussian(layers="linear"),
        "prior": fit_gaussian(posterior_training=PosteriorTraining(epochs=0)),
    }


@pytest.fixture(scope="module")
def folders(models, tmp_path_factory):
    place = tmp_path_factory.mktemp("networks")
    for name, model in models.items():
        model.save(place / name)
    return {name: place / name for name in models}


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "rows.npz"
    np.savez(path, x=X, y=Y)
    return path


def answers(model, kind):
    return model.predict(X) if kind == "deterministic" else model.predict(X, random_state=3)


@pytest.mark.parametrize("kind", KINDS)
def test_a_loaded_network_predicts_alike(models, folders, kind):
    network = load(folders[kind])
    assert np.array_equal(answers(network, kind), answers(models[kind], kind))
    assert network.certificate_ == models[kind].certificate_
    assert np.array_equal(network.classes_, models[kind].classes_)


def test_a_loaded_network_gives_the_same_probabilities(models, folders):
    network = load(folders["deterministic"])
    assert np.array_equal(network.predict_proba(X), models["deterministic"].predict_proba(X))


@pytest.mark.parametrize("kind", KINDS)
def test_the_mean_network_of_a_gaussian(models, folders, kind):
    if kind != "deterministic":
        assert np.array_equal(load(folders[kind]).predict_mean(X), models[kind].predict_mean(X))


@pytest.mark.parametrize("kind", KINDS)
def test_verified_with_and_without_rows(folders, kind):
    assert verify(folders[kind])
    result = verify(folders[kind], X, Y)
    assert result, str(result)
    assert result.proves == ("judged_again", "not_learned_again", "not_collection")


@pytest.mark.parametrize("kind", ["deterministic", "last", "prior"])
def test_learned_again(folders, kind):
    result = verify(folders[kind], X, Y, learn=True)
    assert result, str(result)
    assert result.proves == ("learned_again", "not_collection")


@pytest.mark.parametrize("kind", KINDS)
def test_other_rows_are_refused(folders, kind):
    assert failed(verify(folders[kind], X, Y[::-1])) == {"data"}
    assert failed(verify(folders[kind], X[:-1], Y[:-1]))
    assert failed(verify(folders[kind], X[:, :-1], Y)) == {"columns"}
    assert "data" in failed(verify(folders[kind], X, Y.astype(str)))


def test_in_another_process(folders, rows):
    """The whole way, where nothing was learned: loaded and verified by Python and by the command line."""
    code = (
        "import sys, numpy as np\n"
        "from pacbayes.cli import main\n"
        "from pacbayes.torch import load, verify\n"
        "rows = np.load(sys.argv[1], allow_pickle=False)\n"
        "for folder in sys.argv[2:]:\n"
        "    network = load(folder)\n"
        "    assert network.certificate_.verify() and len(network.predict(rows['x'])) == len(rows['y'])\n"
        "    assert verify(folder, rows['x'], rows['y'])\n"
        "sys.argv = ['pacbayes', 'verify', folder, '--data', sys.argv[1]]\n"
        "main()\n"
    )
    command = [sys.executable, "-c", code, str(rows), *map(str, folders.values())]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "judged again on these rows" in " ".join(run.stdout.split())


@pytest.mark.parametrize("kind", KINDS)
def test_the_command_line(folders, rows, kind):
    found = CliRunner().invoke(app, ["verify", str(folders[kind]), "--data", str(rows), "--json"])
    assert found.exit_code == 0, found.output
    told = json.loads(found.stdout)
    assert told["holds"]
    assert "learned from the learning rows alone is not proved" in told["proves"]


def test_the_command_line_learns_again(folders, rows):
    found = CliRunner().invoke(app, ["verify", str(folders["deterministic"]), "--data", str(rows), "--learn"])
    assert found.exit_code == 0, found.output
    assert "learned again" in " ".join(found.output.split())


def test_the_command_line_without_rows(folders):
    found = CliRunner().invoke(app, ["verify", str(folders["deterministic"])])
    assert found.exit_code == 0
    assert "not checked: the data" in found.output


def test_an_architecture_of_ones_own(tmp_path, rows):
    model = CertifiedNetwork(Own, training=TRAINING, split=0.5, random_state=0).fit(X, Y)
    model.save(tmp_path / "own")
    assert read_record(tmp_path / "own")["architecture"] is None
    with pytest.raises(ValueError, match="own architecture: pass module="):
        load(tmp_path / "own")
    for module in (Own, Own()):
        assert np.array_equal(load(tmp_path / "own", module).predict(X), model.predict(X))
        assert verify(tmp_path / "own", X, Y, module=module)
    assert verify(tmp_path / "own", X, Y, module=Own, learn=True)
    with pytest.raises(ValueError, match="smaller than its network"):
        load(tmp_path / "own", Own(32))
    with pytest.raises(ValueError, match=r"must be torch.float32 of shape \(2, 64\)"):
        load(tmp_path / "own", Own(2))
    with pytest.raises(ValueError, match="must be those of this network"):
        load(tmp_path / "own", FACTORY)
    found = CliRunner().invoke(app, ["verify", str(tmp_path / "own"), "--data", str(rows)])
    assert found.exit_code == 2
    assert "module=" in found.output + found.stderr


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


def test_a_folder_is_replaced_only_if_asked(models, tmp_path):
    model = models["deterministic"]
    files = model.save(tmp_path / "one")
    assert {each.name for each in files} == {each.name for each in (tmp_path / "one").iterdir()}
    with pytest.raises(ValueError, match="is not empty"):
        model.save(tmp_path / "one")
    models["last"].save(tmp_path / "one", force=True)
    assert verify(tmp_path / "one", X, Y)
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "thesis.tex").write_text("")
    with pytest.raises(ValueError, match="which is not of a network and would be lost"):
        model.save(tmp_path / "two", force=True)


def test_what_was_not_fitted_or_has_changed_is_not_saved(tmp_path):
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        CertifiedNetwork(FACTORY).save(tmp_path / "none")
    with pytest.raises(NotFittedError):
        GaussianNetwork(FACTORY).save(tmp_path / "none")
    model = fit_network()
    with torch.no_grad():
        next(model.estimator_.module_.parameters()).add_(0.1)
    with pytest.raises(ValueError, match="has changed since its certificate was issued"):
        model.save(tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_wrong_usages(folders, rows, tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("a,b\n1,2\n")
    folder = str(folders["last"])
    usages = {
        ("verify", folder, "--learn"): "--learn goes with --data",
        ("verify", folder, "--data", str(table)): "must be an npz file",
        ("verify", folder, "--data", str(rows), "--test", str(table)): "This is a network",
        ("verify", folder, "--data", str(tmp_path)): "is an npz file",
    }
    for arguments, words in usages.items():
        found = CliRunner().invoke(app, list(arguments))
        assert found.exit_code == 2
        assert words in " ".join((found.output + found.stderr).split())


def test_verify_says_what_is_needed(folders):
    with pytest.raises(ValueError, match="needs the rows X"):
        verify(folders["last"], learn=True)
    with pytest.raises(ValueError, match=re.escape("'learn' argument of verify must be True or False")):
        verify(folders["last"], X, Y, learn="yes")


def test_where_torch_is_missing(folders, monkeypatch):
    monkeypatch.setitem(sys.modules, "pacbayes.torch.network_verification", None)
    found = CliRunner().invoke(app, ["verify", str(folders["last"])])
    assert found.exit_code == 2
    assert "holds a network: verifying it needs pacbayes[torch]" in " ".join((found.output + found.stderr).split())
