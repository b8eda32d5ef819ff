"""How good is the adaptive split: its certificates against fixed shares of the rows, for three kinds of models.

Each model is fitted once per data set, repeat and share of the rows; what it gets wrong on the other rows is kept, and
every way to split is then run on the same fits. Boosting and forest learn from 10,000 of Adult's rows, to save time.
Ratios are of mean certificates over the repeats, their means over sets and models geometric.

    python benchmarks/any_model.py [--repeats 10] [--first-seed 0] [--datasets haberman,adult] [--cache folder]
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from threadpoolctl import threadpool_limits

import pacbayes as pb
from pacbayes.metrics import Judged
from pacbayes.procedures import Adaptive, FixedFraction, Sample, Split, Stop, draw_order

from _tables import decimal, print_table
from _timing import verdict

MODELS: dict[str, Any] = {
    "logistic": pb.CrossValidatedLogistic(),
    "boosting": HistGradientBoostingClassifier(random_state=0),
    "forest": RandomForestClassifier(100, random_state=0),
}
FIXED = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
MOST_ROWS = 10_000
DELTA = 0.05


def rows(name: str, model: str, repeat: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and labels in random order, the one of a certified estimator with this random_state."""
    X, y = pb.datasets.load(name, encoding="sound", return_X_y=True)
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    if model != "logistic" and len(y) > MOST_ROWS:
        kept = np.random.default_rng(repeat).permutation(len(y))[:MOST_ROWS]
        X, y = X[kept], y[kept]
    return X, y


@dataclass
class Recorded:
    """A learner whose snapshots were fitted before: which rows of the order each of them gets wrong."""

    wrong: Mapping[int, np.ndarray]
    learned: list[int] = field(default_factory=list)

    def learn(self, sample: Sample, count: int) -> RecordedSnapshot:
        """Take the snapshot of so many rows."""
        del sample
        self.learned.append(count)
        return RecordedSnapshot(self.wrong[count])


@dataclass
class RecordedSnapshot:
    """A snapshot by its errors."""

    wrong: np.ndarray
    choices: tuple[()] = ()
    digests: Mapping[str, str] = field(default_factory=dict)
    fitted: Mapping[str, Any] = field(default_factory=dict)
    stored: Mapping[str, Any] = field(default_factory=dict)

    def count_errors(self, sample: Sample, start: int, stop: int) -> int:
        """Count its errors between two positions."""
        del sample
        return int(self.wrong[start:stop].sum())

    def judge(self, sample: Sample, start: int) -> Judged:
        """Return its errors from a position on, as predictions of a label that is always 0."""
        del sample
        return Judged(np.zeros(self.wrong.size - start), self.wrong[start:].astype(float))


def record(name: str, model: str, repeat: int, cache: Path) -> dict[int, np.ndarray]:
    """Fit a model on every share of the rows that a split may ask for, or read what it got wrong from the cache."""
    file = cache / f"{name}_{model}_{repeat}.npz"
    if not file.exists():
        X, y = rows(name, model, repeat)
        order, _ = draw_order(repeat, len(y))
        X, y = X[order], y[order]
        stops: list[Stop] = [Adaptive(), *map(FixedFraction, FIXED)]
        counts = sorted({count for stop in stops for count in (*stop.times(len(y)), *stop.snapshots(len(y)))})
        wrong = np.zeros((len(counts), len(y)), dtype=bool)
        for index, count in enumerate(counts):
            try:
                fitted = clone(MODELS[model]).fit(X[:count], y[:count])
            except ValueError:  # too few rows of a class; a split that learns there fails as well
                wrong[index] = True
                continue
            wrong[index, count:] = fitted.predict(X[count:]) != y[count:]
        np.savez_compressed(file, counts=counts, wrong=np.packbits(wrong, axis=1), rows=len(y))
    found = np.load(file)
    wrong = np.unpackbits(found["wrong"], axis=1)[:, : int(found["rows"])].astype(bool)
    return dict(zip(found["counts"].tolist(), wrong, strict=True))


def certify(wrong: Mapping[int, np.ndarray], stop: Stop) -> tuple[float, float, float]:
    """Return the certificate of a split, its share of learning rows, and its cost in fits on all rows."""
    n = next(iter(wrong.values())).size
    sample = Sample(np.arange(float(n))[:, None], np.zeros(n), np.arange(n), random_state=0)
    learner = Recorded(wrong)
    issued = Split(learner=learner, stop=stop, delta=DELTA).run(sample)
    return issued.certificate.value, issued.fitted["n_learning_"] / n, sum(learner.learned) / n


def compare(name: str, model: str, repeats: range, cache: Path) -> dict[str, float]:
    """Return means over the repeats: the adaptive split, its stop and cost, and every fixed share."""
    found = [record(name, model, repeat, cache) for repeat in repeats]
    value, stop, cost = np.mean([certify(wrong, Adaptive()) for wrong in found], axis=0)
    most = max(certify(wrong, Adaptive())[2] for wrong in found)
    fixed = {share: np.mean([certify(wrong, FixedFraction(share))[0] for wrong in found]) for share in FIXED}
    best = min(fixed, key=fixed.__getitem__)
    return {
        "certificate": value,
        "80/20": fixed[0.8],
        "stop": stop,
        "of 80/20": value / fixed[0.8],
        "of 50/50": value / fixed[0.5],
        "best share": best,
        "of best": value / fixed[best],
        "fits": cost,
        "most fits": most,
    }


