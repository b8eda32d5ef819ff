"""A vote is judged on rows that its voters left out: no text calls the fewest of them the rows its share is of."""

import pytest

import pacbayes as pb
from pacbayes.certificate.statement_words import left_out_words
from pacbayes.report import render


@pytest.fixture(scope="module")
def certificate():
    sample = pb.datasets.make_known_risk(400, d=3, separation=2.0, random_state=0)
    return pb.CertifiedForest(n_estimators=10, random_state=0).fit(sample.X, sample.y).certificate_


def test_the_fewest_rows_are_called_so(certificate):
    words = left_out_words(certificate.statements[0])
    assert words == f"{certificate.statements[0].n} rows or more left out by each two voters"
    assert words in str(certificate)
    assert words in certificate.to_markdown()
    assert "rows left out, at least" in certificate._repr_html_()


def test_a_report_says_which_rows_the_share_is_of(certificate):
    text = " ".join(render(certificate).split())
    assert f"on rows left out ({left_out_words(certificate.statements[0])})" in text
    assert f"{certificate.statements[0].n} judged rows" not in text


def test_one_voter_at_a_time():
    sample = pb.datasets.make_known_risk(400, d=3, separation=2.0, random_state=0)
    found = pb.CertifiedForest(n_estimators=10, bound="first_order", random_state=0).fit(sample.X, sample.y)
    assert left_out_words(found.certificate_.statements[0]).endswith("left out by each voter")


def test_nothing_of_a_model_that_all_judged_rows_judge():
    assert left_out_words(pb.certify_predictions([0, 1] * 20, [0, 1] * 20).statements[0]) is None
