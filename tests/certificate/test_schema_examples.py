"""The published example certificates: each is of the schema, is read back and verifies."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import pacbayes as pb
from pacbayes.certificate import QUANTITIES, SUBJECTS, schema
from pacbayes.certificate.assumptions import ASSUMPTIONS
from pacbayes.procedures import PROCEDURES

DOCS = Path(__file__).resolve().parents[2] / "docs"
EXAMPLES = sorted((DOCS / "schema").glob("*.json"))


@pytest.fixture(params=EXAMPLES, ids=lambda path: path.stem)
def path(request):
    return request.param


def test_is_of_the_schema(path):
    Draft202012Validator.check_schema(schema())
    Draft202012Validator(schema()).validate(json.loads(path.read_text(encoding="utf-8")))


def test_is_read_and_verifies(path):
    certificate = pb.Certificate.from_json(path)
    verification = certificate.verify()
    assert verification, str(verification)
    assert certificate.procedure == path.stem.partition("-")[0]
    assert certificate.to_json() == path.read_text(encoding="utf-8")


def test_an_edit_is_found(path):
    record = json.loads(path.read_text(encoding="utf-8"))
    record["statements"][-1]["value"] *= 0.9
    failed = {check.code for check in pb.Certificate.from_json(json.dumps(record)).verify().failed}
    assert {"digest", "value"} <= failed


def test_every_procedure_has_an_example():
    found = {path.stem.partition("-")[0] for path in EXAMPLES}
    assert found == set(PROCEDURES), "add it to tools/schema_examples.py, and run that with its name"


def test_the_examples_show_what_a_statement_can_hold():
    statements = {path.stem: pb.Certificate.from_json(path).statements for path in EXAMPLES}
    assert statements["posterior"][0].reference is not None
    assert statements["posterior-portfolio"][0].references == ("fixed", "predictable")
    assert [each.about for each in statements["online"]] == ["snapshot", "last_snapshot"]
    assert "block_growth" in statements["given"][0].observed
    assert isinstance(statements["posterior-learned-bets"][0].rates, float)
    assert statements["posterior-learned-bets"][0].consequences


def test_the_page_shows_the_stream_in_full():
    page = (DOCS / "certificates.md").read_text(encoding="utf-8")
    block = page.partition("```json\n")[2].partition("```")[0]
    assert block == (DOCS / "schema" / "online.json").read_text(encoding="utf-8")


def test_the_page_lists_every_code():
    page = (DOCS / "certificates.md").read_text(encoding="utf-8").partition("## Reading one in Python")[0]
    codes = {*ASSUMPTIONS, *SUBJECTS, *QUANTITIES, *PROCEDURES}
    left_out = {code for code in codes if f'"{code}"' not in page}
    assert left_out == set(), "add it to the lists of codes in docs/certificates.md"
