"""A network's folder verified: what belongs together, and with the rows whether they give the recorded numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from numpy.typing import ArrayLike, NDArray

from pacbayes.certificate import Certificate, Check, Verification, compare, data_digest
from pacbayes.estimators.asked import find_groups
from pacbayes.metrics import Grouping
from pacbayes.procedures import Sample, draw_order
from pacbayes.procedures.base import FITTED, check_order
from pacbayes.procedures.judged_network import find_cautions_again, recheck_network
from pacbayes.torch.arrays import read_rows
from pacbayes.torch.judging import judge_network
from pacbayes.torch.row_kinds import RowKind
from pacbayes.torch.storage import Contents, open_network, read_contents
from pacbayes.torch.stored_networks import StoredGaussian, StoredNetwork

if TYPE_CHECKING:
    from pacbayes._core.types import IntArray, Labels
    from pacbayes.torch.gaussian_learner import LearnedGaussian
    from pacbayes.torch.stored_module import ModuleLike

__all__ = ["RecordedOrder", "verify", "verify_with_certificate"]


@dataclass(slots=True)
class RecordedOrder:
    """The order of the rows of a folder, with the network that was judged on the last of them."""

    order_: IntArray
    seed_: int
    network: StoredNetwork | StoredGaussian

    def learned_network(self) -> LearnedGaussian:
        """Return what a Gaussian network learned, from the stored numbers."""
        if not isinstance(self.network, StoredGaussian):
            raise TypeError("A deterministic network has no distribution.")
        return self.network.learned_network()


def verify(
    folder: str | Path,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    module: ModuleLike | None = None,
    learn: bool = False,
    grouping: Grouping | Mapping[str, ArrayLike] | ArrayLike | None = None,
) -> Verification:
    """Check a network in a folder: its certificate, that the weights belong to it, and with the rows its numbers.

    With the rows, their digest and their order are compared with the recorded ones, and the stored network is judged
    again on the judged rows, which the recorded seed tells; without a seed, verification fails. The counts must be
    equal, but for rows whose two largest outputs nearly tie; expected errors must agree to a ten-thousandth; the
    divergence of a Gaussian network is computed from its stored prior and posterior, its rate from the prior and the
    learning rows kept aside; draws are counted again from the recorded seed, and once more from a seed that nobody
    could know.

    That does not prove what the network learned from. With ``learn=True`` the whole fit is run again, and must give the
    same network, to the last bit: that needs the same machine or one that computes alike.

    Parameters
    ----------
    folder : path
        What ``save`` wrote.
    X, y : tensor, array_like, Dataset or DataLoader
        The rows and labels of ``fit``, in the same order and of the same type. Without them, what the folder says about
        itself is checked.
    module : Module or callable, optional
        As for :func:`pacbayes.torch.load`. To learn again an architecture of your own, a function that returns a new
        module.
    learn : bool, default=False
        Whether to learn again.
    grouping : Grouping, mapping or array_like, optional
        Which group each row is in, as it was given to ``fit``, if it was.

    Returns
    -------
    Verification
        True if everything held; printed, it says what that proves and what not.

    Examples
    --------
    >>> import tempfile
    >>> from functools import partial
    >>> from sklearn.datasets import load_digits
    >>> from pacbayes.torch import CertifiedNetwork, Training, fully_connected, verify
    >>> X, y = load_digits(return_X_y=True)
    >>> factory = partial(fully_connected, 64, 32, 10)
    >>> model = CertifiedNetwork(factory, training=Training(epochs=5), split=0.5, random_state=0).fit(X / 16, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = model.save(folder)
    ...     bool(verify(folder, X / 16, y)), bool(verify(folder, X / 16, y[::-1]))
    (True, False)
    """
    return verify_with_certificate(folder, X, y, module=module, learn=learn, grouping=grouping)[1]


def verify_with_certificate(
    folder: str | Path,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    module: ModuleLike | None = None,
    learn: bool = False,
    grouping: Grouping | Mapping[str, ArrayLike] | ArrayLike | None = None,
) -> tuple[Certificate, Verification]:
    """Verify a folder as :func:`verify` does, and return the certificate that was verified, too."""
    contents = read_contents(folder, module)
    result = _verify(contents, X, y, module, grouping, learn=learn)
    return contents.certificate, result


def _verify(
    contents: Contents,
    X: Any,
    y: ArrayLike | None,
    module: ModuleLike | None,
    grouping: Grouping | Mapping[str, ArrayLike] | ArrayLike | None,
    *,
    learn: bool,
) -> Verification:
    own = contents.checks
    if X is None:
        if learn or grouping is not None or y is not None:
            raise ValueError("verify needs the rows X, with their labels, to judge or to learn again.")
        return Verification(own, ("arithmetic", "not_data", "belongs"))
    if not all(check.held for check in own):
        return Verification(own)
    if not isinstance(learn, bool):
        raise ValueError(  # noqa: TRY004
            f"The 'learn' argument of verify must be True or False. Got {learn!r:.60} instead."
        )
    rows, labels = _read_labelled(X, y)
    groups = _read_grouping(grouping, len(labels))
    width = prod(contents.record.input_shape)
    if rows.shape[1] != width:  # before anything is computed for rows of a size that nobody has
        return Verification((*own, compare("columns", width, int(rows.shape[1]))))
    if (seed := contents.certificate.seed) is None:  # the order may have been chosen after a look at the rows
        return Verification((*own, Check("order_of_seed", held=False)))
    RowKind.from_dict(contents.record.rows).check("verify", X, rows)
    network = open_network(contents, module)
    kept, checks = _draw_order(contents, seed, network, len(labels))
    checks += _judge(contents, kept, rows, labels, groups)
    proves: tuple[str, ...] = ("judged_again", "not_learned_again", "not_collection")
    if learn and all(check.held for check in checks):
        from pacbayes.torch.relearning import learn_network  # noqa: PLC0415  (estimators, which nothing else here needs)

        certificate, record = contents.certificate, contents.record
        checks += learn_network(certificate, record, network, rows, labels, kept.order_, module=module, grouping=groups)
        proves = ("learned_again", "not_collection")
    return Verification((*own, *checks), proves)


def _read_labelled(X: Any, y: ArrayLike | None) -> tuple[NDArray[Any], Labels]:
    rows, labels, _ = read_rows("verify", X, y)
    if labels is None:
        raise ValueError("verify needs the labels of the rows. Got none.")
    return rows, labels


def _read_grouping(given: Any, rows: int) -> Grouping | None:
    """Return groups as ``fit`` reads them."""
    return given if given is None or isinstance(given, Grouping) else find_groups("verify", given, rows, None)[1]


def _judge(
    contents: Contents, kept: RecordedOrder, rows: Any, labels: Labels, grouping: Grouping | None
) -> list[Check]:
    certificate, record = contents.certificate, contents.record
    if isinstance(kept.network, StoredGaussian):
        prior = _check_prior(certificate, kept.network, str(record.layers))
        return [prior, *recheck_network(certificate, rows, labels, kept)]
    if ("grouping" in certificate.digests) != (grouping is not None):
        words = "pass grouping= as it was passed to fit" if grouping is None else "leave grouping= out"
        raise ValueError(f"The groups of this certificate must be told as they were to fit: {words}.")
    checks = [
        compare("data", certificate.digests.get("data"), data_digest(rows, labels)),
        *check_order(certificate, len(labels), kept),
    ]
    if not all(check.held for check in checks):
        return checks
    cautions = find_cautions_again(certificate, rows, labels)
    sample = Sample(
        rows, labels, kept.order_, kept.seed_, certificate.seed, cautions, certificate.in_order, grouping=grouping
    )
    return [*checks, *judge_network(certificate, sample, kept.network, record.groups)]


def _check_prior(certificate: Certificate, network: StoredGaussian, layers: str) -> Check:
    """Compare what the certificate says was chosen of the prior with the one that is stored."""
    told = {each.what: each.value for each in certificate.choices}
    prior, is_zero = network.predictor_.prior, told.get("prior_mean") == "zero"
    scales = [float(limit(each)) for each in prior.scales.values() for limit in (torch.min, torch.max)]
    found = {
        "layers": layers,
        "scales": [min(scales), max(scales)],
        "at_zero": is_zero and not any(bool(each.any()) for each in prior.means.values()),
    }
    claimed = {"layers": told.get("layers"), "scales": [told.get("prior_scale")] * 2, "at_zero": is_zero}
    return compare("prior", claimed, found, within=FITTED)


def _draw_order(
    contents: Contents, seed: int, network: StoredNetwork | StoredGaussian, rows: int
) -> tuple[RecordedOrder, list[Check]]:
    """Return the order of the rows as the recorded seed gives it, or as they came."""
    order, drawn = draw_order(seed, rows, in_order=contents.certificate.in_order)
    return RecordedOrder(order, drawn, network), [compare("seed", contents.record.seed, drawn)]
