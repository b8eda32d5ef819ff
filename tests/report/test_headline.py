"""The top of the page: plain words, the number first, and a notice where nothing is certified or a caution matters."""

import dataclasses
import json
import re

import pytest

import pacbayes as pb
from pacbayes._core.notes import Note
from pacbayes.certificate import find_notices, is_vacuous, notice_words
from pacbayes.certificate.words import plain_sentence
from pacbayes.report import SplitCost, render
from pacbayes.report.sections import READER, STATISTICIAN

from report.kinds import EVERYTHING, FRESH, X, Y, certificates
from report.test_percent import Texts

KINDS = certificates()
MARKS = re.compile(r"`|<code|<pre|--\w|\w\.(?:json|html|csv|skops|txt)\b|\w+=|\w_\w|\(\)")
THEORY = re.compile(
    r"posterior|\bprior\b|\bkl\b|pac-bayes|\bdelta\b|divergence|\bbound|clopper|chernoff|betting|portfolio|maurer|"
    r"catoni|bernstein|hoeffding|martingale|i\.i\.d|gibbs|\bdraw from|nats",
    re.IGNORECASE,
)


def header(page):
    return page.partition("<header>")[2].partition("</header>")[0]


def reader_part(page):
    return page.partition("</header>")[2].partition('<div class="part">')[0]


@pytest.fixture(params=KINDS)
def certificate(request):
    return KINDS[request.param]


def test_the_headline_has_no_code_and_no_theory(certificate):
    for page in (render(certificate, **EVERYTHING), render(certificate)):
        assert not MARKS.search(header(page).replace('class="', "")), header(page)
        assert not THEORY.findall(Texts(header(page)).text)
        assert plain_sentence(certificate).replace(" %", "\u00a0%") in header(page)


def test_what_a_manager_reads_has_no_theory(certificate):
    page = render(certificate, **EVERYTHING | {"notes": ()})
    found = THEORY.findall(Texts(reader_part(page)).text)
    assert not found


def test_every_kind_of_certificate_is_among_them():
    assert {each.procedure for each in KINDS.values()} == set(pb.procedures.PROCEDURES)


def test_the_statistician_comes_last(certificate):
    page = render(certificate, **EVERYTHING)
    divider = page.index('<div class="part">')
    assert all(page.find(f'id="{each.name}"') < divider for each in READER)
    shown = [f'id="{each.name}"' for each in STATISTICIAN if f'id="{each.name}"' in page]
    assert all(page.index(each) > divider for each in shown)
    assert {'id="statements"', 'id="assumptions"', 'id="details"'} <= set(shown)


def codes(certificate, *rest):
    return [each.code for each in find_notices(certificate, *rest)]


def test_a_statement_that_certifies_nothing_is_said_at_the_top():
    top = header(render(KINDS["nothing"]))
    assert "nothing is certified" in top
    assert "more rows alone will not help" not in top  # three rows do not tell
    assert "more rows alone will not help" in header(render(pb.certify_predictions([0] * 30, [1] * 30)))
    assert codes(pb.certify_predictions([0] * 200 + [1], [0] * 195 + [1] * 6)) == []


def test_the_rows_that_would_do_are_enough():
    sample = pb.datasets.make_known_risk(60, d=8, random_state=0)
    model = pb.CertifiedLogisticRegression(bound="mcallester", prior="zero", random_state=0).fit(sample.X, sample.y)
    certificate = model.certificate_
    (note,) = [each for each in find_notices(certificate) if "needed" in each.numbers]
    statement = certificate.statements[0]
    assert note.numbers["rows"] == statement.n < note.numbers["needed"]
    twice = 2.0 * pb.bounds.mcallester(statement.risk, statement.kl, note.numbers["needed"], certificate.delta)
    fewer = 2.0 * pb.bounds.mcallester(statement.risk, statement.kl, note.numbers["needed"] - 1, certificate.delta)
    assert twice <= 0.5 < fewer
    assert f"about {note.numbers['needed']:,} would do" in header(render(certificate))


def test_one_of_several_statements_is_named():
    stream = KINDS["online"]
    changed = dataclasses.replace(stream.statements[1], value=1.0)
    several = dataclasses.replace(stream, statements=(stream.statements[0], changed), digest="")
    first, *rest = map(notice_words, find_notices(several))
    assert first.startswith("True error of the last stage of the model: nothing is certified")
    assert rest == []
    many = dataclasses.replace(stream, statements=(changed,) * 12, digest="")
    words = [notice_words(each) for each in find_notices(many)]
    assert words[-1] == "Nothing is certified by 6 more statements; they are listed below."
    assert len(words) == 7


def test_a_lower_limit_is_empty_at_zero():
    statement = KINDS["split"].statements[0]
    lower = dataclasses.replace(statement, side="lower", value=0.0)
    assert is_vacuous(lower)
    assert not is_vacuous(lower, 0.2)
    assert not is_vacuous(dataclasses.replace(statement, value=0.0))


def test_cautions_are_told_once():
    record = KINDS["predictions"].to_dict()
    numbers = {"repeated": 12, "rows": 40}
    record["notes"] = [Note("judged_rows_learned", numbers).to_dict(), Note("time_index").to_dict()]
    page = render(pb.Certificate.from_json(json.dumps(record)))
    assert "12 of 40 judged rows are copies" in header(page)
    assert page.count("12 of 40 judged rows") == 1
    assert "time index" not in header(page)
    assert "time index" in page


def test_a_note_without_its_numbers_does_no_harm():
    record = KINDS["predictions"].to_dict() | {"notes": [{"code": "judged_rows_learned", "numbers": {}}]}
    assert "judged_rows_learned" in render(pb.Certificate.from_json(json.dumps(record)))


def test_no_better_than_the_most_common_answer():
    certificate = pb.certify_predictions([0] * 200 + [1], [0] * 195 + [1] * 6)
    assert codes(certificate, {"label": "ok", "share": 0.3}) == []
    assert codes(certificate, {"label": "ok", "share": 0.01}) == ["no_better_than_common"]
    assert "wrong on 1.00\u00a0% of these rows" in header(render(certificate, trivial={"label": "ok", "share": 0.01}))


def test_a_refit_without_a_certificate_is_said():
    model = pb.CertifiedClassifier(refit=True, split=0.5, random_state=0).fit(X, Y)
    assert "refit_not_certified" in codes(model.certificate_)
    own = SplitCost.of(model, model.transfer(FRESH))
    assert "is not certified" in header(render(model.certificate_, split=SplitCost.of(model)))
    assert "not certified" not in header(render(model.certificate_, split=own))


def test_a_monitor_says_nothing_of_new_cases():
    assert "new cases" not in header(render(KINDS["monitor"]))
    assert "Over all that time the true loss was on average at most" in header(render(KINDS["monitor"]))


def test_bars_of_lower_limits_hold_what_was_observed_and_say_so():
    labels = [0, 1] * 100
    certificate = pb.certify_predictions(labels, [0, 1, 0, 0] * 50, metrics=("error", "recall:1"))
    page = render(certificate)
    assert "of a lower limit, what is certified" in page
    ends = re.findall(r'aria-hidden="true">(\d+) %</span>', page)
    assert [int(each) >= 50 for each in ends[:2]] == [False, True]  # recall was observed at 50 %
    assert "of a lower limit" not in render(pb.certify_predictions(labels, labels))
