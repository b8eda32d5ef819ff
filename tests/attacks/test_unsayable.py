"""Certificates that can be read and do not hold are printed nevertheless: whoever looks at one sees that."""

import json
from pathlib import Path

import pytest

import pacbayes as pb
from pacbayes.certificate.canonical import content_digest
from pacbayes.report import render
from pacbayes.runs import load_run

EXAMPLES = Path(__file__).parents[2] / "docs" / "schema"
EDITS = {
    "quantity": ("comparison", lambda record: record["statements"][0].update(quantity="x")),
    "passed": ("selective", lambda record: record["statements"][0]["observed"].update(passed=310)),
    "observed": ("selective", lambda record: record["statements"][0].update(observed={})),
    "candidates": ("split", lambda record: record.update(candidates=10**290)),
    "bound": ("transfer", lambda record: record["statements"][0].update(bound="x")),
}


def signed(example, edit):
    record = json.loads((EXAMPLES / f"{example}.json").read_text())
    edit(record)
    return json.dumps({**record, "digest": content_digest(record)})


@pytest.mark.parametrize("name", EDITS)
def test_what_does_not_hold_is_still_shown(name):
    certificate = pb.Certificate.from_json(signed(*EDITS[name]))
    assert not certificate.verify()
    shown = [str(certificate), certificate._repr_html_(), certificate.to_markdown(), render(certificate)]
    assert all(shown)
    assert any("does not hold" in each.lower() for each in shown)


def test_more_candidates_than_a_double_can_be_are_refused(old, tmp_path):
    text = signed("split", lambda record: record.update(candidates=10**400))
    with pytest.raises(ValueError, match="a number has too many digits"):
        pb.Certificate.from_json(text)
    old.save(tmp_path / "out")
    path = tmp_path / "out" / "model.json"
    record = json.loads(path.read_text())
    for count in (10**400, 10**290):
        path.write_text(json.dumps({**record, "settings": {**record["settings"], "candidates": count}}))
        with pytest.raises(ValueError, match=r"a number has too many digits|--candidates must be at most"):
            load_run(tmp_path / "out")


def test_an_error_of_ours_is_not_hidden(monkeypatch):
    monkeypatch.setattr("pacbayes.certificate.certificate.as_table", lambda _: {}["gone"])
    with pytest.raises(KeyError):
        str(pb.certify_predictions([0, 1] * 50, [0, 1] * 50))
