"""A certificate in a notebook and in a model card: card, pictures, Markdown."""

import builtins
import json
from html.parser import HTMLParser

import matplotlib as mpl
import numpy as np
import pytest
from markdown_it import MarkdownIt
from sklearn.linear_model import LogisticRegression

import pacbayes as pb
from pacbayes.certificate import CurvePoint, find_empty, read_curve, write_curve
from pacbayes.certificate.number_words import remark_rows
from pacbayes.certificate.plots import PLOTS
from pacbayes.certificate.words import assumption_words, limit_words, sentences

from certificate.issued import SAMPLE

mpl.use("agg")
X, Y = SAMPLE.X, SAMPLE.y


def issued():
    refitted = pb.CertifiedClassifier(LogisticRegression(), refit=True, random_state=0).fit(X[:300], Y[:300])
    stream = pb.OnlineCertifiedClassifier(LogisticRegression(), certify_last=True, random_state=0)
    return {
        "split": pb.CertifiedClassifier(LogisticRegression(), random_state=0).fit(X, Y).certificate_,
        "fixed": pb.CertifiedClassifier(LogisticRegression(), split=0.5, random_state=0).fit(X, Y).certificate_,
        "posterior": pb.CertifiedLogisticRegression(random_state=0).fit(X, Y).certificate_,
        "stream": stream.fit(X, Y).certificate_,
        "refit": refitted.certificate_,
        "transfer": refitted.transfer(X[300:]),
        "regression": pb.CertifiedRegressor(scale=4.0, random_state=0).fit(X, 2.0 * X[:, 0]).certificate_,
        "miss": pb.CertifiedRegressor(loss="within", tolerance=0.1, random_state=0).fit(X, X[:, 0]).certificate_,
        "losses": pb.certify_predictions(losses=np.linspace(0.0, 0.4, 101)),
    }


CERTIFICATES = issued()
EVIL = "<script>alert(1)</script> `a` | [b](https://c) *d* www.e.f $g$"


@pytest.fixture(params=CERTIFICATES)
def certificate(request):
    return CERTIFICATES[request.param]


def forge(certificate, **changes):
    return pb.Certificate.from_json(json.dumps(certificate.to_dict() | changes))


class Reader(HTMLParser):
    """The text of a fragment, and whether each tag that is opened is closed in order."""

    def __init__(self, fragment):
        super().__init__()
        self.text, self.open, self.tags, self.attributes = "", [], set(), set()
        self.feed(fragment)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += "" if self.open[-1:] == ["style"] else data


def render(text):
    return MarkdownIt("commonmark", {"html": True}).enable("table").render(text)


class TestCard:
    def test_shows_the_number_the_sentences_and_what_has_to_be_true(self, certificate):
        page = Reader(certificate._repr_html_())
        text = page.text
        for each in (
            *sentences(certificate),
            *assumption_words(certificate),
            *(t for _, t in remark_rows(certificate)),
        ):
            assert each.replace("`", "") in text
        best = certificate.value if certificate.vote_value is None else certificate.vote_value
        assert text.startswith(f"≤ {limit_words(certificate.statements[0], best)}")
        assert "judged rows" in text
        assert page.tags <= {"div", "style", "p", "span", "code", "dl", "dt", "dd", "details", "summary", "ul", "li"}
        assert page.attributes <= {"class"}

    def test_every_rule_of_its_style_names_the_card(self, certificate):
        style = certificate._repr_html_().partition("<style>")[2].partition("</style>")[0]
        assert "url(" not in style
        assert "import" not in style
        for rule in style.replace("@media (prefers-color-scheme: dark) {", "").split("}"):
            selectors = rule.partition("{")[0].strip()
            assert all(".pacbayes-certificate" in each for each in selectors.split(",") if selectors)

    def test_what_comes_from_outside_is_escaped(self):
        record = CERTIFICATES["stream"].to_dict()
        record["choices"][0] |= {"what": EVIL, "value": EVIL}
        record["statements"][0] |= {"quantity": EVIL, "assumptions": [EVIL], "bound": EVIL}
        record["notes"] = [{"code": EVIL, "numbers": {}}]
        page = Reader(forge(CERTIFICATES["stream"], **record)._repr_html_())
        assert "script" not in page.tags
        assert page.text.count("<script>alert(1)</script>") >= 5

    def test_an_odd_backtick_stays_one(self):
        card = forge(CERTIFICATES["split"], notes=[{"code": "a ` b", "numbers": {}}])._repr_html_()
        assert "&#x27;a ` b&#x27;.</li>" in card

    def test_estimators_show_it_below_their_diagram(self):
        model = pb.CertifiedClassifier(LogisticRegression(), split=0.5, random_state=0).fit(X, Y)
        card = model.certificate_._repr_html_()
        assert model._repr_html_().endswith(card)
        assert model._repr_mimebundle_()["text/html"].count(card) == 1


