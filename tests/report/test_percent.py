"""Percentages throughout: no share as a decimal on page, card and Markdown, none better than certified."""

import re
from decimal import Decimal
from html.parser import HTMLParser

import numpy as np
import pytest

from pacbayes._core.units import limit_text, observed_text, part_texts, percent_text
from pacbayes.certificate.words import confidence_words
from pacbayes.report import render

from report.kinds import EVERYTHING, POINTS, UNITS, certificates

DECIMAL = re.compile(r"(?<![\w.=])\d*\.\d+(?![\d.]|\s?%| nats| errors| percentage points)")
SHARE = re.compile(r"(?<![\w.])\d+(?:\.\d+)?\s%")
RAW = {"pre", "code", "script", "style"}


class Texts(HTMLParser):
    """What a reader sees or hears, without what is raw: code, commands, script and style."""

    def __init__(self, page):
        super().__init__()
        self.inside, self.text = [], ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.inside.append(tag)
        words = [value for name, value in attrs if name in {"aria-label", "title", "alt", "data-noun"}]
        self.text += "".join(f"\n{each}\n" for each in words)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.inside.pop()

    def handle_endtag(self, tag):
        while self.inside.pop() != tag:  # tags without an end
            pass

    def handle_data(self, data):
        self.text += "" if RAW & set(self.inside) else data


@pytest.mark.parametrize("kind", sorted(set(certificates()) - {*UNITS, *POINTS}))
def test_no_share_is_a_decimal(kind):
    certificate = certificates()[kind]
    markdown = re.sub(r"```.*?```|`[^`]*`", "", certificate.to_markdown(), flags=re.DOTALL)
    printed = re.sub(r"`[^`]*`", "", str(certificate))
    for text in (
        Texts(render(certificate, **EVERYTHING)).text,
        Texts(certificate._repr_html_()).text,
        markdown.rpartition(", issued")[0],
        printed,
    ):
        assert not DECIMAL.findall(text), [text[m.start() - 40 : m.end() + 20] for m in DECIMAL.finditer(text)]
        assert SHARE.search(text)


@pytest.mark.parametrize("kind", UNITS)
def test_a_number_in_units_has_no_percent_sign(kind):
    certificate = certificates()[kind]
    headline = render(certificate).partition('<span class="number">')[2].partition("</span>")[0]
    assert "%" not in headline
    assert Decimal(headline) >= Decimal(certificate.limit)


def test_a_printed_limit_is_never_better_than_the_certified_one():
    generator = np.random.default_rng(0)
    values = [*generator.uniform(size=300), *10.0 ** generator.uniform(-14, 0, size=300), 0.0, 1.0, 0.05, 0.1]
    for value in map(float, values):
        upper, lower, nearest = (
            Decimal(text.removesuffix(" %")) / 100
            for text in (
                limit_text(value, None, None),
                limit_text(value, None, None, "lower"),
                observed_text(value, None, None),
            )
        )
        exact = Decimal(value)
        assert lower <= exact <= upper
        assert upper - exact < max(exact / 10, Decimal("1e-16"))
        assert abs(nearest - exact) <= max(Decimal("0.00005"), Decimal(0))
        assert upper <= 1


@pytest.mark.parametrize(
    ("value", "up", "down"),
    [
        (0.100123, "10.02 %", "10.01 %"),
        (0.0005123, "0.052 %", "0.051 %"),
        (0.00015, "0.015 %", "0.014 %"),  # the double is below 0.00015
        (1.0, "100 %", "100 %"),
        (0.99999, "100 %", "99.99 %"),
        (0.0, "0 %", "0 %"),
        (0.5, "50.00 %", "50.00 %"),
    ],
)
def test_limits_as_text(value, up, down):
    assert limit_text(value, None, None) == up
    assert limit_text(value, None, None, "lower") == down


def test_parts_add_up_to_what_is_shown():
    for total in (0.1, 0.000123, 0.7):
        parts = part_texts([total / 3, total / 3, total / 3], total, None, None)
        whole = limit_text(total, None, None)
        assert sum(Decimal(each.removesuffix(" %")) for each in parts) == Decimal(whole.removesuffix(" %"))


def test_confidence_is_never_more_than_it_is():
    for delta in (0.05, 0.1, 0.3, 1 / 3, 1e-3, 1.5e-7, 1e-9, 3e-12, 0.999):
        shown = Decimal(confidence_words(delta).removesuffix(" %"))
        assert shown <= 100 * (1 - Decimal(repr(delta)))
        assert shown < 100
    assert [confidence_words(each) for each in (1e-7, 1e-8)] == ["99.99999 %", "99.999999 %"]
    assert percent_text(0.5) == "50 %"
