"""Edits of a certificate are caught: by its digest, or where that was made to fit, by its arithmetic."""

import json

import pytest

import pacbayes as pb
from pacbayes.certificate._canonical import content_digest

from certificate.issued import SAMPLE


# Each edit is made to the JSON. With its digest left alone the digest catches it; with the digest made to fit, the
# arithmetic or the schema does.
def _set(*path, value):
    def edit(record):
        target = record
        for key in path[:-1]:
            target = target[key]
        target[path[-1]] = value(target[path[-1]]) if callable(value) else value

    return edit


ARITHMETIC = {
    "value lowered": _set("value", value=lambda v: v * 0.9),
    "value lowered by a millionth": _set("value", value=lambda v: v * (1 - 1e-6)),
    "value raised": _set("value", value=lambda v: min(1.0, v * 1.1)),
    "vote lowered": _set("vote_value", value=lambda v: v * 0.9),
    "vote removed": _set("vote_value", value=None),
    "vote rule": _set("vote_rule", value="none"),
    "delta lowered": _set("delta", value=0.001),
    "delta out of range": _set("delta", value=0.0),
    "n raised": _set("n", value=lambda n: 2 * n),
    "n not whole": _set("n", value=100.5),
    "divergence lowered": _set("kl", value=lambda v: v / 2),
    "divergence negative": _set("kl", value=-1.0),
    "another bound": _set("bound", value="mcallester"),
    "no such bound": _set("bound", value="magic"),
    "candidates raised": _set("candidates", value=7),
    "risk lowered": _set("statistics", "risk", value=lambda v: v / 2),
    "growth raised": _set("statistics", "log_growth", value=lambda v: [x / 2 for x in v]),
    "rates changed": _set("statistics", "rates", value=lambda v: [x / 2 for x in v]),
    "excess lowered": _set("statistics", "excess", value=lambda v: v - 0.1),
    "statistic removed": lambda record: record["statistics"].pop("log_growth"),
    "value as text": _set("value", value="0.1"),
    "field removed": lambda record: record.pop("assumptions"),
    "field added": lambda record: record.update(trust="me"),
    "vote at the same value": lambda record: record.update(vote_rule="same", vote_value=record["value"]),
    "share raised": _set("share", value=0.5),
    "kind": _set("kind", value="holdout"),
    "split": _set("split", value=0.4),
    "reference bound added": _set("reference_bound", value="betting"),
    "citation changed": _set("citation", value="@misc{me}"),
}
WORDS = {
    "predictor": _set("predictor", value="every model"),
    "assumption dropped": lambda record: record["assumptions"].pop(),
    "note added": lambda record: record["notes"].append("all is well"),
    "data digest": _set("digests", "data", value="0" * 64),
    "time": _set("created", value="2020-01-01T00:00:00+00:00"),
    "version": _set("versions", "pacbayes", value="9.9"),
    "choice": _set("choices", 0, "paid", value="nothing at all"),
    "digest itself": _set("digest", value="0" * 64),
}


def holds(record):
    try:
        return bool(pb.Certificate.from_json(json.dumps(record)).verify())
    except ValueError:
        return False


@pytest.fixture
def record():
    moved = pb.CertifiedLogisticRegression(prior="zero", bound="betting", random_state=0).fit(SAMPLE.X, SAMPLE.y)
    return json.loads(moved.certificate_.to_json())


@pytest.mark.parametrize("name", [*ARITHMETIC, *WORDS])
def test_edits_are_caught_by_the_digest(record, name):
    assert holds(record)
    ({**ARITHMETIC, **WORDS}[name])(record)
    assert not holds(record)


@pytest.mark.parametrize("name", ARITHMETIC)
def test_edits_with_a_matching_digest_are_caught_by_the_arithmetic(record, name):
    ARITHMETIC[name](record)
    record["digest"] = content_digest(record)
    assert not holds(record)
