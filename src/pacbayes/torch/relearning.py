"""A stored network learned again from its rows and options: what judging again cannot prove."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from pacbayes.certificate import Certificate, Check
from pacbayes.metrics.statements import questions_of
from pacbayes.procedures import compare_certificates
from pacbayes.procedures.judged_network import TIMES
from pacbayes.torch.architectures import build
from pacbayes.torch.certified import CertifiedNetwork
from pacbayes.torch.descent import PosteriorTraining
from pacbayes.torch.gaussian import GaussianNetwork
from pacbayes.torch.stored_networks import StoredGaussian, StoredNetwork
from pacbayes.torch.training import Training

if TYPE_CHECKING:
    from pacbayes._core.types import IntArray, Labels
    from pacbayes.metrics import Grouping
    from pacbayes.torch.network_folder import NetworkRecord
    from pacbayes.torch.stored_module import ModuleLike

__all__ = ["learn_network"]


def learn_network(
    certificate: Certificate,
    record: NetworkRecord,
    network: StoredNetwork | StoredGaussian,
    rows: Any,
    labels: Labels,
    order: IntArray,
    *,
    module: ModuleLike | None = None,
    grouping: Grouping | None = None,
) -> list[Check]:
    """Run the whole fit again from the stored options, and compare the network and its certificate with the stored.

    Parameters
    ----------
    certificate : Certificate
        The claim.
    record : NetworkRecord
        What network.json says.
    network : StoredNetwork or StoredGaussian
        The stored one.
    rows, labels : ndarray
        Of the fit, in their given order.
    order : ndarray
        In which they were taken.
    module : Module or callable, optional
        Where the architecture is the user's own.
    grouping : Grouping, optional
        Which group each row is in, where it was given beside the rows.
    """
    model: Any = _estimator(certificate, record, module)
    model.order_, model.seed_, model.in_order_, model.grouping_ = order, record.seed, certificate.in_order, grouping
    model.classes_, model.input_shape_, model.order_seed_ = record.labels, record.input_shape, certificate.seed
    again = model.reissue(rows.reshape(len(rows), *record.input_shape), labels)
    found = again.certificate_
    if found.digests["network"] == certificate.digests["network"]:
        pair = (_without_times(each) for each in (certificate, found))
        return [Check("learned_again", held=True), *compare_certificates(*pair)]
    judged = rows[order[-certificate.n :]]
    return [Check("learned_again", held=False, found=_agreement(network, again, judged))]


def _without_times(certificate: Certificate) -> Certificate:
    """Return a certificate without the note on rows with an index of times, which no array can tell again."""
    return replace(certificate, notes=tuple(each for each in certificate.notes if each.code != TIMES), digest="")


def _agreement(network: StoredNetwork | StoredGaussian, again: Any, rows: Any) -> float:
    """Return the share of rows that two networks predict alike, at their means where they are drawn."""
    name = "predict_mean" if isinstance(network, StoredGaussian) else "predict"
    return float(np.mean(getattr(network, name)(rows) == getattr(again, name)(rows)))


def _estimator(certificate: Certificate, record: NetworkRecord, module: ModuleLike | None) -> Any:
    """Return the estimator that issued a certificate, unfitted."""
    told = _check_learning(record)
    common: dict[str, Any] = {
        "delta": certificate.delta,
        "candidates": certificate.candidates,
        "random_state": certificate.seed,
        "classes": list(record.classes) if told["classes"] else None,
        "training": Training.from_dict(told["training"]),
        "split": told["split"],
    }
    if record.kind == "gaussian":
        if module is None and told["module"] != "factory":
            raise ValueError("This network began with weights of its user's own: pass that module as module=.")
        given = {name: told[name] for name in ("prior_scale", "prior_mean", "objective", "bound", "passes", "held_out")}
        after = PosteriorTraining.from_dict(told["posterior_training"])
        start = _factory(record) if module is None else module
        return GaussianNetwork(start, layers=str(record.layers), posterior_training=after, **given, **common)
    asked = questions_of(certificate)
    weights = asked.names if asked.weights is None else dict(zip(asked.names, asked.weights, strict=True))
    costs = None if asked.costs is None else {(true, to): cost for true, to, cost in asked.costs.entries}
    options: dict[str, Any] = {
        "metrics": weights,
        "differences": asked.differences,
        "cost": costs,
        "groups": record.groups,
    }
    return CertifiedNetwork(_factory(record) if module is None else module, **options, **common)


def _factory(record: NetworkRecord) -> Callable[[], Any]:
    if record.architecture is None:
        raise ValueError("This network is of its user's own architecture: pass module=, a function that returns one.")
    return partial(build, dict(record.architecture))


_FIELDS = {
    "deterministic": {"split", "training", "classes"},
    "gaussian": {
        "split",
        "training",
        "classes",
        "posterior_training",
        "prior_scale",
        "prior_mean",
        "objective",
        "bound",
        "passes",
        "held_out",
        "module",
    },
}


def _check_learning(record: NetworkRecord) -> Mapping[str, Any]:
    """Return how a network learned, or say that this cannot be told."""
    told = record.learning
    if told is None:
        raise ValueError(
            "This network learned by a function of its user's own, which no folder holds: it cannot be learned again "
            "from here. Leave learn=True out to judge it again."
        )
    if set(told) != _FIELDS[record.kind]:
        raise ValueError("network.json is not as this version writes it: 'learning' has other fields.")
    return told
