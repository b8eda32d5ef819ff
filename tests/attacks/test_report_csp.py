"""The report forbids everything but its own script and its own style, by their hashes."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

import pacbayes as pb
from pacbayes.report import render

from browser import open_page

EVIL = "</style></script><script>window.hacked=1</script><p style='x' onclick='y'><img src=http://x/><base href=//x>"


class Page(HTMLParser):
    """What a browser would look at: policy, inline scripts and styles, attributes."""

    def __init__(self, text):
        super().__init__()
        self.policies, self.scripts, self.styles, self.attributes, self._inside = [], [], [], [], None
        self.before_policy = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if found.get("http-equiv", "").lower() == "content-security-policy":
            self.policies.append(found["content"])
        if not self.policies:
            self.before_policy.append(tag)
        self.attributes += [(tag, *each) for each in attrs]
        if tag == "style":
            self.styles.append("")
            self._inside = self.styles
        elif tag == "script" and found.get("type") != "application/json":
            self.scripts.append("")
            self._inside = self.scripts
        else:
            self._inside = None

    handle_startendtag = handle_starttag

    def handle_data(self, data):
        if self._inside is not None:
            self._inside[-1] += data

    def handle_endtag(self, _):
        self._inside = None


def pages():
    sample = pb.datasets.make_known_risk(300, d=2, random_state=0)
    from sklearn.naive_bayes import GaussianNB

    curve = {"n": [10, 100, 1000], "observed": [0.2, 0.1, 0.1], "bound": [0.6, 0.2, 0.15]}
    row = {"row": 1, "label": EVIL, "predicted": EVIL, "values": EVIL}
    column = {"name": EVIL, "kind": EVIL, "missing": 0, "distinct": 1}
    given = {"about": {EVIL: EVIL}, "columns": [column], "hardest": [row], "commands": [(EVIL, EVIL)], "notes": [EVIL]}
    logistic = pb.CertifiedLogisticRegression(random_state=0).fit(sample.X, sample.y).certificate_
    online = pb.OnlineCertifiedClassifier(GaussianNB(), random_state=0).fit(sample.X, sample.y).certificate_
    yield render(logistic, **given)
    yield render(online, curve=curve, **given)
    yield render(pb.certify_predictions(losses=[0.1, 0.5, 0.2] * 50))


@pytest.fixture(scope="module")
def texts():
    return list(pages())


def directives(policy):
    return {name: values for name, *values in (each.split() for each in policy.split(";"))}


def hashed(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode()}'"


def test_the_policy_names_the_hash_of_the_one_script_and_of_the_one_style(texts):
    for text in texts:
        page = Page(text)
        (policy,) = page.policies
        (script,) = page.scripts
        (style,) = page.styles
        assert directives(policy) == {
            "default-src": ["'none'"],
            "script-src": [hashed(script)],
            "style-src": [hashed(style)],
            "img-src": ["data:"],
            "base-uri": ["'none'"],
            "form-action": ["'none'"],
        }
        assert "unsafe" not in policy
        assert len(script) > 100
        assert len(style) > 100
        assert set(page.before_policy) <= {"html", "head", "meta"}


def test_there_is_nothing_that_the_policy_would_block(texts):
    for text in texts:
        page = Page(text)
        for tag, name, value in page.attributes:
            assert not name.startswith("on"), (tag, name)
            assert name != "style", (tag, value)
            if name in {"src", "href", "action", "formaction", "data", "poster", "srcset", "xlink:href"}:
                assert (tag, value) == ("link", "data:,")
        assert not re.search(r"javascript:|https?://|@import|url\(", "".join((*page.scripts, *page.styles)))
        assert EVIL not in text


def test_script_and_style_do_not_depend_on_what_is_shown(texts):
    assert len({Page(text).scripts[0] for text in texts}) == 1
    assert len({Page(text).styles[0] for text in texts}) == 1
    assert len({Page(text).policies[0] for text in texts}) == 1


def test_a_browser_blocks_nothing_and_the_slider_moves(browser, texts, tmp_path):
    move = (
        "var s = document.getElementById('slider'); s.value = arguments[0];"
        "s.dispatchEvent(new Event('input')); return document.getElementById('result').textContent"
    )
    weight = "return getComputedStyle(document.querySelector('.headline .number')).fontWeight"
    inject = (
        "var s = document.createElement('script'); s.textContent = 'window.hacked = 1';"
        "document.body.append(s); return window.hacked === undefined"
    )
    for number, text in enumerate(texts):
        path = tmp_path / f"{number}.html"
        path.write_text(text, encoding="utf-8")
        page = open_page(browser, path)
        assert page.get_log("browser") == []
        assert page.execute_script("return window.hacked === undefined")
        assert page.execute_script(move, 0) != page.execute_script(move, 10)
        assert page.execute_script(weight) == "700"
        for key in page.find_elements("css selector", ".legend .key"):
            assert key.value_of_css_property("background-color") not in {"rgba(0, 0, 0, 0)", "transparent"}
        assert page.execute_script(inject)
        assert page.get_log("browser")
