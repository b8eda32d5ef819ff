"""The built site in a real browser, opened from the disk: no errors, nothing from a network, search, accessible.

`make docs` builds it; PACBAYES_SITE names its folder, else `site` beside the tests is taken. Needs chromium and its
driver; axe-core is looked for in PACBAYES_AXE or in node_modules. Screenshots go to PACBAYES_SCREENSHOTS.
"""

import json
import os
import shutil
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

PAGES = (
    *("index.html", "start.html", "guide.html", "certificates.html", "theory.html", "glossary.html"),
    *("reference/commands.html", "reference/api/bounds.html", "reference/api/estimators.html", "contributing.html"),
)
SCHEMES = ("light", "dark")
FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--window-size=1280,1600"),
)


@pytest.fixture(scope="module")
def site():
    place = Path(os.environ.get("PACBAYES_SITE") or Path(__file__).resolve().parent.parent / "site").resolve()
    if not (place / "index.html").is_file():
        pytest.skip("the site is not built: run `make docs`")
    return place


@pytest.fixture(scope="module")
def browser(site, tmp_path_factory):
    webdriver = pytest.importorskip("selenium.webdriver")
    found, driver = shutil.which("chromium") or shutil.which("google-chrome"), shutil.which("chromedriver")
    if not found or not driver:
        pytest.skip("there is no chromium with its driver to open the site in")
    options = webdriver.ChromeOptions()
    options.binary_location = found
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield opened
    opened.quit()


def open_page(browser, site, name, scheme="light", width=1280):
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    size = {"width": width, "height": 1600, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get((site / name).as_uri())
    return browser


def wait_for(browser, script, seconds=20):
    """Return what a script returns as soon as it is something."""
    end = time.monotonic() + seconds
    while not (found := browser.execute_script(script)) and time.monotonic() < end:
        time.sleep(0.05)
    return found


@pytest.mark.parametrize("name", PAGES)
def test_no_errors_and_no_network(browser, site, name):
    page = open_page(browser, site, name)
    assert page.get_log("browser") == []
    events = [json.loads(each["message"])["message"] for each in page.get_log("performance")]
    asked = [each["params"]["request"]["url"] for each in events if each["method"] == "Network.requestWillBeSent"]
    assert (site / name).as_uri() in asked
    assert not [each for each in asked if each.startswith(("http", "ws", "ftp"))]


@pytest.mark.parametrize("name", PAGES)
def test_nothing_sticks_out_on_a_phone(browser, site, name):
    page = open_page(browser, site, name, width=390)
    assert page.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")


def test_search_finds_a_name_and_a_word(browser, site):
    page = open_page(browser, site, "index.html")
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
    page = open_page(browser, site, "index.html", scheme)
    assert page.execute_script("return document.body.getAttribute('data-md-color-scheme')") == expected


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_serious(browser, site, name, scheme):
    places = [os.environ.get("PACBAYES_AXE", ""), "node_modules/axe-core/axe.min.js"]
    sources = [Path(place) for place in places if place and Path(place).is_file()]
    if not sources:
        pytest.skip("axe-core is neither in PACBAYES_AXE nor in node_modules: npm install axe-core")
    page = open_page(browser, site, name, scheme)
    page.set_script_timeout(120)
    page.execute_script(sources[0].read_text(encoding="utf-8"))
    found = page.execute_async_script("var done = arguments[0]; axe.run().then(done)")
    serious = {
        (each["id"], node["html"][:120])
        for each in found["violations"]
        if each["impact"] in {"serious", "critical"}
        for node in each["nodes"]
    }
    assert not serious, serious
    assert len(found["passes"]) > 20


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", PAGES)
def test_screenshots(browser, site, tmp_path, name, scheme, width):
    place = Path(os.environ.get("PACBAYES_SCREENSHOTS", tmp_path))
    place.mkdir(parents=True, exist_ok=True)
    page = open_page(browser, site, name, scheme, width)
    assert page.save_screenshot(str(place / f"site-{name.replace('/', '-')[:-5]}-{scheme}-{width}.png"))
