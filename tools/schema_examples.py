"""Issue the example certificates of ``docs/schema`` again: one per procedure, and further kinds; fixed seeds.

Run it when the schema gains a field; the JSON block in ``docs/certificates.md`` is ``online.json`` and is replaced too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

import pacbayes as pb
from pacbayes.certificate import Choice, digest_of_arrays
from pacbayes.posteriors import expected_zero_one
from pacbayes.procedures import LearnedNetwork, LossMonitor, Network, Sample, certify_rows

DOCS = Path(__file__).resolve().parent.parent / "docs"
WEIGHTS = np.array([[-2.0, 0.0, 0.0], [2.0, 0.0, 0.0]])


@dataclass(frozen=True)
class Layer:
    """A linear layer of three weights for each class in place of a network, so that nothing is needed to train it."""

    kl: float
    is_prior: bool = False
    is_drawn: bool = False
    rate: float | None = None
    choices: tuple[Choice, ...] = (Choice("layers", "last", "given"), Choice("prior_scale", 0.3, "given"))
    fitted: Mapping[str, object] = field(default_factory=dict)
    stored: Mapping[str, object] = field(default_factory=dict)

    def learn(self, sample: Sample, count: int) -> LearnedNetwork:
        """Return itself: a layer that was there before any row."""
        del sample, count
        return self

    @property
    def digests(self) -> dict[str, str]:
        """Of its weights."""
        return {"network": digest_of_arrays(weights=WEIGHTS)}

    def _scores(self, sample: Sample, start: int) -> tuple[np.ndarray, np.ndarray]:
        rows = np.asarray(sample.X)[sample.order[start:]]
        return rows @ WEIGHTS.T, np.tile(0.09 * np.sum(rows**2, axis=1)[:, None], 2)

    def expected_errors(self, sample: Sample, start: int) -> np.ndarray:
        """Return the probability of an error on each row."""
        return expected_zero_one(*self._scores(sample, start), sample.y[sample.order[start:]])

    def draw_errors(self, sample: Sample, start: int, passes: int, seed: int, *, ties: float = 1.0) -> int:
        """Count the errors of draws."""
        del ties
        means, variances = self._scores(sample, start)
        noise = np.random.default_rng(seed).normal(size=(passes, *means.shape))
        drawn = (means + np.sqrt(variances) * noise).argmax(axis=2)
        return int(np.count_nonzero(drawn != sample.y[sample.order[start:]]))


def examples() -> Iterator[tuple[str, pb.Certificate]]:
    """Yield the name of each file and its certificate."""
    sample = pb.datasets.make_known_risk(600, d=3, random_state=1)
    yield "split", pb.CertifiedClassifier(random_state=0).fit(sample.X, sample.y).certificate_
    yield "selective", pb.SelectiveClassifier(max_error=0.1, random_state=0).fit(sample.X, sample.y).certificate_
    yield "pick_to_learn", pb.PickToLearn(random_state=0).fit(sample.X, sample.y).certificate_
    careful = pb.SelectiveClassifier(max_fnr=0.2, positive=1, random_state=0)
    yield "selective-misses", careful.fit(sample.X, sample.y).certificate_
    numbers = sample.X @ np.array([3.0, -1.0, 0.5]) + sample.y
    yield "split-regression", pb.CertifiedRegressor(random_state=0).fit(sample.X, numbers).certificate_
    posterior = pb.CertifiedLogisticRegression(bound="betting", reference="online", candidates=2, random_state=0)
    yield "posterior", posterior.fit(sample.X, sample.y).certificate_
    learned = pb.CertifiedLogisticRegression(random_state=0)
    yield "posterior-learned-bets", learned.fit(sample.X, sample.y).certificate_
    portfolio = pb.CertifiedLogisticRegression(
        bound="portfolio", prior="zero", reference=("fixed", "learned"), random_state=0
    )
    yield "posterior-portfolio", portfolio.fit(sample.X, sample.y).certificate_
    kept = pb.CertifiedLogisticRegression(derandomize="draw", random_state=0)
    yield "kept_draw", kept.fit(sample.X, sample.y).certificate_
    recursive = pb.RecursiveLogisticRegression(steps=3, random_state=0)
    yield "recursive", recursive.fit(sample.X, sample.y).certificate_
    layers = {"network": Layer(kl=2.5), "network-drawn": Layer(kl=2.5, is_drawn=True)}
    for name, layer in (layers | {"network-prior": Layer(kl=0.0, is_prior=True)}).items():
        network = Network(learner=layer, fraction=0.5, delta=0.05, passes=3)
        yield name, certify_rows(network, sample.X, sample.y, random_state=0).certificate_
    stream = pb.OnlineCertifiedClassifier(LogisticRegression(), certify_last=True, random_state=0)
    yield "online", stream.fit(sample.X, sample.y).certificate_
    forest = pb.CertifiedForest(n_estimators=20, bound="chebyshev_cantelli", random_state=0)
    yield "out_of_bag", forest.fit(sample.X, sample.y).certificate_
    yield "given", pb.certify_predictions(losses=np.linspace(0.0, 0.4, 101))
    yield "comparison", pb.compare_predictions([0, 1] * 200, [0, 0] * 20 + [0, 1] * 180, [1, 1] * 8 + [0, 1] * 192)
    model = pb.CertifiedClassifier(LogisticRegression(), refit=True, random_state=0).fit(sample.X[:400], sample.y[:400])
    yield "transfer", model.transfer(sample.X[400:])
    monitor = LossMonitor(delta=0.01)
    monitor.extend([0.0, 0.0, 0.0, 1.0] * 100)
    monitor.add_unreadable()
    monitor.add_unreadable()
    yield "monitor", monitor.certificate()


def main() -> None:
    """Write the files that are named, or all of them, and the block of the page."""
    wanted = set(sys.argv[1:])
    for name, certificate in examples():
        if not wanted or name in wanted:
            certificate.to_json(DOCS / "schema" / f"{name}.json")
    page = DOCS / "certificates.md"
    shown = (DOCS / "schema" / "online.json").read_text(encoding="utf-8")
    before, fence, rest = page.read_text(encoding="utf-8").partition("```json\n")
    page.write_text(before + fence + shown + rest[rest.index("```") :], encoding="utf-8")


if __name__ == "__main__":
    main()
