"""Networks saved, loaded in another process, and verified there."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest
import torch
from torch import nn
from typer.testing import CliRunner

from pacbayes.cli._app import app
from pacbayes.torch import (
    CertifiedNetwork,
    GaussianNetwork,
    PosteriorTraining,
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
    read_record,
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
