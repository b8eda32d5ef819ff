"""The page: numbers of the library, everything else as text, nothing from the network."""

import re
from html.parser import HTMLParser

import pytest

import pacbayes as pb
from pacbayes._core.plain import mark_code
from pacbayes.certificate.words import limit_words, plain_sentence
from pacbayes.report import composition, delta_values, render

EVIL = "</script><script>window.hacked=1</script>"


def certificates():
    sample = pb.datasets.make_known_risk(400, d=2, random_state=0)
    for options in (
        {},
        {"bound": "maurer", "candidates": 3},
        {"bound": "betting", "reference": "online"},
        {"bound": "mcallester", "prior": "zero"},
    ):
        yield pb.CertifiedLogisticRegression(random_state=0, **options).fit(sample.X, sample.y).certificate_
    yield pb.certify_predictions(losses=[0.1, 0.5, 0.2] * 50)
    from sklearn.naive_bayes import GaussianNB

    yield pb.OnlineCertifiedClassifier(GaussianNB(), random_state=0).fit(sample.X, sample.y).certificate_


@pytest.fixture(scope="module")
def issued():
    return list(certificates())


def test_parts_add_up_to_the_value(issued):
    for certificate in issued:
        assert sum(part["adds"] for part in composition(certificate)) == pytest.approx(certificate.value, abs=1e-12)


def test_values_over_delta_fall_with_delta_and_hit_the_certificate(issued):
    for certificate in issued:
        rows = delta_values(certificate)
        values = [row["value"] for row in rows]
        assert values == sorted(values)
        (own,) = [row for row in rows if row["delta"] == certificate.delta]
        assert own["value"] == pytest.approx(certificate.value, rel=1e-12)
        assert own["shown"] == limit_words(certificate.statements[0], certificate.value)


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.links, self.scripts = [], [], 0

    def handle_starttag(self, tag, attrs):
        self.scripts += tag == "script"
        self.links += [value for name, value in attrs if name in {"src", "href"}]
        if tag not in {"meta", "link", "input", "br", "rect", "line", "!doctype", "img"}:
            self.open.append(tag)

    def handle_startendtag(self, _, attrs):
        self.links += [value for name, value in attrs if name in {"src", "href"}]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_whole_and_alone(issued):
    for certificate in issued:
        page = render(certificate, baseline={"value": 0.2, "n": 10, "errors": 1})
        tags = Tags()
        tags.feed(page)
        assert not tags.open
        assert tags.links == ["data:,"]
        assert mark_code(certificate.sentence()) in page
        assert plain_sentence(certificate).replace(" %", "\u00a0%") in page
        assert not re.search(r"https?://", page)


def test_everything_given_is_shown_as_text(issued):
    row = {"row": 1, "label": EVIL, "predicted": EVIL, "values": EVIL}
    column = {"name": EVIL, "kind": EVIL, "missing": 0, "distinct": 1}
    page = render(
        issued[0],
        about={EVIL: EVIL},
        columns=[column],
        hardest=[row],
        commands=[(EVIL, EVIL)],
    )
    tags = Tags()
    tags.feed(page)
    assert tags.scripts == 2
    assert EVIL not in page
    assert page.count("&lt;/script&gt;") == 18


def test_a_curve_is_drawn_where_there_is_one(issued):
    curve = {"n": [10, 100, 1000], "observed": [0.2, 0.1, 0.1], "bound": [0.6, 0.2, 0.15]}
    assert "polyline" in render(issued[-1], curve=curve)
    assert "polyline" not in render(issued[-1])


def test_a_bound_that_reads_other_numbers_than_errors_says_so():
    sample = pb.datasets.make_known_risk(300, d=3, random_state=0)
    forest = pb.CertifiedForest(n_estimators=5, random_state=0).fit(sample.X, sample.y)
    names = [part["name"] for part in composition(forest.certificate_)]
    assert names[:2] == ["observed", "inference"]
    assert "Chance and inference" in render(forest.certificate_)


def test_hundreds_of_groups_are_charted_at_both_ends_and_listed_once():
    groups = [f"shop {number}" for number in range(60)]
    rows = [each for each in groups for _ in range(30)] + ["<b>small</b>"]
    wrong = [int(number % 30 < number // 90) for number in range(1800)] + [0]
    page = render(pb.certify_predictions([0] * 1801, wrong, groups={"shop": rows}))
    assert page.count('<td class="chart">') == 20
    table = page[page.index('<table class="groups" id="all-1">') :]
    assert table[: table.index("</table>")].count("<tr>") == 1 + 61
    assert "<summary>All 61 groups</summary>" in page
    assert "1 of 61 groups have too few rows" in page
    assert "&lt;b&gt;small&lt;/b&gt;" in page
    assert page.index("The 10 worst limits") < page.index("shop 59") < page.index("The 10 best limits")
    assert "41 further statements about groups" in page
