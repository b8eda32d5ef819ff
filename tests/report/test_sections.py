"""One list of sections: each listed one renders, and no template lies about unlisted."""

import json
import re
from decimal import Decimal
from importlib.resources import files

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import pacbayes as pb
from pacbayes._core.plain import mark_code
from pacbayes._core.units import percent_text
from pacbayes.certificate import QUANTITIES, SUBJECTS, schema
from pacbayes.certificate.blocks import BLOCK_NAMES
from pacbayes.certificate.words import ASSUMPTIONS, limit_words, sentences
from pacbayes.procedures import PROCEDURES
from pacbayes.report import compare_with_trivial, delta_values, page, render
from pacbayes.report.phrases import OBSERVED, QUESTIONS, RULES
from pacbayes.report.sections import READER, SECTIONS

from report.kinds import EVERYTHING

OPTIONAL = {"groups", "thresholds", "comparison", "split", "stream", "hardest"}
PAGES = {"page.html", "watch.html"}


@pytest.fixture(scope="module")
def stream():
    """A certificate of two statements."""
    sample = pb.datasets.make_known_risk(400, d=2, random_state=0)
    model = pb.OnlineCertifiedClassifier(GaussianNB(), certify_last=True, random_state=0)
    return model.fit(sample.X, sample.y).certificate_


def heading(section):
    level = "h2" if section in READER else "h3"
    return f'<{level} id="{section.name}">{section.title}</{level}>'


def test_every_listed_section_renders_in_its_place(stream):
    y, group = [0, 1] * 200, ["a", "a", "b", "b"] * 100
    grouped = pb.certify_predictions(y, y, groups=group, differences=True)
    for certificate, missing in ((stream, {"groups", "thresholds"}), (grouped, {"thresholds"})):
        rendered = render(certificate, **EVERYTHING)
        places = [rendered.index(heading(each)) for each in SECTIONS if each.name not in missing]
        assert places == sorted(places)
    assert len({section.name for section in SECTIONS}) == len(SECTIONS)


def test_every_template_is_listed():
    names = {each.name for each in files("pacbayes.report").joinpath("templates").iterdir()}
    templates = {name for name in names if name.endswith(".html")} - PAGES
    assert templates == {f"{section.name}.html" for section in SECTIONS}


def test_a_section_with_nothing_to_show_is_left_out(stream):
    rendered = render(stream)
    assert {section.name for section in SECTIONS if heading(section) not in rendered} == OPTIONAL


def test_all_statements_are_shown_with_value_rows_and_share(stream):
    rendered = render(stream)
    assert len(stream.statements) == 2
    for said, statement in zip(sentences(stream), stream.statements, strict=True):
        assert mark_code(said) in rendered
        assert SUBJECTS[statement.about].long_words in rendered
        assert f'<td class="figure">{limit_words(statement, statement.value)}</td>' in rendered
        assert f">{statement.n}</td>" in rendered
        assert f">{percent_text(statement.share)}</td>" in rendered
        for each in statement.consequences:
            assert SUBJECTS[each.about].long_words in rendered
            assert f'<td class="figure">{limit_words(statement, each.value)}</td>' in rendered


def test_the_headline_is_about_what_predict_returns(stream):
    assert f'<span class="number">{limit_words(stream.statements[0], stream.vote_value)}</span>' in render(stream)


def test_notes_come_as_codes_or_as_sentences(stream):
    rendered = render(stream, **EVERYTHING)
    assert "rows that drift with time are not i.i.d." in rendered
    assert "A sentence about the table." in rendered


def test_the_values_over_delta_are_computed_once(stream, monkeypatch):
    calls = []
    monkeypatch.setattr(page, "delta_values", lambda certificate: calls.append(1) or delta_values(certificate))
    rendered = render(stream, **EVERYTHING)
    assert calls == [1]
    embedded = rendered.split('id="values">')[1].split("</script>")[0]
    assert json.loads(embedded) == delta_values(stream)


