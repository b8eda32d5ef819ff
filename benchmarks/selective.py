"""How many rows can be answered at a certified error: fixed sequences of thresholds against MAPIE's controller.

For each data set and repeat one model is trained on half of the rows and judged on the other half, and all methods
test thresholds on its confidence on the same judged rows, at the same level: with probability at least 95 % the error
among answered rows is at most ``max_error``. MAPIE (``pip install mapie``, 1.5 or later; for this benchmark only) has a
controller of several classes that abstains below a threshold (``MultiClassificationLTTController``); it is given the
risk "wrong, among answered rows", its own 100 thresholds, and of all thresholds that it finds valid the one that
answers the most. Its default controls the family-wise error by Bonferroni and Holm; "fixed sequence" tests the same
thresholds from the highest on. Without MAPIE its columns are left out.

"answered" is the mean share of judged rows that the certified threshold answers, 0 where none is certified. "at least"
is the mean certified lower limit on the share of answered rows, for which a tenth of delta is set aside.

How the sequence of thresholds starts was designed on repeats 0 to 19 of these sets; the default repeats are others.

    python benchmarks/selective.py [--repeats 10] [--first-seed 100] [--datasets haberman,digits]
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.datasets import load_digits
from threadpoolctl import threadpool_limits

import pacbayes as pb
from pacbayes.certificate import count_passed
from pacbayes.procedures import Abstention, ClassifierLearner, Sample, draw_order
from pacbayes.procedures.aims import Scored
from pacbayes.procedures.selective import score_rows
from pacbayes.procedures.thresholds import cross_validate_scores

from _tables import print_table
from _timing import verdict

LEVELS = (0.05, 0.01)
DELTA, SHARE = 0.05, 0.1
THRESHOLDS = np.linspace(0.0, 0.99, 100)  # MAPIE's default
FEW = 3  # repeats of a large set


@dataclass
class Judged:
    """One model's scores of learning rows, and its answers to judged rows."""

    scores: np.ndarray
    wrong: np.ndarray
    labels: np.ndarray
    scored: Scored
    model: object
    X: np.ndarray
    y: np.ndarray


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and labels."""
    if name == "digits":
        return load_digits(return_X_y=True)
    X, y = pb.datasets.load(name, encoding="sound", return_X_y=True)
    return np.asarray(X, dtype=float), np.asarray(y)


def judge(name: str, repeat: int) -> Judged:
    """Train on half of the rows, in an order drawn for this repeat, and judge the rest."""
    X, y = load(name)
    order, seed = draw_order(repeat, len(y))
    sample, count = Sample(X, y, order, seed, repeat), len(y) // 2
    learner, aim = ClassifierLearner(pb.CrossValidatedLogistic()), Abstention(0.05)
    model = learner.learn(sample, count).stored["predictor"]
    scores, wrong = cross_validate_scores(learner, sample, count, aim.score, model)
    scored = score_rows(aim, model, sample, count)
    return Judged(scores, wrong, y[order[:count]], scored, model, X[order[count:]], y[order[count:]])


def own(judged: Judged, target: float, share: float) -> tuple[float, float]:
    """Return the answered share of the judged rows, and its certified lower limit."""
    aim, delta = Abstention(target), DELTA * (1.0 - share)
    rows = judged.scored.low.size
    thresholds = aim.place(judged.scores, judged.wrong, judged.labels, rows, delta)
    counts, errors = aim.count(judged.scored, thresholds)
    passed = count_passed("clopper_pearson", errors.tolist(), counts.tolist(), target, delta)
    answered = int(counts[passed - 1]) if passed else 0
    if not share or not answered:
        return answered / rows, 0.0
    return answered / rows, 1.0 - pb.bounds.clopper_pearson(rows - answered, rows, DELTA * share / thresholds.size)


def rival(judged: Judged, target: float, method: str) -> float:
    """Return the answered share of the judged rows at the best of the thresholds that MAPIE finds valid."""
    from mapie.risk_control import BinaryRisk, MultiClassificationLTTController  # noqa: PLC0415

    def is_answered(_: np.ndarray, predicted: np.ndarray) -> np.ndarray:
        return ~np.isnan(predicted)

    wrong = BinaryRisk(lambda true, predicted: predicted != true, is_answered, higher_is_better=False)
    thresholds = THRESHOLDS[::-1] if method == "fixed_sequence" else THRESHOLDS
    controller = MultiClassificationLTTController(
        judged.model.predict_proba,
        risks=[wrong],
        target_level=[target],
        confidence_level=1.0 - DELTA,
        list_predict_params=thresholds,
        classes=judged.model.classes_,
        fwer_method=method,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        controller.calibrate(judged.X, judged.y)
    valid = np.asarray(controller.valid_predict_params, dtype=float)
    if not valid.size:
        return 0.0
    return float(np.mean(judged.model.predict_proba(judged.X).max(axis=1) >= valid.min()))


SHOWN = {  # in the page
    "answered": "answered",
    "MAPIE": "MAPIE",
    "MAPIE fixed sequence": "MAPIE, fixed sequence",
    "at least": "certified: answers at least",
}


def has_mapie() -> bool:
    """Return whether MAPIE's controller of several classes is installed."""
    try:
        from mapie.risk_control import MultiClassificationLTTController  # noqa: F401, PLC0415
    except ImportError:
        return False
    return True


def cells(names: list[str], repeats: int, first: int) -> Iterator[tuple[str, float, dict[str, float]]]:
    """Yield data set, level, and the mean of each column over the repeats."""
    rivals = {"MAPIE": "bonferroni_holm", "MAPIE fixed sequence": "fixed_sequence"} if has_mapie() else {}
    for name in names:
        few = FEW if len(load(name)[1]) > 20_000 else repeats
        judged = [judge(name, first + repeat) for repeat in range(min(few, repeats))]
        for level in LEVELS:
            found = {"answered": [own(each, level, 0.0)[0] for each in judged]}
            found |= {title: [rival(each, level, method) for each in judged] for title, method in rivals.items()}
            both = [own(each, level, SHARE) for each in judged]
            found |= {"with a limit": [each[0] for each in both], "at least": [each[1] for each in both]}
            yield name, level, {title: float(np.mean(values)) for title, values in found.items()}


def main() -> None:
    """Print a table, and whether any cell answers fewer rows than a rival."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=100)
    parser.add_argument("--datasets", default=",".join([*pb.datasets.names(), "digits"]))
    options = parser.parse_args()
    worst, rows = np.inf, []
    with threadpool_limits(1):
        found = cells(options.datasets.split(","), options.repeats, options.first_seed)
        for place, (name, level, means) in enumerate(found):
            if not place:
                print(" | ".join(["data set", "max_error", *means]), flush=True)
            shown = [f"{100 * value:.2f} %" for value in means.values()]
            print(" | ".join([name, f"{level:g}", *shown]), flush=True)
            rows.append(
                (name, f"{100 * level:g} %", *(f"{100 * means[each]:.1f} %" for each in SHOWN if each in means))
            )
            against = [value for title, value in means.items() if title.startswith("MAPIE")]
            worst = min([worst, *(means["answered"] - each for each in against)])
    if has_mapie():  # without it there is half a table
        print_table("answered", ("data set", "`max_error`", *SHOWN.values()), rows)
    if np.isfinite(worst):
        print(f"least difference to MAPIE in points of answered rows: {100 * worst:.2f}: {verdict(worst >= 0.0)}")


if __name__ == "__main__":
    main()
