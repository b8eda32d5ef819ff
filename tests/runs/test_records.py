"""Records of earlier versions, which lack the fields that were added since; and records that no version wrote."""

from dataclasses import fields

import pytest

from pacbayes.runs import ComparisonFile, PredictionFile, Settings

RECORDS = {
    Settings: Settings(target="ill", delta=0.01, drop=("id",)).to_dict(),
    PredictionFile: {"label": "y", "prediction": "p", "header": True, "missing_values": ["?"]},
    ComparisonFile: {"label": "y", "predictions": ["p", "q"], "baseline": "q", "header": True},
}


@pytest.mark.parametrize("kind", RECORDS)
def test_a_field_that_is_missing_is_at_its_default_and_no_other_changes(kind):
    record = RECORDS[kind]
    whole = kind.from_dict(record)
    defaults = {each.name: each.default for each in fields(kind)}
    for name in {*record} - {"target", "label", "prediction", "predictions"}:
        read = kind.from_dict({key: value for key, value in record.items() if key != name})
        assert getattr(read, name) == defaults[name]
        assert all(getattr(read, each) == getattr(whole, each) for each in defaults if each != name)


@pytest.mark.parametrize("kind", RECORDS)
@pytest.mark.parametrize("change", ["unknown", "missing", "type"])
def test_anything_else_is_refused(kind, change):
    record = dict(RECORDS[kind])
    if change == "unknown":
        record["later"] = 1
    elif change == "missing":
        record.pop("target" if kind is Settings else "label")
    else:
        record["header"] = 1
    with pytest.raises(ValueError, match=r"of this version|It is missing|Name the columns|must be bool|as it was"):
        kind.from_dict(record)


def test_more_candidates_than_delta_can_be_divided_by():
    with pytest.raises(ValueError, match=r"--candidates must be at most 2\*\*53"):
        Settings(target="ill", candidates=10**400)