def test_there_are_words_for_every_code():
    statement = schema()["properties"]["statements"]["items"]["properties"]
    assert set(QUESTIONS) == set(ASSUMPTIONS)
    for quantity in QUANTITIES.values():
        assert quantity.words
        assert quantity.unit
        assert any(each in quantity.verdict for each in (["{limit}"] if quantity.power else ["{percent}", "{count}"]))
        assert ("{risk}" if quantity.power else "{percent}") in quantity.often
    assert {*RULES, "same"} == set(statement["consequences"]["items"]["properties"]["rule"]["enum"])
    assert set(RULES) <= {rule for subject in SUBJECTS.values() for _, rule in subject.consequences}
    assert all(procedure.made for procedure in PROCEDURES.values())


def test_observed_numbers_have_words(stream):
    sample = pb.datasets.make_known_risk(400, d=2, random_state=0)
    options = ({}, {"bound": "betting", "reference": "online"})
    issued = [pb.CertifiedLogisticRegression(random_state=0, **each).fit(sample.X, sample.y) for each in options]
    given = pb.certify_predictions(losses=[0.1, 0.5, 0.2] * 50)
    for certificate in (stream, given, *(model.certificate_ for model in issued)):
        for statement in certificate.statements:
            assert set(statement.observed) - {"log_growth", *BLOCK_NAMES} <= set(OBSERVED)


@pytest.mark.parametrize(
    ("errors", "n", "words"),
    [
        (10, 200, "on average at most"),
        (5, 10, "misclassifies 50.00 % of the judged rows"),
        (1, 7, "There are only 7 judged rows"),
        (3, 3, "says nothing"),
    ],
)
def test_the_verdict_says_what_the_number_means(errors, n, words):
    certificate = pb.certify_predictions([0] * n, [1] * errors + [0] * (n - errors))
    assert words in render(certificate).replace("\u00a0", " ")


def test_a_loss_is_not_called_an_error():
    rendered = render(pb.certify_predictions(losses=[0.1, 0.5, 0.2] * 50))
    assert "true loss" in rendered
    assert "misclassified" not in rendered


def test_the_comparison_warns_where_the_guarantee_is_no_better():
    certificate = pb.certify_predictions([0] * 200, [0] * 195 + [1] * 5)
    better, worse = ({"label": "ok", "share": share} for share in (0.3, 0.01))
    assert compare_with_trivial(certificate, better).warning == ""
    assert "no better than" in compare_with_trivial(certificate, worse).warning
    assert "always predicting 'ok' would be wrong on 1.00 %" in compare_with_trivial(certificate, worse).words
    assert "no better than" in render(certificate, trivial=worse)


@pytest.mark.parametrize(
    ("loss", "options", "shown"),
    [
        ("absolute", {"scale": 4.0}, "mean absolute error, scale 4"),
        ("squared", {"scale": 4.0}, "mean squared error, scale 4"),
        ("within", {"tolerance": 0.25}, "share of misses, tolerance 0.25"),
    ],
)
def test_errors_of_numbers_are_shown_in_their_units(loss, options, shown):
    truth = np.linspace(-5.0, 5.0, 200)
    certificate = pb.certify_predictions(truth, truth * 1.05, loss=loss, **options)
    rendered, limit = render(certificate), limit_words(certificate.statements[0], certificate.value)
    assert shown in rendered
    assert f'<td class="figure">{limit}</td>' in rendered
    assert repr(certificate.limit) in rendered
    assert f'<span class="number">{limit}</span>' in rendered
    assert limit.endswith(" %") == (loss == "within")
    adds = re.findall(r'class="key part-\w+"></span>.*?<td class="figure">([\d.]+)(?: %)?</td>', rendered)
    assert sum(map(Decimal, adds)) == Decimal(limit.removesuffix(" %"))
    assert "Was it decided how errors are counted" in rendered