class TestPlot:
    @pytest.mark.parametrize("kind", ["delta", "statements"])
    def test_draws_every_certificate(self, certificate, kind):
        axes = certificate.plot(kind)
        assert axes.get_legend() is not None
        drawn = {text.get_text() for text in axes.texts}
        assert {limit_words(each, each.value) for each in certificate.statements} <= drawn
        axes.figure.canvas.draw()
        mpl.pyplot.close(axes.figure)

    def test_the_issued_limit_lies_on_the_curve(self, certificate):
        axes = certificate.plot("delta")
        deltas, limits = axes.lines[0].get_data()
        first = certificate.statements[0]
        at = np.flatnonzero(deltas == certificate.delta)
        assert limits[at] == pytest.approx([first.limit], rel=1e-9)
        assert np.all(np.diff(limits) >= -1e-12)  # more confidence, a larger limit
        mpl.pyplot.close(axes.figure)

    @pytest.mark.parametrize("name", ["split", "refit", "regression", "miss"])
    def test_learning_curve_needs_the_certificate_alone(self, name):
        certificate = pb.Certificate.from_json(CERTIFICATES[name].to_json())
        axes = certificate.plot("learning_curve")
        learned, errors = axes.lines[0].get_data()
        points = [each for each in read_curve(certificate) if each.rows]
        first = certificate.statements[0]
        unit = first.limit / first.value
        assert learned.tolist() == [each.learned for each in points]
        assert errors == pytest.approx([unit * each.errors / each.rows for each in points])
        assert f"at most {limit_words(first, first.value)}" in axes.get_legend().get_texts()[-1].get_text()
        mpl.pyplot.close(axes.figure)

    def test_the_curve_is_that_of_the_model(self):
        model = pb.CertifiedClassifier(LogisticRegression(), random_state=0).fit(X, Y)
        assert read_curve(model.certificate_) == tuple((each.learned, each.errors, each.rows) for each in model.curve_)

    def test_draws_where_it_is_told(self):
        figure, axes = mpl.pyplot.subplots()
        assert CERTIFICATES["split"].plot(ax=axes) is axes
        mpl.pyplot.close(figure)

    @pytest.mark.parametrize("kind", ["pie", "", None])
    def test_an_unknown_kind_is_refused(self, kind):
        with pytest.raises(ValueError, match=r"'kind' argument of Certificate.plot must be one of \['delta'"):
            CERTIFICATES["split"].plot(kind)

    @pytest.mark.parametrize("name", ["fixed", "posterior", "losses"])
    def test_no_learning_curve_is_said(self, name):
        with pytest.raises(ValueError, match="has no learning curve"):
            CERTIFICATES[name].plot("learning_curve")

    @pytest.mark.parametrize("kind", PLOTS)
    def test_what_does_not_hold_is_not_drawn(self, kind):
        record = CERTIFICATES["split"].to_dict()
        record["statements"][0]["value"] /= 2.0
        with pytest.raises(ValueError, match="must hold to be drawn"):
            forge(CERTIFICATES["split"], **record).plot(kind)

    def test_without_matplotlib(self, monkeypatch):
        real = builtins.__import__

        def refuse(name, *rest, **more):
            if name.startswith("matplotlib"):
                raise ImportError(name)
            return real(name, *rest, **more)

        monkeypatch.setattr(builtins, "__import__", refuse)
        with pytest.raises(ImportError, match=r"needs matplotlib. Install pacbayes\[report\]"):
            CERTIFICATES["split"].plot()