def check_against_estimator(name: str, model: str, repeat: int, cache: Path) -> None:
    """What is computed from recorded fits is what the estimator issues."""
    X, y = rows(name, model, repeat)
    issued = pb.CertifiedClassifier(MODELS[model], DELTA, random_state=repeat).fit(X, y).certificate_.value
    expected = certify(record(name, model, repeat, cache), Adaptive())[0]
    if issued != expected:
        raise SystemExit(f"{name}, {model}: the estimator issues {issued}, the recorded fits give {expected}.")


def compare_defaults(name: str, repeats: range, cache: Path) -> tuple[float, float]:
    """Return the mean certificates of CertifiedClassifier() and of logistic regression at a fixed .4 of the rows."""
    X, y = rows(name, "logistic", 0)
    ours = [certify(record(name, "logistic", repeat, cache), Adaptive())[0] for repeat in repeats]
    fits = [pb.CertifiedClassifier(None, DELTA, split=0.4, random_state=repeat).fit(X, y) for repeat in repeats]
    return float(np.mean(ours)), float(np.mean([fit.certificate_.value for fit in fits]))


def geometric_mean(values: list[float]) -> float:
    return float(np.exp(np.mean(np.log(values))))


def show_models(names: list[str], repeats: range, cache: Path) -> None:
    """Print the comparison with fixed shares, and whether the aims are met."""
    results: dict[tuple[str, str], dict[str, float]] = {}
    for name in names:
        for model in MODELS:
            results[name, model] = compare(name, model, repeats, cache)
            check_against_estimator(name, model, repeats[0], cache)
            if len(results) == 1:
                print(f"{'':24s}" + "".join(f"{label:>12s}" for label in results[name, model]))
            numbers = "".join(f"{value:12.4f}" for value in results[name, model].values())
            print(f"{name:14s}{model:10s}{numbers}", flush=True)
    means = {
        key: geometric_mean([each[key] for each in results.values()]) for key in ("of 80/20", "of 50/50", "of best")
    }
    worst = max(geometric_mean([results[name, model]["of best"] for model in MODELS]) for name in names)
    aims: list[tuple[str, float, float]] = [
        ("geometric mean, of an 80/20 hold-out", means["of 80/20"], 0.80),
        ("geometric mean, of 50/50", means["of 50/50"], 0.97),
        ("geometric mean, of the best fixed share in hindsight", means["of best"], 1.05),
        ("worst set, of its best fixed shares", worst, 1.2),
        ("worst set and model, of its best fixed share", max(each["of best"] for each in results.values()), 1.2),
        ("most fits on all rows", max(each["most fits"] for each in results.values()), 3.0),
    ]
    for label, found, aim in aims:
        print(f"{label}: {found:.3f}, at most {aim}: {verdict(found <= aim)}")
    costs = ("fits on all rows, mean", float(np.mean([each["fits"] for each in results.values()])), np.inf)
    shown = [*aims[:-1], costs, aims[-1]]
    print_table("shares-means", ("what", "measured"), [(label, f"{found:.2f}") for label, found, _ in shown])
    print_shares(names, results)


def print_shares(names: list[str], results: dict[tuple[str, str], dict[str, float]]) -> None:
    """Print the table of the page: bold where the adaptive certificate is smaller."""
    rows = []
    for name in names:
        cells = []
        for model in MODELS:
            fixed, own = (decimal(results[name, model][key]) for key in ("80/20", "certificate"))
            cells += [fixed, f"**{own}**" if own < fixed else own]
        rows.append((name, *cells))
    heads = ["data"]
    for model in MODELS:
        heads += [f"{model}: 80/20", "adaptive"]
    print_table("shares", heads, rows)


def show_defaults(names: list[str], repeats: range, cache: Path) -> None:
    """Print the comparison of defaults."""
    print("\nCertifiedClassifier() against CertifiedClassifier(split=0.4), a share that fits all models alike")
    pairs = {name: compare_defaults(name, repeats, cache) for name in names}
    for name, (ours, other) in pairs.items():
        print(f"{name:14s}{ours:12.4f}{other:12.4f}{ours / other:12.3f}")
    below = sum(ours <= other for ours, other in pairs.values())
    ratio = geometric_mean([ours / other for ours, other in pairs.values()])
    print(f"at or below on {below} of {len(names)}, at least 6 of 8: {verdict(below >= 0.75 * len(names))}")
    print(f"geometric mean {ratio:.3f}, below 1: {verdict(ratio < 1.0)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=0, help="other seeds than those that a choice was made on")
    parser.add_argument("--datasets", default=",".join(pb.datasets.names()))
    parser.add_argument("--cache", type=Path, help="folder for what the models got wrong; by default a temporary one")
    options = parser.parse_args()
    names = options.datasets.split(",")
    repeats = range(options.first_seed, options.first_seed + options.repeats)
    shows: list[Callable[[list[str], range, Path], None]] = [show_models, show_defaults]
    with tempfile.TemporaryDirectory() as folder, threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cache = options.cache or Path(folder)
        cache.mkdir(parents=True, exist_ok=True)
        for show in shows:
            show(names, repeats, cache)


if __name__ == "__main__":
    main()
