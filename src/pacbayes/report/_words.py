"""What a report says in plain words: the parts of a number, how it was made, what has to be true."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pacbayes.certificate import Certificate
from pacbayes.certificate._words import GAIN, rounded_up

__all__ = ["PARTS", "comparison", "holds_if", "how_made", "predictor_words", "verdict"]

PARTS = {
    "observed": ("Observed", "the share of wrong answers on the rows that the bound is computed on"),
    "confidence": ("Chance", "what has to be added because these rows are only a sample"),
    "complexity": ("Complexity", "what has to be added because the predictor was still adjusted to these rows"),
    "union": ("Comparisons", "what has to be added because several settings were compared on these rows"),
}

_HOW = {
    "posterior": (
        "The rows were shuffled. A first part taught the model everything: scaling, categories, penalty, weights. "
        "The number is computed on the rest, which the model had not learned from when it was fixed."
    ),
    "online": (
        "The rows were shuffled and taken as a stream. From time to time a snapshot of the model was trained on the "
        "rows so far and then predicted the following rows, none of which it had seen. The first number bounds the "
        "average true error of these snapshots, at every length of the stream at once; for their vote it is doubled, "
        "since a vote is wrong only where at least half of the snapshots are."
    ),
    "holdout": (
        "The rows were divided. The model was trained on one part; the number is computed on the other, which played "
        "no part in training."
    ),
}


def how_made(certificate: Certificate) -> str:
    """Return how the number came about, in words."""
    return _HOW[certificate.kind]


def predictor_words(certificate: Certificate) -> list[tuple[str, str]]:
    """Return each predictor that is certified, and its number."""
    value = rounded_up(certificate.value)
    if certificate.kind == "posterior" and certificate.vote_rule == "same":
        return [
            ("The model itself, as it is used to predict", value),
            ("The same model with a little noise on its weights, drawn anew for each row", value),
        ]
    if certificate.kind == "posterior":
        lines = [("One model drawn at random for each row, from the distribution that was learned", value)]
    elif certificate.vote_rule == "none":
        lines = [(_capital(certificate.predictor.rstrip(",")), value)]
    else:
        lines = [("One of the snapshots, picked at random for each row", value)]
    if certificate.vote_value is not None:
        lines.append(("The majority vote, which is what predicting returns", rounded_up(certificate.vote_value)))
    return lines


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def verdict(certificate: Certificate) -> tuple[str, str]:
    """Return the headline: the number as "at most so many in 100", and whether it says anything."""
    best = certificate.value if certificate.vote_rule != "twice" else float(certificate.vote_value or 1.0)
    percent = rounded_up(100.0 * best, 1 if best >= 0.01 else 2)
    if best >= 1.0:
        return percent, "This number says nothing: there are too few rows, or the model is too often wrong."
    if best >= 0.5:
        return percent, f"This is a weak guarantee. {_remedy(certificate)}"
    return percent, f"Of 100 new cases, on average at most {percent} are answered wrongly."


def _remedy(certificate: Certificate) -> str:
    observed = certificate.statistics.get("risk", 0.0)
    if isinstance(observed, float) and observed >= 0.25:
        return (
            f"The model is wrong on {100 * observed:.0f} % of the rows it was judged on; more rows alone will not help."
        )
    return f"Only {certificate.n} rows judged the model; more would sharpen it."


def comparison(certificate: Certificate, trivial: Mapping[str, Any] | None) -> tuple[str, str]:
    """Return how often the most common answer would be wrong, and a warning if the guarantee is no better than that."""
    if trivial is None:
        return "", ""
    best = certificate.value if certificate.vote_rule != "twice" else float(certificate.vote_value or 1.0)
    share = float(trivial["share"])
    text = (
        f"For comparison: always answering {str(trivial['label'])!r} would be wrong on {100 * share:.1f} % of these "
        "rows. All kinds of error count alike; the number does not say how many cases of one class are missed."
    )
    worse = best >= share
    return text, "This guarantee is no better than always giving the most common answer." if worse else ""


def holds_if(certificate: Certificate) -> list[tuple[str, str]]:
    """Return each assumption as the certificate states it, with a plain question to ask oneself."""
    questions = {
        "The rows are independent": "Will the cases you use it on come from the same source as these rows, and was "
        "no row copied or picked because of others?",
        "Nothing that was used before": "Had nobody used these same rows before to choose columns, settings or models?",
        "The predictor was fixed": "Were the held-out rows kept away from training and from every choice?",
        "The loss takes": "Is an answer either right or wrong? Here it is.",
        "Each prediction was fixed": "Was each answer given before the truth was known, and was every case counted?",
    }
    result = []
    for assumption in certificate.assumptions:
        if assumption.startswith(GAIN):
            continue  # a gain, not a condition
        asked = next((text for start, text in questions.items() if assumption.startswith(start)), "")
        result.append((asked, assumption))
    return result


def facts(certificate: Certificate) -> list[tuple[str, str]]:
    """Return the statistician's table."""
    given: dict[str, Any] = dict(certificate.statistics)
    lines = [
        ("Value", f"{certificate.value!r}"),
        ("Bound", certificate.bound + (f" + {certificate.reference_bound}" if certificate.reference_bound else "")),
        ("Delta", f"{certificate.delta:g}"),
        ("Rows the bound is computed on (n)", f"{certificate.n}"),
        ("Divergence from prior to posterior (KL)", f"{certificate.kl:.6g} nats"),
        ("Settings compared (candidates)", f"{certificate.candidates}"),
    ]
    if certificate.reference_bound is not None:
        lines.append(("Reference", f"{given['reference_kind']}, strength {float(given['strength']):g}"))
    if "errors" in given:
        lines.append(("Errors counted", f"{given['errors']}"))
    elif "risk" in given:
        lines.append(("Observed risk", f"{float(given['risk']):.6f}"))
    return lines