class TestCurve:
    def test_what_is_written_is_read(self):
        text = write_curve([(10, "3", 90), (20, "2.5", 80)])
        choice = {"what": "learning_curve", "value": text, "where": "given", "cost": "none", "size": None}
        curve = read_curve(forge(CERTIFICATES["split"], choices=[choice]))
        assert curve == (CurvePoint(10, 3.0, 90), CurvePoint(20, 2.5, 80))

    @pytest.mark.parametrize("text", ["", "a", "1: 2", "1: 2/1", "0: 1/2", "1: nan/2", "1: -1/2", "1: inf/2", 3.5])
    def test_anything_else_is_refused(self, text):
        choice = {"what": "learning_curve", "value": text, "where": "given", "cost": "none", "size": None}
        with pytest.raises(ValueError, match="A point of a learning curve must be"):
            read_curve(forge(CERTIFICATES["split"], choices=[choice]))


class TestMarkdown:
    def test_says_everything(self, certificate):
        text = certificate.to_markdown()
        assert text.startswith("## Certificate\n\nWith probability at least ")
        assert text.endswith("\n")
        first = certificate.statements[0]
        assert f"| {limit_words(first, first.value)} |" in text
        for each in (*sentences(certificate), *assumption_words(certificate)):
            assert each in text.replace("\\", "")
        assert certificate.digest in text
        rows = [line for line in text.splitlines() if line.startswith("|")]
        assert len(rows) == 2 + sum(1 + len(each.consequences) for each in certificate.statements)
        assert {row.count("|") for row in rows} == {5}

    def test_the_commands_that_it_shows_run(self, certificate, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path)
        certificate.to_json(tmp_path / "certificate.json")
        exec(certificate.to_markdown().partition("```python\n")[2].partition("```")[0])
        assert str(certificate.verify()) in capsys.readouterr().out

    def test_what_comes_from_outside_is_escaped(self):
        record = CERTIFICATES["stream"].to_dict()
        record["statements"][0] |= {"quantity": EVIL, "assumptions": [EVIL]}
        record |= {"created": EVIL, "versions": {"pacbayes": EVIL}, "digest": EVIL}
        record["notes"] = [{"code": f"1. {EVIL}\n# x", "numbers": {}}]
        text = forge(CERTIFICATES["stream"], **record).to_markdown()
        page = Reader(render(text))
        assert page.tags == {"h2", "p", "table", "thead", "tbody", "tr", "th", "td", "ul", "li", "code", "pre"}
        assert (
            page.text.count("<script>alert(1)</script> `a` | [b](https://c) *d* www.e.f $g$") == 6
        )  # a sentence, two rows, and once each
        assert "this version does not know: '1. <script>alert(1)</script> `a` | [b](https://c) *d*" in page.text  # cut
        for mark in ("https://", "www.", " $g"):  # what some readers make more of than CommonMark
            assert mark not in text

    def test_the_heading_is_where_it_is_wanted(self):
        certificate = CERTIFICATES["split"]
        assert certificate.to_markdown(4).startswith("#### Certificate\n")
        assert certificate.to_markdown(None).startswith("With probability")
        assert certificate.to_markdown(4).endswith(certificate.to_markdown(None))

    @pytest.mark.parametrize("level", [0, 7, 2.0, True, "2"])
    def test_other_levels_are_refused(self, level):
        with pytest.raises(ValueError, match=r"'level' argument of Certificate.to_markdown must be a whole number"):
            CERTIFICATES["split"].to_markdown(level)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (3, "No group is listed, since no limit of a group says enough, most often for lack of rows; all 120"),
        (40, "Of each metric the groups with the 10 worst and the 10 best limits are listed; 100 further"),
    ],
)
def test_what_is_listed_of_many_groups_is_what_is_said_to_be(rows, words):
    certificate = pb.certify_predictions([0] * 120 * rows, [0] * 120 * rows, groups=list(range(120)) * rows)
    for text in (str(certificate), certificate.to_markdown(), certificate._repr_html_()):
        assert words in " ".join(text.split())


def test_a_few_wrong_rows_are_not_said_to_need_no_more_rows():
    """Whether more rows would help, three of them do not tell."""
    for rows, code in [(3, "nothing_certified_from"), (30, "nothing_certified_often_wrong")]:
        assert [each.code for each in find_empty(pb.certify_predictions([0] * rows, [1] * rows))] == [code]
