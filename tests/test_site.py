"""The built site in a real browser, opened from the disk: no errors, nothing from a network, search, accessible.

`make docs` builds it; PACBAYES_SITE names another folder. Pictures for the eye go to PACBAYES_SCREENSHOTS.
"""

import json
import os
import time
from pathlib import Path

import pytest

from browser import OF_COLOURS, ROOT, fits, open_page, save_picture, serious_faults

FIVE = ("index.html", "start.html", "guide.html", "theory.html", "reference/api/estimators.html")
OTHERS = (
    *("certificates.html", "gallery.html", "glossary.html", "contributing.html"),
    *("reference/commands.html", "reference/api/bounds.html"),
)
PAGES = (*FIVE, *OTHERS)
SCHEMES = ("light", "dark")


def sources():
    """What the site is built from."""
    folders = [(ROOT / name).rglob("*") for name in ("docs", "src")]
    texts = [path for folder in folders for path in folder if path.suffix in {".md", ".py", ".css", ".js", ".json"}]
    return [*ROOT.glob("*.md"), ROOT / "mkdocs.yml", ROOT / "tools" / "site_hooks.py", *texts]


@pytest.fixture(scope="session")
def site():
    given = os.environ.get("PACBAYES_SITE")
    place = Path(given or ROOT / "site").resolve()
    last = place / "search" / "search_index.js"  # written when all pages are
    if not last.is_file():
        pytest.skip("the site is not built: run `make docs`")
    newer = [path for path in sources() if path.stat().st_mtime > last.stat().st_mtime]
    if newer and not given:
        pytest.skip(f"the site is older than {newer[0].name}: run `make docs`")
    return place


def wait_for(browser, script, seconds=20):
    """Return what a script returns as soon as it is something."""
    end = time.monotonic() + seconds
    while not (found := browser.execute_script(script)) and time.monotonic() < end:
        time.sleep(0.05)
    return found


@pytest.mark.parametrize("name", PAGES)
def test_no_errors_and_no_network(browser, site, name):
    page = open_page(browser, site / name)
    assert page.get_log("browser") == []
    events = [json.loads(each["message"])["message"] for each in page.get_log("performance")]
    asked = [each["params"]["request"]["url"] for each in events if each["method"] == "Network.requestWillBeSent"]
    assert (site / name).as_uri() in asked
    assert not [each for each in asked if each.startswith(("http", "ws", "ftp"))]


@pytest.mark.parametrize("name", PAGES)
def test_nothing_sticks_out_on_a_phone(browser, site, name):
    assert fits(open_page(browser, site / name, width=390))


def test_formulas_are_shown(browser, site):
    page = open_page(browser, site / "theory.html")
    sizes = "return Array.from(document.querySelectorAll('math'), each => each.getBoundingClientRect().width)"
    found = page.execute_script(sizes)
    assert len(found) > 300
    assert min(found) > 2
    symbols = page.execute_script("return Array.from(document.querySelectorAll('math'), each => each.textContent)")
    assert not [each for each in symbols if set(each) & set("\\$&")]


def test_search_finds_a_name_and_a_word(browser, site):
    page = open_page(browser, site / "index.html")
    box = page.find_element("css selector", ".md-search__input")
    box.click()
    for query, expected in (("unexpected_bernstein", "bounds"), ("judged rows", "glossary")):
        box.clear()
        box.send_keys(query)
        results = "return Array.from(document.querySelectorAll('.md-search-result__link'), each => each.href)"
        found = wait_for(page, f"{results}.filter(each => each.includes({expected!r}))")
        assert found, page.execute_script(results)
    assert page.get_log("browser") == []


@pytest.mark.parametrize(("scheme", "expected"), [("light", "default"), ("dark", "slate")])
def test_the_reader_s_system_chooses_light_or_dark(browser, site, scheme, expected):
    page = open_page(browser, site / "index.html", scheme)
    assert page.execute_script("return document.body.getAttribute('data-md-color-scheme')") == expected


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", [*FIVE, *(pytest.param(name, marks=pytest.mark.long) for name in OTHERS)])
def test_axe_finds_nothing_serious(browser, site, name, scheme):
    assert not serious_faults(open_page(browser, site / name, scheme), () if scheme == "light" else OF_COLOURS)


@pytest.mark.long
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", PAGES)
def test_pictures(browser, site, tmp_path, name, scheme, width):
    page = open_page(browser, site / name, scheme, width)
    save_picture(page, f"site-{name.replace('/', '-')[:-5]}-{scheme}-{width}", tmp_path)
