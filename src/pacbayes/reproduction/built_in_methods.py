"""The methods that come with the library, in the order of the table."""

from __future__ import annotations

from functools import partial

from pacbayes.bounds import betting_rates, debiased
from pacbayes.estimators import CertifiedClassifier
from pacbayes.reproduction.baselines import holdout, progressive
from pacbayes.reproduction.departures import AFFECTS, AS_PUBLISHED, CORRECTED, Departures, erratum
from pacbayes.reproduction.method_role import GROUPS, Method, MethodFunction
from pacbayes.reproduction.paper import PaperFit, paper_bound
from pacbayes.reproduction.paper_portfolio import exact_bounds, portfolio_bound, portfolio_references
from pacbayes.reproduction.random_split import Split
from pacbayes.reproduction.sound_methods import informed, laplace, split_kl
from pacbayes.reproduction.table_words import COLUMN_TITLES

__all__ = ["BUILT_IN_METHODS", "DELTA"]

DELTA = 0.05

_LEARNING = 0.4  # of the rows, for the exact limit of one predictor
_PUBLISHED, _CORRECTED, _OURS, _BASELINES = GROUPS


def _at_scale(fit: PaperFit, value: float, scale: int) -> dict[str, float]:
    index = scale - 1
    return {
        "value": min(value, 1.0),
        "test": fit.test,
        "test_gibbs": float(fit.test_gibbs[index]),
        "risk": float(fit.risk[index]),
        "kl": float(fit.kl[index]),
        "scale": float(scale),
        "reference": float(fit.reference.losses.mean()),
    }


def _paper_function(bound: str, departures: Departures) -> MethodFunction:
    """Return one of the paper's bounds, with what putting each departure right alone would make of it."""

    def compute(split: Split) -> dict[str, float]:
        record = _at_scale(split.paper, *paper_bound(bound, split.paper, departures, DELTA))
        for name in AFFECTS[bound]:
            if getattr(departures, name):
                alone = paper_bound(bound, split.paper, departures.without(name), DELTA)[0]
                record[f"without_{erratum(name)}"] = min(alone, 1.0)
        return record

    return compute


def _published(bound: str) -> Method:
    title, errata = COLUMN_TITLES[bound], ", ".join(erratum(name).upper() for name in AFFECTS[bound])
    about = f"the paper's {title}, arithmetic as in the printed table ({errata})"
    function = _paper_function(bound, AS_PUBLISHED)
    return Method(f"published-{bound}", f"{title} (as published)", _PUBLISHED, function, about, "departs")


def _corrected(bound: str, guarantee: str) -> Method:
    title = COLUMN_TITLES[bound]
    about = f"the paper's {title}, arithmetic as its theorems have it"
    function = _paper_function(bound, CORRECTED)
    return Method(f"corrected-{bound}", f"{title} (corrected)", _CORRECTED, function, about, guarantee)


def _betting(split: Split) -> dict[str, float]:
    """Bound the paper's posterior at each of its scales; no union is needed over posteriors."""
    fit = split.paper
    rates, weights = betting_rates(fit.n, DELTA / 2.0)
    values = []
    for expected, kl in zip(fit.expected, fit.kl, strict=True):
        summary = fit.reference.summary(expected, rates=rates, weights=weights)
        values.append(float(debiased(summary, kl, DELTA)))
    best = min(range(len(values)), key=values.__getitem__)
    return _at_scale(fit, values[best], best + 1)


def _portfolio(split: Split) -> dict[str, float]:
    """Bound the same posteriors by the portfolio, beside Maurer and Ours with the exact constants."""
    references = portfolio_references(*split.parts("published")[0])
    record = _at_scale(split.paper, *portfolio_bound(split.paper, references, DELTA))
    record["reference"] = sum(float(each.losses.mean()) for each in references) / len(references)
    return record | exact_bounds(split.paper, DELTA)


def _certificate(split: Split) -> dict[str, float]:
    (X, y), (rows, labels) = split.train, split.test
    model = CertifiedClassifier(split=_LEARNING, random_state=split.seed_for("certificate")).fit(X, y)
    return {
        "value": model.certificate_.value,
        "vote_value": float(model.certificate_.vote_value or 1.0),
        "test": float((model.predict(rows) != labels).mean()),
        "risk": model.certificate_.statements[0].risk,
        "kl": model.certificate_.statements[0].kl,
    }


BUILT_IN_METHODS = (
    _published("maurer"),
    _published("ub"),
    _published("ours"),
    _corrected("maurer", "all-rows-scaled"),
    _corrected("ub", "reference-theorem"),
    _corrected("ours", "reference-theorem"),
    Method(
        "betting",
        "betting",
        _OURS,
        _betting,
        "betting for excess and reference, on the paper's posterior",
        "all-rows-scaled",
    ),
    Method(
        "portfolio",
        "portfolio",
        _OURS,
        _portfolio,
        "bets over rates and strengths of two learning references, on the paper's posterior",
        "all-rows-scaled",
    ),
    Method(
        "laplace",
        "laplace",
        _OURS,
        partial(laplace, delta=DELTA),
        "a Laplace-shaped posterior, prior N(0, I/2), betting, no reference",
        "sound",
    ),
    Method(
        "informed",
        "informed",
        _OURS,
        partial(informed, delta=DELTA),
        "prior and scaling from one half, betting on the other",
        "sound",
    ),
    Method(
        "certificate", "certificate", _OURS, _certificate, "CertifiedClassifier(split=0.4), the exact limit", "sound"
    ),
    Method(
        "split-kl",
        "split-kl",
        _BASELINES,
        partial(split_kl, delta=DELTA),
        "split-kl over the informed prior's mean, on the same posteriors",
        "sound",
    ),
    Method(
        "holdout",
        "hold-out",
        _BASELINES,
        partial(holdout, delta=DELTA),
        "a model from 80 % of the training rows, Clopper-Pearson on the rest",
        "sound",
    ),
    Method(
        "progressive",
        "progressive",
        _BASELINES,
        partial(progressive, delta=DELTA),
        "each example predicted, then learned: the mean error of all snapshots, by betting",
        "sound",
    ),
)
