"""Edits of a certificate are caught: by its digest, or where that was made to fit, by its arithmetic."""

import json

import pytest

import pacbayes as pb
from pacbayes.certificate.canonical import content_digest

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


FIRST = ("statements", 0)
VOTE = (*FIRST, "consequences", 0)
ARITHMETIC = {
    "value lowered": _set(*FIRST, "value", value=lambda v: v * 0.9),
    "value lowered by a millionth": _set(*FIRST, "value", value=lambda v: v * (1 - 1e-6)),
    "value raised": _set(*FIRST, "value", value=lambda v: min(1.0, v * 1.1)),
    "value below the observed risk": _set(*FIRST, "value", value=0.0),
    "vote lowered": _set(*VOTE, "value", value=lambda v: v * 0.9),
    "vote removed": _set(*VOTE, "value", value=None),
    "vote rule": _set(*VOTE, "rule", value="none"),
    "delta lowered": _set("delta", value=0.001),
    "delta out of range": _set("delta", value=0.0),
    "n raised": _set(*FIRST, "n", value=lambda n: 2 * n),
    "n not whole": _set(*FIRST, "n", value=100.5),
    "divergence lowered": _set(*FIRST, "kl", value=lambda v: v / 2),
    "divergence negative": _set(*FIRST, "kl", value=-1.0),
    "another bound": _set(*FIRST, "bound", value="mcallester"),
    "no such bound": _set(*FIRST, "bound", value="magic"),
    "candidates raised": _set("candidates", value=7),
    "errors lowered": _set(*FIRST, "observed", "errors", value=lambda v: v / 2),
    "errors as text": _set(*FIRST, "observed", "errors", value="0"),
    "rate changed": _set(*FIRST, "rates", value=lambda v: v / 2),
    "grid in place of the rate": _set(*FIRST, "rates", value="one_n"),
    "statistic added": _set(*FIRST, "observed", value=lambda v: v | {"risk": 0.0}),
    "count removed": lambda record: record["statements"][0]["observed"].pop("errors"),
    "value as text": _set(*FIRST, "value", value="0.1"),
    "field removed": lambda record: record["statements"][0].pop("assumptions"),
    "field added": lambda record: record.update(trust="me"),
    "vote at the same value": lambda record: record["statements"][0]["consequences"][0].update(
        rule="same", value=record["statements"][0]["value"]
    ),
    "share lowered": _set(*FIRST, "share", value=0.5),
    "statement twice": lambda record: record["statements"].append(record["statements"][0]),
    "no statement": _set("statements", value=[]),
    "subject": _set(*FIRST, "about", value="predict"),
    "reference added": _set(
        *FIRST, "reference", value={"kind": "fixed", "strength": 1.0, "bound": "betting", "split": 0.5}
    ),
    "assumption unknown": _set(*FIRST, "assumptions", value=["none at all"]),
}
WORDS = {
    "procedure": _set("procedure", value="split"),
    "assumption dropped": lambda record: record["statements"][0]["assumptions"].pop(),
    "note added": lambda record: record["notes"].append({"code": "time_index", "numbers": {}}),
    "data digest": _set("digests", "data", value="0" * 64),
    "time": _set("created", value="2020-01-01T00:00:00+00:00"),
    "version": _set("versions", "pacbayes", value="9.9"),
    "choice": _set("choices", 0, "cost", value="all_posteriors"),
    "seed": _set("seed", value=1),
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
