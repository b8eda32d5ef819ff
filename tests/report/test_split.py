"""What a report shows of a split: the learning curve, the stop, and both models."""

import re

import pytest
from sklearn.naive_bayes import GaussianNB

import pacbayes as pb
from pacbayes.certificate.words import limit_words
from pacbayes.report import SplitCost, render
from pacbayes.report.charts import draw_learning

SAMPLE = pb.datasets.make_known_risk(900, d=2, random_state=0)
X, Y, FRESH = SAMPLE.X[:600], SAMPLE.y[:600], SAMPLE.X[600:]


def fit(**options):
    return pb.CertifiedClassifier(GaussianNB(), random_state=0, **options).fit(X, Y)


def section(model, transfer=None):
    page = render(model.certificate_, split=SplitCost.of(model, transfer))
    return page.partition('<h2 id="split">')[2].partition("</section>")[0]


def test_an_adaptive_split_shows_its_curve_and_its_stop():
    model = fit()
    shown = section(model)
    assert shown.count('class="point"') == len(model.curve_)
    assert shown.count("<circle") == len(model.curve_) + 2
    assert f"learned from {model.n_learning_} of 600 rows" in shown
    assert "chosen by the learning curve" in shown
    for learned, errors, rows, _ in model.curve_:
        assert f"{100 * errors / rows:.2f} % at {learned}" in shown
        assert re.search(rf">{learned}</td><td[^>]*>{errors}</td><td[^>]*>{rows}</td>", shown)
    assert limit_words(model.certificate_.statements[0], model.certificate_.value) in shown
    assert "refitted" not in shown


def test_a_fixed_share_without_a_refit_shows_nothing():
    assert SplitCost.of(fit(split=0.5)) is None
    assert section(fit(split=0.5)) == ""


def test_a_fixed_share_with_a_refit_shows_both_models_and_no_curve():
    shown = section(fit(split=0.5, refit=True))
    assert "<svg" not in shown
    assert "The share was fixed beforehand." in shown
    assert "not certified" in shown


def test_a_refit_is_not_certified_or_has_its_own_number():
    model = fit(refit=True)
    assert ">not certified<" in section(model)
    issued = model.transfer(FRESH)
    shown = section(model, issued)
    apart = issued.statements[0].observed["disagreements"]
    assert f"{apart} disagreements with the certified model on 300 unlabelled rows" in shown
    assert issued.sentence() in shown
    assert f">{limit_words(issued.statements[0], issued.value)}<" in shown
    assert "not certified" not in shown


def test_a_stream_has_no_split():
    model = pb.OnlineCertifiedClassifier(GaussianNB(), random_state=0).fit(X, Y)
    assert SplitCost.of(model) is None


@pytest.mark.parametrize("stop", [(40, 0.3, 0.9), (999, 0.0, 0.001), (1000, 1.0, 1.0)])
def test_the_picture_stays_inside_its_frame(stop):
    chart = draw_learning([(10, 0.4), (20, 0.0)], stop, 1000, label='a "quoted" <label>')
    places = [(float(x), float(y)) for x, y in re.findall(r'cx="([-\d.]+)" cy="([-\d.]+)"', chart)]
    assert all(50 <= x <= 626 and 12 <= y <= 242 for x, y in places)
    assert "<label>" not in chart


def test_a_transfer_has_a_report_of_its_own():
    issued = fit(refit=True).transfer(FRESH)
    page = render(issued)
    assert issued.sentence() in page
    assert "Disagreements with the certified model on these rows" in page
    assert "kept away from every fit and choice" in page
