"""What an attacker does to the folder of a network: other weights, other counts, and every digest made to fit."""

import hashlib
import json
import shutil
from dataclasses import replace
from functools import partial

from safetensors.torch import load, save
from sklearn.datasets import load_digits

from pacbayes.certificate import Certificate, issue
from pacbayes.torch import CertifiedNetwork, GaussianNetwork, PosteriorTraining, Training, fully_connected
from pacbayes.torch.network_folder import NetworkRecord

X, Y = load_digits(return_X_y=True)
X = X / 16.0
FACTORY = partial(fully_connected, 64, 16, 10)
TRAINING = Training(epochs=8, batch_size=64, learning_rate=1e-2)


def fit_network(rows=X, labels=Y, **changes):
    options = {"training": TRAINING, "split": 0.5, "random_state": 0} | changes
    return CertifiedNetwork(options.pop("factory", FACTORY), **options).fit(rows, labels)


def fit_gaussian(rows=X, labels=Y, **changes):
    after = PosteriorTraining(epochs=2)
    options = {"training": TRAINING, "posterior_training": after, "split": 0.5, "random_state": 0} | changes
    return GaussianNetwork(options.pop("factory", FACTORY), **options).fit(rows, labels)


def copy(source, place):
    """A folder of one's own to change."""
    return shutil.copytree(source, place)


def read_certificate(folder):
    return Certificate.from_json(folder / "certificate.json")


def read_record(folder):
    return json.loads((folder / "network.json").read_text())


def edit_record(folder, **changes):
    (folder / "network.json").write_text(json.dumps(read_record(folder) | changes))


def edit_form(folder, **changes):
    """Change classes, shape or architecture, and have the certificate say so, too."""
    edit_record(folder, **changes)
    old, form = read_certificate(folder), NetworkRecord.from_json((folder / "network.json").read_bytes()).form
    write_certificate(folder, reissue(old, digests={**old.digests, "network_form": form}))


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def write_certificate(folder, certificate):
    """Put another certificate into a folder; network.json names it."""
    (folder / "certificate.json").write_text(certificate.to_json())
    edit_record(folder, certificate=certificate.digest)


def write_weights(folder, data, *, certified=True):
    """Put other weights into a folder; network.json names them, and the certificate if that is asked for."""
    (folder / "network.safetensors").write_bytes(data)
    edit_record(folder, files=read_record(folder)["files"] | {"network.safetensors": sha256(data)})
    if certified:
        old = read_certificate(folder)
        write_certificate(folder, reissue(old, digests={**old.digests, "network": sha256(data)}))


def edit_weights(folder, change, *, certified=True):
    """Change the tensors of a folder by a function of them."""
    tensors = load((folder / "network.safetensors").read_bytes())
    write_weights(folder, save(change(tensors)), certified=certified)


def reissue(certificate, *, statement=None, **changes):
    """The forger's tool: the library itself computes all values and the digest for claims of one's own."""
    statements = [replace(certificate.statements[0], **(statement or {})), *certificate.statements[1:]]
    names = ("delta", "candidates", "choices", "notes", "digests", "seed")
    options = {name: getattr(certificate, name) for name in names}
    return issue(certificate.procedure, statements, **options | changes)


def lower_count(certificate, by=1):
    """A certificate with fewer errors than there were."""
    first = certificate.statements[0]
    if first.drawn is not None:
        return reissue(certificate, statement={"drawn": replace(first.drawn, errors=first.drawn.errors - by)})
    return reissue(certificate, statement={"observed": {"errors": first.observed["errors"] - by}})


def failed(result):
    """The codes of the checks that did not hold."""
    return {each.code for each in result.failed}
